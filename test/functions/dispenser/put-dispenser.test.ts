import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { now } from '../../../lib/clock.ts';
import { resolver } from '../../../lib/delivery/address.ts';
import { claimDelivery, letWait } from '../../../lib/delivery/deliveries.ts';
import { type Dispenser, dispenserKey, findDispenser, secretsOf } from '../../../lib/delivery/dispensers.ts';
import { scopes } from '../../../lib/routes/route.ts';
import { update } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { anOrder, startTestQueue } from '../../support/deliveries.ts';
import { answerLost, intercept } from '../../support/faults.ts';
import { setClock, startTestService } from '../../support/service.ts';

const url = 'https://simhost-0123456789abcdef0.agni.secondlife.io:12043/cap/0f8fad5b-d9cb-469f-a165-70867728950e';
const { lookup } = resolver;

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  await startTestQueue();
  service = await startTestService();
});
beforeEach(() => {
  resolver.lookup = async () => [{ address: '8.8.8.8' }];
});
afterEach(() => {
  resolver.lookup = lookup;
  delete process.env.DISPENSER_LOOPBACK;
});

const put = (body: unknown, call = service.call) => call('PUT', '/v1/dispenser', body);

test('200s with the same secret each time, and stores region and items', async () => {
  const first = await put({ url, region: 'Ahern', items: ['Red lamp', 'Blue lamp'] });
  const second = await put({ url: `${url}2` });

  expect(first.status).toBe(200);
  expect(first.body).toEqual({
    url,
    region: 'Ahern',
    secret: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
    registeredAt: expect.any(String),
  });
  expect(second.body).toMatchObject({ url: `${url}2`, region: '', secret: first.body.secret });
  expect(await findDispenser(service.store)).toMatchObject({ url: `${url}2`, region: '', items: [] });
});

test('gives each store another secret', async () => {
  const [mine, theirs] = await Promise.all([put({ url }), put({ url }, service.callOther)]);

  expect(theirs.body.secret).not.toBe(mine.body.secret);
});

const elsewhere = url.replace('0123456789', '9876543210');
const minutes = 60_000;

test('200s with another secret for another key and for another host; the one before stays good for 15 minutes', async () => {
  const start = now();
  onTestFinished(() => setClock(start));
  const otherKey = service.callAs(await service.keyWith(['dispenser:register']));
  const goodAt = async (time: number) => {
    setClock(time);
    return secretsOf((await findDispenser(service.store)) as Dispenser);
  };
  setClock(start);

  const first = (await put({ url })).body.secret;
  const byKey = (await put({ url }, otherKey)).body.secret;
  const atOnce = await goodAt(start);
  const atHost = (await put({ url: elsewhere }, otherKey)).body.secret;
  const renewed = (await put({ url: `${elsewhere}/2` }, otherKey)).body.secret;

  expect(new Set([first, byKey, atHost]).size).toBe(3);
  expect(renewed).toBe(atHost);
  expect(atOnce).toEqual([byKey, first]);
  expect(await goodAt(start + 15 * minutes - 1)).toEqual([atHost, byKey]);
  expect(await goodAt(start + 15 * minutes)).toEqual([atHost]);
});

test('200s with another secret for the box of an earlier version, whose registration names no key', async () => {
  const { secret } = (await put({ url })).body;
  await write(update(dispenserKey(service.store), { set: { keyId: undefined, host: undefined } }));

  const { body } = await put({ url });

  expect(body.secret).not.toBe(secret);
  expect(secretsOf((await findDispenser(service.store)) as Dispenser)).toEqual([body.secret, secret]);
});

test('makes one new secret when the answer to its write is lost, and keeps the one before', async () => {
  const otherKey = service.callAs(await service.keyWith(['dispenser:register']));
  const { secret } = (await put({ url })).body;
  let lost = 0;
  const stop = intercept(async ({ operation, input }, send) => {
    const answer = await send();
    if (operation !== 'UpdateItem' || !JSON.stringify(input).includes('oldSecret') || lost > 0) return answer;
    lost += 1;
    throw answerLost();
  });

  const { status, body } = await put({ url }, otherKey);

  stop();
  expect([status, lost]).toEqual([200, 1]);
  expect(secretsOf((await findDispenser(service.store)) as Dispenser)).toEqual([body.secret, secret]);
});

