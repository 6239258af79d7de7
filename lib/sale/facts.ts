import { isDeepStrictEqual } from 'node:util';
import { type CustomerItem, findCustomerItem } from '../avatars/customers.ts';
import type { OwnedItem } from '../avatars/owned.ts';
import { findResident, findUuid } from '../avatars/residents.ts';
import type { SpendItem } from '../avatars/spend.ts';
import { findApplication } from '../catalogue/applied-coupons.ts';
import { type CouponUses, findCouponUses } from '../catalogue/coupon-uses.ts';
import { findCoupon } from '../catalogue/coupons.ts';
import type { GiftCardItem } from '../catalogue/gift-cards.ts';
import { findProduct, findProductItem } from '../catalogue/products.ts';
import type { StockedProduct } from '../catalogue/stock.ts';
import { isUnchanged, withLots, withoutLots } from '../credit/lots.ts';
import { type CreditFacts, hasLots, isPrerequisite, spendableOf } from '../credit/plan.ts';
import type { Cause, CreditItem } from '../credit/state.ts';
import { type Delivery, findDelivery } from '../delivery/deliveries.ts';
import { notFound } from '../problem.ts';
import type { Product } from '../routes/products.ts';
import type { StoreRules } from '../routes/rules.ts';
import type { Refusal, SaleRequest } from '../routes/sales.ts';
import { rulesOf } from '../store/rules.ts';
import { findStore, isOpen } from '../store/stores.ts';
import { couponUsesKey, customerKey, giftCardKey, ownedKey, productKey, spendKey } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { get, getTogether, inOneCall } from '../table/table.ts';
import { type AppliedCoupon, fixedBy, type OpenedQuote, type Terms } from './rules.ts';
import { getSale, type SaleItem } from './sales.ts';
import { orderOf } from './unsent.ts';

/** Reads what sales, quotes and refunds are decided from. Nothing here decides or writes. */

/** The avatars of a sale, by their UUIDs; undefined for an avatar that nobody has met. */
export const findAvatars = async (
  store: string,
  { buyerIdentifier, recipientIdentifier }: Pick<SaleRequest, 'buyerIdentifier' | 'recipientIdentifier'>,
): Promise<{ buyer: string | undefined; recipient: string | undefined }> => {
  const [buyer, other] = await Promise.all([
    findUuid(store, buyerIdentifier),
    recipientIdentifier && findUuid(store, recipientIdentifier),
  ]);
  return { buyer, recipient: recipientIdentifier ? other : buyer };
};

/** The request for a sale or for a quote. */
export interface AskedOffer {
  store: string;
  productId: string;
  /** UUIDs of the avatars who pay, and who get the product. */
  buyer: string;
  recipient: string;
  useCredit: boolean;
  /** The buyer wears the tag of the store's group. */
  inGroup: boolean;
  at: string;
}

/** The request for a sale. */
export interface AskedSale
  extends AskedOffer,
    Pick<SaleRequest, 'id' | 'paid' | 'quote' | 'message' | 'reference' | 'vendorUuid'> {
  /** Distinguishes the request from others with the same id. */
  request: string;
  /** The id of its delivery. */
  deliveryId: string;
}

/** A coupon's application, with the coupon and the customer's uses of it. */
interface Application extends AppliedCoupon {
  usesRead: CouponUses | undefined;
}

/**
 * The applications for the product and for the store, each with its coupon. The coupon of a lapsed application is not
 * read. If both apply the same coupon it is read once: two reads might count different uses.
 */
const withCoupons = async (
  store: string,
  customer: string,
  applications: readonly Awaited<ReturnType<typeof findApplication>>[],
  at: string,
): Promise<(Application | undefined)[]> => {
  const live = applications.map((each) => (each && each.expiresAt > at ? each : undefined));
  const ids = [...new Set(live.flatMap((each) => each?.couponId ?? []))];
  const read = await Promise.all(
    ids.map((id) => Promise.all([id, findCoupon(store, id), findCouponUses(store, customer, id)])),
  );
  return live.map((application) => {
    const [, coupon, usesRead] = read.find(([id]) => id === application?.couponId) ?? [];
    return application && coupon && { coupon, expiresAt: application.expiresAt, usesRead, uses: usesRead?.uses ?? 0 };
  });
};

