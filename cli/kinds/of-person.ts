import { now, timestamp } from '../../lib/clock.ts';
import { type HistoryItem, historyPartition } from '../../lib/credit/history.ts';
import { type CreditLot, lotPartition } from '../../lib/credit/lot.ts';
import { listLots } from '../../lib/credit/lots.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import type { CreditItem, Remarks } from '../../lib/credit/state.ts';
import { type Delivery, recipientList, type Wait } from '../../lib/delivery/deliveries.ts';
import { type EventItem, listStoreEvents } from '../../lib/events/events.ts';
import { everyRow, type Source } from '../../lib/lists/source.ts';
import { buyerList, listSales, type SaleItem } from '../../lib/sale/sales.ts';
import { type CouponUses, couponUsesKey } from '../../lib/store/coupon-uses.ts';
import { type CouponItem, couponItems, listCoupons } from '../../lib/store/coupons.ts';
import { customerKey, flagsOf, rankedOf, rankOf } from '../../lib/store/customers.ts';
import { type GiftCardItem, giftCardItem, listStoreCards } from '../../lib/store/gift-cards.ts';
import type { LogRow } from '../../lib/store/operator-log.ts';
import { type OwnedItem, ownedKey } from '../../lib/store/owned.ts';
import { listStoredProducts, type StoredProduct } from '../../lib/store/products.ts';
import {
  nameKey,
  residentKey,
  type StoredResident,
  storeNameKey,
  storeResidentKey,
} from '../../lib/store/residents.ts';
import { listPurchases, type PurchaseItem, type SpendItem, spendKey } from '../../lib/store/spend.ts';
import { type Key, partition, ttlAttribute } from '../../lib/table/schema.ts';
import { type Stamped, stamped } from '../../lib/table/stamp.ts';
import { get, getMany, rowsOf } from '../../lib/table/table.ts';
import { rowsAbout } from '../deployment/log.ts';
import { grouped } from '../terminal/output.ts';
import { repairReason } from './read-credit.ts';

/** An erasure of an avatar from a store. */
export interface Erasure {
  store: string;
  uuid: string;
  /** The UUID by which the books know the avatar from then on. */
  pseudonym: string;
  /** Products that stand under the pseudonym. */
  owned: number;
}

/** One kind of item that a store has about an avatar, and its fate when the avatar is erased. */
export interface PersonKind<T extends Key = Key> {
  /** As the plan of an erasure calls one item, and several. */
  words: readonly [one: string, more: string];
  fate: string;
  /** Credit and spend move together, when all else has moved; the names that lead to the avatar go at the very end. */
  turn: 'first' | 'together' | 'last';
  find: (store: string, uuid: string) => Promise<T[]>;
  /** The sentence about an item that forbids the erasure, and says what to do. */
  obstacle?: (item: T, asked: { uuid: string; forfeit: boolean }) => string | undefined;
  /** The item as the books keep it: under its own key, or under another; undefined if they do not need it. */
  erased: (item: T, erasure: Erasure) => Key | undefined;
  /** The item of `erased` where its key has one: the avatar was erased in part, and went on. */
  joined?: (item: T, there: T) => T;
  /** An item that takes the place of one that moves away. */
  left?: (item: T) => Key | undefined;
}

/** Each kind has its own type of item, which only its own functions see. */
const kind = <T extends Key>(one: PersonKind<T>): PersonKind => one as unknown as PersonKind;

const all = <T>(source: Source<T>): Promise<T[]> => source({ descending: false });

/** Those of a store's items of one kind that are about the avatar. No index leads to all of them. */
const matching = async <T extends Key>(source: Source<T>, isTheirs: (item: T) => boolean): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of everyRow(source, ({ sk }) => sk)) if (isTheirs(item)) found.push(item);
  return found;
};

export const findPurchases = (store: string, uuid: string): Promise<PurchaseItem[]> =>
  matching(listPurchases(store), (purchase) => purchase.uuid === uuid);

/** Their cards, and cards of others that they redeemed. */
const findCards = (store: string, uuid: string): Promise<GiftCardItem[]> =>
  matching(listStoreCards(store), (card) => card.ownerUuid === uuid || card.redeemedFor === uuid);

export const findOwnCards = async (store: string, uuid: string): Promise<GiftCardItem[]> =>
  (await findCards(store, uuid)).filter((card) => card.ownerUuid === uuid);

export const findCoupons = (store: string, uuid: string): Promise<CouponItem[]> =>
  matching(listCoupons(store, undefined), (coupon) => coupon.couponOwnerUuid === uuid);

/** The products of whose price they get a share. */
export const findShares = (store: string, uuid: string): Promise<StoredProduct[]> =>
  matching(listStoredProducts(store), ({ profitShares }) => profitShares.some(({ userUuid }) => userUuid === uuid));

