import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { db, dbOnce, tableName } from './client.ts';
import {
  BusyError,
  CancelledError,
  ConflictError,
  type Engine,
  type Query,
  RefusedError,
  UnansweredError,
} from './engine.ts';
import { type AttributeChanges, type Condition, conditionOf, type Item, isCopy, type Write } from './language.ts';
import { indexes, type Key, tableKey } from './schema.ts';

/** Collects the names and values of one command, each under a placeholder. */
const placeholders = () => {
  const names: Record<string, string> = {};
  const values: Item = {};
  const name = (path: string): string =>
    path
      .split('.')
      .map((part) => {
        names[`#${part}`] = part;
        return `#${part}`;
      })
      .join('.');
  const value = (of: unknown): string => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = of;
    return placeholder;
  };
  /** DynamoDB refuses an empty map. */
  const attributes = () => ({
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  });
  return { name, value, attributes };
};

type Placeholders = ReturnType<typeof placeholders>;

const conditionText = (condition: Condition, { name, value }: Pick<Placeholders, 'name' | 'value'>): string => {
  const joined = (parts: readonly Condition[], word: string): string => {
    const texts = parts.map((part) => conditionText(part, { name, value }));
    // DynamoDB refuses parentheses around one part alone.
    return texts.length === 1 ? (texts[0] as string) : `(${texts.join(` ${word} `)})`;
  };
  if ('all' in condition) return joined(condition.all, 'AND');
  if ('any' in condition) return joined(condition.any, 'OR');
  if ('missing' in condition) return `attribute_not_exists(${name(condition.missing)})`;
  if ('present' in condition) return `attribute_exists(${name(condition.present)})`;
  return `${name(condition.attribute)} ${condition.is} ${value(condition.value)}`;
};

const updateText = (
  { set = {}, ifMissing = {}, add = {} }: AttributeChanges,
  { name, value }: Placeholders,
): string => {
  const valueText = (of: unknown): string => {
    if (!isCopy(of)) return value(of);
    return of.otherwise === undefined
      ? name(of.attribute)
      : `if_not_exists(${name(of.attribute)}, ${value(of.otherwise)})`;
  };
  const given = Object.entries(set).filter(([, to]) => to !== undefined);
  const removed = Object.keys(set).filter((attribute) => set[attribute] === undefined);
  const clauses = {
    SET: [
      ...given.map(([attribute, to]) => `${name(attribute)} = ${valueText(to)}`),
      // An attribute that is set needs no value for the case that it is missing.
      ...Object.entries(ifMissing)
        .filter(([attribute]) => !(attribute in set))
        .map(([attribute, to]) => `${name(attribute)} = if_not_exists(${name(attribute)}, ${value(to)})`),
    ],
    REMOVE: removed.map(name),
    ADD: Object.entries(add).map(([attribute, step]) => `${name(attribute)} ${value(step)}`),
  };
  return Object.entries(clauses)
    .filter(([, parts]) => parts.length > 0)
    .map(([verb, parts]) => `${verb} ${parts.join(', ')}`)
    .join(' ');
};

/** The input of a write's command, which is also its part of a transaction. */
const inputOf = (write: Write) => {
  const names = placeholders();
  const update = write.kind === 'update' ? updateText(write.change, names) : '';
  const condition = conditionOf(write);
  return {
    TableName: tableName(),
    ...(write.kind === 'put' ? { Item: write.item } : { Key: write.key }),
    ...(update && { UpdateExpression: update }),
    ...(condition && {
      ConditionExpression: conditionText(condition, names),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    }),
    ...names.attributes(),
  };
};

const members = { put: 'Put', update: 'Update', remove: 'Delete', check: 'ConditionCheck' } as const;

const throttles = new Set(['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException']);
const throttledCodes = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);
const conflictCode = 'TransactionConflict';
const refusedCode = 'ConditionalCheckFailed';

const parsed = (item: Parameters<typeof unmarshall>[0] | undefined): Item | undefined => item && unmarshall(item);

/** True for a time-out, a broken connection or a failure of DynamoDB itself; false for a bug of ours. */
const isWithoutAnswer = (error: Error & { $fault?: string; code?: unknown }): boolean =>
  // DynamoDB is still carrying out an earlier attempt of the same transaction. Its outcome is not known yet.
  error instanceof TransactionInProgressException ||
  error.$fault === 'server' ||
  (error.$fault === undefined &&
    (['AbortError', 'TimeoutError'].includes(error.name) || /^E[A-Z]+$/.test(String(error.code))));

/** A failure in the engine's terms. */
const translated = (error: unknown): unknown => {
  if (error instanceof ConditionalCheckFailedException) return new RefusedError(parsed(error.Item));
  if (error instanceof TransactionConflictException) return new ConflictError(error);
  if (error instanceof TransactionCanceledException) {
    const { CancellationReasons: reasons = [] } = error;
    if (reasons.some(({ Code }) => Code === refusedCode))
      return new CancelledError(
        reasons.map(({ Code, Item }) => ({ refused: Code === refusedCode, item: parsed(Item) })),
      );
    // If capacity is missing too, short pauses would only add to the load.
    if (reasons.some(({ Code = '' }) => throttledCodes.has(Code))) return new BusyError(error);
    return reasons.some(({ Code }) => Code === conflictCode) ? new ConflictError(error) : error;
  }
  if (!(error instanceof Error)) return error;
  if (throttles.has(error.name)) return new BusyError(error);
  return isWithoutAnswer(error) ? new UnansweredError(error) : error;
};

