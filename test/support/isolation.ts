import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { tableName } from '../../lib/table/client.ts';
import type { Key as TableKey } from '../../lib/table/schema.ts';
import { conflict, intercept, randomFrom, type TableCall } from './faults.ts';
import { isInMemory, memoryTable } from './memory-db.ts';

/**
 * The isolation that DynamoDB documents and no local engine shows. To a reader of single items, or of a query, the
 * items of a transaction appear one by one, in any order, before the transaction is answered. Meanwhile other writes of
 * these items, and transactional reads of them, are refused with a conflict. Or they are held until the transaction has
 * ended, like a retry that comes just then: their earlier reads are most dangerous to them. The items of a batch are
 * read one by one too.
 */

// biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of all commands, looked at member by member.
type Any = any;

/** Requests have the type of each value, as on the wire. Answers have plain values, as the client returns them. */
const nameOf = ({ pk, sk }: Any): string => `${pk.S ?? pk} ${sk.S ?? sk}`;

/** Shows each transaction's items one by one, within `longestMillis`. Returns a function that ends this. */
export const isolateAsDynamoDB = (seed: number, longestMillis = 6): (() => void) => {
  const random = randomFrom(seed);
  const client = new DynamoDBClient({});
  /** The items of running transactions, and their ends. */
  const held = new Map<string, Promise<void>>();
  /** The old items that readers still see. */
  const before = new Map<string, Any>();
  const read = async (Key: Any): Promise<Any> => {
    if (isInMemory) return memoryTable(tableName()).get(unmarshall(Key) as unknown as TableKey);
    const { Item } = await client.send(new GetItemCommand({ TableName: tableName(), Key, ConsistentRead: true }));
    return Item && unmarshall(Item);
  };
  const seen = (item: Any): Any => (before.has(nameOf(item)) ? before.get(nameOf(item)) : item);

  const untilFree = async (call: TableCall, keys: readonly Any[]): Promise<void> => {
    for (;;) {
      const end = keys.map((key) => held.get(nameOf(key))).find((each) => each !== undefined);
      if (!end) return;
      if (random() < 0.5) throw conflict(call);
      await end;
    }
  };

  const transact = async (call: TableCall, send: () => Promise<unknown>): Promise<unknown> => {
    const targets = call.input.TransactItems.map((item: Any) => Object.values<Any>(item)[0]);
    const keys = targets.map(({ Key, Item }: Any) => Key ?? { pk: Item.pk, sk: Item.sk });
    await untilFree(call, keys);
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const key of keys) held.set(nameOf(key), promise);
    try {
      await Promise.all(keys.map(async (key: Any) => before.set(nameOf(key), await read(key))));
      const answer = await send();
      await Promise.all(
        keys.map(async (key: Any) => {
          await sleep(Math.floor(random() * longestMillis));
          before.delete(nameOf(key));
        }),
      );
      return answer;
    } finally {
      for (const key of keys) {
        before.delete(nameOf(key));
        held.delete(nameOf(key));
      }
      resolve();
    }
  };

  const stop = intercept(async (call, send) => {
    const { operation, input, isWrite } = call;
    if (operation === 'TransactWriteItems') return transact(call, send);
    const keys =
      operation === 'TransactGetItems'
        ? input.TransactItems.map(({ Get }: Any) => Get.Key)
        : isWrite && operation !== 'BatchWriteItem' && [input.Key ?? input.Item];
    if (keys) {
      await untilFree(call, keys);
      return send();
    }
    const answer = await send();
    const { output } = answer;
    if (operation === 'BatchGetItem') {
      for (const [table, { Keys }] of Object.entries<Any>(input.RequestItems)) {
        const items = await Promise.all(
          Keys.map(async (key: Any) => {
            await sleep(Math.floor(random() * longestMillis));
            const item = await read(key);
            return before.has(nameOf(key)) ? before.get(nameOf(key)) : item;
          }),
        );
        output.Responses[table] = items.filter(Boolean);
      }
    }
    if (operation === 'GetItem') {
      const name = nameOf(input.Key);
      if (before.has(name)) output.Item = before.get(name);
    }
    if (operation === 'Query' && !input.IndexName) output.Items = output.Items?.map(seen).filter(Boolean);
    return answer;
  });
  return () => {
    stop();
    client.destroy();
  };
};
