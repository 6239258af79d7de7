import { BatchGetCommand, BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Source } from '../lists/page.ts';
import { pause } from './retry.ts';
import { db, type IndexName, indexes, tableKey, tableName } from './table.ts';

interface Query {
  partition: string;
  /** The table itself if absent. */
  index?: IndexName;
  /** Where the list begins, if not at the partition's start. */
  first?: string;
  /** Keeps only rows whose attribute holds the text. */
  contains?: { attribute: string; text: string };
}

/** The rows of one partition of the table or of an index, in the order of its sort key, as far as a range asks. */
export const rowsOf =
  <T>({ partition, index, first, contains }: Query): Source<T> =>
  async ({ descending, from, limit = Number.POSITIVE_INFINITY }) => {
    const { partition: hash, sort } = index ? indexes[index] : tableKey;
    const beforeFirst = !descending && first !== undefined && (from === undefined || from.position < first);
    const start = beforeFirst ? { position: first, inclusive: true } : from;
    const comparison = `${descending ? '<' : '>'}${start?.inclusive ? '=' : ''}`;
    const found: T[] = [];
    let after: Record<string, unknown> | undefined;
    // With a filter the limit is of rows read, not found: begin near what is wanted, then read in larger strides.
    let stride = contains ? 2 * limit : limit;
    do {
      const { Items = [], LastEvaluatedKey } = await db.send(
        new QueryCommand({
          TableName: tableName(),
          IndexName: index,
          // Only the table itself can be read consistently; its lists then show what was just written.
          ConsistentRead: !index,
          KeyConditionExpression: start ? `#hash = :hash AND #sort ${comparison} :start` : '#hash = :hash',
          FilterExpression: contains && 'contains(#attribute, :text)',
          ExpressionAttributeNames: {
            '#hash': hash,
            ...(start && { '#sort': sort }),
            ...(contains && { '#attribute': contains.attribute }),
          },
          ExpressionAttributeValues: {
            ':hash': partition,
            ...(start && { ':start': start.position }),
            ...(contains && { ':text': contains.text }),
          },
          ScanIndexForward: !descending,
          Limit: Number.isFinite(stride) ? stride : undefined,
          ExclusiveStartKey: after,
        }),
      );
      const rows = Items.filter((row) => first === undefined || row[sort] >= first);
      found.push(...(rows as T[]));
      // Going back, the list may begin within what was read.
      after = rows.length < Items.length ? undefined : LastEvaluatedKey;
      stride = contains ? Math.min(2 * stride, 10_000) : limit - found.length;
    } while (after && found.length < limit);
    return found.slice(0, limit);
  };

/** Several lists in one order as one list. */
export const merged =
  <T>(sources: Source<T>[], positionOf: (row: T) => string): Source<T> =>
  async (range) => {
    const rows = (await Promise.all(sources.map((source) => source(range)))).flat();
    const sign = range.descending ? -1 : 1;
    rows.sort((a, b) => (positionOf(a) < positionOf(b) ? -sign : sign));
    return rows.slice(0, range.limit);
  };

/**
 * A list of what `load` makes of another list's rows. It may drop some (an index may be stale, a filter may not be in
 * the key): then more are read, as many as should fill the range by the share that passed, and in growing strides if
 * they do not, until it is filled or the list ends.
 */
export const loaded =
  <K, T>(keys: Source<K>, positionOf: (key: K) => string, load: (keys: K[]) => Promise<T[]>): Source<T> =>
  async ({ limit = Number.POSITIVE_INFINITY, ...range }) => {
    const found: T[] = [];
    // The whole range at once: a full page asks for one row more than it shows, which must not cost a second round.
    let stride = Number.isFinite(limit) ? limit : 1000;
    let from = range.from;
    let read = 0;
    for (let round = 1; ; round++) {
      const rows = await keys({ ...range, ...(from && { from }), limit: stride });
      read += rows.length;
      found.push(...(await load(rows)));
      const last = rows.at(-1);
      if (found.length >= limit || rows.length < stride || last === undefined) return found.slice(0, limit);
      from = { position: positionOf(last), inclusive: false };
      // Half as many again, so that a third round is rare.
      const likely = found.length > 0 ? Math.ceil((1.5 * (limit - found.length) * read) / found.length) : 2 * stride;
      stride = Math.min(round === 1 ? likely : Math.max(likely, 2 * stride), 1000);
    }
  };

/** Every row of a list, in its order, so many at a time as fit into memory however long the list is. */
export async function* everyRow<T>(source: Source<T>, positionOf: (row: T) => string): AsyncGenerator<T> {
  const stride = 1000;
  let from: { position: string; inclusive: boolean } | undefined;
  for (;;) {
    const rows = await source({ descending: false, limit: stride, ...(from && { from }) });
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < stride || last === undefined) return;
    from = { position: positionOf(last), inclusive: false };
  }
}

export interface Key {
  pk: string;
  sk: string;
}

const inChunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/**
 * The items of these keys, in the keys' order, each once; keys without an item are left out. The keys may be rows of an
 * index: they hold more than the key, and while an index catches up one item may stand in it twice.
 */
export const getMany = async <T extends Key>(
  rows: Key[],
  { consistent = false }: { consistent?: boolean } = {},
): Promise<T[]> => {
  const keys = [...new Map(rows.map(({ pk, sk }) => [`${pk} ${sk}`, { pk, sk }])).values()];
  const found = new Map<string, T>();
  const getChunk = async (chunk: Key[]): Promise<void> => {
    let rest: Key[] = chunk;
    for (let attempt = 0; rest.length > 0; attempt++) {
      if (attempt > 0) await pause(attempt);
      const { Responses, UnprocessedKeys } = await db.send(
        new BatchGetCommand({ RequestItems: { [tableName()]: { Keys: rest, ConsistentRead: consistent } } }),
      );
      for (const item of (Responses?.[tableName()] ?? []) as T[]) found.set(`${item.pk} ${item.sk}`, item);
      rest = (UnprocessedKeys?.[tableName()]?.Keys ?? []) as Key[];
    }
  };
  await Promise.all(inChunks(keys, 100).map(getChunk));
  return keys.flatMap(({ pk, sk }) => found.get(`${pk} ${sk}`) ?? []);
};

/** Deletes these items, whether they are there or not. */
export const deleteMany = async (keys: Key[]): Promise<void> => {
  const deleteChunk = async (chunk: Key[]): Promise<void> => {
    let rest = chunk.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    for (let attempt = 0; rest.length > 0; attempt++) {
      if (attempt > 0) await pause(attempt);
      const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [tableName()]: rest } }));
      rest = (UnprocessedItems?.[tableName()] ?? []) as typeof rest;
    }
  };
  await Promise.all(inChunks(keys, 25).map(deleteChunk));
};
