import { expect, test } from 'vitest';
import { historyRows } from '../../test/support/history-rows.ts';
import { balanceOf } from '../../test/support/model/credit.ts';
import { type AskedChange, type Book, createBook, type Interval } from './book.ts';
import { auditFaults, tableFaults } from './checks/books.ts';
import { type CreditBooks, creditFaults, creditInTable } from './checks/credit.ts';
import { deliveryFaults } from './checks/deliveries.ts';
import { createTable } from './table.ts';

/** Shows that the checks of the workload find each kind of damage, and each kind of false answer. */

const customer = '10ad10ad-0000-0000-0000-000000000001';
const other = '10ad10ad-0000-0000-0000-000000000002';
const due = '2027-01-01T00:00:00.000Z';
const lot = {
  pk: `S#LOT#${customer}`,
  sk: `regular#e#${due}#l`,
  amount: 7,
  remaining: 7,
  expiresAt: due,
  state: 'open',
};
const dues = { creditDue: due, due, dues: 'CUSTOMER#DUE#?', creditVersion: 2 };

/** The interval of a request with this place in the order. */
const asThe = (place: number, length = 0.5): Interval => ({
  ...{ begun: place, ended: place + length },
  ...{ from: Date.parse('2026-01-01T00:00:00Z'), until: Date.parse('2026-01-02T00:00:00Z') },
});

const added = (place: number, key: string, delta: number, more: Partial<AskedChange> = {}): AskedChange => ({
  ...{ ...asThe(place), uuid: customer, type: 'regular', key, outcome: 'done' },
  command: { kind: 'increment', delta },
  ...more,
});

/** The history of permanent credit and a lot, and the book's changes that made it. */
const given = (uuid: string, permanent: number, inLot: number) => {
  const lots = [{ id: 'l', amount: inLot, expiresAt: due }];
  const [first, second] = [`first of ${uuid}`, `second of ${uuid}`];
  return {
    rows: historyRows('S', uuid, [
      { amount: permanent, reference: first },
      { amount: inLot, reference: second, lots },
    ]),
    asked: [
      added(1, first, permanent, { uuid }),
      added(2, second, inLot, { uuid, command: { kind: 'increment', delta: inLot, expiresAt: due } }),
    ],
  };
};

const saleOf = (id: string, state: 'completed' | 'refused', deliveryId: string | null) => {
  const parties = { buyerUuid: customer, recipientUuid: other, productId: 'limited' };
  const back = state === 'completed' ? 2 : 7;
  const money = { paid: 7, refund: back, change: back, total: 5, credit: 0, restrictedCredit: 0, shares: [] };
  const answer = { id, state, deliveryId, ...parties, ...money } as never;
  return { answer, message: `note of ${id}`, asked: asThe(3) };
};

/** A book, and the table and the gifts that agree with it. */
const example = () => {
  const book = createBook();
  book.changed('PRODUCT', 'p', { price: 5 });
  book.changed('CATEGORY', 'c', {});
  book.changed('COUPON', 'k', {});
  book.members.set('c', new Set(['p']));
  book.applied.set(`${customer} store`, 'k');
  book.changed('PRODUCT', 'limited', { price: 5 });
  book.stocks.set('limited', 3);
  book.sales.set('s', saleOf('s', 'completed', 'sd'));
  book.sales.set('r', saleOf('r', 'refused', null));
  book.deliveries.set('note of s', { attempts: 1 });
  const [one, two] = [given(customer, 100, 7), given(other, 3, 1000)];
  book.credit.push(...one.asked, ...two.asked);
  const items: Record<string, unknown>[] = [
    { pk: 'S#SALE', sk: 's', state: 'completed', deliveryId: 'sd', at: '2026-01-01T', paid: 7, change: 2, shares: [] },
    { pk: 'S#SALE', sk: 'r', state: 'refused', deliveryId: null },
    { pk: 'S#SALE#progress', sk: 'progress' },
    { pk: 'S#SPEND', sk: customer, sum: 5, totalOwned: 0 },
    { pk: 'S#SPEND', sk: other, sum: 0, totalOwned: 1 },
    { pk: `S#OWNED#${other}`, sk: 'limited', quantity: 1 },
    { pk: 'S#PRODUCT', sk: 'p', price: 5 },
    { pk: 'S#PRODUCT', sk: 'limited', price: 5, availableAmount: 2 },
    { pk: 'S#CATEGORY', sk: 'c', productCount: 1 },
    { pk: 'S#MEMBER#c', sk: 'p' },
    { pk: 'S#COUPON', sk: 'k', id: 'k', folded: 'code' },
    { pk: 'S#CODE', sk: 'code', id: 'k' },
    { pk: `S#APPLIED#${customer}`, sk: 'store', couponId: 'k' },
    { pk: 'S#CUSTOMER', sk: customer, credit: 107, creditUnlotted: 100, creditLots: 1, creditEpoch: 'e', ...dues },
    { pk: 'S#CUSTOMER', sk: other, credit: 1003, creditUnlotted: 3, creditLots: 1, creditEpoch: 'e', ...dues },
    lot,
    { ...lot, pk: `S#LOT#${other}`, amount: 1000, remaining: 1000 },
    ...[...one.rows, ...two.rows].map((row) => ({ ...row })),
    { pk: 'S#DAY', sk: '2026-01-01#00', creditAdded: 1110, regularNet: 1110, sales: 1, paid: 5 },
    { pk: 'S#EVENT', sk: 'v', type: 'sale.completed', data: '{"id":"s"}' },
    { pk: 'S#DELIVERY', sk: 'sd', state: 'delivered' },
  ];
  return { book, items };
};

