import { expect, test } from 'vitest';
import { judgeReport, judgeSettlement, type PayoutFacts } from '../../../lib/payout/judge.ts';
import { claimableOf, movedBy, newPayee, type Payee, withDebts } from '../../../lib/payout/payees.ts';
import { listed } from '../../../lib/payout/payouts.ts';
import type { PayoutReport, PayoutState, Settlement } from '../../../lib/routes/payouts.ts';
import { countedNote, debtsOf, markOf, uncountedOf } from '../../../lib/sale/debts.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { payeeKey, payoutKey } from '../../../lib/table/keys.ts';
import { ada, bob, cleo } from '../../support/residents.ts';

const at = '2027-05-10T12:00:00.000Z';
const empty = newPayee(payeeKey('Store', ada.uuid), 'ada');
const owing = (owed: number, more: Partial<Payee> = {}): Payee => ({
  ...movedBy(empty, { owed }, '2027-05-01T00:00:00.000Z'),
  ...more,
});

const sale = (fields: Partial<SaleItem> = {}): SaleItem =>
  ({
    ...{ pk: 'Store#SALE', sk: 'sale', state: 'completed', buyerUuid: bob.uuid, paid: 100, refund: 10, change: 10 },
    ...{ at: '2027-05-09T23:59:59.999Z', countedShares: 0 },
    shares: [
      { residentUuid: ada.uuid, kind: 'commission', percent: 5, amount: 4 },
      { residentUuid: bob.uuid, kind: 'share', percent: 10, amount: 9 },
      { residentUuid: ada.uuid, kind: 'share', percent: 10, amount: 9 },
      { residentUuid: cleo.uuid, kind: 'share', percent: 0.1, amount: 0 },
    ],
    ...fields,
  }) as SaleItem;

const refunded = (fields: Partial<SaleItem> = {}): SaleItem =>
  sale({ state: 'refunded', refund: 100, countedRefund: 0, ...fields });

const brief = (of: SaleItem) => debtsOf(of).map(({ cause, payee, amount, shared }) => [cause, payee, amount, shared]);

const [shareOfAda, shareOfBob] = [
  ['shares', ada.uuid, 13, 13],
  ['shares', bob.uuid, 9, 9],
];

test('a sale owes each avatar the sum of their shares, and nobody a share of 0', () => {
  expect(brief(sale())).toEqual([shareOfAda, shareOfBob]);
  expect(debtsOf(sale())[0]?.day).toBe('2027-05-09');
});

test('a refund takes the shares back and, with payOut, owes the buyer what is to be given back', () => {
  const taken = [
    ['refund', ada.uuid, -13, -13],
    ['refund', bob.uuid, -9, -9],
  ];

  expect(brief(refunded())).toEqual([shareOfAda, shareOfBob, ...taken]);
  expect(brief(refunded({ payOut: true }))).toEqual([
    ...[shareOfAda, shareOfBob, taken[0]],
    ['refund', bob.uuid, 81, -9],
  ]);
});

test('shares of a sale that the service did not make never count; a refund that it made does', () => {
  const { countedShares: _, ...imported } = sale();

  expect(debtsOf(imported)).toEqual([]);
  expect(debtsOf({ ...imported, payOut: true, state: 'refunded', refund: 100 })).toEqual([]);
  expect(brief({ ...imported, payOut: true, state: 'refunded', refund: 100, countedRefund: 0 })).toEqual([
    ['refund', bob.uuid, 90, 0],
  ]);
});

test('the note on a sale tells which of its debts are counted', () => {
  expect(countedNote(sale())).toEqual({ countedShares: 2 });
  expect(countedNote(refunded({ payOut: true }))).toEqual({ countedShares: 2, countedRefund: 2 });
  expect(uncountedOf(refunded({ countedShares: 2 })).map(({ cause }) => cause)).toEqual(['refund', 'refund']);
  expect(uncountedOf(refunded({ countedShares: 2, countedRefund: 2 }))).toEqual([]);
});

