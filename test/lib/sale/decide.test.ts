import { describe, expect, test } from 'vitest';
import type { CreditItem } from '../../../lib/credit/state.ts';
import type { Product } from '../../../lib/routes/products.ts';
import type { Refusal } from '../../../lib/routes/sales.ts';
import { judgeRefund, judgeSale } from '../../../lib/sale/decide.ts';
import type { RefundFacts, RequestedOffer, SaleFacts } from '../../../lib/sale/facts.ts';
import type { Terms } from '../../../lib/sale/rules.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { rulesOf } from '../../../lib/store/rules.ts';
import { ada, bob } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { factsWith, itemWith, lotsOf, readOf } from '../credit/credit-facts.ts';
import { at, later, past, soon } from '../credit/holdings.ts';

/** Judges sales, quotes and refunds from facts that are made here: no table takes part. */

const limit = 1_000_000;

const product: Product = { ...productWith({ price: 60 }), id: 'chair', mpListing: 0, activePrice: 60 };
const limited = { ...product, limited: true, availableAmount: 1 };
const newcomer: CreditItem = { pk: 'store#CUSTOMER', sk: bob.uuid, username: bob.uuid };

const facts = (fields: Partial<SaleFacts> = {}): SaleFacts => ({
  ...{
    isOpen: true,
    rules: rulesOf({}),
    countedSpend: undefined,
    product,
    buyerItem: newcomer,
    recipientItem: newcomer,
    credit: factsWith(newcomer),
  },
  ...{ forProduct: undefined, forStore: undefined, usesOfQuote: undefined, spending: undefined },
  ...{ spend: undefined, recipientSpend: undefined, owned: undefined, ...fields },
});

const asked = (fields: Partial<RequestedOffer> = {}): RequestedOffer & { paid: number; deliveryId: string } => ({
  store: 'store',
  parties: { productId: product.id, buyer: bob.uuid, recipient: bob.uuid, useCredit: false },
  deliveryId: 'delivery',
  ...{ at, paid: 60, quote: 'expired', ...fields },
});

const withCredit = asked({ parties: { ...asked().parties, useCredit: true } });
const spending = { most: 60, alone: false };

/** A buyer who holds 20 of permanent credit, and lots of 5 that are due, 10 and 30. */
const lots = lotsOf('regular', [
  [past, 5],
  [soon, 10],
  [later, 30],
]);
const rich = itemWith({ regular: 20, restricted: 3 }, { regular: lots });
const ofRich = (read = readOf(lots)): Partial<SaleFacts> => ({
  ...{ buyerItem: rich, recipientItem: rich, spending },
  credit: factsWith(rich, { regular: read }),
});

const applied = (usesPerCustomer: number, uses: number): NonNullable<SaleFacts['forProduct']> => ({
  coupon: {
    ...{ id: 'half', couponOwnerUuid: ada.uuid, discount: 50, ownerProfit: 0, usesPerCustomer },
    ...{ active: true, expiration: later },
  },
  ...{ expiresAt: later, uses, usesRead: { pk: 'store#USE#bob', sk: 'half', uses } },
});

const terms = (fields: Partial<Terms> = {}): Terms => ({
  ...{ base: 60, discount: { source: 'none', percent: 0, couponId: null }, total: 60 },
  ...{ credit: 0, restrictedCredit: 0, toPay: 60, ...fields },
});

