import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { newId, now, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { keyReused, Problem, requestRunning } from '../problem.ts';
import { pastConflicts, putOnce, type Refusal, type TransactItem, transact } from './retry.ts';
import { db, partition, tableName } from './table.ts';

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

interface RecordItem {
  state: 'running' | 'done';
  fingerprint: string;
  answer?: KeptAnswer;
}

/** A request under way, with what turns its rule's result into the answer. */
interface Running {
  key: { pk: string; sk: string };
  owner: string;
  answerOf: (result: unknown) => KeptAnswer;
  recorded: boolean;
}

const keepMillis = 24 * 3_600_000;

// Longer than any request can run. One that died without a word may be tried again after that.
const leaseMillis = 40_000;

const requests = new AsyncLocalStorage<Running>();

/** Whether the change now being made must be recorded with its answer. */
export const isRecorded = (): boolean => requests.getStore() !== undefined;

/** The update that completes a request's record, if it is still this request that runs. */
const completion = ({ key, owner, answerOf }: Running, result: unknown) => ({
  TableName: tableName(),
  Key: key,
  UpdateExpression: 'SET #state = :done, answer = :answer',
  ConditionExpression: '#owner = :owner AND #state = :running',
  ExpressionAttributeNames: { '#state': 'state', '#owner': 'owner' },
  ExpressionAttributeValues: { ':done': 'done', ':running': 'running', ':owner': owner, ':answer': answerOf(result) },
});

/**
 * Like `transact`, for the change that a request makes and the result that its rule will answer: where the request has
 * an Idempotency-Key, its record is completed in the same transaction. Throws 409 if another one has taken it over.
 */
export const transactOnce = async (items: TransactItem[], result: unknown): Promise<Refusal[] | undefined> => {
  const running = requests.getStore();
  if (!running) return transact(items);
  const refusals = await transact([...items, { Update: completion(running, result) }]);
  if (refusals?.at(-1)?.refused) throw requestRunning();
  running.recorded = !refusals;
  return refusals?.slice(0, -1);
};

/**
 * Puts a new item, whose key nothing else has, and what must be written with it; `result` is what the request's rule will
 * answer.
 */
export const putNew = async (
  item: Record<string, unknown>,
  result: unknown,
  withIt: TransactItem[] = [],
): Promise<void> => {
  if (!isRecorded() && withIt.length === 0) await putOnce(item);
  else await transactOnce([{ Put: { TableName: tableName(), Item: item } }, ...withIt], result);
};

/**
 * Writes the record of a request that begins, or answers how an earlier one was answered. It may arrive twice, the second
 * time late: it is taken for its own only while the request still runs, so that it never reopens a record.
 */
const begin = async (running: Running, fingerprint: string): Promise<KeptAnswer | undefined> => {
  const at = now();
  const until = at + keepMillis;
  try {
    const record = new PutCommand({
      TableName: tableName(),
      Item: {
        ...running.key,
        state: 'running',
        owner: running.owner,
        fingerprint,
        leaseUntil: timestamp(at + leaseMillis),
        keepUntil: timestamp(until),
        ttl: Math.ceil(until / 1000),
      },
      ConditionExpression:
        'attribute_not_exists(pk) OR keepUntil <= :at OR (#state = :running AND (#owner = :owner OR leaseUntil <= :at))',
      ExpressionAttributeNames: { '#state': 'state', '#owner': 'owner' },
      ExpressionAttributeValues: { ':at': timestamp(at), ':running': 'running', ':owner': running.owner },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    // The transaction that completes the record may be under way this very moment.
    await pastConflicts(() => db.send(record));
    return undefined;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
    const earlier = unmarshall(error.Item) as RecordItem;
    if (earlier.fingerprint !== fingerprint) throw keyReused();
    if (!earlier.answer) throw requestRunning();
    return earlier.answer;
  }
};

/** Frees the key of a request that changed nothing. If it did after all, its record is complete, and stays. */
const release = async ({ key, owner }: Running): Promise<void> => {
  try {
    await db.send(
      new DeleteCommand({
        TableName: tableName(),
        Key: key,
        ConditionExpression: '#owner = :owner AND #state = :running',
        ExpressionAttributeNames: { '#state': 'state', '#owner': 'owner' },
        ExpressionAttributeValues: { ':owner': owner, ':running': 'running' },
      }),
    );
  } catch {
    // The record lapses by itself; the request's own failure is what the caller must hear of.
  }
};

/**
 * Records the answer of a rule that changed nothing in the table: it found nothing to change, or it queued a delivery.
 * Throws 409 if another request has taken the record over. If the table does not take it, the answer is given all the
 * same, since the rule has done its work; the record stays as running, so that the work is not done again at once.
 */
const complete = async (running: Running, result: unknown): Promise<void> => {
  try {
    // A transaction, for its token: sent again after a lost answer, it does not take its own work for another's.
    if (await transact([{ Update: completion(running, result) }])) throw requestRunning();
  } catch (error) {
    if (error instanceof Problem && error.status === 409) throw error;
    logSink.write({
      level: 'WARN',
      unrecorded: running.key.sk,
      stack: error instanceof Error ? error.stack : undefined,
    });
  }
};

interface OnceRequest {
  store: string;
  /** The API key's id: two integrations of a store may well use the same Idempotency-Key. */
  keyId: string;
  idempotencyKey: string;
  /** What makes it the same request: method, path and body. */
  request: string;
  answerOf: Running['answerOf'];
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Answers a request once: the first time by `rule`, later, for 24 hours, with the first answer again (`replayed`).
 * Throws 422 for a key that was used for another request, 409 while the first is still running.
 */
export const answerOnce = async (
  { store, keyId, idempotencyKey, request, answerOf }: OnceRequest,
  rule: () => Promise<unknown>,
): Promise<{ answer: KeptAnswer; replayed: boolean }> => {
  const key = { pk: partition(store, 'REQUEST'), sk: sha256(`${keyId} ${idempotencyKey}`) };
  const running: Running = { key, owner: newId(), answerOf, recorded: false };
  const first = await begin(running, sha256(request));
  if (first) return { answer: first, replayed: true };
  let result: unknown;
  try {
    result = await requests.run(running, rule);
  } catch (error) {
    await release(running);
    throw error;
  }
  if (!running.recorded) await complete(running, result);
  return { answer: answerOf(result), replayed: false };
};
