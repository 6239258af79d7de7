import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AppliedCoupon,
  couponThatCounts,
  noPrice,
  type Offer,
  paymentOf,
  sharesOf,
  type Terms,
  termsOf,
} from '../../../lib/sale/rules.ts';
import { ada, bob, cleo } from '../../support/residents.ts';

const at = '2027-01-01T00:00:00.000Z';
const later = '2027-01-01T00:00:00.001Z';
const seed = Number(process.env.SALE_RULES_SEED ?? Date.now() % 2 ** 31);
const parameters = { seed, numRuns: 300 };

const couponWith = (fields: Partial<AppliedCoupon['coupon']> = {}): AppliedCoupon['coupon'] => ({
  id: 'a coupon',
  couponOwnerUuid: ada.uuid,
  discount: 10,
  ownerProfit: 0,
  usesPerCustomer: 0,
  active: true,
  expiration: later,
  ...fields,
});
const applied = (fields: Partial<AppliedCoupon['coupon']> = {}, more: Partial<AppliedCoupon> = {}): AppliedCoupon => ({
  coupon: couponWith(fields),
  expiresAt: later,
  uses: 0,
  ...more,
});
const offer = (fields: Partial<Offer> = {}): Offer => ({
  base: 100,
  coupon: undefined,
  ...{ customerDiscount: 0, tierDiscount: 0, groupDiscount: 0, inGroup: false, cardCredit: 0 },
  spendable: { regular: 0, restricted: 0 },
  useCredit: true,
  blockCredits: false,
  isForOneself: true,
  ...fields,
});

describe('the coupon that counts', () => {
  const forStore = applied({ id: 'for the store' });
  const idOf = (forProduct: AppliedCoupon | undefined) => couponThatCounts(forProduct, forStore, at)?.coupon.id;

  test('is the one applied for the product, else the one applied to the whole store, else none', () => {
    expect([idOf(applied({ id: 'for the product', discount: 0 })), idOf(undefined)]).toEqual([
      'for the product',
      'for the store',
    ]);
    expect(couponThatCounts(undefined, undefined, at)).toBeUndefined();
  });

  test.each<[string, AppliedCoupon]>([
    ['has lapsed at its very end', applied({}, { expiresAt: at })],
    ['was revoked', applied({}, { expiresAt: '' })],
    ['leads to an inactive coupon', applied({ active: false })],
    ['leads to a coupon that expires now', applied({ expiration: at })],
    ['leads to a coupon without a use left', applied({ usesPerCustomer: 2 }, { uses: 2 })],
  ])('an application that %s does not count', (_, forProduct) => {
    expect(idOf(forProduct)).toBe('for the store');
  });

  test('counts for the last use, and for any number of uses without a limit', () => {
    const others = [applied({ usesPerCustomer: 2 }, { uses: 1 }), applied({ usesPerCustomer: 0 }, { uses: 99 })];

    expect(others.map((forProduct) => idOf(forProduct))).toEqual(['a coupon', 'a coupon']);
  });
});

