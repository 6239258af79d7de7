import { type HistoryItem, type HistoryRow, historyKey } from '../credit/history.ts';
import { type CreditLot, changedIn, lotId, lotType } from '../credit/lot.ts';
import { creditTypes } from '../credit/rules.ts';
import { attributes, type CreditItem, type LastChange, lastChangeOf } from '../credit/state.ts';
import type { Delivery } from '../delivery/deliveries.ts';
import type { SaleItem } from '../sale/sales.ts';
import type { GiftCardItem } from '../store/gift-cards.ts';
import { type Key, partition } from '../table/schema.ts';
import { type DaySums, sumsOfRow } from './days.ts';
import type { Change, Kind } from './stream.ts';

/** The parts of lots in a row of history. */
export type Parts = Pick<HistoryItem, 'lots' | 'lastExpiresAt'>;

/** The mark of a change that counts in the sums of its day and has no row of history. */
export interface DayMark {
  kind: 'granted' | 'redeemed' | 'delivered' | 'failed' | 'sold' | 'refunded';
  at: string;
  /** In seconds since 1970. The stream brings no record of the change any more by then. */
  ttl: number;
}

/** A record's contribution to one item: a row of history or a mark. */
export interface Contribution {
  store: string;
  key: Key;
  /** Written once; the day of `at` counts `sums` with them. */
  facts?: HistoryRow | DayMark | undefined;
  sums?: DaySums;
  parts?: Parts | undefined;
}

const demand = (holds: boolean, fault: string): void => {
  if (!holds) throw new Error(`The record cannot be read: ${fault}.`);
};

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value);
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));

const checkVersion = ({ types }: LastChange, version: number | undefined): void =>
  demand(isWhole(version) && (version ?? 0) >= types.length, 'creditVersion is not the number of a change');

type Balances = Partial<CreditItem>;

/**
 * The rows of one change between two images. The last has the number `version`, the one before it the number before.
 */
const rowsBetween = (
  store: string,
  uuid: string,
  before: Balances,
  after: Balances,
  { types, ...change }: LastChange,
  version: number,
): Contribution[] => {
  const balances = { credit: before.credit ?? 0, restrictedCredit: before.restrictedCredit ?? 0 };
  return types.map(({ type, expired = 0 }, index) => {
    const { balance, unlotted, lots, due } = attributes[type];
    const grown = (after[balance] ?? 0) - (before[balance] ?? 0);
    // Of a change of both types, the first row tells of the time between the two.
    balances[balance] = after[balance] ?? 0;
    const row: HistoryRow = {
      ...change,
      amount: grown + expired,
      expired,
      ...balances,
      unlotted: (after[unlotted] ?? 0) - (before[unlotted] ?? 0),
    };
    demand([row.amount, row.unlotted, ...Object.values(balances)].every(isWhole), 'a balance is no whole number');
    // An opening touches no lot, so it knows only what all of them hold.
    const hasLots = change.kind === 'opening' && (after[lots] ?? 0) > 0 && after[due] !== undefined;
    return {
      store,
      key: historyKey(store, uuid, type, version - types.length + 1 + index),
      facts: row,
      sums: sumsOfRow(type, row),
      ...(hasLots && { parts: { lastExpiresAt: after[due] as string } }),
    };
  });
};

/** The rows of the credit that a customer held before anything kept their history: none where they held none. */
const openingRows = (store: string, before: CreditItem, at: string): Contribution[] => {
  const { creditVersion: version = 0 } = before;
  const held = creditTypes.filter((type) => (before[attributes[type].balance] ?? 0) > 0);
  const types = held.slice(0, version).map((type) => ({ type }));
  return rowsBetween(store, before.sk, {}, before, { kind: 'opening', at, types }, version);
};

const ofCustomer = ({ store, before, after }: Change<CreditItem>): Contribution[] => {
  const { sk: uuid, creditVersion: version, moved } = after;
  const lastChange = lastChangeOf(after);
  if (!lastChange || version === before?.creditVersion || (!before && moved)) return [];
  checkVersion(lastChange, version);
  // The opening of a backfill finds the balances as they stay.
  if (lastChange.kind === 'opening') return rowsBetween(store, uuid, {}, after, lastChange, version as number);
  return [
    ...(before && !before.lastChange ? openingRows(store, before, lastChange.at) : []),
    ...rowsBetween(store, uuid, before ?? {}, after, lastChange, version as number),
  ];
};

