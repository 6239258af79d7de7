import { beforeAll, expect, test } from 'vitest';
import { details } from '../../../lib/problem.ts';
import { db, dbOnce } from '../../../lib/table/client.ts';
import { logLines } from '../../support/log.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let category: string;
let product: string;

beforeAll(async () => {
  service = await startTestService();
  category = (await service.call('POST', '/v1/categories', { name: 'Chairs' })).body.id;
  product = (await service.call('POST', '/v1/products', { name: 'Chair', price: 5 })).body.id;
});

const notUtf8 = 'The query must be UTF-8 text without U+FFFD.';
const notJson = 'The body must be a JSON object.';
const nameNeeded = 'name is required: it must be text of 1 to 255 characters without control characters.';

/** Refused requests: the fault, the request, the status and the messages. */
const refused: [fault: string, method: string, path: () => string, body: unknown, status: number, errors?: string[]][] =
  [
    ['malformed JSON', 'POST', () => '/v1/categories', '{"name":', 400, [notJson]],
    ['an array', 'POST', () => '/v1/categories', '[]', 400, [notJson]],
    ['a number', 'POST', () => '/v1/categories', '7', 400, [notJson]],
    ['a text', 'POST', () => '/v1/categories', '"name"', 400, [notJson]],
    ['null', 'POST', () => '/v1/categories', 'null', 400, [notJson]],
    ['no body', 'POST', () => '/v1/categories', undefined, 400, [notJson]],
    ['an object without its field', 'POST', () => '/v1/categories', '{}', 400, [nameNeeded]],
    [
      'a field that is only inherited',
      'POST',
      () => '/v1/categories',
      '{"__proto__":{"name":"x"}}',
      400,
      ['The body must not have a member __proto__, nor a constructor with a prototype.'],
    ],
    [
      '300 KiB',
      'POST',
      () => '/v1/categories',
      { name: 'x'.repeat(300 * 1024) },
      400,
      ['The body must be at most 256 KiB.'],
    ],
    ['deep nesting', 'POST', () => '/v1/categories', `${'['.repeat(100_000)}`, 400, [notJson]],
    ['limit=0', 'GET', () => '/v1/categories?limit=0', undefined, 400, ['Limit must be between 1 and 1000.']],
    ['limit=1001', 'GET', () => '/v1/categories?limit=1001', undefined, 400, ['Limit must be between 1 and 1000.']],
    ['limit=1e2', 'GET', () => '/v1/categories?limit=1e2', undefined, 400, ['Limit must be between 1 and 1000.']],
    ['an empty limit', 'GET', () => '/v1/categories?limit=', undefined, 400, ['Limit must be between 1 and 1000.']],
    ['limit twice', 'GET', () => '/v1/categories?limit=1&limit=1', undefined, 400, ['limit must be given once.']],
    [
      'a long cursor',
      'GET',
      () => `/v1/categories?cursor=${'x'.repeat(2000)}`,
      undefined,
      400,
      ['Cursor is too long.'],
    ],
    [
      '1025 characters',
      'GET',
      () => `/v1/categories?cursor=${'x'.repeat(1025)}`,
      undefined,
      400,
      ['Cursor is too long.'],
    ],
    [
      '1024 characters',
      'GET',
      () => `/v1/categories?cursor=${'x'.repeat(1024)}`,
      undefined,
      400,
      ['Cursor is invalid.'],
    ],
    ['an empty cursor', 'GET', () => '/v1/categories?cursor=', undefined, 400, ['Cursor is invalid.']],
    ['listed=yes', 'GET', () => '/v1/products?listed=yes', undefined, 400, ['listed must be true or false.']],
    ['%FF in a query', 'GET', () => '/v1/products?search=%FF', undefined, 400, [notUtf8]],
    ['half a letter in a query', 'GET', () => '/v1/products?search=Caf%C3', undefined, 400, [notUtf8]],
    ['%zz in a query', 'GET', () => '/v1/products?search=%zz', undefined, 400, [notUtf8]],
    ['a percent sign alone in a query', 'GET', () => '/v1/products?search=100%', undefined, 400, [notUtf8]],
    ['%zz in a GET', 'GET', () => '/v1/categories/%zz', undefined, 404],
    [
      '%zz in a PUT',
      'PUT',
      () => '/v1/categories/%zz',
      { name: 'y' },
      400,
      ['The path has a malformed percent-encoding.'],
    ],
    ['no UUID in a GET', 'GET', () => '/v1/categories/x', undefined, 404],
    ['no UUID in a PUT', 'PUT', () => '/v1/categories/x', { name: 'y' }, 400, ['id must be a UUID.']],
    ['no UUID in a DELETE', 'DELETE', () => '/v1/categories/x', undefined, 400, ['id must be a UUID.']],
    [
      'a name in the place of a UUID',
      'POST',
      () => '/v1/products',
      { name: 'Chair', price: 1, profitShares: [{ userUuid: 'ada', percent: 1 }] },
      400,
      ['profitShares[0].userUuid must be the UUID of an avatar.'],
    ],
    ['the nil UUID', 'GET', () => '/v1/categories/00000000-0000-0000-0000-000000000000', undefined, 404],
    ['an encoded slash', 'GET', () => '/v1/categories/a%2Fb', undefined, 404],
    ['the nil UUID of a resident', 'GET', () => '/v1/customers/00000000-0000-0000-0000-000000000000', undefined, 400],
    ['an unknown route', 'GET', () => '/v1/nothing', undefined, 404],
    ['an unsupported method', 'DELETE', () => '/v1/categories', undefined, 404],
    ['a slash at the end', 'GET', () => '/v1/categories/', undefined, 404],
    ['a missing row', 'PUT', () => `/v1/categories/${product}`, { name: 'y' }, 404],
  ];

