/**
 * Sales and refunds as the contract's words have them, written from these alone, for the comparison with the decisions
 * of lib/sale/decide.ts. Percentages are in ten-thousandths of a percent, so that nothing is counted in fractions;
 * times are timestamps.
 */

export const whole = 1_000_000;

type Type = 'restricted' | 'regular';

/** L$ of credit that came together; without an end they are permanent. */
export interface Lump {
  type: Type;
  amount: number;
  until?: string;
  /** They are the bonus of the sale that is refunded. */
  isBonus?: true;
}

export interface AppliedCoupon {
  id: string;
  percent: number;
  ownerProfit: number;
  /** 0 is no limit. */
  usesPerCustomer: number;
  uses: number;
  isActive: boolean;
  /** When the coupon and its application end. */
  ends: [string, string];
}

interface Fixed {
  base: number;
  source: string;
  percent: number;
  total: number;
  restricted: number;
  regular: number;
  inGroup: boolean;
  coupon: AppliedCoupon | undefined;
}

/** Everything that a sale depends on, at the moment at which it begins. */
export interface Situation {
  at: string;
  isOpen: boolean;
  areBanned: { buyer: boolean; recipient: boolean };
  /** Undefined for a product that nobody knows. */
  product?: {
    price: number;
    isActive: boolean;
    /** Undefined without a limit. */
    copies?: number;
    blocksCredit: boolean;
    /** The L$ of the gift card that it sells, 0 for another product. */
    card: number;
    shares: number[];
  };
  ownDiscount: number;
  couponForProduct?: AppliedCoupon;
  couponForStore?: AppliedCoupon;
  groupDiscount: number;
  tiers: { from: number; percent: number }[];
  bonus: { percent: number; groupPercent: number; type: Type; days: number | null };
  /** The L$ that the buyer spent, each so many UTC days ago. */
  spent: { daysAgo: number; amount: number }[];
  purse: Lump[];
  limit: number;
  isForOneself: boolean;
  wantsCredit: boolean;
  inGroup: boolean;
  /** A quote that holds, or one that is none. */
  quote?: Fixed | 'false';
  /** How often the buyer has used the coupon of the quote by now. */
  usesOfQuote: number;
}

const isOver = (until: string | undefined, at: string): boolean => until !== undefined && until <= at;

const sumOf = (lumps: readonly Lump[]): number => lumps.reduce((sum, { amount }) => sum + amount, 0);

/**
 * The credit of a type that can be spent, in the order in which it goes: what ends first, and permanent credit last.
 */
const spendable = (purse: readonly Lump[], type: Type, at: string): Lump[] => {
  const ofType = purse.filter((lump) => lump.type === type && !isOver(lump.until, at));
  const ending = ofType.filter(({ until }) => until !== undefined);
  ending.sort((a, b) => Number(String(a.until) > String(b.until)) - Number(String(a.until) < String(b.until)));
  return [...ending, ...ofType.filter(({ until }) => until === undefined)];
};

/** The part of an amount that a percentage takes, and the rest of the division: the L$ that are not whole. */
const partOf = (amount: number, percent: number): [full: number, rest: number] => {
  const parts = amount * percent;
  return [(parts - (parts % whole)) / whole, parts % whole];
};

const lessHalfUp = (amount: number, percent: number): number => {
  const [full, rest] = partOf(amount, whole - percent);
  return rest * 2 >= whole ? full + 1 : full;
};

/** Today and the 364 UTC days before it. */
const spentInYear = ({ spent }: Situation): number =>
  spent.filter(({ daysAgo }) => daysAgo <= 364).reduce((sum, { amount }) => sum + amount, 0);

const countingCoupon = ({ at, couponForProduct, couponForStore }: Situation): AppliedCoupon | undefined => {
  for (const coupon of [couponForProduct, couponForStore]) {
    if (!coupon?.isActive || coupon.ends.some((end) => end <= at)) continue;
    if (coupon.usesPerCustomer === 0 || coupon.uses < coupon.usesPerCustomer) return coupon;
  }
  return undefined;
};

const termsOf = (now: Situation): Fixed => {
  const { product, purse, at } = now;
  const nothing = { base: 0, source: 'none', percent: 0, total: 0, restricted: 0, regular: 0, coupon: undefined };
  if (!product) return { ...nothing, inGroup: false };
  const isCard = product.card > 0;
  const coupon = isCard ? undefined : countingCoupon(now);
  const reached = now.tiers.filter(({ from }) => from <= spentInYear(now)).sort((a, b) => b.from - a.from);
  const candidates: [string, number][] = [];
  if (coupon) candidates.push(['coupon', coupon.percent]);
  if (!isCard) candidates.push(['customer', now.ownDiscount], ['tier', reached[0]?.percent ?? 0]);
  if (!isCard && now.inGroup) candidates.push(['group', now.groupDiscount]);
  let [source, percent] = ['none', 0];
  for (const [name, off] of candidates) if (off > percent) [source, percent] = [name, off];
  const total = lessHalfUp(product.price, percent);
  const mayTake = now.wantsCredit && !product.blocksCredit && !isCard;
  const restricted = mayTake && now.isForOneself ? Math.min(sumOf(spendable(purse, 'restricted', at)), total) : 0;
  const regular = mayTake ? Math.min(sumOf(spendable(purse, 'regular', at)), total - restricted) : 0;
  const isUse = coupon && (source === 'coupon' || coupon.ownerProfit > 0);
  const price = { base: product.price, source, percent, total, restricted, regular };
  return { ...price, inGroup: now.inGroup, coupon: isUse ? coupon : undefined };
};