describe('the price', () => {
  test.each<[string, Partial<Offer>, Terms['discount'], number]>([
    ['nothing', {}, { source: 'none', percent: 0, couponId: null }, 100],
    ['the customer alone', { customerDiscount: 15 }, { source: 'customer', percent: 15, couponId: null }, 85],
    ['a coupon alone', { coupon: couponWith() }, { source: 'coupon', percent: 10, couponId: 'a coupon' }, 90],
    [
      'the larger of the customer',
      { customerDiscount: 11, coupon: couponWith() },
      { source: 'customer', percent: 11, couponId: null },
      89,
    ],
    [
      'the larger of the coupon',
      { customerDiscount: 9, coupon: couponWith({ discount: 9.5 }) },
      { source: 'coupon', percent: 9.5, couponId: 'a coupon' },
      91,
    ],
    [
      'a tie, which goes to the coupon',
      { customerDiscount: 10, coupon: couponWith() },
      { source: 'coupon', percent: 10, couponId: 'a coupon' },
      90,
    ],
    ['a coupon of 0', { coupon: couponWith({ discount: 0 }) }, { source: 'none', percent: 0, couponId: null }, 100],
    [
      'half a L$, which rounds up',
      { base: 5, customerDiscount: 50 },
      { source: 'customer', percent: 50, couponId: null },
      3,
    ],
    ['everything', { customerDiscount: 100 }, { source: 'customer', percent: 100, couponId: null }, 0],
  ])('takes off %s', (_, fields, discount, total) => {
    expect(termsOf(offer(fields))).toMatchObject({ base: fields.base ?? 100, discount, total, toPay: total });
  });

  test(`is the one that counting in millionths gives (seed ${seed})`, () => {
    const cases = fc.record({
      base: fc.nat(2_147_483_647),
      customer: fc.nat(100),
      // Hundredths of a percent.
      coupon: fc.option(fc.nat(10_000), { nil: undefined }),
    });

    fc.assert(
      fc.property(cases, ({ base, customer, coupon }) => {
        const { total, discount } = termsOf(
          offer({
            base,
            customerDiscount: customer,
            coupon: coupon === undefined ? undefined : couponWith({ discount: coupon / 100 }),
          }),
        );

        const off = Math.max(customer * 100, coupon ?? 0);
        const exact = BigInt(base) * BigInt(10_000 - off);
        expect(BigInt(total)).toBe((exact + 5_000n) / 10_000n);
        expect(discount.percent).toBe(off / 100);
        expect(discount.source).toBe(off === 0 ? 'none' : coupon === off ? 'coupon' : 'customer');
      }),
      parameters,
    );
  });
});

test('the sale is a use of the coupon whose percentage or commission takes effect, and of no other', () => {
  const usedOf = (customerDiscount: number, discount: number, ownerProfit: number) =>
    termsOf(offer({ customerDiscount, coupon: couponWith({ discount, ownerProfit }) })).coupon?.id;

  expect([usedOf(0, 10, 0), usedOf(10, 10, 0), usedOf(20, 10, 5), usedOf(0, 0, 5)]).toEqual(Array(4).fill('a coupon'));
  expect([usedOf(20, 10, 0), usedOf(0, 0, 0)]).toEqual([undefined, undefined]);
  expect('coupon' in termsOf(offer())).toBe(false);
});

describe('credit', () => {
  const spendable = { regular: 50, restricted: 30 };

  test.each<[string, Partial<Offer>, [credit: number, restricted: number, toPay: number]]>([
    ['restricted first, then regular', {}, [50, 30, 20]],
    ['no more than the total', { base: 40 }, [10, 30, 0]],
    ['restricted alone where that is enough', { base: 30 }, [0, 30, 0]],
    ['only regular for somebody else', { isForOneself: false }, [50, 0, 50]],
    ['none where it is not asked for', { useCredit: false }, [0, 0, 100]],
    ['none where the product blocks it', { blockCredits: true }, [0, 0, 100]],
  ])('takes %s', (_, fields, [credit, restrictedCredit, toPay]) => {
    expect(termsOf(offer({ spendable, ...fields }))).toMatchObject({ credit, restrictedCredit, toPay });
  });

  test(`and money make the total, and never more is taken than is there (seed ${seed})`, () => {
    const amount = fc.nat(200);
    const cases = fc.record({ base: amount, regular: amount, restricted: amount, customerDiscount: fc.nat(100) });
    const flags = fc.record({ useCredit: fc.boolean(), blockCredits: fc.boolean(), isForOneself: fc.boolean() });

    fc.assert(
      fc.property(cases, flags, ({ regular, restricted, ...rest }, some) => {
        const terms = termsOf(offer({ ...rest, ...some, spendable: { regular, restricted } }));

        expect(terms.credit + terms.restrictedCredit + terms.toPay).toBe(terms.total);
        expect(Math.min(terms.credit, terms.restrictedCredit, terms.toPay)).toBeGreaterThanOrEqual(0);
        expect([terms.credit <= regular, terms.restrictedCredit <= restricted]).toEqual([true, true]);
        const takesCredit = some.useCredit && !some.blockCredits;
        // Money is due only once the credit that may be taken is used up.
        if (takesCredit && terms.toPay > 0) expect(terms.credit).toBe(regular);
        if (takesCredit && some.isForOneself && terms.credit > 0) expect(terms.restrictedCredit).toBe(restricted);
      }),
      parameters,
    );
  });
});

