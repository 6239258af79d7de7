import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { openCursor, sealCursor } from '../../../lib/lists/cursor.ts';
import { type ListRequest, page } from '../../../lib/lists/page.ts';
import { loaded, merged, type Source } from '../../../lib/lists/source.ts';
import { startTestService } from '../../support/service.ts';
import { walk, walkList } from '../../support/walk.ts';

const seed = Number(process.env.PAGE_SEED ?? Date.now() % 2 ** 31);

type Row = { position: string; tag: number };

/** A list in memory, in the order of its positions. */
const memory =
  (rows: () => Row[]): Source<Row> =>
  async ({ descending, from, limit = Number.POSITIVE_INFINITY }) => {
    const sorted = rows().toSorted((a, b) => (a.position < b.position ? -1 : 1) * (descending ? -1 : 1));
    const isPast = ({ position }: Row): boolean => {
      if (!from) return true;
      if (position === from.position) return from.inclusive;
      return descending ? position < from.position : position > from.position;
    };
    return sorted.filter(isPast).slice(0, limit);
  };

const owner = 'store list';

const read = async (source: Source<Row>, limit: number, cursor: string | null) => {
  const place = cursor === null ? undefined : openCursor(cursor, owner);
  const request: ListRequest = { limit, owner, ...(place && { cursor: place }) };
  return page(request, source, ({ position }) => position);
};

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ position: `tie#${String(i).padStart(5, '0')}`, tag: i }));

test(`a walk shows every row once, in full pages, forward and back (seed ${seed})`, async () => {
  const sizes = fc
    .integer({ min: 1, max: 7 })
    .chain((limit) => fc.tuple(fc.constant(limit), fc.constantFrom(0, 1, limit, limit + 1, 3 * limit)));

  await fc.assert(
    fc.asyncProperty(sizes, fc.boolean(), async ([limit, count], split) => {
      const all = rowsOf(count);
      const parts = [
        memory(() => all.filter(({ tag }) => tag % 2 === 0)),
        memory(() => all.filter(({ tag }) => tag % 2)),
      ];
      const source = split ? merged(parts, ({ position }) => position) : memory(() => all);

      expect(await walk(limit, (cursor) => read(source, limit, cursor))).toEqual(all);
    }),
    { seed, numRuns: 200 },
  );
});

test(`a walk shows each row once that stays while others come and go, and an empty page leads back (seed ${seed})`, async () => {
  const change = fc.record({ remove: fc.array(fc.nat(40)), add: fc.array(fc.nat(999)) });

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(20), fc.array(change), async (limit, count, changes) => {
      let rows = rowsOf(count);
      const stays = new Set(rows.map(({ tag }) => tag));
      const source = memory(() => rows);
      const seen: number[] = [];
      let { data, pagination } = await read(source, limit, null);
      for (let step = 0; ; step++) {
        seen.push(...data.map(({ tag }) => tag));
        const { remove = [], add = [] } = changes[step] ?? {};
        for (const tag of remove) stays.delete(tag);
        rows = rows.filter(({ tag }) => !remove.includes(tag));
        const fresh = [...new Set(add)].map((n) => ({
          position: `tie#${String(n % 25).padStart(5, '0')}-${n}`,
          tag: 1000 + n,
        }));
        rows = [...rows, ...fresh.filter(({ position }) => !rows.some((row) => row.position === position))];
        if (pagination.nextCursor === null) break;
        ({ data, pagination } = await read(source, limit, pagination.nextCursor));
      }
      expect(new Set(seen).size).toBe(seen.length);
      for (const tag of stays) expect(seen).toContain(tag);
    }),
    { seed, numRuns: 200 },
  );

  let rows = rowsOf(4);
  const first = await read(
    memory(() => rows),
    2,
    null,
  );
  rows = rows.slice(0, 2);
  const empty = await read(
    memory(() => rows),
    2,
    first.pagination.nextCursor,
  );
  const back = await read(
    memory(() => rows),
    2,
    empty.pagination.previousCursor,
  );
  expect([empty.data, empty.pagination.nextCursor]).toEqual([[], null]);
  expect(back.data).toEqual(rows);
});