test.each(refused)('refuses %s, and writes nothing', async (_, method, path, body, status, errors) => {
  const before = await wholeTable();

  const answer = await service.call(method, path(), body);

  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('x-request-id')).toMatch(/.{8,}/);
  expect(answer.body.instance).toBe(path().split('?')[0]);
  const members = ['detail', 'instance', 'status', 'title', ...(answer.body.errors ? ['errors'] : [])];
  expect(Object.keys(answer.body).sort()).toEqual(members.sort());
  expect('errors' in answer.body).toBe(status === 400);
  if (errors) expect([answer.body.errors, answer.body.detail]).toEqual([errors, errors.join(' ')]);
  expect(await wholeTable()).toEqual(before);
});

test('404s for ids of another store, and writes nothing', async () => {
  const before = await wholeTable();

  const answers = await Promise.all([
    service.callOther('GET', `/v1/categories/${category}`),
    service.callOther('PUT', `/v1/categories/${category}`, { name: 'Mine' }),
    service.callOther('DELETE', `/v1/categories/${category}`),
    service.callOther('GET', `/v1/products/${product}`),
    service.callOther('PUT', `/v1/products/${product}`, { name: 'Mine', price: 1 }),
    service.callOther('POST', `/v1/categories/${category}/products/${product}`),
    service.callOther('DELETE', `/v1/categories/${category}/products/${product}`),
  ]);

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  expect((await service.callOther('GET', '/v1/products')).body.data).toEqual([]);
  expect((await service.callOther('GET', '/v1/categories')).body.data).toEqual([]);
  expect(await wholeTable()).toEqual(before);
});

test('reports all faults of path, query and body at once', async () => {
  const put = await service.call('PUT', '/v1/products/x', { price: -1, active: 'no' });
  const list = await service.call('GET', '/v1/products?limit=0&cursor=zz&listed=1&search=%00&category=x');

  expect(put.body.errors).toEqual([
    'id must be a UUID.',
    nameNeeded,
    'price must be a whole number from 0 to 2147483647.',
    'active must be true or false.',
  ]);
  expect(list.body.errors).toEqual([
    'Limit must be between 1 and 1000.',
    'listed must be true or false.',
    'category must be a UUID.',
    'search must be text of at most 100 characters without control characters.',
    'Cursor is invalid.',
  ]);
});

test('takes any Content-Type and 256 KiB, and ignores unknown fields and parameters', async () => {
  const padding = 'x'.repeat(256 * 1024 - JSON.stringify({ name: 'Chairs', padding: '' }).length);
  const types = [{}, { 'Content-Type': 'text/plain' }, { 'Content-Type': 'application/xml' }];

  for (const headers of types) {
    const path = '/v1/categories?unknown=1&unknown=2';
    expect((await service.call('POST', path, { name: 'Chairs', padding }, headers)).status).toBe(201);
  }
  expect((await service.call('POST', '/v1/categories', { name: 'Chairs', padding: `${padding}x` })).status).toBe(400);
});

