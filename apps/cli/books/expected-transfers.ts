import { type Identifier, nilUuid } from '../../../lib/identifier.ts';
import { everyRow, reversed } from '../../../lib/lists/source.ts';
import { knownResidents } from '../../../lib/operator/residents.ts';
import { listPayees } from '../../../lib/payout/payees.ts';
import { byId, type PayoutItem, payoutsList } from '../../../lib/payout/payouts.ts';
import type { PayoutState } from '../../../lib/routes/payouts.ts';
import { byRank, type SaleItem } from '../../../lib/sale/sales.ts';
import { salesIn } from '../deployment/payouts.ts';

/** The L$ that should have moved between an account and other avatars, according to the books of its store. */

/** A movement of L$ between the account and another avatar. */
export interface Transfer {
  file: string;
  line: number;
  /** In milliseconds since 1970. */
  at: number;
  /** A second possible time, later than `at`: the clocks of the zone showed it twice. */
  or?: number;
  who: Identifier | undefined;
  /** The other avatar's name, as the file has it. */
  name: string;
  /** Whole L$; negative if the account paid them. */
  amount: number;
  id: string | undefined;
  /** Empty if the history names no type. */
  type: string;
  text: string;
}

type Kind = 'sale' | 'change' | 'refund' | 'payout';

/** A movement of L$ that the books expect. */
export interface Expected {
  kind: Kind;
  /** The id of the sale or the payout. */
  id: string;
  uuid: string;
  /**
   * The expected time, and the earliest and latest time of a transfer that may be this movement; in milliseconds since
   * 1970.
   */
  at: number;
  from: number;
  to: number;
  /** In whole L$, always positive. The kind tells the direction. */
  amount: number;
  /** The id that the virtual world gave the transaction, if it is known. */
  transactionId?: string | undefined;
  payout?: { state: PayoutState; isByHand: boolean };
  isFound: boolean;
}

const minute = 60_000;
const day = 86_400_000;
/** A payment comes shortly before its sale, and a payout shortly after its claim. */
const nearMillis = 15 * minute;
/** A vendor that could not reach the service gives change back later. */
export const lateMillis = 2 * day;
/** A person enters a payment by hand after making it. */
const byHandMillis = 31 * day;

const ofSale = (sale: SaleItem): Expected[] => {
  const { sk: id, state, buyerUuid, at, paid, change, changePaid, refund, refundedAt, payOut } = sale;
  const uuid = buyerUuid ?? '';
  // An erasure leaves the nil UUID as the transaction.
  const transactionId = changePaid?.transactionId === nilUuid ? undefined : changePaid?.transactionId;
  const [sold, back] = [Date.parse(at), Date.parse(refundedAt ?? at)];
  const one = (kind: Kind, amount: number, when: number, from: number, to: number): Expected[] =>
    amount > 0 ? [{ kind, id, uuid, at: when, from, to, amount, isFound: false }] : [];
  return [
    ...one('sale', paid, sold, sold - nearMillis, sold + nearMillis),
    ...one('change', changePaid?.amount ?? change, sold, sold - nearMillis, sold + lateMillis).map((paidBack) => ({
      ...paidBack,
      transactionId,
    })),
    ...(state === 'refunded' && !payOut
      ? one('refund', refund - change, back, back - day, Number.POSITIVE_INFINITY)
      : []),
  ];
};

const ofPayout = (item: PayoutItem): Expected => {
  const { sk: id, residentUuid: uuid, amount, createdAt, state, transactionId, claimedBy } = item;
  const at = Date.parse(createdAt);
  const from = claimedBy === undefined ? at - byHandMillis : at;
  const payout = { state, isByHand: claimedBy === undefined };
  return { kind: 'payout', id, uuid, at, from, to: at + nearMillis, amount, transactionId, payout, isFound: false };
};

/** The UUIDs of avatars by name, and lists of movements of L$ by `placeOf`, each ordered by time. */
export interface Books {
  uuids: Map<string, string>;
  incoming: Map<string, Expected[]>;
  outgoing: Map<string, Expected[]>;
  /** The movements whose transaction is known. */
  byTransaction: Map<string, Expected>;
  /** Failed payouts. No L$ should have moved for them. */
  failed: Map<string, Expected[]>;
}

export const placeOf = (uuid: string, amount: number): string => `${uuid} ${amount}`;

const namesAtOnce = 500;

/** The UUIDs of avatars by all of their names. */
const readNames = async (store: string, uuids: ReadonlySet<string>): Promise<Map<string, string>> => {
  const all = [...uuids];
  const names = new Map<string, string>();
  for (let i = 0; i < all.length; i += namesAtOnce)
    for (const { uuid, names: own } of await knownResidents(store, all.slice(i, i + namesAtOnce)))
      for (const name of own) names.set(name, uuid);
  return names;
};

const newLists = () => new Map<string, Expected[]>();

/** Reads the sales from `first` to `last`, all earlier sales that were refunded, and all payouts. */
export const readBooks = async (
  store: string,
  { first, last }: { first: string; last: string },
  onRead: (count: number) => void,
): Promise<Books> => {
  const [incoming, outgoing, failed] = [newLists(), newLists(), newLists()];
  const byTransaction = new Map<string, Expected>();
  const avatars = new Set<string>();
  let count = 0;
  const add = (to: Map<string, Expected[]>, one: Expected): void => {
    const place = placeOf(one.uuid, one.amount);
    const there = to.get(place);
    if (there) there.push(one);
    else to.set(place, [one]);
    if (one.transactionId !== undefined) byTransaction.set(one.transactionId, one);
    avatars.add(one.uuid);
    onRead(++count);
  };
  const made = salesIn(store, ['completed', 'refused', 'refunded'], { first, last });
  const earlier = salesIn(store, ['refunded'], { last: first });
  for (const sales of [earlier, made])
    for await (const sale of everyRow(sales, byRank))
      for (const one of ofSale(sale)) add(one.kind === 'sale' ? incoming : outgoing, one);
  const { source } = await payoutsList(store, {});
  for await (const payout of everyRow(reversed(source), byId)) {
    const one = ofPayout(payout);
    add(payout.state === 'failed' ? failed : outgoing, one);
  }
  // The history may name payees whose payouts a restored table has lost.
  for await (const { sk } of everyRow(listPayees(store), byId)) avatars.add(sk);
  return {
    uuids: await readNames(store, avatars),
    incoming,
    outgoing,
    failed,
    byTransaction,
  };
};
