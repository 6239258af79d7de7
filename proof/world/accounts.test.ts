import { expect, test } from 'vitest';
import { nilUuid } from '../../lib/identifier.ts';
import { createBook } from '../workload/book.ts';
import { always } from '../workload/checks/credit.ts';
import {
  compareCredit,
  compareGifts,
  compareMoney,
  compareOwnRows,
  compareSeen,
  type StoreBooks,
  withoutLate,
} from './accounts.ts';
import type { Transfer } from './book.ts';
import { type Grid, seenAt } from './grid.ts';
import type { Mall } from './mall.ts';
import { payClaims } from './merchant.ts';
import { comparePayouts } from './payouts.ts';

/**
 * Each kind of error in a day's books is found, and a right day has none. proof/workload/checks.test.ts shows what the
 * rules of credit find.
 */

const [owner, ada, bo, cy] = ['owner', 'ada', 'bo', 'cy'];
const [vendor, lamp, till] = ['vendor', 'lamp', 'till'];
const at = '2027-01-01T00:00:00.000Z';
const bonusEnd = '2027-01-31T00:00:00.000Z';

const transfer = (fields: Partial<Transfer>): Transfer => ({
  ...{ id: 'payment', at: 0, reason: 'payment', from: ada, to: owner, amount: 80, of: vendor },
  ...fields,
});
const change = transfer({ id: 'change', reason: 'back', from: owner, to: ada, amount: 10 });
const byHand = transfer({ id: 'by hand', reason: 'refund', from: owner, to: bo, amount: 100, of: 'refunded' });
const payout = transfer({ id: 'payout', reason: 'payout', from: owner, to: cy, amount: 30, of: till });

/** A row of the history of permanent credit. */
const row = (sequence: number, kind: string, amount: number, credit: number, fields: object = {}) => ({
  ...{ sequence, kind, amount, credit, at, type: 'regular', expired: 0, restrictedCredit: 0 },
  ...{ saleId: null as string | null, giftCardId: null as string | null, reference: null, lots: [], ...fields },
});

const bonus = (sequence: number, amount: number, restrictedCredit: number) => {
  const lots = [{ amount, expiresAt: bonusEnd }];
  return row(sequence, 'bonus', amount, 0, { type: 'restricted', saleId: 'refunded', restrictedCredit, lots });
};

/**
 * Ada has bought a lamp for L$ 100: she paid L$ 80 and got L$ 10 back, and L$ 30 were credit. Bo has returned two
 * purchases. For one he got L$ 100 by hand, and the bonus went back; for the other he is owed L$ 80, and a payout of
 * them failed. Cy was paid a share.
 */
const aDay = () => {
  const sale = {
    ...{ id: 'sale', state: 'completed', productId: lamp, buyerUuid: ada, recipientUuid: ada, deliveryId: 'delivery' },
    ...{ at, paid: 80, change: 10, refund: 10, credit: 30, restrictedCredit: 0, bonus: 0, payOut: false },
    shares: [{ residentUuid: cy, amount: 30 }],
  };
  const refunded = {
    ...{ ...sale, id: 'refunded', state: 'refunded', deliveryId: 'never', buyerUuid: bo, bonus: 4 },
    ...{ paid: 100, change: 0, refund: 100, credit: 0, shares: [] },
  };
  const owed = { ...refunded, id: 'owed', paid: 90, change: 10, refund: 90, bonus: 0, payOut: true };
  const delivery = { id: 'delivery', state: 'delivered', productId: lamp, recipientUuid: ada, lastError: null };
  const sold = { uuid: ada, type: 'regular', key: 'gift', command: { kind: 'increment', delta: 50 }, outcome: 'done' };
  const book = Object.assign(createBook(), { credit: [{ ...always, ...sold }] });
  const history = [
    row(1, 'increment', 50, 50, { reference: 'gift' }),
    row(2, 'redeem', 20, 70, { giftCardId: 'card' }),
    row(3, 'sale', -30, 40, { saleId: 'sale' }),
  ];
  const paid = { id: 'first', state: 'paid', amount: 30, residentUuid: cy, transactionId: 'payout' };
  const transfers = [
    ...[transfer({}), change, byHand, payout],
    transfer({ id: 'second', from: bo, amount: 100 }),
    transfer({ id: 'third', from: bo, amount: 90 }),
    transfer({ id: 'change of bo', reason: 'back', from: owner, to: bo, amount: 10 }),
    transfer({ id: 'unheard', amount: 7 }),
    transfer({ id: 'returned', reason: 'unheard', from: owner, to: ada, amount: 7, of: 'unheard' }),
  ];
  return {
    sales: [sale, refunded, owed],
    deliveries: [delivery, { ...delivery, id: 'never', state: 'failed', lastError: 'refunded' }],
    history,
    credit: new Map([
      [ada, { rows: history, credit: 40, restrictedCredit: 0 }],
      [bo, { rows: [bonus(1, 4, 4), bonus(2, -4, 0)], credit: 0, restrictedCredit: 0 }],
    ]),
    products: new Map([[lamp, { item: 'Lamp' }]]),
    productOf: new Map([[vendor, lamp]]),
    service: { book },
    refunds: new Map([['refunded', { to: bo, amount: 0 }]]),
    cards: new Map([['card', { credit: 20, owner: ada, redeemed: true, isSold: false }]]),
    cardProduct: 'cards',
    payouts: [paid, { ...paid, id: 'failed', state: 'failed', amount: 80, residentUuid: bo, transactionId: null }],
    payees: [
      { residentUuid: cy, owed: 0, claimed: 0, unknown: 0, paid: 30 },
      { residentUuid: bo, owed: 80, claimed: 0, unknown: 0, paid: 0 },
    ],
    cashiers: new Set([till]),
    transfers,
    book: { transfers },
    gifts: [{ deliveryId: 'delivery', to: ada, item: 'Lamp', box: 'box', at: 0 }],
    unheard: new Set(['unheard']),
    unnoted: new Map<string, string>(),
  };
};
type Day = ReturnType<typeof aDay>;

