import { expect, test } from 'vitest';
import type { CreditLot } from '../../../lib/credit/lot.ts';
import { bonusIn } from '../../../lib/credit/plan.ts';
import { type CreditItem, holdingOf } from '../../../lib/credit/state.ts';
import { refusals } from '../../../lib/routes/sales.ts';
import type { AskedSale, RefundFacts, SaleFacts } from '../../../lib/sale/facts.ts';
import { judgeQuote, judgeRefund, judgeSale } from '../../../lib/sale/judge.ts';
import type { OpenedQuote, Terms } from '../../../lib/sale/rules.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { completedSale } from '../../../lib/sale/writes.ts';
import { randomFrom } from '../../support/faults.ts';
import { balanceOf, increment, spendable, takeCredit } from '../../support/model/credit.ts';
import {
  avatarOf,
  issueCard,
  type ModelCoupon,
  type ModelRequest,
  type ModelSale,
  newAvatar,
  refund,
  type SaleModel,
  sell,
} from '../../support/model/sales.ts';
import { ada, bob } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { trials } from '../../support/volume.ts';
import { factsWith, itemWith, readOf } from '../credit/credit-facts.ts';

/**
 * Random quotes, sales and refunds, decided by lib/sale/judge.ts and by the model of the rules: the same refusals,
 * prices, credit, bonus and shares, to the L$. `SALE_DECISIONS_RUNS` sets how many, `SALE_DECISIONS_SEED` the first
 * seed. Each run has the next one.
 */

const seed = Number(process.env.SALE_DECISIONS_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.SALE_DECISIONS_RUNS ?? trials(2_000, 100_000));

