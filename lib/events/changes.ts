import { createHash } from 'node:crypto';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { now, timestamp } from '../clock.ts';
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
import type { Key } from '../table/schema.ts';
import { millisOf, type Stamped } from '../table/stamp.ts';
import type { NewEvent } from './events.ts';

/** Both images of an item that was written; `before` is absent where it is new. */
interface Images<T> {
  before: (T & Key) | undefined;
  after: T & Key;
}

/** An event of a change, without its id and store. `at` is the time of the write unless the item says another. */
type Told = { [T in EventType]: { type: T; at?: string | undefined; data: EventData<T> } }[EventType];

const ofCustomer = ({ before, after }: Images<CreditItem>): Told[] => {
  // An erased customer goes on under a pseudonym: that is no change of theirs.
  if (!before && after.moved) return [];
  const { uuid, username, credit, restrictedCredit, isBanned } = readCustomer(after);
  const { creditVersion: sequence } = after;
  const lastChange = sequence === before?.creditVersion ? undefined : lastChangeOf(after);
  const events: Told[] = [];
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

const ofGiftCard = ({ before, after }: Images<GiftCardItem>): Told[] => {
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

const ofSale = ({ before, after }: Images<SaleItem>): Told[] => {
  const { state, at, refundedAt, imported } = after;
  // An imported sale was made elsewhere.
  if (state === before?.state || (imported && !before)) return [];
  return [{ type: `sale.${state}`, at: state === 'refunded' ? refundedAt : at, data: saleOf(after, false) }];
};

const ofDelivery = ({ before, after }: Images<Delivery>): Told[] => {
  const { state } = after;
  if (state === before?.state || state === 'queued') return [];
  const data = answerOf(after);
  return [{ type: `delivery.${state}`, at: data.endedAt ?? undefined, data }];
};

const ofDispenser = ({ before, after }: Images<Dispenser>): Told[] => {
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

const ofProduct = ({ before, after }: Images<StoredProduct>): Told[] =>
  before && isSoldOut(after) && !isSoldOut(before) ? [{ type: 'product.sold_out', data: readProduct(after) }] : [];

const ofApplied = ({ before, after }: Images<AppliedCoupon & Stamped>): Told[] => {
  const isNews = after.expiresAt !== '' && after.stamp !== before?.stamp;
  const applied = isNews ? readApplied(after) : undefined;
  return applied ? [{ type: 'coupon.applied', data: applied }] : [];
};

const ofStore = ({ before, after }: Images<Store>): Told[] => {
  const open = isOpen(after);
  if (!before || open === isOpen(before)) return [];
  const { id, name, changed } = after;
  return [{ type: open ? 'store.opened' : 'store.closed', at: changed?.at, data: { id, name, open } }];
};

/** The kinds of item whose changes are events, each with the number of parts of its partition key. */
const readers = {
  CUSTOMER: { parts: 2, read: ofCustomer },
  GIFTCARD: { parts: 2, read: ofGiftCard },
  SALE: { parts: 2, read: ofSale },
  DELIVERY: { parts: 2, read: ofDelivery },
  DISPENSER: { parts: 2, read: ofDispenser },
  PRODUCT: { parts: 2, read: ofProduct },
  APPLIED: { parts: 3, read: ofApplied },
} as const;

/** The reader of an item's changes, and the store that it belongs to. The item of a store has its id in its own key. */
const readerOf = ({ pk, sk }: Key) => {
  const parts = pk.split('#');
  const [first = '', second = ''] = parts;
  if (first === 'STORE' && pk === sk) return { store: second, read: ofStore };
  const reader = second in readers ? readers[second as keyof typeof readers] : undefined;
  return reader?.parts === parts.length ? { store: first, read: reader.read } : undefined;
};

/** A UUID (version 8, RFC 9562) of a text. */
const uuidOf = (text: string): string => {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

type Image = Parameters<typeof unmarshall>[0];

/** The events of one record of the table's stream; none for a removal. Throws where it cannot be read. */
export const eventsOf = ({ dynamodb = {} }: DynamoDBRecord): NewEvent[] => {
  const { NewImage, OldImage, Keys, SequenceNumber, ApproximateCreationDateTime: seconds } = dynamodb;
  const key = { pk: Keys?.pk?.S ?? '', sk: Keys?.sk?.S ?? '' };
  const reader = readerOf(key);
  if (!NewImage || !reader) return [];
  const { store, read } = reader;
  const after: Stamped = unmarshall(NewImage as Image);
  const before: Stamped | undefined = OldImage && unmarshall(OldImage as Image);
  const isStamped = after.stamp !== undefined && after.stamp !== before?.stamp;
  const writtenAt = isStamped ? millisOf(after.stamp as string) : seconds === undefined ? now() : seconds * 1000;
  return read({ before, after } as never).map(({ type, at = timestamp(writtenAt), data }) => ({
    ...{ store, type, at },
    id: uuidOf([store, type, key.pk, key.sk, SequenceNumber].join('\n')),
    data: eventTypes[type].data.parse(data),
  }));
};
