import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, onTestFinished, test } from 'vitest';
import { handler } from '../../functions/authorizer.ts';
import { timestamp } from '../../lib/clock.ts';
import { usageKeyOf } from '../../lib/http/usage-key.ts';
import { parseKey } from '../../lib/keys.ts';
import { createStore, deleteStore } from '../../lib/operator/stores.ts';
import { takesKeys } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { findKey, revokeKey } from '../../lib/store/api-keys.ts';
import { issueKey } from '../../lib/store/issued-keys.ts';

import { metered, newMeter } from '../../lib/table/meter.ts';
import { setClock, startTestService } from '../support/service.ts';

const start = Date.parse('2027-01-01T00:00:00.000Z');

setClock(start);
const service = await startTestService();

const arn = 'arn:aws:execute-api:eu-central-1:123456789012:api/prod';

const event = (keys: string[], row = routes[0], path = row?.path): APIGatewayRequestAuthorizerEvent =>
  ({
    type: 'REQUEST',
    methodArn: `${arn}/${row?.method}${path}`,
    resource: row?.path,
    httpMethod: row?.method,
    multiValueHeaders: { 'x-api-key': keys },
    requestContext: {},
  }) as never;

const policyOf = async (key: string, row = routes[0]) =>
  (await handler(event([key], row))).policyDocument.Statement[0] as { Effect: string; Resource: string };

test('403s over HTTP without the scope, 401s without a key, and calls the endpoint with both', async () => {
  const reader = service.callAs(await service.keyWith(['categories:read']));

  const answers = [
    await reader('GET', '/v1/categories'),
    await reader('GET', '/v1/products'),
    await service.callAs('')('GET', '/v1/categories'),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 403, 401]);
  expect(answers[1]?.body).toEqual({
    status: 403,
    title: 'Forbidden',
    detail: expect.any(String),
    instance: '/v1/products',
  });
  expect(answers[2]?.headers.get('content-type')).toBe('application/problem+json');
});

test('a refusal names the scope that the key lacks, and a permission names none', async () => {
  const row = routes.find(({ id }) => id === 'coupons/get-coupon');
  const key = await service.keyWith(['products:read']);
  const contextOf = async (text: string) => (await handler(event([text], row))).context;

  expect(await contextOf(key)).toMatchObject({ store: service.store, lack: 'the scope coupons:read' });
  expect(await contextOf(service.key)).not.toHaveProperty('lack');
});

test.each<[what: string, headers: () => Record<string, string>]>([
  ['in Authorization: Bearer', () => ({ Authorization: `Bearer ${service.key}` })],
  ['with Bearer in X-API-Key', () => ({ 'X-API-Key': `Bearer ${service.key}` })],
  ['in quotes', () => ({ 'X-API-Key': `"${service.key}"` })],
  ['cut short', () => ({ 'X-API-Key': service.key.slice(0, -1) })],
])('a key %s is told where it belongs and in which form, and is not repeated', async (_, headers) => {
  const response = await fetch(`${service.baseUrl}/v1/products`, { headers: headers() });
  const text = await response.text();

  expect(response.status).toBe(401);
  for (const hint of ['X-API-Key', 'sis_live_', '71 characters', 'Bearer', 'quotes', 'Authorization is not read'])
    expect(text).toContain(hint);
  expect(service.key).toHaveLength(71);
  for (const part of [service.key.slice(9, 21), service.key.slice(22, 40)]) expect(text).not.toContain(part);
});

test('401s for a missing, empty, repeated, malformed or unknown key; only the last one costs a read', async () => {
  const good = service.key;
  const last = good.at(-1) === 'A' ? 'B' : 'A';
  const cases: [string[], number][] = [
    [[], 0],
    [[''], 0],
    [[good, good], 0],
    [[good.slice(0, -1) + last], 0],
    [[`${good} `], 0],
    [[good.replace('sis_test_', 'sis_live_')], 0],
    [['x'.repeat(300)], 0],
    [[(await issueKeyElsewhere()).text], 1],
  ];

  for (const [keys, calls] of cases) {
    const meter = newMeter();
    await expect(metered(meter, () => handler(event(keys)))).rejects.toThrow(/^Unauthorized$/);
    expect(meter.calls).toBe(calls);
  }
});

/** A well-formed key that is not in the table. */
const issueKeyElsewhere = async () => {
  const { newKey } = await import('../../lib/keys.ts');
  return newKey('test');
};

test('401s for the right id with another secret', async () => {
  const { newKey } = await import('../../lib/keys.ts');
  const { base62 } = await import('../../lib/clock.ts');
  const { crc32 } = await import('node:zlib');
  const id = parseKey(service.key, 'test')?.id ?? '';
  const body = `sis_test_${id}_${newKey('test').text.slice(22, 65)}`;

  await expect(handler(event([`${body}${base62(crc32(body), 6)}`]))).rejects.toThrow(/^Unauthorized$/);
});

