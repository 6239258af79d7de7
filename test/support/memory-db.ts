import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { db, dbOnce } from '../../lib/table/client.ts';
import type { Item, Write } from '../../lib/table/language.ts';
import { type IndexName, indexes, type Key, tableKey } from '../../lib/table/schema.ts';
import { MemoryTable, nameOf, type Written } from '../lib/table/memory.ts';
import { read } from './expressions.ts';
import { sizeOf } from './item-size.ts';

/**
 * DynamoDB in this process, for tests that need only what the table promises: a table in memory carries out the
 * commands of the clients in lib/table/client.ts. The clients' stack stays: meter, retries, interceptors and roles see
 * the same calls, inputs and answers. `same-answers.test.ts` compares it with the engine.
 */

// biome-ignore lint/suspicious/noExplicitAny: inputs of all commands, looked at member by member.
type Any = any;

/** The test file asked for tables in memory: see vitest.config.ts. */
export const isInMemory = process.env.TEST_TABLES === 'memory';

/** A page ends with the row that makes it larger than this. */
const pageBytes = 1 << 20;

/** A table that finds the rows of an index without looking at each item, and may keep a stream. */
class IndexedTable extends MemoryTable {
  readonly #rows = new Map<string, Map<string, Item>>();
  readonly tokens = new Set<string>();
  /** The images of each change since there is a stream, and when it was made by the machine's clock. */
  stream: (Written & { at: number })[] | undefined;

