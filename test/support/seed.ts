import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { marshall } from '@aws-sdk/util-dynamodb';
import { tableName } from '../../lib/table/client.ts';
import { type Item, put } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import { isInMemory, memoryTable } from './memory-db.ts';

/** The local engines read these headers but check no signature. */
export const anySignature = {
  'X-Amz-Date': '20260101T000000Z',
  Authorization:
    'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

const headers = {
  'X-Amz-Target': 'DynamoDB_20120810.TransactWriteItems',
  'Content-Type': 'application/x-amz-json-1.0',
  ...anySignature,
};

/** The most items in a transaction. The engine needs half as long for one as for four batches of 25. */
const together = 100;

function* inGroups(items: Iterable<object>): Generator<object[]> {
  let group: object[] = [];
  for (const item of items) {
    if (group.push(item) < together) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * Writes hundreds of thousands of items, each once. It bypasses the SDK, which spends more time on an item than the
 * engine does. `items` may be lazy, so that they are never all in memory.
 */
export const putAll = async (items: Iterable<object>): Promise<void> => {
  if (isInMemory) {
    const table = memoryTable(tableName());
    for (const item of items) table.transact([put(item as Item & Key)]);
    return;
  }
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const groups = inGroups(items);
  const write = async (): Promise<void> => {
    for (const group of groups) {
      const puts = group.map((item) => ({
        Put: { TableName: tableName(), Item: marshall(item, { removeUndefinedValues: true }) },
      }));
      // fetch refuses some ports, as browsers do, and the engine may have such a port.
      const sent = request(endpoint, { method: 'POST', headers }).end(JSON.stringify({ TransactItems: puts }));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const answer = await text(response);
      if (response.statusCode !== 200) throw new Error(answer);
    }
  };
  // One writer prepares a group while the engine works on the other's.
  await Promise.all([write(), write()]);
};
