import { timestamp } from '../clock.ts';
import { loaded, type Source } from '../lists/source.ts';
import type { PayeeAnswer } from '../routes/payouts.ts';
import type { Debt } from '../sale/debts.ts';
import { partition, payeeKey, storeOf } from '../table/keys.ts';
import { all, is, isNew, put, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import type { Stamped } from '../table/stamp.ts';
import { get, rowsOf } from '../table/table.ts';

/** L$ between a store and an avatar, each in one of four places. */
export interface PayeeSums {
  /** Below 0 if a sale was refunded whose share had been paid out already. */
  owed: number;
  claimed: number;
  unknown: number;
  paid: number;
}

/** The account of an avatar to whom a store has owed or paid something. */
export interface Payee extends Key, PayeeSums, Stamped {
  username: string;
  /** Grows by one with each change of the sums. Each change is on condition of it. */
  version: number;
  /** When `owed` last rose to 1 or more, or a payout failed. */
  since?: string | undefined;
  /** When a payout was last reported as failed. */
  failedAt?: string | undefined;
  /** The shares from the sales of each UTC day, as far as a claim may leave them out. */
  held?: Readonly<Record<string, number>>;
  /** The marks of debts in the sums whose sales may not have noted it yet. */
  counting?: readonly string[];
  /** The account belongs to an erased avatar, whom nobody can pay. */
  isPseudonym?: true;
  /** Its place in the list of accounts that are owed something, the longest owed first. */
  ranked?: string | undefined;
  rank?: string | undefined;
}

/** The partition of the index that holds the payees who are owed 1 or more, the longest owed first. */
export const owedList = (store: string): string => partition(store, 'PAYEE', 'owed');

export const newPayee = (key: Key, username: string): Payee => ({
  ...key,
  username,
  version: 0,
  owed: 0,
  claimed: 0,
  unknown: 0,
  paid: 0,
});

export const findPayee = (store: string, uuid: string): Promise<Payee | undefined> => get<Payee>(payeeKey(store, uuid));

const dayMillis = 86_400_000;

/** The most days whose shares a claim can leave out. */
const mostHeldDays = 30;

/** The first of the last `days` UTC days; the last of them is the day of `at`. */
const firstOfDays = (at: string, days: number): string =>
  timestamp(Date.parse(at) - (days - 1) * dayMillis).slice(0, 10);

/** The shares by day after debts from sales of these days. Days that no claim can leave out any more are dropped. */
const heldAfter = (
  held: Readonly<Record<string, number>>,
  debts: readonly Debt[],
  at: string,
): Readonly<Record<string, number>> => {
  const days = { ...held };
  for (const { day, shared } of debts) days[day] = (days[day] ?? 0) + shared;
  const first = firstOfDays(at, mostHeldDays);
  return Object.fromEntries(Object.entries(days).filter(([day, sum]) => day >= first && sum > 0));
};

/** The account with its place in the list of accounts that are owed something. */
const placed = (payee: Payee): Payee => {
  const isListed = payee.owed >= 1 && !payee.isPseudonym;
  const { ranked: _, rank: __, ...rest } = payee;
  return isListed ? { ...rest, ranked: owedList(storeOf(payee)), rank: `${payee.since}#${payee.sk}` } : rest;
};

/** The account after a change of its sums. */
export const movedBy = (before: Payee, by: Partial<PayeeSums>, at: string, failedAt?: string): Payee => {
  const owed = before.owed + (by.owed ?? 0);
  const rises = before.owed < 1 && owed >= 1;
  return placed({
    ...before,
    owed,
    claimed: before.claimed + (by.claimed ?? 0),
    unknown: before.unknown + (by.unknown ?? 0),
    paid: before.paid + (by.paid ?? 0),
    version: before.version + 1,
    ...((rises || failedAt !== undefined) && { since: at }),
    ...(failedAt !== undefined && { failedAt }),
  });
};

/** The account with further debts. `counting` has all marks that it needs, including the marks of these debts. */
export const withDebts = (before: Payee, debts: readonly Debt[], counting: readonly string[], at: string): Payee => {
  const owed = debts.reduce((sum, { amount }) => sum + amount, 0);
  return { ...movedBy(before, { owed }, at), held: heldAfter(before.held ?? {}, debts, at), counting };
};

/** The shares that a claim leaves out: from the sales of the last `days` UTC days. */
const heldBack = ({ held = {} }: Payee, days: number, at: string): number => {
  if (days === 0) return 0;
  const first = firstOfDays(at, days);
  return Object.entries(held).reduce((sum, [day, shared]) => (day >= first ? sum + shared : sum), 0);
};

/** The rules by which a claim picks a payee. */
export interface ClaimTerms {
  minimum: number;
  limit?: number | undefined;
  /** The number of UTC days whose shares are left out. */
  hold: number;
}

/** After a payout failed, its payee gets no further one for this time. */
const afterFailureMillis = 3_600_000;

/** The L$ that a claim would take for a payee: 0 if they must not be paid now. */
export const claimableOf = (
  payee: Payee,
  { minimum, limit = Number.MAX_SAFE_INTEGER, hold }: ClaimTerms,
  at: string,
) => {
  const { failedAt, owed, isPseudonym } = payee;
  const isTooSoon = failedAt !== undefined && Date.parse(at) < Date.parse(failedAt) + afterFailureMillis;
  const amount = Math.min(limit, owed - heldBack(payee, hold, at));
  return isPseudonym || isTooSoon || amount < minimum ? 0 : amount;
};

/** The write that replaces an account as it was read. Refused if somebody else has changed it. */
export const payeeWrite = (after: Payee, before: Payee | undefined): Write =>
  // A rename changes the stamp, but not the version.
  put(after, before ? all(is('version', before.version), is('stamp', before.stamp)) : isNew);

/** A store's payees, ordered by UUID. */
export const listPayees = (store: string, isOwed = false): Source<Payee> => {
  const everybody = rowsOf<Payee>({ partition: partition(store, 'PAYEE') });
  if (!isOwed) return everybody;
  return loaded(
    everybody,
    ({ sk }) => sk,
    async (rows) => rows.filter(({ owed }) => owed >= 1),
  );
};

/** A payee in the form of the API. */
export const payeeAnswer = ({ sk: residentUuid, username, owed, claimed, unknown, paid }: Payee): PayeeAnswer => ({
  residentUuid,
  username,
  owed,
  claimed,
  unknown,
  paid,
});