  protected override candidates(partition: string, index: IndexName | undefined): Iterable<Item> {
    return index ? (this.#rows.get(`${index} ${partition}`)?.values() ?? []) : super.candidates(partition, index);
  }

  protected override tieOf({ pk, sk }: Item): string {
    return `${pk}\n${sk}`;
  }

  override set(key: Key, after: Item | undefined): void {
    const before = this.get(key);
    for (const [index, { partition, sort }] of Object.entries(indexes)) {
      const placeOf = (item: Item | undefined): string | undefined =>
        item?.[partition] === undefined || item[sort] === undefined ? undefined : `${index} ${item[partition]}`;
      const [from, to] = [placeOf(before), placeOf(after)];
      if (from !== undefined && from !== to) this.#rows.get(from)?.delete(nameOf(key));
      if (to === undefined || !after) continue;
      const rows = this.#rows.get(to) ?? new Map<string, Item>();
      this.#rows.set(to, rows.set(nameOf(key), after));
    }
    super.set(key, after);
    if (this.stream && !isDeepStrictEqual(before, after)) this.stream.push({ key, before, after, at: Date.now() });
  }
}

const tables = new Map<string, IndexedTable>();

/** The table with this name. It is there from the first time that somebody asks for it. */
export const memoryTable = (name: string): IndexedTable => {
  const table = tables.get(name) ?? new IndexedTable();
  tables.set(name, table);
  return table;
};

export const forgetTables = (): void => tables.clear();

const $metadata = {};
const invalid = (message: string): Error =>
  Object.assign(new Error(message), { name: 'ValidationException', $fault: 'client', $metadata });

const asWire = (item: Item) => marshall(item, { removeUndefinedValues: true });

/** The faults of an item, or of an item's key, that DynamoDB refuses. */
const demandValid = (item: Item): void => {
  for (const name of [tableKey.partition, tableKey.sort])
    if (typeof item[name] !== 'string' || item[name] === '') throw invalid(`The key ${name} of an item is missing.`);
  for (const { partition, sort } of Object.values(indexes))
    for (const name of [partition, sort])
      if (item[name] !== undefined && (typeof item[name] !== 'string' || item[name] === ''))
        throw invalid(`The attribute ${name} is an index's key, so it must be a text that is not empty.`);
  if (sizeOf(item) > 400 * 1024) throw invalid('Item size has exceeded the maximum allowed size');
};

const writeOf = (kind: string, input: Any): Write => {
  const { when, change = {} } = read(input);
  const { Key: key, Item: item } = input;
  if (kind === 'Put') return { kind: 'put', item, when };
  if (kind === 'Update') return { kind: 'update', key, change: { ...change, when } };
  if (kind === 'Delete') return { kind: 'remove', key, when };
  return { kind: 'check', key, when: when ?? { all: [] } };
};

const blocks = (bytes: number, size: number): number => Math.max(1, Math.ceil(bytes / size));
const readUnits = (bytes: number, isConsistent: boolean): number => blocks(bytes, 4096) / (isConsistent ? 1 : 2);
const itemBytes = (item: Item | undefined): number => (item ? sizeOf(item) : 0);

/** The row of an index: its attributes, undefined if the item is not in it. */
const rowOf = (item: Item | undefined, name: IndexName): Item | undefined => {
  const { partition, sort, include } = indexes[name];
  if (item?.[partition] === undefined || item[sort] === undefined) return undefined;
  return Object.fromEntries(['pk', 'sk', partition, sort, ...include].map((each) => [each, item[each]]));
};

/**
 * A write costs twice as much in a transaction, but not in its indexes. An index costs one for a row that changes, and
 * two for a row that moves: it is removed and put.
 */
const writeUnits = ({ before, after }: Written, times: number): number => {
  let units = times * blocks(Math.max(itemBytes(before), itemBytes(after)), 1024);
  for (const name of Object.keys(indexes) as IndexName[]) {
    const [from, to] = [rowOf(before, name), rowOf(after, name)];
    if (isDeepStrictEqual(from, to)) continue;
    const { partition, sort } = indexes[name];
    const stays = from && to && from[partition] === to[partition] && from[sort] === to[sort];
    if (stays) units += blocks(Math.max(itemBytes(from), itemBytes(to)), 1024);
    else for (const row of [from, to]) units += row ? blocks(itemBytes(row), 1024) : 0;
  }
  return units;
};

const capacity = (CapacityUnits: number) => ({ ConsumedCapacity: { CapacityUnits } });

/** Carries out writes together. Answers the failure that DynamoDB throws of the refusals, or the units. */
const carryOut = (table: IndexedTable, writes: readonly Write[], times = 1) => {
  const result = table.transact(writes);
  if ('refusals' in result) return result;
  try {
    for (const { after } of result.written) if (after) demandValid(after);
  } catch (error) {
    for (const { key, before } of result.written) table.set(key, before);
    throw error;
  }
  const { written } = result;
  return { written, units: written.reduce((sum, one) => sum + writeUnits(one, times), 0) };
};

const writeAlone =
  (kind: 'Put' | 'Update' | 'Delete') =>
  (table: IndexedTable, input: Any): object => {
    const write = writeOf(kind, input);
    demandValid(write.kind === 'put' ? write.item : input.Key);
    const result = carryOut(table, [write]);
    if ('refusals' in result) {
      const found = result.refusals[0]?.item;
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata,
        ...(found && input.ReturnValuesOnConditionCheckFailure && { Item: asWire(found) }),
      });
    }
    const { after } = result.written[0] as Written;
    return { ...capacity(result.units), ...(input.ReturnValues === 'ALL_NEW' && { Attributes: { ...after } }) };
  };

const demandDifferent = (keys: readonly Key[], most: number): void => {
  if (keys.length === 0 || keys.length > most) throw invalid(`A call takes 1 to ${most} items, not ${keys.length}.`);
  if (new Set(keys.map(nameOf)).size < keys.length) throw invalid('A call names one item more than once.');
  for (const key of keys) demandValid({ pk: key.pk, sk: key.sk });
};

const transactWrite = (table: IndexedTable, { TransactItems, ClientRequestToken: token }: Any): object => {
  const parts = TransactItems.map((one: Any) => Object.entries<Any>(one)[0]) as [string, Any][];
  const writes = parts.map(([kind, input]) => writeOf(kind, input));
  demandDifferent(
    parts.map(([, { Key, Item: item }]) => Key ?? item),
    100,
  );
  if (token !== undefined && table.tokens.has(token)) return { ConsumedCapacity: [] };
  const result = carryOut(table, writes, 2);
  if ('refusals' in result)
    throw new TransactionCanceledException({
      message: 'Transaction cancelled',
      $metadata,
      CancellationReasons: result.refusals.map(({ refused, item }, place) => ({
        Code: refused ? 'ConditionalCheckFailed' : 'None',
        ...(refused && item && parts[place]?.[1].ReturnValuesOnConditionCheckFailure && { Item: asWire(item) }),
      })),
    });
  if (token !== undefined) table.tokens.add(token);
  const checked = writes.flatMap((write) => (write.kind === 'check' ? [table.get(write.key)] : []));
  const checks = checked.reduce((sum, item) => sum + blocks(itemBytes(item), 1024), 0);
  return { ConsumedCapacity: [{ CapacityUnits: result.units + 2 * checks }] };
};

