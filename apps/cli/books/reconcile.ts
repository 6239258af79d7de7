import { timestamp } from '../../../lib/clock.ts';
import { parseIdentifier } from '../../../lib/identifier.ts';
import { normalised } from '../../../lib/normalise.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { type Books, type Expected, lateMillis, placeOf, type Transfer } from './expected-transfers.ts';

/** Compares the history of an account's L$ with the books of its store. */

export const differenceKinds = ['paid and not sold', 'sold and not paid', 'given and not owed'] as const;

/** A difference between history and books. */
export interface Difference {
  difference: (typeof differenceKinds)[number];
  at: string;
  /** The name or UUID of the other avatar. */
  who: string;
  amount: number;
  /** Names the sale or payout, or has the words of the history. */
  about: string;
  /** The type of the transfer, if the history names one. */
  type: string | null;
  /** The line of the history, if there is one. */
  file: string | null;
  line: number | null;
}

/** A payout whose outcome was unknown, and its transfer in the history. */
export interface KnownPayout {
  id: string;
  who: string;
  amount: number;
  transactionId: string | null;
  file: string;
  line: number;
}

/** A transfer with another avatar that is in the history but in no book. */
interface UntoldTransfer {
  uuid: string;
  transfer: Transfer;
  told: Difference;
}

/** A transfer that no book knows, to an avatar to whom the store may owe it. */
export interface UnbookedTransfer extends UntoldTransfer {
  /** An earlier payment by the avatar that the books do not know. The transfer may be its change or its refund. */
  payment: Transfer | undefined;
}

/** The possible times of a transfer: two in the hour that clocks showed twice. */
const timesOf = ({ at, or }: Pick<Transfer, 'at' | 'or'>): number[] => (or === undefined ? [at] : [at, or]);

const isNear = (transfer: Transfer, { from, to }: Expected): boolean =>
  timesOf(transfer).some((at) => at >= from && at <= to);

const distance = (transfer: Transfer, { at }: Expected): number =>
  timesOf(transfer).reduce((least, time) => Math.min(least, Math.abs(at - time)), Number.POSITIVE_INFINITY);

/** The sales whose bounds contain a time. `sales` is ordered by time, and may be long for a busy buyer. */
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

/** The movement that is nearest in time and has no transfer yet. */
const nearest = (transfer: Transfer, among: readonly Expected[]): Expected | undefined => {
  let best: Expected | undefined;
  for (const one of among)
    if (!one.isFound && isNear(transfer, one))
      if (!best || distance(transfer, one) < distance(transfer, best)) best = one;
  return best;
};

/** False if both have a transaction id and the ids differ. */
const mayBe = (transfer: Transfer, { transactionId }: Expected): boolean =>
  transactionId === undefined || transfer.id === undefined || transactionId === transfer.id;

/** The state of a comparison that is running. */
interface Reconciling {
  books: Books;
  ignored: ReadonlySet<string>;
  /** The number of transfers in no book that are with avatars in `ignored`. */
  ignoredRows: number;
  /** The differences so far, each with its transfer. */
  transfers: Map<Difference, Transfer>;
  /** Payments without a sale, and transfers to avatars to whom the store may owe them. */
  unsold: UntoldTransfer[];
  unbooked: UntoldTransfer[];
  /**
   * The differences that are payouts: the books call them failed, or the history calls them payouts. No payment is
   * given back by them.
   */
  payouts: Set<Difference>;
  /** The transfers that fit each unknown payout, and whether each fits nothing else. */
  fits: Map<Expected, { transfer: Transfer; isAlone: boolean }[]>;
}

const uuidOf = ({ books }: Reconciling, { who }: Transfer): string | undefined =>
  who?.uuid ?? books.uuids.get(who?.username ?? '');

