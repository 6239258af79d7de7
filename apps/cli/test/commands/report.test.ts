import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Resident } from '../../../../lib/avatars/residents.ts';
import { applyCoupon } from '../../../../lib/catalogue/applied-coupons.ts';
import { createCoupon } from '../../../../lib/catalogue/coupons.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { sell } from '../../../../lib/sale/sell.ts';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { updateRules } from '../../../../lib/store/rules.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { doAt } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const sellAt = (time: string, productId: string, { uuid }: Resident, paid: number): Promise<string> =>
  doAt(time, async () => {
    const parties = { productId, buyerIdentifier: { uuid }, useCredit: false };
    return (await sell(store, { id: randomUUID(), ...parties, paid, message: '' }, { by: 'test' })).id;
  });

const run = (...args: string[]) => service.run('report', ...args, '--store', store);

const service = await startForCli({ demo: false });
const store = (await createStore('Till')).id;
const [ada, bob] = [await newResident(), await newResident()];
const make = async (name: string) => (await createProduct(store, productWith({ name, item: name, price: 100 }))).id;
const [lamp, vase] = [await make('=Lamp'), await make('Vase')];
await updateRules(store, {
  groupDiscount: 0,
  tiers: [],
  bonus: { percent: 10, groupPercent: 0, type: 'regular', expiresInDays: null },
});
await sellAt('2026-03-31T23:59:59.999Z', lamp, ada, 100);
await sellAt('2026-04-01T00:00:00.000Z', lamp, ada, 130);
await sellAt('2026-04-02T10:00:00.000Z', vase, ada, 100);
await sellAt('2026-04-30T23:59:59.999Z', lamp, bob, 100);
await sellAt('2026-04-10T10:00:00.000Z', vase, bob, 5);
const back = await sellAt('2026-04-11T10:00:00.000Z', vase, bob, 107);
await sellAt('2026-05-01T00:00:00.000Z', vase, bob, 100);
await doAt('2026-05-02T10:00:00.000Z', () => refundSale(store, back, { by: 'test' }));

test('sums up what is completed of a month by product and by buyer, the best first, in UTC', async () => {
  const shown = await run('--month', '2026-04');
  const json = await run('--from', '2026-04-01', '--to', '2026-04-30', '--json');
  const csv = await run('--month', '2026-04', '--csv');
  const cut = await run('--month', '2026-04', '--limit', '1');

  const none = { shares: 0, commissions: 0 };
  expect(json.rows).toEqual([
    { of: 'product', name: '=Lamp', sales: 2, paid: 200, ...none, yours: 200, bonus: 20, id: lamp },
    { of: 'product', name: 'Vase', sales: 1, paid: 100, ...none, yours: 100, bonus: 10, id: vase },
    { of: 'buyer', name: ada.username, sales: 2, paid: 200, ...none, yours: 200, bonus: 20, id: ada.uuid },
    { of: 'buyer', name: bob.username, sales: 1, paid: 100, ...none, yours: 100, bonus: 10, id: bob.uuid },
  ]);
  expect(csv.stdout.split('\r\n').slice(0, 3)).toEqual([
    '\ufeffof,name,sales,paid,shares,commissions,yours,bonus,id',
    `product,'=Lamp,2,200,0,0,200,20,${lamp}`,
    `product,Vase,1,100,0,0,100,10,${vase}`,
  ]);
  expect(csv.stderr).toBe(
    '2026-04-01 to 2026-04-30, UTC: L$ 300 are yours: L$ 400 paid in 4 sales, less L$ 100 given back, L$ 0 of shares and L$ 0 of commissions.\n',
  );
  expect(shown.stdout).toMatch(
    /^PRODUCT +SALES +PAID +SHARES +COMMISSIONS +YOURS +BONUS\n=Lamp +2 +200 +0 +0 +200 +20\nVase +1 +100 +0 +0 +100 +10\n\nBUYER /,
  );
  expect(cut.stdout).not.toContain('Vase');
  expect(cut.stderr).toContain('There are more: see them with --limit 10.');
});