/**
 * The lots that a sale needs for its credit. `most`: the most credit that it takes; 0 if it may only give some.
 * `alone`: it needs only the lots that have come due.
 */
interface Spending {
  most: number;
  alone: boolean;
}

/** The request for a sale. An avatar whom nobody has met is undefined. */
export type AskedByAnybody = Omit<AskedSale, 'buyer' | 'recipient'> & Record<'buyer' | 'recipient', string | undefined>;

/** Tells whether both avatars of a sale are known. */
export const areKnown = (asked: AskedByAnybody): asked is AskedSale =>
  asked.buyer !== undefined && asked.recipient !== undefined;

/** The request for a sale or a quote, with the items from which its terms are made, as they were read. */
export interface OfferFacts<A extends AskedOffer = AskedOffer> {
  asked: A;
  isOpen: boolean;
  rules: StoreRules;
  product: StockedProduct | undefined;
  buyerItem: CreditItem | undefined;
  /** The recipient's item. In a sale for oneself it is the buyer's. */
  recipientItem: CustomerItem | undefined;
  forProduct: Application | undefined;
  forStore: Application | undefined;
  /** The uses of the quote's coupon. */
  usesOfQuote: CouponUses | undefined;
  /** The buyer's credit, with the lots that tell how much of it can be spent. */
  credit: CreditFacts;
  /** The need for these lots; undefined if the sale neither takes nor gives credit. */
  spending: Spending | undefined;
  /** The buyer's spend, if any. It is read only if it may count for the price. */
  countedSpend: { item: SpendItem | undefined } | undefined;
}

/** A buyer's credit. A newcomer has none, and is called by their UUID until their name is read. */
const buyerCredit = (store: string, buyer: string, buyerItem: CreditItem | undefined): CreditFacts =>
  withoutLots(buyerItem ?? { ...customerKey(store, buyer), username: buyer });

/** The L$ of the gift cards that a product sells; 0 if it sells none. */
export const cardCreditOf = (product: Pick<StockedProduct, 'giftCard'> | undefined): number =>
  product?.giftCard?.credit ?? 0;

export const sellsCards = (product: Pick<StockedProduct, 'giftCard'>): boolean => cardCreditOf(product) > 0;

/** A gift card is sold only for L$, not for credit. */
export const takesCreditFor = (product: StockedProduct): boolean => !product.blockCredits && !sellsCards(product);

const givesBonus = ({ bonus }: StoreRules): boolean => Math.max(bonus.percent, bonus.groupPercent) > 0;

/** The credit with the lots that have come due, if any have. */
const withDueLots = async (
  store: string,
  credit: CreditFacts,
  spending: Spending | undefined,
  at: string,
): Promise<CreditFacts> => {
  const spendable = spending && spendableOf(credit, at, spending);
  return spendable && isPrerequisite(spendable) && spendable.kind === 'read'
    ? withLots(store, credit, spendable.lots, at)
    : credit;
};

/**
 * Reads everything from which terms are made in one call. More calls follow only if a coupon was applied, if credit has
 * come due, or if the store has tiers. `quoted` are the terms that a quote has fixed. An estimate takes no credit, so
 * only the lots that have come due are read for it. Throws 404 for a store that is gone.
 */
export const readOffer = async <A extends AskedOffer>(
  asked: A,
  { quoted, isEstimate = false }: { quoted?: Terms | undefined; isEstimate?: boolean },
): Promise<OfferFacts<A>> => {
  const { store, productId, buyer, recipient, useCredit, at } = asked;
  const [storeItem, product, buyerItem, recipientItem, toProduct, toStore, usesOfQuote] = await inOneCall(() => {
    const reading: Promise<CreditItem | undefined> = findCustomerItem(store, buyer);
    return Promise.all([
      findStore(store),
      findProduct(store, productId),
      reading,
      recipient === buyer ? reading : findCustomerItem(store, recipient),
      quoted ? undefined : findApplication(store, buyer, productId),
      quoted ? undefined : findApplication(store, buyer, undefined),
      quoted?.coupon && findCouponUses(store, buyer, quoted.coupon.id),
    ]);
  });
  if (!storeItem) throw notFound();
  const takesCredit = quoted
    ? quoted.toPay < quoted.total
    : useCredit && product !== undefined && takesCreditFor(product);
  const most = quoted?.total ?? product?.activePrice ?? 0;
  const rules = rulesOf(storeItem);
  const spending =
    most > 0 && (takesCredit || givesBonus(rules)) ? { most: takesCredit ? most : 0, alone: isEstimate } : undefined;
  const [[forProduct, forStore], credit, countedSpend] = await Promise.all([
    withCoupons(store, buyer, [toProduct, toStore], at),
    withDueLots(store, buyerCredit(store, buyer, buyerItem), spending, at),
    quoted || rules.tiers.length === 0 ? undefined : get<SpendItem>(spendKey(store, buyer)).then((item) => ({ item })),
  ]);
  return {
    asked,
    isOpen: isOpen(storeItem),
    rules,
    product,
    buyerItem,
    recipientItem,
    forProduct,
    forStore,
    usesOfQuote,
    credit,
    spending,
    countedSpend,
  };
};