const sent = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch (error) {
    throw translated(error);
  }
};

/** The nearest position before or after a row's position. No row's position holds U+0000 or U+10FFFF. */
const nextTo = (position: string, isBefore: boolean): string => {
  const last = [...position].at(-1) ?? '';
  if (!isBefore || last === '') return `${position}\u0000`;
  return `${position.slice(0, -last.length)}${String.fromCodePoint((last.codePointAt(0) ?? 1) - 1)}\u{10ffff}`;
};

/** The bounds of a query in the order of the sort key, both included. */
const keyBounds = ({
  descending,
  from,
  first,
  last,
}: Query): { low?: string | undefined; high?: string | undefined } => {
  const start = from && (from.inclusive ? from.position : nextTo(from.position, descending));
  const tighter = (bound: string | undefined): string | undefined =>
    start === undefined || (bound !== undefined && bound > start !== descending) ? bound : start;
  return descending ? { low: first, high: tighter(last) } : { low: tighter(first), high: last };
};

/** The input of a query's command; undefined if no row can be within its bounds. */
const queryInput = (query: Query) => {
  const { partition, index, isEventual, descending, contains, limit, after } = query;
  const { name, value, attributes } = placeholders();
  const { partition: hash, sort } = index ? indexes[index] : tableKey;
  const { low, high } = keyBounds(query);
  if (low !== undefined && high !== undefined && low > high) return undefined;
  const key = [`${name(hash)} = ${value(partition)}`];
  // A key condition takes one comparison of the sort key.
  if (low !== undefined && high !== undefined) key.push(`${name(sort)} BETWEEN ${value(low)} AND ${value(high)}`);
  else if (low !== undefined) key.push(`${name(sort)} >= ${value(low)}`);
  else if (high !== undefined) key.push(`${name(sort)} <= ${value(high)}`);
  const filter = contains?.texts.map((text) => `contains(${name(contains.attribute)}, ${value(text)})`).join(' OR ');
  return {
    TableName: tableName(),
    IndexName: index,
    ConsistentRead: !index && !isEventual,
    KeyConditionExpression: key.join(' AND '),
    FilterExpression: filter,
    ScanIndexForward: !descending,
    Limit: limit,
    ExclusiveStartKey: after,
    ...attributes(),
  };
};

/** DynamoDB's calls. Each is a function by itself, so that a bundle holds only the commands that it uses. */

export const get: Engine['get'] = async (Key) => {
  const { Item } = await sent(db.send(new GetCommand({ TableName: tableName(), Key, ConsistentRead: true })));
  return Item;
};

export const getSome: Engine['getSome'] = async (keys, { consistent, attributes }) => {
  const { name, attributes: names } = placeholders();
  const ProjectionExpression = attributes?.map(name).join(', ');
  const RequestItems = {
    [tableName()]: { Keys: [...keys], ConsistentRead: consistent, ProjectionExpression, ...names() },
  };
  const { Responses, UnprocessedKeys } = await sent(db.send(new BatchGetCommand({ RequestItems })));
  return {
    items: Responses?.[tableName()] ?? [],
    rest: (UnprocessedKeys?.[tableName()]?.Keys ?? []) as Key[],
  };
};

export const getTogether: Engine['getTogether'] = async (keys) => {
  const TransactItems = keys.map((Key) => ({ Get: { TableName: tableName(), Key } }));
  const { Responses = [] } = await sent(db.send(new TransactGetCommand({ TransactItems })));
  return Responses.map(({ Item }) => Item);
};

export const query: Engine['query'] = async (one) => {
  const input = queryInput(one);
  if (!input) return { items: [] };
  const { Items = [], LastEvaluatedKey } = await sent(db.send(new QueryCommand(input)));
  return { items: Items, next: LastEvaluatedKey };
};

export const write: Engine['write'] = async (one) => {
  const input = inputOf(one);
  if (one.kind === 'update') {
    const command = new UpdateCommand({ ...input, Key: one.key, ReturnValues: 'ALL_NEW' });
    return (await sent(dbOnce.send(command))).Attributes;
  }
  if (one.kind === 'put') {
    await sent(dbOnce.send(new PutCommand({ ...input, Item: one.item })));
    return one.item;
  }
  if (one.kind === 'check') throw new Error('A check is a part of a transaction.');
  await sent(dbOnce.send(new DeleteCommand({ ...input, Key: one.key })));
  return undefined;
};

export const transact: Engine['transact'] = async (writes, ClientRequestToken) => {
  const TransactItems = writes.map((one) => ({ [members[one.kind]]: inputOf(one) }));
  await sent(dbOnce.send(new TransactWriteCommand({ TransactItems, ClientRequestToken })));
};

export const removeSome: Engine['removeSome'] = async (keys) => {
  const RequestItems = { [tableName()]: keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })) };
  const { UnprocessedItems } = await sent(db.send(new BatchWriteCommand({ RequestItems })));
  return (UnprocessedItems?.[tableName()] ?? []).map(({ DeleteRequest }) => DeleteRequest?.Key as unknown as Key);
};