const types = ['restricted', 'regular'] as const;
const deliveryId = '01960f2e-8c00-7a31-9d4e-5b1f0c2a7e63';
const dayMillis = 86_400_000;
/** Around a leap day. */
const moments = [
  ...['2028-02-29T00:00:00.000Z', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-03-01T12:34:56.789Z'],
].map((text) => Date.parse(text));

const texts = new Map<number, string>();

/** A time as the service writes it. There are few of them. */
const textOf = (time: number): string => {
  const known = texts.get(time) ?? new Date(time).toISOString();
  texts.set(time, known);
  return known;
};

/** A store, and what somebody asks of it. */
interface Situation {
  model: SaleModel;
  asked: ModelRequest;
  limit: number;
}

/** In ten-thousandths of a percent. */
const whole = 1_000_000;
const inPercent = (tenThousandths: number): number => tenThousandths / 10_000;

/** Makes situations, many of them close to an edge: ends at this very millisecond, ties, halves, the limit. */
const situations = (from: number) => {
  const random = randomFrom(from);
  const below = (limit: number): number => Math.floor(random() * limit);
  const chance = (part: number): boolean => random() < part;
  const of = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const now = of(moments);
  const price = of([below(4), below(100), 50 + below(1000), below(100_000), 2_147_483_647 - below(3)]);
  // Few percentages in each, so that some are alike.
  const percents = [0, below(101) * 10_000, below(401) * 2500, below(whole + 1), 1 + below(100), 500_000, whole];
  const few = [of(percents), of(percents), of(percents)].map(inPercent);
  const end = (): number => now + of([-dayMillis, -1, 0, 1, dayMillis, 30 * dayMillis]);
  const amount = (): number => 1 + of([below(5), below(50), below(price + 1), price]);
  const listOf = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);
  const [isRuled, isForOneself, isBanned] = [chance(0.8), chance(0.7), chance(0.02)];
  const buyer = { ...newAvatar(), isBanned, discount: of([0, ...few]) };
  for (const lump of listOf(6, () => ({ type: of(types), amount: amount(), end: chance(0.7) ? end() : undefined }))) {
    const holding = buyer.credit[lump.type];
    if (lump.end === undefined) holding.unlotted += lump.amount;
    // In the model a lot may be due, as one that no sweep has closed yet.
    else increment(holding, lump.amount, lump.end, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  }
  const spent = listOf(4, () => ({ daysAgo: of([0, 1, 100, 363, 364, 365, 366]), amount: below(1000) }));
  for (const { daysAgo, amount: sum } of spent) {
    const day = textOf(now - daysAgo * dayMillis).slice(0, 10);
    buyer.spend.days[day] = (buyer.spend.days[day] ?? 0) + sum;
  }
  const coupons: ModelCoupon[] = [];
  for (const [scope, id] of [
    ['chair', 'a'],
    ['store', 'b'],
  ] as const) {
    if (!chance(0.4)) continue;
    coupons.push({
      ...{ id, code: id, owner: ada.uuid, discount: of(few), ownerProfit: of([0, 0, ...few]) },
      ...{ usesPerCustomer: below(3), active: chance(0.9), expiration: chance(0.9) ? now + dayMillis : end() },
    });
    buyer.applications[scope] = { couponId: id, expiresAt: end() };
    buyer.uses[id] = below(3);
  }
  const sums = [1, below(1000) + 1, ...spent.map(({ amount: sum }) => sum)];
  sums.push(spent.reduce((sum, one) => sum + one.amount, 0));
  const limit = of([1, 100, 2000, 10 ** 9, 2 ** 32]);
  const model: SaleModel = {
    ...{ now, isOpen: chance(0.97), coupons, cards: {}, sales: {} },
    avatars: { [bob.uuid]: buyer, [ada.uuid]: { ...newAvatar(), isBanned: chance(0.02) } },
    products: chance(0.98)
      ? {
          chair: {
            ...{ price, off: undefined, active: chance(0.97), blockCredits: chance(0.1) },
            ...{ card: chance(0.1) ? 1 + below(1000) : 0, limited: chance(0.3), stock: below(3) },
            shares: listOf(3, () => ({ userUuid: ada.uuid, percent: of(few) })),
          },
        }
      : {},
    rules: {
      groupDiscount: isRuled ? of([0, ...few]) : 0,
      tiers: isRuled
        ? [...new Set(listOf(3, () => Math.max(1, of(sums) + below(3) - 1)))].map((sum) => ({
            ...{ from: sum, percent: Math.max(0.0001, of(few)) },
          }))
        : [],
      bonus: {
        ...{ percent: isRuled ? of(few) : 0, groupPercent: isRuled ? of([0, ...few]) : 0 },
        ...{ type: of(types), expiresInDays: of([null, 1, 30, 3650]) },
      },
      limit,
    },
  };
  const recipient = isForOneself ? bob.uuid : ada.uuid;
  const asked = { productId: 'chair', buyer: bob.uuid, recipient, useCredit: chance(0.7), inGroup: chance(0.5) };
  return { situation: { model, asked, limit }, below, chance, of, amount };
};

type Draw = ReturnType<typeof situations>;

/** Changes between a quote and the sale by it, which fixes nothing but the price. */
const later = ({ situation, chance, of, below }: Draw): Draw['situation'] => {
  const model = structuredClone(situation.model);
  model.now += of([0, 1, 60_000]);
  model.isOpen = chance(0.97);
  const [buyer, product] = [avatarOf(model, bob.uuid), model.products.chair];
  buyer.discount = of([0, 100]);
  for (const { id } of model.coupons) buyer.uses[id] = below(3);
  if (product && chance(0.5)) product.price = below(100);
  if (product && chance(0.05)) product.card = below(3);
  if (chance(0.3)) {
    const holding = buyer.credit[of(types)];
    if (holding.lots.length > 0) holding.lots.shift();
    else holding.unlotted = 0;
  }
  return { ...situation, model, asked: { ...situation.asked, inGroup: chance(0.5) } };
};

const couponOf = ({ model }: Situation, scope: string) => {
  const buyer = avatarOf(model, bob.uuid);
  const application = buyer.applications[scope];
  const found = model.coupons.find(({ id }) => id === application?.couponId);
  if (!application || !found) return undefined;
  const { owner, expiration, id, usesPerCustomer, discount, ownerProfit, active } = found;
  const uses = buyer.uses[id] ?? 0;
  return {
    coupon: {
      ...{ id, usesPerCustomer, discount, ownerProfit, active },
      ...{ couponOwnerUuid: owner, expiration: textOf(expiration) },
    },
    ...{ expiresAt: textOf(application.expiresAt), uses, usesRead: { pk: 'store#USE', sk: id, uses } },
  };
};

/** The buyer's item and open lots. The lot of a sale's bonus has the id of the sale's delivery. */
const creditOf = ({ model }: Situation, sale?: ModelSale) => {
  const { credit } = avatarOf(model, bob.uuid);
  const lotsOf = (type: (typeof types)[number]): CreditLot[] =>
    credit[type].lots
      .map(({ expiresAt, remaining, number }) => {
        const until = textOf(expiresAt);
        const id = sale?.bonus?.number === number ? deliveryId : String(number).padStart(12, '0');
        return {
          ...{ pk: 'store#LOT#ada', sk: `${type}#e1#${until}#${id}`, state: 'open' as const, version: 0 },
          ...{ expiresAt: until, remaining, amount: remaining, createdAt: '', createdBy: '' },
        };
      })
      .sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const lots = { restricted: lotsOf('restricted'), regular: lotsOf('regular') };
  const unlotted = { restricted: credit.restricted.unlotted, regular: credit.regular.unlotted };
  return factsWith(itemWith(unlotted, lots), { restricted: readOf(lots.restricted), regular: readOf(lots.regular) });
};

/** The request of a situation, without a quote. */
const askedOf = ({ model, asked }: Situation): AskedSale => ({
  ...{ store: 'store', id: 'sale', at: textOf(model.now), inGroup: asked.inGroup ?? false, request: '', message: '' },
  ...{ productId: 'chair', buyer: bob.uuid, recipient: asked.recipient ?? '', useCredit: asked.useCredit },
  ...{ paid: 0, deliveryId },
});

/** The facts as they are read: lots and uses that the sale may need, and no others. */
const factsOf = (situation: Situation, request = askedOf(situation), quote: OpenedQuote = 'expired'): SaleFacts => {
  const { model, asked } = situation;
  const quoted = typeof quote === 'object' ? quote : undefined;
  const credit = creditOf(situation);
  const [buyer, recipient] = [avatarOf(model, bob.uuid), avatarOf(model, asked.recipient ?? '')];
  const sold = model.products.chair;
  const product = sold && {
    ...{ ...productWith({ price: sold.price, blockCredits: sold.blockCredits, active: sold.active }), id: 'chair' },
    ...{ mpListing: 0, activePrice: sold.price, limited: sold.limited, availableAmount: sold.limited ? sold.stock : 0 },
    profitShares: sold.shares,
    ...(sold.card && { giftCard: { credit: sold.card, texture: null } }),
  };
  const { groupDiscount, tiers, bonus } = model.rules as NonNullable<SaleModel['rules']>;
  const { days } = buyer.spend;
  const item = { pk: 'store#SPEND', sk: bob.uuid, username: '', version: 1, sum: 0, totalOwned: 0, days };
  return {
    ...{ asked: request, quote },
    ...{ isOpen: model.isOpen, product, credit, spending: { most: sold?.price ?? 0, alone: false } },
    buyerItem: { ...credit.item, isBanned: buyer.isBanned, discount: buyer.discount },
    recipientItem: { ...credit.item, isBanned: recipient.isBanned },
    rules: { groupDiscount, tiers: tiers.toSorted((a, b) => a.from - b.from), bonus },
    forProduct: quoted ? undefined : couponOf(situation, 'chair'),
    forStore: quoted ? undefined : couponOf(situation, 'store'),
    usesOfQuote: { pk: 'store#USE', sk: 'quoted', uses: buyer.uses[quoted?.coupon?.id ?? ''] ?? 0 },
    ...{ countedSpend: quoted || tiers.length === 0 ? undefined : { item } },
    ...{ spend: undefined, recipientSpend: undefined, owned: undefined },
  };
};

/** The holdings of an item, as the sums that both must come to. */
const heldIn = (item: CreditItem) => types.map((type) => holdingOf(item, type));

const heldBy = ({ model }: Situation) =>
  types.map((type) => {
    const holding = avatarOf(model, bob.uuid).credit[type];
    const due = Math.min(...holding.lots.map(({ expiresAt }) => expiresAt));
    return {
      ...{ balance: balanceOf(holding), unlotted: holding.unlotted, lots: holding.lots.length },
      ...(holding.lots.length > 0 && { due: textOf(due) }),
    };
  });

const told = ({ base, discount, total, credit, restrictedCredit, toPay, coupon }: Terms): unknown[] => [
  ...[base, discount.source, discount.percent, discount.couponId, total, restrictedCredit, credit, toPay, coupon?.id],
];

const toldBy = ({ base, discount, total, credit, restrictedCredit, toPay, used }: ModelSale['terms']): unknown[] => [
  ...[base, discount.source, discount.percent, discount.couponId, total, restrictedCredit, credit, toPay, used?.id],
];

const partsOf = (taken: ModelSale['taken']) =>
  types.map((type) => taken[type].toSorted(([a], [b]) => a - b).map(([end, amount]) => [textOf(end), amount]));

/** Fails with both sides if they differ. A separate matcher for each would take ten times as long. */
const demandSame = (what: string, decided: unknown, said: unknown): void => {
  if (JSON.stringify(decided) !== JSON.stringify(said)) expect({ what, decided }).toEqual({ what, decided: said });
};

/** Refunds a sale after the buyer has spent some of what they held, in both ways. */
const compareRefund = ({ situation, chance, of, amount }: Draw, item: SaleItem, sold: ModelSale): void => {
  const { model, asked, limit } = situation;
  model.now += of([60_000, dayMillis, 30 * dayMillis, 3650 * dayMillis]);
  if (chance(0.5)) {
    const holding = avatarOf(model, bob.uuid).credit[of(types)];
    takeCredit(holding, Math.min(amount(), spendable(holding, model.now)), model.now);
  }
  if ((model.products.chair?.card ?? 0) > 0) issueCard(model, sold, 'card');
  const isRedeemed = sold.cardId !== undefined && chance(0.5);
  Object.assign(model.cards.card ?? {}, { isRedeemed });
  const cause = { at: textOf(model.now), by: 'test' };
  const facts: RefundFacts = {
    ...{
      sale: item,
      asked: { store: 'store', buyer: bob.uuid, recipient: asked.recipient ?? '', cause, payOut: false },
    },
    ...{ product: undefined, uses: undefined, spend: undefined, recipientSpend: undefined, delivery: undefined },
    ...{ owned: undefined, credit: creditOf(situation, sold), areCustomers: true },
    card: isRedeemed ? ({ redeemed: true } as RefundFacts['card']) : undefined,
  };
  const decided = judgeRefund(facts, limit);
  const status = refund(model, sold, null);
  demandSame(
    'a refund',
    decided.kind === 'completed' ? [decided.kept, bonusIn(decided.plan), heldIn(decided.plan.after)] : decided.kind,
    status === 400 ? 'redeemed' : [sold.terms.toPay, 0 - (sold.bonus?.takenBack ?? 0), heldBy(situation)],
  );
};

/** Quotes, sells and refunds once. Answers how it ended. */
const compareOnce = (from: number): string => {
  const draw = situations(from);
  const { situation, chance, of } = draw;
  const { asked, limit } = situation;
  const offer = judgeQuote(factsOf(situation), limit);
  const meant = sell(structuredClone(situation.model), asked, 2 ** 40, undefined);
  const { terms } = meant;
  const offered = offer.kind === 'offer' && [...told(offer.terms), offer.refusal, offer.bonus];
  demandSame('a quote', offered, [...toldBy(terms), meant.refusal, meant.bonus?.amount ?? 0]);

  const isQuoted = offer.kind === 'offer' && meant.refusal === null && chance(0.4);
  const now = isQuoted ? later(draw) : situation;
  const isFalse = isQuoted && chance(0.05);
  const modelQuote = isQuoted
    ? { asked, terms, card: situation.model.products.chair?.card, expiresAt: now.model.now }
    : undefined;
  const quote: OpenedQuote = isFalse ? 'false' : isQuoted ? offer.terms : 'expired';
  const paid = Math.max(0, terms.toPay + of([0, 0, 0, 0, 0, 7, -1, -terms.toPay]));
  const request = { ...askedOf(now), paid };
  const sale = judgeSale(factsOf(now, request, quote), limit);
  const sold = sell(now.model, now.asked, paid, isFalse ? 'false' : modelQuote);
  if (sale.kind !== 'completed') {
    const refused = sale.kind === 'refused' && [...told(sale.terms), sale.refusal];
    demandSame('a refused sale', refused, [...toldBy(sold.terms), sold.refusal]);
    return sold.refusal ?? '';
  }
  const item = completedSale(request, sale, { buyer: 'bob', recipient: 'bob' }, undefined);
  const { bonus, taken = { restricted: [], regular: [] }, shares, change } = item;
  const made = [...told(sale.terms), null, change, sale.payment.kept, shares.map(({ amount }) => amount)];
  const end = sold.bonus?.expiresAt;
  demandSame(
    'a sale',
    [...made, [taken.restricted, taken.regular], bonus?.amount, bonus?.expiresAt, heldIn(sale.plan.after)],
    [
      ...[...toldBy(sold.terms), sold.refusal, sold.change, sold.terms.toPay, sold.shares.map(({ amount }) => amount)],
      ...[partsOf(sold.taken), sold.bonus?.amount, end === undefined ? undefined : textOf(end), heldBy(now)],
    ],
  );
  compareRefund({ ...draw, situation: now }, item, sold);
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

    // Each source of a percentage, with a bonus and without, and each refusal except the one for an unknown resident.
    const sources = ['none', 'coupon', 'customer', 'tier', 'group'];
    const expected = [...sources, ...sources.map((source) => `${source}, with a bonus`), ...refusals.slice(1)];
    if (runs >= 1000) expect([...ends.keys()].sort()).toEqual(expected.sort());
  },
  180_000 * Math.max(1, runs / 100_000),
);
