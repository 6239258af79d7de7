import { createHash } from 'node:crypto';
import { readCustomer } from '../avatars/customers.ts';
import { type AppliedCoupon, readApplied } from '../catalogue/applied-coupons.ts';
import type { GiftCardItem } from '../catalogue/gift-cards.ts';
import { isSoldOut, readProduct, type StoredProduct } from '../catalogue/products.ts';
import { millisOf, timestamp } from '../clock.ts';
import { type CreditItem, lastChangeOf } from '../credit/state.ts';
import { type Delivery, deliveryAnswer } from '../delivery/deliveries.ts';
import { type Dispenser, mainBox } from '../delivery/dispensers.ts';
import { type PayoutItem, payoutAnswer } from '../payout/payouts.ts';
import { type EventData, type EventType, eventTypes } from '../routes/events.ts';
import { type SaleItem, saleOf } from '../sale/sales.ts';
import { isOpen, type Store } from '../store/stores.ts';
import { productKey } from '../table/keys.ts';
import type { Stamped } from '../table/stamp.ts';
import { getMany } from '../table/table.ts';
import { type VendorItem, vendorAnswer } from '../vendor/vendors.ts';
import type { NewEvent } from './events.ts';
import type { ItemChange, Kind } from './stream.ts';

/** An event of a change, without its id and store. Without `at` it has the time of the write. */
type ToldEvent = { [T in EventType]: { type: T; at?: string | undefined; data: EventData<T> } }[EventType];

const ofCustomer = ({ before, after }: ItemChange<CreditItem>): ToldEvent[] => {
  // An erased customer continues under a pseudonym. That is not a change of the customer.
  if (!before && after.moved) return [];
  const { uuid, username, credit, restrictedCredit, isBanned } = readCustomer(after);
  const { creditVersion: sequence } = after;
  const lastChange = sequence === before?.creditVersion ? undefined : lastChangeOf(after);
  const events: ToldEvent[] = [];
  if (lastChange && lastChange.kind !== 'opening' && sequence !== undefined)
    events.push({
      type: 'credit.changed',
      at: lastChange.at,
      data: { uuid, username, credit, restrictedCredit, sequence },
    });
  if (isBanned !== (before?.isBanned ?? false))
    events.push({ type: isBanned ? 'customer.banned' : 'customer.unbanned', data: { uuid, username, isBanned } });
  return events;
};

const ofGiftCard = ({ before, after }: ItemChange<GiftCardItem>): ToldEvent[] => {
  const { grantedAt, redeemedAt, refundedAt, active, reason = null, reference = null } = after;
  if (!before) {
    // An imported card was not granted.
    if (grantedAt === undefined) return [];
    if (after.purchased) return [{ type: 'giftcard.purchased', at: grantedAt, data: after }];
    return [{ type: 'giftcard.granted', at: grantedAt, data: { ...after, reason, reference } }];
  }
  if (redeemedAt !== undefined && redeemedAt !== before.redeemedAt)
    return [{ type: 'giftcard.redeemed', at: redeemedAt, data: after }];
  const at = refundedAt === before.refundedAt ? undefined : refundedAt;
  return before.active && !active ? [{ type: 'giftcard.disabled', at, data: after }] : [];
};

const ofSale = ({ before, after }: ItemChange<SaleItem>): ToldEvent[] => {
  const { state, at, refundedAt, imported } = after;
  // An imported sale was made elsewhere.
  if (state === before?.state || (imported && !before)) return [];
  return [{ type: `sale.${state}`, at: state === 'refunded' ? refundedAt : at, data: saleOf(after, false) }];
};

const ofDelivery = ({ before, after }: ItemChange<Delivery>): ToldEvent[] => {
  const { state } = after;
  if (state === before?.state || state === 'queued') return [];
  const data = deliveryAnswer(after);
  return [{ type: `delivery.${state}`, at: data.endedAt ?? undefined, data }];
};

const ofPayout = ({ before, after }: ItemChange<PayoutItem>): ToldEvent[] => {
  const { state, endedAt } = after;
  if (state === 'claimed' || state === before?.state) return [];
  return [{ type: `payout.${state}`, at: endedAt, data: payoutAnswer(after) }];
};

