import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { parseKey } from '../../../lib/keys.ts';
import { type ApiKey, findKey } from '../../../lib/store/api-keys.ts';
import { rotateKey } from '../../../lib/store/issued-keys.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let path: string;
let now = Date.parse('2027-03-01T00:00:00.000Z');

beforeAll(async () => {
  setClock(now);
  service = await startTestService();
});

beforeEach(async () => {
  const { uuid } = await newResident();
  path = `/v1/customers/${uuid}/actions/increment-credit`;
});

const increment = (delta: number, key: string, more: object = {}) =>
  service.call('POST', path, { delta, ...more }, { 'Idempotency-Key': key });
const balance = async (): Promise<number> =>
  (await service.call('GET', path.replace('/actions/increment-credit', '/credit'))).body.credit;

test('a repeated request gets the first answer, and the change is made once', async () => {
  const key = randomUUID();

  const first = await increment(10, key);
  const second = await increment(10, key);
  const quoted = await increment(10, `"${key}"`);

  expect(first.status).toBe(200);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect([second.body, quoted.body]).toEqual([first.body, first.body]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(await balance()).toBe(10);
});

test('a request that is repeated with the key that its API key was rotated to gets the first answer', async () => {
  const mine = await service.keyWith(['credits:write']);
  const old = (await findKey(parseKey(mine, 'test')?.id ?? '')) as ApiKey;
  const key = randomUUID();
  const first = await service.callAs(mine)('POST', path, { delta: 10 }, { 'Idempotency-Key': key });

  const { key: next, text } = await rotateKey(old, timestamp(now + 60_000), 'test');
  const { text: last } = await rotateKey(next, timestamp(now + 60_000), 'test');

  for (const apiKey of [text, last]) {
    const again = await service.callAs(apiKey)('POST', path, { delta: 10 }, { 'Idempotency-Key': key });
    expect([again.status, again.body]).toEqual([200, first.body]);
  }
  expect(await balance()).toBe(10);
});

test('three concurrent equal requests add one lot, and a later one gets the same answer', async () => {
  const key = randomUUID();
  const more = { expiresAt: '2027-04-01T00:00:00Z' };

  await Promise.all([increment(10, key, more), increment(10, key, more), increment(10, key, more)]);

  expect((await increment(10, key, more)).headers.get('idempotent-replayed')).toBe('true');
  expect(await balance()).toBe(10);
});

test('20 concurrent equal requests change once; the others get the first answer, or 409 while it runs', async () => {
  const key = randomUUID();

  const answers = await Promise.all(Array.from({ length: 20 }, () => increment(7, key)));

  for (const { status } of answers) expect([200, 409]).toContain(status);
  expect(answers.filter(({ status }) => status === 200)).not.toEqual([]);
  expect(await balance()).toBe(7);
});

test('422s for the same key with another body, and changes nothing', async () => {
  const key = randomUUID();
  await increment(10, key);

  const other = await increment(11, key);

  expect(other.status).toBe(422);
  expect(other.headers.get('content-type')).toBe('application/problem+json');
  expect(await balance()).toBe(10);
});

test('a refused request keeps no record, so it can be sent again', async () => {
  const key = randomUUID();
  const before = await wholeTable();

  const refused = await increment(-5, key);

  expect(refused.status).toBe(400);
  expect(await wholeTable()).toEqual(before);
  await increment(5, randomUUID());
  expect((await increment(-5, key)).body.credit).toBe(0);
});

test('a key is free again after 24 hours', async () => {
  const key = randomUUID();
  await increment(10, key);
  now += 24 * 3_600_000 - 1;
  setClock(now);
  const within = await increment(10, key);
  now += 1;
  setClock(now);

  const after = await increment(10, key);

  expect([within.body.credit, after.body.credit]).toEqual([10, 20]);
});

test('the same key of two stores, or of two API keys, is two keys', async () => {
  const key = randomUUID();
  const colleague = service.callAs(await service.keyWith(['credits:write']));

  await increment(10, key);
  const others = await Promise.all(
    [service.callOther, colleague].map((call) => call('POST', path, { delta: 10 }, { 'Idempotency-Key': key })),
  );

  expect(others.map(({ body }) => body.credit)).toEqual([10, 20]);
});

test('quotes are part of the key unless they enclose all of it', async () => {
  const key = randomUUID();

  for (const each of [key, `${key}"1"`, `"1"${key}`, `${key}1`, `1${key}`]) await increment(10, each);

  expect(await balance()).toBe(50);
});

test('400s for a key that is empty, too long, not printable or sent twice', async () => {
  for (const key of ['', 'a b', 'x'.repeat(256), 'schlüssel'])
    expect((await service.call('POST', path, { delta: 1 }, { 'Idempotency-Key': key })).status, key).toBe(400);

  expect(await balance()).toBe(0);
});

test('every POST of the contract takes effect once', async () => {
  const product = await service.call('POST', '/v1/products', { name: 'Lamp', price: 5 }, { 'Idempotency-Key': 'p' });
  const again = await service.call('POST', '/v1/products', { name: 'Lamp', price: 5 }, { 'Idempotency-Key': 'p' });
  const category = await service.call('POST', '/v1/categories', { name: 'Light' }, { 'Idempotency-Key': 'c' });
  const ban = path.replace('increment-credit', 'ban');
  const bans = [
    await service.call('POST', ban, { reason: 'spam' }, { 'Idempotency-Key': 'b' }),
    await service.call('POST', ban, { reason: 'spam' }, { 'Idempotency-Key': 'b' }),
  ];
  const member = `/v1/categories/${category.body.id}/products/${product.body.id}`;
  await service.call('POST', member, undefined, { 'Idempotency-Key': 'm' });
  await service.call('DELETE', member);
  const memberAgain = await service.call('POST', member, undefined, { 'Idempotency-Key': 'm' });

  expect(again.body).toEqual(product.body);
  expect(again.headers.get('location')).toBe(`/v1/products/${product.body.id}`);
  expect(bans.map(({ body }) => body.isBanned)).toEqual([true, true]);
  expect(memberAgain.headers.get('idempotent-replayed')).toBe('true');
  expect((await service.call('GET', `/v1/categories/${category.body.id}`)).body.productCount).toBe(0);
});