/** The names of a sale's avatars, as the store keeps them with its items. */
export interface Names {
  buyer: string;
  recipient: string;
}

/**
 * Everything that a sale is decided from. The last three items come from eventually consistent reads: the transaction
 * is refused if one has changed since.
 */
export interface SaleFacts extends OfferFacts<AskedSale> {
  /** The quote that was sent. Without one, and after its end, the sale has the present terms. */
  quote: OpenedQuote;
  spend: SpendItem | undefined;
  /** The spend of a gift's recipient. */
  recipientSpend: SpendItem | undefined;
  owned: OwnedItem | undefined;
}

/** Reads everything that a sale is decided from. */
export const readSale = async (asked: AskedSale, quote: OpenedQuote): Promise<SaleFacts> => {
  const { store, buyer, recipient, productId } = asked;
  const [offer, [spend, recipientSpend, owned]] = await Promise.all([
    readOffer(asked, { quoted: fixedBy(quote) }),
    inOneCall(
      () =>
        Promise.all([
          get<SpendItem>(spendKey(store, buyer)),
          buyer === recipient ? undefined : get<SpendItem>(spendKey(store, recipient)),
          get<OwnedItem>(ownedKey(store, recipient, productId)),
        ]),
      { consistent: false },
    ),
  ]);
  return { ...offer, quote, spend: offer.countedSpend ? offer.countedSpend.item : spend, recipientSpend, owned };
};

/**
 * The names of a sale's avatars. Only newcomers are looked up. An avatar without a known name is called by their UUID.
 */
export const readNames = async ({ asked, buyerItem, recipientItem }: SaleFacts): Promise<Names> => {
  const { store, buyer, recipient } = asked;
  const named = async (uuid: string): Promise<string> => (await findResident(store, { uuid }))?.username ?? uuid;
  const naming = buyerItem?.username ?? named(buyer);
  const [buyerName, recipientName] = await Promise.all([
    naming,
    recipient === buyer ? naming : (recipientItem?.username ?? named(recipient)),
  ]);
  return { buyer: buyerName, recipient: recipientName };
};

/** The request for a refund, with the avatars whom the sale named when it was first read. */
export interface AskedRefund {
  store: string;
  /** UUIDs of avatars. */
  buyer: string;
  recipient: string;
  cause: Cause;
  /** The store will owe the buyer the L$ that the refund gives back. */
  payOut: boolean;
}

/** Everything that a refund is decided from: its request, and the items that it changes. */
export interface RefundFacts {
  asked: AskedRefund;
  sale: SaleItem;
  product: Product | undefined;
  /** The uses of the sale's coupon. */
  uses: CouponUses | undefined;
  spend: SpendItem | undefined;
  /** The spend of a gift's recipient. */
  recipientSpend: SpendItem | undefined;
  owned: OwnedItem | undefined;
  delivery: Delivery | undefined;
  /** The gift card that the sale made. */
  card: GiftCardItem | undefined;
  credit: CreditFacts;
  /** Both avatars are customers of the store. */
  areCustomers: boolean;
}