/** The first reason that holds against a sale under these terms. */
const refusalOf = (now: Situation, terms: Fixed, paid: number): string | null => {
  const { product, areBanned, purse, at } = now;
  if (!product) return 'unknown-product';
  if (now.quote === 'false') return 'quote';
  if (!now.isOpen) return 'closed';
  if (areBanned.buyer || areBanned.recipient) return 'banned';
  if (!product.isActive) return 'inactive';
  if (product.copies === 0) return 'sold-out';
  const holds = (type: Type): number => sumOf(spendable(purse, type, at));
  if (holds('restricted') < terms.restricted || holds('regular') < terms.regular) return 'credit-changed';
  const most = now.quote?.coupon?.usesPerCustomer ?? 0;
  if (most > 0 && now.usesOfQuote >= most) return 'coupon-used';
  return paid < terms.total - terms.restricted - terms.regular ? 'underpaid' : null;
};

/** Takes L$ of a type, what ends first before all else. What is over goes too. Answers the parts that had an end. */
const take = (purse: readonly Lump[], type: Type, amount: number, at: string) => {
  const others = purse.filter((lump) => lump.type !== type);
  if (amount === 0) return { purse: [...purse], parts: [] };
  let left = amount;
  const parts: [string, number][] = [];
  const kept: Lump[] = [];
  for (const lump of spendable(purse, type, at)) {
    const part = Math.min(left, lump.amount);
    left -= part;
    if (part < lump.amount) kept.push({ ...lump, amount: lump.amount - part });
    if (part === 0 || lump.until === undefined) continue;
    const same = parts.find(([until]) => until === lump.until);
    if (same) same[1] += part;
    else parts.push([lump.until, part]);
  }
  return { purse: [...others, ...kept], parts };
};

const dayMillis = 24 * 60 * 60 * 1000;

/** The bonus that the rules of now promise for the L$ kept, as the lump that it becomes. */
const bonusFor = ({ at, bonus, product }: Situation, kept: number, inGroup: boolean): Lump => {
  const percent = inGroup && bonus.groupPercent > bonus.percent ? bonus.groupPercent : bonus.percent;
  const amount = product && product.card === 0 ? partOf(kept, percent)[0] : 0;
  const until = bonus.days === null ? {} : { until: new Date(Date.parse(at) + bonus.days * dayMillis).toISOString() };
  return { type: bonus.type, amount, isBonus: true, ...until };
};

/** A sale as it must be answered, and the buyer's credit after it. */
export const sellByWords = (now: Situation, paid: number) => {
  const { at, limit } = now;
  const terms = typeof now.quote === 'object' ? now.quote : termsOf(now);
  const refusal = refusalOf(now, terms, paid);
  const { restricted, regular, total, coupon } = terms;
  const toPay = total - restricted - regular;
  const none = { terms, toPay, refusal, change: paid, bonus: undefined, shares: [], parts: [[], []] };
  if (refusal !== null || !now.product) return { ...none, purse: now.purse };
  const first = take(now.purse, 'restricted', restricted, at);
  const then = take(first.purse, 'regular', regular, at);
  const promised = bonusFor(now, toPay, terms.inGroup);
  const room = limit - sumOf(spendable(then.purse, promised.type, at));
  const bonus = { ...promised, amount: Math.max(0, Math.min(promised.amount, room)) };
  // Who is given credit loses what is over in the same change.
  const kept = then.purse.filter(({ type, until }) => type !== bonus.type || !isOver(until, at));
  const purse = bonus.amount > 0 ? [...kept, bonus] : then.purse;
  let left = toPay;
  const shares = [...(coupon && coupon.ownerProfit > 0 ? [coupon.ownerProfit] : []), ...now.product.shares].map(
    (of) => {
      const amount = Math.min(left, partOf(toPay, of)[0]);
      left -= amount;
      return amount;
    },
  );
  return {
    ...{ terms, toPay, refusal, change: paid - toPay, shares, parts: [first.parts, then.parts], purse },
    bonus: bonus.amount > 0 ? bonus : undefined,
  };
};

export type WordedSale = ReturnType<typeof sellByWords>;

/** The buyer's credit after they spent so much of a type, or all of it. */
export const spendByWords = (purse: readonly Lump[], type: Type, amount: number, at: string): Lump[] =>
  take(purse, type, Math.min(amount, sumOf(spendable(purse, type, at))), at).purse;

/** The buyer's credit after the refund of a completed sale at a time, and the bonus that it takes back. */
export const refundByWords = (sale: WordedSale, before: readonly Lump[], at: string) => {
  let purse = [...before];
  const forget = (type: Type): void => {
    purse = purse.filter((lump) => lump.type !== type || !isOver(lump.until, at));
  };
  for (const [place, type] of (['restricted', 'regular'] as const).entries()) {
    const amount = sale.terms[type];
    if (amount === 0) continue;
    forget(type);
    let permanent = amount;
    for (const [until, part] of sale.parts[place] ?? []) {
      permanent -= part;
      if (!isOver(until, at)) purse.push({ type, amount: part, until });
    }
    if (permanent > 0) purse.push({ type, amount: permanent });
  }
  const { bonus } = sale;
  if (!bonus) return { purse, takenBack: 0 };
  const theirs = purse.filter(({ type, until, isBonus }) =>
    type !== bonus.type ? false : bonus.until === undefined ? until === undefined : isBonus && !isOver(until, at),
  );
  let takenBack = Math.min(bonus.amount, sumOf(theirs));
  const total = takenBack;
  if (total > 0) forget(bonus.type);
  for (const lump of theirs) {
    const part = Math.min(takenBack, lump.amount);
    takenBack -= part;
    purse = purse.flatMap((one) =>
      one !== lump ? [one] : part < lump.amount ? [{ ...one, amount: one.amount - part }] : [],
    );
  }
  return { purse, takenBack: total };
};