test('of registrations at once by several keys and hosts, the address that stays has the secret that its box was told', async () => {
  const keys = [
    service.call,
    ...(await Promise.all([1, 2].map(() => service.keyWith(['dispenser:register'])))).map(service.callAs),
  ];
  const registrations = keys.flatMap((call) =>
    [url, elsewhere].flatMap((at) => [1, 2].map((box) => ({ call, url: `${at}/${keys.indexOf(call)}${box}` }))),
  );

  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(registrations.map(({ call, ...body }) => put(body, call)));

    expect(answers.map(({ status }) => status)).toEqual(registrations.map(() => 200));
    const told = new Map(answers.map(({ body }) => [body.url, body.secret]));
    const dispenser = await findDispenser(service.store);
    expect(told.get(dispenser?.url)).toBe(dispenser?.secret);
  }
});

test('403s without the scope dispenser:register, also for a key that delivers', async () => {
  const others = scopes.filter((scope) => scope !== 'dispenser:register');

  const refused = await put({ url }, service.callAs(await service.keyWith(others)));
  const taken = await put({ url }, service.callAs(await service.keyWith(['dispenser:register'])));

  expect(others).toContain('products:deliver');
  expect([refused.status, taken.status]).toEqual([403, 200]);
});

test.each([
  ['no URL', undefined],
  ['text that is none', 'simhost'],
  ['plain http', url.replace('https', 'http')],
  ['another scheme', 'file:///etc/passwd'],
  ['another host', 'https://example.com/cap/1'],
  ['a host that only begins like one', 'https://x.agni.secondlife.io.example.com/cap/1'],
  ['a host that only ends like one', 'https://evilagni.secondlife.io/cap/1'],
  ['another port', url.replace('12043', '22')],
  ['a user name', url.replace('//', '//user@')],
  ['a password', url.replace('//', '//user:secret@')],
  ['an IPv4 address', 'https://8.8.8.8/cap/1'],
  ['a private IPv4 address', 'https://10.0.0.1:12043/cap/1'],
  ['an IPv4 address in hex', 'https://0x7f000001:12043/cap/1'],
  ['the metadata service', 'http://169.254.169.254/latest/meta-data/'],
  ['loopback', 'https://127.0.0.1:12043/cap/1'],
  ['loopback by name', 'https://localhost:12043/cap/1'],
  ['an IPv6 address', 'https://[fd00::1]:12043/cap/1'],
  ['a URL that is too long', `${url}/${'x'.repeat(500)}`],
])('400s for %s, and leaves the address as it was', async (_, refused) => {
  await put({ url });

  const { status, body } = await put({ url: refused });

  expect(status).toBe(400);
  expect(body.errors[0]).toMatch(/^url /);
  expect((await findDispenser(service.store))?.url).toBe(url);
});

test.each([
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '127.0.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '::1',
  '::7f00:1',
  '::',
  'fe80::1',
  'fd00:ec2::254',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::a00:1',
  '2002:a00:1::1',
  'ff02::1',
  'not an address',
])('400s where the name leads to %s, even beside a public address', async (address) => {
  resolver.lookup = async () => [{ address: '8.8.8.8' }, { address }];

  const { status } = await put({ url });

  expect(status).toBe(400);
});

test('400s for a name that does not exist, and 503s if it cannot be looked up now', async () => {
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };

  resolver.lookup = failing('ENOTFOUND');
  const unknown = await put({ url });
  resolver.lookup = failing('EAI_AGAIN');
  const broken = await put({ url });

  expect(unknown.status).toBe(400);
  expect(broken.status).toBe(503);
  expect(broken.headers.get('retry-after')).toBe('5');
});

test('503s if the queue is down while deliveries wait, and says that the address is registered', async () => {
  const { delivery } = await claimDelivery(anOrder(service.store), 50_000);
  await letWait(delivery, 'No dispenser.', false);
  const sqs = mockClient(SQSClient).on(SendMessageCommand).rejects('the queue is down');
  onTestFinished(() => sqs.restore());

  const { status, headers, body } = await put({ url: `${url}3` });

  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(body.detail).toMatch(/^The address is registered/);
  expect((await findDispenser(service.store))?.url).toBe(`${url}3`);
});

test('accepts hosts of other grids if the deployment allows them, and then no others', async () => {
  process.env.DISPENSER_HOST_SUFFIXES = 'osgrid.example, .other.example';

  const allowed = await put({ url: 'https://sim1.osgrid.example/cap/1' });
  const refused = await put({ url });

  delete process.env.DISPENSER_HOST_SUFFIXES;
  expect(allowed.status).toBe(200);
  expect(refused.status).toBe(400);
});

test('accepts loopback on the local service only', async () => {
  resolver.lookup = lookup;
  const loopback = { url: 'http://127.0.0.1:40000/cap/1' };

  const refused = await put(loopback);
  process.env.DISPENSER_LOOPBACK = 'allowed';
  const taken = await put(loopback);

  expect(refused.status).toBe(400);
  expect(taken.status).toBe(200);
});
