import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type Payout, payoutsOf } from '../../../cli/deployment/payouts.ts';
import { createStore } from '../../../cli/deployment/stores.ts';
import { timestamp } from '../../../lib/clock.ts';
import type { Sale } from '../../../lib/routes/sales.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { getSale } from '../../../lib/sale/sales.ts';
import { applyCoupon } from '../../../lib/store/applied-coupons.ts';
import { createCoupon } from '../../../lib/store/coupons.ts';
import { buy, newProduct } from '../../lib/sale/sales.ts';
import { newResident } from '../../support/residents.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';

/** Random sales and refunds, and their payouts in random spans. `PAYOUTS_SEED` replays a run. */

const runs = volume(3, 40);
const seed = Number(process.env.PAYOUTS_SEED ?? Date.now() % 2 ** 31);
const start = Date.parse('2028-02-27T00:00:00.000Z');
const day = 86_400_000;
const days = 8;

beforeAll(() => freshTable());

const dayOf = (place: number): string => timestamp(start + place * day).slice(0, 10);

const moment = fc.oneof(
  fc.integer({ min: 0, max: days * day - 1 }),
  // The first and the last millisecond of a day.
  fc.tuple(fc.nat(days - 2), fc.constantFrom(0, day - 1)).map(([place, rest]) => place * day + rest),
);
const event = fc.record({
  at: moment,
  product: fc.nat(2),
  paid: fc.constantFrom(0, 99, 100, 107, 350),
  refundedAfter: fc.option(moment),
});

/** The sums of payouts, by avatar. */
const add = (sums: Map<string, number[]>, { residentUuid, ...sum }: Omit<Payout, 'username'>): void => {
  const now = [sum.sales, sum.refunds, sum.earned, sum.takenBack, sum.owed];
  const before = sums.get(residentUuid) ?? [0, 0, 0, 0, 0];
  sums.set(
    residentUuid,
    now.map((each, index) => each + (before[index] ?? 0)),
  );
};

const sumsOf = (payouts: readonly Payout[]): Map<string, number[]> => {
  const sums = new Map<string, number[]>();
  for (const payout of payouts) add(sums, payout);
  return sums;
};

/** The sums that follow from the sales alone, for whole days. */
const recounted = (sales: readonly Sale[], from: string, to: string): Map<string, number[]> => {
  const sums = new Map<string, number[]>();
  const isWithin = (time: string | null): boolean =>
    time !== null && time.slice(0, 10) >= from && time.slice(0, 10) <= to;
  for (const { shares, at, refundedAt } of sales)
    for (const [residentUuid, own] of Map.groupBy(
      shares.filter(({ amount }) => amount > 0),
      (share) => share.residentUuid,
    )) {
      const amount = own.reduce((sum, share) => sum + share.amount, 0);
      const isEarned = isWithin(at);
      const isBack = isWithin(refundedAt);
      const [earned, takenBack] = [isEarned ? amount : 0, isBack ? amount : 0];
      const counts = { sales: Number(isEarned), refunds: Number(isBack) };
      if (isEarned || isBack) add(sums, { residentUuid, ...counts, earned, takenBack, owed: earned - takenBack });
    }
  return sums;
};

test(`payouts of spans add up to those of the whole, each is its lines, and the sales tell the same (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 5, maxLength: 25 }),
      fc.uniqueArray(fc.integer({ min: 1, max: days - 1 }), { maxLength: 4 }),
      async (events, cuts) => {
        setClock(start);
        const store = (await createStore('Payouts')).id;
        const [one, two, three] = [await newResident(), await newResident(), await newResident()];
        const share = ({ uuid }: { uuid: string }, percent: number) => ({ userUuid: uuid, percent });
        const products = [
          await newProduct(store, { price: 99, profitShares: [share(one, 33)] }),
          await newProduct(store, { price: 99, profitShares: [share(two, 20), share(one, 0.5)] }),
          await newProduct(store, { price: 0 }),
        ];
        const coupon = { code: randomUUID(), discount: 0, ownerProfit: 10, active: true, bloggersSync: false };
        const { id: couponId } = await createCoupon(store, two, coupon);
        await applyCoupon(store, { uuid: three.uuid }, { couponId, expiresInHours: 24 * 4 });
        const ids: string[] = [];
        for (const { at, product, paid, refundedAfter } of events) {
          setClock(start + at);
          const sale = await buy(store, { productId: products[product] ?? '', buyer: three.uuid, paid });
          ids.push(sale.id);
          if (refundedAfter === null || sale.state !== 'completed') continue;
          setClock(start + Math.min(at + refundedAfter, days * day - 1));
          await refundSale(store, sale.id, { by: 'test' });
        }
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), days];
        const spans = bounds.slice(1).map((end, index) => ({ from: dayOf(bounds[index] ?? 0), to: dayOf(end - 1) }));

        const whole = await payoutsOf(store, { from: dayOf(0), to: dayOf(days - 1) }, true);
        const parts = [];
        for (const span of spans) parts.push({ span, ...(await payoutsOf(store, span, true)) });

        const sales = (await Promise.all(ids.map((id) => getSale(store, id)))) as unknown as Sale[];
        const nonZero = sales.map((sale) => ({ ...sale, refundedAt: sale.refundedAt ?? null }));
        expect(sumsOf(whole.payouts)).toEqual(recounted(nonZero, dayOf(0), dayOf(days - 1)));
        expect(sumsOf(parts.flatMap(({ payouts }) => payouts))).toEqual(sumsOf(whole.payouts));
        for (const { span, payouts, lines } of parts) {
          expect(sumsOf(payouts)).toEqual(recounted(nonZero, span.from, span.to));
          for (const { residentUuid, owed } of payouts)
            expect(
              lines.filter((line) => line.residentUuid === residentUuid).reduce((sum, { amount }) => sum + amount, 0),
            ).toBe(owed);
        }
      },
    ),
    { numRuns: runs, seed, endOnFailure: true },
  );
});