test('the path of what was made, the number of a change and the ETag stand in headers of their own answers alone', async () => {
  const made = await service.call('POST', '/v1/categories', { name: 'Lamps' });
  const path = `/v1/categories/${made.body.id}`;
  const gift = { delta: 5 };
  const { uuid } = await newResident();
  const changed = await service.call('POST', `/v1/customers/${uuid}/actions/increment-credit`, gift);
  const read = await service.call('GET', path);
  const readCustomer = await service.call('GET', `/v1/customers/${uuid}`);
  const refused = await service.call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: -9 });

  const names = ['location', 'credit-sequence', 'delivery-id', 'etag'];
  const headersOf = ({ headers }: typeof made) => names.map((name) => headers.get(name));
  expect(headersOf(made)).toEqual([path, null, null, made.headers.get('etag')]);
  expect(headersOf(changed)).toEqual([null, '1', null, null]);
  expect(headersOf(read)).toEqual([null, null, null, expect.stringMatching(/^".+"$/)]);
  expect(headersOf(readCustomer)).toEqual([null, null, null, expect.stringMatching(/^".+"$/)]);
  expect([refused.status, ...headersOf(refused)]).toEqual([400, null, null, null, null]);
});

test('every answer has X-Request-Id and the security headers; only an answer with a body has a Content-Type', async () => {
  const answer = await service.call('POST', `/v1/categories/${category}/products/${product}`);

  expect(answer.status).toBe(204);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('content-type')).toBeNull();
  expect(answer.body).toBeUndefined();
});

/** Makes every call to the table fail while `work` runs. */
const withTableFailing = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  for (const client of [db, dbOnce])
    client.middlewareStack.add(() => () => Promise.reject(Object.assign(new Error('secret detail'), { name })), {
      step: 'initialize',
      name: 'failing',
      priority: 'high',
    });
  try {
    return await work();
  } finally {
    for (const client of [db, dbOnce]) client.middlewareStack.remove('failing');
  }
};

test('503s with Retry-After when the table is throttled or gives no answer, and 500s without a detail for a bug', async () => {
  const path = `/v1/categories/${category}`;
  const before = await wholeTable();

  // Without the gateway, since the authorizer also reads the table.
  const { handler } = await import('../../../functions/categories/update-category.ts');
  const send = () =>
    handler(
      {
        pathParameters: { id: category },
        body: '{"name":"New"}',
        requestContext: { path, requestId: 'r-1', authorizer: { store: service.store, keyId: 'k-1' } },
      } as never,
      {} as never,
    );
  const throttled = await withTableFailing('ThrottlingException', send);
  const broken = await withTableFailing('TypeError', send);
  const unanswered = await withTableFailing('TimeoutError', send);

  expect([throttled.statusCode, throttled.headers?.['Retry-After']]).toEqual([503, '1']);
  expect(JSON.parse(throttled.body).detail).toBe(details.unavailable);
  expect([unanswered.statusCode, unanswered.headers?.['Retry-After']]).toEqual([503, '1']);
  expect(JSON.parse(unanswered.body)).toEqual({
    status: 503,
    title: 'Service Unavailable',
    detail: details.unknownEnd,
    instance: path,
  });
  expect(broken.statusCode).toBe(500);
  expect(JSON.parse(broken.body)).toEqual({
    status: 500,
    title: 'Internal Server Error',
    detail: 'An unexpected error occurred.',
    instance: path,
  });
  expect(await wholeTable()).toEqual(before);
});

test('the log line of a request has the documented fields, and the log holds no key, body or message', async () => {
  const secret = 'only in the body';
  logLines.length = 0;

  await service.call('POST', '/v1/categories', { name: secret }, { 'Idempotency-Key': 'hush-hush' });
  await service.call('POST', '/v1/categories', { name: secret.repeat(100) });

  const [line] = logLines;
  expect(Object.keys(line ?? {}).sort()).toEqual(
    ['calls', 'keyId', 'level', 'milliseconds', 'requestId', 'route', 'status', 'steps', 'store', 'units'].sort(),
  );
  expect(line).toMatchObject({ route: 'categories/create-category', status: 201, store: service.store });
  const text = JSON.stringify(logLines);
  for (const hidden of [secret, service.key, service.key.slice(22), 'hush-hush']) expect(text).not.toContain(hidden);
});

test('an answer has no field that the response schema does not declare', async () => {
  const { body } = await service.call('GET', `/v1/products/${product}`);

  for (const hidden of ['pk', 'sk', 'flags', 'text', 'texts', 'listed']) expect(body).not.toHaveProperty(hidden);
});
