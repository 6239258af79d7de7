import { marshall } from '@aws-sdk/util-dynamodb';
import { tableName } from '../../lib/store/table.ts';

/** The local engines read these headers but check no signature. */
const headers = {
  'X-Amz-Target': 'DynamoDB_20120810.BatchWriteItem',
  'Content-Type': 'application/x-amz-json-1.0',
  'X-Amz-Date': '20260101T000000Z',
  Authorization:
    'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

const batchSize = 25;

/** Writes items by the hundred thousand: past the SDK, whose work on each item takes longer than the engine's. */
export const putAll = async (items: Record<string, unknown>[]): Promise<void> => {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const writers = 2;
  const write = async (writer: number): Promise<void> => {
    for (let start = writer * batchSize; start < items.length; start += writers * batchSize) {
      const puts = items.slice(start, start + batchSize).map((item) => ({ PutRequest: { Item: marshall(item) } }));
      const body = JSON.stringify({ RequestItems: { [tableName()]: puts } });
      const response = await fetch(endpoint, { method: 'POST', headers, body });
      const answer = await response.text();
      if (!response.ok || !answer.includes('"UnprocessedItems":{}')) throw new Error(answer);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
};
