import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { applyCoupon } from '../../../../lib/catalogue/applied-coupons.ts';
import { createCoupon } from '../../../../lib/catalogue/coupons.ts';
import { timestamp } from '../../../../lib/clock.ts';
import { beginPayouts } from '../../../../lib/operator/begin-payouts.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { claimPayout } from '../../../../lib/payout/claim.ts';
import { countDebts } from '../../../../lib/payout/count.ts';
import { payoutAnswers, payoutsList } from '../../../../lib/payout/payouts.ts';
import { reportPayout } from '../../../../lib/payout/settle.ts';
import type { PayoutAnswer } from '../../../../lib/routes/payouts.ts';
import type { Sale } from '../../../../lib/routes/sales.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { getSale } from '../../../../lib/sale/sales.ts';
import { buy, newProduct } from '../../../../test/lib/sale/sales.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { freshTable, setClock } from '../../../../test/support/service.ts';
import { trials } from '../../../../test/support/volume.ts';
import { owedNow, type PayoutSums, payoutsOf } from '../../deployment/payouts.ts';

/** Random sales and refunds, and their payouts in random spans. `PAYOUTS_SEED` replays a run. */

const runs = trials(3, 40);
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
  payOut: fc.boolean(),
  /** How a payout ends that is claimed after it, if one is. */
  payout: fc.option(fc.constantFrom('claimed' as const, 'paid' as const, 'failed' as const, 'unknown' as const)),
});

/** Claims a payout, if somebody is owed one, and reports it. */
const payOne = async (store: string, end: 'claimed' | 'paid' | 'failed' | 'unknown'): Promise<void> => {
  const { payout } = await claimPayout(store, { minimum: 1, hold: 0, limit: 40 }, 'key');
  if (payout && end !== 'claimed') await reportPayout(store, payout.id, { result: end }, 'key');
};

const payoutsIn = async (store: string): Promise<PayoutAnswer[]> => {
  const { source } = await payoutsList(store, {});
  return payoutAnswers(store, await source({ descending: false }));
};

/** The sums of payouts, by avatar. */
const add = (sums: Map<string, number[]>, { residentUuid, ...sum }: Omit<PayoutSums, 'username'>): void => {
  const now = [sum.sales, sum.refunds, sum.earned, sum.takenBack, sum.toGiveBack, sum.paid, sum.owed];
  const before = sums.get(residentUuid) ?? now.map(() => 0);
  sums.set(
    residentUuid,
    now.map((each, index) => each + (before[index] ?? 0)),
  );
};

const sumsOf = (payouts: readonly PayoutSums[]): Map<string, number[]> => {
  const sums = new Map<string, number[]>();
  for (const payout of payouts) add(sums, payout);
  return sums;
};

/** The sums that follow from the sales and the payouts alone, for whole days. */
const recounted = (
  sales: readonly Sale[],
  payouts: readonly PayoutAnswer[],
  from: string,
  to: string,
): Map<string, number[]> => {
  const sums = new Map<string, number[]>();
  const isWithin = (time: string | null): boolean =>
    time !== null && time.slice(0, 10) >= from && time.slice(0, 10) <= to;
  const none = { sales: 0, refunds: 0, earned: 0, takenBack: 0, toGiveBack: 0, paid: 0, owed: 0 };
  for (const { residentUuid, amount: paid, endedAt, state } of payouts)
    if (state === 'paid' && isWithin(endedAt)) add(sums, { ...none, residentUuid, paid, owed: -paid });
  for (const { shares, at, refundedAt, payOut, paid, change, buyerUuid } of sales) {
    const toGiveBack = payOut && isWithin(refundedAt) ? paid - change : 0;
    if (toGiveBack > 0) add(sums, { ...none, residentUuid: buyerUuid ?? '', toGiveBack, owed: toGiveBack });
    for (const [residentUuid, own] of Map.groupBy(
      shares.filter(({ amount }) => amount > 0),
      (share) => share.residentUuid,
    )) {
      const amount = own.reduce((sum, share) => sum + share.amount, 0);
      const isEarned = isWithin(at);
      const isBack = isWithin(refundedAt);
      const [earned, takenBack] = [isEarned ? amount : 0, isBack ? amount : 0];
      const counts = { sales: Number(isEarned), refunds: Number(isBack) };
      if (isEarned || isBack)
        add(sums, { ...none, residentUuid, ...counts, earned, takenBack, owed: earned - takenBack });
    }
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
        await beginPayouts(store, true);
        for (const { at, product, paid, refundedAfter, payOut, payout } of events) {
          setClock(start + at);
          const sale = await buy(store, { productId: products[product] ?? '', buyer: three.uuid, paid });
          ids.push(sale.id);
          if (refundedAfter !== null && sale.state === 'completed') {
            setClock(start + Math.min(at + refundedAfter, days * day - 1));
            await refundSale(store, sale.id, { by: 'test' }, { payOut });
          }
          await countDebts(store, [{ sk: sale.id }]);
          if (payout !== null) await payOne(store, payout);
        }
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), days];
        const spans = bounds.slice(1).map((end, index) => ({ from: dayOf(bounds[index] ?? 0), to: dayOf(end - 1) }));

        const whole = await payoutsOf(store, { from: dayOf(0), to: dayOf(days - 1) }, true);
        const parts = [];
        for (const span of spans) parts.push({ span, ...(await payoutsOf(store, span, true)) });

        const paid = await payoutsIn(store);
        const sales = (await Promise.all(ids.map((id) => getSale(store, id)))) as unknown as Sale[];
        const nonZero = sales.map((sale) => ({ ...sale, refundedAt: sale.refundedAt ?? null }));
        expect(sumsOf(whole.payouts)).toEqual(recounted(nonZero, paid, dayOf(0), dayOf(days - 1)));
        // The debts of now agree with the changes of a span of all time.
        const left = whole.payouts.flatMap(({ residentUuid, owed }) => (owed === 0 ? [] : [{ residentUuid, owed }]));
        const now = (await owedNow(store)).map((one) => ({ ...one, owed: one.owed + one.claimed + one.unknown }));
        const open = now.flatMap(({ residentUuid, owed }) => (owed === 0 ? [] : [{ residentUuid, owed }]));
        expect(new Set(open.map((one) => JSON.stringify(one)))).toEqual(
          new Set(left.map((one) => JSON.stringify(one))),
        );
        expect(sumsOf(parts.flatMap(({ payouts }) => payouts))).toEqual(sumsOf(whole.payouts));
        for (const { span, payouts, lines } of parts) {
          expect(sumsOf(payouts)).toEqual(recounted(nonZero, paid, span.from, span.to));
          for (const { residentUuid, owed, paid: less } of payouts)
            expect(
              lines.filter((line) => line.residentUuid === residentUuid).reduce((sum, { amount }) => sum + amount, 0),
            ).toBe(owed + less);
        }
      },
    ),
    { numRuns: runs, seed, endOnFailure: true },
  );
});
