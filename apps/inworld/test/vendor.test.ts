import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Placement } from '../../../local/grid/world/land.ts';
import { openShop, owner, type Shop, scriptOf } from './shop.ts';

/** The shipped vendor sells through the local service over HTTP, in a made-up world with its own L$. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.end());

const call: Shop['call'] = (...request) => shop.call(...request);
const picture = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';

/** All vendors of these tests. */
const vendors: Placement[] = [];

/** A vendor of a new product for L$ 100, and a buyer who has L$ 1,000. The owner has L$ 50. */
const place = async (product: object = {}, more: string[] = []) => {
  const { id } = await call('POST', '/v1/products', { name: 'Lamp', price: 100, item: 'Lamp', ...product });
  const placed = await shop.place('vendor', [`product = ${id}`, ...more]);
  const { object: vendor, world, until, choose } = placed;
  const startedAt = Math.floor(placed.clock.now() / 1000);
  vendors.push(vendor);
  const buyer = shop.local.residents[0]?.uuid ?? '';
  const friend = shop.local.residents[1] ?? { uuid: '', username: '' };
  world.balances.set(buyer, 1000);
  world.balances.set(owner, 50);
  const open = () => [...vendor.body.linksetData.keys()].filter((name) => name.startsWith('sis:v:'));
  const isSettled = () => open().length === 0;
  const sales = async () => (await call('GET', `/v1/sales?product=${id}`)).data;
  const money = () => [world.balances.get(buyer), world.balances.get(owner)];
  const price = () => vendor.body.payPrice[1];
  const ready = async (at = 100) => {
    await choose('permissions', 'Allow');
    await until(() => price() === at);
  };
  /** Has it owe the buyer more than its owner has, from this number of sales. */
  const owe = (sales: number): void => {
    for (let n = 0; n < sales; n++)
      placed.keep(
        `sis:v:${vendor.body.id}:${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`,
        `O${buyer}9000|9100|${vendor.body.id}|${id}|${buyer}||${startedAt}`,
      );
  };
  return { ...placed, owe, id, vendor, buyer, friend, open, isSettled, sales, money, price, ready };
};

test('asks once to be allowed to give L$ back, says what for, and takes none before', async () => {
  const { world, vendor, choose, until, isTold, ready } = await place();
  await choose('permissions', 'Deny');
  await until(() => vendor.body.seen.text === 'Lamp\nIt is not for sale now.');
  const denied = [...vendor.body.payPrice];
  await isTold('Vendor: without that it sells nothing.');
  const asked = world.log.dialogs.length;

  vendor.touch(owner);
  await ready();

  expect(denied.slice(1)).toEqual([-1, -1, -1, -1]);
  expect(asked).toBe(0);
  expect(vendor.body.payPrice).toEqual([-1, 100, -1, -1, -1]);
  expect(world.log.said[0]?.text).toContain('please allow it to give L$ back to buyers');
  expect(world.log.errors).toEqual([]);
});

test('shows name, price and picture of the product, on one side if the notecard says so', async () => {
  const all = await place({ name: 'Desk lamp', image: picture });
  const one = await place({ image: picture }, ['Face = 4', 'hover = off']);
  const none = await place();

  for (const { ready } of [all, one, none]) await ready();

  expect(all.vendor.body.seen.text).toBe('Desk lamp\nL$ 100');
  expect(one.vendor.body.seen.text).toBe('');
  expect([all, one, none].map(({ vendor }) => [...vendor.body.seen.textures])).toEqual([
    [[-1, picture]],
    [[4, picture]],
    [],
  ]);
});

test('sells for exactly the price on its button, and gives back what is too much or too little', async () => {
  const { buyer, vendor, ready, until, isSettled, sales, money, hears } = await place();
  await ready();

  for (const amount of [100, 130, 40]) {
    vendor.pay(buyer, amount);
    await until(isSettled);
  }

  const made = (await sales()).map(({ state, paid, change }: Record<string, unknown>) => [state, paid, change]);
  expect(new Set(made)).toEqual(
    new Set([
      ['refused', 40, 40],
      ['completed', 130, 30],
      ['completed', 100, 0],
    ]),
  );
  expect(money()).toEqual([800, 250]);
  for (const amount of [30, 40]) await hears(buyer, `You got L$ ${amount} back.`);
  await hears(buyer, 'Thank you! It is on its way. L$ 30 of it come back.');
  await hears(buyer, 'Something has changed. Touch it again. L$ 40 of it come back.');
});

