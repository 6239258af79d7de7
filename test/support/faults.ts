import {
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import type { Scheduler } from 'fast-check';
import { details } from '../../lib/problem.ts';
import { db, dbOnce } from '../../lib/table/client.ts';

/** A request to the table. Each of the SDK's own retries is another one. */
export interface TableCall {
  /** Such as UpdateItem. */
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: inputs of all operations.
  input: any;
  isWrite: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: outputs of all operations, handed on.
export type Send = () => Promise<any>;

let count = 0;
const interceptors = new Set<string>();

const stop = (name: string): void => {
  interceptors.delete(name);
  for (const client of [db, dbOnce]) client.middlewareStack.remove(name);
};

/** Removes all interceptors. */
export const stopIntercepting = (): void => interceptors.forEach(stop);

/**
 * Calls `around` for every request of the table's clients, below the SDK's own retries. The table sees the request only
 * when `around` calls `send`. Returns a function that removes the interceptor; the end of the test file removes it too.
 */
export const intercept = (around: (call: TableCall, send: Send) => Promise<unknown>): (() => void) => {
  const name = `interceptor${count++}`;
  interceptors.add(name);
  for (const client of [db, dbOnce])
    client.middlewareStack.add(
      (next, context) => (args) => {
        const operation = (context.commandName ?? '').replace(/Command$/, '');
        const isWrite = /^(Put|Update|Delete|BatchWrite|TransactWrite)/.test(operation);
        return around({ operation, input: args.input, isWrite }, () => next(args)) as ReturnType<typeof next>;
      },
      { step: 'finalizeRequest', priority: 'low', name },
    );
  return () => stop(name);
};

/**
 * Holds back the answers to the first reads of items whose key contains the text, until there are this many. Answers
 * like `intercept`.
 */
export const holdReads = (count: number, text: string): (() => void) => {
  let readers = 0;
  const allHaveRead = Promise.withResolvers<void>();
  return intercept(async ({ operation, input }, send) => {
    const answer = await send();
    if (operation !== 'GetItem' || !JSON.stringify(input).includes(text)) return answer;
    if (++readers === count) allHaveRead.resolve();
    await allHaveRead.promise;
    return answer;
  });
};

/** The scheduler decides the order in which requests leave and answers arrive. Returns a function that ends this. */
export const inOrderOf = (scheduler: Scheduler): (() => void) =>
  intercept(async ({ operation }, send) => {
    await scheduler.schedule(Promise.resolve(), `${operation} leaves`);
    try {
      return await send();
    } finally {
      await scheduler.schedule(Promise.resolve(), `${operation} is answered`);
    }
  });

const $metadata = {};

export const notSent = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
/** The status of an answer; `unknown` for a 503 that says that nobody knows whether the change was made. */
export const outcomeOf = ({ status, body }: { status: number; body: { detail?: string } }): number | 'unknown' =>
  status === 503 && body.detail === details.unknownEnd ? 'unknown' : status;

export const answerLost = () => Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
export const throttled = () => new ProvisionedThroughputExceededException({ message: 'Slow down.', $metadata });

/** The table's refusal of a request because another transaction is writing the same item. */
export const conflict = ({ operation, input }: TableCall) =>
  operation.startsWith('Transact')
    ? new TransactionCanceledException({
        message: 'Transaction cancelled.',
        CancellationReasons: input.TransactItems.map((_: unknown, index: number) => ({
          Code: index === 0 ? 'TransactionConflict' : 'None',
        })),
        $metadata,
      })
    : new TransactionConflictException({ message: 'Transaction is ongoing for the item.', $metadata });

/** Random numbers from 0 up to 1. The same seed gives the same numbers (mulberry32). */
export const randomFrom = (seed: number) => {
  let state = seed | 0;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
};

/**
 * Makes a part `rate` of the requests fail at random: not sent, answer lost, conflict or throttled. Queries of an index
 * sometimes repeat an earlier answer.
 */
export const injectFaults = (seed: number, rate: number): (() => void) => {
  const random = randomFrom(seed);
  const earlier = new Map<string, unknown>();
  return intercept(async (call, send) => {
    const fails = random() < rate;
    const how = Math.floor(random() * 4);
    if (call.input.IndexName) {
      const partition = JSON.stringify([call.input.IndexName, call.input.ExpressionAttributeValues]).slice(0, 80);
      const stale = earlier.get(partition);
      if (fails && stale) return stale;
      const answer = await send();
      earlier.set(partition, answer);
      return answer;
    }
    if (!fails) return send();
    if (how === 0) throw notSent();
    if (how === 1 && call.isWrite) throw conflict(call);
    if (how === 2 && call.isWrite) throw throttled();
    await send();
    throw answerLost();
  });
};
