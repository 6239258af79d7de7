import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { intercept } from '../../../../test/support/faults.ts';

/**
 * Carries out only a part of each transaction, and answers that all of it is done: a table that DynamoDB restored to a
 * point in time may hold such halves. `isKept` says of each write, by its place and key, whether the table has it.
 * Returns a function that ends this.
 */
export const halve = (isKept: (place: number, key: { pk: string; sk: string }) => boolean): (() => void) => {
  const client = new DynamoDBClient({});
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation !== 'TransactWriteItems') return send();
    const kept = input.TransactItems.filter((item: Record<string, Record<string, never>>, place: number) => {
      const [target = {}] = Object.values(item);
      const { pk, sk } = (target.Key ?? target.Item) as unknown as Record<'pk' | 'sk', { S: string }>;
      return isKept(place, { pk: pk.S, sk: sk.S });
    });
    if (kept.length > 0) await client.send(new TransactWriteItemsCommand({ TransactItems: kept }));
    return { output: { $metadata: {} }, response: {} };
  });
  return () => {
    stop();
    client.destroy();
  };
};
