import { expect, test } from 'vitest';
import { db, dbOnce } from '../../../lib/table/client.ts';
import * as dynamodb from '../../../lib/table/dynamodb.ts';
import { CancelledError, type Engine, type Query, RefusedError } from '../../../lib/table/engine.ts';
import {
  type AttributeChanges,
  all,
  any,
  type Condition,
  check,
  copyOf,
  type Item,
  is,
  isNot,
  missing,
  present,
  put,
  remove,
  targetOf,
  unchanged,
  update,
  type Write,
} from '../../../lib/table/language.ts';
import { type IndexName, indexes, type Key } from '../../../lib/table/schema.ts';
import { atEnd } from '../../support/at-end.ts';
import { carriedOut } from '../../support/memory-db.ts';
import { Random } from '../../support/random.ts';
import { freshTable } from '../../support/service.ts';
import { trials } from '../../support/volume.ts';
import { MemoryTable, memoryEngine, nameOf } from './memory.ts';

/** `ENGINES_SEED` replays a run. */
const seed = Number(process.env.ENGINES_SEED ?? Date.now() % 2 ** 31);
const random = new Random(seed);
const words = ['a', 'b', 'ba', 'c#1', 'c#2'];
const texts = ['name', 'flags', 'ranked', 'rank', 'texts', 'text', 'dues', 'due'];

/** An answer without the SDK's own members. */
const comparable = ({ $metadata, ConsumedCapacity, ...answer }: Item): unknown => ({
  ...answer,
  units: [ConsumedCapacity].flat().map((one) => (one as { CapacityUnits: number }).CapacityUnits),
});

const failureOf = (error: unknown): unknown => {
  const { name, Item: item, CancellationReasons: reasons } = error as Item;
  return { name, item, reasons: (reasons as Item[] | undefined)?.map(({ Code, Item }) => ({ Code, Item })) };
};

const settled = async (work: () => Promise<Item>): Promise<unknown> => {
  try {
    return comparable(await work());
  } catch (error) {
    return failureOf(error);
  }
};

/** Every command that the client sends is carried out in memory too, and must be answered the same. */
const sendBoth = (client: typeof db): void => {
  const { send } = client;
  Object.assign(client, {
    send: async (command: never) => {
      const { clientCommand, input } = command as { clientCommand: object; input: Item };
      const operation = clientCommand.constructor.name.replace(/Command$/, '');
      const made = await settled(async () => carriedOut(operation, input));
      const answer = Reflect.apply(send, client, [command]) as Promise<Item>;
      expect(made, `${operation} ${JSON.stringify(input)}`).toEqual(await settled(() => answer));
      return answer;
    },
  });
  // The class has it: a client of its own would go on with it where a later file replaces the class's.
  atEnd(() => void Reflect.deleteProperty(client, 'send'));
};

await freshTable();
for (const client of [db, dbOnce]) sendBoth(client);

const keyOf = (): Key => ({ pk: `p${random.below(3)}`, sk: random.of(words) });

const anyOf = (attribute: string): unknown => {
  if (texts.includes(attribute)) return random.of(words);
  if (attribute === 'count') return random.below(4);
  if (attribute === 'members') return new Set([random.of(words), random.of(words)]);
  return random.of<unknown>([null, true, ['x', 1.5], { id: random.of(words) }, 'long'.repeat(random.below(3000))]);
};

const attributes = [...texts, 'count', 'members', 'other'];
const attributeOf = (): string => random.of(attributes);

const conditionOf = (table: MemoryTable, key: Key, depth = 2): Condition => {
  const attribute = attributeOf();
  const parts = (): Condition[] =>
    Array.from({ length: 1 + random.below(3) }, () => conditionOf(table, key, depth - 1));
  const choice = random.below(depth > 0 ? 9 : 6);
  if (choice === 0) return missing(random.of([attribute, 'pk', 'other.id']));
  if (choice === 1) return present(random.of([attribute, 'pk', 'other.id']));
  if (choice === 2) return is(random.of([attribute, 'other.id']), random.chance(0.8) ? random.of(words) : undefined);
  if (choice === 3) return isNot(attribute, anyOf(attribute));
  if (choice === 4) return unchanged(table.get(key), random.chance(0.5) ? attributes : []);
  if (choice === 5) {
    const compared = random.of([...texts, 'count']);
    return { attribute: compared, is: random.of(['=', '<', '<=', '>', '>='] as const), value: anyOf(compared) };
  }
  return choice === 6 ? any(...parts()) : all(...parts());
};

const someOf = (): Item => {
  const item: Item = {};
  for (const attribute of attributes) if (random.chance(0.4)) item[attribute] = anyOf(attribute);
  return item;
};

/**
 * As DynamoDB demands, an update names each attribute in one place only, and a transaction holds no update without a
 * change.
 */
const changeOf = (): AttributeChanges => {
  const [set, ifMissing]: [Item, Item] = [{}, {}];
  for (const attribute of texts) {
    const choice = random.below(6);
    if (choice === 0) set[attribute] = random.of(words);
    if (choice === 1) set[attribute] = undefined;
    if (choice === 2) set[attribute] = copyOf(random.of(texts), random.of(words));
    if (choice === 3) ifMissing[attribute] = random.of(words);
  }
  if (random.chance(0.3)) set.other = anyOf('other');
  const add = {
    ...(random.chance(0.3) && { count: random.below(5) - 2 }),
    ...(random.chance(0.3) && { members: new Set([random.of(words)]) }),
  };
  if (Object.keys({ ...set, ...ifMissing, ...add }).length === 0) set.name = random.of(words);
  return { set, ifMissing, ...(Object.keys(add).length > 0 && { add }) };
};

