import { balanceOf, emptyCustomer, expire, increment, type ModelCustomer } from './credit-model.ts';

/**
 * A second implementation of sales, written from the rules alone, without regard for speed. The model test and the
 * races compare the service with it. Times are milliseconds, amounts whole L$; percentages have at most two digits
 * after the point.
 */

export type CreditType = 'regular' | 'restricted';

export interface ModelCoupon {
  id: string;
  owner: string;
  discount: number;
  ownerProfit: number;
  /** 0 is no limit. */
  usesPerCustomer: number;
  active: boolean;
  expiration: number;
}

export interface ModelProduct {
  price: number;
  /** Percent off, until a time. */
  off: { percent: number; until: number } | undefined;
  active: boolean;
  limited: boolean;
  stock: number;
  blockCredits: boolean;
  shares: { userUuid: string; percent: number }[];
}

interface OwnedCopies {
  quantity: number;
  boughtAt: number;
}

export interface ModelAvatar {
  credit: Record<CreditType, ModelCustomer>;
  isBanned: boolean;
  discount: number;
  spend: { sum: number; totalOwned: number; days: Record<string, number> };
  /** By the product's id. */
  owned: Record<string, OwnedCopies>;
  /** By the product's id, or `store`. */
  applications: Record<string, { couponId: string; expiresAt: number }>;
  /** By the coupon's id. */
  uses: Record<string, number>;
}

interface Terms {
  base: number;
  discount: { source: 'none' | 'customer' | 'coupon'; percent: number; couponId: string | null };
  total: number;
  credit: number;
  restrictedCredit: number;
  toPay: number;
  /** The coupon of which the sale is a use, as it was. */
  used: ModelCoupon | undefined;
}

/** A request as the model sees it. A name that nobody has is null. */
export interface ModelRequest {
  productId: string;
  buyer: string | null;
  recipient: string | null;
  useCredit: boolean;
}

export interface ModelQuote {
  asked: ModelRequest;
  terms: Terms;
  expiresAt: number;
}

/** The answer about a sale, without what the service makes up, and what a refund needs. */
export interface ModelSale {
  state: 'completed' | 'refused' | 'refunded';
  refusal: string | null;
  asked: ModelRequest;
  terms: Terms;
  paid: number;
  refund: number;
  change: number;
  shares: { residentUuid: string; kind: 'commission' | 'share'; percent: number; amount: number }[];
  at: number;
  refundedAt: number | null;
  refundReference: string | null;
  /** The credit that was taken from lots, by the time of their expiry; the rest was permanent. */
  taken: Record<CreditType, [expiresAt: number, amount: number][]>;
}

export interface SaleModel {
  now: number;
  isOpen: boolean;
  /** By UUID. */
  avatars: Record<string, ModelAvatar>;
  products: Record<string, ModelProduct>;
  coupons: ModelCoupon[];
}

export const newAvatar = (): ModelAvatar => ({
  credit: { regular: emptyCustomer(), restricted: emptyCustomer() },
  isBanned: false,
  discount: 0,
  spend: { sum: 0, totalOwned: 0, days: {} },
  owned: {},
  applications: {},
  uses: {},
});

/** Percentages in hundredths, so that nothing is counted in binary fractions. */
const hundredths = (percent: number): number => Math.round(percent * 100);

const lessPercent = (amount: number, percent: number): number =>
  Math.floor((amount * (10_000 - hundredths(percent)) * 2 + 10_000) / 20_000);

const priceOf = ({ price, off }: ModelProduct, now: number): number =>
  off && now < off.until ? lessPercent(price, off.percent) : price;

/** The credit of a type without what has come due. */
const spendable = (holder: ModelCustomer, now: number): number =>
  balanceOf({ ...holder, lots: holder.lots.filter(({ expiresAt }) => expiresAt > now) });

/** The coupon that counts for a buyer and a product. */
const couponFor = (model: SaleModel, buyer: ModelAvatar, productId: string): ModelCoupon | undefined => {
  for (const scope of [productId, 'store']) {
    const application = buyer.applications[scope];
    const coupon = model.coupons.find(({ id }) => id === application?.couponId);
    if (!application || !coupon) continue;
    const uses = buyer.uses[coupon.id] ?? 0;
    const lasts = application.expiresAt > model.now && coupon.active && coupon.expiration > model.now;
    if (lasts && (coupon.usesPerCustomer === 0 || uses < coupon.usesPerCustomer)) return coupon;
  }
  return undefined;
};

