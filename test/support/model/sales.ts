import type { CreditType } from '../../../lib/credit/rules.ts';
import {
  addBonus,
  change,
  emptyHolding,
  giveBack,
  type Holding,
  type ModelBonus,
  spendable,
  type TakenParts,
  takeBonusBack,
  takeCredit,
} from './credit.ts';

/**
 * A second implementation of sales, written from the rules alone, without regard for speed. The model test and the
 * races compare the service with it. Times are milliseconds, amounts whole L$; percentages have at most four digits
 * after the point.
 */

export interface ModelCoupon {
  id: string;
  code: string;
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
  /** The L$ of the gift card that each sale makes; absent or 0: none. */
  card?: number;
}

/** The rules of a store. */
export interface ModelRules {
  groupDiscount: number;
  tiers: { from: number; percent: number }[];
  bonus: { percent: number; groupPercent: number; type: CreditType; expiresInDays: number | null };
  /** A bonus takes no balance above it. */
  limit: number;
}

interface OwnedCopies {
  quantity: number;
  boughtAt: number;
}

export interface ModelAvatar {
  credit: Holding;
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
  discount: { source: 'none' | 'coupon' | 'customer' | 'tier' | 'group'; percent: number; couponId: string | null };
  total: number;
  credit: number;
  restrictedCredit: number;
  toPay: number;
  inGroup: boolean;
  /** The used coupon, as it was. */
  used: ModelCoupon | undefined;
}

/** A request as the model sees it. A name that nobody has is null. */
export interface ModelRequest {
  productId: string;
  buyer: string | null;
  recipient: string | null;
  useCredit: boolean;
  inGroup?: boolean;
}

export interface ModelQuote {
  asked: ModelRequest;
  terms: Terms;
  /** The L$ of the gift card that the product made by then. */
  card: number | undefined;
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
  /** The buyer is owed what is still to be given back. */
  payOut: boolean;
  taken: Record<CreditType, TakenParts>;
  bonus?: ModelBonus;
  /** The gift card that it made: see `issueCard`. */
  cardId?: string;
}

export interface ModelCard {
  owner: string;
  credit: number;
  transfer: boolean;
  isRedeemed: boolean;
  /** The credit that was redeemed here. */
  worth?: number;
  /** The sale that made it was refunded: it is disabled for good. */
  isOver?: true;
  /** As the last import told it; absent for one that was made here. */
  told?: ToldCard;
  /** Its owner was erased. */
  isErased?: true;
}

/** The words of an import about a card. */
export interface ToldCard {
  credit: number;
  isRedeemed: boolean;
  isActive: boolean;
}

/** A whole store. */
export interface SaleModel {
  now: number;
  isOpen: boolean;
  rules?: ModelRules;
  /** By UUID. */
  avatars: Record<string, ModelAvatar>;
  products: Record<string, ModelProduct>;
  /** In the order of their creation. */
  coupons: ModelCoupon[];
  cards: Record<string, ModelCard>;
  sales: Record<string, ModelSale>;
}

export const newAvatar = (): ModelAvatar => ({
  credit: emptyHolding(),
  isBanned: false,
  discount: 0,
  spend: { sum: 0, totalOwned: 0, days: {} },
  owned: {},
  applications: {},
  uses: {},
});

/** Percentages in ten-thousandths, so that nothing is counted in binary fractions. */
const whole = 1_000_000;
const partsOf = (percent: number): number => Math.round(percent * 10_000);

const lessPercent = (amount: number, percent: number): number =>
  Math.floor((amount * (whole - partsOf(percent)) * 2 + whole) / (2 * whole));

const priceOf = ({ price, off }: ModelProduct, now: number): number =>
  off && now < off.until ? lessPercent(price, off.percent) : price;

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

export const avatarOf = (model: SaleModel, uuid: string): ModelAvatar => {
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
  inGroup: false,
  used: undefined,
};

const dayMillis = 86_400_000;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The percentage of the highest tier that a buyer has reached, by what they spent today and in the 364 days before. */
const tierOf = ({ rules, now }: SaleModel, { spend: { days } }: ModelAvatar): number => {
  const [first, last] = [dayOf(now - 364 * dayMillis), dayOf(now)];
  const sum = Object.keys(days).reduce((all, day) => (day >= first && day <= last ? all + (days[day] ?? 0) : all), 0);
  const reached = (rules?.tiers ?? []).filter(({ from }) => from <= sum);
  return reached.sort((a, b) => b.from - a.from)[0]?.percent ?? 0;
};

