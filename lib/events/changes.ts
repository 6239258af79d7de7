import { createHash } from 'node:crypto';
import { readCustomer } from '../avatars/customers.ts';
import { type AppliedCoupon, readApplied } from '../catalogue/applied-coupons.ts';
import type { GiftCardItem } from '../catalogue/gift-cards.ts';
import { countProducts, isSoldOut, readProduct, type StoredProduct } from '../catalogue/products.ts';
import { millisOf, timestamp } from '../clock.ts';
import { type CreditItem, lastChangeOf } from '../credit/state.ts';
import { type Delivery, deliveryAnswer } from '../delivery/deliveries.ts';
import { type Dispenser, mainBox } from '../delivery/dispensers.ts';
import { type PayoutItem, payoutAnswer } from '../payout/payouts.ts';
import { type EventData, type EventType, eventTypes } from '../routes/events.ts';
import { type SaleItem, saleOf } from '../sale/sales.ts';
import type { ApiKey } from '../store/api-keys.ts';
import { shownKey } from '../store/shown-keys.ts';
import { isOpen, type Store } from '../store/stores.ts';
import { actorOf, removalKey, type Signed } from '../table/actor.ts';
import { productKey, sharedKey } from '../table/keys.ts';
import type { Stamped } from '../table/stamp.ts';
import { getMany, getTogether } from '../table/table.ts';
import { type VendorItem, vendorAnswer } from '../vendor/vendors.ts';
import type { NewEvent } from './events.ts';
import { journalOf, journalOfRemoval } from './journal-changes.ts';
import type { JournalTelling } from './journal-items.ts';
import type { ItemChange, ItemRemoval, Kind } from './stream.ts';

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

const isVendorNews = ({ before, after }: ItemChange<VendorItem>): boolean =>
  before ? (before.lostAt === undefined) !== (after.lostAt === undefined) : after.lostAt === undefined;

/** The event of a vendor, with the product that it sells: its item holds only the product's id. */
const ofVendor = async (change: ItemChange<VendorItem>): Promise<ToldEvent[]> => {
  const { seenAt, lostAt, productId } = change.after;
  if (!isVendorNews(change)) return [];
  const keys = productId === undefined ? [] : [productKey(change.store, productId)];
  const [sold] = await getMany<StoredProduct>(keys);
  const vendor = vendorAnswer(change.after, sold);
  // The vendor may be lost already when the stream brings the change.
  return [
    lostAt === undefined
      ? { type: 'vendor.registered', at: seenAt, data: { ...vendor, state: 'active' } }
      : { type: 'vendor.lost', at: lostAt, data: { ...vendor, state: 'lost' } },
  ];
};

const ofStore = ({ before, after }: ItemChange<Store>): ToldEvent[] => {
  const open = isOpen(after);
  if (!before || open === isOpen(before)) return [];
  const { id, name, changed } = after;
  return [{ type: open ? 'store.opened' : 'store.closed', at: changed?.at, data: { id, name, open } }];
};

/** Makes the events of a change, by the kind of its item. */
const tellers: Partial<Record<Kind, (change: ItemChange<never>) => ToldEvent[] | Promise<ToldEvent[]>>> = {
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

/** The data of the events that only the journal's rows make. */
const dataOfRow: Partial<Record<EventType, (change: ItemChange<never>) => object | Promise<object>>> = {
  // The shares of a divided stock have copies too.
  'product.changed': async ({ store, after }: ItemChange<StoredProduct>) => {
    const [product] = await countProducts(store, [after]);
    return readProduct(product ?? after);
  },
  'coupon.changed': ({ after }: ItemChange) => after,
  'category.changed': ({ after }: ItemChange) => after,
  'category.deleted': ({ before }: ItemChange) => before ?? {},
  'key.issued': ({ after }: ItemChange<ApiKey>) => shownKey(after),
  'key.ended': ({ after }: ItemChange<ApiKey>) => shownKey(after),
};

/** The facts of a write that its events and rows share. */
const writtenOf = ({ store, key, sequenceNumber, writtenSeconds, ...images }: ItemChange | ItemRemoval) => {
  const { stamp: earlier } = (images.before ?? {}) as Stamped;
  const { stamp } = ('after' in images ? images.after : {}) as Stamped;
  const isStamped = stamp !== undefined && stamp !== earlier;
  const { millis = isStamped ? millisOf(stamp) : writtenSeconds * 1000 } = ('actor' in images && images.actor) || {};
  const at = timestamp(millis);
  const idOf = (type: string): string => hashedUuid([store, type, key.pk, key.sk, sequenceNumber].join('\n'));
  return { store, thing: `${key.pk} ${key.sk}`, at, idOf };
};

/** The event of a row of the journal: an event of the change itself, or one that only the row makes. */
const eventOfRow = async (
  { event }: JournalTelling,
  told: readonly ToldEvent[],
  change: ItemChange,
): Promise<Partial<NewEvent>> => {
  const own = told.find(({ type }) => type === event);
  if (own) return dataOf(own);
  const data = event && (await dataOfRow[event]?.(change as ItemChange<never>));
  return event && data ? dataOf({ type: event, data }) : {};
};

/** The part of an event that a teller tells. */
const dataOf = ({ type, at, data }: { type: EventType; at?: string | undefined; data: object }): Partial<NewEvent> => ({
  type,
  ...(at !== undefined && { at }),
  data: eventTypes[type].data.parse(data) as object,
});

/** The events and the journal's rows of a change. One that is both is one item. Throws if its item cannot be read. */
export const eventsOf = async (change: ItemChange): Promise<NewEvent[]> => {
  const told = (await tellers[change.kind]?.(change as ItemChange<never>)) ?? [];
  const rows = journalOf(change);
  // Most writes make nothing.
  if (told.length + rows.length === 0) return [];
  const { idOf, ...written } = writtenOf(change);
  const events: NewEvent[] = [];
  for (const journal of rows) {
    const id = idOf(`${journal.kind} ${journal.part ?? ''}`);
    events.push({ ...written, ...(await eventOfRow(journal, told, change)), id, journal });
  }
  const alone = told.filter(({ type }) => !rows.some(({ event }) => event === type));
  return [...events, ...alone.map((one) => ({ ...written, ...dataOf(one), id: idOf(one.type) }))];
};

/**
 * The journal's row of a removal, and its event; none if the whole store was deleted. Reads who has signed the removal,
 * in the removal's own transaction.
 */
export const eventsOfRemoval = async (removal: ItemRemoval): Promise<NewEvent[]> => {
  const { idOf, ...written } = writtenOf(removal);
  const [signature, shop] = await getTogether<Signed>([removalKey(removal.key), sharedKey('STORE', removal.store)]);
  if (!shop) return [];
  const actor = signature?.by === undefined ? undefined : actorOf(signature.by);
  const at = actor ? timestamp(actor.millis) : written.at;
  return journalOfRemoval(removal, actor).map((journal) => {
    const event = journal.event && dataOf({ type: journal.event, data: removal.before });
    return { ...written, at, ...event, id: idOf(journal.kind), journal };
  });
};