const found = (damage: (day: Day) => void) => {
  const day = aDay();
  damage(day);
  const [store, grid] = [day as unknown as StoreBooks, day as unknown as Grid];
  const [money, payouts, gifts] = [
    compareMoney(store, grid),
    comparePayouts(store, day.transfers),
    compareGifts(store, grid),
  ];
  return {
    unexplained: money.unexplained + payouts.unexplained,
    faults: [...money.faults, ...payouts.faults, ...gifts.faults, ...compareCredit(store)],
    twice: gifts.twice,
  };
};

test('a sale of what its buyer did not see at a vendor with arrows is found', () => {
  const arrows = { ...aDay(), productOf: new Map([[vendor, vendor]]), products: new Map([[lamp, { name: 'Lamp' }]]) };
  const [sale] = arrows.sales;
  const faultsOf = (...seen: string[]): string[] => {
    const books = { ...arrows, sales: [{ ...sale, vendorUuid: vendor }] } as unknown as StoreBooks;
    return compareSeen(books, { seen: new Set(seen), copies: new Set() } as unknown as Grid);
  };

  for (const text of ['Lamp', '']) expect(faultsOf(seenAt(vendor, ada, text, 80))).toEqual([]);
  for (const other of [
    seenAt(vendor, ada, 'Chair', 80),
    seenAt(vendor, ada, 'Lamp', 90),
    seenAt(vendor, bo, 'Lamp', 80),
  ])
    expect(faultsOf(other)).toEqual([`sale sale at vendor ${vendor} is of what ${ada} did not see`]);
});

test('a change of credit that a page showed, and that the books do not have so, is found', () => {
  const { credit, history } = aDay();
  const books = { store: { id: 'lamps' }, credit } as unknown as StoreBooks;
  const faultsOf = (...seen: object[]): string[] => compareOwnRows(books, { ownRows: seen } as unknown as Grid);
  const ofAda = (row: object | undefined) => ({ store: 'lamps', uuid: ada, row });

  expect(faultsOf(...history.map(ofAda), { ...ofAda({ sequence: 9 }), store: 'another' })).toEqual([]);
  for (const wrong of [
    ofAda({ ...history[2], amount: -31 }),
    ofAda({ ...history[2], sequence: 4 }),
    { ...ofAda(history[2]), uuid: bo },
  ])
    expect(faultsOf(wrong)).toEqual([expect.stringContaining(`the page of ${wrong.uuid} had a change`)]);
});

const another = { credit: 5, owner: ada, redeemed: true, isSold: false };
const lose = <T>(from: T[], one: T): unknown => from.splice(from.indexOf(one), 1);
const set = (one: object | undefined, fields: object): unknown => Object.assign(one ?? {}, fields);

test('a right day has no fault and L$ 0 unexplained', () => {
  expect(found(() => undefined)).toEqual({ unexplained: 0, faults: [], twice: [] });
});

