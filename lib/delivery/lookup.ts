import { newId, now, timestamp } from '../clock.ts';
import { type Identifier, parseIdentifier } from '../identifier.ts';
import { Problem } from '../problem.ts';
import type { LookUp, LookUpAnswer } from '../store/resident-lookup.ts';
import { tellResident } from '../store/tell-resident.ts';
import { all, any, below, exists, is, isNew, missing, update } from '../table/language.ts';
import { type Key, partition, ttlAttribute } from '../table/schema.ts';
import { write } from '../table/table.ts';
import { askDispenser } from './call.ts';
import { type Dispenser, dispenserKey, findDispenser, secretsOf } from './dispensers.ts';
import { resolveBody } from './message.ts';

/** Look-ups of one store in a clock minute, and those of them that a GET may cause. */
export const lookUpsPerMinute = 60;
const maxOfReads = 30;
/** A key that has named nobody so often in a clock minute has no look-up left in it: the others are for other keys. */
const maxNobody = 30;

/** The item that counts the look-ups of this minute. */
const countKey = (store: string): Key => ({ pk: partition(store, 'LOOKUP'), sk: timestamp(now()).slice(0, 16) });

/** The attribute that counts how often a key has named nobody. */
const nobodyBy = (keyId: string): string => `nobody_${keyId}`;

/** Counts a look-up. False where the store, or the key, has had as many as a minute allows. */
const countOne = async (counted: Key, { isRead, keyId }: LookUp): Promise<boolean> => {
  const isFree = all(
    below('total', lookUpsPerMinute),
    isRead ? below('reads', maxOfReads) : undefined,
    keyId === undefined ? undefined : any(missing(nobodyBy(keyId)), below(nobodyBy(keyId), maxNobody)),
  );
  const { done } = await write(
    update(counted, {
      add: { total: 1, reads: Number(isRead) },
      set: { [ttlAttribute]: Math.ceil(now() / 1000) + 3600 },
      when: any(isNew, isFree),
    }),
  );
  return done;
};

/** Counts that a key has named nobody. */
const countNobody = async (counted: Key, keyId: string): Promise<void> => {
  await write(update(counted, { add: { [nobodyBy(keyId)]: 1 }, when: exists }));
};

/** Notes that a box cannot be asked, until one registers anew. */
const noteOld = async (store: string, { registeredAt }: Dispenser): Promise<void> => {
  await write(update(dispenserKey(store), { set: { cannotResolve: true }, when: is('registeredAt', registeredAt) }));
};

/** The time that is left for the table once the dispenser has answered. */
const reserveMillis = 300;

/** The avatar that an answer names: none unless it is exactly `uuid name`, and about the one who was asked for. */
export const avatarOf = (answer: string, { uuid, username }: Identifier) => {
  const [, first = '', second = ''] = /^(\S{36}) (\S{1,63})$/.exec(answer) ?? [];
  const [named, called] = [parseIdentifier(first)?.uuid, parseIdentifier(second)?.username];
  if (named === undefined || called === undefined) return undefined;
  return (uuid ?? named) === named && (username ?? called) === called ? { uuid: named, username: called } : undefined;
};

/**
 * Asks a store's dispenser for an avatar, and keeps the answer for the store (extensions.md, Residents). An answer of
 * another form, about somebody else, or with a name that is another resident's is none. Nothing that a dispenser
 * answers changes its address. Takes at most `millis`.
 */
export const answerLookUp = async (lookUp: LookUp): Promise<LookUpAnswer> => {
  const { store, identifier, keyId, millis } = lookUp;
  const signal = AbortSignal.timeout(Math.max(0, millis - reserveMillis));
  const dispenser = await findDispenser(store);
  if (!dispenser || dispenser.cannotResolve) return { isUnasked: true };
  // A dispenser that was lost may be back in a minute: until then it gives no answer.
  if (dispenser.url === undefined) return {};
  const counted = countKey(store);
  if (!(await countOne(counted, lookUp))) return {};
  const name = identifier.uuid ?? identifier.username;
  const request = { id: newId(), at: now(), name };
  const bodies = secretsOf(dispenser).map((secret) => resolveBody(request, secret));
  const answer = await askDispenser(dispenser.url, bodies, signal).catch(() => undefined);
  if (answer?.status === 400) {
    await noteOld(store, dispenser);
    return { isUnasked: true };
  }
  if (answer?.status !== 200) return {};
  if (answer.text === '-') {
    if (keyId !== undefined) await countNobody(counted, keyId);
    return { isNobody: true };
  }
  const avatar = avatarOf(answer.text, identifier);
  if (!avatar) return {};
  try {
    const { uuid, username } = await tellResident(store, avatar, 'dispenser');
    return { resident: { uuid, username } };
  } catch (error) {
    // A name that is another's, too many names, or a busy table.
    if (error instanceof Problem) return {};
    throw error;
  }
};