type Items = ReturnType<typeof example>['items'];

const gift = { deliveryId: 'sd', message: 'note of s' };

const faultsOf = (damage: (items: Items, book: Book) => void, gifts = [gift]): string[] => {
  const { book, items } = example();
  damage(items, book);
  const table = createTable('S');
  for (const item of items) table.add(item);
  // The book does not know which shard of the index holds a due time.
  return [...tableFaults(table, book, gifts), ...auditFaults(table.all())].filter(
    (fault) => !fault.includes('the sweep looks for'),
  );
};

const without = (pk: string) => (items: Items) => {
  items.splice(
    items.findIndex((item) => item.pk === pk),
    1,
  );
};
const change = (pk: string, fields: object) => (items: Items) => {
  Object.assign(items.find((item) => item.pk === pk) ?? {}, fields);
};
const more = (item: Record<string, unknown>) => (items: Items) => {
  items.push(item);
};

test('a table that agrees with the book has no faults', () => {
  expect(faultsOf(() => {})).toEqual([]);
});

const damages: [string, (items: Items, book: Book) => void, RegExp][] = [
  ['a lost row', without('S#PRODUCT'), /PRODUCT p is lost/],
  ['a doubled row', more({ pk: 'S#PRODUCT', sk: 'p2' }), /PRODUCT p2 is there, and nobody asked for it/],
  ['a lost update', change('S#PRODUCT', { price: 4 }), /price is 4, but 5 was acknowledged/],
  ['a lost membership', without('S#MEMBER#c'), /MEMBER c p is lost/],
  ['a wrong count', change('S#CATEGORY', { productCount: 2 }), /category c counts 2 products, but has 1/],
  ['a code without its coupon', change('S#CODE', { id: 'other' }), /CODE code of other is there/],
  ['a lost application', without(`S#APPLIED#${customer}`), /APPLIED .* is lost/],
  ['a lost lot', without(`S#LOT#${customer}`), /balance 107 is not 100 \+ 0 in lots/],
  ['a doubled lot', more({ ...lot, sk: `${lot.sk}2` }), /balance 107 is not 100 \+ 14 in lots/],
  ['a lost sale', without('S#SALE'), /sale s completed sd is lost/],
  [
    'a doubled sale',
    more({ pk: 'S#SALE', sk: 't', state: 'completed', at: '2026-01-01T', paid: 0, change: 0, shares: [] }),
    /sale t completed undefined is there/,
  ],
  ['a sale that got another end', change('S#SALE', { state: 'refused' }), /sale s refused sd is there/],
  ['spend that counts twice', change('S#SPEND', { sum: 10 }), /spend .*: 10 for 0 is there/],
  ['a product that was not handed over', without(`S#OWNED#${other}`), /owned product .* limited 1 is lost/],
  [
    'a copy that was sold twice',
    (items) => Object.assign(items.find((item) => item.availableAmount === 2) ?? {}, { availableAmount: 1 }),
    /1 of 3 copies of limited .* 1 are left/,
  ],
  ['a lost change', without(`S#HISTORY#${customer}#regular`), /the change of credit first of .* is lost/],
  ['a change that counted twice', change('S#DAY', { creditAdded: 1117 }), /creditAdded is 1117, but 1110 was recorded/],
  [
    'a doubled increment',
    change('S#CUSTOMER', { credit: 207, creditUnlotted: 200 }),
    /holds 207 and 0, but history makes it 107 and 0/,
  ],
  ['a lost event', without('S#EVENT'), /the event sale.completed s is lost/],
  [
    'a doubled event',
    more({ pk: 'S#EVENT', sk: 'w', type: 'sale.completed', data: '{"id":"s"}' }),
    /s is there 2 times/,
  ],
  ['a sale that counted twice', change('S#DAY', { sales: 2 }), /the days count 2 for sales, not 1/],
  [
    'a sale that kept too much',
    (_, { sales }) => Object.assign(sales.get('s')?.answer ?? {}, { refund: 1 }),
    /kept 6, .* where 5 was due/,
  ],
];