const writeOf = (table: MemoryTable, key: Key, mayCheck: boolean): Write => {
  const when = random.chance(0.6) ? conditionOf(table, key) : undefined;
  const choice = random.below(mayCheck ? 7 : 6);
  if (choice < 2) return put({ ...someOf(), ...key }, when);
  if (choice < 5) return update(key, { ...changeOf(), when });
  return choice < 6 ? remove(key, when) : check(key, when ?? present('pk'));
};

const queryOf = (): Query => {
  const index = random.chance(0.6) ? random.of(Object.keys(indexes) as IndexName[]) : undefined;
  const position = (): string => random.of([...words, 'aa', 'c', 'z']);
  return {
    index,
    partition: index ? random.of(words) : `p${random.below(3)}`,
    descending: random.chance(0.5),
    ...(random.chance(0.4) && { first: position() }),
    ...(random.chance(0.4) && { last: position() }),
    ...(random.chance(0.4) && { from: { position: position(), inclusive: random.chance(0.5) } }),
    ...(random.chance(0.4) && { limit: 1 + random.below(4) }),
    ...(random.chance(0.2) && { contains: { attribute: 'text', texts: ['a', '#1'] } }),
  };
};

/** The rows of all pages. Engines may cut pages elsewhere. */
const rowsOf = async (engine: Pick<Engine, 'query'>, query: Query): Promise<Item[]> => {
  const rows: Item[] = [];
  for (let after: Item | undefined; ; ) {
    const page = await engine.query({ ...query, after });
    rows.push(...page.items);
    after = page.next;
    if (!after) return rows;
  }
};

/** Rows of an index with one position come in any order. */
const inOrder = (rows: readonly Item[], { index }: Query): unknown => {
  const sort = index ? indexes[index].sort : 'sk';
  const byName = rows.toSorted((a, b) => (nameOf(a as unknown as Key) < nameOf(b as unknown as Key) ? -1 : 1));
  return [rows.map((row) => row[sort]), byName];
};

const outcomeOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof RefusedError) return { refused: error.item };
    if (error instanceof CancelledError)
      return { cancelled: error.refusals.map(({ refused, item }) => (refused ? { item } : 'kept')) };
    throw error;
  }
};

const count = trials(200, 1500);

test(`the table in memory answers ${count} random calls as the engine does (seed ${seed})`, async () => {
  const table = new MemoryTable();
  const memory = memoryEngine(table);
  const answers = { done: 0, refused: 0, cancelled: 0, rows: 0 };

  for (let call = 0; call < count; call++) {
    const choice = random.below(10);
    let both: [unknown, unknown];
    let asked = '';
    if (choice < 4) {
      const one = writeOf(table, keyOf(), false);
      const ask = (engine: Pick<Engine, 'write'>) => outcomeOf(() => engine.write(one));
      both = [await ask(dynamodb), await ask(memory)];
    } else if (choice < 6) {
      const keys = new Map(Array.from({ length: 1 + random.below(4) }, keyOf).map((key) => [nameOf(key), key]));
      const writes = [...keys.values()].map((key) => writeOf(table, key, true));
      expect(new Set(writes.map((one) => nameOf(targetOf(one)))).size).toBe(writes.length);
      const ask = (engine: Pick<Engine, 'transact'>) =>
        outcomeOf(() => engine.transact(writes, `token ${call}`.padEnd(36, '-')));
      both = [await ask(dynamodb), await ask(memory)];
    } else if (choice < 9) {
      const query = queryOf();
      asked = JSON.stringify(query);
      const [real, made] = [await rowsOf(dynamodb, query), await rowsOf(memory, query)];
      answers.rows += real.length;
      both = [inOrder(real, query), inOrder(made, query)];
    } else {
      const keys = [...new Map(Array.from({ length: 3 }, keyOf).map((key) => [nameOf(key), key])).values()];
      const how = { consistent: random.chance(0.5), attributes: ['pk', 'sk', attributeOf()] };
      const isRemoved = random.chance(0.2);
      const ask = async (engine: Pick<Engine, 'get' | 'getTogether' | 'getSome' | 'removeSome'>) => [
        await engine.get(keys[0] as Key),
        await engine.getTogether(keys),
        // The client's answers are compared; the engine in memory answers whole items.
        (await engine.getSome(keys, how)).items.map(({ pk, sk }) => `${pk} ${sk}`).sort(),
        isRemoved && (await engine.removeSome(keys)),
      ];
      both = [await ask(dynamodb), await ask(memory)];
    }
    expect(both[1], `call ${call}: ${asked}`).toEqual(both[0]);
    for (const name of ['done', 'refused', 'cancelled'] as const)
      if (typeof both[0] === 'object' && both[0] !== null && name in both[0]) answers[name] += 1;
  }

  expect(Object.values(answers).every((some) => some > count / 50)).toBe(true);
});
