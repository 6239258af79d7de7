import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { auditHistories } from '../../cli/kinds/audit-history.ts';
import { handler } from '../../functions/stream-consumer.ts';
import { consumerAccess } from '../../infra/permissions.ts';
import { tableName } from '../../lib/table/client.ts';
import { type Consumer, readStream } from '../../local/engines/stream.ts';
import { ensureTable } from '../../local/engines/table.ts';
import { asFunction } from './access.ts';
import { wholeTable } from './service.ts';

/** The consumer under its role in the stack. */
const consumer: Consumer = (event) => asFunction('stream-consumer', consumerAccess, () => handler(event));

/** Gives this file's table its stream. History knows what is written from then on. */
export const keepHistory = async (): Promise<void> => {
  const client = new DynamoDBClient({});
  await ensureTable(client, tableName());
  client.destroy();
};

const readers = new Map<string, ReturnType<typeof readStream>>();

/** Lets history catch up with all that was written to this file's table so far. */
export const catchUp = async (): Promise<void> => {
  const table = tableName();
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const reader = readers.get(table) ?? readStream({ endpoint, table, consumer });
  readers.set(table, reader);
  await reader.toEnd();
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