/** Reports a transfer that no book knows. With an avatar in `ignored`, only counts it. */
const tell = (
  state: Reconciling,
  difference: Difference['difference'],
  transfer: Transfer,
  about: string,
): Difference | undefined => {
  const { at, name, amount, file, line, type } = transfer;
  if (state.ignored.has(ignoredName(name))) {
    state.ignoredRows += 1;
    return undefined;
  }
  const what = { difference, at: timestamp(at), who: name, amount: Math.abs(amount), about };
  const told = { ...what, type: type || null, file, line };
  state.transfers.set(told, transfer);
  return told;
};

const takeIncoming = (state: Reconciling, transfer: Transfer): void => {
  const uuid = uuidOf(state, transfer);
  const sales = state.books.incoming.get(placeOf(uuid ?? '', transfer.amount)) ?? [];
  const near = timesOf(transfer).flatMap((at) => around(sales, at));
  const sale = nearest(transfer, near);
  if (sale) {
    sale.isFound = true;
    return;
  }
  const told = tell(state, 'paid and not sold', transfer, transfer.text);
  if (told && uuid !== undefined) state.unsold.push({ uuid, transfer, told });
};

/** The expected payout or change with a transfer's id, amount and avatar. */
const movementById = ({ books }: Reconciling, { id, amount }: Transfer, uuid: string | undefined) => {
  const known = id === undefined ? undefined : books.byTransaction.get(id);
  const isIt = known && !known.isFound && known.amount === -amount && known.uuid === (uuid ?? known.uuid);
  return isIt && known.payout?.state !== 'failed' ? known : undefined;
};

/** Says whether a transfer is a payout by its own text, or has the id of a payout in the books. */
const saysPayout = ({ books }: Reconciling, { text, id = '' }: Transfer): boolean =>
  /\bpayouts?\b/i.test(text) || books.byTransaction.get(id)?.kind === 'payout';

