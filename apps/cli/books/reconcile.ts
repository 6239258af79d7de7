import { timestamp } from '../../../lib/clock.ts';
import { type Books, type Expected, lateMillis, placeOf, type Transfer } from './expected-transfers.ts';

/** Compares the history of an account's L$ with the books of its store. */

export const differenceKinds = ['paid and not sold', 'sold and not paid', 'given and not owed'] as const;

/** A difference between history and books. */
export interface Difference {
  difference: (typeof differenceKinds)[number];
  at: string;
  /** The other avatar. */
  who: string;
  amount: number;
  /** The sale or payout that it is about, or what the history says. */
  about: string;
  /** The line of the history, where there is one. */
  file: string | null;
  line: number | null;
}

/** A payout that was unknown, and the transfer that the history has of it. */
export interface KnownPayout {
  id: string;
  who: string;
  amount: number;
  transactionId: string | null;
  file: string;
  line: number;
}

/** A transfer that is in the history and in no book, with another avatar. */
interface UntoldTransfer {
  uuid: string;
  transfer: Transfer;
  told: Difference;
}

/** A transfer that is in no book, to an avatar whom the store may owe it. */
export interface UnbookedTransfer extends UntoldTransfer {
  /** An earlier payment of the avatar that the books do not know: the transfer may be its change, or its refund. */
  payment: Transfer | undefined;
}

const isNear = ({ at }: Transfer, { from, to }: Expected): boolean => at >= from && at <= to;

/** The part of a list in the order of time that may hold a sale of a transfer: a busy buyer may have many. */
const around = (sales: readonly Expected[], at: number): readonly Expected[] => {
  let [low, high] = [0, sales.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sales[middle]?.to ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < sales.length && (sales[end]?.from ?? at) <= at) end += 1;
  return sales.slice(low, end);
};

/** The nearest of those that are not found yet. */
const nearest = (transfer: Transfer, among: readonly Expected[]): Expected | undefined => {
  let best: Expected | undefined;
  for (const one of among)
    if (!one.isFound && isNear(transfer, one))
      if (!best || Math.abs(one.at - transfer.at) < Math.abs(best.at - transfer.at)) best = one;
  return best;
};

/** A payout with another transaction is another payout. */
const mayBe = (transfer: Transfer, { payout }: Expected): boolean =>
  payout?.transactionId === undefined || transfer.id === undefined || payout.transactionId === transfer.id;

/** How far a comparison has come. */
interface Reconciling {
  books: Books;
  ignored: ReadonlySet<string>;
  differences: Difference[];
  /** Payments for which there is no sale, and transfers to avatars whom the store may owe them. */
  unsold: UntoldTransfer[];
  unbooked: UntoldTransfer[];
  /** The differences that are payouts: they count as failed, or their own words say so. They give nothing back. */
  payouts: Set<Difference>;
  /** The transfers that fit each unknown payout, and whether they fit nothing else. */
  fits: Map<Expected, { transfer: Transfer; isAlone: boolean }[]>;
}

const uuidOf = ({ books }: Reconciling, { who }: Transfer): string | undefined =>
  who?.uuid ?? books.uuids.get(who?.username ?? '');

/** Tells of a transfer that is in no book, unless it is no business of the store. */
const tell = (
  { ignored, differences }: Reconciling,
  difference: Difference['difference'],
  { at, name, amount, file, line }: Transfer,
  about: string,
): Difference | undefined => {
  if (ignored.has(name.toLowerCase())) return undefined;
  const told = { difference, at: timestamp(at), who: name, amount: Math.abs(amount), about, file, line };
  differences.push(told);
  return told;
};

const takeIncoming = (state: Reconciling, transfer: Transfer): void => {
  const uuid = uuidOf(state, transfer);
  const sales = state.books.incoming.get(placeOf(uuid ?? '', transfer.amount)) ?? [];
  const sale = nearest(transfer, around(sales, transfer.at));
  if (sale) {
    sale.isFound = true;
    return;
  }
  const told = tell(state, 'paid and not sold', transfer, transfer.text);
  if (told && uuid !== undefined) state.unsold.push({ uuid, transfer, told });
};

/** The payout that a transfer is, as its id says. */
const payoutById = ({ books }: Reconciling, { id, amount }: Transfer, uuid: string | undefined) => {
  const payout = id === undefined ? undefined : books.byTransaction.get(id);
  const isIt = payout && !payout.isFound && payout.amount === -amount && payout.uuid === (uuid ?? payout.uuid);
  return isIt && payout.payout?.state !== 'failed' ? payout : undefined;
};

/** Tells whether the history itself calls a transfer a payout, by its text or by the id of a payout in the books. */
const saysPayout = ({ books }: Reconciling, { text, id = '' }: Transfer): boolean =>
  /\bpayouts?\b/i.test(text) || books.byTransaction.has(id);

const takeOutgoing = (state: Reconciling, transfer: Transfer): void => {
  const { books, fits, unbooked } = state;
  const uuid = uuidOf(state, transfer);
  const payout = payoutById(state, transfer, uuid);
  const place = placeOf(uuid ?? '', -transfer.amount);
  const may = (one: Expected): boolean => isNear(transfer, one) && mayBe(transfer, one);
  const all = payout ? [payout] : (books.outgoing.get(place) ?? []).filter(may);
  for (const one of all)
    if (one.payout?.state === 'unknown')
      fits.set(one, [...(fits.get(one) ?? []), { transfer, isAlone: all.length === 1 }]);
  const found = payout ?? nearest(transfer, all);
  if (found) {
    found.isFound = true;
    return;
  }
  const failed = books.failed.get(place)?.find(may);
  const about = failed ? `payout ${failed.id}, which counts as failed` : transfer.text;
  const told = tell(state, 'given and not owed', transfer, about);
  if (!told) return;
  if (failed || saysPayout(state, transfer)) state.payouts.add(told);
  if (!failed && uuid !== undefined) unbooked.push({ uuid, transfer, told });
};

