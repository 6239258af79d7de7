import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { handler } from '../../functions/stream-consumer.ts';
import { consumerAccess } from '../../infra/permissions.ts';
import { streamSource } from '../../infra/stream.ts';
import { auditHistories } from '../../lib/operator/audit-history.ts';
import { tableName } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/schema.ts';
import { type Consumer, isWanted, readStream } from '../../local/engines/stream.ts';
import { ensureTable } from '../../local/engines/table.ts';
import { asFunction } from './access.ts';
import { isInMemory, memoryTable } from './memory-db.ts';
import { wholeTable } from './service.ts';
import { recordOf, shardBatch } from './stream-records.ts';

/** The consumer under its role in the stack. */
const consumer: Consumer = (event) => asFunction('stream-consumer', consumerAccess, () => handler(event));

/** Gives this file's table its stream. History knows what is written from then on. */
export const keepHistory = async (): Promise<void> => {
  if (isInMemory) {
    memoryTable(tableName()).stream ??= [];
    return;
  }
  const client = new DynamoDBClient({});
  await ensureTable(client, tableName());
  client.destroy();
};

type MemoryChange = NonNullable<ReturnType<typeof memoryTable>['stream']>[number];

const recordsInMemory = new WeakMap<MemoryChange, ReturnType<typeof recordOf>>();

/** The record of a change: the same record, with the same number, however often it comes. */
const recordIn = (change: MemoryChange): ReturnType<typeof recordOf> => {
  const { before, after, at } = change;
  const record = recordsInMemory.get(change) ?? recordOf(before as Key | undefined, after as Key | undefined, at);
  recordsInMemory.set(change, record);
  return record;
};

/** Hands a consumer the records of the changes so far, in their order and as its event source does. */
const consumeAll = async (name: string, to: Consumer): Promise<void> => {
  const { stream } = memoryTable(name);
  if (!stream) throw new Error('The table has no stream: see keepHistory.');
  while (stream.length > 0) {
    const some = stream.slice(0, streamSource.batchSize);
    const Records = some.map(recordIn).filter((record) => isWanted(record));
    const { batchItemFailures } = Records.length > 0 ? await to(shardBatch(Records)) : { batchItemFailures: [] };
    if (batchItemFailures.length > 0) throw new Error('The consumer of the stream failed.');
    stream.splice(0, some.length);
  }
};

/** Follows the stream of this file's table in memory until it is stopped, as `followStream` does an engine's. */
export const followMemory = (to: Consumer): { stop: () => Promise<void> } => {
  const name = tableName();
  let round: Promise<void> = Promise.resolve();
  const goOn = (): Promise<void> => {
    // Records of a batch that failed come again.
    round = round.then(() => consumeAll(name, to)).catch(() => undefined);
    return round;
  };
  const timer = setInterval(goOn, 100);
  return {
    stop: async () => {
      clearInterval(timer);
      await goOn();
    },
  };
};

const readers = new Map<string, ReturnType<typeof readStream>>();

/** Lets history catch up with all that was written to this file's table so far. */
export const catchUp = async (): Promise<void> => {
  const table = tableName();
  if (isInMemory) return consumeAll(table, consumer);
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const reader = readers.get(table) ?? readStream({ endpoint, table, consumer });
  readers.set(table, reader);
  await reader.toEnd();
};

/** Hands a consumer all records of this file's table that no other has taken. */
export const readAll = async (to: Consumer): Promise<void> => {
  const table = tableName();
  if (isInMemory) return consumeAll(table, to);
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  await readStream({ endpoint, table, consumer: to }).toEnd();
};

/**
 * Lets history catch up, and expects that it is whole for every customer of this file's table. Answers the table's
 * items.
 */
export const expectHistory = async (): Promise<Record<string, unknown>[]> => {
  await catchUp();
  const items = await wholeTable();
  for (const ofStore of Map.groupBy(items, ({ pk }) => String(pk).split('#')[0]).values())
    expect(auditHistories(ofStore)).toEqual([]);
  return items;
};
