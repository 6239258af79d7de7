import { expect, test } from 'vitest';
import { compareCredit, compareGifts, compareMoney, type GridBooks, type StoreBooks } from './accounts.ts';
import type { Transfer } from './book.ts';
import type { Grid } from './grid.ts';
import type { Mall } from './mall.ts';
import { payClaims } from './merchant.ts';

/** Each kind of error in a day's books is found, and a right day has none. */

const [owner, ada, bo] = ['owner', 'ada', 'bo'];
const [vendor, lamp] = ['vendor', 'lamp'];

const transfer = (fields: Partial<Transfer>): Transfer => ({
  ...{ id: 'payment', at: 0, reason: 'payment', from: ada, to: owner, amount: 120, of: vendor },
  ...fields,
});

/** Ada has bought a lamp for L$ 100, of which 30 were credit, for L$ 80 paid; and one that was refunded. */
const aDay = () => {
  const sale = {
    ...{ id: 'sale', state: 'completed', productId: lamp, buyerUuid: ada, recipientUuid: ada, deliveryId: 'delivery' },
    ...{ paid: 80, change: 10, refund: 10, credit: 30, restrictedCredit: 0 },
  };
  const refunded = {
    ...{ ...sale, id: 'refunded', state: 'refunded', deliveryId: 'never', buyerUuid: bo },
    ...{ paid: 100, change: 0, refund: 100, credit: 0 },
  };
  const delivery = { id: 'delivery', state: 'delivered', productId: lamp, recipientUuid: ada, lastError: null };
  const store = {
    sales: [sale, refunded],
    deliveries: [delivery, { ...delivery, id: 'never', state: 'failed', lastError: 'refunded' }],
    credit: new Map([
      [
        ada,
        {
          history: [
            { sequence: 3, kind: 'sale', amount: -30, expired: 0, saleId: 'sale' },
            { sequence: 2, kind: 'redeem', amount: 20, expired: 0, saleId: null, giftCardId: 'card' },
            {
              sequence: 1,
              kind: 'increment',
              amount: 50,
              expired: 0,
              saleId: null,
              giftCardId: null,
              reference: 'gift',
            },
          ],
          credit: 40,
          restrictedCredit: 0,
        },
      ],
    ]),
    items: new Map([[lamp, 'Lamp']]),
    productOf: new Map([[vendor, lamp]]),
    grants: new Map([['gift', { uuid: ada, amount: 50 }]]),
    refunds: new Map([['refunded', { amount: 100, isPaid: true }]]),
    cards: new Map([['card', { credit: 20, owner: ada, redeemed: true }]]),
    cardProduct: 'cards',
  };
  const grid = {
    transfers: [
      transfer({ amount: 80 }),
      transfer({ id: 'change', reason: 'back', from: owner, to: ada, amount: 10 }),
      transfer({ id: 'other', from: bo, amount: 100 }),
      transfer({ id: 'by hand', reason: 'refund', from: owner, to: bo, amount: 100, of: 'refunded' }),
      transfer({ id: 'unheard', amount: 7 }),
      transfer({ id: 'returned', reason: 'unheard', from: owner, to: ada, amount: 7, of: 'unheard' }),
    ],
    gifts: [{ deliveryId: 'delivery', to: ada, item: 'Lamp', box: 'box', at: 0 }],
    unheard: new Set(['unheard']),
    unnoted: new Map<string, string>(),
  };
  return { store, grid };
};
type Day = ReturnType<typeof aDay>;

const found = (change: (day: Day) => void) => {
  const day = aDay();
  change(day);
  const [store, grid] = [day.store as StoreBooks, day.grid as GridBooks];
  const money = compareMoney(store, grid);
  const gifts = compareGifts(store, grid);
  return {
    unexplained: money.unexplained,
    faults: [...money.faults, ...gifts.faults, ...compareCredit(store)],
    twice: gifts.twice,
  };
};

test('a right day has no fault and L$ 0 unexplained', () => {
  expect(found(() => undefined)).toEqual({ unexplained: 0, faults: [], twice: [] });
});