test.each(damages)('%s is found', (_, damage, fault) => {
  expect(faultsOf(damage).join('\n')).toMatch(fault);
});

/** A customer's book and history: two additions, then a removal of 30 that takes the lot first. */
const credit = () => {
  const book = createBook();
  const { rows, asked } = given(customer, 100, 20);
  const end = { amount: -30, reference: 'taken', unlotted: -10, lots: [{ id: 'l', amount: -20, expiresAt: due }] };
  const all = historyRows('S', customer, [...rows.map(({ amount = 0, ...row }) => ({ ...row, amount })), end]);
  book.credit.push(...asked, added(3, 'taken', -30));
  const told = all.map(({ lots = [], ...row }, index) => ({
    ...{ ...row, lots, sequence: index + 1, type: 'regular', saleId: null, giftCardId: null },
  }));
  return { book, books: { rows: told, credit: 90, restrictedCredit: 0 } as unknown as CreditBooks };
};

type Damage = (book: Book, books: CreditBooks) => unknown;

const creditFaultsOf = (damage: Damage): string[] => {
  const { book, books } = credit();
  damage(book, books);
  return creditFaults(book, new Map([[customer, books]]));
};

const lastAsked =
  (fields: Partial<AskedChange>): Damage =>
  ({ credit }) =>
    Object.assign(credit[2] ?? {}, fields);
const row =
  (place: number, fields: Partial<CreditBooks['rows'][number]>): Damage =>
  (_, { rows }) =>
    Object.assign(rows[place] ?? {}, fields);
const alsoAsked =
  (change: AskedChange): Damage =>
  ({ credit }) =>
    credit.push(change);
const seen =
  (interval: Interval, balance: number): Damage =>
  (book) =>
    book.seen.push({
      ...interval,
      uuid: customer,
      text: `read ${balance}`,
      isTrue: ({ regular }) => balanceOf(regular) === balance,
    });
const refused = (place: number, delta: number, expiresAt?: string): Damage =>
  alsoAsked(added(place, 'no', delta, { outcome: 'refused', command: { kind: 'increment', delta, expiresAt } }));

const allowed: [string, Damage][] = [
  ['nothing else', () => {}],
  ['an unanswered change that was done', lastAsked({ outcome: 'unknown', ended: 1e9 })],
  ['an unanswered change that was not done', alsoAsked(added(1, 'lost', 1, { outcome: 'unknown' }))],
  [
    'a read before a change and one after it',
    (...all) => [seen(asThe(2.6, 0.1), 120)(...all), seen(asThe(4), 90)(...all)],
  ],
  [
    'a read during a change, of either balance',
    (...all) => [seen(asThe(3.1), 120)(...all), seen(asThe(3.1), 90)(...all)],
  ],
  ['two changes at once, in any order', ({ credit }) => Object.assign(credit[1] ?? {}, asThe(2, 2))],
  ['a refusal of more than is held', refused(4, -91)],
  ['a refusal of a lot that ends as it is asked for', refused(4, 5, '2026-01-01T12:00:00.000Z')],
];

test.each(allowed)('credit may have %s', (_, damage) => {
  expect(creditFaultsOf(damage)).toEqual([]);
});

