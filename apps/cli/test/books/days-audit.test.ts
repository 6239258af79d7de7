import { beforeEach, expect, test } from 'vitest';
import { grantGiftCard } from '../../../../lib/catalogue/gift-cards.ts';
import { timestamp } from '../../../../lib/clock.ts';
import { historyKey } from '../../../../lib/credit/history.ts';
import { dayKey } from '../../../../lib/events/days.ts';
import { put, remove, update } from '../../../../lib/table/language.ts';
import type { Key } from '../../../../lib/table/schema.ts';
import { write } from '../../../../lib/table/table.ts';
import { add, change, store } from '../../../../test/lib/credit/credit.ts';
import { newCustomer } from '../../../../test/support/credit-seed.ts';
import { anOrder } from '../../../../test/support/deliveries.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { freshTable, setClock, wholeTable } from '../../../../test/support/service.ts';
import { correctDay, findWrongDays, type WrongDay } from '../../books/recount-days.ts';
import { auditDays, checkDays } from '../../kinds/days.ts';

const dayMillis = 86_400_000;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const deliveryId = 'd0000000-7e57-0000-0000-000000000000';
const saleId = '5a1e0000-7e57-0000-0000-000000000000';
const vendorUuid = '7e4d0000-7e57-0000-0000-000000000000';
let uuid: string;

/** Two days of changes: credit that expires, a card, two ends of one delivery, and a sale that is refunded. */
beforeEach(async () => {
  await freshTable();
  await keepHistory();
  setClock(start);
  uuid = await newCustomer();
  await add(uuid, 50, start + 1000);
  setClock(start + dayMillis);
  await change(uuid, { kind: 'set', credit: 9 });
  await grantGiftCard(store, { uuid }, { credit: 5, texture: null, transfer: false });
  const order = anOrder(store, { id: deliveryId, recipientUuid: uuid });
  const delivery = {
    ...order,
    pk: `${store}#DELIVERY`,
    sk: deliveryId,
    attempts: 1,
    state: 'failed',
    failedAt: timestamp(start),
  };
  await write(put(delivery));
  const sale = {
    ...{ pk: `${store}#SALE`, sk: saleId, state: 'completed', refusal: null, productId: saleId, at: timestamp(start) },
    ...{ buyerUuid: uuid, recipientUuid: uuid, base: 42, discount: { source: 'none', percent: 0, couponId: null } },
    ...{ total: 42, credit: 0, restrictedCredit: 0, paid: 50, refund: 8, change: 8, deliveryId: null },
    shares: [
      { residentUuid: uuid, kind: 'commission', percent: 10, amount: 4 },
      { residentUuid: uuid, kind: 'share', percent: 50, amount: 21 },
    ],
    vendorUuid,
  };
  await write(put(sale));
  await write(put({ ...sale, sk: deliveryId, state: 'refused', refusal: 'closed', change: 50 }));
  await write(put({ ...sale, state: 'refunded', refund: 50, refundedAt: timestamp(start + dayMillis) }));
  await write(put({ ...delivery, state: 'delivered', deliveredAt: timestamp(start + dayMillis) }));
  await catchUp();
});

const items = async (): Promise<Key[]> => (await wholeTable()) as unknown as Key[];
const itemOf = async (kind: string, sk = ''): Promise<Key> =>
  (await items()).find(({ pk, sk: key }) => pk.startsWith(`${store}#${kind}`) && key.startsWith(sk)) as Key;

const faults = async (): Promise<string[]> => {
  setClock(start + 2 * dayMillis);
  const found: string[] = [];
  await checkDays(store, { onFault: (fault) => found.push(fault), onChecked: () => {} });
  expect(auditDays(await items())).toEqual(found);
  return found;
};

test('finds no fault in days that the consumer counted, a row of which only parts have come, and older cards', async () => {
  await write(put({ ...historyKey(store, uuid, 'regular', 3), lots: [{ id: 'lot', amount: 5 }] }));
  await write(put({ pk: `${store}#GIFTCARD`, sk: 'old', redeemedAt: timestamp(start - dayMillis) }));
  const found: string[] = [];
  const checked = await checkDays(store, { onFault: (fault) => found.push(fault), onChecked: () => {} });

  expect([checked, found, auditDays(await items())]).toEqual([2, [], []]);
});

