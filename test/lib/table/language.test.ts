import { beforeEach, expect, test } from 'vitest';
import * as dynamodb from '../../../lib/table/dynamodb.ts';
import {
  above,
  all,
  any,
  atLeast,
  atMost,
  type Condition,
  check,
  copyOf,
  exists,
  type Item,
  is,
  isNew,
  isNot,
  missing,
  put,
  remove,
  unchanged,
  update,
} from '../../../lib/table/language.ts';
import { engine, get, getMany, pagesOf, removeMany, rowsOf, transact, write } from '../../../lib/table/table.ts';
import { freshTable } from '../../support/service.ts';
import { memoryEngine } from './memory.ts';

/** The language must behave the same on DynamoDB and in memory. */
const engines = { DynamoDB: () => dynamodb, memory: memoryEngine };

const key = { pk: 'store#CATEGORY', sk: 'a' };
const item = { ...key, name: 'Seats', count: 3, tags: ['x'], nested: { id: 'n' }, none: null, in: new Set(['a']) };

const conditions: [string, Condition, boolean][] = [
  ['exists', exists, true],
  ['isNew', isNew, false],
  ['is, equal', is('name', 'Seats'), true],
  ['is, different', is('name', 'seats'), false],
  ['is undefined, present', is('name', undefined), false],
  ['is undefined, missing', is('other', undefined), true],
  ['is, a list', is('tags', ['x']), true],
  ['is, a nested path', is('nested.id', 'n'), true],
  ['is, null', is('none', null), true],
  ['is, a set', is('in', new Set(['a'])), true],
  ['is, another set', is('in', new Set(['a', 'b'])), false],
  ['isNot, different', isNot('name', 'x'), true],
  ['isNot, equal', isNot('name', 'Seats'), false],
  ['isNot, missing', isNot('other', 'x'), true],
  ['missing', missing('other'), true],
  ['above', above('count', 2), true],
  ['above, equal', above('count', 3), false],
  ['above, missing', above('other', 2), false],
  ['atLeast', atLeast('count', 3), true],
  ['atMost, text', atMost('name', 'Seats'), true],
  ['atMost, missing', atMost('other', 'Seats'), false],
  ['all', all(exists, any(is('count', 1), all(is('count', 3), isNot('name', '')))), true],
  ['all of one part alone', all(all(any(exists))), true],
  ['any', any(isNew, is('count', 4)), false],
  ['unchanged', unchanged(item), true],
  ['unchanged, changed', unchanged({ ...item, count: 4 }), false],
  ['unchanged, of none', unchanged(undefined), false],
];

beforeEach(freshTable);

