import { createHash } from 'node:crypto';
import { newId, now, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { keyReused, Problem, requestRunning } from '../problem.ts';
import { partition } from './keys.ts';
import { all, any, atMost, is, isNew, put, remove, update } from './language.ts';
import { requestSeconds } from './meter.ts';
import { type Key, ttlAttribute } from './schema.ts';
import { type Recording, recorded, transact, write } from './table.ts';

/**
 * Requests with an Idempotency-Key (as in the IETF draft). A record of the request is written first, as running. The
 * answer goes into the record in the same transaction as the change: so the change is made once, however often the
 * request is sent.
 *
 *     claimed              leaseUntil                  keepUntil, and the TTL
 *        |---- running --------|---- running ------------|
 *        |  its owner works;   |  the next attempt       |  the key is free again: the next request
 *        |  others get 409     |  becomes the owner      |  takes the record's place
 *        |---- done -------------------------------------|
 *        |  everybody gets the owner's answer            |
 *
 * An attempt that fails removes the record. If something outside the table may know the record's id, it ends the lease
 * at once instead.
 */

/** An answer in the form in which the record keeps it. */
export interface KeptAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

interface RequestRecord extends Key {
  state: 'running' | 'done';
  owner: string;
  /** The id of what the request makes outside the table. */
  id: string;
  fingerprint: string;
  /** From this time on another attempt may take the request over. Empty once an attempt has failed. */
  leaseUntil: string;
  keepUntil: string;
  answer?: KeptAnswer;
}

/** One attempt at a request. */
interface Attempt extends Recording {
  key: Key;
  /** Tells this attempt at the request from others. */
  owner: string;
  /** The answer of the last completion, so that the caller gets the answer that the record has. */
  answer?: KeptAnswer;
}

const keepMillis = 24 * 3_600_000;

/**
 * Longer than any request can run, even by clocks that differ. A request that died without an answer may be tried again
 * after this time.
 */
const leaseMillis = (requestSeconds + 13) * 1000;

const isRunning = is('state', 'running');

/** The times in the record of an attempt that begins now. */
const timesFromNow = () => {
  const until = now() + keepMillis;
  return {
    leaseUntil: timestamp(now() + leaseMillis),
    keepUntil: timestamp(until),
    [ttlAttribute]: Math.ceil(until / 1000),
  };
};

/**
 * Takes a request over from an attempt that ended without an answer. That attempt may have used the record's id, so
 * this one uses it too. Throws 409 if another attempt takes it over first.
 */
const takeOver = async (attempt: Attempt, earlier: RequestRecord): Promise<void> => {
  const { key, owner } = attempt;
  const outcome = await write<RequestRecord>(
    update(key, {
      set: { owner, ...timesFromNow() },
      ifMissing: { id: owner },
      when: all(isRunning, is('owner', earlier.owner)),
    }),
  );
  if (!outcome.done) throw requestRunning();
  attempt.id = outcome.result.id;
  attempt.isIdUsed = true;
};

/**
 * Claims the record for a request that begins, or answers the kept answer of an earlier attempt. The claim may arrive
 * twice, the second time late. So it takes its own record only while that is running, and never reopens one that is
 * done.
 */
const claim = async (attempt: Attempt, fingerprint: string): Promise<KeptAnswer | undefined> => {
  const { key, owner, id } = attempt;
  const at = timestamp(now());
  const record: RequestRecord = { ...key, state: 'running', owner, id, fingerprint, ...timesFromNow() };
  const isLapsed = atMost('keepUntil', at);
  const isOurs = all(isRunning, is('owner', owner));
  const outcome = await write<RequestRecord>(put(record, any(isNew, isLapsed, isOurs)));
  if (outcome.done) return undefined;
  const { found } = outcome;
  if (found?.fingerprint !== fingerprint) throw keyReused();
  if (found.answer) return found.answer;
  if (found.leaseUntil > at) throw requestRunning();
  await takeOver(attempt, found);
  return undefined;
};

const logFailure = (of: { unreleased: string } | { unrecorded: string }, error: unknown): void =>
  logSink.write({ level: 'WARN', ...of, stack: error instanceof Error ? error.stack : String(error) });

/**
 * Releases the key of a request that failed, having changed nothing. If something outside the table may know the
 * record's id, the record stays, and the next attempt takes it over. If the request did make its change, and only the
 * table's answer was lost, its record is complete: then this answers it.
 */
const release = async ({ key, owner, isIdUsed }: Attempt): Promise<KeptAnswer | undefined> => {
  const isOurs = all(is('owner', owner), isRunning);
  try {
    const outcome = await write<RequestRecord>(
      isIdUsed ? update(key, { set: { leaseUntil: '' }, when: isOurs }) : remove(key, isOurs),
    );
    if (outcome.done) return undefined;
    const { found } = outcome;
    return found?.owner === owner ? found.answer : undefined;
  } catch (error) {
    // The lease ends by itself; the caller must hear of the request's own failure.
    logFailure({ unreleased: key.sk }, error);
    return undefined;
  }
};

/**
 * Records the answer of a handler that changed nothing in the table: it found nothing to change, or it queued a
 * delivery. Throws 409 if another request has taken the record over. If the table does not take the record, the answer
 * is given anyway, since the handler has done its work; the record stays running, so that the work is not done again at
 * once.
 */
const complete = async (attempt: Attempt, result: unknown): Promise<void> => {
  const completion = attempt.completion(result);
  try {
    // It is a transaction because of the token: a repeat after a lost answer does not take its own work for another's.
    if (await transact([completion])) throw requestRunning();
  } catch (error) {
    if (error instanceof Problem && error.status === 409) throw error;
    logFailure({ unrecorded: attempt.key.sk }, error);
  }
};

interface OnceRequest {
  store: string;
  /** The API key's id; after rotations the first key's. Two integrations may use the same Idempotency-Key. */
  keyId: string;
  idempotencyKey: string;
  /** The method, path and body, which tell whether a request is the same: a POST takes no query. */
  request: string;
  /** Makes the answer from a handler's result. */
  answerOf: (result: unknown) => KeptAnswer;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Answers a request once: the first time by `handler`, later, for 24 hours, with the first answer again (`replayed`).
 * Throws 422 for a key that was used for another request, 409 while the first is still running.
 */
export const answerOnce = async (
  { store, keyId, idempotencyKey, request, answerOf }: OnceRequest,
  handler: () => Promise<unknown>,
): Promise<{ answer: KeptAnswer; replayed: boolean }> => {
  const key = { pk: partition(store, 'REQUEST'), sk: sha256(`${keyId} ${idempotencyKey}`) };
  const owner = newId();
  const attempt: Attempt = {
    key,
    owner,
    isComplete: false,
    id: owner,
    isIdUsed: false,
    completion: (result) => {
      attempt.answer = answerOf(result);
      return update(key, { set: { state: 'done', answer: attempt.answer }, when: all(is('owner', owner), isRunning) });
    },
  };
  const earlier = await claim(attempt, sha256(request));
  if (earlier) return { answer: earlier, replayed: true };
  try {
    const result = await recorded(attempt, handler);
    if (!attempt.isComplete) await complete(attempt, result);
    return { answer: attempt.answer as KeptAnswer, replayed: false };
  } catch (error) {
    const answer = await release(attempt);
    if (!answer) throw error;
    return { answer, replayed: false };
  }
};
