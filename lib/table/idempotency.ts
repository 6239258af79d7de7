import { createHash } from 'node:crypto';
import { newId, now, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { keyReused, Problem, requestRunning } from '../problem.ts';
import { all, any, atMost, is, isNew, put, remove, update } from './language.ts';
import { type Key, partition, ttlAttribute } from './schema.ts';
import { type Recording, recorded, transact, write } from './table.ts';

/**
 * Requests with an Idempotency-Key (as the IETF draft has it). A record of the request is written first, as running; the
 * answer goes into it in the same transaction as the change, so that a change is made once however often it is asked for.
 */

/** An answer as it is kept and given again. */
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
  /** Another attempt may take the request over from then on; empty once an attempt has failed. */
  leaseUntil: string;
  keepUntil: string;
  answer?: KeptAnswer;
}

/** A request under way. */
interface Running extends Recording {
  key: Key;
  /** Tells this attempt at the request from others. */
  owner: string;
}

const keepMillis = 24 * 3_600_000;

// Longer than any request can run. One that died without an answer may be tried again after that.
const leaseMillis = 40_000;

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
 * Takes a request over from an attempt that ended without an answer. That attempt may have used the record's id, so this one
 * uses it too. Throws 409 if another attempt comes first.
 */
const takeOver = async (running: Running, earlier: RequestRecord): Promise<void> => {
  const { key, owner } = running;
  const outcome = await write<RequestRecord>(
    update(key, {
      set: { owner, ...timesFromNow() },
      ifMissing: { id: owner },
      when: all(isRunning, is('owner', earlier.owner)),
    }),
  );
  if (!outcome.done) throw requestRunning();
  running.id = outcome.result.id;
  running.isIdUsed = true;
};

/**
 * Claims the record for a request that begins, or answers how an earlier one was answered. The claim may arrive twice, the
 * second time late: it holds for its own record only while that is running, so that it never reopens one.
 */
const claim = async (running: Running, fingerprint: string): Promise<KeptAnswer | undefined> => {
  const { key, owner, id } = running;
  const at = timestamp(now());
  const record: RequestRecord = { ...key, state: 'running', owner, id, fingerprint, ...timesFromNow() };
  const isOver = atMost('keepUntil', at);
  const outcome = await write<RequestRecord>(put(record, any(isNew, isOver, all(isRunning, is('owner', owner)))));
  if (outcome.done) return undefined;
  const { found } = outcome;
  if (found?.fingerprint !== fingerprint) throw keyReused();
  if (found.answer) return found.answer;
  if (found.leaseUntil > at) throw requestRunning();
  await takeOver(running, found);
  return undefined;
};

/**
 * Releases the key of a request that failed, having changed nothing. If something outside the table may know the record's
 * id, the record stays, and the next attempt takes it over. If the request did make its change, and only the table's
 * answer was lost, its record is complete: then this answers it.
 */
const release = async ({ key, owner, isIdUsed }: Running): Promise<KeptAnswer | undefined> => {
  const isOurs = all(is('owner', owner), isRunning);
  try {
    const outcome = await write<RequestRecord>(
      isIdUsed ? update(key, { set: { leaseUntil: '' }, when: isOurs }) : remove(key, isOurs),
    );
    return outcome.done || outcome.found?.owner !== owner ? undefined : outcome.found.answer;
  } catch {
    // The record lapses by itself; the caller must hear of the request's own failure.
    return undefined;
  }
};

/**
 * Records the answer of a handler that changed nothing in the table: it found nothing to change, or it queued a delivery.
 * Throws 409 if another request has taken the record over. If the table does not take it, the answer is given all the
 * same, since the handler has done its work; the record stays as running, so that the work is not done again at once.
 */
const complete = async (running: Running, result: unknown): Promise<void> => {
  try {
    // A transaction, for its token: repeated after a lost answer, it does not take its own work for another's.
    if (await transact([running.completion(result)])) throw requestRunning();
  } catch (error) {
    if (error instanceof Problem && error.status === 409) throw error;
    const stack = error instanceof Error ? error.stack : undefined;
    logSink.write({ level: 'WARN', unrecorded: running.key.sk, stack });
  }
};

interface OnceRequest {
  store: string;
  /** The API key's id, its first one's after rotations: two integrations of a store may well use the same Idempotency-Key. */
  keyId: string;
  idempotencyKey: string;
  /** Method, path and body, which make it the same request. */
  request: string;
  /** Makes the answer of a handler's result. */
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
  const running: Running = {
    key,
    owner,
    isComplete: false,
    id: owner,
    isIdUsed: false,
    completion: (result) =>
      update(key, { set: { state: 'done', answer: answerOf(result) }, when: all(is('owner', owner), isRunning) }),
  };
  const earlier = await claim(running, sha256(request));
  if (earlier) return { answer: earlier, replayed: true };
  let result: unknown;
  try {
    result = await recorded(running, handler);
  } catch (error) {
    const answer = await release(running);
    if (!answer) throw error;
    return { answer, replayed: false };
  }
  if (!running.isComplete) await complete(running, result);
  return { answer: answerOf(result), replayed: false };
};
