import { idFrom } from '../../apps/cli/kinds/columns.ts';
import { forfeitReason } from '../../apps/cli/kinds/reason-columns.ts';
import { timestamp } from '../../lib/clock.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import { type Moved, move } from '../../test/support/model/erasure.ts';
import type { Commit } from './machine.ts';
import { type State, start } from './world.ts';

/** The items that an erasure has moved to a pseudonym, found in the writes of its commits. */

/** The name of an operation whose commits belong to an erasure. */
export const erasureName = (operation: string, uuid: string): string => `${operation}, erasure of ${uuid}`;

const erasedBy = ({ operation }: Commit): string | undefined => / erasure of (\S+)$/.exec(operation)?.[1];

/** Everything that one commit has moved. */
export interface Moves {
  store: string;
  uuid: string;
  pseudonym: string;
  pieces: Moved[];
}

/** The kinds of items whose partition belongs to an avatar. */
const ofPartition: Readonly<Record<string, Moved['kind']>> = { OWNED: 'owned', USE: 'uses', APPLIED: 'application' };
/** The kinds of items whose sort key is the avatar's UUID. */
const ofKey: Readonly<Record<string, Moved['kind']>> = { CUSTOMER: 'customer', SPEND: 'spend', PAYEE: 'account' };

const pieceOf = ({ key, before, after }: Commit['written'][number], uuid: string): Moved | undefined => {
  const [, part = '', owner] = key.pk.split('#');
  const id = key.sk.replace(/^product#/, '');
  if (part === 'SALE' && owner === undefined) return { kind: 'sale', id };
  if (part === 'GIFTCARD') return before?.ownerUuid === after?.ownerUuid ? undefined : { kind: 'card', id };
  if (part === 'PURCHASE') return before && before.uuid !== after?.uuid ? { kind: 'purchase', id } : undefined;
  if (part === 'COUPON' && before?.couponOwnerUuid !== after?.couponOwnerUuid) return { kind: 'coupon', id };
  if (after) return undefined;
  const kind = owner === uuid ? ofPartition[part] : id === uuid ? ofKey[part] : undefined;
  return kind && { kind, id };
};

/** A pseudonym is a UUID of version 8, and no other id is but those of events. */
const pseudonyms = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * The pseudonym to which a commit moves items. One that stood in them before belongs to somebody who was erased
 * earlier, such as the buyer of a gift.
 */
const pseudonymIn = (written: Commit['written']): string => {
  const others = written.filter(({ key }) => !key.pk.endsWith('#EVENT'));
  const [before, after] = [others.map((one) => one.before), others.map((one) => one.after)].map((items) =>
    JSON.stringify(items).match(pseudonyms),
  );
  return after?.find((uuid) => !before?.includes(uuid)) ?? after?.[0] ?? '';
};

/** Everything that a commit of an erasure has moved; undefined if it has moved nothing that the model knows. */
export const movesOf = (commit: Commit): Moves | undefined => {
  const uuid = erasedBy(commit);
  if (uuid === undefined) return undefined;
  const { written } = commit;
  const pieces = written.flatMap((one) => pieceOf(one, uuid) ?? []);
  const [, store = ''] = /^([^#]+)#/.exec(written[0]?.key.pk ?? '') ?? [];
  return pieces.length > 0 ? { store, uuid, pseudonym: pseudonymIn(written), pieces } : undefined;
};

/** The item of a customer whose credit an erasure has forfeited. */
export const forfeitedIn = (commit: Commit): CreditItem | undefined => {
  if (erasedBy(commit) === undefined) return undefined;
  const change = commit.written.find(
    ({ key, before, after }) =>
      key.pk.endsWith('#CUSTOMER') && after?.creditVersion !== before?.creditVersion && after !== undefined,
  );
  const item = change?.after as CreditItem | undefined;
  return item && lastChangeOf(item)?.reason === forfeitReason ? item : undefined;
};

/** Says whether an erasure has moved anything about an avatar, whether or not it has ended. */
export const isErased = (commits: readonly Commit[], uuid: string): boolean =>
  commits.some((commit) => movesOf(commit)?.uuid === uuid);

/** Says whether an erasure has begun to move an avatar's history, which a repair would miss until the erasure ends. */
export const isHistoryMoving = (commits: readonly Commit[], uuid: string): boolean =>
  commits.some(
    (commit) => erasedBy(commit) === uuid && commit.written.some(({ key }) => key.pk.includes(`#HISTORY#${uuid}#`)),
  );

/** The rows of credit that imports of a schedule bring for an avatar, by their ids. */
const importedFor = (store: string, uuid: string): string[] => {
  const dues = [700, 20 * 60_000].map((millis) => timestamp(start + millis));
  const lots = [0, 1].flatMap((file) => dues.map((due) => `lot ${file} ${due}`));
  return creditTypes.flatMap((type) =>
    [...lots, 'permanent'].map((text) => idFrom(store, 'credit', `${uuid} ${type} ${text}`)),
  );
};

/** Moves in the model what an erasure has moved. */
export const hasMoved = (model: State, { store, uuid, pseudonym, pieces }: Moves): boolean =>
  pieces.every((piece) => {
    // An avatar who comes back is a new customer, for whom the same rows may be imported again.
    if (piece.kind === 'customer') for (const id of importedFor(store, uuid)) delete model.imported[id];
    return move(model, piece, uuid, pseudonym);
  });