/**
 * The last payment before a transfer that this may give back, whole or in part: the change of a sale that a restored
 * table has lost, or its refund. The books owe such a transfer to nobody.
 */
const paymentBehind = (transfer: Transfer, unsold: readonly UntoldTransfer[]): Transfer | undefined =>
  unsold
    .map((one) => one.transfer)
    .filter((paid) => paid.at <= transfer.at && paid.amount >= -transfer.amount)
    .toSorted((a, b) => a.at - b.at)
    .at(-1);

/** The sales and the paid payouts between two times of which the history has nothing. */
const missingIn = ({ books }: Reconciling, nameOf: (uuid: string) => string, first: number, last: number) => {
  const isMissing = ({ isFound, at }: Expected): boolean => !isFound && at >= first && at <= last;
  const isMarked = ({ payout }: Expected): boolean => payout?.state === 'paid' && !payout.isByHand;
  const told = (about: string, { uuid, amount, at }: Expected): Difference => {
    const what = { difference: 'sold and not paid', who: nameOf(uuid), amount, about } as const;
    return { ...what, at: timestamp(at), file: null, line: null };
  };
  const sales = [...books.incoming.values()].flat().filter(isMissing);
  const payouts = [...books.outgoing.values()].flat().filter((one) => isMissing(one) && isMarked(one));
  return [
    ...sales.map((sale) => told(`sale ${sale.id}`, sale)),
    ...payouts.map((payout) => told(`payout ${payout.id}, which counts as paid`, payout)),
  ];
};

/** The unknown payouts that one transfer fits, which fits nothing else; and the ids of those that several may be. */
const knownIn = ({ fits }: Reconciling, nameOf: (uuid: string) => string) => {
  const known: KnownPayout[] = [];
  const doubtful: string[] = [];
  for (const [{ id, uuid, amount }, [one, ...others]] of fits)
    if (!one || others.length > 0 || !one.isAlone) doubtful.push(id);
    else {
      const { id: transactionId = null, file, line } = one.transfer;
      known.push({ id, who: nameOf(uuid), amount, transactionId, file, line });
    }
  return { known, doubtful };
};

/**
 * Takes out the payments that went back whole to their payers, as vendors give back what cannot be sold: each with the
 * first transfer of its amount that follows within two days.
 */
const withoutGivenBack = ({ differences, payouts }: Reconciling) => {
  const byTime = differences.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const back = Map.groupBy(
    byTime.filter((one) => one.difference === 'given and not owed' && !payouts.has(one)),
    ({ who, amount }) => placeOf(who, amount),
  );
  const paired = new Set<Difference>();
  for (const one of byTime) {
    if (one.difference !== 'paid and not sold') continue;
    const at = Date.parse(one.at);
    const follows = (other: Difference): boolean => {
      const after = Date.parse(other.at) - at;
      return !paired.has(other) && after >= 0 && after <= lateMillis;
    };
    const other = back.get(placeOf(one.who, one.amount))?.find(follows);
    if (other) paired.add(one).add(other);
  }
  return { differences: differences.filter((one) => !paired.has(one)), paired };
};

/** Compares transfers, one after the other, with the books. Avatars in `ignored` are in lower case. */
export const startReconciling = (books: Books, ignored: ReadonlySet<string>) => {
  const none = { differences: [], unsold: [], unbooked: [] };
  const state: Reconciling = { books, ignored, ...none, payouts: new Set(), fits: new Map() };
  const seen = new Set<string>();
  let repeated = 0;
  return {
    take: (transfer: Transfer): void => {
      const { id, amount } = transfer;
      // Histories of two months may overlap.
      if (id !== undefined && seen.has(id)) {
        repeated += 1;
        return;
      }
      if (id !== undefined) seen.add(id);
      (amount > 0 ? takeIncoming : takeOutgoing)(state, transfer);
    },
    /** The account's state for a history between two times. */
    end: (first: number, last: number) => {
      const names = new Map([...books.uuids].map(([name, uuid]) => [uuid, name]));
      const nameOf = (uuid: string): string => names.get(uuid) ?? uuid;
      const { differences: told, paired } = withoutGivenBack(state);
      const unpaired = (some: readonly UntoldTransfer[]): UntoldTransfer[] =>
        some.filter((one) => !paired.has(one.told));
      const unsold = Map.groupBy(unpaired(state.unsold), ({ uuid }) => uuid);
      const unbooked = unpaired(state.unbooked).map((one): UnbookedTransfer => {
        const isPayout = state.payouts.has(one.told);
        return { ...one, payment: isPayout ? undefined : paymentBehind(one.transfer, unsold.get(one.uuid) ?? []) };
      });
      return {
        differences: [...told, ...missingIn(state, nameOf, first, last)],
        ...knownIn(state, nameOf),
        unbooked,
        givenBack: paired.size / 2,
        repeated,
      };
    },
  };
};