test.each<[string, () => Promise<unknown>, string[]]>([
  [
    'a change that counted twice',
    () => write(update(dayKey(store, '2028-02-29'), { add: { creditAdded: 50, regularNet: 50 } })),
    [
      'day 2028-02-29: creditAdded is 100, but 50 was recorded.',
      'day 2028-02-29: regularNet is 100, but 50 was recorded.',
    ],
  ],
  [
    'a row that is gone',
    async () => write(remove(await itemOf('HISTORY', '000000000002'))),
    [
      'day 2028-03-01: creditAdded is 9, but 0 was recorded.',
      'day 2028-03-01: creditExpired is 50, but 0 was recorded.',
      'day 2028-03-01: regularNet is -41, but 0 was recorded.',
    ],
  ],
  [
    'a day that is gone',
    async () => write(remove(dayKey(store, '2028-02-29'))),
    [
      'day 2028-02-29: creditAdded is 0, but 50 was recorded.',
      'day 2028-02-29: regularNet is 0, but 50 was recorded.',
      'day 2028-02-29: sales is 0, but 1 was recorded.',
      'day 2028-02-29: paid is 0, but 42 was recorded.',
      'day 2028-02-29: shares is 0, but 21 was recorded.',
      'day 2028-02-29: commissions is 0, but 4 was recorded.',
      'day 2028-02-29: failed is 0, but 1 was recorded.',
    ],
  ],
  [
    'a sale and a refund that counted twice',
    async () => {
      await write(update(dayKey(store, '2028-02-29'), { add: { sales: 1, paid: 42, shares: 21 } }));
      await write(update(dayKey(store, '2028-03-01'), { add: { refunds: 1, refunded: 42, commissions: -4 } }));
    },
    [
      'day 2028-02-29: sales is 2, but 1 was recorded.',
      'day 2028-02-29: paid is 84, but 42 was recorded.',
      'day 2028-02-29: shares is 42, but 21 was recorded.',
      'day 2028-03-01: refunds is 2, but 1 was recorded.',
      'day 2028-03-01: refunded is 84, but 42 was recorded.',
      'day 2028-03-01: commissions is -8, but -4 was recorded.',
    ],
  ],
  [
    'a sale that counted twice for its vendor, and a vendor’s day that is gone',
    async () => {
      await write(update(dayKey(store, '2028-02-29', vendorUuid), { add: { sales: 1, paid: 42 } }));
      await write(remove(dayKey(store, '2028-03-01', vendorUuid)));
    },
    [
      `day 2028-02-29 of vendor ${vendorUuid}: sales is 2, but 1 was recorded.`,
      `day 2028-02-29 of vendor ${vendorUuid}: paid is 84, but 42 was recorded.`,
      `day 2028-03-01 of vendor ${vendorUuid}: refunds is 0, but 1 was recorded.`,
      `day 2028-03-01 of vendor ${vendorUuid}: refunded is 0, but 42 was recorded.`,
      `day 2028-03-01 of vendor ${vendorUuid}: shares is 0, but -21 was recorded.`,
      `day 2028-03-01 of vendor ${vendorUuid}: commissions is 0, but -4 was recorded.`,
    ],
  ],
  [
    'a card and a delivery that counted twice',
    () => write(update(dayKey(store, '2028-03-01'), { add: { giftCardsGranted: 1, delivered: 1 } })),
    [
      'day 2028-03-01: giftCardsGranted is 2, but 1 was recorded.',
      'day 2028-03-01: delivered is 2, but 1 was recorded.',
    ],
  ],
])(
  'tells of %s',
  async (_, spoil, expected) => {
    await spoil();

    expect(await faults()).toEqual(expected);
  },
  20_000,
);

test('does not ask for the ends of deliveries that are older than a week', async () => {
  await write(update(await itemOf('DELIVERY', deliveryId), { set: { failedAt: undefined } }));
  const within = auditDays(await items());
  setClock(start + 7 * dayMillis);

  expect(within).toEqual(['day 2028-02-29: failed is 1, but 0 was recorded.']);
  expect(auditDays(await items())).toEqual([]);
});

