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

/** Limits and cursors that are refused. Residents 48 and 49. */

/** A list that has a cursor: the products of a category. */
let list: string;
beforeAll(async () => {
  const { id } = await createCategory();
  list = `/v1/products?category=${id}`;
  for (let i = 0; i < 2; i++) await call('POST', `/v1/categories/${id}/products/${(await createProduct()).id}`);
});
const page = async (query: string) => (await get(`${list}${query}`)).body;

const lists = [
  '/v1/products',
  '/v1/categories',
  '/v1/customers',
  '/v1/coupons',
  ...(hasResidents ? [`/v1/customers/${resident(48).uuid}/giftcards`, `/v1/coupons/owner/${resident(48).uuid}`] : []),
];

const wrong = ['0', '1001', '-1', '1.5', '1e2', 'ten', '', '%201', '%2B1', '99999999999', '١'];

test.each(lists)(
  'error rule 7, limit 2, lists 17: %s refuses any limit but a whole number from 1 to 1000',
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

test.each(lists)('error rule 9, silent 9: %s refuses a made-up cursor', async (path) => {
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

  for (const path of lists.filter((path) => path !== '/v1/products'))
    expectProblem(await get(`${path}?cursor=${cursor}`), 400, path, ['Cursor is invalid.']);
});

test('statuses 14: reports all faults of a page at once', async () => {
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
  'on the local service (the edge of a deployment refuses a line of more than 10 KB)',
  () => {
    test('error rule 8: refuses a far too long cursor with the same message', async () => {
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
  test('silent 22: a cursor of customers works only with spentMoreThan, or only without it, as it was made', async () => {
    for (const number of [48, 49]) await call('PUT', `/v1/customers/${resident(number).uuid}`, { discount: 1 });
    const { nextCursor } = (await get('/v1/customers?limit=1')).body.pagination;

    expectProblem(await get(`/v1/customers?spentMoreThan=0&cursor=${nextCursor}`), 400, '/v1/customers', [
      'Cursor is invalid.',
    ]);
    expect((await get(`/v1/customers?newsSubscriber=false&cursor=${nextCursor}`)).status).toBe(200);
  });

  test.each(['/v1/customers/{identifier}/giftcards', '/v1/coupons/owner/{identifier}'])(
    'pagination rule 2: %s has pages like any list',
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