test('what is yours agrees with the sums of the days, with the sales of others and with a refund of the same days', async () => {
  const shop = (await createStore('Bench')).id;
  const [maker, owner] = [await newResident(), await newResident()];
  const profitShares = [{ userUuid: maker.uuid, percent: 60 }];
  const productOf = async (price: number, shares: typeof profitShares = []) =>
    (await createProduct(shop, { ...productWith({ name: `For ${price}`, price }), profitShares: shares })).id;
  const terms = { code: 'five', discount: 0, ownerProfit: 5, active: true, bloggersSync: false };
  const coupon = await createCoupon(shop, owner, terms, { usesPerCustomer: 1 });
  const inStore = { couponId: coupon.id, expiresInHours: 1 };
  await doAt('2026-04-01T00:00:00.000Z', () => applyCoupon(shop, { uuid: ada.uuid }, inStore));
  const sellIn = async (at: string, price: number, shares?: typeof profitShares) => {
    const productId = await productOf(price, shares);
    const request = { id: randomUUID(), productId, buyerIdentifier: { uuid: ada.uuid }, paid: price, useCredit: false };
    return doAt(at, () => sell(shop, { ...request, message: '' }, { by: 'test' }));
  };
  await sellIn('2026-04-01T00:00:00.000Z', 680, profitShares);
  await sellIn('2026-04-02T00:00:00.000Z', 300);
  const { id } = await sellIn('2026-04-03T00:00:00.000Z', 250);
  await doAt('2026-04-04T00:00:00.000Z', () => refundSale(shop, id, { by: 'test' }));
  const { text: key } = await issueKey({ store: shop, name: 'days', scopes: ['sales:read'], stage: 'test' });
  const summed = async () => {
    const { body } = await service.call('GET', '/v1/store/days?from=2026-04-01&to=2026-04-30', key);
    const sumOf = (name: string): number =>
      body.data.reduce((sum: number, day: Record<string, number>) => sum + (day[name] ?? 0), 0);
    return ['paid', 'refunded', 'shares', 'commissions'].map(sumOf);
  };

  await expect.poll(summed).toEqual([1230, 250, 408, 34]);
  const { stderr, rows } = await service.run('report', '--month', '2026-04', '--store', shop, '--json');
  expect(stderr).toBe(
    '2026-04-01 to 2026-04-30, UTC: L$ 538 are yours: L$ 1,230 paid in 3 sales, less L$ 250 given back, L$ 408 of shares and L$ 34 of commissions.\n',
  );
  expect(rows.filter(({ of }) => of === 'product').map(({ paid, yours }) => [paid, yours])).toEqual([
    [300, 300],
    [680, 238],
  ]);
});

test('a span that is none gets an error that says what to give; one without sales, or not over, is said to be', async () => {
  const ran = [
    await run('--month', '2026-13'),
    await run('--month', '2026-04', '--from', '2026-04-01', '--to', '2026-04-02'),
    await run('--from', '2026-04-01'),
    await run('--from', '2026-04-02', '--to', '2026-04-01'),
    await run('--csv', '--json'),
    await run('--separator', 'tab'),
    await run('--month', '2020-02'),
    await doAt('2026-04-11T12:00:00.000Z', () => run()),
  ];

  expect(ran.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 0, 0]);
  const words = [
    'must be a month such as 2030-01',
    'cannot be used with',
    'Give both --from and --to, or a --month',
    '--from 2026-04-02 must not be after --to 2026-04-01',
    'either --csv or --json',
    '--separator goes with --csv',
    'sold nothing from 2020-02-01 to 2020-02-29',
    '2026-04-30 is not over yet',
  ];
  for (const [index, word] of words.entries()) expect(ran[index]?.stderr).toContain(word);
});
