import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { act, call, get, hasResidents, resident, statusOf, target, unique } from './target.ts';

/** The form of bodies and queries, and the Idempotency-Key. Resident 53. */

test('statuses 10: the Content-Type of a body does not matter', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8', 'nonsense'])
    expect(
      (await call('POST', '/v1/categories', { name: 'Seats' }, { headers: { 'Content-Type': type } })).status,
    ).toBe(201);
  expect((await call('POST', '/v1/categories', 'name=Seats')).status).toBe(400);
});

test('statuses 10: a byte order mark before a body is ignored', async () => {
  expect((await call('POST', '/v1/categories', '\ufeff{"name":"x"}')).status).toBe(201);
});

test('statuses 10: a body with two byte order marks, a trailing comma or two values is no JSON', async () => {
  for (const body of ['\ufeff\ufeff{"name":"x"}', '{"name":"x",}', '{"name":"x"}{}', 'undefined', '"', '{"name":"x"'])
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

test('statuses 10: 400s for bytes that are not UTF-8, and for U+FFFD, which replaces such bytes', async () => {
  const send = (body: string | Buffer<ArrayBuffer>) =>
    fetch(`${target.baseUrl}/v1/categories`, { method: 'POST', headers: { 'X-API-Key': target.key }, body });

  const answers = await Promise.all([
    send(Buffer.from('{"name":"Caf\u00e9"}', 'latin1')),
    send(Buffer.from('{"name":"Seats","unknown":["Caf\u00e9"]}', 'latin1')),
    send('{"name":"Caf\ufffd"}'),
    send('{"name":"Caf\\ufffd"}'),
  ]);

  for (const answer of answers) {
    const { errors } = await answer.json();
    expect([answer.status, errors]).toEqual([400, ['The body must be UTF-8 text without U+FFFD.']]);
  }
});

test.each(['search=%FF', 'search=Caf%C3', 'category=%EF%BF%BD', 'search=%zz', 'search=100%'])(
  'statuses 18: 400s for the query %s, whose bytes are not UTF-8',
  async (query) => {
    const answer = await get(`/v1/products?${query}`);

    expect([answer.status, answer.body.status]).toEqual([400, 400]);
    expect((await get(`/v1/products?${query.replace(/^\w+/, 'unknown')}`)).status).toBe(200);
  },
);

test('silent 50: a body may nest 2,000 levels deep', async () => {
  const body = `{"name":"Seats","deep":${'['.repeat(1999)}${']'.repeat(1999)}}`;

  expect((await call('POST', '/v1/categories', body)).status).toBe(201);
});

test('statuses 10: blanks around a body are ignored', async () => {
  expect((await call('POST', '/v1/categories', ' \r\n\t{"name":"x"}\n ')).status).toBe(201);
});

test('text 27: unknown query parameters and body fields are ignored', async () => {
  const { body } = await call('POST', '/v1/categories?x=1&y', { name: 'Seats', colour: 'red', nested: { deep: [1] } });

  expect(Object.keys(body).sort()).toEqual(['id', 'name', 'productCount']);
});

test.each(['limit=5&limit=5', 'search=a&search=b', 'listed=true&listed=true', 'cursor=&cursor='])(
  'text 28: %s is 400, since the parameter is repeated',
  async (query) => {
    const { status, body } = await get(`/v1/products?${query}`);

    expect(status).toBe(400);
    expect(body.errors).toContain(`${query.split('=')[0]} must be given once.`);
  },
);

test('silent 8: an unknown parameter may be repeated', async () => {
  expect((await get('/v1/products?limit=1&x=1&x=2&constructor=1&__proto__=2&toString=3')).status).toBe(200);
});

test.each(['limit', 'Limit', 'LIMIT'])('text 27: the names of parameters are case-sensitive (%s=0)', async (name) => {
  expect((await get(`/v1/products?${name}=0`)).status).toBe(name === 'limit' ? 400 : 200);
});

test('silent 10: an empty boolean is 400', async () => {
  expectProblem(await get('/v1/products?listed='), 400, '/v1/products', ['listed must be true or false.']);
});

test('statuses 10, silent 16: 400s for members that could change a prototype; others are unknown fields', async () => {
  for (const odd of ['"__proto__":{"name":"evil"}', '"constructor":{"prototype":{"name":"evil"}}'])
    for (const member of [odd, `"nested":[{${odd}}]`])
      expectProblem(await call('POST', '/v1/categories', `{"name":"Seats",${member}}`), 400, '/v1/categories', [
        'The body must not have a member __proto__, nor a constructor with a prototype.',
      ]);
  const harmless = '"constructor":{"name":"evil"},"prototype":{"name":"evil"},"toString":1';
  expectProblem(await call('POST', '/v1/categories', `{${harmless}}`), 400, '/v1/categories', [
    expect.stringMatching(/^name is required/),
  ]);
  expect((await call('POST', '/v1/categories', `{${harmless},"name":"Seats"}`)).body.name).toBe('Seats');
});

describe.runIf(target.local)('on the local service (the edge of a deployment may refuse a GET with a body)', () => {
  test('text 27: an endpoint without a body ignores a sent one', async () => {
    const headers = { 'X-API-Key': target.key, 'Content-Length': 1 };

    expect(await statusOf('/v1/products?limit=1', headers, '{')).toBe(200);
  });
});

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(53).uuid;
  const increment = (key: string, body: object) =>
    act(customer, 'increment-credit', body, { headers: { 'Idempotency-Key': key } });

  test('silent 36: two equal requests under one Idempotency-Key change once, and get the same answer', async () => {
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
