import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { rankedBy } from '../../../../lib/avatars/spend-list.ts';
import { listLots } from '../../../../lib/credit/lots.ts';
import { auditTable } from '../../../../lib/operator/audit-credit.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import * as dynamodb from '../../../../lib/table/dynamodb.ts';
import { spendKey } from '../../../../lib/table/keys.ts';
import { targetOf, update } from '../../../../lib/table/language.ts';
import { engine, write } from '../../../../lib/table/table.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { startForCli, withClockAhead } from '../support/cli.ts';
import { startOther } from '../support/other-service.ts';

/** A store is copied from another service, which answers only the contract's rows, into stores of this service. */

let service: Awaited<ReturnType<typeof startForCli>>;
let other: Awaited<ReturnType<typeof startOther>>;
let key: string;

beforeAll(async () => {
  service = await startForCli();
  key = service.service.keys.all as string;
  other = await startOther(service.baseUrl);
  process.env.SIS_MOVE_KEY = key;
});

beforeEach(() => {
  other.failWith(undefined);
  other.rewrite((path) => path);
});

/** Makes an empty store. */
const newStore = async (): Promise<string> => (await createStore(randomUUID())).id;

const move = (store: string, ...args: string[]) =>
  service.run('move', '--from', other.url, '--store', store, '--json', ...args);

const there = async (method: string, path: string, body?: object) => {
  const answer = await service.call(method, path, key, body);
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};

/** A customer of the old store, and their balances in the new one. */
const firstCustomer = async () => (await there('GET', '/v1/customers?spentMoreThan=0')).data[0];

const itemOf = async (store: string, uuid: string) =>
  (await wholeTable(`${store}#CUSTOMER`)).find(({ sk }) => sk === uuid);

const sum = (rows: { what: string; there: number; here: number }[], what: string) =>
  rows.find((row) => row.what === what);

test('copies a whole store with GETs alone, finds no difference, and a second run changes nothing', async () => {
  const store = await newStore();
  const before = await move(store, '--dry-run');
  const first = await move(store);
  const second = await move(store);

  expect([before.code, first.code, second.code]).toEqual([1, 0, 0]);
  expect(before.stderr).toMatch(/Nothing was written: this was a dry run/);
  expect(first.rows.every((row) => row.there === row.here)).toBe(true);
  for (const what of ['categories', 'products', 'products in categories', 'coupons', 'customers', 'gift cards'])
    expect(sum(first.rows, what)?.there).toBeGreaterThan(1);
  for (const what of ['L$ of credit', 'L$ of restricted credit', 'L$ spent', 'L$ spent in the last year'])
    expect(sum(first.rows, what)?.here).toBeGreaterThan(100);
  expect(first.stderr).toMatch(/Both sides are the same/);
  expect(first.stderr).toMatch(/No GET of the API tells:\n.*inactive products.*\n.*owned products/);
  expect(second.stderr).toMatch(/Written: 0 rows created, 0 changed/);
  expect([...other.methods.keys()]).toEqual(['GET']);
  expect((await service.run('audit', '--store', store)).code).toBe(0);
  expect(existsSync(`store-move-${store}.json`)).toBe(false);
});

test('reads the memberships of products as often, however many pages of them come', async () => {
  const membershipsRead = async (): Promise<number> => {
    const store = await newStore();
    let read = 0;
    const stop = intercept(async ({ operation, input }, send) => {
      if (operation === 'Query' && JSON.stringify(input).includes(`${store}#MEMBER`)) read += 1;
      return send();
    });
    expect((await move(store)).code).toBe(0);
    stop();
    return read;
  };
  const long = await membershipsRead();
  other.rewrite((path) => path.replace('limit=500', 'limit=20'));

  expect(await membershipsRead()).toBe(long);
});