test('debts enter the account with their marks, and since when it is owed is when that rose to 1', () => {
  const [debt] = debtsOf(sale());

  const after = debt && withDebts(empty, [debt], [markOf(debt)], at);

  expect(after).toMatchObject({
    owed: 13,
    since: at,
    held: { '2027-05-09': 13 },
    counting: ['sale shares'],
    version: 1,
  });
  expect(after).toMatchObject({ ranked: 'Store#PAYEE#owed', rank: `${at}#${ada.uuid}` });
  expect(after && withDebts(after, [debt], [], '2027-05-11T00:00:00.000Z')).toMatchObject({ owed: 26, since: at });
  expect(after && movedBy(after, { owed: -13 }, at).ranked).toBeUndefined();
});

test('a pseudonym is in no list of those to be paid', () => {
  const after = movedBy({ ...empty, isPseudonym: true }, { owed: 5 }, at);

  expect([after.owed, after.ranked]).toEqual([5, undefined]);
  expect(claimableOf(after, { minimum: 1, hold: 0 }, at)).toBe(0);
});

const held = { '2027-05-10': 5, '2027-05-09': 20, '2027-05-08': 100, '2027-04-11': 3 };

test.each<[string, Partial<Payee>, Parameters<typeof claimableOf>[1], number]>([
  ['all that is owed without a hold', {}, { minimum: 1, hold: 0 }, 200],
  ['not the shares of today', {}, { minimum: 1, hold: 1 }, 195],
  ['not those of today and yesterday', {}, { minimum: 1, hold: 2 }, 175],
  ['not those of 30 days', {}, { minimum: 1, hold: 30 }, 72],
  ['at most the limit', {}, { minimum: 1, hold: 0, limit: 7 }, 7],
  ['nothing where the limit is below the minimum', {}, { minimum: 8, hold: 0, limit: 7 }, 0],
  ['nothing where the rest is below the minimum', {}, { minimum: 176, hold: 2 }, 0],
  ['nothing where more is held than owed', { owed: 20 }, { minimum: 1, hold: 2 }, 0],
  ['nothing within an hour of a failure', { failedAt: '2027-05-10T11:00:00.001Z' }, { minimum: 1, hold: 0 }, 0],
  ['something an hour after it', { failedAt: '2027-05-10T11:00:00.000Z' }, { minimum: 1, hold: 0 }, 200],
])('a claim takes %s', (_, fields, terms, amount) => {
  expect(claimableOf(owing(200, { held, ...fields }), terms, at)).toBe(amount);
});

test('days that no claim can leave out any more go from the account', () => {
  const after = withDebts(owing(200, { held }), [], [], at);

  expect(after.held).toEqual({ '2027-05-10': 5, '2027-05-09': 20, '2027-05-08': 100, '2027-04-11': 3 });
  expect(withDebts(after, [], [], '2027-05-11T00:00:00.000Z').held).not.toHaveProperty('2027-04-11');
});

const tx = '5f3c1b7e-0d5a-4c8e-9a51-6b1f0e2d7c43';
const place = { claimed: 'claimed', unknown: 'unknown', paid: 'paid', failed: 'owed' } as const;

/** A payout of 30 in a state, to ada. */
const payoutIn = (state: PayoutState, reported?: PayoutReport): PayoutFacts => ({
  payout: listed({
    ...{ ...payoutKey('Store', 'p'), residentUuid: ada.uuid, username: 'ada', amount: 30, createdAt: at, version: 1 },
    ...{ state, claimedBy: 'key', ...(state === 'paid' && { transactionId: tx }) },
    ...(reported && { reported, error: reported.error }),
  }),
  payee: movedBy(empty, { [place[state]]: 30 }, '2027-05-01T00:00:00.000Z'),
});

/** The state and the sums after it; `same` where nothing changes, or the status of a refusal. */
const outcome = (judge: () => PayoutFacts | undefined): unknown => {
  try {
    const after = judge();
    if (!after) return 'same';
    const { owed, claimed, unknown, paid } = after.payee;
    return [after.payout.state, { owed, claimed, unknown, paid }];
  } catch (error) {
    return (error as { status: number }).status;
  }
};

const none = { owed: 0, claimed: 0, unknown: 0, paid: 0 };