test('a touch quotes: store credit pays first, and the button has exactly what is left', async () => {
  const { id, buyer, vendor, ready, until, choose, isSettled, sales, money, price } = await place();
  await ready();
  await call('POST', `/v1/customers/${buyer}/actions/increment-credit`, { delta: 30 });

  vendor.touch(buyer);
  await choose('\nL$', 'Use credit');
  await until(() => price() === 70);
  vendor.pay(buyer, 70);
  await until(isSettled);

  expect(await sales()).toMatchObject([{ state: 'completed', credit: 30, paid: 70, productId: id }]);
  expect(money()).toEqual([930, 120]);
});

test('credit that pays it all is asked for once more, and needs no L$', async () => {
  const { friend, vendor, world, ready, until, choose, isSettled, sales } = await place();
  await ready();
  await call('POST', `/v1/customers/${friend.uuid}/actions/increment-credit`, { delta: 150 });

  vendor.touch(friend.uuid);
  await choose('\nL$', 'Use credit');
  await choose('Your credit pays it: L$ 100.', 'Confirm');
  await until(() => world.log.said.some(({ text }) => text.startsWith('Thank you!')));
  await until(isSettled);

  expect(await sales()).toMatchObject([{ state: 'completed', credit: 100, paid: 0 }]);
});

test('a gift goes to the avatar who is named, and a name that nobody has is told', async () => {
  const { buyer, friend, vendor, ready, until, choose, isSettled, sales, hears } = await place();
  await ready();

  vendor.touch(buyer);
  await choose('\nL$', 'Gift');
  await choose('The username', 'nobody.anywhere');
  await hears(buyer, 'No avatar has that username.');
  vendor.touch(buyer);
  await choose('\nL$', 'Gift');
  await choose('The username', friend.username);
  await hears(buyer, 'Please pay it L$ 100');
  vendor.pay(buyer, 100);
  await until(isSettled);

  expect(await sales()).toMatchObject([{ state: 'completed', buyerUuid: buyer, recipientUuid: friend.uuid }]);
});

test('a gift that is paid too late is a refused sale, and the service knows that the L$ came back', async () => {
  const { buyer, friend, clock, vendor, ready, until, choose, isSettled, sales, hears, money } = await place();
  await ready();
  vendor.touch(buyer);
  await choose('\nL$', 'Gift');
  await choose('The username', friend.username);
  await hears(buyer, 'Please pay it L$ 100');
  clock.advance(121);

  vendor.pay(buyer, 100);
  await hears(buyer, 'L$ 100 of it come back.');
  await until(isSettled);

  expect(await sales()).toMatchObject([
    { state: 'refused', refusal: 'quote', change: 100, changePaid: { amount: 100 } },
  ]);
  expect(money()[0]).toBe(1000);
});

test('a demo is a sale of the demo: at once if it is free, for its price if not', async () => {
  const free = await call('POST', '/v1/products', { name: 'Free demo', price: 0 });
  const dear = await call('POST', '/v1/products', { name: 'Dear demo', price: 1 });
  const [one, other, none] = [
    await place({ demoId: free.id, name: 'x'.repeat(63) }),
    await place({ demoId: dear.id, blockCredits: true }),
    await place(),
  ];
  for (const { ready, vendor, buyer, world, until } of [one, other, none]) {
    await ready();
    vendor.touch(buyer);
    await until(() => world.log.dialogs.length > 0);
  }
  const offered = [one, other, none].map(({ world }) => world.log.dialogs[0]?.buttons);

  await one.choose('\nL$', 'Demo');
  await one.hears(one.buyer, 'Thank you! It is on its way.');
  await other.choose('\nL$', 'Demo');
  await other.until(() => other.price() === 1);
  other.vendor.pay(other.buyer, 1);
  await other.until(other.isSettled);

  expect(offered).toEqual([
    ['Buy', 'Gift', 'Use credit', 'Demo', 'Cancel'],
    ['Buy', 'Gift', 'Use credit', 'Demo', 'Cancel'],
    ['Buy', 'Gift', 'Use credit', 'Cancel'],
  ]);
  const made = async ({ id }: { id: string }) => (await call('GET', `/v1/sales?product=${id}`)).data;
  expect(await made(free)).toMatchObject([{ state: 'completed', paid: 0, buyerUuid: one.buyer }]);
  expect(await made(dear)).toMatchObject([{ state: 'completed', paid: 1 }]);
  expect([await one.sales(), await other.sales(), other.money()]).toEqual([[], [], [999, 51]]);
});