test('a key lives until the millisecond before it expires', async () => {
  const { text } = await issueKey({
    store: service.store,
    name: 'short',
    scopes,
    stage: 'test',
    expiresAt: timestamp(start + 1000),
  });

  setClock(start + 999);
  expect((await policyOf(text)).Effect).toBe('Allow');
  setClock(start + 1000);
  await expect(handler(event([text]))).rejects.toThrow(/^Unauthorized$/);
  setClock(start);
});

test('401s for a revoked key', async () => {
  const text = await service.keyWith(scopes);
  await revokeKey(parseKey(text, 'test')?.id ?? '');

  await expect(handler(event([text]))).rejects.toThrow(/^Unauthorized$/);
});

test('an uncached call costs one read, and at most once an hour a write of its time', async () => {
  const { text } = await issueKey({ store: service.store, name: 'new', scopes, stage: 'test' });
  const id = parseKey(text, 'test')?.id ?? '';
  const cost = async () => {
    const meter = newMeter();
    await metered(meter, () => handler(event([text])));
    return [meter.calls, meter.units];
  };

  setClock(start + 10);
  const first = await cost();
  const lastUse = (await findKey(id))?.lastUsedAt;
  const second = await cost();
  setClock(start + 10 + 3_600_000);
  const later = await cost();

  expect([first, second, later]).toEqual([
    [2, 2],
    [1, 1],
    [2, 2],
  ]);
  expect(lastUse).toBe(timestamp(start + 10));
  setClock(start);
});

/** Stubs the table's client until the test ends. */
const stubbedTable = () => {
  const table = mockClient(DynamoDBDocumentClient);
  onTestFinished(() => table.restore());
  return table;
};

test('throws the error of the table in an outage, not a 401', async () => {
  for (const name of ['InternalServerError', 'ThrottlingException', 'TimeoutError']) {
    const outage = Object.assign(new Error('the table is down'), { name });
    stubbedTable().on(GetCommand).rejects(outage);

    // A throttle is thrown as the table's being busy, with the SDK's error as its cause.
    await expect(handler(event([service.key]))).rejects.toSatisfy((error: Error) =>
      [error, error.cause].includes(outage),
    );
  }
});

test('a key works even if its use cannot be written, and waits for that at most a second', async () => {
  const { key, text } = await issueKey({ store: service.store, name: 'unused', scopes, stage: 'test' });
  const table = stubbedTable().on(GetCommand).resolves({ Item: key });

  table.on(UpdateCommand).rejects('the table is down');
  const failing = await policyOf(text);
  table.on(UpdateCommand).callsFake(() => new Promise(() => {}));
  const started = performance.now();
  const hanging = await policyOf(text);

  expect([failing.Effect, hanging.Effect]).toEqual(['Allow', 'Allow']);
  expect(performance.now() - started).toBeLessThan(2000);
  // An idempotent write is sent three times before it is given up.
  expect(table.commandCalls(UpdateCommand)).toHaveLength(4);
});

test('the policy holds for every path of its route, and for no other method or path', async () => {
  const row = routes.find(({ id }) => id === 'categories/get-category');

  expect((await policyOf(service.key, row)).Resource).toBe(`${arn}/GET/v1/categories/*`);
});

test('404s from every endpoint for the key of a deleted store', async () => {
  const store = await createStore('Gone');
  const call = service.callAs(await service.keyWith(scopes, store.id));
  await deleteStore(store.id);

  for (const row of routes.filter(takesKeys)) {
    const answer = await call(row.method, row.path.replaceAll(/\{\w+\}/g, store.id), row.body && {});
    expect([answer.status, answer.cost?.calls], row.id).toEqual([404, 0]);
  }
});

test('403s for the key of a deleted store that lacks the scope, since the authorizer decides first', async () => {
  const store = await createStore('Gone');
  const call = service.callAs(await service.keyWith(['products:read'], store.id));
  await deleteStore(store.id);

  expect((await call('GET', '/v1/categories')).status).toBe(403);
});

test('no key can be issued for a deleted store', async () => {
  const store = await createStore('Gone');
  await deleteStore(store.id);

  await expect(service.keyWith(scopes, store.id)).rejects.toMatchObject({ status: 404 });
});

test('gives all keys of a store one usage key', async () => {
  const keys = [service.key, await service.keyWith(['categories:read']), service.otherKey];

  const named = await Promise.all(keys.map(async (key) => (await handler(event([key]))).usageIdentifierKey));

  const { store, otherStore } = service;
  expect(named).toEqual([usageKeyOf(store), usageKeyOf(store), usageKeyOf(otherStore)]);
});