const query = (table: IndexedTable, input: Any): object => {
  const { key = [], filter } = read(input);
  const index = input.IndexName as IndexName | undefined;
  const { partition: hash, sort } = index ? indexes[index] : tableKey;
  const boundOf = (is: string): string | undefined =>
    key.find((part) => part.attribute === sort && part.is === is)?.value as string | undefined;
  const one = key.find(({ attribute }) => attribute === hash);
  if (one?.is !== '=') throw invalid('Query condition missed key schema element');
  const { items } = table.query({
    partition: String(one.value),
    index,
    descending: input.ScanIndexForward === false,
    first: boundOf('>='),
    last: boundOf('<='),
    limit: input.Limit,
    after: input.ExclusiveStartKey,
  });
  let bytes = 0;
  let count = 0;
  while (count < items.length && bytes <= pageBytes) bytes += sizeOf(items[count++] as Item);
  const rows = items.slice(0, count);
  // DynamoDB stops at the limit without a look at what follows.
  const last = count < items.length || count === input.Limit ? rows.at(-1) : undefined;
  const passes = (item: Item): boolean =>
    !filter || filter.some(({ attribute, text }) => String(item[attribute] ?? '').includes(text));
  const Items = rows.filter(passes);
  return {
    Items,
    Count: Items.length,
    ScannedCount: count,
    ...(last && { LastEvaluatedKey: Object.fromEntries(['pk', 'sk', hash, sort].map((name) => [name, last[name]])) }),
    ...capacity(readUnits(bytes, input.ConsistentRead === true)),
  };
};

const picked = (item: Item, attributes: readonly string[] | undefined): Item =>
  attributes
    ? Object.fromEntries(attributes.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]))
    : { ...item };

const scan = (table: IndexedTable, input: Any): object => {
  const { filter = [], attributes } = read(input);
  const ofPartition = filter.filter(({ attribute }) => attribute === 'pk');
  const passes = (item: Item, filters: typeof filter): boolean =>
    filters.every(({ kind, attribute, text }) => {
      const value = String(item[attribute] ?? '');
      return kind === 'begins' ? value.startsWith(text) : value.includes(text);
    });
  const items = [...table.partitions]
    .flatMap(([pk, rows]) => (passes({ pk }, ofPartition) ? [...rows.values()] : []))
    .filter((item) => passes(item, filter));
  items.sort((a, b) => (nameOf(a as Any) < nameOf(b as Any) ? -1 : 1));
  return { Items: items.map((item) => picked(item, attributes)), ...capacity(1) };
};

const onlyTable = (requests: Record<string, Any>): [string, Any] => Object.entries(requests)[0] as [string, Any];

