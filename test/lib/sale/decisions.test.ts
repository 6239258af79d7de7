import { expect, test } from 'vitest';
import type { CreditLot } from '../../../lib/credit/lot.ts';
import { bonusIn } from '../../../lib/credit/plan.ts';
import { type CreditItem, holdingOf } from '../../../lib/credit/state.ts';
import { refusals } from '../../../lib/routes/sales.ts';
import { judgeOffer, judgeRefund, judgeSale } from '../../../lib/sale/decide.ts';
import type { OfferFacts, RefundFacts, RequestedOffer, SaleFacts } from '../../../lib/sale/facts.ts';
import type { OpenedQuote, Terms } from '../../../lib/sale/rules.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { completedSale } from '../../../lib/sale/writes.ts';
import { randomFrom } from '../../support/faults.ts';
import { ada, bob } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { trials } from '../../support/volume.ts';
import { factsWith, itemWith, readOf } from '../credit/credit-facts.ts';
import {
  type AppliedCoupon,
  type Lump,
  refundByWords,
  type Situation,
  sellByWords,
  spendByWords,
  type WordedSale,
  whole,
} from './decision-model.ts';

/**
 * Random quotes, sales and refunds, decided by lib/sale/decide.ts and by a model in words of the contract: the same
 * refusals, prices, credit, bonus and shares, to the L$. `SALE_DECISIONS_RUNS` sets how many, `SALE_DECISIONS_SEED`
 * the first seed; each has the next.
 */

const seed = Number(process.env.SALE_DECISIONS_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.SALE_DECISIONS_RUNS ?? trials(2_000, 100_000));

const types = ['restricted', 'regular'] as const;
const deliveryId = '01960f2e-8c00-7a31-9d4e-5b1f0c2a7e63';
const parties = { productId: 'chair', buyer: bob.uuid };
const dayMillis = 86_400_000;
/** Around a leap day. */
const moments = [
  ...['2028-02-29T00:00:00.000Z', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-03-01T12:34:56.789Z'],
];

const times = new Map<string, string>();

/** A time after another. There are few of both. */
const timeAfter = (at: string, millis: number): string => {
  const name = at + millis;
  const known = times.get(name) ?? new Date(Date.parse(at) + millis).toISOString();
  times.set(name, known);
  return known;
};

/** Makes situations of which many are close to an edge: ends of this very millisecond, ties, halves, the limit. */
const situations = (from: number) => {
  const random = randomFrom(from);
  const below = (limit: number): number => Math.floor(random() * limit);
  const chance = (part: number): boolean => random() < part;
  const of = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const at = of(moments);
  const price = of([below(4), below(100), 50 + below(1000), below(100_000), 2_147_483_647 - below(3)]);
  // Few percentages in each, so that some are alike.
  const percents = [0, below(101) * 10_000, below(401) * 2500, below(whole + 1), 1 + below(100), 500_000, whole];
  const few = [of(percents), of(percents), of(percents)];
  const end = (): string => timeAfter(at, of([-dayMillis, -1, 0, 1, dayMillis, 30 * dayMillis]));
  const amount = (): number => 1 + of([below(5), below(50), below(price + 1), price]);
  const coupon = (id: string): AppliedCoupon => ({
    ...{ id, percent: of(few), ownerProfit: of([0, 0, ...few]), usesPerCustomer: below(3), uses: below(3) },
    ...{ isActive: chance(0.9), ends: [chance(0.9) ? timeAfter(at, dayMillis) : end(), end()] },
  });
  const lump = (): Lump => ({ type: of(types), amount: amount(), ...(chance(0.7) && { until: end() }) });
  const listOf = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);
  const purse = listOf(6, lump);
  const spent = listOf(4, () => ({ daysAgo: of([0, 1, 100, 363, 364, 365, 366]), amount: below(1000) }));
  const sums = [
    1,
    below(1000) + 1,
    ...spent.map(({ amount: sum }) => sum),
    spent.reduce((sum, one) => sum + one.amount, 0),
  ];
  const [isRuled, isForOneself, isBanned] = [chance(0.8), chance(0.7), chance(0.02)];
  const product = {
    ...{ price, isActive: chance(0.97), blocksCredit: chance(0.1), card: chance(0.1) ? 1 + below(1000) : 0 },
    ...{ ...(chance(0.3) && { copies: below(3) }), shares: listOf(3, () => of(few)) },
  };
  const situation: Situation = {
    ...{ at, isOpen: chance(0.97), areBanned: { buyer: isBanned, recipient: isForOneself ? isBanned : chance(0.02) } },
    ...(chance(0.98) && { product }),
    ...{ ownDiscount: of([0, ...few]), spent, purse, limit: of([1, 100, 2000, 10 ** 9, 2 ** 32]) },
    ...(chance(0.4) && { couponForProduct: coupon('a') }),
    ...(chance(0.4) && { couponForStore: coupon('b') }),
    ...{ groupDiscount: isRuled ? of([0, ...few]) : 0, isForOneself, wantsCredit: chance(0.7) },
    tiers: isRuled
      ? [...new Set(listOf(3, () => Math.max(1, of(sums) + below(3) - 1)))].map((sum) => ({
          ...{ from: sum, percent: Math.max(1, of(few)) },
        }))
      : [],
    bonus: {
      ...{ percent: isRuled ? of(few) : 0, groupPercent: isRuled ? of([0, ...few]) : 0 },
      ...{ type: of(types), days: of([null, 1, 30, 3650]) },
    },
    ...{ inGroup: chance(0.5), usesOfQuote: below(3) },
  };
  return { situation, below, chance, of, amount };
};

