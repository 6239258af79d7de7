import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Kind } from '../routes/route.ts';
import { count, refuseIfOver } from './meter.ts';

/** The table's keys. The stack, the local engine and the tests make the table from these constants. */
export const tableKey = { partition: 'pk', sort: 'sk' } as const;

/** The attribute by which DynamoDB collects garbage, in seconds since 1970. No rule of the contract relies on it. */
export const ttlAttribute = 'ttl';

interface Index {
  readonly partition: string;
  readonly sort: string;
  /** Attributes held beside the keys. */
  readonly include: readonly string[];
}

/**
 * The indexes. All are sparse: an item is in one only while it has the index's partition attribute, and a change that
 * touches none of these attributes writes to no index.
 */
export const indexes = {
  /** Lists that are narrowed by flags: one partition per combination of flags, in the order of the row's id. */
  byFlags: { partition: 'flags', sort: 'sk', include: [] },
  /** Lists in an order of their own: an owner's coupons and gift cards, customers by spend, deliveries by state. */
  byRank: { partition: 'ranked', sort: 'rank', include: [] },
  /** The folded text of active products, so that a search does not read the products. */
  byText: { partition: 'texts', sort: 'sk', include: ['text'] },
  /** Customers by the time at which their next credit lot comes due. */
  byDue: { partition: 'dues', sort: 'due', include: [] },
} as const satisfies Record<string, Index>;

export type IndexName = keyof typeof indexes;

/** The table of this deployment. */
export const tableName = (): string => process.env.TABLE_NAME ?? 'store-integration-service';

/** The partition of a store's items of one kind, or of a part of them. */
export const partition = (store: string, kind: Kind, part?: string): string =>
  part === undefined ? `${store}#${kind}` : `${store}#${kind}#${part}`;

/** The key of an item that all stores share. */
export const sharedKey = (kind: Kind, id: string) => ({ pk: `${kind}#${id}`, sk: `${kind}#${id}` });

interface Capacity {
  CapacityUnits?: number;
}

const unitsOf = ({ output }: { output: object }): number => {
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Capacity | Capacity[] };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
};

/**
 * The operator's command sets this before anything else. No caller waits for it as one waits for an endpoint, and a run
 * of many minutes, perhaps over a home's network, has to outlast a slow moment.
 */
const isPatient = process.env.TABLE_PATIENCE === 'long';
const patience = isPatient ? 10 : 1;

const connect = (attempts: number): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({
    maxAttempts: attempts,
    // Without throwing, the SDK would only warn of a time-out, and wait on.
    requestHandler: {
      connectionTimeout: patience * 3000,
      requestTimeout: patience * 5000,
      throwOnRequestTimeout: true,
    },
  });
  // For a logger, which is not there, it copies every input and answer: a fifth of the work on a page of 1,000 rows.
  client.middlewareStack.remove('loggerMiddleware');
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
      return count(() => next(args), unitsOf);
    },
    { step: 'initialize', name: 'meter' },
  );
  // Asked before each attempt of a call: the SDK's own retries may come long after the request's time ran out.
  client.middlewareStack.add(
    (next) => async (args) => {
      refuseIfOver();
      return next(args);
    },
    { step: 'finalizeRequest', name: 'over' },
  );
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};

/** The client that every entity sends its commands with. Each command's cost is counted in the request's meter. */
export const db = connect(isPatient ? 8 : 3);

/**
 * The same without the SDK's own retries, for writes that must not be sent twice: where the answer to such a write is
 * lost, sending it again would do it again. (A transaction may be: its token makes the second one harmless.)
 */
export const dbOnce = connect(1);

/** Reads one item by its key, as it is now. `T` is what is stored under such a key; undefined if nothing is. */
export const findItem = async <T extends object>(key: { pk: string; sk: string }): Promise<T | undefined> => {
  const { Item } = await db.send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true }));
  return Item as T | undefined;
};