/** Sales that they paid for, got the product of, or have a part in. */
export const findSales = (store: string, uuid: string): Promise<SaleItem[]> =>
  matching(listSales(store), ({ buyerUuid, recipientUuid, shares, coupon }) =>
    [buyerUuid, recipientUuid, coupon?.couponOwnerUuid, ...shares.map((share) => share.residentUuid)].includes(uuid),
  );

export const findDeliveries = (store: string, uuid: string): Promise<(Delivery & Key)[]> =>
  matching(
    rowsOf<Delivery & Key>({ partition: partition(store, 'DELIVERY') }),
    ({ recipientUuid }) => recipientUuid === uuid,
  );

const one = async <T extends Key>(key: Key): Promise<T[]> => {
  const item = await get<T>(key);
  return item ? [item] : [];
};

const isUnderWay = ({ state, expiresAt }: Delivery): boolean =>
  (state === 'queued' || state === 'waiting') && timestamp(now()) < expiresAt;

/** Longer than the stream brings a change again. */
const markMillis = 2 * 86_400_000;

/** The reason in history of credit that was let go. */
export const forfeitReason = 'Forfeited: the avatar was erased.';

const withoutTexts = <T extends Remarks>({ reason, reference, ...others }: T) => others;

/** The texts about a change of credit that stay: the command's own are not about the avatar. */
const textsOf = ({ reason = '' }: Remarks): Remarks =>
  [forfeitReason, repairReason].includes(reason) ? { reason } : {};

/** The kinds that tell who an avatar is; those of the operator are shared by all stores. */
const residentKinds = (
  keyOf: (store: string, uuid: string) => Key,
  keyOfName: (store: string, name: string) => Key,
  by: string,
): PersonKind[] => [
  kind<StoredResident>({
    words: [`resident told by ${by}`, `residents told by ${by}`],
    fate: 'deleted',
    turn: 'last',
    find: (store, uuid) => one(keyOf(store, uuid)),
    erased: () => undefined,
  }),
  kind<Key & { uuid: string }>({
    words: [`name told by ${by}`, `names told by ${by}`],
    fate: 'deleted',
    turn: 'last',
    find: async (store, uuid) => {
      const told = await get<StoredResident>(keyOf(store, uuid));
      const keys = (told?.names ?? []).map((name) => keyOfName(store, name));
      const names = await getMany<Key & { uuid: string }>(keys, { consistent: true });
      return names.filter((name) => name.uuid === uuid);
    },
    erased: () => undefined,
  }),
];

/** A value with the pseudonym in the place of an avatar's UUID, wherever it stands. */
const replaced = (value: unknown, uuid: string, pseudonym: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => replaced(one, uuid, pseudonym));
  if (typeof value !== 'object' || value === null) return value === uuid ? pseudonym : value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, uuid, pseudonym)]));
};

/** The facts of a change in the log without an avatar's UUID and names. */
const withoutAvatar = (details: LogRow['details'], { uuid, pseudonym }: Erasure): LogRow['details'] => {
  const { moved, ...others } = details as { moved?: object[] };
  const isAdded = details.uuid === uuid && 'username' in details;
  const withoutNames = {
    ...others,
    ...(isAdded && { username: pseudonym, formerNames: [] }),
    ...(moved && { moved: details.to === uuid ? moved.map((one) => ({ ...one, name: pseudonym })) : moved }),
  };
  return replaced(withoutNames, uuid, pseudonym) as LogRow['details'];
};

/** Rows of the operator's log: of a store, or of what concerns all stores. */
const logKind = (storeOf: (store: string) => string | null): PersonKind =>
  kind<LogRow & Key>({
    words: ['row of the log', 'rows of the log'],
    fate: 'pseudonym; names go',
    turn: 'first',
    find: (store, uuid) => rowsAbout(uuid, storeOf(store)),
    erased: (row, erasure) => ({ ...row, details: withoutAvatar(row.details, erasure) }) as Key,
  });

/** The items that all stores share. */
export const sharedKinds: readonly PersonKind[] = [
  logKind(() => null),
  ...residentKinds(
    (_, uuid) => residentKey(uuid),
    (_, name) => nameKey(name),
    'the operator',
  ),
];