const overpaid = 'from an account that did not get it: L$ 10 more than it got: product lamp from other to ada';

test.each<[string, number, string, (day: Day) => unknown]>([
  ['change that is given twice', 10, 'given back, but not owed', ({ transfers }) => transfers.push(change)],
  ['change that is not given', 10, 'owed, but not given back', ({ transfers }) => lose(transfers, change)],
  ['a payment without a sale', 80, 'neither sold', ({ transfers }) => transfers.push(transfer({ id: 'more' }))],
  // The account gave L$ 10 of change, and got 7 instead.
  ['a sale without a payment', 83, 'sold, but never paid', ({ transfers }) => transfers.shift()],
  ['change from another account', 10, overpaid, ({ transfers }) => set(transfers, { 1: { ...change, from: 'other' } })],
  ['a refund that is not paid', 100, 'refunded wrongly', ({ transfers }) => lose(transfers, byHand)],
  ['a refund that is paid twice', 100, 'refunded wrongly', ({ transfers }) => transfers.push(byHand)],
  [
    'a refund of a sale that is not refunded',
    100,
    'since it is not refunded',
    ({ sales }) => set(sales[1], { state: 'completed' }),
  ],
  ['a payment that nobody heard of and nobody returned', 7, 'never heard', ({ transfers }) => transfers.pop()],
  ['a payout that is made twice', 30, 'given twice', ({ transfers }) => transfers.push({ ...payout, id: 'two' })],
  ['a payout that nobody made', 30, 'a transfer that is not there', ({ transfers }) => lose(transfers, payout)],
  [
    'two payouts with one transfer',
    30,
    'is said to be paid by',
    ({ payouts }) => payouts.push({ ...payouts[0] } as never),
  ],
  ['a payout that is still claimed', 30, 'is still claimed', ({ payouts }) => set(payouts[0], { state: 'claimed' })],
  [
    'L$ that went to another payee',
    60,
    'is said to be paid by {"id":"payout"',
    ({ transfers }) => set(transfers, { 3: { ...payout, to: bo } }),
  ],
  [
    'a failed payout that was made',
    80,
    'given for no payout',
    ({ transfers }) => transfers.push({ ...payout, id: 'two', to: bo, amount: 80 }),
  ],
])('%s is found, with the sum', (_, unexplained, text, damage) => {
  const result = found(damage);

  expect(result.unexplained).toBe(unexplained);
  expect(result.faults.join('\n')).toContain(text);
});

test.each<[string, string, (day: Day) => unknown]>([
  ['an item that is not given', 'never given', ({ gifts }) => gifts.pop()],
  ['an item that is given twice', 'given 2 times', ({ gifts }) => gifts.push(...gifts)],
  ['an item that another avatar gets', 'not Lamp to ada', ({ gifts }) => set(gifts[0], { to: bo })],
  ['a delivery that is lost', 'is lost', ({ deliveries }) => deliveries.shift()],
  ['a delivery that still waits', 'is waiting', ({ deliveries }) => set(deliveries[0], { state: 'waiting' })],
  ['a share that is not counted', 'cy is counted L$ -1 too many', ({ payees }) => set(payees[0], { paid: 29 })],
  ['a refund that is counted', 'bo is counted L$ 80 too many', ({ sales }) => set(sales[2], { payOut: false })],
  ['credit that a sale took twice', 'is there 2 times', ({ history }) => history.push({ ...history[2] } as never)],
  ['a card that is redeemed for more', 'the rules make it 5', ({ cards }) => set(cards.get('card'), { credit: 5 })],
  [
    'a card that is redeemed twice',
    'nobody asked for it',
    ({ history, credit }) => set(credit.get(bo), { rows: history }),
  ],
  ['a card that is said to be redeemed', 'redeemed together: L$ -5', ({ cards }) => cards.set('other', another)],
  ['a bonus that nobody got', 'bonus restricted sale of ada is lost', ({ sales }) => set(sales[0], { bonus: 4 })],
  ['a bonus of another sum', 'the rules make it 3', ({ sales }) => set(sales[1], { bonus: 3 })],
  ['a sold card that is missing', 'cards that were sold to ada: -3', (day) => set(day, { cardProduct: lamp })],
])('%s is found', (_, text, damage) => {
  expect(found(damage).faults.join('\n')).toContain(text);
});

