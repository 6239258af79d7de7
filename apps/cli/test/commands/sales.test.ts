import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { applyCoupon } from '../../../../lib/catalogue/applied-coupons.ts';
import { createCoupon } from '../../../../lib/catalogue/coupons.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { sell } from '../../../../lib/sale/sell.ts';
import { newResident, unknownUuid } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { doAt } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const service = await startForCli({ demo: false });
const [ada, bob] = [await newResident(), await newResident()];
const store = (await createStore('Till')).id;

const run = (...args: string[]) => service.run(...args, '--store', store);

const makeProduct = async (fields: object): Promise<string> =>
  (await createProduct(store, productWith({ item: 'Lamp', ...fields }))).id;
const product = await makeProduct({ name: 'Lamp', profitShares: [{ userUuid: bob.uuid, percent: 33 }] });

const sellAt = (time: string, buyer: { uuid: string }, fields: object = {}): Promise<string> =>
  doAt(time, async () => {
    const parties = { productId: product, buyerIdentifier: { uuid: buyer.uuid }, useCredit: false };
    const sale = await sell(store, { id: randomUUID(), ...parties, paid: 100, message: '', ...fields }, { by: 'test' });
    return sale.id;
  });

const refundAt = (time: string, id: string) => doAt(time, () => refundSale(store, id, { by: 'test' }));

test('calls products and avatars by their names, and shows the shares of one sale', async () => {
  const [buyer, friend] = [await newResident(), await newResident()];
  const recipientIdentifier = { uuid: friend.uuid };
  const gift = await sellAt('2026-01-01T11:00:00.000Z', buyer, { recipientIdentifier, paid: 130 });
  const refused = await sellAt('2026-01-01T12:00:00.000Z', buyer, { paid: 5 });

  const listed = await run('sales', 'list', '--buyer', buyer.username);
  const one = await run('sales', 'show', gift.toUpperCase());

  expect(listed.stdout.split('\n').slice(1)).toEqual([
    expect.stringMatching(`^${refused} .* refused: underpaid +100 +0 +5 +5 +Lamp +${buyer.username} +-$`),
    expect.stringMatching(
      `^${gift} +2026-01-01 11:00Z +completed +100 +0 +130 +30 +Lamp +${buyer.username} +${friend.username}$`,
    ),
    '',
  ]);
  expect(one.stdout).toContain(`${bob.username} 33 (share 33 %)`);
});

test('refunds a sale once, logs who did it, and says what to give back', async () => {
  const [buyer, now] = [await newResident(), new Date().toISOString()];
  const [id, refused] = [await sellAt(now, buyer, { paid: 130 }), await sellAt(now, buyer, { paid: 5 })];

  const refunded = await run('sales', 'refund', id, '--reason', 'Twice', '--reference', 'T-17', '--json');
  const [logged] = (await run('log', '--limit', '1', '--json')).rows;
  const again = await run('sales', 'refund', id, '--reference', 'T-18');
  const wrong = [await run('sales', 'refund', refused), await run('sales', 'refund', unknownUuid)];

  expect(refunded).toMatchObject({ code: 0, rows: [{ id, state: 'refunded', refund: 130, refundReference: 'T-17' }] });
  expect(refunded.stderr).toContain('Now give L$ 100 back to the buyer inworld.');
  expect(logged).toMatchObject({ action: 'sale.refunded', store, details: { sale: id, buyer: buyer.uuid } });
  expect(again.stderr).toContain('It was refunded before');
  const rows = (await run('log', '--limit', '9', '--json')).rows;
  expect(rows.filter(({ action }) => action === 'sale.refunded')).toHaveLength(1);
  expect(wrong).toMatchObject([
    { code: 1, stderr: expect.stringContaining('there is nothing to refund') },
    { code: 1, stderr: expect.stringContaining(`has no sale ${unknownUuid}.`) },
  ]);
});

test('a refund with --pay-out leaves what is to be given back to the payouts, and says so', async () => {
  const buyer = await newResident();
  const id = await sellAt(new Date().toISOString(), buyer, { paid: 100 });

  const refunded = await run('sales', 'refund', id, '--pay-out', '--json');

  expect(refunded.rows).toMatchObject([{ id, state: 'refunded', payOut: true }]);
  expect(refunded.stderr).toBe('The store owes L$ 100 to the buyer: see store payouts.\n');
});

