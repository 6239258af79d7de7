import type { GiftCardItem } from '../catalogue/gift-cards.ts';
import { type HistoryItem, type HistoryRow, historyKey } from '../credit/history.ts';
import { type CreditLot, changedIn, lotId, lotType } from '../credit/lot.ts';
import { creditTypes } from '../credit/rules.ts';
import { attributes, type CreditItem, type LastChange, lastChangeOf } from '../credit/state.ts';
import type { Delivery } from '../delivery/deliveries.ts';
import { isOwed, type SaleItem } from '../sale/sales.ts';
import type { Key } from '../table/schema.ts';
import { type DaySums, sequenceText, sumsOfRefund, sumsOfRow, sumsOfSale } from './days.ts';
import type { ItemChange, Kind } from './stream.ts';

/** The parts of lots in a row of history. */
export type RowParts = Pick<HistoryItem, 'lots' | 'lastExpiresAt'>;

/** A record's contribution to a row of history. */
export interface RowContribution {
  key: Key;
  /** The change's facts, which are written once. */
  facts?: (HistoryRow & Pick<HistoryItem, 'record'>) | undefined;
  parts?: RowParts | undefined;
}

/** A record's contribution to a row of history, to the sums of a day, or to both. */
export interface Contribution {
  row?: RowContribution;
  /** Added to the sums of the day of `at`, and to the vendor's. */
  count?: { at: string; sums: DaySums; vendor?: string | undefined };
}

const demand = (holds: boolean, fault: string): void => {
  if (!holds) throw new Error(`The record cannot be read: ${fault}.`);
};

const isInteger = (value: unknown): boolean => Number.isSafeInteger(value);
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));

const checkVersion = ({ types }: LastChange, version: number | undefined): void =>
  demand(isInteger(version) && (version ?? 0) >= types.length, 'creditVersion is not the number of a change');

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
  return types.map(({ type, expired = 0, bonus, isPermanent }, index) => {
    const { balance, unlotted, lots, due } = attributes[type];
    // A bonus may add a second row of the same type.
    const next = types.slice(index + 1).find((other) => other.type === type);
    const isNext = types.slice(0, index).some((other) => other.type === type);
    const { bonus: later = 0 } = next ?? {};
    const reached = (after[balance] ?? 0) - later;
    const grown = reached - balances[balance];
    const ofType = (after[unlotted] ?? 0) - (before[unlotted] ?? 0);
    // If a change has several rows, the balances of each are those after this row.
    balances[balance] = reached;
    const row: HistoryRow = {
      ...change,
      ...(bonus !== undefined && { kind: 'bonus' as const }),
      amount: grown + expired,
      expired,
      ...balances,
      unlotted: isNext ? (isPermanent ? grown : 0) : ofType - (next?.isPermanent ? later : 0),
    };
    demand([row.amount, row.unlotted, ...Object.values(balances)].every(isInteger), 'a balance is no whole number');
    // An opening touches no lot, so it knows only the sum over all lots.
    const hasLots = change.kind === 'opening' && (after[lots] ?? 0) > 0 && after[due] !== undefined;
    const key = historyKey(store, uuid, type, version - types.length + 1 + index);
    const parts = hasLots ? { lastExpiresAt: after[due] as string } : undefined;
    return { row: { key, facts: row, parts }, count: { at: row.at, sums: sumsOfRow(type, row) } };
  });
};

/** The rows for the credit that a customer held before anything kept their history: none if they held none. */
const openingRows = (store: string, before: CreditItem, at: string): Contribution[] => {
  const { creditVersion: version = 0 } = before;
  const held = creditTypes.filter((type) => (before[attributes[type].balance] ?? 0) > 0);
  const types = held.slice(0, version).map((type) => ({ type }));
  return rowsBetween(store, before.sk, {}, before, { kind: 'opening', at, types }, version);
};