test('a payment while the service is away, an answer that is lost, a reset and a restart make one sale', async () => {
  const { buyer, clock, net, vendor, world, ready, until, isSettled, sales, money, isTold } = await place();
  await ready();

  net.isAway = true;
  vendor.pay(buyer, 120);
  clock.advance(100);
  net.isAway = false;
  net.loses = true;
  await until(() => net.requests.filter((request) => request.endsWith('/sales')).length > 0);
  world.restart();
  vendor.script.begin();
  net.loses = false;
  world.log.dialogs.length = 0;
  await ready();
  await until(isSettled);

  expect(await sales()).toMatchObject([{ state: 'completed', paid: 120, change: 20 }]);
  expect(money()).toEqual([900, 150]);
  await isTold('to a sale. It is sent again.');
});

test('a payment that comes before it knows its product goes back, and is a refused sale in the books', async () => {
  const { buyer, net, vendor, world, choose, ready, until, open, isSettled, money } = await place();
  await ready();

  net.isAway = true;
  vendor.script.begin();
  world.log.dialogs.length = 0;
  await choose('permissions', 'Allow');
  vendor.pay(buyer, 120);
  await until(() => open().length === 1);
  net.isAway = false;
  await until(isSettled);

  const made = (await call('GET', `/v1/sales?state=refused&limit=100`)).data;
  expect(made.filter((sale: { vendorUuid: string }) => sale.vendorUuid === vendor.body.id)).toMatchObject([
    { refusal: 'unknown-product', paid: 120, change: 120, changePaid: { amount: 120 } },
  ]);
  expect(money()).toEqual([1000, 50]);
});

test('many payments that cannot be given back keep no sale waiting', async () => {
  const { buyer, vendor, world, ready, until, isTold, sales, owe, open } = await place();
  await ready();
  owe(50);

  vendor.pay(buyer, 100);
  await isTold('L$ did not go back: LINDENDOLLAR_INSUFFICIENTFUNDS');
  await until(() => world.log.said.some(({ text }) => text.startsWith('Thank you!')));

  expect(await sales()).toMatchObject([{ state: 'completed', paid: 100 }]);
  expect(open()).toHaveLength(50);
});

test('L$ that were under way when the region died are not paid twice: the owner is told', async () => {
  const { buyer, vendor, world, ready, until, isSettled, keep, isTold } = await place();
  await ready();

  keep(`sis:v:${vendor.body.id}:00000000-0000-4000-8000-000000000001`, `P${buyer}30`);
  vendor.script.send('timer');
  await isTold('the region stopped');
  await until(isSettled);

  expect(world.log.messages.at(-1)?.text).toContain(`L$ 30 to secondlife:///app/agent/${buyer}/about`);
  expect(world.log.paid).toEqual([]);
});

test('L$ that cannot be given back now are tried again, until the owner has enough', async () => {
  const { buyer, vendor, world, ready, until, isSettled, isTold, money } = await place();
  await ready();
  world.balances.set(owner, -100);

  vendor.pay(buyer, 40);
  await isTold('Has your account enough? It tries again.');
  world.balances.set(owner, 40);
  await until(isSettled);

  expect(money()).toEqual([1000, 0]);
});

test('sees that price, stock and state of its product have changed, and that its sale was refused for it', async () => {
  const { id, buyer, vendor, ready, until, price, clock, hears, money } = await place();
  await ready();
  const change = (product: object) => call('PUT', `/v1/products/${id}`, { name: 'Lamp', price: 150, ...product });

  await change({});
  vendor.pay(buyer, 100);
  await until(() => price() === 150);
  await change({ limited: true });
  vendor.touch(owner);
  await until(() => vendor.body.seen.text.includes('It is sold out.'));
  vendor.touch(buyer);
  await hears(buyer, 'It is sold out.');
  await change({ active: false });
  clock.advance(60);
  vendor.touch(buyer);
  await until(() => vendor.body.seen.text.includes('not for sale now'));
  vendor.touch(buyer);

  await hears(buyer, 'It is not for sale now.');
  expect(money()).toEqual([1000, 50]);
});

