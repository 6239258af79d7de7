import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { now } from '../../../lib/clock.ts';
import { resolver } from '../../../lib/delivery/address.ts';
import { claimDelivery, letWait } from '../../../lib/delivery/deliveries.ts';
import {
  type Dispenser,
  findDispenser,
  loseAddress,
  noteUnreachable,
  type Registered,
  secretsOf,
} from '../../../lib/delivery/dispensers.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { anOrder, startTestQueue } from '../../support/deliveries.ts';
import { answerLost, intercept } from '../../support/faults.ts';
import { setClock, startTestService } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

const url = 'https://simhost-0123456789abcdef0.agni.secondlife.io:12043/cap/0f8fad5b-d9cb-469f-a165-70867728950e';
const { lookup } = resolver;

await startTestQueue();
const service = await startTestService();
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
    name: 'main',
    priority: 0,
    url,
    region: 'Ahern',
    secret: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
    registeredAt: expect.any(String),
    unreachable: false,
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
  expect(broken.body.detail).toMatch(/^The host of url cannot be looked up/);
});

test('503s if the queue is down while deliveries wait, and says that the address is registered', async () => {
  const { delivery } = await claimDelivery(anOrder(service.store), 50_000);
  await letWait(delivery, 'No dispenser.');
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

test('gives each name a box with an address and a secret of its own, and takes a name and a priority', async () => {
  const other = `${url}/other`;
  const [main, second] = [(await put({ url })).body, (await put({ url: other, name: 'Box_2.b-c', priority: 9 })).body];
  const again = (await put({ url: `${url}/new` })).body;

  expect(second).toMatchObject({ name: 'Box_2.b-c', priority: 9, url: other, unreachable: false });
  expect(second.secret).not.toBe(main.secret);
  expect(again).toMatchObject({ name: 'main', priority: 0, secret: main.secret });
  expect(await findDispenser(service.store, 'Box_2.b-c')).toMatchObject({ url: other, secret: second.secret });
});

test.each([
  ['an empty name', { name: '' }, /^name /],
  ['a name of 64 characters', { name: 'x'.repeat(64) }, /^name /],
  ['a blank in the name', { name: 'my box' }, /^name /],
  ['a line end behind the name', { name: 'box\n' }, /^name /],
  ['no name', { name: null }, /^name /],
  ['a priority above 9', { priority: 10 }, /^priority /],
  ['a priority below 0', { priority: -1 }, /^priority /],
  ['a priority that is text', { priority: '1' }, /^priority /],
])('400s for %s', async (_, fields, error) => {
  const { status, body } = await put({ url, ...fields });

  expect([status, body.errors]).toEqual([400, [expect.stringMatching(error)]]);
});

test('400s for the eleventh box of a store, also where several come at once, and takes the ten as ever', async () => {
  const names = Array.from({ length: 14 }, (_, number) => `box-${number}`);

  const answers = await Promise.all(names.map((name) => put({ url, name }, service.callOther)));
  const listed = await service.callOther('GET', '/v1/dispensers');
  const known = listed.body.data.map(({ name }: { name: string }) => name);
  const again = await Promise.all(known.map((name: string) => put({ url: `${url}/2`, name }, service.callOther)));

  expect(known).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 400).length).toBe(14 - (10 - Number(known.includes('main'))));
  expect(answers.find(({ status }) => status === 400)?.body.detail).toContain('at most 10 dispensers');
  expect(again.map(({ status }) => status)).toEqual(known.map(() => 200));
});

test('says that an address is unreachable once a call has found nobody there, until there is another one', async () => {
  const body = { url, name: 'far' };
  await put(body);
  await loseAddress(service.store, url, 'The dispenser answered 404', { name: 'far' });

  const same = (await put(body)).body.unreachable;
  const still = (await put(body)).body.unreachable;
  const other = (await put({ ...body, url: `${url}/2` })).body.unreachable;
  const back = (await put(body)).body.unreachable;
  await noteUnreachable(service.store, (await findDispenser(service.store, 'far')) as Registered, 'ECONNREFUSED');

  expect([same, still, other, back]).toEqual([true, true, false, false]);
  expect((await put(body)).body.unreachable).toBe(true);
});

test('lists the boxes by priority and name, in pages both ways, without a secret', async () => {
  const { id: store } = await createStore('Listed');
  const call = service.callAs((await issueKey({ store, name: 'test', scopes, stage: 'test' })).text);
  for (const [name, priority] of [
    ['b', 1],
    ['a', 1],
    ['z', 0],
  ] as const)
    await put({ url: `${url}/${name}`, name, priority, region: name === 'a' ? 'Ahern' : '' }, call);
  await loseAddress(store, `${url}/a`, 'The dispenser answered 404', { name: 'a' });

  const { status, body } = await call('GET', '/v1/dispensers');
  const walked = await walkList<{ name: string }>(call, '/v1/dispensers', 1);

  const row = { priority: 1, region: null, state: 'registered', registeredAt: expect.any(String) };
  expect(status).toBe(200);
  expect(body.data).toEqual([
    { ...row, name: 'z', priority: 0, lostAt: null, lastError: null },
    { ...row, name: 'a', region: 'Ahern', state: 'lost', lostAt: expect.any(String), lastError: expect.any(String) },
    { ...row, name: 'b', lostAt: null, lastError: null },
  ]);
  expect(walked.map(({ name }) => name)).toEqual(['z', 'a', 'b']);
});