type Draw = ReturnType<typeof situations>;

/** Changes between a quote and the sale by it, which fixes nothing but the price. */
const later = ({ situation, chance, of, below }: Draw, terms: WordedSale['terms']): Situation => {
  const { product, purse, at } = situation;
  return {
    ...{ ...situation, at: timeAfter(at, of([0, 1, 60_000])), quote: chance(0.05) ? 'false' : terms },
    ...{ inGroup: chance(0.5), ownDiscount: of([0, whole]), isOpen: chance(0.97) },
    ...(product && { product: { ...product, price: chance(0.5) ? product.price : below(100) } }),
    purse: chance(0.7) ? purse : purse.slice(1),
  };
};

const inPercent = (tenThousandths: number): number => tenThousandths / 10_000;

const couponOf = ({ ends, percent, ownerProfit, isActive, uses, ...coupon }: AppliedCoupon) => ({
  coupon: {
    ...{ ...coupon, couponOwnerUuid: ada.uuid, discount: inPercent(percent), ownerProfit: inPercent(ownerProfit) },
    ...{ active: isActive, expiration: ends[0] },
  },
  ...{ expiresAt: ends[1], uses, usesRead: { pk: 'store#USE', sk: coupon.id, uses } },
});

/** The buyer's item and open lots with this credit; the lot of the bonus has the id of the delivery. */
const creditWith = (purse: readonly Lump[]) => {
  const [unlotted, lots] = [
    { restricted: 0, regular: 0 },
    { restricted: [] as CreditLot[], regular: [] as CreditLot[] },
  ];
  for (const [place, { type, amount, until, isBonus }] of purse.entries()) {
    if (until === undefined) unlotted[type] += amount;
    else
      lots[type].push({
        ...{ pk: 'store#LOT#ada', sk: `${type}#e1#${until}#${isBonus ? deliveryId : String(place).padStart(2, '0')}` },
        ...{ expiresAt: until, remaining: amount, amount, state: 'open', version: 0, createdAt: '', createdBy: '' },
      });
  }
  for (const type of types) lots[type].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const item: CreditItem = itemWith(unlotted, lots);
  return factsWith(item, { restricted: readOf(lots.restricted), regular: readOf(lots.regular) });
};