export const customerKind = kind<CreditItem>({
  words: ['customer', 'customers'],
  fate: 'pseudonym; ban, discount and subscription go',
  turn: 'together',
  find: (store, uuid) => one(customerKey(store, uuid)),
  obstacle: ({ credit = 0, restrictedCredit = 0 }, { forfeit }) =>
    !forfeit && credit + restrictedCredit > 0
      ? `They hold L$ ${grouped(credit)} of credit and L$ ${grouped(restrictedCredit)} of restricted credit. Let them spend it, or set both to 0 with --forfeit.`
      : undefined,
  erased: (item, { store, pseudonym }) => {
    const { banReason, isBanned, discount, newsSubscriber, ...customer } = item;
    const { lastChange } = customer;
    return {
      ...customer,
      ...customerKey(store, pseudonym),
      username: pseudonym,
      moved: true,
      flags: flagsOf(store, false),
      ranked: rankedOf(store, false),
      ...('rank' in customer && { rank: rankOf(customer.sum ?? 0, pseudonym) }),
      ...(lastChange && { lastChange: { ...withoutTexts(lastChange), ...textsOf(lastChange) } }),
    };
  },
});

/** All lots are closed: the credit that was in them has ended. */
export const lotKind = kind<CreditLot>({
  words: ['credit lot', 'credit lots'],
  fate: 'pseudonym',
  turn: 'first',
  find: listLots,
  erased: (lot, { store, pseudonym }) => ({ ...lot, pk: lotPartition(store, pseudonym) }),
});