/** The percentage that counts. A gift card is sold without any. */
const discountOf = (
  model: SaleModel,
  { isCard, inGroup }: { isCard: boolean; inGroup: boolean },
  customer: ModelAvatar,
  coupon: ModelCoupon | undefined,
): Terms['discount'] => {
  const found: Terms['discount'] = { source: 'none', percent: 0, couponId: null };
  if (isCard) return found;
  const tries: [Terms['discount']['source'], number][] = [
    ['coupon', coupon?.discount ?? 0],
    ['customer', customer.discount],
    ['tier', tierOf(model, customer)],
    ['group', inGroup ? (model.rules?.groupDiscount ?? 0) : 0],
  ];
  for (const [source, percent] of tries) if (percent > found.percent) Object.assign(found, { source, percent });
  return { ...found, couponId: found.source === 'coupon' && coupon ? coupon.id : null };
};

const termsOf = (model: SaleModel, asked: ModelRequest): Terms => {
  const { productId, buyer, recipient, useCredit, inGroup = false } = asked;
  const product = model.products[productId];
  if (!product || buyer === null) return noTerms;
  const customer = avatarOf(model, buyer);
  const isCard = (product.card ?? 0) > 0;
  const coupon = isCard ? undefined : couponFor(model, customer, productId);
  const discount = discountOf(model, { isCard, inGroup }, customer, coupon);
  const base = priceOf(product, model.now);
  const total = lessPercent(base, discount.percent);
  let left = total;
  const take = (type: CreditType, may: boolean): number => {
    const taken = may ? Math.min(left, spendable(customer.credit[type], model.now)) : 0;
    left -= taken;
    return taken;
  };
  const pays = useCredit && !product.blockCredits && !isCard;
  const restrictedCredit = take('restricted', pays && buyer === recipient);
  const credit = take('regular', pays);
  const isUse = coupon && (discount.source === 'coupon' || coupon.ownerProfit > 0);
  return {
    ...{ base, discount, total, credit, restrictedCredit, toPay: left, inGroup },
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
  const { card } = model.products[asked.productId] ?? {};
  const made: ModelQuote | null = refusal === null ? { asked, terms, card, expiresAt: model.now + 120_000 } : null;
  const bonus = refusal === null ? (bonusOf(model, asked, terms)?.amount ?? 0) : 0;
  return { status: 200, terms, refusal, bonus, quote: made } as const;
};

/** The bonus of a sale under these terms: rounded down, and cut to what the limit leaves. */
const bonusOf = (model: SaleModel, asked: ModelRequest, terms: Terms): ModelBonus | undefined => {
  const { rules, now, products } = model;
  if (!rules || asked.buyer === null || (products[asked.productId]?.card ?? 0) > 0) return undefined;
  const { percent, groupPercent, type, expiresInDays } = rules.bonus;
  const counted = terms.inGroup ? Math.max(percent, groupPercent) : percent;
  const promised = Math.floor((terms.toPay * partsOf(counted)) / whole);
  const taken = type === 'regular' ? terms.credit : terms.restrictedCredit;
  const held = spendable(avatarOf(model, asked.buyer).credit[type], now) - taken;
  const amount = Math.max(0, Math.min(promised, rules.limit - held));
  if (amount === 0) return undefined;
  return { type, amount, ...(expiresInDays !== null && { expiresAt: now + expiresInDays * dayMillis }) };
};

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
  const isOfOther = typeof quoted === 'object' && (quoted.card ?? 0) !== (model.products[productId].card ?? 0);
  if (quoted === 'false' || isOfOther) return ['quote', terms];
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
    const amount = Math.min(left, Math.floor((kept * partsOf(percent)) / whole));
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
    ...{ refundedAt: null, refundReference: null, payOut: false, taken: { regular: [], restricted: [] } },
  };
  const { productId, buyer, recipient } = asked;
  const product = model.products[productId];
  if (refusal !== null || !product || buyer === null || recipient === null) return sale;
  const [customer, owner] = [avatarOf(model, buyer), avatarOf(model, recipient)];
  const promised = bonusOf(model, asked, terms);
  const taken = {
    restricted: takeCredit(customer.credit.restricted, terms.restrictedCredit, now),
    regular: takeCredit(customer.credit.regular, terms.credit, now),
  };
  const bonus = promised && addBonus(customer.credit[promised.type], promised, now);
  if (product.limited) product.stock -= 1;
  if (terms.used) customer.uses[terms.used.id] = (customer.uses[terms.used.id] ?? 0) + 1;
  spend(customer, terms.toPay, now);
  const owned = owner.owned[productId];
  if (!owned) owner.spend.totalOwned += 1;
  owner.owned[productId] = { quantity: (owned?.quantity ?? 0) + 1, boughtAt: owned?.boughtAt ?? now };
  const change = paid - terms.toPay;
  const shares = sharesOf(terms.toPay, terms.used, product);
  return { ...sale, state: 'completed', refund: change, change, shares, taken, ...(bonus && { bonus }) };
};