/** Ada has redeemed two cards at once. */
const atOnce =
  (amount: number) =>
  ({ history, credit, cards }: Day): void => {
    for (const id of ['one', 'two']) cards.set(id, another);
    history.push(row(4, 'redeem', amount, 40 + amount));
    set(credit.get(ada), { credit: 40 + amount });
  };

test('cards that are redeemed together come to what they had', () => {
  expect(found(atOnce(10)).faults).toEqual([]);
  expect(found(atOnce(11)).faults).toEqual(['cards of ada that were redeemed together: L$ 1 too many']);
});

test('a second gift is explained where the box died between giving and noting, and a whole payment that comes back', () => {
  const twice = found(({ gifts, unnoted }) => {
    gifts.push(...gifts);
    unnoted.set('delivery', 'box');
  });
  const returned = found(({ transfers }) => {
    const more = transfer({ id: 'more', amount: 5 });
    transfers.push(more, { ...more, reason: 'back', from: owner, to: ada });
  });

  const explained = 'delivery: the box box died between giving and noting';
  expect(twice).toEqual({ unexplained: 0, faults: [], twice: [explained] });
  expect(returned.faults).toEqual([]);
});

test('the merchant explains an exact sum first, and any part of a payment by the most that is missing', () => {
  const key = `${lamp} ${ada}`;
  const missing = [30, 13, 40].map((amount) => ({ key, amount }));
  const claim = { by: vendor, to: ada, text: 'a claim' };
  const move = ({ amount }: { amount: number }) => missing.splice(missing.map((one) => one.amount).indexOf(amount), 1);
  const claims = [
    { ...claim, amount: 50, isUpTo: true },
    { ...claim, amount: 20, isUpTo: true },
    { ...claim, amount: 30, isUpTo: false },
  ];
  const grid = { claims, givings: [], copies: new Set(), book: { move } } as unknown as Grid;

  const faults = payClaims({ productOf: new Map([[vendor, lamp]]), owner } as unknown as Mall, grid, () => missing);

  expect([faults, missing]).toEqual([[], []]);
});

test('what a copy tells explains the sum of its own product first', () => {
  const keys = [`${lamp} ${ada}`, `chair ${ada}`];
  const missing = keys.map((key) => ({ key, amount: 30 }));
  const move = ({ of }: { of: string }) => {
    const place = missing.findIndex(({ key }) => key === (of === vendor ? keys[0] : keys[1]));
    missing.splice(place, 1);
  };
  const claims = [
    { by: 'copy', to: ada, text: 'a claim', amount: 30, isUpTo: false },
    { by: vendor, to: ada, text: 'a claim', amount: 30, isUpTo: true },
  ];
  const grid = { claims, givings: [], copies: new Set(['copy']), book: { move } } as unknown as Grid;
  const productOf = new Map([
    [vendor, lamp],
    ['copy', 'chair'],
  ]);

  payClaims({ productOf, owner } as unknown as Mall, grid, () => missing);

  expect(missing).toEqual([]);
});

test('a payment before its vendor knew the product is a refused sale of none at that vendor', () => {
  const none = { productId: nilUuid, vendorUuid: vendor, state: 'refused', paid: 50, change: 50, deliveryId: null };
  const at = (vendorUuid: string) =>
    found(({ sales, transfers }) => {
      sales.push({ ...sales[0], ...none, vendorUuid, id: 'none' } as unknown as (typeof sales)[number]);
      const paid = transfer({ id: 'paid for none', amount: 50 });
      transfers.push(paid, { ...paid, id: 'back of none', reason: 'back', from: owner, to: ada });
    });

  expect(at(vendor).faults).toEqual([]);
  expect(at('elsewhere').unexplained).toBeGreaterThan(0);
});

test('a payment and a later sale of the same avatar and sum are no difference, and each is used once', () => {
  const [paid, sold] = ['paid and not sold', 'sold and not paid'];
  const one = (difference: string, minutes: number, amount = 80) => ({
    ...{ difference, who: ada, amount },
    at: new Date(minutes * 60_000).toISOString(),
  });
  const left = (...all: ReturnType<typeof one>[]) => withoutLate(all).map(({ difference }) => difference);

  expect(left(one(paid, 0), one(sold, 20))).toEqual([]);
  expect(left(one(paid, 20), one(sold, 0))).toEqual([paid, sold]);
  expect(left(one(paid, 0), one(paid, 1), one(sold, 20))).toEqual([paid]);
  expect(left(one(paid, 0), one(sold, 20, 81))).toEqual([paid, sold]);
});