/** The facts as they are read: lots and uses that the sale may need, and no others. */
const factsOf = (now: Situation): SaleFacts => {
  const { product: sold, areBanned, purse, couponForProduct, couponForStore, tiers, bonus, at } = now;
  const credit = creditWith(purse);
  const isQuoted = typeof now.quote === 'object';
  const product = sold && {
    ...{ ...productWith({ price: sold.price, blockCredits: sold.blocksCredit, active: sold.isActive }), id: 'chair' },
    ...{ mpListing: 0, activePrice: sold.price, limited: sold.copies !== undefined, availableAmount: sold.copies ?? 0 },
    profitShares: sold.shares.map((percent) => ({ userUuid: ada.uuid, percent: inPercent(percent) })),
    ...(sold.card > 0 && { giftCard: { credit: sold.card, texture: null } }),
  };
  const days: Record<string, number> = {};
  for (const { daysAgo, amount } of now.spent) {
    const day = timeAfter(at, -daysAgo * dayMillis).slice(0, 10);
    days[day] = (days[day] ?? 0) + amount;
  }
  const item = { pk: 'store#SPEND', sk: bob.uuid, username: '', version: 1, sum: 0, totalOwned: 0, days };
  return {
    ...{ isOpen: now.isOpen, product, credit, spending: { most: sold?.price ?? 0, alone: false } },
    ...{ buyerItem: { ...credit.item, isBanned: areBanned.buyer, discount: inPercent(now.ownDiscount) } },
    recipientItem: { ...credit.item, isBanned: areBanned.recipient },
    rules: {
      groupDiscount: inPercent(now.groupDiscount),
      tiers: tiers.map(({ from, percent }) => ({ from, percent: inPercent(percent) })).sort((a, b) => a.from - b.from),
      bonus: {
        ...{ percent: inPercent(bonus.percent), groupPercent: inPercent(bonus.groupPercent), type: bonus.type },
        expiresInDays: bonus.days,
      },
    },
    forProduct: isQuoted ? undefined : couponForProduct && couponOf(couponForProduct),
    forStore: isQuoted ? undefined : couponForStore && couponOf(couponForStore),
    usesOfQuote: { pk: 'store#USE', sk: 'quoted', uses: now.usesOfQuote },
    ...{ countedSpend: isQuoted || tiers.length === 0 ? undefined : { item } },
    ...{ spend: undefined, recipientSpend: undefined, owned: undefined },
  };
};

const askedOf = ({ at, inGroup, isForOneself, wantsCredit }: Situation): RequestedOffer => ({
  ...{ store: 'store', at, inGroup },
  parties: { ...parties, recipient: isForOneself ? bob.uuid : ada.uuid, useCredit: wantsCredit },
});

/** The holdings of an item, as the sums that both must come to. */
const heldIn = (item: CreditItem) => types.map((type) => holdingOf(item, type));

const heldBy = (purse: readonly Lump[]) =>
  types.map((type) => {
    const ours = purse.filter((lump) => lump.type === type);
    const ends = ours.flatMap(({ until }) => until ?? []).sort();
    const sum = (some: readonly Lump[]): number => some.reduce((total, { amount }) => total + amount, 0);
    return {
      ...{ balance: sum(ours), unlotted: sum(ours.filter(({ until }) => until === undefined)), lots: ends.length },
      ...(ends[0] !== undefined && { due: ends[0] }),
    };
  });

const told = ({ base, discount, total, credit, restrictedCredit, toPay, coupon }: Terms): unknown[] => [
  ...[base, discount.source, discount.percent, discount.couponId, total, restrictedCredit, credit, toPay, coupon?.id],
];

const worded = ({ terms, toPay }: WordedSale): unknown[] => {
  const { base, source, percent, total, restricted, regular, coupon } = terms;
  const couponId = source === 'coupon' ? coupon?.id : null;
  return [base, source, inPercent(percent), couponId, total, restricted, regular, toPay, coupon?.id];
};

/** Fails with both sides where they differ; a matcher of its own for each would take ten times as long. */
const demandSame = (what: string, decided: unknown, said: unknown): void => {
  if (JSON.stringify(decided) !== JSON.stringify(said)) expect({ what, decided }).toEqual({ what, decided: said });
};