const tooMuch = { kind: 'increment', delta: -130 } as const;
const wrong: [string, Damage, RegExp][] = [
  ['a change that is lost', alsoAsked(added(4, 'gone', 1)), /gone of .* is lost/],
  ['a change that nobody asked for', ({ credit }) => credit.pop(), /taken of .* nobody asked for it/],
  ['a change that was refused', lastAsked({ outcome: 'refused' }), /taken of .* nobody/],
  ['a change that is there twice', row(1, { reference: `first of ${customer}` }), /there 2 times/],
  ['a change that came before one that had ended', lastAsked(asThe(1.6, 0.1)), /after one that began later/],
  ['a hole', row(2, { sequence: 4 }), /has 4 as number 3/],
  ['a row of another amount', row(0, { amount: 99 }), /tells of 99.*the rules make it 100/],
  ['a lot that was not taken first', row(2, { lots: [] }), /has the parts \[\], but/],
  ['a change that the rules refuse', lastAsked({ command: tooMuch }), /the rules refuse it/],
  [
    'another balance in an answer',
    lastAsked({ answer: { credit: 91, restrictedCredit: 0 } as never }),
    /answered with 91/,
  ],
  [
    'another balance at the end',
    (_, books) => Object.assign(books, { credit: 91 }),
    /holds 91 and 0, but history makes it 90 and 0/,
  ],
  ['a read of what never was', seen(asThe(3.1), 100), /read 100, which never was true/],
  ['a read of what no longer was', seen(asThe(4), 120), /read 120, which never was true/],
  ['a read of what was not yet', seen(asThe(2.6, 0.1), 90), /read 90, which never was true/],
  ['a refusal of what is held', refused(4, -90), /no: .* was refused, which never was true/],
  ['a refusal of a lot that lasts', refused(4, 5, due), /no: .* was refused, which never was true/],
];

test.each(wrong)('credit has %s: that is found', (_, damage, fault) => {
  expect(creditFaultsOf(damage).join('\n')).toMatch(fault);
});

/** A sale that gave a bonus of 5 and was refunded when 3 of it were left, with its history. */
const bonusFaultsOf = (given: number, back: number): string[] => {
  const book = createBook();
  const answer = { buyerUuid: customer, state: 'refunded', credit: 0, restrictedCredit: 0 } as never;
  const bonus = { type: 'regular' as const, amount: 5 };
  book.sales.set('s', { answer, bonus, message: '', asked: asThe(1), refund: asThe(3) });
  book.credit.push(added(2, 'spent', -2));
  const [saleId, kind] = ['s', 'bonus'] as const;
  const rows = historyRows('S', customer, [
    { kind, saleId, amount: given },
    { amount: -2, reference: 'spent' },
    ...(back === 0 ? [] : [{ kind, saleId, amount: back }]),
  ]);
  const table = createTable('S');
  const credit = given - 2 + back;
  for (const item of [...rows, { pk: 'S#CUSTOMER', sk: customer, credit }]) table.add({ ...item });
  return creditFaults(book, creditInTable(table));
};

test('follows a bonus that is given and taken back as far as it is left, and finds another one', () => {
  expect(bonusFaultsOf(5, -3)).toEqual([]);
  expect(bonusFaultsOf(6, -4).join()).toMatch(/bonus regular s, tells of 6.*the rules make it 5/);
  expect(bonusFaultsOf(5, -2).join()).toMatch(/bonus back regular s, tells of -2.*the rules make it -3/);
});

test('finds a lost delivery, one that was given too often, and an outdated record', () => {
  const book = createBook();
  for (const [note, attempts] of [
    ['a', 1],
    ['b', 1],
    ['c', 2],
  ] as const)
    book.deliveries.set(note, { attempts });
  const given = { deliveryId: 'd', message: 'a' };
  const ids = ['1', '2', '3'];

  const faults = deliveryFaults(book, {
    records: [{ id: 'd', state: 'queued' }, ...ids.map((id) => ({ id, state: 'delivered' }))],
    gifts: [given, given, ...ids.map((deliveryId) => ({ deliveryId, message: 'This is a gift from ada.\nc' }))],
  });

  expect(faults).toEqual([
    'the delivery b is lost',
    'the delivery a was ordered in 1 attempts, but given 2 times',
    'the delivery c was ordered in 2 attempts, but given 3 times',
    'the gift d is there 2 times',
    'the delivery d was given, but its record says queued',
  ]);
});