describe('a sale', () => {
  test.each<[Refusal, Partial<SaleFacts>, Partial<RequestedOffer>]>([
    ['unknown-product', { product: undefined }, {}],
    ['quote', {}, { quote: 'false' }],
    ['closed', { isOpen: false }, {}],
    ['banned', { buyerItem: { ...newcomer, isBanned: true } }, {}],
    ['banned', { recipientItem: { ...newcomer, isBanned: true } }, {}],
    ['inactive', { product: { ...product, active: false } }, {}],
    ['sold-out', { product: { ...limited, availableAmount: 0 } }, {}],
    ['credit-changed', ofRich(), { quote: terms({ credit: 61, toPay: 0 }) }],
    ['coupon-used', {}, { quote: terms({ coupon: { ...applied(1, 0).coupon } }) }],
    ['underpaid', {}, { paid: 59 }],
  ])('is refused as %s', (refusal, fields, of) => {
    const usesOfQuote = { pk: 'store#USE#bob', sk: 'half', uses: 1 };

    expect(judgeSale(asked(of), facts({ usesOfQuote, ...fields }), limit)).toMatchObject({ kind: 'refused', refusal });
  });

  test('is refused before a pending change is finished, and before due lots are closed', () => {
    const part = { type: 'regular', epoch: 'e1', how: 'drained', through: '' } as const;
    const pending = { id: 'p', version: 4, at: past, by: 'test', ...part };
    const dear = { ...product, activePrice: 70 };
    const read = { ...ofRich(), product: dear, credit: factsWith({ ...rich, pending }, { regular: readOf(lots) }) };

    const outcome = judgeSale({ ...withCredit, paid: 0 }, facts(read), limit);

    expect(outcome).toMatchObject({ kind: 'refused', refusal: 'underpaid' });
    expect(judgeSale(withCredit, facts(read), limit)).toEqual({ kind: 'finish' });
  });

  test('takes credit that is not due, restricted first, and gives back what was paid beyond the price', () => {
    const outcome = judgeSale(
      { ...withCredit, paid: 7 },
      facts({ ...ofRich(), product: { ...product, activePrice: 65 } }),
      limit,
    );

    expect(outcome).toMatchObject({
      kind: 'completed',
      terms: { total: 65, restrictedCredit: 3, credit: 60, toPay: 2 },
      payment: { paid: 7, kept: 2, change: 5 },
      plan: { after: { credit: 0, restrictedCredit: 0 } },
    });
    expect(outcome.kind === 'completed' && outcome.plan.parts.map(({ type }) => type)).toEqual([
      'restricted',
      'regular',
    ]);
  });

  test('reads the lots that it takes only where it takes credit', () => {
    const unread = { ...ofRich(), credit: factsWith(rich) };

    expect(judgeSale(withCredit, facts(unread), limit).kind).toBe('read');
    expect(judgeSale(asked(), facts({ ...unread, spending: undefined }), limit)).toMatchObject({
      kind: 'completed',
      plan: { parts: [] },
    });
  });

  test('is judged anew where lots and customer do not belong together', () => {
    const outcome = judgeSale(withCredit, facts(ofRich(readOf(lots.slice(0, 2)))), limit);

    expect(outcome).toMatchObject({ kind: 'torn', type: 'regular' });
  });

  test('counts a coupon’s use as it was read, and checks those that have none left', () => {
    const fields = { forProduct: applied(1, 1), forStore: applied(2, 1) };

    expect(judgeSale(asked(), facts(fields), limit)).toMatchObject({
      kind: 'completed',
      terms: { total: 30, coupon: { id: 'half' } },
      payment: { kept: 30, change: 30 },
      uses: fields.forStore.usesRead,
      usedUp: [fields.forProduct.usesRead],
    });
  });

  test('follows the terms of its quote, whatever the price is by now', () => {
    const quote = terms({ base: 40, total: 40, toPay: 40 });

    expect(judgeSale(asked({ quote }), facts({ forProduct: applied(0, 0) }), limit)).toMatchObject({
      kind: 'completed',
      terms: quote,
      payment: { kept: 40, change: 20 },
    });
  });
});

describe('a refund', () => {
  const sale = {
    ...{ pk: 'store#SALE', sk: 'sale', state: 'completed', buyerUuid: bob.uuid, recipientUuid: ada.uuid },
    ...{ ...terms(), paid: 50, refund: 8, change: 8, credit: 12, restrictedCredit: 6, at: past },
    taken: { restricted: [], regular: [[later, 7]] },
  } as unknown as SaleItem;
  const refund = (fields: Partial<RefundFacts> = {}): RefundFacts => ({
    ...{ sale, avatars: { buyer: bob.uuid, recipient: ada.uuid }, product, uses: undefined, delivery: undefined },
    ...{
      card: undefined,
      spend: undefined,
      recipientSpend: undefined,
      owned: { pk: 'store#OWNED', sk: product.id, quantity: 2, boughtAt: at },
    },
    ...{ credit: factsWith(rich, { regular: readOf(lots) }), areCustomers: true, ...fields },
  });

  test('gives credit back as it was taken, restricted first, and what the store has kept', () => {
    const outcome = judgeRefund(refund(), at, limit);

    expect(outcome).toMatchObject({ kind: 'completed', kept: 42, isLast: false });
    // The lot of 5 is due, and ends in the same change.
    expect(outcome.kind === 'completed' && outcome.plan).toMatchObject({
      parts: [
        { type: 'restricted', command: { kind: 'refund', lots: [], unlotted: 6 } },
        { type: 'regular', command: { kind: 'refund', lots: [{ expiresAt: later, amount: 7 }], unlotted: 5 } },
      ],
      after: { restrictedCredit: 9, credit: 72 },
    });
  });

  test.each<[string, RefundFacts['owned'], boolean]>([
    ['their only copy', { pk: '', sk: '', quantity: 1, boughtAt: at }, true],
    ['one of two copies', { pk: '', sk: '', quantity: 2, boughtAt: at }, false],
    ['nothing, where they own none any more', undefined, false],
  ])('takes %s from the recipient', (_, owned, isLast) => {
    expect(judgeRefund(refund({ owned }), at, limit)).toMatchObject({ kind: 'completed', isLast });
  });

  test.each<[string, Partial<RefundFacts>, string]>([
    ['ends where the sale is refunded by now', { sale: { ...sale, state: 'refunded' } }, 'ended'],
    ['is overtaken by an erasure of the buyer', { sale: { ...sale, buyerUuid: 'p1' } }, 'overtaken'],
    ['is overtaken by an erasure of the recipient', { sale: { ...sale, recipientUuid: 'p1' } }, 'overtaken'],
    ['waits for the end of an erasure that has taken a customer away', { areCustomers: false }, 'overtaken'],
    ['reads the lots beside which it adds one', { credit: factsWith(rich) }, 'read'],
  ])('%s', (_, fields, kind) => {
    expect(judgeRefund(refund(fields), at, limit).kind).toBe(kind);
  });
});
