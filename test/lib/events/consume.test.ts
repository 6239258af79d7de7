import type { DynamoDBRecord } from 'aws-lambda';
import { expect, onTestFinished, test } from 'vitest';
import { newId, source } from '../../../lib/clock.ts';
import { consume, type StoreBatch } from '../../../lib/events/consume.ts';
import { knownShape } from '../../../lib/shape.ts';
import { BusyError, UnansweredError } from '../../../lib/table/engine.ts';
import { customerKey, vendorKey } from '../../../lib/table/keys.ts';
import { engine } from '../../../lib/table/table.ts';
import { logLines } from '../../support/log.ts';
import { recordOf, shardBatch } from '../../support/stream-records.ts';

const ada = '11111111-1111-1111-1111-111111111111';
const writtenAt = 1_790_000_000_000;

/** The record of a new customer of a store, as a consumer remembers it: with an id. */
const customerOf = (store: string, more: object = {}): DynamoDBRecord => ({
  ...recordOf(undefined, { ...customerKey(store, ada), username: 'ada', ...more } as never, writtenAt),
  eventID: newId(),
});

const numberOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.SequenceNumber ?? '';

/** A consumer that keeps what each store is given, and fails for some stores. */
const consumerThatFailsFor = (...failing: string[]) => {
  const seen: (Pick<StoreBatch, 'store' | 'shard'> & { numbers: string[]; countable: string[] })[] = [];
  const consumer = async (records: DynamoDBRecord[], more: { isSentAgain?: boolean } = {}) => {
    const { batchItemFailures } = await consume(
      { ...shardBatch(records, 'shard-1'), eventSourceARN: 'arn', ...more },
      async ({ store, shard, records: some, mayCount }) => {
        const numbers = some.map(({ from }) => numberOf(from));
        const countable = some.filter(mayCount).map(({ from }) => numberOf(from));
        seen.push({ store, shard, numbers, countable });
        if (failing.includes(store)) throw new Error(`${store} fails.`);
      },
    );
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { seen, consumer };
};

test('each store gets its own records, with the name of their shard', async () => {
  const records = [customerOf('Store1'), customerOf('Store2'), customerOf('Store1')];
  const [first, second, third] = records.map(numberOf);
  const { seen, consumer } = consumerThatFailsFor();

  const failed = await consumer(records);

  expect(failed).toEqual([]);
  expect(seen).toEqual([
    { store: 'Store1', shard: 'arn shard-1', numbers: [first, third], countable: [first, third] },
    { store: 'Store2', shard: 'arn shard-1', numbers: [second], countable: [second] },
  ]);
});

test('a store that fails has its records come back, and the others are not processed again', async () => {
  const records = [customerOf('Store1'), customerOf('Store2'), customerOf('Store1')];
  const [first, , third] = records.map(numberOf);

  const failed = await consumerThatFailsFor('Store1').consumer(records);
  const again = consumerThatFailsFor();
  const failedAgain = await again.consumer(records);

  expect(failed).toEqual([first, third]);
  expect(logLines.at(-1)).toMatchObject({ history: 'failed', stack: expect.stringContaining('Store1 fails.') });
  expect(failedAgain).toEqual([]);
  expect(again.seen.map(({ store, numbers }) => ({ store, numbers }))).toEqual([
    { store: 'Store1', numbers: [first, third] },
  ]);
});

test('a record of a later version comes back for a quarter of an hour, and days count no record behind it', async () => {
  const { now } = source;
  onTestFinished(() => {
    source.now = now;
  });
  source.now = () => writtenAt + 14 * 60_000;
  const records = [customerOf('Store1'), customerOf('Store1', { shape: knownShape + 1 }), customerOf('Store1')];
  const [first, later, third] = records.map(numberOf);
  const { seen, consumer } = consumerThatFailsFor();

  const failed = await consumer(records);
  await consumer(records);

  expect(failed).toEqual([later]);
  expect(seen.map(({ numbers, countable }) => ({ numbers, countable }))).toEqual([
    { numbers: [first, third], countable: [first] },
    // The one behind it comes again, since no day has counted it.
    { numbers: [third], countable: [] },
  ]);
});

test.each([BusyError, UnansweredError])(
  'a record whose event the table keeps waiting comes back: $name',
  async (fault) => {
    onTestFinished(() => {
      delete engine.getSome;
    });
    engine.getSome = () => Promise.reject(new fault(new Error('Slow down.')));
    const vendor = recordOf(
      undefined,
      { ...vendorKey('Store1', ada), seenAt: '2026-09-21T00:00:00.000Z', productId: newId() } as never,
      writtenAt,
    );
    const records = [customerOf('Store1'), vendor, customerOf('Store1')];
    const [first, waiting, third] = records.map(numberOf);
    const { seen, consumer } = consumerThatFailsFor();

    const failed = await consumer(records);

    expect(failed).toEqual([waiting]);
    expect(seen).toMatchObject([{ numbers: [first, third], countable: [first] }]);
    expect(logLines.at(-1)).toMatchObject({ history: 'failed', stack: expect.stringContaining('Slow down.') });
  },
);

test('days count no record that a person sends again', async () => {
  const record = customerOf('Store1');
  const { seen, consumer } = consumerThatFailsFor();

  const failed = await consumer([record], { isSentAgain: true });

  expect(failed).toEqual([]);
  expect(seen).toMatchObject([{ numbers: [numberOf(record)], countable: [] }]);
});
