import { beforeAll, describe, expect, test } from 'vitest';
import { call, createCategory, createProduct, get, target } from './target.ts';

/** Pages of a list that only this file writes to: the products of one category. Resident 48. */

const size = 10;

let list: string;

let ids: string[];

beforeAll(async () => {
  const { id } = await createCategory();
  list = `/v1/products?category=${id}`;
  const made = [];
  for (let i = 0; i < size; i++) made.push(await createProduct({ bloggable: i % 2 === 0 }));
  for (const product of made) await call('POST', `/v1/categories/${id}/products/${product.id}`);
  ids = made.map((product) => product.id);
});

interface Page {
  data: { id: string }[];
  pagination: { nextCursor: string | null; previousCursor: string | null; limit: number };
}

const page = async (query: string): Promise<Page> => (await get(`${list}${query}`)).body;

const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

test('pagination rule 1, limit 1: a list has data and pagination, and by default at most 100 rows', async () => {
  const answer = await page('');

  expect(Object.keys(answer)).toEqual(['data', 'pagination']);
  expect(answer.pagination).toEqual({ nextCursor: null, previousCursor: null, limit: 100 });
});

describe.runIf(target.local)('on the local service, whose demo has more than 200 products', () => {
  test('limit 1: a page has 100 rows by default', async () => {
    const { body } = await get('/v1/products');

    expect(body.data).toHaveLength(100);
    expect(body.pagination.nextCursor).toEqual(expect.any(String));
  });
});

test.each([1, 3, 4, 5, 9, 10, 11, 1000])(
  'pagination rule 2, lists 14, lists 15, lists 16: pages of %i lead forward and back over every row once',
  async (limit) => {
    const forward = [await page(`&limit=${limit}`)];
    for (let next = forward[0]?.pagination.nextCursor; next; next = forward.at(-1)?.pagination.nextCursor)
      forward.push(await page(`&limit=${limit}&cursor=${next}`));
    const backward = [];
    for (let back = forward.at(-1)?.pagination.previousCursor; back; back = backward[0]?.pagination.previousCursor)
      backward.unshift(await page(`&limit=${limit}&cursor=${back}`));

    expect(forward.flatMap(idsOf)).toEqual(ids);
    expect(forward.map(({ data }) => data.length)).toEqual(
      Array.from({ length: Math.ceil(size / limit) }, (_, index) => Math.min(limit, size - index * limit)),
    );
    expect(forward[0]?.pagination.previousCursor).toBeNull();
    expect(forward.slice(1).every(({ pagination }) => pagination.previousCursor !== null)).toBe(true);
    expect(backward.map(idsOf)).toEqual(forward.slice(0, -1).map(idsOf));
  },
);

test('pagination rule 3: nextCursor is null on the last page, the full one included', async () => {
  expect((await page(`&limit=${size}`)).pagination.nextCursor).toBeNull();
  expect((await page(`&limit=${size - 1}`)).pagination.nextCursor).toEqual(expect.any(String));
});

test('pagination rule 4: a cursor reveals nothing of its row', async () => {
  const { data, pagination } = await page('&limit=1');
  const { nextCursor } = pagination;

  const plain = Buffer.from(nextCursor ?? '', 'base64url').toString('latin1');
  expect(plain).not.toContain(data[0]?.id);
  expect(nextCursor).not.toContain(data[0]?.id);
});

test('pagination rule 5, silent 19, silent 20: rows are in the order of their ids, and so of their creation', async () => {
  expect(idsOf(await page(''))).toEqual(ids);
});

test('pagination rule 6, lists 12: the cursor has no filters: every request sends them again', async () => {
  const { pagination } = await page('&bloggable=true&limit=2');

  const filtered = await page(`&bloggable=true&limit=10&cursor=${pagination.nextCursor}`);
  const unfiltered = await page(`&limit=10&cursor=${pagination.nextCursor}`);

  expect(filtered.data).toHaveLength(3);
  expect(unfiltered.data.length).toBeGreaterThan(3);
});

test('lists 14: a filtered page is as full as any other', async () => {
  const first = await page('&bloggable=true&limit=3');
  const second = await page(`&bloggable=true&limit=3&cursor=${first.pagination.nextCursor}`);

  expect([first.data.length, second.data.length, second.pagination.nextCursor]).toEqual([3, 2, null]);
});

test('lists 15: a page behind the last row is empty, and leads back', async () => {
  const { id } = await createCategory();
  const made = [await createProduct(), await createProduct()];
  for (const product of made) await call('POST', `/v1/categories/${id}/products/${product.id}`);
  const { pagination } = (await get(`/v1/products?category=${id}&limit=1`)).body;
  await call('DELETE', `/v1/categories/${id}/products/${made[1].id}`);

  const { body } = await get(`/v1/products?category=${id}&limit=1&cursor=${pagination.nextCursor}`);
  const back = (await get(`/v1/products?category=${id}&limit=1&cursor=${body.pagination.previousCursor}`)).body;

  expect([body.data, body.pagination.nextCursor]).toEqual([[], null]);
  expect(idsOf(back)).toEqual([made[0].id]);
});