const ofCustomer = ({ store, before, after }: ItemChange<CreditItem>): Contribution[] => {
  const { sk: uuid, creditVersion: version, moved } = after;
  const lastChange = lastChangeOf(after);
  if (!lastChange || version === before?.creditVersion || (!before && moved)) return [];
  checkVersion(lastChange, version);
  // The opening of a backfill does not change the balances.
  if (lastChange.kind === 'opening') return rowsBetween(store, uuid, {}, after, lastChange, version as number);
  return [
    ...(before && !before.lastChange ? openingRows(store, before, lastChange.at) : []),
    ...rowsBetween(store, uuid, before ?? {}, after, lastChange, version as number),
  ];
};

const openAmount = (lot: CreditLot | undefined): number => (lot?.state === 'open' ? lot.remaining : 0);

const ofLot = ({ store, part: uuid = '', before, after }: ItemChange<CreditLot>): Contribution[] => {
  const { expiresAt } = after;
  const changed = changedIn(after);
  if (before && changed === changedIn(before)) return [];
  const amount = openAmount(after) - openAmount(before);
  demand(isInteger(amount) && isInteger(changed) && isTime(expiresAt), 'a lot without amount, version or expiry');
  if (amount === 0) return [];
  const key = historyKey(store, uuid, lotType(after), changed);
  return [{ row: { key, parts: { lots: [{ id: lotId(after), amount, expiresAt }] } } }];
};

/** The count of a change that has no row of history. */
const counted = (at: string | undefined, sums: DaySums, vendor?: string): Contribution => {
  demand(isTime(at), `a change without a time to ${Object.keys(sums)}`);
  return { count: { at: at as string, sums, vendor } };
};

const ofGiftCard = ({ before, after }: ItemChange<GiftCardItem>): Contribution[] => {
  const { grantedAt, redeemedAt } = after;
  // An imported card was not granted.
  if (!before) return grantedAt === undefined ? [] : [counted(grantedAt, { giftCardsGranted: 1 })];
  if (redeemedAt === undefined || redeemedAt === before.redeemedAt) return [];
  return [counted(redeemedAt, { giftCardsRedeemed: 1 })];
};

const ofDelivery = ({ before, after }: ItemChange<Delivery>): Contribution[] => {
  const { state, deliveredAt, failedAt = '' } = after;
  if (state === before?.state) return [];
  if (state === 'delivered') return [counted(deliveredAt, { delivered: 1 })];
  // A reopened delivery that could not be queued goes back to its earlier failure, which was counted before.
  if (state !== 'failed' || before?.failures?.includes(failedAt)) return [];
  return [counted(failedAt, { failed: 1 })];
};

const ofSale = ({ before, after }: ItemChange<SaleItem>): Contribution[] => {
  const { state, at, paid, change, shares, refundedAt, imported, vendorUuid } = after;
  // The store did not make an imported sale.
  if (imported || state === 'refused' || state === before?.state) return [];
  demand(isInteger(paid - change) && Array.isArray(shares), 'a sale without amounts');
  return [
    ...(before ? [] : [counted(at, sumsOfSale(after), vendorUuid)]),
    ...(state === 'refunded' ? [counted(refundedAt, sumsOfRefund(after), vendorUuid)] : []),
  ];
};

/** Makes the contributions of a change, by the kind of its item. */
const contributors: Partial<Record<Kind, (change: ItemChange<never>) => Contribution[]>> = {
  CUSTOMER: ofCustomer,
  LOT: ofLot,
  GIFTCARD: ofGiftCard,
  DELIVERY: ofDelivery,
  SALE: ofSale,
};

/** A row's facts with the number of the record that told them. */
const withRecord = ({ facts, ...row }: RowContribution, record: string): RowContribution =>
  facts ? { ...row, facts: { ...facts, record } } : row;

/** The contributions of a change. Throws if its item cannot be read. */
export const contributionsOf = (change: ItemChange): Contribution[] => {
  const record = sequenceText(change.sequenceNumber ?? '');
  const all = contributors[change.kind]?.(change as ItemChange<never>) ?? [];
  return all.map(({ row, ...count }) => ({ ...count, ...(row && { row: withRecord(row, record) }) }));
};

/** The sale that a change made, if it has a delivery; undefined for any other change. */
export const unsentSaleOf = ({ kind, before, after }: ItemChange): SaleItem | undefined => {
  const sale = kind === 'SALE' && !before ? (after as SaleItem) : undefined;
  return sale && isOwed(sale) ? sale : undefined;
};
