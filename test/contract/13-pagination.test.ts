import { beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  call,
  createCategory,
  createProduct,
  get,
  grantCard,
  hasResidents,
  resident,
  target,
  unique,
} from './target.ts';

/** Pages and cursors, on a list that nobody else writes to: the products of a category of this file's own. Residents 48 and 49. */

const size = 10;
let list: string;
let ids: string[];
beforeAll(async () => {
  const { id } = await createCategory();
  list = `/v1/products?category=${id}`;
  const made = [];
  for (let i = 0; i < size; i++) made.push(await createProduct({ bloggable: i % 2 === 0 }));
  for (const product of made) await call('POST', `/v1/categories/${id}/products/${product.id}`);
  ids = made.map((product) => product.id).sort();
});

interface Page {
  data: { id: string }[];
  pagination: { nextCursor: string | null; previousCursor: string | null; limit: number };
}
const page = async (query: string): Promise<Page> => (await get(`${list}${query}`)).body;
const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

const lists = ['/v1/products', '/v1/categories', '/v1/customers', '/v1/coupons'];

test('pagination rule 1, limit 1: a list has data and pagination, and 100 rows at most where no limit is sent', async () => {
  const answer = await page('');

  expect(Object.keys(answer)).toEqual(['data', 'pagination']);
  expect(answer.pagination).toEqual({ nextCursor: null, previousCursor: null, limit: 100 });
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

    expect(forward.flatMap(idsOf).sort()).toEqual(ids);
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

test('pagination rule 4: a cursor says nothing of the row that it stands at', async () => {
  const { data, pagination } = await page('&limit=1');
  const { nextCursor } = pagination;

  const plain = Buffer.from(nextCursor ?? '', 'base64url').toString('latin1');
  expect(plain).not.toContain(data[0]?.id);
  expect(nextCursor).not.toContain(data[0]?.id);
});

test('pagination rule 5, silent 19, silent 20: rows are in the order of their ids, which is that of their creation', async () => {
  expect(idsOf(await page(''))).toEqual(ids);
});

test('pagination rule 6, lists 12: the cursor carries no filters, which are sent again on every page', async () => {
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

const wrong = ['0', '1001', '-1', '1.5', '1e2', 'ten', '', '%201', '%2B1', '99999999999', '١'];
test.each(lists)(
  'error rule 7, limit 2, lists 17: %s refuses a limit that is no whole number from 1 to 1000',
  async (path) => {
    for (const limit of wrong)
      expectProblem(await get(`${path}?limit=${limit}`), 400, path, ['Limit must be between 1 and 1000.']);
    for (const limit of [1, 1000]) expect((await get(`${path}?limit=${limit}`)).body.pagination.limit).toBe(limit);
  },
);

test.each(lists)('error rule 8, lists 11: %s refuses a cursor of more than 1024 characters', async (path) => {
  expectProblem(await get(`${path}?cursor=${'A'.repeat(1025)}`), 400, path, ['Cursor is too long.']);
  expectProblem(await get(`${path}?cursor=${'A'.repeat(1024)}`), 400, path, ['Cursor is invalid.']);
});

test.each(lists)('error rule 9, silent 9: %s refuses a cursor that it did not make', async (path) => {
  for (const cursor of ['', 'x', '%00', 'null', 'eyJpZCI6MX0', '%F0%9F%8E%81', "'%20OR%201=1"])
    expectProblem(await get(`${path}?cursor=${cursor}`), 400, path, ['Cursor is invalid.']);
});

test('error rule 9, lists 13: a cursor with one changed, missing or added character is invalid', async () => {
  const cursor = (await page('&limit=1')).pagination.nextCursor ?? '';
  const changed = [...cursor].map(
    (character, at) => cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
  );

  for (const other of [
    ...changed,
    cursor.slice(0, -1),
    cursor.slice(1),
    `${cursor}A`,
    `${cursor}=`,
    `${cursor}%20`,
    cursor.toUpperCase(),
  ])
    expectProblem(await get(`${list}&cursor=${other}`), 400, '/v1/products', ['Cursor is invalid.']);
});

test('lists 13: a cursor works in no other list', async () => {
  const cursor = (await page('&limit=1')).pagination.nextCursor;

  for (const path of ['/v1/categories', '/v1/customers', '/v1/coupons'])
    expectProblem(await get(`${path}?cursor=${cursor}`), 400, path, ['Cursor is invalid.']);
});

test('statuses 14: all faults of a page are told at once, and a cursor given twice is no cursor', async () => {
  expectProblem(
    await get(`/v1/products?limit=x&cursor=${'A'.repeat(2000)}&listed=maybe&category=1`),
    400,
    '/v1/products',
    [
      'Limit must be between 1 and 1000.',
      'Cursor is too long.',
      'listed must be true or false.',
      'category must be a UUID.',
    ],
  );
});

describe.runIf(target.local)(
  'on the local service (what stands before a deployment refuses a line of more than 10 KB)',
  () => {
    test('error rule 8: a cursor may be too long by far', async () => {
      expectProblem(await get(`/v1/products?cursor=${'A'.repeat(100_000)}`), 400, '/v1/products', [
        'Cursor is too long.',
      ]);
    });
  },
);

describe.runIf(target.otherKey)('with a key of another store (CONTRACT_OTHER_KEY)', () => {
  test('lists 13: a cursor works in no other store', async () => {
    const cursor = (await page('&limit=1')).pagination.nextCursor;

    const answer = await call('GET', `/v1/products?cursor=${cursor}`, undefined, { key: target.otherKey });

    expectProblem(answer, 400, '/v1/products', ['Cursor is invalid.']);
  });
});

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  test('silent 22: a customers cursor works only with spentMoreThan if it was made with it, and only without if not', async () => {
    for (const number of [48, 49]) await call('PUT', `/v1/customers/${resident(number).uuid}`, { discount: 1 });
    const { nextCursor } = (await get('/v1/customers?limit=1')).body.pagination;

    expectProblem(await get(`/v1/customers?spentMoreThan=0&cursor=${nextCursor}`), 400, '/v1/customers', [
      'Cursor is invalid.',
    ]);
    expect((await get(`/v1/customers?newsSubscriber=false&cursor=${nextCursor}`)).status).toBe(200);
  });

  test.each(['/v1/customers/{identifier}/giftcards', '/v1/coupons/owner/{identifier}'])(
    'pagination rule 2: %s has pages like every list',
    async (template) => {
      const { uuid, username } = resident(48);
      for (let i = 0; i < 3; i++) {
        await grantCard(uuid);
        await call('POST', '/v1/coupons', { code: unique('Page'), ownerIdentifier: uuid });
      }
      const path = template.replace('{identifier}', uuid);

      const first = (await get(`${path}?limit=2`)).body;
      // The same resident under another name has the same list.
      const second = (
        await get(`${template.replace('{identifier}', username)}?limit=2&cursor=${first.pagination.nextCursor}`)
      ).body;
      const back = (await get(`${path}?limit=2&cursor=${second.pagination.previousCursor}`)).body;

      expect(first.data).toHaveLength(2);
      expect(second.data.length).toBeGreaterThan(0);
      expect(back.data).toEqual(first.data);
    },
  );
});
