import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { db, dbOnce } from '../../../lib/table/client.ts';

test('copies no answers for a missing logger, as the SDK would', () => {
  const logs = ({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>) =>
    middlewareStack.identify().filter((name) => name.startsWith('loggerMiddleware'));

  const plain = new DynamoDBClient({});

  expect(logs(plain)).toHaveLength(1);
  expect([...logs(db), ...logs(dbOnce)]).toEqual([]);
});