const openAmount = (lot: CreditLot | undefined): number => (lot?.state === 'open' ? lot.remaining : 0);

const ofLot = ({ store, part: uuid = '', before, after }: Change<CreditLot>): Contribution[] => {
  const { expiresAt } = after;
  const changed = changedIn(after);
  if (before && changed === changedIn(before)) return [];
  const amount = openAmount(after) - openAmount(before);
  demand(isWhole(amount) && isWhole(changed) && isTime(expiresAt), 'a lot without amount, version or expiry');
  if (amount === 0) return [];
  const key = historyKey(store, uuid, lotType(after), changed);
  return [{ store, key, parts: { lots: [{ id: lotId(after), amount, expiresAt }] } }];
};

/** Longer than any record stays in the stream, or in the hands of a person who sends it again. */
const markSeconds = 8 * 86_400;

const marked = (
  { store, writtenSeconds }: Pick<Change<unknown>, 'store' | 'writtenSeconds'>,
  subject: string,
  kind: DayMark['kind'],
  at: string,
  sums: DaySums,
): Contribution => {
  demand(isTime(at), `a change to ${kind} without a time`);
  const facts = { kind, at, ttl: Math.ceil(writtenSeconds) + markSeconds };
  return { store, key: { pk: partition(store, 'MARK'), sk: `${subject}#${kind}#${at}` }, facts, sums };
};

const ofGiftCard = ({ before, after, ...place }: Change<GiftCardItem>): Contribution[] => {
  const { id, grantedAt, redeemedAt } = after;
  // An imported card was not granted.
  if (!before) return grantedAt === undefined ? [] : [marked(place, id, 'granted', grantedAt, { giftCardsGranted: 1 })];
  if (redeemedAt === undefined || redeemedAt === before.redeemedAt) return [];
  return [marked(place, id, 'redeemed', redeemedAt, { giftCardsRedeemed: 1 })];
};

const ofDelivery = ({ before, after, ...place }: Change<Delivery>): Contribution[] => {
  const { id, state, deliveredAt = '', failedAt = '' } = after;
  if (state === before?.state) return [];
  if (state === 'delivered') return [marked(place, id, state, deliveredAt, { delivered: 1 })];
  return state === 'failed' ? [marked(place, id, state, failedAt, { failed: 1 })] : [];
};

const ofSale = ({ before, after, ...place }: Change<SaleItem>): Contribution[] => {
  const { sk: id, state, at, paid, change, refundedAt, imported } = after;
  // The store did not make an imported sale.
  if (imported || state === 'refused' || state === before?.state) return [];
  const kept = paid - change;
  demand(isWhole(kept), 'a sale without amounts');
  return [
    ...(before ? [] : [marked(place, id, 'sold', at, { sales: 1, paid: kept })]),
    ...(state === 'refunded' ? [marked(place, id, state, refundedAt ?? '', { refunds: 1, refunded: kept })] : []),
  ];
};

/** Makes the contributions of a change, by the kind of its item. */
const contributors: Partial<Record<Kind, (change: Change<never>) => Contribution[]>> = {
  CUSTOMER: ofCustomer,
  LOT: ofLot,
  GIFTCARD: ofGiftCard,
  DELIVERY: ofDelivery,
  SALE: ofSale,
};

/** The contributions of a change. Throws where its item cannot be read. */
export const contributionsOf = (change: Change): Contribution[] =>
  contributors[change.kind]?.(change as Change<never>) ?? [];

/** The sale that a change made whose delivery nothing has ordered yet; undefined for any other change. */
export const unsentSaleOf = ({ kind, before, after }: Change): SaleItem | undefined => {
  const sale = kind === 'SALE' && !before ? (after as SaleItem) : undefined;
  return sale?.flags === undefined ? undefined : sale;
};