test('one avatar at a time chooses; a menu and a quote end after two minutes', async () => {
  const { buyer, friend, vendor, world, ready, until, choose, hears, clock, price } = await place();
  await ready();
  await call('POST', '/v1/coupons', { code: 'Half', discount: 50, ownerIdentifier: friend.uuid });
  await call('POST', `/v1/customers/${buyer}/actions/apply-coupon`, { code: 'Half', scope: 0 });

  vendor.touch(buyer);
  vendor.touch(friend.uuid);
  await hears(friend.uuid, 'Somebody else is choosing.');
  await choose('\nL$', 'Buy');
  await until(() => price() === 50);
  clock.advance(150);
  const later = price();
  vendor.touch(friend.uuid);
  await until(() => world.log.dialogs.length > 0);

  expect(later).toBe(100);
  expect(world.log.dialogs[0]?.to).toBe(friend.uuid);
});

test('an answer that is no answer is told to the buyer', async () => {
  const { buyer, vendor, ready, choose, net, hears, world } = await place();
  await ready();

  net.status = 503;
  for (let i = 0; i < 3; i++) {
    vendor.touch(buyer);
    await choose('\nL$', 'Buy');
    await hears(buyer, 'No answer. Touch it again in a minute.');
    world.log.said.length = 0;
  }
});

test('a refusal that hides its reason is told with both reasons, and a vendor asks again within a minute', async () => {
  const { vendor, ready, net, isTold, price, clock, until } = await place();
  await ready();
  net.status = 415;
  vendor.touch(owner);
  await isTold('refuses the key, or is busy.');
  clock.advance(5);
  const [shown, priceMeanwhile] = [vendor.body.seen.text, price()];

  net.status = 0;
  clock.advance(80);
  await until(() => price() === 100);

  expect(shown).toMatch(/^Vendor: the service refuses the key, or is busy\.$/);
  expect(priceMeanwhile).toBe(-1);
});

test('hears that it sells another product, and sees at its owner’s touch that it has none', async () => {
  const { id, vendor, until, ready, price } = await place();
  await ready();
  const other = await call('POST', '/v1/products', { name: 'Chair', price: 70 });
  const above = (text: string) => until(() => vendor.body.seen.text === text);
  const sell = (productId: string | null) => call('PUT', `/v1/vendors/${vendor.body.id}/product`, { productId });

  await sell(other.id);
  await above('Chair\nL$ 70');
  await sell(null);
  vendor.touch(owner);
  await above('Vendor\nIt has no product yet.');
  const meanwhile = price();
  await sell(id);
  vendor.touch(owner);
  await above('Lamp\nL$ 100');
  await until(() => price() === 100);

  expect(meanwhile).toBe(-1);
  expect(await call('GET', `/v1/vendors/${vendor.body.id}`)).toMatchObject({
    ...{ name: 'vendor', region: 'Ahern', position: '<128.00000, 64.00000, 22.00000>', script: 'Vendor 0.1.0' },
    product: { id },
  });
});

test('fifty copies of a vendor are vendors of their own, and all show a price that is changed once', async () => {
  const { id, vendor, world, until } = await place();
  const copies = Array.from({ length: 49 }, () => world.copy(vendor)).flat();
  const show = (text: string) => () => {
    for (const dialog of world.log.dialogs.splice(0)) if (dialog.text.startsWith('permissions')) dialog.answer('Allow');
    return [vendor, ...copies].every(({ body }) => body.seen.text === text);
  };
  await until(show('Lamp\nL$ 100'));

  await call('PUT', `/v1/products/${id}`, { name: 'Lamp', price: 150 });
  await until(show('Lamp\nL$ 150'));

  const { data } = await call('GET', `/v1/vendors?product=${id}&state=active&limit=100`);
  expect(data.map(({ uuid }: Record<string, string>) => uuid)).toEqual(
    [vendor, ...copies].map(({ body }) => body.id).sort(),
  );
  expect(world.log.errors).toEqual([]);
});