/** The items of one store. */
export const storeKinds: readonly PersonKind[] = [
  customerKind,
  kind<SpendItem>({
    words: ['record of spend', 'records of spend'],
    fate: 'pseudonym',
    turn: 'together',
    find: (store, uuid) => one(spendKey(store, uuid)),
    erased: (item, { store, pseudonym, owned }) => ({
      ...item,
      ...spendKey(store, pseudonym),
      username: pseudonym,
      totalOwned: owned,
    }),
  }),
  lotKind,
  ...creditTypes.map((type) =>
    kind<HistoryItem>({
      words: [`change of ${type} credit`, `changes of ${type} credit`],
      fate: 'pseudonym; reason and reference go',
      turn: 'first',
      find: async (store, uuid) => {
        const rows = await all(rowsOf<HistoryItem>({ partition: historyPartition(store, uuid, type) }));
        // A mark of an earlier erasure lapses by itself.
        return rows.filter((row) => row.erased === undefined || row.kind !== undefined);
      },
      erased: (row, { store, pseudonym }) => ({
        ...withoutTexts(row),
        ...textsOf(row),
        pk: historyPartition(store, pseudonym, type),
      }),
      left: ({ pk, sk, at = '' }) => {
        const mark = { pk, sk, erased: at, [ttlAttribute]: Math.ceil((now() + markMillis) / 1000) };
        return Date.parse(at) > now() - markMillis ? mark : undefined;
      },
    }),
  ),
  kind<PurchaseItem>({
    words: ['purchase', 'purchases'],
    fate: 'pseudonym',
    turn: 'first',
    find: findPurchases,
    erased: (purchase, { pseudonym }) => ({ ...purchase, uuid: pseudonym }),
  }),
  kind<SaleItem>({
    words: ['sale', 'sales'],
    fate: 'pseudonym; note and reference go',
    turn: 'first',
    find: findSales,
    obstacle: ({ sk, flags }) =>
      flags === undefined
        ? undefined
        : `The delivery of the sale ${sk} may not be ordered yet. The next sweeps order it (store sweep).`,
    erased: ({ message, reference, refundReference, recipientUsername, ...sale }, { uuid, pseudonym }) =>
      replaced(sale, uuid, pseudonym) as SaleItem,
  }),
  kind<Key>({
    words: ['place in their list of sales', 'places in their list of sales'],
    fate: 'pseudonym',
    turn: 'first',
    find: (store, uuid) => all(rowsOf<Key>({ partition: buyerList(store, uuid) })),
    erased: ({ sk }, { store, pseudonym }) => ({ pk: buyerList(store, pseudonym), sk }),
  }),
  kind<CouponUses>({
    words: ['count of uses of a coupon', 'counts of uses of coupons'],
    fate: 'pseudonym',
    turn: 'first',
    find: (store, uuid) => all(rowsOf<CouponUses>({ partition: couponUsesKey(store, uuid, '').pk })),
    erased: (use, { store, pseudonym }) => ({ ...use, ...couponUsesKey(store, pseudonym, use.sk) }),
    joined: (use, there) => ({ ...there, uses: use.uses + there.uses }),
  }),
  kind<OwnedItem>({
    words: ['owned product', 'owned products'],
    fate: 'pseudonym',
    turn: 'first',
    find: (store, uuid) => all(rowsOf<OwnedItem>({ partition: ownedKey(store, uuid, '').pk })),
    erased: ({ queued, ...owned }, { store, pseudonym }) => ({ ...owned, ...ownedKey(store, pseudonym, owned.sk) }),
    joined: (owned, there) => {
      const [boughtAt] = [owned.boughtAt ?? timestamp(0), there.boughtAt ?? timestamp(0)].sort();
      const lastDeliveredAt = [owned.lastDeliveredAt ?? '', there.lastDeliveredAt ?? ''].sort().at(-1);
      return {
        ...{ ...there, quantity: (owned.quantity ?? 1) + (there.quantity ?? 1), boughtAt: boughtAt as string },
        ...(lastDeliveredAt && { lastDeliveredAt }),
      };
    },
  }),
  kind<GiftCardItem & Remarks & Stamped>({
    words: ['gift card', 'gift cards'],
    fate: 'pseudonym; reason and reference go',
    turn: 'first',
    find: findCards,
    obstacle: ({ id, ownerUuid, credit, redeemed }, { uuid }) =>
      ownerUuid === uuid && credit > 0 && !redeemed
        ? `The gift card ${id} holds L$ ${grouped(credit)}. Redeem it (POST /v1/giftcards/${id}/actions/redeem), or set its credit to 0 (PUT /v1/giftcards/${id}).`
        : undefined,
    erased: (card, { store, uuid, pseudonym }) => {
      const { id, redeemed, purchased } = card;
      const kept = withoutTexts(card);
      const owner = { uuid: pseudonym, username: pseudonym };
      return stamped(
        {
          ...kept,
          ...(card.ownerUuid === uuid && giftCardItem(store, owner, kept, { id, redeemed, purchased })),
          ...(card.redeemedFor === uuid && { redeemedFor: pseudonym }),
        },
        card,
      );
    },
  }),
  kind<CouponItem>({
    words: ['coupon of theirs', 'coupons of theirs'],
    fate: 'pseudonym',
    turn: 'first',
    find: findCoupons,
    obstacle: ({ id, code, active, ownerProfit, expiration }) =>
      active && ownerProfit > 0 && timestamp(now()) < expiration
        ? `The coupon ${code} owes them a commission of ${ownerProfit} %. Switch it off, or set ownerProfit to 0 (PUT /v1/coupons/${id}).`
        : undefined,
    erased: (coupon, { store, pseudonym }) => {
      const { id, usesPerCustomer, expiration, rank } = coupon;
      const imported = { id, usesPerCustomer, expiration, createdAt: rank.slice(0, rank.indexOf('#')) };
      return stamped(couponItems(store, { uuid: pseudonym, username: pseudonym }, coupon, imported).coupon, coupon);
    },
  }),
  kind<StoredProduct>({
    words: ['profit share', 'profit shares'],
    fate: 'to be removed first',
    turn: 'first',
    find: findShares,
    obstacle: ({ id, name }) =>
      `The product ${name} has a profit share of theirs. Replace it without that share (PUT /v1/products/${id}).`,
    erased: (product) => product,
  }),
  kind<Key>({
    words: ['applied coupon', 'applied coupons'],
    fate: 'deleted',
    turn: 'first',
    find: (store, uuid) => all(rowsOf<Key>({ partition: partition(store, 'APPLIED', uuid) })),
    erased: () => undefined,
  }),
  kind<Delivery & Key & Stamped>({
    words: ['delivery', 'deliveries'],
    fate: 'pseudonym if made, until its record ends; else deleted; the note goes',
    turn: 'first',
    find: findDeliveries,
    obstacle: (delivery) =>
      isUnderWay(delivery)
        ? `The delivery ${delivery.id} of ${delivery.item} is under way. Wait until it was made or has failed, at the latest at ${delivery.expiresAt}; one that waits goes on when the dispenser registers (store dispenser show).`
        : undefined,
    // The record of one that was made keeps a late message from giving the item again.
    erased: ({ message, lastError, ...delivery }, { store, pseudonym }) =>
      delivery.state === 'delivered'
        ? stamped(
            {
              ...delivery,
              recipientUuid: pseudonym,
              recipientUsername: pseudonym,
              flags: recipientList(store, pseudonym),
            },
            delivery,
          )
        : undefined,
  }),
  kind<Wait>({
    words: ['delivery that waited', 'deliveries that waited'],
    fate: 'deleted',
    turn: 'first',
    find: (store, uuid) =>
      matching(
        rowsOf<Wait>({ partition: partition(store, 'DELIVERY', 'waiting') }),
        ({ order }) => order.recipientUuid === uuid,
      ),
    erased: () => undefined,
  }),
  kind<EventItem>({
    words: ['event', 'events'],
    fate: 'deleted',
    turn: 'first',
    find: (store, uuid) => matching(listStoreEvents(store), ({ data = '' }: Partial<EventItem>) => data.includes(uuid)),
    // The stream may bring the change again, which must not note it anew.
    erased: ({ pk, sk }) => {
      const mark = { pk, sk, [ttlAttribute]: Math.ceil((now() + markMillis) / 1000) };
      return mark;
    },
  }),
  logKind((store) => store),
  ...residentKinds(storeResidentKey, storeNameKey, 'the store'),
];
