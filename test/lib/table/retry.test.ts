import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import { check, exists, isNew, put, update, type Write } from '../../../lib/table/language.ts';
import { getTogether, transact, write } from '../../../lib/table/table.ts';
import { answerLost, conflict, intercept, type TableCall, throttled } from '../../support/faults.ts';

/** How often a call is sent that the table refuses, and how that ends. */

const key = { pk: 'retry#KIND', sk: 'one' };

let stop = () => {};
beforeAll(() => {
  // Without jitter, retries do not wait.
  source.random = () => 0;
});
afterEach(() => stop());

/** Refuses each call as `fail` says, given its number from 1. Answers the calls, to be looked at later. */
const refuse = (fail: (call: TableCall, number: number) => Error): TableCall[] => {
  const calls: TableCall[] = [];
  stop = intercept(async (call) => {
    calls.push(call);
    throw fail(call, calls.length);
  });
  return calls;
};

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled.',
    CancellationReasons: codes.map((Code) => ({ Code })),
    $metadata: {},
  });

const inProgress = () => new TransactionInProgressException({ message: 'The transaction is running.', $metadata: {} });

const setName = (when = exists): Write => update(key, { set: { name: 'new' }, when });
const addOne = (): Write => update(key, { add: { count: 1 } });
const another: Write = check({ pk: 'retry#KIND', sk: 'two' }, exists);

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: Error & { status?: number }) => error.status ?? error.name,
  );

const together = () => transact([setName(), another]);

const refusals: [string, () => Promise<unknown>, (call: TableCall, number: number) => Error, unknown, number][] = [
  ['a transaction that conflicts', together, conflict, 503, 20],
  ['a single write that conflicts with a transaction', () => write(setName()), conflict, 503, 20],
  ['a new item that conflicts with a transaction', () => write(put({ ...key }, isNew)), conflict, 503, 20],
  ['an addition that conflicts with a transaction', () => write(addOne()), conflict, 503, 20],
  [
    'a look at one moment that conflicts with writers',
    () => getTogether([key, { ...key, sk: 'two' }]),
    conflict,
    503,
    20,
  ],
  ['a transaction without capacity', together, throttled, 503, 8],
  ['a single write without capacity', () => write(setName()), throttled, 503, 8],
  [
    'a conflict where capacity is missing too',
    together,
    () => cancelled('TransactionConflict', 'ThrottlingError'),
    503,
    8,
  ],
  [
    'as many conflicts as want of capacity',
    together,
    (call, number) => (number % 2 ? conflict(call) : throttled()),
    503,
    16,
  ],
  [
    'a condition that refuses, beside a conflict',
    together,
    () => cancelled('ConditionalCheckFailed', 'TransactionConflict'),
    'done',
    1,
  ],
  ['a transaction that is still running', together, inProgress, 'UnansweredError', 3],
  ['a transaction without an answer', together, answerLost, 'UnansweredError', 3],
  ['an addition without an answer', () => write(addOne()), answerLost, 'UnansweredError', 1],
  [
    'an addition that conflicts first and is not answered then',
    () => write(addOne()),
    (call, number) => (number < 5 ? conflict(call) : answerLost()),
    'UnansweredError',
    5,
  ],
  [
    'a transaction that is not answered, and conflicts from then on',
    together,
    (call, number) => (number === 1 ? answerLost() : conflict(call)),
    'UnansweredError',
    21,
  ],
];

test.each(refusals)('%s', async (_, work, fail, expected, attempts) => {
  const calls = refuse(fail);

  const outcome = await outcomeOf(work());

  expect([outcome, calls.length]).toEqual([expected, attempts]);
  const tokens = new Set(calls.map(({ input }) => input.ClientRequestToken));
  expect(tokens.size).toBe(1);
});