test('charges those who wear the tag of its group the group’s price, with the menu and without', async () => {
  const { vendor, world, ready, until, choose, isSettled, sales } = await place();
  const [one = '', other = ''] = shop.local.residents.slice(2, 4).map(({ uuid }) => uuid);
  const group = '55555555-2222-4333-8444-555555555555';
  vendor.body.prim.group = group;
  for (const who of [one, other]) world.groups.set(who, group);
  for (const who of [one, other]) world.balances.set(who, 1000);
  await call('PUT', '/v1/store/rules', { groupDiscount: 20 });
  await ready();

  vendor.touch(one);
  await choose('Your price: L$ 80', 'Buy');
  await until(() => vendor.body.payPrice[1] === 80);
  vendor.pay(one, 80);
  await until(isSettled);
  vendor.pay(other, 100);
  await until(isSettled);
  world.groups.delete(other);
  vendor.pay(other, 100);
  await until(isSettled);
  await call('PUT', '/v1/store/rules', {});

  const made = await sales();
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member.
  expect(new Set(made.map(({ discount, paid, change }: any) => [discount.source, paid, change]))).toEqual(
    new Set([
      ['none', 100, 0],
      ['group', 100, 20],
      ['group', 80, 0],
    ]),
  );
  expect(new Set(made.map(({ vendorUuid }: Record<string, unknown>) => vendorUuid))).toEqual(new Set([vendor.body.id]));
});

test('sells the products of a category by arrows, in the order of the service, with a key for reading', async () => {
  const { vendor, world, ready, until, clock, buyer, price } = await place();
  const { id: category } = await call('POST', '/v1/categories', { name: 'Chairs' });
  const chairs: string[] = [];
  for (const n of [1, 2, 3]) {
    const { id } = await call('POST', '/v1/products', {
      name: `Chair ${n}`,
      price: 10 * n,
      description: '"'.repeat(4096),
    });
    chairs.push(id);
    await call('POST', `/v1/categories/${category}/products/${id}`);
  }
  const part = (name: string, script: string, notecards = {}): Placement =>
    world.rez({ owner, name, script, notecards, items: [] });
  const lines = ['service = https://service.example', `key = ${await shop.keyOf('shop')}`, `category = ${category}`];
  const shelf = part('shelf', scriptOf('shelf'), { shop: lines });
  const [next, previous] = ['next', 'previous'].map((name) => part(name, 'default { state_entry() { } }'));
  await ready();
  world.link(vendor, shelf, next as Placement, previous as Placement);
  clock.advance(5);
  const seen: unknown[] = [];
  for (const [arrow, n] of [
    [next, 1],
    [next, 2],
    [next, 3],
    [next, 1],
    [next, 2],
    [previous, 1],
    [previous, 1],
  ] as const) {
    arrow?.touch(buyer);
    clock.advance(1);
    await until(() => vendor.body.seen.text === `Chair ${n}\nL$ ${10 * n}` && price() === 10 * n, 1);
    seen.push(n);
  }

  vendor.pay(buyer, 10);
  await until(() => world.log.said.some(({ text }) => text.startsWith('Thank you!')));

  expect(seen).toHaveLength(7);
  const { data } = await call('GET', `/v1/sales?product=${chairs[0]}`);
  expect(data).toMatchObject([{ state: 'completed', paid: 10, buyerUuid: buyer, vendorUuid: vendor.body.id }]);
  expect(world.log.errors).toEqual([]);
  expect(shelf.script.memory().peak).toBeLessThan(62_000);
});

test('the script stays within its memory with a name of 63 letters, with a tenth less heap too', async () => {
  const { vendor, world, ready, buyer, hears, owe } = await place({ name: 'x'.repeat(63) });
  owe(300);

  await ready();
  vendor.pay(buyer, 130);
  await hears(buyer, 'Thank you!');

  expect(world.log.errors).toEqual([]);
  const { peak, code } = vendor.script.memory();
  expect(peak).toBeLessThan(62_000);
  expect(peak - code).toBeLessThan(0.9 * (65_536 - code));
});

test('a region that restarts while the notecard is read leaves no vendor without it', async () => {
  const { world, ready } = await place();

  world.restart();

  await ready();
});

test('no vendor of all these tests has needed more memory, with quotes, sales and menus as long as the service’s', () => {
  expect(Math.max(...vendors.map(({ script }) => script.memory().peak))).toBeLessThan(62_000);
});