const avatarOf = (model: SaleModel, uuid: string): ModelAvatar => {
  model.avatars[uuid] ??= newAvatar();
  return model.avatars[uuid];
};

const noTerms: Terms = {
  base: 0,
  discount: { source: 'none', percent: 0, couponId: null },
  total: 0,
  credit: 0,
  restrictedCredit: 0,
  toPay: 0,
  used: undefined,
};

const termsOf = (model: SaleModel, { productId, buyer, recipient, useCredit }: ModelRequest): Terms => {
  const product = model.products[productId];
  if (!product || buyer === null) return noTerms;
  const customer = avatarOf(model, buyer);
  const coupon = couponFor(model, customer, productId);
  const percent = Math.max(customer.discount, coupon?.discount ?? 0);
  const source = percent === 0 ? 'none' : coupon?.discount === percent ? 'coupon' : 'customer';
  const base = priceOf(product, model.now);
  const total = lessPercent(base, percent);
  let left = total;
  const take = (type: CreditType, may: boolean): number => {
    const taken = may ? Math.min(left, spendable(customer.credit[type], model.now)) : 0;
    left -= taken;
    return taken;
  };
  const pays = useCredit && !product.blockCredits;
  const restrictedCredit = take('restricted', pays && buyer === recipient);
  const credit = take('regular', pays);
  const isUse = coupon && (source === 'coupon' || coupon.ownerProfit > 0);
  return {
    ...{ base, total, credit, restrictedCredit, toPay: left },
    discount: { source, percent, couponId: source === 'coupon' && coupon ? coupon.id : null },
    used: isUse ? { ...coupon } : undefined,
  };
};

/** The refusals that a quote can tell of, and that no payment changes. */
const refusalOf = (model: SaleModel, { productId, buyer, recipient }: ModelRequest): string | null => {
  const product = model.products[productId] as ModelProduct;
  if (!model.isOpen) return 'closed';
  if ([buyer, recipient].some((uuid) => uuid !== null && model.avatars[uuid]?.isBanned)) return 'banned';
  if (!product.active) return 'inactive';
  return product.limited && product.stock < 1 ? 'sold-out' : null;
};

/** The status of a quote and, for 200, its terms. */
export const quote = (model: SaleModel, asked: ModelRequest) => {
  if (asked.buyer === null || asked.recipient === null) return { status: 400 } as const;
  if (!model.products[asked.productId]) return { status: 404 } as const;
  const [terms, refusal] = [termsOf(model, asked), refusalOf(model, asked)];
  const made: ModelQuote | null = refusal === null ? { asked, terms, expiresAt: model.now + 120_000 } : null;
  return { status: 200, terms, refusal, quote: made } as const;
};

const inLots = (holder: ModelCustomer): Map<number, number> => {
  const sums = new Map<number, number>();
  for (const { expiresAt, remaining } of holder.lots) sums.set(expiresAt, (sums.get(expiresAt) ?? 0) + remaining);
  return sums;
};

/** Takes credit, and answers the part of each expiry. What has come due expires with it. */
const takeCredit = (holder: ModelCustomer, amount: number, now: number): [number, number][] => {
  if (amount === 0) return [];
  expire(holder, now);
  const before = inLots(holder);
  increment(holder, -amount, undefined, now, Number.POSITIVE_INFINITY);
  const after = inLots(holder);
  return [...before]
    .map(([expiresAt, held]): [number, number] => [expiresAt, held - (after.get(expiresAt) ?? 0)])
    .filter(([, taken]) => taken > 0);
};

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Counts a sale of `amount` kept L$ at a time, or takes it back. */
const spend = ({ spend: books }: ModelAvatar, amount: number, at: number): void => {
  books.sum += amount;
  if (amount !== 0) books.days[dayOf(at)] = (books.days[dayOf(at)] ?? 0) + amount;
};

/** The refusal of a sale, and its terms. `quoted` is a quote that was made for it and lasts, or one that is none. */
const judge = (
  model: SaleModel,
  asked: ModelRequest,
  paid: number,
  quoted: ModelQuote | 'false' | undefined,
): [string | null, Terms] => {
  const { buyer, recipient, productId } = asked;
  if (buyer === null || recipient === null) return ['unknown-resident', noTerms];
  if (!model.products[productId]) return ['unknown-product', noTerms];
  const terms = typeof quoted === 'object' ? quoted.terms : termsOf(model, asked);
  if (quoted === 'false') return ['quote', terms];
  const refusal = refusalOf(model, asked);
  if (refusal !== null) return [refusal, terms];
  const { credit, uses } = avatarOf(model, buyer);
  const { used } = terms;
  if (terms.restrictedCredit > spendable(credit.restricted, model.now)) return ['credit-changed', terms];
  if (terms.credit > spendable(credit.regular, model.now)) return ['credit-changed', terms];
  if (used && used.usesPerCustomer > 0 && (uses[used.id] ?? 0) >= used.usesPerCustomer) return ['coupon-used', terms];
  return [paid < terms.toPay ? 'underpaid' : null, terms];
};

