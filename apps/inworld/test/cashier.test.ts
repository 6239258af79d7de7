import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sharedKey } from '../../../lib/table/keys.ts';
import { update } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { openShop, owner, type Shop } from './shop.ts';

/** The shipped cashier pays what the local service owes, over HTTP, in a made-up world with its own L$. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.end());

const call: Shop['call'] = (...request) => shop.call(...request);
const begin = () =>
  write(update(sharedKey('STORE', shop.store), { set: { payoutsBegunAt: '2027-01-01T00:00:00.000Z' } }));

/** A cashier whose owner has this many L$, after it got permission to pay. */
const place = async (funds: number, limit = 5000) => {
  const placed = await shop.place('cashier', [`limit = ${limit}`, 'hold = 0']);
  placed.world.balances.set(owner, funds);
  await placed.choose('permissions', 'Allow');
  await placed.until(() => placed.object.body.seen.text === 'Cashier: ready.');
  const log = (): { to: string; amount: number }[] => placed.world.log.paid.map(({ to, amount }) => ({ to, amount }));
  return { ...placed, log };
};

const payees = async () => (await call('GET', '/v1/payees')).data;
const payouts = async () => (await call('GET', '/v1/payouts')).data;
/** Waits until the service has counted this debt to an avatar. */
const owes = (uuid: string, amount: number) =>
  vi.waitFor(async () => {
    const found = (await payees()).find((one: { residentUuid: string }) => one.residentUuid === uuid);
    expect(found?.owed).toBe(amount);
  }, 10_000);

test('shares of sales and a refund that is to be paid out reach their payees, once, through the real service', async () => {
  await begin();
  const [partner, buyer] = shop.local.residents;
  const shares = [{ userUuid: partner?.uuid, percent: 30 }];
  const { id } = await call('POST', '/v1/products', { name: 'Lamp', price: 100, item: 'Lamp', profitShares: shares });
  const sell = () =>
    call('POST', '/v1/sales', { id: randomUUID(), productId: id, buyerIdentifier: buyer?.uuid, paid: 100 });
  await sell();
  await sell();
  const refunded = await sell();
  await call('POST', `/v1/sales/${refunded.id}/actions/refund`, { payOut: true });
  await owes(partner?.uuid ?? '', 60);
  await owes(buyer?.uuid ?? '', 100);

  const { object, world, until, log, net } = await place(1000);
  await until(() => log().length === 2 && object.body.linksetData.size === 2);

  expect(log().toSorted((a, b) => a.amount - b.amount)).toEqual([
    { to: partner?.uuid, amount: 60 },
    { to: buyer?.uuid, amount: 100 },
  ]);
  const all: { state: string; amount: number; transactionId: string }[] = await payouts();
  expect(all.map(({ state }) => state)).toEqual(['paid', 'paid']);
  expect(all.every(({ transactionId }) => /^[0-9a-f-]{36}$/.test(transactionId))).toBe(true);
  expect((await payees()).map((one: { owed: number }) => one.owed)).toEqual([0, 0]);
  expect(world.balances.get(owner)).toBe(840);
  expect(net.longest).toBeLessThan(2048);
  expect(world.log.errors).toEqual([]);
});

test('before payouts are begun it claims nothing, and an account without L$ makes a payout fail', async () => {
  const [, , other] = shop.local.residents;
  const { id } = await call('POST', '/v1/products', {
    ...{ name: 'Chair', price: 500, item: 'Chair' },
    profitShares: [{ userUuid: other?.uuid, percent: 100 }],
  });
  await write(update(sharedKey('STORE', shop.store), { set: { payoutsBegunAt: undefined } }));
  await call('POST', '/v1/sales', { id: randomUUID(), productId: id, buyerIdentifier: other?.uuid, paid: 500 });
  await owes(other?.uuid ?? '', 500);
  const early = await place(10);
  await early.until(() => early.net.requests.includes('POST /v1/payouts/actions/claim'));
  const before = (await payouts()).length;
  await begin();

  early.object.touch(owner);
  await early.isTold('Cashier: it could not pay: LINDENDOLLAR_INSUFFICIENTFUNDS.');
  await early.until(() => early.object.body.linksetData.size === 2);

  const [last, ...rest] = await payouts();
  expect(rest).toHaveLength(before);
  expect(last).toMatchObject({ state: 'failed', amount: 500, error: 'LINDENDOLLAR_INSUFFICIENTFUNDS' });
  expect(early.log()).toEqual([]);
});
