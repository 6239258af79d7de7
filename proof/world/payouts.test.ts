import { expect, test } from 'vitest';
import type { Transfer } from './book.ts';
import { comparePayouts, type PayoutBooks } from './payouts.ts';

/** Each kind of error in a day's payouts is found, and a right day has none. */

const [ada, bo, till] = ['ada', 'bo', 'till'];

const transfer = (fields: Partial<Transfer>): Transfer => ({
  ...{ id: 'one', at: 0, reason: 'payout', from: 'owner', to: ada, amount: 30, of: till },
  ...fields,
});

/** Ada was paid her shares of two sales, and Bo is owed a refund, of which a payout failed. */
const aDay = () => {
  const sale = {
    ...{ state: 'completed', buyerUuid: bo, refund: 0, change: 0, payOut: false },
    shares: [
      { residentUuid: ada, amount: 15 },
      { residentUuid: bo, amount: 0 },
    ],
  };
  const refunded = { ...sale, state: 'refunded', refund: 100, change: 20, payOut: true };
  const payout = { id: 'first', state: 'paid', amount: 30, residentUuid: ada, transactionId: 'one' };
  const books = {
    sales: [sale, sale, refunded],
    payouts: [payout, { ...payout, id: 'second', state: 'failed', amount: 80, residentUuid: bo, transactionId: null }],
    payees: [
      { residentUuid: ada, owed: 0, claimed: 0, unknown: 0, paid: 30 },
      { residentUuid: bo, owed: 80, claimed: 0, unknown: 0, paid: 0 },
    ],
    cashiers: new Set([till]),
  };
  return { books, transfers: [transfer({}), transfer({ id: 'change', reason: 'back', of: 'vendor' })] };
};
type Day = ReturnType<typeof aDay>;

const found = (change: (day: Day) => void) => {
  const day = aDay();
  change(day);
  return comparePayouts(day.books as PayoutBooks, day.transfers);
};

test('a right day has no fault and L$ 0 unexplained', () => {
  expect(found(() => undefined)).toEqual({ faults: [], unexplained: 0, twice: 0, paid: 30 });
});

test.each<[string, number, number, string, (day: Day) => void]>([
  ['a payout that is made twice', 30, 1, 'given twice', ({ transfers }) => transfers.push(transfer({ id: 'two' }))],
  [
    'L$ that went to another payee',
    60,
    0,
    'is said to be paid by {"id":"one"',
    ({ transfers }) => transfers.splice(0, 1, transfer({ to: bo })),
  ],
  ['a payout that nobody made', 30, 0, 'a transfer that is not there', ({ transfers }) => transfers.shift()],
  [
    'a failed payout that was made',
    80,
    0,
    'given for no payout',
    ({ transfers }) => transfers.push(transfer({ id: 'two', to: bo, amount: 80 })),
  ],
  [
    'two payouts with one transfer',
    30,
    0,
    'is said to be paid by',
    ({ books }) => books.payouts.push({ ...books.payouts[0], id: 'third' } as never),
  ],
  [
    'a payout that is still claimed',
    30,
    0,
    'is still claimed',
    ({ books }) => Object.assign(books.payouts[0] ?? {}, { state: 'claimed' }),
  ],
  [
    'a share that is not counted',
    0,
    0,
    'ada is counted L$ 30 of L$ 45',
    ({ books }) => books.sales.push(books.sales[0] as never),
  ],
  [
    'a refund that is counted and was not to be paid out',
    0,
    0,
    'bo is counted L$ 80 of L$ 0',
    ({ books }) => Object.assign(books.sales[2] ?? {}, { payOut: false }),
  ],
])('%s is found', (_, unexplained, twice, text, change) => {
  const result = found(change);

  expect([result.unexplained, result.twice]).toEqual([unexplained, twice]);
  expect(result.faults.join('\n')).toContain(text);
});