test('knows each end of a delivery once: an earlier failure, and one that an erasure left', async () => {
  const opened = { ...(await itemOf('DELIVERY', deliveryId)), failedAt: undefined, failures: [timestamp(start)] };
  await write(put(opened));
  const [erased, at] = ['e0000000-7e57-0000-0000-000000000000', timestamp(start)];
  await write(put({ pk: `${store}#MARK`, sk: erased, id: erased, failures: [at] } as Key));

  const found = await faults();

  expect(found).toEqual(['day 2028-02-29: failed is 1, but 2 was recorded.']);
});

test('a recount gives a day what the stream has lost, once, and leaves days whose records may still come', async () => {
  await write(remove(dayKey(store, '2028-02-29')));
  await write(update(dayKey(store, '2028-03-01'), { add: { delivered: 5 } }));
  setClock(start + 2 * dayMillis);
  const find = () => findWrongDays(store, () => {});

  const [found, same] = [await find(), await find()];
  const done = await Promise.all([...found, ...same].map((wrong) => correctDay(store, wrong)));

  expect(found.map(({ day, sums }) => [day, sums.map(({ name, recorded }) => [name, recorded])])).toEqual([
    [
      '2028-02-29',
      [
        ['creditAdded', 50],
        ['regularNet', 50],
        ['sales', 1],
        ['paid', 42],
        ['shares', 21],
        ['commissions', 4],
        ['failed', 1],
      ],
    ],
  ]);
  expect(done.toSorted()).toEqual([false, true]);
  expect([await find(), await faults()]).toEqual([[], ['day 2028-03-01: delivered is 6, but 1 was recorded.']]);
});

test('a recount corrects the days of vendors, but for one that has changed since it was read', async () => {
  await write(remove(dayKey(store, '2028-02-29', vendorUuid)));
  await write(update(dayKey(store, '2028-03-01', vendorUuid), { add: { refunds: 5 } }));
  setClock(start + 4 * dayMillis);
  const found = await findWrongDays(store, () => {});
  const changed = await findWrongDays(store, () => {});
  await write(update(dayKey(store, '2028-03-01', vendorUuid), { add: { refunds: -1 } }));

  const done = await Promise.all(changed.map((wrong) => correctDay(store, wrong)));
  const again = await Promise.all(found.map((wrong) => correctDay(store, wrong)));

  expect(found.map(({ day, vendor }) => [day, vendor])).toEqual([
    ['2028-02-29', vendorUuid],
    ['2028-03-01', vendorUuid],
  ]);
  expect([done, again]).toEqual([
    [true, false],
    [false, false],
  ]);
  for (const wrong of await findWrongDays(store, () => {})) await correctDay(store, wrong);
  expect([await findWrongDays(store, () => {}), await faults()]).toEqual([[], []]);
});

test('a recount leaves a day that has changed since it was read, be it by a sum that was not there', async () => {
  await write(update(dayKey(store, '2028-02-29'), { add: { sales: -1 } }));
  setClock(start + 2 * dayMillis);
  const [wrong] = await findWrongDays(store, () => {});
  await write(update(dayKey(store, '2028-02-29'), { add: { giftCardsGranted: 1 } }));

  expect(await correctDay(store, wrong as WrongDay)).toBe(false);
});

test('waits for a change that history has not shown yet, and passes over a day that changes meanwhile', async () => {
  setClock(start + 2 * dayMillis);
  await grantGiftCard(store, { uuid }, { credit: 5, texture: null, transfer: false });
  await write(update(dayKey(store, '2028-02-29'), { add: { creditAdded: 1 } }));
  let scans = 0;
  const stop = intercept(async ({ operation }, send) => {
    if (operation !== 'Scan') return send();
    if (++scans === 2) await catchUp();
    const answer = await send();
    await write(update(dayKey(store, '2028-02-29'), { add: { creditAdded: 1 } }));
    return answer;
  });
  const found: string[] = [];

  await checkDays(store, { onFault: (fault) => found.push(fault), onChecked: () => {} }).finally(stop);

  expect([found, scans]).toEqual([[], 2]);
});