for (const [name, make] of Object.entries(engines)) {
  const onEngine = (title: string, work: () => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      Object.assign(engine, make());
      await write(put(item));
      await work();
    });

  onEngine('a failed condition refuses the write and returns the present item', async () => {
    const outcomes: [string, boolean, unknown][] = [];
    for (const [title, condition] of conditions) {
      const outcome = await write(put(item, condition));
      outcomes.push([title, outcome.done, outcome.done ? undefined : outcome.found]);
    }

    expect(outcomes).toEqual(conditions.map(([title, , holds]) => [title, holds, holds ? undefined : item]));
  });

  onEngine('an update sets, copies, adds, fills in and removes attributes, all from the old item', async () => {
    const outcome = await write<Item>(
      update(key, {
        set: { name: 'Chairs', was: copyOf('name'), earlier: copyOf('expiresAt', ''), none: undefined },
        ifMissing: { name: 'never', flags: 'f' },
        add: { count: -1, uses: 2, in: new Set(['b', 'a']), out: new Set(['c']) },
      }),
    );

    const sets = { in: new Set(['a', 'b']), out: new Set(['c']) };
    const after = { ...key, name: 'Chairs', was: 'Seats', earlier: '', flags: 'f', count: 2, uses: 2, ...sets };
    expect(outcome).toEqual({ done: true, result: { ...after, tags: ['x'], nested: { id: 'n' } } });
    expect(await get(key)).toEqual({ ...after, tags: ['x'], nested: { id: 'n' } });
  });

  onEngine('an update creates a missing item', async () => {
    await write(update({ pk: 'new', sk: 'new' }, { ifMissing: { a: 1 }, add: { n: 1 } }));

    expect(await get({ pk: 'new', sk: 'new' })).toEqual({ pk: 'new', sk: 'new', a: 1, n: 1 });
  });

  onEngine('a transaction is atomic, and says which of its writes were refused', async () => {
    const other = { pk: 'store#CATEGORY', sk: 'b' };
    const writes = [update(key, { set: { name: 'x' }, when: is('count', 3) }), put(other, isNew)];

    const third = { pk: 'store#CATEGORY', sk: 'c' };
    await write(put(third));

    const refused = await transact([...writes, check(third, isNew)]);
    const untouched = [await get(key), await get(other)];
    const done = await transact([...writes, check({ pk: 'none', sk: 'none' }, isNew)]);

    expect(refused?.map((one) => one.refused)).toEqual([false, false, true]);
    expect(refused?.[2]?.item).toEqual(third);
    expect(untouched).toEqual([item, undefined]);
    expect(done).toBeUndefined();
    expect(await get(other)).toEqual(other);
  });

  onEngine('a transaction that names an item twice is a fault of the caller, and nothing is written', async () => {
    const twice = transact([update(key, { set: { name: 'x' } }), check(key, is('count', 3))]);

    await expect(twice).rejects.toThrow('A transaction names the item store#CATEGORY');
    expect(await get(key)).toEqual(item);
  });

  onEngine('a removal obeys its condition', async () => {
    const refused = await write(remove(key, is('count', 4)));
    const done = await write(remove(key, is('count', 3)));

    expect([refused, done.done]).toEqual([{ done: false, found: item }, true]);
    expect(await get(key)).toBeUndefined();
  });

  onEngine(
    'rows come in order, in both directions, from a position on, and page by page if positions are equal',
    async () => {
      const rows = Array.from({ length: 7 }, (_, i) => ({
        pk: 'list',
        sk: `r${i}`,
        dues: 'shard',
        due: i < 5 ? '2030' : '2031',
      }));
      for (const row of rows) await write(put(row));
      const list = rowsOf<{ sk: string }>({ partition: 'list' });
      const names = (some: { sk: string }[]): string => some.map(({ sk }) => sk).join(' ');
      const part = rowsOf<{ sk: string }>({ partition: 'list', first: 'r1', last: 'r4' });
      const read = async (descending: boolean, position?: string, inclusive = false, limit = 9) =>
        names(await part({ descending, limit, ...(position && { from: { position, inclusive } }) }));

      const up = await list({ descending: false, from: { position: 'r2', inclusive: false }, limit: 2 });
      const down = await list({ descending: true, from: { position: 'r2', inclusive: true } });
      const parts = [
        await Promise.all([
          read(false),
          read(false, 'r1'),
          read(false, 'r0'),
          read(false, 'r3', true),
          read(false, 'r4'),
        ]),
        await Promise.all([read(true), read(true, 'r4'), read(true, 'r5'), read(true, 'r3', true), read(true, 'r1')]),
        await Promise.all([
          read(false, 'r6'),
          read(true, 'r0', true),
          read(false, 'r2', false, 1),
          read(true, 'r3', false, 1),
        ]),
      ];
      const pages = await Array.fromAsync(
        pagesOf<{ sk: string }>({ partition: 'shard', index: 'byDue', last: '2030' }, 2),
      );
      const some = await getMany([rows[3], { pk: 'list', sk: 'none' }, rows[1]].flatMap((row) => row ?? []));
      await removeMany(rows);

      expect([names(up), names(down)]).toEqual(['r3 r4', 'r2 r1 r0']);
      expect(parts).toEqual([
        ['r1 r2 r3 r4', 'r2 r3 r4', 'r1 r2 r3 r4', 'r3 r4', ''],
        ['r4 r3 r2 r1', 'r3 r2 r1', 'r4 r3 r2 r1', 'r3 r2 r1', ''],
        ['', '', 'r3', 'r2'],
      ]);
      expect(pages.flat()).toHaveLength(5);
      expect(names(some)).toBe('r3 r1');
      expect(await list({ descending: false })).toEqual([]);
    },
  );
}