const sharesOf = (kept: number, used: ModelCoupon | undefined, { shares }: ModelProduct): ModelSale['shares'] => {
  let left = kept;
  const share = (kind: 'commission' | 'share', residentUuid: string, percent: number) => {
    const amount = Math.min(left, Math.floor((kept * hundredths(percent)) / 10_000));
    left -= amount;
    return { residentUuid, kind, percent, amount };
  };
  return [
    ...(used && used.ownerProfit > 0 ? [share('commission', used.owner, used.ownerProfit)] : []),
    ...shares.map(({ userUuid, percent }) => share('share', userUuid, percent)),
  ];
};

/** Sells, or refuses to. */
export const sell = (
  model: SaleModel,
  asked: ModelRequest,
  paid: number,
  quoted: ModelQuote | 'false' | undefined,
): ModelSale => {
  const { now } = model;
  const [refusal, terms] = judge(model, asked, paid, quoted);
  const sale: ModelSale = {
    ...{ state: 'refused', refusal, asked, terms, paid, refund: paid, change: paid, shares: [], at: now },
    ...{ refundedAt: null, refundReference: null, taken: { regular: [], restricted: [] } },
  };
  const { productId, buyer, recipient } = asked;
  const product = model.products[productId];
  if (refusal !== null || !product || buyer === null || recipient === null) return sale;
  const [customer, owner] = [avatarOf(model, buyer), avatarOf(model, recipient)];
  const taken = {
    restricted: takeCredit(customer.credit.restricted, terms.restrictedCredit, now),
    regular: takeCredit(customer.credit.regular, terms.credit, now),
  };
  if (product.limited) product.stock -= 1;
  if (terms.used) customer.uses[terms.used.id] = (customer.uses[terms.used.id] ?? 0) + 1;
  spend(customer, terms.toPay, now);
  const owned = owner.owned[productId];
  if (!owned) owner.spend.totalOwned += 1;
  owner.owned[productId] = { quantity: (owned?.quantity ?? 0) + 1, boughtAt: owned?.boughtAt ?? now };
  const change = paid - terms.toPay;
  const shares = sharesOf(terms.toPay, terms.used, product);
  return { ...sale, state: 'completed', refund: change, change, shares, taken };
};

/** Gives credit back as it was taken. What is due by now comes back and expires at once. */
const giveBack = (holder: ModelCustomer, amount: number, taken: readonly [number, number][], now: number): void => {
  if (amount === 0) return;
  expire(holder, now);
  const fromLots = taken.reduce((sum, [, part]) => sum + part, 0);
  increment(holder, amount - fromLots, undefined, now, Number.POSITIVE_INFINITY);
  for (const [expiresAt, part] of taken)
    if (expiresAt > now) increment(holder, part, expiresAt, now, Number.POSITIVE_INFINITY);
};

/** Refunds a sale; one that was refunded before stays as it is. Returns the status. */
export const refund = (model: SaleModel, sale: ModelSale, reference: string | null): 200 | 400 => {
  if (sale.state === 'refused') return 400;
  if (sale.state === 'refunded') return 200;
  const { now } = model;
  const { asked, terms, taken } = sale;
  const { productId, buyer, recipient } = asked;
  if (buyer === null || recipient === null) return 400;
  const [customer, owner] = [avatarOf(model, buyer), avatarOf(model, recipient)];
  giveBack(customer.credit.restricted, terms.restrictedCredit, taken.restricted, now);
  giveBack(customer.credit.regular, terms.credit, taken.regular, now);
  const product = model.products[productId];
  if (product?.limited) product.stock += 1;
  if (terms.used) customer.uses[terms.used.id] = (customer.uses[terms.used.id] ?? 0) - 1;
  spend(customer, -terms.toPay, sale.at);
  const owned = owner.owned[productId];
  if (owned) owned.quantity -= 1;
  if (owned?.quantity === 0) {
    delete owner.owned[productId];
    owner.spend.totalOwned -= 1;
  }
  Object.assign(sale, { state: 'refunded', refund: sale.paid, refundedAt: now, refundReference: reference });
  return 200;
};