/** Notes the gift card that a sale made for its recipient, under the id that the service gave it. */
export const issueCard = (model: SaleModel, sale: ModelSale, id: string): void => {
  const credit = model.products[sale.asked.productId]?.card ?? 0;
  sale.cardId = id;
  model.cards[id] = { owner: sale.asked.recipient ?? '', credit, transfer: false, isRedeemed: false };
};

/** Refunds a sale; one that was refunded before stays as it is. Returns the status. */
export const refund = (model: SaleModel, sale: ModelSale, reference: string | null, payOut = false): 200 | 400 => {
  if (sale.state === 'refused') return 400;
  if (sale.state === 'refunded') return 200;
  const { now } = model;
  const { asked, terms, taken } = sale;
  const { productId, buyer, recipient } = asked;
  const card = model.cards[sale.cardId ?? ''];
  if (buyer === null || recipient === null || card?.isRedeemed) return 400;
  if (card) card.isOver = true;
  const [customer, owner] = [avatarOf(model, buyer), avatarOf(model, recipient)];
  giveBack(customer.credit.restricted, terms.restrictedCredit, taken.restricted, now);
  giveBack(customer.credit.regular, terms.credit, taken.regular, now);
  if (sale.bonus) sale.bonus.takenBack = takeBonusBack(customer.credit[sale.bonus.type], sale.bonus, now);
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
  Object.assign(sale, { state: 'refunded', refund: sale.paid, refundedAt: now, refundReference: reference, payOut });
  return 200;
};

const empty = (card: ModelCard): void => void Object.assign(card, { isRedeemed: true, worth: card.credit, credit: 0 });

/** Redeems a card. Returns false, and changes nothing, if the rules refuse it. */
export const redeem = (
  model: SaleModel,
  id: string,
  uuid: string,
  expiresAt: string | undefined,
  limit: number,
): boolean => {
  const card = model.cards[id];
  if (!card || card.isRedeemed || card.isOver || card.credit === 0) return false;
  if (card.owner !== uuid && !card.transfer) return false;
  const command = { kind: 'increment' as const, delta: card.credit, expiresAt };
  if (!change(avatarOf(model, uuid).credit.regular, command, model.now, limit)) return false;
  empty(card);
  return true;
};

/**
 * Does what a row of an import does to a card. The row tells some of the card's values. Answers whether it changes the
 * card, or is refused. Undefined, without a change, if it tells nothing new.
 */
export const importCard = (model: SaleModel, id: string, row: Partial<ToldCard>): 'changed' | 'refused' | undefined => {
  const card = model.cards[id] as ModelCard;
  const { told, isRedeemed, credit, worth, isOver, isErased } = card;
  // The row names the owner of before, and a card keeps its owner.
  if (isErased) return 'refused';
  const here: ToldCard = { credit, isRedeemed, isActive: !isOver };
  const isSame = (one: Partial<ToldCard>, other: ToldCard): boolean =>
    (Object.keys(one) as (keyof ToldCard)[]).every((name) => one[name] === other[name]);
  const wasWorth = worth === undefined ? here : { ...here, credit: worth, isRedeemed: false };
  if ([here, wasWorth, told ?? here].some((values) => isSame(row, values))) return undefined;
  if (!told || !isSame(told, here)) return 'refused';
  const taken = { ...here, ...row };
  Object.assign(card, { credit: taken.credit, isRedeemed: taken.isRedeemed, told: taken });
  return 'changed';
};

const mostCards = 20;

/**
 * Redeems at most 20 of a customer's own cards at once, among the ones in `seen`. Answers their ids and the sum of
 * their credit. Undefined, without a change, if the limit refuses it.
 */
export const redeemOwn = (
  model: SaleModel,
  uuid: string,
  limit: number,
  isSeen: (id: string) => boolean = () => true,
): { cards: string[]; amount: number; more: boolean } | undefined => {
  const all = Object.keys(model.cards).filter((id) => {
    const { owner, isRedeemed, isOver, credit } = model.cards[id] as ModelCard;
    return owner === uuid && !isRedeemed && !isOver && credit > 0 && isSeen(id);
  });
  const cards = all.sort().slice(0, mostCards);
  const amount = cards.reduce((sum, id) => sum + (model.cards[id]?.credit ?? 0), 0);
  const done = { cards, amount, more: all.length > cards.length };
  if (cards.length === 0) return done;
  const command = { kind: 'increment' as const, delta: amount };
  if (!change(avatarOf(model, uuid).credit.regular, command, model.now, limit)) return undefined;
  for (const id of cards) empty(model.cards[id] as ModelCard);
  return done;
};
