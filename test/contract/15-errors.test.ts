import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  act,
  call,
  createCategory,
  createProduct,
  get,
  hasResidents,
  prefix,
  resident,
  target,
  unique,
  unknownUuid,
} from './target.ts';

/** Errors, headers and what requests may carry besides. Resident 53. */

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

test('statuses 14: the faults of path, query and body are told at once', async () => {
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

test('statuses 15, silent 26: every answer has X-Request-Id and Cache-Control: no-store', async () => {
  const { id } = await createCategory();
  const answers = [
    await get('/v1/products?limit=1'),
    await call('POST', '/v1/products', { name: 'Chair', price: 1 }),
    await get('/v1/products?limit=0'),
    await get(`/v1/products/${unknownUuid}`),
    await get('/v1/nothing'),
    await call('GET', '/v1/products', undefined, { key: 'x' }),
    await call('DELETE', `/v1/categories/${id}`),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 201, 400, 404, 404, 401, 204]);
  expect(answers.every(({ headers }) => headers.get('cache-control') === 'no-store')).toBe(true);
  const requests = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
  expect(requests.every((request) => request !== '')).toBe(true);
  expect(new Set(requests).size).toBe(answers.length);
});

test('error rule 6: a 204 has no body and no content type', async () => {
  const { id } = await createCategory();

  const { status, body, headers } = await call('DELETE', `/v1/categories/${id}`);

  expect([status, body, headers.get('content-type')]).toEqual([204, undefined, null]);
});

test('statuses 10: what counts is the body, not its Content-Type', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8', 'nonsense'])
    expect(
      (await call('POST', '/v1/categories', { name: 'Seats' }, { headers: { 'Content-Type': type } })).status,
    ).toBe(201);
  expect((await call('POST', '/v1/categories', 'name=Seats')).status).toBe(400);
});

test('statuses 10: a body with a byte order mark, a trailing comma or two values is no JSON', async () => {
  for (const body of ['\ufeff{"name":"x"}', '{"name":"x",}', '{"name":"x"}{}', 'undefined', '"', '{"name":"x"'])
    expectProblem(await call('POST', '/v1/categories', body), 400, '/v1/categories', [
      'The body must be a JSON object.',
    ]);
});

test('silent 28: a body of 1 MB is 400', async () => {
  const body = JSON.stringify({ name: 'Seats', padding: 'x'.repeat(1_000_000) });

  expectProblem(await call('POST', '/v1/categories', body), 400, '/v1/categories', [
    'The body must be at most 256 KiB.',
  ]);
});

test('silent 50: bytes that are no UTF-8 are read as U+FFFD', async () => {
  const response = await fetch(`${target.baseUrl}/v1/categories`, {
    method: 'POST',
    headers: { 'X-API-Key': target.key },
    body: Buffer.from('{"name":"Caf\u00e9"}', 'latin1'),
  });
  const { id, name } = await response.json();
  await call('DELETE', `/v1/categories/${id}`);

  expect(name).toBe('Caf\ufffd');
});

test('statuses 10: blanks around a body do no harm', async () => {
  expect((await call('POST', '/v1/categories', ' \r\n\t{"name":"x"}\n ')).status).toBe(201);
});

test('text 27: unknown query parameters and body fields are ignored', async () => {
  const { body } = await call('POST', '/v1/categories?x=1&y', { name: 'Seats', colour: 'red', nested: { deep: [1] } });

  expect(Object.keys(body).sort()).toEqual(['id', 'name', 'productCount']);
});

test.each(['limit=5&limit=5', 'search=a&search=b', 'listed=true&listed=true', 'cursor=&cursor='])(
  'text 28: %s is 400, since it is given twice',
  async (query) => {
    const { status, body } = await get(`/v1/products?${query}`);

    expect(status).toBe(400);
    expect(body.errors).toContain(`${query.split('=')[0]} must be given once.`);
  },
);

test('silent 8: an unknown parameter may be given twice', async () => {
  expect((await get('/v1/products?limit=1&x=1&x=2&constructor=1&__proto__=2&toString=3')).status).toBe(200);
});

test.each(['limit', 'Limit', 'LIMIT'])('text 27: the name of a parameter has its case (%s=0)', async (name) => {
  expect((await get(`/v1/products?${name}=0`)).status).toBe(name === 'limit' ? 400 : 200);
});

test('silent 10: an empty boolean is 400', async () => {
  expectProblem(await get('/v1/products?listed='), 400, '/v1/products', ['listed must be true or false.']);
});

test('silent 16: members named __proto__ and the like are unknown fields', async () => {
  const odd = '"__proto__":{"name":"evil","price":1},"constructor":{"prototype":{"name":"evil"}},"toString":1';

  expectProblem(await call('POST', '/v1/categories', `{${odd}}`), 400, '/v1/categories', [
    expect.stringMatching(/^name is required/),
  ]);
  expect((await call('POST', '/v1/categories', `{${odd},"name":"Seats"}`)).body.name).toBe('Seats');
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

/** A GET with a body, which fetch does not send. */
const getWithBody = (path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const url = new URL(target.baseUrl + path);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const headers = { 'X-API-Key': target.key, 'Content-Length': 1 };
    const request = send(url, { headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject).end('{');
  });

describe.runIf(target.local)(
  'on the local service (what stands before a deployment may refuse a GET with a body)',
  () => {
    test('text 27: the body of an endpoint that takes none is ignored', async () => {
      expect(await getWithBody('/v1/products?limit=1')).toBe(200);
    });
  },
);

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(53).uuid;
  const increment = (key: string, body: object) =>
    act(customer, 'increment-credit', body, { headers: { 'Idempotency-Key': key } });

  test('silent 36: the same request under one Idempotency-Key is made once and answered twice', async () => {
    await act(customer, 'set-credit', { credit: 0 });
    const key = unique('key').replace(' ', '-');

    const answers = [
      await increment(key, { delta: 5 }),
      await increment(key, { delta: 5 }),
      await increment(`"${key}"`, { delta: 5 }),
    ];
    const other = await increment(key, { delta: 6 });

    expect(answers.map(({ status, body }) => [status, body.credit])).toEqual(Array(3).fill([200, 5]));
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true', 'true']);
    expect(other.status).toBe(422);
    expect((await get(`/v1/customers/${customer}/credit`)).body.credit).toBe(5);
  });

  test('silent 37: a refused request keeps no record under its Idempotency-Key', async () => {
    await act(customer, 'set-credit', { credit: 0 });
    const key = unique('key').replace(' ', '-');

    const refused = await increment(key, { delta: -5 });
    await act(customer, 'set-credit', { credit: 5 });
    const made = await increment(key, { delta: -5 });

    expect([refused.status, made.status, made.body.credit]).toEqual([400, 200, 0]);
  });

  test('silent 36: a malformed Idempotency-Key is 400, and changes nothing', async () => {
    await act(customer, 'set-credit', { credit: 9 });

    for (const key of ['a b', 'x'.repeat(256), '""', 'é'.normalize('NFC')])
      expect((await increment(key, { delta: 1 })).status).toBe(400);
    expect((await get(`/v1/customers/${customer}/credit`)).body.credit).toBe(9);
  });
});