test('brings what has changed since: credit up and down, bans, spend, members, cards, products that end', async () => {
  const store = await newStore();
  await move(store);
  const { uuid, credit } = await firstCustomer();
  const products = (await there('GET', '/v1/products')).data;
  const sale = { id: randomUUID(), paid: 100_000 };
  const [category] = (await there('GET', '/v1/categories')).data;
  const [product, ended] = products.filter((one: { limited: boolean }) => !one.limited);
  await there('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 77 });
  await there('POST', `/v1/customers/${uuid}/actions/ban`, {});
  await there('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 5 });
  await there('POST', `/v1/categories/${category.id}/products/${product.id}`);
  await there('POST', '/v1/sales', { ...sale, productId: product.id, buyerIdentifier: uuid });
  await there('PUT', `/v1/products/${ended.id}`, { ...ended, listed: true, active: false });

  const second = await move(store);
  await there('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 3 });
  await there('POST', `/v1/customers/${uuid}/actions/unban`);
  const third = await move(store);

  expect([second.code, third.code]).toEqual([0, 0]);
  expect(second.stderr).not.toMatch(/Written: 0 rows/);
  expect(await itemOf(store, uuid)).toMatchObject({ credit: 3, isBanned: false });
  expect(credit).not.toBe(3);
  expect((await service.run('audit', '--store', store)).code).toBe(0);
});

test('gives all credit one end, and lowers and adds lots when it changes there', async () => {
  const store = await newStore();
  const { uuid } = await firstCustomer();
  await there('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 300 });
  const ends = ['--credit-expires', '2999-12-31T00:00:00Z'];
  await move(store, ...ends);
  for (const delta of [50, -320, 1, -31, 9]) {
    await there('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta });
    expect((await move(store, ...ends)).code).toBe(0);
  }

  const lots = await listLots(store, uuid);

  const open = lots.filter(({ sk, state }) => sk.startsWith('regular') && state === 'open');
  expect(open.map(({ remaining }) => remaining)).toEqual([9]);
  expect(lots.filter(({ sk, state }) => sk.startsWith('regular') && state === 'drained')).toHaveLength(3);
  expect(new Set(lots.map(({ expiresAt }) => expiresAt))).toEqual(new Set(['2999-12-31T00:00:00.000Z']));
  expect(auditTable(await wholeTable(store))).toEqual([]);
  expect((await service.run('audit', '--store', store)).code).toBe(0);
});

test('leaves credit that this store has changed itself, and lists the customer', async () => {
  const store = await newStore();
  await move(store);
  const { uuid, credit } = await firstCustomer();
  const { rows } = await service.run('key', 'issue', 'x', '--preset', 'all', '--store', store, '--json');
  await service.call('POST', `/v1/customers/${uuid}/actions/increment-credit`, rows[0].key, { delta: 1 });

  const again = await move(store);

  expect(again.code).toBe(1);
  expect(again.rows.filter((row) => row.kind)).toEqual([
    { kind: 'customers', id: uuid, fields: [{ field: 'credit', there: credit, here: credit + 1 }] },
  ]);
});

test('brings news of a card until this store has acted on it, and lists what differs from then on', async () => {
  const store = await newStore();
  const { rows } = await service.run('key', 'issue', 'x', '--preset', 'all', '--store', store, '--json');
  const here = (method: string, path: string, body?: object) => service.call(method, path, rows[0].key, body);
  const { uuid } = await firstCustomer();
  const grant = { credit: 100, transfer: true };
  const cards: { id: string }[] = [];
  for (const _ of [1, 2, 3, 4]) cards.push(await there('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, grant));
  const [usedHere, usedThere, changed, put] = cards.map(({ id }) => `/v1/giftcards/${id}`) as [string, ...string[]];
  const ofCard = async (path = '') => (await here('GET', path)).body;
  const differences = (ran: { rows: { kind?: string; id: string }[] }) =>
    ran.rows.filter(({ kind }) => kind === 'giftcards').map(({ id }) => `/v1/giftcards/${id}`);
  await move(store);
  await there('POST', `${usedThere}/actions/redeem`, { identifier: uuid });
  await there('PUT', changed ?? '', { ...grant, credit: 70 });
  const news = await move(store);
  const taken = [await ofCard(usedThere), await ofCard(changed)];
  const { credit } = (await here('GET', `/v1/customers/${uuid}/credit`)).body;

  await here('POST', `${usedHere}/actions/redeem`, { identifier: uuid });
  await here('PUT', put ?? '', { ...grant, credit: 40 });
  const passes = [await move(store), await move(store)];
  await there('PUT', put ?? '', { ...grant, credit: 60 });
  const refused = await move(store);

  expect(news.code).toBe(0);
  expect(taken).toMatchObject([{ redeemed: true, credit: 0 }, { credit: 70 }]);
  for (const pass of passes) {
    expect([pass.code, differences(pass).sort()]).toEqual([1, [usedHere, put].sort()]);
    expect(pass.stderr).toMatch(/Written: 0 rows created, 0 changed/);
    expect(pass.rows.find(({ id }) => usedHere.endsWith(id))).toMatchObject({
      fields: expect.arrayContaining([
        { field: 'credit', there: 100, here: 0 },
        { field: 'redeemed', there: false, here: true },
      ]),
    });
  }
  expect([refused.code, await ofCard(put), await ofCard(usedHere)]).toMatchObject([
    1,
    { credit: 40 },
    { redeemed: true, credit: 0 },
  ]);
  expect(refused.stderr).toMatch(/not imported: giftcards .*credit 60 must be 40, as it is here/);
  expect((await here('GET', `/v1/customers/${uuid}/credit`)).body.credit).toBe(credit + 100);
  expect((await here('POST', `${usedHere}/actions/redeem`, { identifier: uuid })).status).toBe(400);
  expect((await service.run('audit', '--store', store)).code).toBe(0);
});

test('takes a card that was redeemed there before its credit comes, so that nobody redeems it here too', async () => {
  const store = await newStore();
  const { rows } = await service.run('key', 'issue', 'x', '--preset', 'all', '--store', store, '--json');
  const { uuid, credit } = await firstCustomer();
  const { id } = await there('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 100, transfer: false });
  await move(store);
  await there('POST', `/v1/giftcards/${id}/actions/redeem`, { identifier: uuid });
  engine.transact = async (writes, token) => {
    if (!writes.some((write) => targetOf(write).sk === id)) return dynamodb.transact(writes, token);
    throw Object.assign(new Error('The command died.'), { $fault: 'client' });
  };
  const died = await move(store);
  delete engine.transact;
  const redeemed = await service.call('POST', `/v1/giftcards/${id}/actions/redeem`, rows[0].key, { identifier: uuid });
  const last = await move(store);

  expect([died.code, redeemed.status, last.code]).toEqual([1, 200, 0]);
  expect((await itemOf(store, uuid))?.credit).toBe(credit + 100);
  expect((await service.run('audit', '--store', store)).code).toBe(0);
});

/** A store that has been copied, with a key of its own. */
const newCopy = async () => {
  const store = await newStore();
  await move(store);
  const { rows } = await service.run('key', 'issue', 'x', '--preset', 'all', '--store', store, '--json');
  const here = async (method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, rows[0].key, body);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  return { store, here };
};

/** The fields that a pass lists as different, by the thing. */
const differencesIn = ({ rows }: { rows: { kind?: string; id: string; fields: unknown }[] }) =>
  Object.fromEntries(rows.filter(({ kind }) => kind).map(({ id, fields }) => [id, fields]));

test('leaves what this store has sold itself in spend, whatever the other side tells', async () => {
  const { store, here } = await newCopy();
  const { uuid } = await firstCustomer();
  const spend = () => here('GET', `/v1/customers/${uuid}/spend`);
  const [product] = (await there('GET', '/v1/products')).data.filter(({ limited }: { limited: boolean }) => !limited);
  const { id: productId } = await here('POST', '/v1/products', {
    ...product,
    name: 'Own',
    price: 60,
    discount: undefined,
  });
  const before = await spend();
  const sale = { id: randomUUID(), paid: 60, useCredit: false, productId, buyerIdentifier: uuid };
  const { paid, refund } = await here('POST', '/v1/sales', sale);
  const own = paid - refund;

  const pass = await move(store);
  const afterPass = await spend();
  await there('POST', '/v1/sales', { id: randomUUID(), paid: 100_000, productId: product.id, buyerIdentifier: uuid });
  const more = (await there('GET', `/v1/customers/${uuid}/spend`)).sum - before.sum;
  await move(store);
  const afterMore = await spend();
  await here('POST', `/v1/sales/${sale.id}/actions/refund`, {});
  const last = await move(store);

  expect(own).toBeGreaterThan(0);
  expect([pass.code, afterPass.sum, afterPass.lastYearSum]).toEqual([1, before.sum + own, before.lastYearSum + own]);
  expect(differencesIn(pass)[uuid]).toEqual([
    { field: 'sum', there: before.sum, here: before.sum + own },
    { field: 'lastYearSum', there: before.lastYearSum, here: before.lastYearSum + own },
  ]);
  expect(more).toBeGreaterThan(0);
  expect(afterMore.sum).toBe(before.sum + own + more);
  expect([(await spend()).sum, differencesIn(last)[uuid]]).toEqual([before.sum + more, undefined]);
  expect((await service.run('audit', '--store', store)).code).toBe(0);

  // The state that a move left which took own sales out of what it carried.
  const carried = (await wholeTable(`${store}#PURCHASE`)).find(({ sk }) => sk === `move ${uuid} last year`);
  const own60 = { price: Number(carried?.price) - own, sum: before.sum + more - own };
  await write(update(carried as never, { set: { price: own60.price } }));
  await write(update(spendKey(store, uuid), { set: { sum: own60.sum, rank: rankedBy(own60.sum, uuid).rank } }));
  const audited = await service.run('audit', '--store', store);
  expect([audited.code, audited.stdout]).toEqual([1, expect.stringMatching(`buyer ${uuid}: L\\$ .* are carried`)]);
});

test('adds to the copies here what the other side’s number has changed', async () => {
  const [product] = (await there('GET', '/v1/products')).data;
  const limited = { ...product, name: 'Edition', limited: true, availableAmount: 10, discount: undefined };
  const { id } = await there('POST', '/v1/products', limited);
  const { store, here } = await newCopy();
  const { uuid } = await firstCustomer();
  const sell = (on: typeof there) =>
    on('POST', '/v1/sales', { id: randomUUID(), paid: 100_000, productId: id, buyerIdentifier: uuid });
  const copies = async () => (await here('GET', `/v1/products/${id}`)).availableAmount;
  await sell(here);
  const pass = await move(store);
  const found = [await copies()];
  await sell(there);
  await sell(there);
  await move(store);
  found.push(await copies());
  await there('PUT', `/v1/products/${id}`, { ...limited, availableAmount: 13 });
  await move(store);
  found.push(await copies());
  const again = await move(store);

  expect(found).toEqual([9, 7, 12]);
  expect(differencesIn(pass)[id]).toEqual([{ field: 'availableAmount', there: 10, here: 9 }]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/0 rows created, 0 changed/)]);
  expect((await service.run('audit', '--store', store)).code).toBe(0);
});

test('keeps a ban, a price, limits and categories that were changed here, and lists them', async () => {
  const { store, here } = await newCopy();
  const { uuid } = await firstCustomer();
  const [product, other] = (await there('GET', '/v1/products')).data.filter(
    ({ limited }: { limited: boolean }) => !limited,
  );
  const [coupon, otherCoupon] = (await there('GET', '/v1/coupons')).data;
  const categories = (await there('GET', '/v1/categories')).data;
  const [category] = categories;
  const bodyOf = ({ id: _, activePrice: __, mpListing: ___, ...body }: Record<string, unknown>) => ({
    listed: true,
    ...body,
  });
  await here('POST', `/v1/customers/${uuid}/actions/ban`, {});
  await here('PUT', `/v1/products/${product.id}`, { ...bodyOf(product), price: 777 });
  await here('PUT', `/v1/coupons/${coupon.id}/limits`, { usesPerCustomer: 1, expiration: null });
  await here('POST', `/v1/categories/${category.id}/products/${other.id}`);
  await here('PUT', `/v1/products/${other.id}`, { ...bodyOf(other), price: 31 });
  await there('PUT', `/v1/products/${other.id}`, { ...bodyOf(other), price: 31 });

  const pass = await move(store);
  await there('PUT', `/v1/products/${product.id}`, { ...bodyOf(product), price: 555 });
  const both = await move(store);

  for (const one of [pass, both]) {
    expect([one.code, one.stderr]).toEqual([1, expect.stringMatching(/0 rows created, 0 changed/)]);
    expect(differencesIn(one)).toMatchObject({
      [uuid]: [{ field: 'isBanned', there: false, here: true }],
      [product.id]: [{ field: 'price', there: one === pass ? product.price : 555, here: 777 }],
      [coupon.id]: [{ field: 'usesPerCustomer', there: coupon.usesPerCustomer, here: 1 }],
    });
    expect(differencesIn(one)[other.id]).toEqual([expect.objectContaining({ field: 'categories' })]);
  }
  expect((await here('GET', `/v1/customers/${uuid}`)).isBanned).toBe(true);
  expect((await here('GET', `/v1/products/${product.id}`)).price).toBe(777);
  expect((await here('GET', `/v1/coupons/${coupon.id}`)).usesPerCustomer).toBe(1);
  expect(otherCoupon).toBeDefined();
  await there('PUT', `/v1/products/${product.id}`, bodyOf(product));
});

test('reports a value that the other service told wrongly once', async () => {
  const store = await newStore();
  const { uuid, credit } = await firstCustomer();
  let lies = 0;
  other.failWith((path) => {
    // The customers are counted first, by longer pages.
    if (!path.startsWith('/v1/customers?limit=200') || lies > 0) return undefined;
    lies += 1;
    return (body) => {
      const page = JSON.parse(body);
      for (const row of page.data) if (row.uuid === uuid) row.credit += 1000;
      return JSON.stringify(page);
    };
  });

  const lied = await move(store);
  const mended = await move(store);

  expect(lies).toBe(1);
  expect(lied.code).toBe(1);
  expect(lied.rows.filter((row) => row.kind)).toEqual([
    { kind: 'customers', id: uuid, fields: [{ field: 'credit', there: credit, here: credit + 1000 }] },
  ]);
  expect(sum(lied.rows, 'L$ of credit')).toMatchObject({ here: (sum(mended.rows, 'L$ of credit')?.here ?? 0) + 1000 });
  expect(mended.code).toBe(0);
});

test('waits as long as a 429 says, and tries again after a 503 or a broken connection', async () => {
  const store = await newStore();
  let throttledAt = 0;
  let waited = 0;
  other.failWith((_, number) => {
    if (throttledAt > 0 && waited === 0) waited = Date.now() - throttledAt;
    if (number % 97 === 0) return { status: 503 };
    if (number % 61 === 0) return 'broken';
    if (throttledAt > 0 || !(number % 5 === 0)) return undefined;
    throttledAt = Date.now();
    return { status: 429, headers: { 'Retry-After': '2' } };
  });

  const moved = await move(store);

  expect(moved.code).toBe(0);
  expect(waited).toBeGreaterThan(1900);
  expect(moved.stderr).toMatch(/answers 429: waiting 2 seconds/);
});

test('goes on behind the customers of an earlier run that was cut off', async () => {
  const store = await newStore();
  const cardsOf = (paths: string[]) => paths.filter((path) => /giftcards/.test(path));
  const { length: customers } = (await there('GET', '/v1/customers')).data;
  other.rewrite((path) => path.replace('limit=200', 'limit=2'));
  const from = other.paths.length;
  const cards = () => cardsOf(other.paths.slice(from)).length;
  other.failWith((path) => (/giftcards/.test(path) && cards() > 5 ? { status: 401 } : undefined));
  const cut = await move(store);
  other.failWith(undefined);
  const cutAt = other.paths.length;
  const whole = await move(store);

  expect([cut.code, whole.code]).toEqual([1, 0]);
  expect(cut.stderr).toMatch(/does not accept the key/);
  expect(whole.stderr).toMatch(/Going on after 4 customers/);
  expect(cardsOf(other.paths.slice(cutAt))).toHaveLength(2 * customers - 4);
});

test('names what is wrong with an address or a key, and sends no key to another address', async () => {
  const store = await newStore();
  const from = (url: string) => service.run('move', '--from', url, '--store', store);
  other.failWith(() => ({ status: 302, headers: { Location: 'http://127.0.0.1:1/' } }));
  const redirected = await move(store);
  other.failWith(undefined);
  process.env.SIS_MOVE_KEY = '';
  const keyless = await move(store);
  process.env.SIS_MOVE_KEY = 'wrong';
  const wrong = await move(store);
  process.env.SIS_MOVE_KEY = key;

  expect(redirected.stderr).toMatch(/answered 302 to GET/);
  expect(keyless.stderr).toMatch(/set SIS_MOVE_KEY/);
  expect(wrong.stderr).toMatch(/does not accept the key/);
  expect((await from('http://example.com')).stderr).toMatch(/must begin with https/);
  expect((await from('example')).stderr).toMatch(/must be an address/);
  expect((await move(store, '--credit-expires', '2020-01-01')).stderr).toMatch(/in the future/);
});

test('refuses an end of all credit that is over by the clock of the service, which may be ahead', async () => {
  const store = await newStore();
  const soon = new Date(Date.now() + 1_800_000).toISOString();

  const moved = await withClockAhead(() => move(store, '--credit-expires', soon));

  expect([moved.code, moved.stderr.trim()]).toEqual([2, 'error: --credit-expires must be in the future.']);
});
