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

/** The most look-ups of one store in a clock minute, and the most of them that GETs may cause. */
export const lookUpsPerMinute = 60;
const maxOfReads = 30;
/** The most look-ups of one key in a clock minute that find no avatar. The others are left for other keys. */
const maxVain = 30;

/** The item that counts the look-ups of this minute. */
const countKey = (store: string): Key => ({ pk: partition(store, 'LOOKUP'), sk: timestamp(now()).slice(0, 16) });

/** The name of the attribute that counts a key's look-ups without an avatar. */
const vainBy = (keyId: string): string => `nobody_${keyId}`;

/**
 * Counts a look-up before it is made, so that look-ups at the same time, and look-ups without an answer, count too.
 * Answers false if the store or the key has used up the minute's number.
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

/** A look-up that found an avatar counts only for the store, not for the key. */
const countFound = async (counted: Key, keyId: string): Promise<void> => {
  await write(update(counted, { add: { [vainBy(keyId)]: -1 }, when: exists }));
};

/** Notes that a box cannot look names up, until a box registers there again. */
const noteOld = async (store: string, { name, registeredAt }: Dispenser): Promise<void> => {
  await write(
    update(dispenserKey(store, name), { set: { cannotResolve: true }, when: is('registeredAt', registeredAt) }),
  );
};

/** The time that is reserved for the table after the dispenser has answered. */
const reserveMillis = 300;

/** The avatar that an answer names: undefined if it is not exactly `uuid name`, or about another avatar. */
export const parseAvatar = (answer: string, { uuid, username }: Identifier) => {
  const [, first = '', second = ''] = /^(\S{36}) (\S{1,63})$/.exec(answer) ?? [];
  const [named, called] = [parseIdentifier(first)?.uuid, parseIdentifier(second)?.username];
  if (named === undefined || called === undefined) return undefined;
  return (uuid ?? named) === named && (username ?? called) === called ? { uuid: named, username: called } : undefined;
};

/** The time that a box has for its answer while there is another box to ask. */
const boxMillis = 1000;

/** The answer of a box; undefined if the box is gone or too old, or gave no answer. Then the next box is asked. */
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

/** Asks the boxes in their order until one answers; undefined if none did, 'old' if all of them are too old. */
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
 * Asks a store's boxes for an avatar, and keeps the answer for the store (docs/adr/0024-residents.md). An answer is
 * ignored if it has another form, is about another avatar, or names an avatar with another resident's name. No answer
 * of a dispenser changes its address. Takes at most `millis`.
 */
export const answerLookUp = async (lookUp: LookUp): Promise<LookUpAnswer> => {
  const { store, identifier, keyId, millis } = lookUp;
  const signal = AbortSignal.timeout(Math.max(0, millis - reserveMillis));
  const boxes = (await listBoxes(store)).filter(({ cannotResolve }) => !cannotResolve);
  if (boxes.length === 0) return { isUnasked: true };
  // A lost dispenser may be back in a minute. Until then this gives no answer.
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
    // The name belongs to another resident, there are too many names, or the table is busy.
    if (error instanceof Problem) return {};
    throw error;
  }
};
