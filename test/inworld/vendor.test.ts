import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueKey } from '../../cli/api-keys.ts';
import { virtualClock } from '../../local/world/clock.ts';
import { createWorld } from '../../local/world/world.ts';
import { startForTests } from '../support/local-service.ts';

/** The shipped vendor sells through the local service over HTTP, in a made-up world with its own L$. */

const source = readFileSync(new URL('../../inworld/vendor.lsl', import.meta.url), 'utf8');
const owner = '99999999-2222-3333-4444-555555555555';

let local: Awaited<ReturnType<typeof startForTests>>;
let key: string;
beforeAll(async () => {
  local = await startForTests({ demo: false });
  const scopes = ['sales:write', 'residents:write', 'products:read'] as const;
  key = (
    await issueKey({ store: (await call('GET', '/v1/store')).id, name: 'vendor', scopes: [...scopes], stage: 'test' })
  ).text;
});
afterAll(() => local.stop());

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(local.baseUrl + path, {
    method,
    headers: { 'X-API-Key': local.keys.all },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
};

/** A vendor of a new product for L$ 100, before a buyer who has L$ 1,000. The owner has L$ 50. */
const place = async (product: object = {}) => {
  const { id } = await call('POST', '/v1/products', { name: 'Lamp', price: 100, ...product });
  const clock = virtualClock(Date.now());
  const net = { isAway: false, loses: false, sent: 0 };
  const world = createWorld({
    clock,
    nameOf: (uuid) => local.residents.find((one) => one.uuid === uuid)?.username,
    uuidOf: (name) => local.residents.find((one) => one.username === name)?.uuid,
    send: async ({ url, method, headers, body }, answer) => {
      if (net.isAway) return answer(undefined);
      const request = { method, headers, ...(method !== 'GET' && { body }) };
      const response = await fetch(url.replace('https://service.example', local.baseUrl), request);
      const text = await response.text();
      net.sent += 1;
      if (net.loses) return answer(undefined);
      answer({ status: response.status, type: response.headers.get('Content-Type') ?? '', body: text });
    },
  });
  const buyer = local.residents[0]?.uuid ?? '';
  world.balances.set(buyer, 1000);
  world.balances.set(owner, 50);
  const vendor = world.rez({
    owner,
    name: 'vendor',
    script: source,
    notecards: { vendor: ['service = https://service.example', `key = ${key}`, `product = ${id}`] },
    items: [],
  });
  /** Lets time pass until it is so. */
  const until = async (isSo: () => boolean, what = String(isSo)): Promise<void> => {
    for (let turn = 0; !isSo(); turn++) {
      if (turn > 600) throw new Error(`It never came to be: ${what}. ${JSON.stringify(world.log)}`);
      clock.advance(0.5);
      await sleep(5);
    }
  };
  const lastDialog = (text: string) => world.log.dialogs.findLast((one) => one.text.includes(text));
  const choose = async (text: string, button: string): Promise<void> => {
    await until(() => lastDialog(text) !== undefined);
    lastDialog(text)?.answer(button);
  };
  const isSettled = () => vendor.body.linksetData.size === 0;
  const sales = async () => (await call('GET', `/v1/sales?product=${id}`)).data;
  const money = () => [world.balances.get(buyer), world.balances.get(owner)];
  const ready = async () => {
    await choose('permissions', 'Allow');
    await until(() => vendor.body.seen.payPrice[1] === 100);
  };
  return { id, clock, net, world, vendor, buyer, until, choose, isSettled, sales, money, ready };
};

test('asks once to be allowed to give L$ back, says what for, and takes none before', async () => {
  const { world, vendor, ready, choose, until } = await place();
  await choose('permissions', 'Deny');
  await until(() => vendor.body.seen.text.includes('L$ 100'));
  const denied = [...vendor.body.seen.payPrice];

  await ready();

  expect(denied.slice(1)).toEqual([-1, -1, -1, -1]);
  expect(vendor.body.seen.payPrice).toEqual([-1, 100, -1, -1, -1]);
  expect(world.log.dialogs).toHaveLength(1);
  expect(world.log.said[0]?.text).toContain('It pays nothing but change');
  expect(world.log.errors).toEqual([]);
});

test('sells for exactly the price on its button, and gives back what is too much or too little', async () => {
  const { buyer, vendor, ready, until, isSettled, sales, money } = await place();
  await ready();

  for (const amount of [100, 130, 40]) {
    vendor.pay(buyer, amount);
    await until(isSettled);
  }

  const made = (await sales()).map(({ state, paid, change }: Record<string, unknown>) => [state, paid, change]);
  expect(made).toEqual([
    ['refused', 40, 40],
    ['completed', 130, 30],
    ['completed', 100, 0],
  ]);
  expect(money()).toEqual([800, 250]);
});

test('a touch quotes: store credit pays first, and the button has exactly what is left', async () => {
  const { id, buyer, vendor, ready, until, choose, isSettled, sales, money } = await place();
  await ready();
  await call('POST', `/v1/customers/${buyer}/actions/increment-credit`, { delta: 30 });

  vendor.touch(buyer);
  await choose('Buy it', 'Use credit');
  await until(() => vendor.body.seen.payPrice[1] === 70);
  vendor.pay(buyer, 70);
  await until(isSettled);

  expect(await sales()).toMatchObject([{ state: 'completed', credit: 30, paid: 70, productId: id }]);
  expect(money()).toEqual([930, 120]);
});

test('a gift goes to the avatar who is named', async () => {
  const { buyer, vendor, world, ready, until, choose, isSettled, sales } = await place();
  const friend = local.residents[1];
  await ready();

  vendor.touch(buyer);
  await choose('Buy it', 'Gift');
  await choose('The username', friend?.username ?? '');
  await until(() => world.log.said.some(({ text }) => text.startsWith('Please pay L$ 100')));
  vendor.pay(buyer, 100);
  await until(isSettled);

  expect(await sales()).toMatchObject([{ state: 'completed', buyerUuid: buyer, recipientUuid: friend?.uuid }]);
});

test('a payment while the service is away, an answer that is lost, a reset and a restart make one sale', async () => {
  const { buyer, clock, net, vendor, world, ready, until, isSettled, sales, money } = await place();
  await ready();

  net.isAway = true;
  vendor.pay(buyer, 120);
  clock.advance(100);
  net.isAway = false;
  net.loses = true;
  await until(() => net.sent > 2);
  world.restart();
  vendor.script.begin();
  net.loses = false;
  world.log.dialogs.length = 0;
  await ready();
  await until(isSettled);

  expect(await sales()).toMatchObject([{ state: 'completed', paid: 120, change: 20 }]);
  expect(money()).toEqual([900, 150]);
  expect(world.log.messages.filter(({ text }) => text.includes('tried again'))).not.toEqual([]);
});

test('L$ that were under way when the region died are not paid twice: the owner is told', async () => {
  const { buyer, vendor, world, ready, until, isSettled, clock } = await place();
  await ready();
  const { send } = vendor.script;
  vendor.body.linksetData.set('sis:00000000-0000-4000-8000-000000000001', `P${buyer}30`);

  expect(send('timer')).toBe(true);
  clock.advance(5);
  await until(isSettled);

  expect(world.log.messages.at(-1)?.text).toContain(`a payment of L$ 30 to secondlife:///app/agent/${buyer}/about`);
  expect(world.log.paid).toEqual([]);
});

test.each([
  [
    'a wrong key',
    (lines: string[]) => [lines[0] ?? '', 'key = sis_test_wrong', lines[2] ?? ''],
    'does not accept the key',
  ],
  ['no product', (lines: string[]) => lines.slice(0, 2), 'lacks its line'],
  ['an unknown product', (lines: string[]) => [...lines.slice(0, 2), `product = ${owner}`], 'has no product'],
  [
    'no encryption',
    (lines: string[]) => ['service = http://service.example', ...lines.slice(1)],
    'must begin with https://',
  ],
])('a notecard with %s is told with what to do', async (_, change, text) => {
  const { vendor, world, until, id } = await place();

  vendor.editNotecard('vendor', change(['service = https://service.example', `key = ${key}`, `product = ${id}`]));
  await until(() => world.log.messages.length > 0);

  expect(world.log.messages[0]?.to).toBe(owner);
  expect(world.log.messages[0]?.text).toContain(text);
  expect(vendor.body.seen.payPrice.slice(1)).toEqual([-1, -1, -1, -1]);
});

test('the script stays within its memory with a long name and description', async () => {
  const { vendor, world, ready } = await place({ name: 'x'.repeat(63), description: 'y'.repeat(4096) });

  await ready();

  expect(world.log.errors).toEqual([]);
  expect(vendor.script.memory().peak).toBeLessThan(65_536);
});

test('a region that restarts while the notecard is read leaves no vendor without it', async () => {
  const { world, ready } = await place();

  world.restart();

  await ready();
});
