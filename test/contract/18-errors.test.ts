import { expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { call, createCategory, createProduct, get, prefix, target, unknownUuid } from './target.ts';

/** Errors, their headers, and unknown paths. */

test('error rule 1, statuses 13: an error has exactly the members of problem+json', async () => {
  const { body, headers } = await get('/v1/products?limit=0');

  expect(body).toEqual({
    status: 400,
    title: 'Bad Request',
    detail: 'Limit must be between 1 and 1000.',
    instance: `${prefix}/v1/products`,
    errors: ['Limit must be between 1 and 1000.'],
  });
  expect(headers.get('content-type')).toBe('application/problem+json');
});

test('error rule 2: titles are short labels of the status', async () => {
  const titles = [
    (await get('/v1/products?limit=0')).body.title,
    (await get(`/v1/products/${unknownUuid}`)).body.title,
    (await call('GET', '/v1/products', undefined, { key: 'x' })).body.title,
  ];

  expect(titles).toEqual(['Bad Request', 'Not Found', 'Unauthorized']);
});

test('error rule 3: detail joins all messages into one text', async () => {
  const { body } = await call('POST', '/v1/products', { name: '', price: -1 });

  expect(body.errors).toHaveLength(2);
  expect(body.detail).toBe(body.errors.join(' '));
});

test('error rule 4, silent 17: instance is the path as it was sent, without the query', async () => {
  for (const path of ['/v1/customers/A..B', '/v1/customers/a%2E%2Eb%20c', '/v1/nothing/at%20all'])
    expect((await get(`${path}?x=1`)).body.instance).toBe(prefix + path);
});

test('error rule 5: the detail of a missing resource is one generic text, without errors', async () => {
  const details = [];
  for (const path of ['/v1/products', '/v1/coupons', '/v1/giftcards', '/v1/categories', '/v1/customers'])
    details.push((await get(`${path}/${unknownUuid}`)).body);

  expect(new Set(details.map(({ detail }) => detail)).size).toBe(1);
  expect(details.every((body) => !('errors' in body))).toBe(true);
});

test('statuses 14: reports the faults of path, query and body at once', async () => {
  const path = '/v1/products/x';

  expectProblem(await call('PUT', path, { name: ' ', price: '5', active: 'yes', discount: { type: 9 } }), 400, path, [
    'id must be a UUID.',
    expect.stringMatching(/^name must be/),
    expect.stringMatching(/^price must be/),
    expect.stringMatching(/^discount\.type must be/),
    'active must be true or false.',
  ]);
  expectProblem(await call('POST', '/v1/categories/x/products/y'), 400, '/v1/categories/x/products/y', [
    'id must be a UUID.',
    'productId must be a UUID.',
  ]);
});

test('statuses 15, silent 26: every answer has X-Request-Id, and headers against caching, content sniffing and plain HTTP', async () => {
  const { id } = await createCategory();
  const answers = [
    await get('/v1/products?limit=1'),
    await call('POST', '/v1/products', { name: 'Chair', price: 1 }),
    await get('/v1/products?limit=0'),
    await get(`/v1/products/${unknownUuid}`),
    await get('/v1/nothing'),
    // A key of valid shape, which a firewall lets through.
    await call('GET', '/v1/products', undefined, {
      key: `${target.key.slice(0, -1)}${target.key.endsWith('A') ? 'B' : 'A'}`,
    }),
    await call('DELETE', `/v1/categories/${id}`),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 201, 400, 404, 404, 401, 204]);
  for (const { headers } of answers) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  }
  const requests = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
  expect(requests.every((request) => request !== '')).toBe(true);
  expect(new Set(requests).size).toBe(answers.length);
});

test('error rule 6: a 204 has no body, and no Content-Type except the default of API Gateway', async () => {
  const { id } = await createCategory();

  const { status, body, headers } = await call('DELETE', `/v1/categories/${id}`);

  expect([status, body]).toEqual([204, undefined]);
  expect(target.local ? [null] : [null, 'application/json']).toContain(headers.get('content-type'));
});

test('statuses 9: HEAD is an unsupported method, and its 404 has no body', async () => {
  const response = await fetch(`${target.baseUrl}/v1/products`, {
    method: 'HEAD',
    headers: { 'X-API-Key': target.key },
  });

  expect([response.status, await response.text()]).toEqual([404, '']);
});

test('statuses 9: a path with a slash too many, another case or more segments is 404', async () => {
  const { id } = await createProduct();

  for (const path of [
    '/v1/products/',
    '/v1//products',
    '/v1/Products',
    `/v1/products/${id}/`,
    `/v1/products/${id}/deliver`,
    `/v1/products/${id}/actions`,
  ])
    expectProblem(await get(path), 404, path);
});