test.each<[PayoutState, PayoutReport, unknown]>([
  ['claimed', { result: 'paid', transactionId: tx }, ['paid', { ...none, paid: 30 }]],
  ['claimed', { result: 'failed', error: 'INVALID_AGENT' }, ['failed', { ...none, owed: 30 }]],
  ['claimed', { result: 'unknown' }, ['unknown', { ...none, unknown: 30 }]],
  ['unknown', { result: 'paid', transactionId: tx }, ['paid', { ...none, paid: 30 }]],
  ['unknown', { result: 'failed', error: 'x' }, ['failed', { ...none, owed: 30 }]],
  ['unknown', { result: 'unknown' }, 'same'],
  ['unknown', { result: 'unknown', error: 'SERVICE_ERROR' }, ['unknown', { ...none, unknown: 30 }]],
  ['paid', { result: 'paid', transactionId: tx }, 'same'],
  ['paid', { result: 'paid' }, 400],
  ['paid', { result: 'failed' }, 400],
  ['paid', { result: 'unknown' }, 400],
  ['failed', { result: 'failed' }, 'same'],
  ['failed', { result: 'failed', error: 'other' }, 400],
  ['failed', { result: 'unknown' }, 400],
  ['failed', { result: 'paid', transactionId: tx }, ['paid', { ...none, paid: 30 }]],
])('a %s payout that is reported as %o is then %o', (state, report, expected) => {
  expect(outcome(() => judgeReport(payoutIn(state), report, at))).toEqual(expected);
});

test('a report that was taken is the same again after a person’s correction, and does not undo it', () => {
  const report: PayoutReport = { result: 'paid', transactionId: tx };

  expect(outcome(() => judgeReport(payoutIn('failed', report), report, at))).toBe('same');
});

test('a failed payout that was paid after all takes from what is owed, though it was paid meanwhile', () => {
  const { payout, payee } = payoutIn('failed');
  const facts = { payout, payee: movedBy(payee, { owed: -30, paid: 30 }, at) };

  expect(outcome(() => judgeReport(facts, { result: 'paid' }, at))).toEqual(['paid', { ...none, owed: -30, paid: 60 }]);
});

test('a report of a failure makes them wait for an hour, and last in the list; a settlement does not', () => {
  const since = '2027-05-01T00:00:00.000Z';
  const facts = payoutIn('unknown');
  const owed = { ...facts, payee: movedBy(facts.payee, { owed: 5 }, since) };

  expect(judgeReport(owed, { result: 'failed' }, at)?.payee).toMatchObject({ since: at, failedAt: at });
  expect(judgeSettlement(owed, { result: 'failed' }, at)?.payee.failedAt).toBeUndefined();
  expect(judgeSettlement(owed, { result: 'failed' }, at)?.payee.since).toBe(since);
});

test.each<[PayoutState, Settlement, unknown]>([
  ['claimed', { result: 'paid' }, 400],
  ['unknown', { result: 'paid' }, ['paid', { ...none, paid: 30 }]],
  ['unknown', { result: 'failed' }, ['failed', { ...none, owed: 30 }]],
  ['paid', { result: 'failed' }, ['failed', { ...none, owed: 30 }]],
  ['failed', { result: 'paid' }, ['paid', { ...none, paid: 30 }]],
  ['paid', { result: 'paid' }, 'same'],
  ['paid', { result: 'paid', reference: 'Statement' }, ['paid', { ...none, paid: 30 }]],
  ['failed', { result: 'failed' }, 'same'],
])('a %s payout that is settled as %o is then %o', (state, settlement, expected) => {
  expect(outcome(() => judgeSettlement(payoutIn(state), settlement, at))).toEqual(expected);
});

test('a settlement to the same state replaces what it names, and keeps when it ended', () => {
  const facts = payoutIn('paid');
  const ended = { ...facts, payout: { ...facts.payout, endedAt: '2027-05-02T00:00:00.000Z', reference: 'old' } };

  const after = judgeSettlement(ended, { result: 'paid', transactionId: ada.uuid }, at)?.payout;

  expect(after).toMatchObject({ transactionId: ada.uuid, reference: 'old', endedAt: '2027-05-02T00:00:00.000Z' });
});