const operations: Record<string, (table: IndexedTable, input: Any) => object> = {
  GetItem: (table, { Key, ConsistentRead = false }) => {
    demandValid(Key);
    const item = table.get(Key);
    return { ...(item && { Item: item }), ...capacity(readUnits(itemBytes(item), ConsistentRead)) };
  },
  BatchGetItem: (table, { RequestItems }) => {
    const [name, { Keys, ConsistentRead = false, ...expressions }] = onlyTable(RequestItems);
    demandDifferent(Keys, 100);
    const { attributes } = read(expressions);
    const found = Keys.map((key: Key) => table.get(key)) as (Item | undefined)[];
    const units = found.reduce((sum, item) => sum + readUnits(itemBytes(item), ConsistentRead), 0);
    return {
      Responses: { [name]: found.flatMap((item) => (item ? [picked(item, attributes)] : [])) },
      UnprocessedKeys: {},
      ConsumedCapacity: [{ CapacityUnits: units }],
    };
  },
  TransactGetItems: (table, { TransactItems }) => {
    const keys = TransactItems.map(({ Get }: Any) => Get.Key) as Key[];
    demandDifferent(keys, 100);
    const found = keys.map((key) => table.get(key));
    const units = found.reduce((sum, item) => sum + 2 * readUnits(itemBytes(item), true), 0);
    return {
      Responses: found.map((item) => (item ? { Item: item } : {})),
      ConsumedCapacity: [{ CapacityUnits: units }],
    };
  },
  PutItem: writeAlone('Put'),
  UpdateItem: writeAlone('Update'),
  DeleteItem: writeAlone('Delete'),
  TransactWriteItems: transactWrite,
  BatchWriteItem: (table, { RequestItems }) => {
    const [, requests] = onlyTable(RequestItems);
    const writes: Write[] = requests.map(({ PutRequest, DeleteRequest }: Any) =>
      PutRequest ? writeOf('Put', PutRequest) : writeOf('Delete', DeleteRequest),
    );
    demandDifferent(
      requests.map(({ PutRequest, DeleteRequest }: Any) => PutRequest?.Item ?? DeleteRequest.Key),
      25,
    );
    const { units } = carryOut(table, writes) as { units: number };
    return { UnprocessedItems: {}, ConsumedCapacity: [{ CapacityUnits: units }] };
  },
  Query: query,
  Scan: scan,
  DeleteTable: (_, { TableName }) => {
    tables.delete(TableName);
    return {};
  },
};

const tableNameOf = ({ TableName, RequestItems, TransactItems }: Any): string =>
  TableName ?? (RequestItems ? onlyTable(RequestItems)[0] : Object.values<Any>(TransactItems[0])[0].TableName);

/** An input as it is sent: with the type of each value. It is only made where somebody looks at it. */
const asSent = (input: Any): Any => {
  const sent: Any = Array.isArray(input) ? [] : {};
  for (const [name, value] of Object.entries(input)) {
    const isData = /^(Key|Item|ExclusiveStartKey|ExpressionAttributeValues)$/.test(name) && value !== undefined;
    const isOuter = typeof value === 'object' && value !== null && !/^(ExpressionAttributeNames|Keys)$/.test(name);
    let made: unknown;
    const make = (): unknown => {
      if (isData) return asWire(value as Item);
      if (name === 'Keys') return (value as Item[]).map(asWire);
      return isOuter ? asSent(value) : value;
    };
    Object.defineProperty(sent, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        made ??= make();
        return made;
      },
    });
  }
  return sent;
};

/** The parts of the clients' stack that prepare and read HTTP. */
const ofHttp = [
  'httpAuthSchemeMiddleware',
  'contentLengthMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
  'httpSigningMiddleware',
  'serializerMiddleware',
  'deserializerMiddleware',
];

interface Args {
  input: Any;
  plain: Any;
}

/** Carries out a command, such as UpdateItem, on its table in memory. Throws as DynamoDB does. */
export const carriedOut = (operation: string, input: Any): Any => {
  const work = operations[operation];
  if (!work) throw invalid(`The table in memory does not know ${operation}.`);
  return work(memoryTable(tableNameOf(input)), input);
};

const lead = (client: DynamoDBDocumentClient): void => {
  const { middlewareStack: stack } = client;
  for (const name of ofHttp) stack.remove(name);
  stack.add((next) => (args) => next({ input: asSent(args.input), plain: args.input } as unknown as typeof args), {
    step: 'serialize',
    name: 'asSent',
  });
  const send = async (command: { input: Any; clientCommand?: object }): Promise<object> => {
    const commandName = (command.clientCommand ?? command).constructor.name;
    const carryOutOperation = async ({ plain }: Args) => {
      // As a call over the network does, it lets others go on meanwhile.
      await setImmediate();
      return { response: {}, output: { ...carriedOut(commandName.replace(/Command$/, ''), plain), $metadata: {} } };
    };
    const context = { commandName, clientName: 'DynamoDBClient' };
    const handler = stack.resolve(carryOutOperation as Any, context as Any);
    return ((await handler({ input: command.input })) as { output: object }).output;
  };
  Object.assign(client, { send });
};

let isLed = false;

/** Leads the clients of this process to tables in memory. */
export const useMemory = (): void => {
  if (!isLed) for (const client of [db, dbOnce]) lead(client);
  isLed = true;
};