const takeOutgoing = (state: Reconciling, transfer: Transfer): void => {
  const { books, fits, unbooked } = state;
  const uuid = uuidOf(state, transfer);
  const known = movementById(state, transfer, uuid);
  const place = placeOf(uuid ?? '', -transfer.amount);
  const may = (one: Expected): boolean => isNear(transfer, one) && mayBe(transfer, one);
  const all = known ? [known] : (books.outgoing.get(place) ?? []).filter(may);
  for (const one of all)
    if (one.payout?.state === 'unknown')
      fits.set(one, [...(fits.get(one) ?? []), { transfer, isAlone: all.length === 1 }]);
  const found = known ?? nearest(transfer, all);
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
 * Finds the last payment that a transfer may give back, whole or in part. The transfer may be the change or the refund
 * of a sale that a restored table has lost, so no book expects it. `unsold` is ordered by time.
 */
const paymentBehind = (
  { at, or: latest = at, amount }: Transfer,
  unsold: readonly UntoldTransfer[],
): Transfer | undefined => {
  const transfer = { at: latest, amount };
  const isBehind = (paid: Transfer): boolean => paid.at <= transfer.at && paid.amount >= -transfer.amount;
  return unsold.findLast((one) => isBehind(one.transfer))?.transfer;
};

/** The sales and the paid payouts between two times that have no line in the history. */
const missingIn = ({ books }: Reconciling, nameOf: (uuid: string) => string, first: number, last: number) => {
  const isMissing = ({ isFound, at }: Expected): boolean => !isFound && at >= first && at <= last;
  const isMarked = ({ payout }: Expected): boolean => payout?.state === 'paid' && !payout.isByHand;
  const told = (about: string, { uuid, amount, at }: Expected): Difference => {
    const what = { difference: 'sold and not paid', who: nameOf(uuid), amount, about } as const;
    return { ...what, type: null, at: timestamp(at), file: null, line: null };
  };
  const sales = [...books.incoming.values()].flat().filter(isMissing);
  const payouts = [...books.outgoing.values()].flat().filter((one) => isMissing(one) && isMarked(one));
  return [
    ...sales.map((sale) => told(`sale ${sale.id}`, sale)),
    ...payouts.map((payout) => told(`payout ${payout.id}, which counts as paid`, payout)),
  ];
};

/**
 * `known`: unknown payouts with exactly one fitting transfer that fits nothing else. `doubtful`: the ids of the others.
 */
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
 * Removes payments that vendors gave back whole because nothing could be sold. Each goes with the first transfer of the
 * same amount to the same avatar within two days.
 */
const withoutGivenBack = ({ transfers, payouts }: Reconciling) => {
  const byTime = [...transfers].sort(([, a], [, b]) => a.at - b.at);
  const placeIn = ([{ who, amount }]: readonly [Difference, Transfer]): string => placeOf(who, amount);
  const isBack = ([one]: readonly [Difference, Transfer]): boolean =>
    one.difference === 'given and not owed' && !payouts.has(one);
  const back = Map.groupBy(byTime.filter(isBack), placeIn);
  /** The index in each list of the first transfer that is left. Payments and transfers are both ordered by time. */
  const next = new Map<string, number>();
  const paired = new Set<Difference>();
  for (const payment of byTime) {
    const [one, { at }] = payment;
    if (one.difference !== 'paid and not sold') continue;
    const place = placeIn(payment);
    const others = back.get(place) ?? [];
    let index = next.get(place) ?? 0;
    const timeAt = (): number => others[index]?.[1].or ?? others[index]?.[1].at ?? Number.POSITIVE_INFINITY;
    while (timeAt() < at) index += 1;
    const other = others[index];
    if (other && other[1].at - at <= lateMillis) {
      paired.add(one).add(other[0]);
      index += 1;
    }
    next.set(place, index);
  }
  return { differences: [...transfers.keys()].filter((one) => !paired.has(one)), paired };
};

/** A name in the form that `ignored` holds. */
export const ignoredName = (name: string): string => {
  const { uuid, username } = parseIdentifier(copiedName(name)) ?? {};
  return uuid ?? username ?? normalised(name).trim();
};

/** Compares transfers with the books, one after the other. `ignored` holds names in the form of `ignoredName`. */
export const startReconciling = (books: Books, ignored: ReadonlySet<string>) => {
  const none = { ignoredRows: 0, unsold: [], unbooked: [] };
  const sets = { transfers: new Map(), payouts: new Set<Difference>(), fits: new Map() };
  const state: Reconciling = { books, ignored, ...none, ...sets };
  const seen = new Set<string>();
  let repeated = 0;
  return {
    take: (transfer: Transfer): void => {
      const { id, amount } = transfer;
      // The files of two months may overlap, so a transfer may come twice.
      if (id !== undefined && seen.has(id)) {
        repeated += 1;
        return;
      }
      if (id !== undefined) seen.add(id);
      (amount > 0 ? takeIncoming : takeOutgoing)(state, transfer);
    },
    /** The result for a history between two times, in milliseconds since 1970. */
    end: (first: number, last: number) => {
      const names = new Map([...books.uuids].map(([name, uuid]) => [uuid, name]));
      const nameOf = (uuid: string): string => names.get(uuid) ?? uuid;
      const { differences: told, paired } = withoutGivenBack(state);
      const unpaired = (some: readonly UntoldTransfer[]): UntoldTransfer[] =>
        some.filter((one) => !paired.has(one.told));
      const byTime = unpaired(state.unsold).sort((a, b) => a.transfer.at - b.transfer.at);
      const unsold = Map.groupBy(byTime, ({ uuid }) => uuid);
      const unbooked = unpaired(state.unbooked).map((one): UnbookedTransfer => {
        const isPayout = state.payouts.has(one.told);
        return { ...one, payment: isPayout ? undefined : paymentBehind(one.transfer, unsold.get(one.uuid) ?? []) };
      });
      return {
        differences: [...told, ...missingIn(state, nameOf, first, last)],
        ...knownIn(state, nameOf),
        unbooked,
        givenBack: paired.size / 2,
        ignored: state.ignoredRows,
        repeated,
      };
    },
  };
};
