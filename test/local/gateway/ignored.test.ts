import { expect, test } from 'vitest';
import { routes } from '../../../lib/routes/routes.ts';
import { ignoredFields } from '../../../local/gateway/ignored.ts';

/** Fields of requests that no endpoint reads. */

const ignored = (line: string, body: unknown, query = '') => {
  const row = routes.find(({ method, path }) => `${method} ${path}` === line);
  if (!row) throw new Error(`There is no ${line}.`);
  return ignoredFields(row, new URLSearchParams(query), typeof body === 'string' ? body : JSON.stringify(body));
};

const product = {
  name: 'Lamp',
  price: 5,
  permissions: { copy: true },
  discount: { type: 0, value: 10, startDate: null },
  profitShares: [{ username: 'ada', percent: 10 }],
};

test('a request of known fields wastes none', () => {
  expect(ignored('POST /v1/products', product)).toEqual([]);
  expect(ignored('GET /v1/products', '', 'limit=5&search=x')).toEqual([]);
});

test('names unknown fields of the body by their paths, also in objects and lists, and of the query with a question mark', () => {
  const { discount, permissions } = product;
  const slips = {
    ...product,
    pric: 6,
    permissions: { ...permissions, coyp: true },
    discount: { ...discount, valeu: 5 },
    profitShares: [...product.profitShares, { username: 'bob', percent: 1, share: 2 }],
    __proto: {},
    constructor: 1,
  };

  expect(ignored('POST /v1/products', slips, 'dry&dry')).toEqual([
    '?dry',
    'permissions.coyp',
    'discount.valeu',
    'profitShares[1].share',
    'pric',
    '__proto',
    'constructor',
  ]);
});

test('says nothing of a body that the endpoint refuses or does not take', () => {
  for (const body of ['', '{"pric": ', '[]', 'null', '5']) expect(ignored('POST /v1/products', body)).toEqual([]);
  expect(ignored('GET /v1/products', { name: 'x' })).toEqual([]);
});