const ofDispenser = ({ before, after }: ItemChange<Dispenser>): ToldEvent[] => {
  const { name = mainBox, priority = 0, region, registeredAt, lostAt = null, lostReason = null } = after;
  const box = { name, priority, region, registeredAt };
  // The script registers every hour. The same address again is not news.
  if (after.url === before?.url) return [];
  if (after.url !== undefined)
    return [{ type: 'dispenser.registered', at: registeredAt, data: { ...box, url: after.url } }];
  const url = before?.url ?? '';
  return [{ type: 'dispenser.lost', at: lostAt ?? undefined, data: { ...box, url, lostAt, lostReason } }];
};

const ofProduct = ({ before, after }: ItemChange<StoredProduct>): ToldEvent[] =>
  before && isSoldOut(after) && !isSoldOut(before) ? [{ type: 'product.sold_out', data: readProduct(after) }] : [];

const ofApplied = ({ before, after }: ItemChange<AppliedCoupon & Stamped>): ToldEvent[] => {
  const isNews = after.expiresAt !== '' && after.stamp !== before?.stamp;
  return isNews ? [{ type: 'coupon.applied', data: readApplied(after) }] : [];
};

/** A vendor with the product that it sells: its item holds only the product's id. */
type VendorWithProduct = VendorItem & { sold?: StoredProduct | undefined };

const isVendorNews = ({ before, after }: ItemChange<VendorItem>): boolean =>
  before ? (before.lostAt === undefined) !== (after.lostAt === undefined) : after.lostAt === undefined;

const ofVendor = (change: ItemChange<VendorWithProduct>): ToldEvent[] => {
  const { seenAt, lostAt, sold } = change.after;
  if (!isVendorNews(change)) return [];
  const vendor = vendorAnswer(change.after, sold);
  // The vendor may be lost already when the stream brings the change.
  return [
    lostAt === undefined
      ? { type: 'vendor.registered', at: seenAt, data: { ...vendor, state: 'active' } }
      : { type: 'vendor.lost', at: lostAt, data: { ...vendor, state: 'lost' } },
  ];
};

/** Adds to a vendor's change the product, which the change's event needs. */
export const withProduct = async (change: ItemChange): Promise<ItemChange> => {
  const of = change as ItemChange<VendorItem>;
  const { productId } = of.after;
  if (change.kind !== 'VENDOR' || productId === undefined || !isVendorNews(of)) return change;
  const [sold] = await getMany<StoredProduct>([productKey(change.store, productId)]);
  const after: VendorWithProduct = { ...of.after, sold };
  return { ...change, after };
};

const ofStore = ({ before, after }: ItemChange<Store>): ToldEvent[] => {
  const open = isOpen(after);
  if (!before || open === isOpen(before)) return [];
  const { id, name, changed } = after;
  return [{ type: open ? 'store.opened' : 'store.closed', at: changed?.at, data: { id, name, open } }];
};

/** Makes the events of a change, by the kind of its item. */
const tellers: Partial<Record<Kind, (change: ItemChange<never>) => ToldEvent[]>> = {
  CUSTOMER: ofCustomer,
  GIFTCARD: ofGiftCard,
  SALE: ofSale,
  PAYOUT: ofPayout,
  DELIVERY: ofDelivery,
  DISPENSER: ofDispenser,
  PRODUCT: ofProduct,
  APPLIED: ofApplied,
  VENDOR: ofVendor,
  STORE: ofStore,
};

/** A UUID (version 8, RFC 9562) of a text. */
const hashedUuid = (text: string): string => {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** The events of a change. Throws if its item cannot be read. */
export const eventsOf = (change: ItemChange): NewEvent[] => {
  const { kind, store, key, before, after, writtenSeconds, sequenceNumber } = change as ItemChange<Stamped>;
  const isStamped = after.stamp !== undefined && after.stamp !== before?.stamp;
  const writtenAt = isStamped ? millisOf(after.stamp as string) : writtenSeconds * 1000;
  const told = tellers[kind]?.(change as ItemChange<never>) ?? [];
  return told.map(({ type, at = timestamp(writtenAt), data }) => ({
    store,
    type,
    at,
    thing: `${key.pk} ${key.sk}`,
    id: hashedUuid([store, type, key.pk, key.sk, sequenceNumber].join('\n')),
    data: eventTypes[type].data.parse(data),
  }));
};