test.each<[string, number, string, (day: Day) => void]>([
  [
    'change that is given twice',
    10,
    'given back, but not owed',
    ({ grid }) => grid.transfers.push({ ...grid.transfers[1] } as Transfer),
  ],
  ['change that is not given', 10, 'owed, but not given back', ({ grid }) => grid.transfers.splice(1, 1)],
  [
    'a payment without a sale',
    80,
    'neither sold',
    ({ grid }) => grid.transfers.push(transfer({ id: 'more', amount: 80 })),
  ],
  // The account gave L$ 10 of change, and got 7 in its place.
  ['a sale without a payment', 83, 'sold, but never paid', ({ grid }) => grid.transfers.splice(0, 1)],
  [
    'change from another account than the one that was paid',
    10,
    'from an account that did not get it: L$ 10 more than it got: product lamp from other to ada',
    ({ grid }) => Object.assign(grid.transfers[1] ?? {}, { from: 'other' }),
  ],
  ['a refund that is not paid', 100, 'refunded wrongly', ({ grid }) => grid.transfers.splice(3, 1)],
  [
    'a refund that is paid twice',
    100,
    'refunded wrongly',
    ({ grid }) => grid.transfers.push(grid.transfers[3] as Transfer),
  ],
  ['a payment that nobody heard of and nobody returned', 7, 'never heard', ({ grid }) => grid.transfers.pop()],
  ['an item that is not given', 0, 'never given', ({ grid }) => grid.gifts.pop()],
  ['an item that is given twice', 0, 'given 2 times', ({ grid }) => grid.gifts.push(...grid.gifts)],
  [
    'an item that another avatar gets',
    0,
    'not Lamp to ada',
    ({ grid }) => grid.gifts.splice(0, 1, { ...grid.gifts[0], to: bo } as never),
  ],
  ['a delivery that is lost', 0, 'is lost', ({ store }) => store.deliveries.shift()],
  [
    'a delivery that still waits',
    0,
    'is waiting',
    ({ store }) => Object.assign(store.deliveries[0] ?? {}, { state: 'waiting' }),
  ],
  [
    'credit that a sale took twice',
    0,
    'L$ -60, not -30',
    ({ store }) =>
      store.credit.get(ada)?.history.unshift({ sequence: 4, kind: 'sale', amount: -30, expired: 0, saleId: 'sale' }),
  ],
  [
    'a balance that history does not make',
    0,
    'history makes L$ 40',
    ({ store }) => Object.assign(store.credit.get(ada) ?? {}, { credit: 41 }),
  ],
  [
    'a card that is redeemed for more than it had',
    0,
    'redeem card',
    ({ store }) => store.cards.set('card', { credit: 5, owner: ada, redeemed: true }),
  ],
  [
    'a card that is said to be redeemed',
    0,
    'but 0 times',
    ({ store }) => store.cards.set('other', { credit: 5, owner: ada, redeemed: true }),
  ],
  [
    'cards that were redeemed together for more than they had',
    0,
    'too many',
    ({ store }) => {
      for (const id of ['one', 'two']) store.cards.set(id, { credit: 5, owner: ada, redeemed: true });
      const { history = [] } = store.credit.get(ada) ?? {};
      const none = { saleId: null, giftCardId: null, reference: '' };
      history.unshift({ sequence: history.length + 1, kind: 'redeem', amount: 11, expired: 0, ...none });
      Object.assign(store.credit.get(ada) ?? {}, { credit: 51 });
    },
  ],
  [
    'a bonus that nobody got',
    0,
    'history lacks bonus sale',
    ({ store }) => Object.assign(store.sales[0] ?? {}, { bonus: 4 }),
  ],
  [
    'more credit after a refund than the bonus of its sale',
    0,
    'history has bonus refunded bo: L$ 8, not 4',
    ({ store }) => {
      Object.assign(store.sales[1] ?? {}, { bonus: 4 });
      const history = [{ sequence: 1, kind: 'bonus', amount: 8, expired: 0, saleId: 'refunded' }];
      store.credit.set(bo, { history, credit: 8, restrictedCredit: 0 } as never);
    },
  ],
  [
    'a sold card that is missing',
    0,
    `cards that were sold to ${ada}: -2`,
    ({ store }) => Object.assign(store, { cardProduct: lamp }),
  ],
  [
    'credit that the merchant gave and nobody has',
    0,
    'history lacks',
    ({ store }) => store.grants.set('more', { uuid: ada, amount: 1 }),
  ],
])('%s is found', (_, unexplained, text, change) => {
  const result = found(change);

  expect(result.unexplained).toBe(unexplained);
  expect(result.faults.join('\n')).toContain(text);
});

test('a second gift is explained where the box died between giving and noting, and a whole payment that comes back', () => {
  const twice = found(({ grid }) => {
    grid.gifts.push(...grid.gifts);
    grid.unnoted.set('delivery', 'box');
  });
  const returned = found(({ grid }) => {
    const more = transfer({ id: 'more', amount: 5 });
    grid.transfers.push(more, { ...more, reason: 'back', from: owner, to: ada });
  });

  expect(twice).toEqual({
    unexplained: 0,
    faults: [],
    twice: ['delivery: the box box died between giving and noting'],
  });
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
