import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handler } from '../../../functions/stream-consumer.ts';
import type { HistoryRow } from '../../../lib/credit/history.ts';
import { tableName } from '../../../lib/table/client.ts';
import { startEngine } from '../../../local/engines/engine.ts';
import { followStream, readStream, type StreamPlace } from '../../../local/engines/stream.ts';
import { ensureTable } from '../../../local/engines/table.ts';
import { randomFrom } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { freshTable, wholeTable } from '../../support/service.ts';
import { type MadeUpChange, makeUpChanges } from '../../support/stream-records.ts';

const uuids = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222'];

let client: DynamoDBClient;
beforeEach(async () => {
  await freshTable();
  await keepHistory();
  client = new DynamoDBClient({});
});
afterEach(() => client.destroy());

/** Writes what a change left. */
const write = async ({ records }: MadeUpChange, to = client): Promise<void> => {
  for (const { dynamodb } of records)
    await to.send(new PutItemCommand({ TableName: tableName(), Item: dynamodb?.NewImage as never }));
};

const changes = (count: number): MadeUpChange[] =>
  Array.from({ length: count }, makeUpChanges(randomFrom(7), 'Store1', uuids));

/** The rows of history in the table, by their keys. */
const rows = async (): Promise<Record<string, HistoryRow>> => {
  const items = (await wholeTable()) as unknown as (HistoryRow & { pk: string; sk: string; record: string })[];
  return Object.fromEntries(
    items.flatMap(({ pk, sk, record: _, ...row }) => (pk.includes('#HISTORY#') ? [[`${pk} ${sk}`, row]] : [])),
  );
};

const rowsOf = (all: readonly MadeUpChange[]) =>
  Object.fromEntries(
    all.flatMap((change) =>
      change.rows.map(({ key, row, parts }) => [
        `${key.pk} ${key.sk}`,
        { ...row, ...(parts.length > 0 && { lots: parts }) },
      ]),
    ),
  );

const endpoint = (): string => process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';

test('makes history of what was written, under the role of the consumer', async () => {
  const [first, ...rest] = changes(40);
  await write(first as MadeUpChange);
  await catchUp();
  for (const change of rest) await write(change);

  await catchUp();

  expect(await rows()).toEqual(rowsOf([first as MadeUpChange, ...rest]));
});

test('goes on where an earlier reader stopped, and changes nothing where it begins anew', async () => {
  const [first, ...rest] = changes(10);
  let consumed = 0;
  const reader = (place?: StreamPlace) =>
    readStream({
      endpoint: endpoint(),
      table: tableName(),
      place,
      consumer: (event) => {
        consumed += event.Records.length;
        return handler(event);
      },
    });
  await write(first as MadeUpChange);
  const earlier = reader();
  await earlier.toEnd();
  for (const change of rest) await write(change);
  const wanted = rest.reduce((sum, { records }) => sum + records.length, 0);

  consumed = 0;
  await reader(earlier.place()).toEnd();

  expect(consumed).toBe(wanted);
  const made = await wholeTable();
  await reader().toEnd();
  expect(await wholeTable()).toEqual(made);
});

test('does not pass over a record that the consumer reports as failed, and hands over no earlier one again', async () => {
  const all = changes(3);
  for (const change of all) await write(change);
  let calls = 0;
  const again: number[] = [];
  const reader = readStream({
    endpoint: endpoint(),
    table: tableName(),
    consumer: async (event) => {
      calls += 1;
      if (calls > 1) again.push(event.Records.length);
      if (calls > 1) return handler(event);
      await handler({ ...event, Records: event.Records.slice(0, -1) });
      return { batchItemFailures: [{ itemIdentifier: event.Records.at(-1)?.dynamodb?.SequenceNumber ?? '' }] };
    },
  });

  await expect(reader.toEnd()).rejects.toThrow('failed at 1 of');
  const reached = reader.place();
  await reader.toEnd();

  // It can be kept: a reader that begins there has the failed record before it.
  expect(Object.keys(reached.shards)).toHaveLength(1);
  expect(again).toEqual([1]);
  expect(await rows()).toEqual(rowsOf(all));
});

test('misses no record where the engine ends and is started again, and the reader with it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'stream-'));
  const given = endpoint();
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  const all = changes(30);
  const consumed = new Set<string>();
  let place: StreamPlace | undefined;
  const live = async (some: readonly MadeUpChange[], engineEndsFirst: boolean): Promise<void> => {
    const engine = await startEngine(dir);
    const own = new DynamoDBClient({ endpoint: engine.endpoint });
    await ensureTable(own, tableName());
    const stream = followStream({
      endpoint: engine.endpoint,
      table: tableName(),
      consumer: async ({ Records }) => {
        for (const { dynamodb } of Records) consumed.add(inspect(dynamodb?.NewImage, { depth: 9, sorted: true }));
        return { batchItemFailures: [] };
      },
      place,
      onPlace: (reached) => {
        place = structuredClone(reached);
      },
    });
    for (const change of some) await write(change, own);
    own.destroy();
    if (engineEndsFirst) await engine.stop();
    await stream.stop();
    await engine.stop();
  };
  try {
    await live(all.slice(0, 15), true);
    await live(all.slice(15), false);
  } finally {
    process.env.AWS_ENDPOINT_URL_DYNAMODB = given;
    rmSync(dir, { recursive: true, force: true });
  }

  const images = all.flatMap(({ records }) => records.map(({ dynamodb }) => dynamodb?.NewImage));
  expect(consumed).toEqual(new Set(images.map((image) => inspect(image, { depth: 9, sorted: true }))));
});

test('a reader that leaves a stream under steady writes hands over to the next: each record is consumed once', async () => {
  const all = changes(60);
  const consumed: string[] = [];
  let place: StreamPlace | undefined;
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const options = { endpoint, table: tableName() };
  const note = (records: readonly DynamoDBRecord[]): void => {
    consumed.push(...records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? ''));
  };
  const started = Promise.withResolvers<void>();
  const rest = all.values();
  const stream = followStream({
    ...options,
    consumer: async ({ Records }) => {
      note(Records);
      // Each batch makes another one.
      const next = rest.next().value;
      if (next) await write(next);
      started.resolve();
      return { batchItemFailures: [] };
    },
    onPlace: (reached) => {
      place = structuredClone(reached);
    },
  });
  await write(rest.next().value as MadeUpChange);
  await started.promise;

  await stream.leave();
  const left = [...rest];
  for (const change of left) await write(change);
  const consumer = async ({ Records }: { Records: DynamoDBRecord[] }) => {
    note(Records);
    return { batchItemFailures: [] };
  };
  await readStream({ ...options, place, consumer }).toEnd();

  expect(left.length).toBeGreaterThan(0);
  expect(consumed.length).toBe(all.flatMap(({ records }) => records).length);
  expect(new Set(consumed).size).toBe(consumed.length);
});
