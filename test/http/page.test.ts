import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCursor } from '../../lib/http/cursor.ts';
import { type Page, page, type Source } from '../../lib/http/page.ts';
import { merged } from '../../lib/store/query.ts';

interface Row {
  id: string;
  text?: string;
}

const owner = 'store list';
const idOf = ({ id }: Row) => id;

/** A list in memory that keeps the rules of a source. */
const listOf =
  (rows: () => Row[]): Source<Row> =>
  async ({ descending, from, limit }) => {
    const sorted = [...rows()].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (descending) sorted.reverse();
    const after = sorted.filter(
      ({ id }) =>
        !from || (descending ? id < from.position : id > from.position) || (from.inclusive && id === from.position),
    );
    return after.slice(0, limit);
  };

const read = (source: Source<Row>, limit: number, text?: string | null): Promise<Page<Row>> => {
  const cursor = text ? openCursor(text, owner) : undefined;
  return page({ limit, owner, ...(cursor && { cursor }) }, source, idOf);
};

const rowsNamed = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ id: `same-prefix-${String(i).padStart(5, '0')}` }));

/** Walks to the end and back; `between` happens after each page. */
const walk = async (source: Source<Row>, limit: number, between = () => {}) => {
  const pages = [await read(source, limit)];
  for (let next = pages[0]?.pagination.nextCursor; next; next = pages.at(-1)?.pagination.nextCursor) {
    between();
    pages.push(await read(source, limit, next));
  }
  return pages;
};

test('a quiet list of any length, in one part or several, is walked once each way in full pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom(0, 1, 'limit', 'limit + 1', '3 x limit'),
      fc.integer({ min: 1, max: 4 }),
      async (limit, size, parts) => {
        const count = { limit, 'limit + 1': limit + 1, '3 x limit': 3 * limit }[size] ?? Number(size);
        const rows = rowsNamed(count);
        const sources = Array.from({ length: parts }, (_, part) =>
          listOf(() => rows.filter((_, i) => i % parts === part)),
        );
        const source = merged(sources, idOf);

        const forward = await walk(source, limit);
        const back = [forward.at(-1) as Page<Row>];
        for (let to = back[0]?.pagination.previousCursor; to; to = back[0]?.pagination.previousCursor)
          back.unshift(await read(source, limit, to));

        expect(forward.flatMap(({ data }) => data)).toEqual(rows);
        expect(back.flatMap(({ data }) => data)).toEqual(rows);
        expect(forward.length).toBe(Math.max(1, Math.ceil(count / limit)));
        expect(forward[0]?.pagination.previousCursor).toBeNull();
        expect(forward.slice(1).every(({ pagination }) => pagination.previousCursor !== null)).toBe(true);
      },
    ),
  );
});

test('rows that stay are shown exactly once while others come and go', async () => {
  const change = fc.record({ at: fc.integer({ min: 0, max: 39 }), add: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(change, { maxLength: 40 }), async (limit, changes) => {
      const all = rowsNamed(40);
      const stay = all.filter((_, i) => i % 2 === 0);
      let moving = all.filter((_, i) => i % 4 === 1);
      const pending = [...changes];

      const pages = await walk(
        listOf(() => [...stay, ...moving]),
        limit,
        () => {
          const next = pending.shift();
          const row = all[2 * Math.floor((next?.at ?? 0) / 2) + 1] as Row;
          if (next) moving = [...moving.filter(({ id }) => id !== row.id), ...(next.add ? [row] : [])];
        },
      );

      const shown = pages.flatMap(({ data }) => data.map(idOf));
      expect(shown.filter((id) => stay.some((row) => row.id === id))).toEqual(stay.map(idOf));
      expect(new Set(shown).size).toBe(shown.length);
    }),
  );
});

test('a page that has become empty leads back to the rows before it', async () => {
  let rows = rowsNamed(4);
  const source = listOf(() => rows);
  const first = await read(source, 2);
  rows = rows.slice(0, 2);

  const empty = await read(source, 2, first.pagination.nextCursor);
  const back = await read(source, 2, empty.pagination.previousCursor);

  expect(empty).toMatchObject({ data: [], pagination: { nextCursor: null } });
  expect(back.data).toEqual(rows);
  expect(back.pagination.previousCursor).toBeNull();
});

test('a page is cut at 5 MB, and walking on loses nothing', async () => {
  const rows = rowsNamed(30).map((row) => ({ ...row, text: 'x'.repeat(400_000) }));

  const pages = await walk(
    listOf(() => rows),
    1000,
  );

  expect(pages.length).toBe(3);
  expect(pages.flatMap(({ data }) => data.map(idOf))).toEqual(rows.map(idOf));
  for (const { data } of pages) expect(JSON.stringify(data).length).toBeLessThan(5_100_000);
});

test('a cursor of another part of the endpoint is refused', async () => {
  const source = listOf(() => rowsNamed(3));
  const first = await read(source, 1);
  const cursor = openCursor(first.pagination.nextCursor ?? '', owner);

  const other = page({ limit: 1, owner, ...(cursor && { cursor }) }, source, idOf, 'other');

  await expect(other).rejects.toMatchObject({ status: 400, errors: ['Cursor is invalid.'] });
});
