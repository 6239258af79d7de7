import { handler } from '../../functions/stream-consumer.ts';
import { consumerAccess } from '../../infra/permissions.ts';
import { tableName } from '../../lib/table/client.ts';
import { type Consumer, readStream } from '../../local/stream.ts';
import { asFunction } from './access.ts';

/** The consumer under its role in the stack. */
const consumer: Consumer = (event) => asFunction('stream-consumer', consumerAccess, () => handler(event));

const readers = new Map<string, ReturnType<typeof readStream>>();

/** Lets history catch up with all that was written to this file's table so far. */
export const catchUp = async (): Promise<void> => {
  const table = tableName();
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const reader = readers.get(table) ?? readStream({ endpoint, table, consumer });
  readers.set(table, reader);
  await reader.toEnd();
};