test('payouts are the shares of the sales of a span less those refunded in it, by UTC day, with each sale behind them', async () => {
  const buyer = await newResident();
  const coupon = { code: randomUUID(), discount: 0, ownerProfit: 10, active: true, bloggersSync: false };
  const { id: couponId } = await createCoupon(store, ada, coupon);
  const twice = await makeProduct({
    profitShares: [
      { userUuid: ada.uuid, percent: 20 },
      { userUuid: buyer.uuid, percent: 0.5 },
    ],
  });
  const early = await sellAt('2025-05-31T23:59:59.999Z', buyer);
  const first = await sellAt('2025-06-01T00:00:00.000Z', buyer);
  await doAt('2025-06-15T00:00:00.000Z', () =>
    applyCoupon(store, { uuid: buyer.uuid }, { couponId, expiresInHours: 24 }),
  );
  const both = await sellAt('2025-06-15T12:00:00.000Z', buyer, { productId: twice, paid: 107 });
  await sellAt('2025-06-15T13:00:00.000Z', buyer, { paid: 5 });
  const last = await sellAt('2025-06-30T23:59:59.999Z', buyer);
  await sellAt('2025-07-01T00:00:00.000Z', buyer);
  await refundAt('2025-06-02T00:00:00.000Z', early);
  await refundAt('2025-06-30T23:59:59.999Z', first);
  await refundAt('2025-07-01T00:00:00.000Z', last);
  const payouts = async (from: string, to: string, ...more: string[]) =>
    run('payouts', '--from', from, '--to', to, ...more);
  const june = ['2025-06-01', '2025-06-30'] as const;

  const sums = await payouts(...june, '--json');
  const lines = await payouts(...june, '--sales', '--json');
  const [may, july] = [
    await payouts('2025-05-01', '2025-05-31', '--json'),
    await payouts('2025-07-01', '2025-07-01', '--json'),
  ];

  const [adas, bobs] = [ada, bob].map(({ uuid, username }) => ({ residentUuid: uuid, username }));
  expect(sums.rows).toEqual([
    { ...adas, sales: 1, refunds: 0, earned: 30, takenBack: 0, toGiveBack: 0, paid: 0, owed: 30 },
    { ...bobs, sales: 2, refunds: 2, earned: 66, takenBack: 66, toGiveBack: 0, paid: 0, owed: 0 },
  ]);
  expect(
    lines.rows.map(({ username, saleId, cause, kind, percent, amount, at }) => [
      username,
      saleId,
      cause,
      kind,
      percent,
      amount,
      at,
    ]),
  ).toEqual([
    [ada.username, both, 'sale', 'commission', 10, 10, '2025-06-15T12:00:00.000Z'],
    [ada.username, both, 'sale', 'share', 20, 20, '2025-06-15T12:00:00.000Z'],
    [bob.username, first, 'sale', 'share', 33, 33, '2025-06-01T00:00:00.000Z'],
    [bob.username, early, 'refund', 'share', 33, -33, '2025-06-02T00:00:00.000Z'],
    [bob.username, first, 'refund', 'share', 33, -33, '2025-06-30T23:59:59.999Z'],
    [bob.username, last, 'sale', 'share', 33, 33, '2025-06-30T23:59:59.999Z'],
  ]);
  expect(may.rows).toMatchObject([{ ...bobs, owed: 33 }]);
  expect(july.rows).toMatchObject([{ ...bobs, sales: 1, refunds: 1, owed: 0 }]);
  const csv = await payouts(...june, '--csv');
  expect(csv.stdout).toBe(
    `\ufeffresidentUuid,username,sales,earned,refunds,takenBack,toGiveBack,paid,owed\r\n${ada.uuid},${ada.username},1,30,0,0,0,0,30\r\n${bob.uuid},${bob.username},2,66,2,66,0,0,0\r\n`,
  );
  expect(csv.stderr).toBe('2025-06-01 to 2025-06-30, UTC: L$ 30 for 2 avatars.\n');
  const csvLines = (await payouts(...june, '--sales', '--csv')).stdout.split('\r\n');
  expect(csvLines[0]).toBe('\ufeffresidentUuid,username,saleId,productId,cause,at,kind,percent,amount');
  expect(csvLines[4]).toBe(
    `${bob.uuid},${bob.username},${early},${product},refund,2025-06-02T00:00:00.000Z,share,33,-33`,
  );
  expect((await payouts(...june)).stdout).toMatch(new RegExp(`${bob.username} +0 +2 +66 +2 +66 +`));
});

test('a span that is none gets an error that says what to give; a day that is not over is said to be', async () => {
  const ran = [
    await run('payouts', '--from', '2025-02-30', '--to', '2025-03-01'),
    await run('payouts', '--from', '2025-03-01', '--to', '1.4.2025'),
    await run('payouts', '--from', '2025-03-02', '--to', '2025-03-01'),
    await run('payouts', '--from', '2025-03-02'),
    await run('payouts', '--from', '2025-03-01', '--to', '2025-03-01', '--csv', '--json'),
    await run('payouts', '--from', '2020-01-01', '--to', '2999-12-31', '--csv'),
    await run('payouts', '--from', '2020-01-01', '--to', '2020-01-31'),
  ];

  expect(ran.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 0, 0]);
  const words = [
    'must be a date such as',
    'must be a date such as',
    '--from 2025-03-02 must not be after --to 2025-03-01',
    '--to',
    'either --csv or --json',
    '2999-12-31 is not over yet',
    'owes nothing for 2020-01-01 to 2020-01-31',
  ];
  for (const [index, word] of words.entries()) expect(ran[index]?.stderr).toContain(word);
});

test('the doctor tells of sales whose delivery nothing has ordered, and store sweep orders them', async () => {
  await service.stopHistory();
  await sellAt(new Date(Date.now() - 20 * 60_000).toISOString(), await newResident());
  const look = async () => (await service.run('doctor', '--json')).rows.find(({ check }) => check === 'sales');

  const before = await look();
  const swept = [await service.run('sweep', '--json'), await service.run('sweep', '--json')];

  expect(before).toMatchObject({ state: 'fail', detail: expect.stringMatching(/^1 sale without .* 20 minutes ago/) });
  expect(swept.map(({ rows }) => rows[0].ordered)).toEqual([1, 0]);
  expect(await look()).toMatchObject({ state: 'ok' });
});