/** Reads everything that a refund is decided from. The first attempt takes the sale as it was just read. */
export const readRefund = async (asked: AskedRefund, known: SaleItem, isFirst: boolean): Promise<RefundFacts> => {
  const { store, buyer, recipient } = asked;
  const isForOneself = buyer === recipient;
  const [sale, product, buyerItem, uses, spend, recipientSpend, owned, delivery, card] = await Promise.all([
    isFirst ? known : getSale(store, known.sk),
    findProductItem(store, known.productId),
    findCustomerItem(store, buyer),
    known.coupon && findCouponUses(store, buyer, known.coupon.id),
    get<SpendItem>(spendKey(store, buyer)),
    isForOneself ? undefined : get<SpendItem>(spendKey(store, recipient)),
    get<OwnedItem>(ownedKey(store, recipient, known.productId)),
    // The product of an imported sale was delivered where it was sold.
    known.imported ? undefined : findDelivery(store, orderOf(known).id),
    known.giftCardId === undefined ? undefined : get<GiftCardItem>(giftCardKey(store, known.giftCardId)),
  ]);
  // A recipient with spend is a customer.
  const isCustomer =
    isForOneself || recipientSpend !== undefined || (await findCustomerItem(store, recipient)) !== undefined;
  return {
    asked,
    sale,
    product,
    uses,
    spend,
    recipientSpend,
    owned,
    delivery,
    card,
    credit: buyerCredit(store, buyer, buyerItem),
    areCustomers: buyerItem !== undefined && isCustomer,
  };
};

/** The refusals for facts that other sales and refunds change together. */
const needingOneMoment: readonly Refusal[] = ['credit-changed', 'coupon-used', 'underpaid'];

/** An attribute as it was read. */
interface Seen {
  key: Key;
  attribute: string;
  value: unknown;
}

/** A customer's credit as it was read: see `asCredited`. */
const creditSeen = (key: Key, item: CreditItem | undefined): Seen[] => [
  { key, attribute: 'creditVersion', value: item?.creditVersion },
  { key, attribute: 'lastChange', value: item?.lastChange },
];

/**
 * Tells whether the facts behind a refusal were there together: the credit with its lots, the stock, the uses and the
 * spend. Other sales and refunds change them together, and single reads may see one of them before such a change and
 * one after it. The other facts count as they are when a sale begins.
 */
export const wereTogether = async (
  { asked, quote, product, buyerItem, forProduct, forStore, usesOfQuote, credit, countedSpend }: SaleFacts,
  refusal: Refusal,
): Promise<boolean> => {
  const { store, buyer, useCredit } = asked;
  if (!needingOneMoment.includes(refusal) || !product) return true;
  const usesOf = (id: string, uses = 0) => ({ key: couponUsesKey(store, buyer, id), attribute: 'uses', value: uses });
  const quoted = fixedBy(quote);
  const used = quoted?.coupon
    ? [usesOf(quoted.coupon.id, usesOfQuote?.uses)]
    : [forProduct, forStore].flatMap((each) => (each ? [usesOf(each.coupon.id, each.uses)] : []));
  const seen: Seen[] = [...used, ...(useCredit ? creditSeen(customerKey(store, buyer), buyerItem) : [])];
  if (countedSpend) seen.push({ key: spendKey(store, buyer), attribute: 'version', value: countedSpend.item?.version });
  // A divided stock is not sold out if one share has copies, so one is enough.
  if (product.stock?.kind === 'divided')
    seen.push({ key: product.stock.drawn[0], attribute: 'copies', value: product.stock.drawn[0].copies });
  else if (product.limited)
    seen.push({ key: productKey(store, product.id), attribute: 'availableAmount', value: product.availableAmount });
  // If one of these counts, the price must be of the same moment too, unless a quote has fixed it.
  if (seen.length > 0 && !quoted && refusal === 'underpaid')
    for (const attribute of ['price', 'discount'] as const)
      seen.push({ key: productKey(store, product.id), attribute, value: product[attribute] });
  // One coupon may be applied both for the product and to the whole store.
  const keys = new Map(seen.map(({ key }) => [key.pk + key.sk, key]));
  const ofLots = useCredit && hasLots(credit);
  if (keys.size < 2 && !ofLots) return true;
  const [items, isSame] = await Promise.all([
    getTogether<Record<string, unknown>>([...keys.values()]),
    !ofLots || isUnchanged(credit),
  ]);
  const found = new Map([...keys.keys()].map((name, index) => [name, items[index]]));
  // A version is absent before the first change, and a count is absent without uses.
  const areSame = seen.every(({ key, attribute, value }) =>
    isDeepStrictEqual(found.get(key.pk + key.sk)?.[attribute] ?? 0, value ?? 0),
  );
  return areSame && isSame;
};
