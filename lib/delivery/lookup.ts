import type { LookUp, LookUpAnswer } from '../avatars/resident-lookup.ts';
import { newId, now, timestamp } from '../clock.ts';
import { type Identifier, parseIdentifier } from '../identifier.ts';
import { Problem } from '../problem.ts';
import { tellResident } from '../store/tell-resident.ts';
import { partition } from '../table/keys.ts';
import { all, any, below, exists, is, isNew, missing, update } from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { write } from '../table/table.ts';
import { AddressError } from './address.ts';
import { askDispenser } from './call.ts';
import { type Dispenser, dispenserKey, listBoxes, noteUnreachable, type Registered, secretsOf } from './dispensers.ts';
import { resolveBody } from './message.ts';

/** Look-ups of one store in a clock minute, and those of them that a GET may cause. */
export const lookUpsPerMinute = 60;
const maxOfReads = 30;
/** A key has no more look-ups in a clock minute that found no avatar: the others are for other keys. */
const maxVain = 30;

/** The item that counts the look-ups of this minute. */
const countKey = (store: string): Key => ({ pk: partition(store, 'LOOKUP'), sk: timestamp(now()).slice(0, 16) });

/** The attribute that counts the look-ups of a key but those that found an avatar. */
const vainBy = (keyId: string): string => `nobody_${keyId}`;

/**
 * Counts a look-up before it is made, so that those side by side, and those that nothing answers, count too. False where
 * the store, or the key, has had as many as a minute allows.
 */
const countOne = async (counted: Key, { isRead, keyId }: LookUp): Promise<boolean> => {
  const isFree = all(
    below('total', lookUpsPerMinute),
    isRead ? below('reads', maxOfReads) : undefined,
    keyId === undefined ? undefined : any(missing(vainBy(keyId)), below(vainBy(keyId), maxVain)),
  );
  const { done } = await write(
    update(counted, {
      add: { total: 1, reads: Number(isRead), ...(keyId !== undefined && { [vainBy(keyId)]: 1 }) },
      set: { [ttlAttribute]: Math.ceil(now() / 1000) + 3600 },
      when: any(isNew, isFree),
    }),
  );
  return done;
};

/** A look-up that found an avatar is one of the store's alone. */
const countFound = async (counted: Key, keyId: string): Promise<void> => {
  await write(update(counted, { add: { [vainBy(keyId)]: -1 }, when: exists }));
};

/** Notes that a box cannot be asked, until one registers anew. */
const noteOld = async (store: string, { name, registeredAt }: Dispenser): Promise<void> => {
  await write(
    update(dispenserKey(store, name), { set: { cannotResolve: true }, when: is('registeredAt', registeredAt) }),
  );
};

/** The time that is left for the table once the dispenser has answered. */
const reserveMillis = 300;

/** The avatar that an answer names: none unless it is exactly `uuid name`, and about the one who was asked for. */
export const parseAvatar = (answer: string, { uuid, username }: Identifier) => {
  const [, first = '', second = ''] = /^(\S{36}) (\S{1,63})$/.exec(answer) ?? [];
  const [named, called] = [parseIdentifier(first)?.uuid, parseIdentifier(second)?.username];
  if (named === undefined || called === undefined) return undefined;
  return (uuid ?? named) === named && (username ?? called) === called ? { uuid: named, username: called } : undefined;
};

/** The time in which a box is to answer while there is another one to ask. */
const boxMillis = 1000;

/** The answer of a box; undefined where it is gone, old, or has given none, and the next one is asked. */
const askBox = async (
  store: string,
  box: Registered,
  request: Parameters<typeof resolveBody>[0],
  signal: AbortSignal,
): Promise<{ status: number; text: string } | 'old' | undefined> => {
  const connection = { isMade: false };
  const bodies = secretsOf(box).map((secret) => resolveBody(request, secret));
  try {
    const answer = await askDispenser(box.url, bodies, signal, connection);
    if (answer.status === 400) {
      await noteOld(store, box);
      return 'old';
    }
    if (answer.status !== 404 && answer.status !== 410) return answer;
    await noteUnreachable(store, box, `The dispenser answered ${answer.status}`);
  } catch (error) {
    if (!connection.isMade && !(error instanceof AddressError))
      await noteUnreachable(store, box, 'A look-up found no connection');
  }
  return undefined;
};

/** Asks the boxes in their order until one answers; undefined where none did, 'old' where all are too old. */
const askBoxes = async (store: string, boxes: readonly Dispenser[], name: string, whole: AbortSignal) => {
  const reachable = boxes.filter((box): box is Registered => box.url !== undefined);
  const request = { id: newId(), at: now(), name };
  let old = 0;
  for (const [place, box] of reachable.entries()) {
    const isLast = place === reachable.length - 1;
    const signal = isLast ? whole : AbortSignal.any([whole, AbortSignal.timeout(boxMillis)]);
    const answer = whole.aborted ? undefined : await askBox(store, box, request, signal);
    if (answer === 'old') old += 1;
    else if (answer) return answer;
  }
  return old === boxes.length ? 'old' : undefined;
};

/**
 * Asks a store's boxes for an avatar, and keeps the answer for the store (extensions.md, Residents). An answer of
 * another form, about somebody else, or with a name that is another resident's is none. Nothing that a dispenser
 * answers changes its address. Takes at most `millis`.
 */
export const answerLookUp = async (lookUp: LookUp): Promise<LookUpAnswer> => {
  const { store, identifier, keyId, millis } = lookUp;
  const signal = AbortSignal.timeout(Math.max(0, millis - reserveMillis));
  const boxes = (await listBoxes(store)).filter(({ cannotResolve }) => !cannotResolve);
  if (boxes.length === 0) return { isUnasked: true };
  // A dispenser that was lost may be back in a minute: until then it gives no answer.
  if (boxes.every(({ url }) => url === undefined)) return {};
  const counted = countKey(store);
  if (!(await countOne(counted, lookUp))) return {};
  const answer = await askBoxes(store, boxes, identifier.uuid ?? identifier.username, signal);
  if (answer === 'old') return { isUnasked: true };
  if (answer?.status !== 200) return {};
  if (answer.text === '-') return { isNobody: true };
  const avatar = parseAvatar(answer.text, identifier);
  if (!avatar) return {};
  if (keyId !== undefined) await countFound(counted, keyId);
  try {
    const { uuid, username } = await tellResident(store, avatar, 'dispenser');
    return { resident: { uuid, username } };
  } catch (error) {
    // A name that is another's, too many names, or a busy table.
    if (error instanceof Problem) return {};
    throw error;
  }
};