/** Refunds a sale after the buyer has spent some of what they held, in both ways. */
const compareRefund = ({ situation, chance, of, amount }: Draw, item: SaleItem, said: WordedSale): void => {
  const { at, limit, product, isForOneself } = situation;
  const then = timeAfter(at, of([60_000, dayMillis, 30 * dayMillis, 3650 * dayMillis]));
  const purse = chance(0.5) ? said.purse : spendByWords(said.purse, of(types), amount(), then);
  const isRedeemed = (product?.card ?? 0) > 0 && chance(0.5);
  const facts: RefundFacts = {
    ...{ sale: item, avatars: { buyer: bob.uuid, recipient: isForOneself ? bob.uuid : ada.uuid } },
    ...{ product: undefined, uses: undefined, spend: undefined, recipientSpend: undefined, delivery: undefined },
    ...{ owned: undefined, credit: creditWith(purse), areCustomers: true },
    card: isRedeemed ? ({ redeemed: true } as RefundFacts['card']) : undefined,
  };
  const refund = judgeRefund(facts, then, limit);
  const back = refundByWords(said, purse, then);
  demandSame(
    'a refund',
    refund.kind === 'completed' ? [refund.kept, bonusIn(refund.plan), heldIn(refund.plan.after)] : refund.kind,
    isRedeemed ? 'redeemed' : [said.toPay, 0 - back.takenBack, heldBy(back.purse)],
  );
};

/** Quotes, sells and refunds once. Answers how it ended. */
const compareOnce = (from: number): string => {
  const draw = situations(from);
  const { situation, chance, of } = draw;
  const facts: OfferFacts = factsOf(situation);
  const offer = judgeOffer(askedOf(situation), facts, situation.limit);
  const meant = sellByWords(situation, 2 ** 40);
  const offered = offer.kind === 'offer' && [...told(offer.terms), offer.refusal, offer.bonus];
  demandSame('a quote', offered, [...worded(meant), meant.refusal, meant.bonus?.amount ?? 0]);

  const isQuoted = offer.kind === 'offer' && meant.refusal === null && chance(0.4);
  const now = isQuoted ? later(draw, meant.terms) : situation;
  const byQuote: OpenedQuote = isQuoted ? offer.terms : 'expired';
  const quote: OpenedQuote = now.quote === 'false' ? 'false' : byQuote;
  const paid = Math.max(0, meant.toPay + of([0, 0, 0, 0, 0, 7, -1, -meant.toPay]));
  const asked = { ...askedOf(now), quote, paid, deliveryId };
  const sale = judgeSale(asked, factsOf(now), now.limit);
  const said = sellByWords(now, paid);
  if (sale.kind !== 'completed') {
    demandSame('a refused sale', sale.kind === 'refused' && [...told(sale.terms), sale.refusal], [
      ...[...worded(said), said.refusal],
    ]);
    return said.refusal ?? '';
  }
  const item = completedSale(
    { ...asked, ...parties, id: 'sale', recipient: bob.uuid, at: now.at, request: '', message: '' },
    { ...sale },
    { buyer: 'bob', recipient: 'bob' },
    undefined,
  );
  const { bonus, taken = { restricted: [], regular: [] }, shares, change } = item;
  const made = [...told(sale.terms), null, change, sale.payment.kept, shares.map(({ amount }) => amount)];
  demandSame(
    'a sale',
    [...made, [taken.restricted, taken.regular], bonus?.amount, bonus?.expiresAt, heldIn(sale.plan.after)],
    [
      ...[...worded(said), said.refusal, said.change, said.toPay, said.shares, said.parts],
      ...[said.bonus?.amount, said.bonus?.until, heldBy(said.purse)],
    ],
  );
  compareRefund({ ...draw, situation: now }, { ...item, recipientUuid: asked.parties.recipient }, said);
  return `${sale.terms.discount.source}${bonus ? ', with a bonus' : ''}`;
};

test(
  `${runs} quotes, sales and refunds are decided as the words of the contract have them (from seed ${seed})`,
  () => {
    const ends = new Map<string, number>();
    for (let run = 0; run < runs; run++)
      try {
        const end = compareOnce(seed + run);
        ends.set(end, (ends.get(end) ?? 0) + 1);
      } catch (error) {
        throw new Error(`SALE_DECISIONS_SEED=${seed + run} SALE_DECISIONS_RUNS=1`, { cause: error });
      }

    // Each source of a percentage, with a bonus and without, and each refusal but that of an unknown resident.
    const sources = ['none', 'coupon', 'customer', 'tier', 'group'];
    const expected = [...sources, ...sources.map((source) => `${source}, with a bonus`), ...refusals.slice(1)];
    if (runs >= 1000) expect([...ends.keys()].sort()).toEqual(expected.sort());
  },
  180_000 * Math.max(1, runs / 100_000),
);