const terms: Terms = { ...noPrice, base: 100, total: 100, credit: 20, restrictedCredit: 30, toPay: 50 };

describe('a sale', () => {
  test('gives back everything if it is refused, else the payment beyond the price', () => {
    expect([paymentOf(49, terms, 'underpaid'), paymentOf(0, terms, 'closed')]).toEqual([
      { paid: 49, kept: 0, change: 49 },
      { paid: 0, kept: 0, change: 0 },
    ]);
    expect([paymentOf(50, terms, null), paymentOf(57, terms, null)]).toEqual([
      { paid: 50, kept: 50, change: 0 },
      { paid: 57, kept: 50, change: 7 },
    ]);
  });
});

describe('shares', () => {
  test('are the commission, then the profit shares, each of the whole and rounded down', () => {
    const profitShares = [
      { userUuid: bob.uuid, percent: 33.3 },
      { userUuid: cleo.uuid, percent: 0.5 },
    ];

    expect(sharesOf(199, couponWith({ ownerProfit: 10 }), profitShares)).toEqual([
      { residentUuid: ada.uuid, kind: 'commission', percent: 10, amount: 19 },
      { residentUuid: bob.uuid, kind: 'share', percent: 33.3, amount: 66 },
      { residentUuid: cleo.uuid, kind: 'share', percent: 0.5, amount: 0 },
    ]);
  });

  test('list no commission of a coupon without any', () => {
    expect([sharesOf(100, couponWith({ ownerProfit: 0 }), []), sharesOf(100, undefined, [])]).toEqual([[], []]);
  });

  test('of 0 percent are listed with 0, also where all together are 0', () => {
    const profitShares = [
      { userUuid: bob.uuid, percent: 0 },
      { userUuid: cleo.uuid, percent: 0 },
    ];

    expect(sharesOf(100, couponWith({ ownerProfit: 0 }), profitShares)).toEqual([
      { residentUuid: bob.uuid, kind: 'share', percent: 0, amount: 0 },
      { residentUuid: cleo.uuid, kind: 'share', percent: 0, amount: 0 },
    ]);
  });

  test('never come to more than was paid and kept: the later ones get what is left', () => {
    const profitShares = [
      { userUuid: bob.uuid, percent: 40 },
      { userUuid: cleo.uuid, percent: 60 },
    ];

    const amounts = sharesOf(100, couponWith({ ownerProfit: 30 }), profitShares).map(({ amount }) => amount);

    expect(amounts).toEqual([30, 40, 30]);
  });

  test(`come to the percentages of the whole wherever these are at most 100 (seed ${seed})`, () => {
    const share = fc.record({ userUuid: fc.uuid(), hundredths: fc.integer({ min: 1, max: 4_000 }) });

    fc.assert(
      fc.property(fc.nat(2_147_483_647), fc.nat(4_000), fc.array(share, { maxLength: 5 }), (kept, profit, users) => {
        const profitShares = users.map(({ userUuid, hundredths }) => ({ userUuid, percent: hundredths / 100 }));

        const shares = sharesOf(kept, couponWith({ ownerProfit: profit / 100 }), profitShares);

        const hundredths = [...(profit > 0 ? [profit] : []), ...users.map((user) => user.hundredths)];
        const sum = shares.reduce((total, { amount }) => total + amount, 0);
        expect(shares.map(({ percent }) => percent)).toEqual(hundredths.map((value) => value / 100));
        expect(sum).toBeLessThanOrEqual(kept);
        expect(Math.min(0, ...shares.map(({ amount }) => amount))).toBe(0);
        if (hundredths.reduce((total, value) => total + value, 0) <= 10_000)
          expect(shares.map(({ amount }) => BigInt(amount))).toEqual(
            hundredths.map((value) => (BigInt(kept) * BigInt(value)) / 10_000n),
          );
      }),
      parameters,
    );
  });
});