test('a page of more than 5 MB is cut short, and walking on loses nothing', async () => {
  const rows = rowsOf(30).map((row) => ({ ...row, filler: 'x'.repeat(400_000) }));
  const source = memory(() => rows);

  const seen: Row[] = [];
  let cursor: string | null = null;
  do {
    const { data, pagination } = await read(source, 1000, cursor);
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(5_100_000);
    seen.push(...data);
    cursor = pagination.nextCursor;
  } while (cursor);

  expect(seen.map(({ tag }) => tag)).toEqual(rows.map(({ tag }) => tag));
});

const place = { part: '', backward: false, inclusive: false, position: 'p' };

test('a cursor opens for its owner only, unchanged, and under its own secret', () => {
  const sealed = sealCursor(place, owner);

  expect(openCursor(sealed, owner)).toEqual(place);
  expect(openCursor(sealed, 'other list')).toBeUndefined();
  for (let i = 0; i < sealed.length; i++)
    for (const other of ['A', 'B', '_', '!', '='])
      if (sealed[i] !== other)
        expect(openCursor(sealed.slice(0, i) + other + sealed.slice(i + 1), owner), `${i} ${other}`).toBeUndefined();
  for (const changed of [sealed.slice(1), sealed.slice(0, -1), `${sealed}A`, `${sealed}=`, ` ${sealed}`])
    expect(openCursor(changed, owner)).toBeUndefined();
  const secret = process.env.CURSOR_SECRET;
  process.env.CURSOR_SECRET = 'another secret, which is long enough as well';
  expect(openCursor(sealed, owner)).toBeUndefined();
  process.env.CURSOR_SECRET = secret;
});

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

test('product pages are full under every filter, forward and back, over HTTP', async () => {
  const category = (await service.call('POST', '/v1/categories', { name: 'Odd' })).body.id;
  const made: { id: string; listed: boolean; bloggable: boolean; odd: boolean; chair: boolean }[] = [];
  for (let i = 0; i < 31; i++) {
    const [listed, bloggable, chair] = [i % 3 !== 0, i % 2 === 0, i % 5 < 3];
    // Several products have the same name, and every seventh is inactive.
    const body = { name: chair ? 'Chair' : 'Table', price: 1, listed, bloggable, active: i % 7 !== 6 };
    const { id } = (await service.call('POST', '/v1/products', body)).body;
    if (i % 2) await service.call('POST', `/v1/categories/${category}/products/${id}`);
    if (body.active) made.push({ id, listed, bloggable, odd: i % 2 === 1, chair });
  }
  const options = [undefined, true, false];

  for (const listed of options)
    for (const bloggable of options)
      for (const odd of [false, true])
        for (const search of ['', 'hAi']) {
          const expected = made.filter(
            (product) =>
              product.listed === (listed ?? product.listed) &&
              product.bloggable === (bloggable ?? product.bloggable) &&
              (!odd || product.odd) &&
              (search === '' || product.chair),
          );
          const filter = [
            ...(listed === undefined ? [] : [`listed=${listed}`]),
            ...(bloggable === undefined ? [] : [`bloggable=${bloggable}`]),
            ...(odd ? [`category=${category}`] : []),
            `search=${search}`,
          ].join('&');
          const rows = await walkList<{ id: string }>(service.call, `/v1/products?${filter}`, 4);
          expect(
            rows.map(({ id }) => id),
            filter,
          ).toEqual(expected.map(({ id }) => id).sort());
        }
});

test('a cursor of another store or another list is invalid', async () => {
  await service.callOther('POST', '/v1/categories', { name: 'a' });
  await service.callOther('POST', '/v1/categories', { name: 'b' });
  const { nextCursor } = (await service.callOther('GET', '/v1/categories?limit=1')).body.pagination;

  const answers = await Promise.all([
    service.call('GET', `/v1/categories?cursor=${nextCursor}`),
    service.callOther('GET', `/v1/products?cursor=${nextCursor}`),
  ]);

  expect(nextCursor).toBeTypeOf('string');
  for (const { status, body } of answers) expect([status, body.errors]).toEqual([400, ['Cursor is invalid.']]);
});

test('a list of 150,000 rows is read at once, as a person asks for it in the command', async () => {
  const keys = Array.from({ length: 150_000 }, (_, at) => String(at).padStart(6, '0'));
  const list = loaded<string, string>(
    async ({ limit, from }) => keys.slice(from ? Number(from.position) + 1 : 0).slice(0, limit),
    (key) => key,
    async (some) => some,
  );

  expect(await list({ descending: false, limit: 150_000 })).toHaveLength(150_000);
});
