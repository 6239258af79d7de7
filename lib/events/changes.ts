import { createHash } from 'node:crypto';
import { millisOf, timestamp } from '../clock.ts';
import { type CreditItem, lastChangeOf } from '../credit/state.ts';
import { answerOf, type Delivery } from '../delivery/deliveries.ts';
import type { Dispenser } from '../delivery/dispensers.ts';
import { type EventData, type EventType, eventTypes } from '../routes/events.ts';
import { type SaleItem, saleOf } from '../sale/sales.ts';
import { type AppliedCoupon, readApplied } from '../store/applied-coupons.ts';
import { readCustomer } from '../store/customers.ts';
import type { GiftCardItem } from '../store/gift-cards.ts';
import { readProduct, type StoredProduct } from '../store/products.ts';
import { isOpen, type Store } from '../store/stores.ts';
import type { Stamped } from '../table/stamp.ts';
import type { NewEvent } from './events.ts';
import type { Change, Kind } from './stream.ts';

/** An event of a change, without its id and store. `at` is the time of the write unless the item says another. */
type ToldEvent = { [T in EventType]: { type: T; at?: string | undefined; data: EventData<T> } }[EventType];

const ofCustomer = ({ before, after }: Change<CreditItem>): ToldEvent[] => {
  // An erased customer goes on under a pseudonym: that is no change of theirs.
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

const ofGiftCard = ({ before, after }: Change<GiftCardItem>): ToldEvent[] => {
  const { grantedAt, redeemedAt, active, reason = null, reference = null } = after;
  // An imported card was not granted.
  if (!before)
    return grantedAt === undefined
      ? []
      : [{ type: 'giftcard.granted', at: grantedAt, data: { ...after, reason, reference } }];
  if (redeemedAt !== undefined && redeemedAt !== before.redeemedAt)
    return [{ type: 'giftcard.redeemed', at: redeemedAt, data: after }];
  return before.active && !active ? [{ type: 'giftcard.disabled', data: after }] : [];
};

const ofSale = ({ before, after }: Change<SaleItem>): ToldEvent[] => {
  const { state, at, refundedAt, imported } = after;
  // An imported sale was made elsewhere.
  if (state === before?.state || (imported && !before)) return [];
  return [{ type: `sale.${state}`, at: state === 'refunded' ? refundedAt : at, data: saleOf(after, false) }];
};

const ofDelivery = ({ before, after }: Change<Delivery>): ToldEvent[] => {
  const { state } = after;
  if (state === before?.state || state === 'queued') return [];
  const data = answerOf(after);
  return [{ type: `delivery.${state}`, at: data.endedAt ?? undefined, data }];
};

const ofDispenser = ({ before, after }: Change<Dispenser>): ToldEvent[] => {
  const { region, registeredAt, lostAt = null, lostReason = null } = after;
  // The script registers every hour: the same address is no news.
  if (after.url === before?.url) return [];
  if (after.url !== undefined)
    return [{ type: 'dispenser.registered', at: registeredAt, data: { url: after.url, region, registeredAt } }];
  const url = before?.url ?? '';
  return [{ type: 'dispenser.lost', at: lostAt ?? undefined, data: { url, region, registeredAt, lostAt, lostReason } }];
};

const isSoldOut = (product: StoredProduct | undefined): boolean =>
  product?.limited === true && product.availableAmount === 0;

const ofProduct = ({ before, after }: Change<StoredProduct>): ToldEvent[] =>
  before && isSoldOut(after) && !isSoldOut(before) ? [{ type: 'product.sold_out', data: readProduct(after) }] : [];

const ofApplied = ({ before, after }: Change<AppliedCoupon & Stamped>): ToldEvent[] => {
  const isNews = after.expiresAt !== '' && after.stamp !== before?.stamp;
  const applied = isNews ? readApplied(after) : undefined;
  return applied ? [{ type: 'coupon.applied', data: applied }] : [];
};

const ofStore = ({ before, after }: Change<Store>): ToldEvent[] => {
  const open = isOpen(after);
  if (!before || open === isOpen(before)) return [];
  const { id, name, changed } = after;
  return [{ type: open ? 'store.opened' : 'store.closed', at: changed?.at, data: { id, name, open } }];
};

/** Makes the events of a change, by the kind of its item. */
const tellers: Partial<Record<Kind, (change: Change<never>) => ToldEvent[]>> = {
  CUSTOMER: ofCustomer,
  GIFTCARD: ofGiftCard,
  SALE: ofSale,
  DELIVERY: ofDelivery,
  DISPENSER: ofDispenser,
  PRODUCT: ofProduct,
  APPLIED: ofApplied,
  STORE: ofStore,
};

/** A UUID (version 8, RFC 9562) of a text. */
const uuidOf = (text: string): string => {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** The events of a change. Throws where its item cannot be read. */
export const eventsOf = (change: Change): NewEvent[] => {
  const { kind, store, key, before, after, writtenSeconds, sequenceNumber } = change as Change<Stamped>;
  const isStamped = after.stamp !== undefined && after.stamp !== before?.stamp;
  const writtenAt = isStamped ? millisOf(after.stamp as string) : writtenSeconds * 1000;
  const told = tellers[kind]?.(change as Change<never>) ?? [];
  return told.map(({ type, at = timestamp(writtenAt), data }) => ({
    ...{ store, type, at, thing: `${key.pk} ${key.sk}` },
    id: uuidOf([store, type, key.pk, key.sk, sequenceNumber].join('\n')),
    data: eventTypes[type].data.parse(data),
  }));
};
