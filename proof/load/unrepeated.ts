import { sameSet } from './same-set.ts';

/**
 * An increment of one customer without an Idempotency-Key, sent once. Half of them add 1; the others add a lot with an
 * expiry of its own, by which it is recognised. Each answer has the balance right after its change, and nothing lowers
 * the balance, so balances put the answers in the order of the changes. A gap between two balances must come from
 * unanswered requests.
 */
export interface Increment {
  /** Undefined for an increment by 1. With an expiry the increment added `lotAmount`. */
  expiresAt: string | undefined;
  /** Milliseconds of one clock: from sending to the answer, or to giving up. */
  begun: number;
  ended: number;
  /** The balance in its answer. Undefined for an unanswered increment, which may or may not have been done. */
  credit: number | undefined;
}

/**
 * Larger than any number of increments by 1 between two answers, so that a gap shows how many of each kind it holds.
 */
export const lotAmount = 1000;

/** For this long the service may still be working on an unanswered request. */
const graceMillis = 60_000;

const lotFaults = (there: readonly string[], increments: readonly Increment[]): string[] => {
  const found = new Set(there);
  const known = increments.flatMap(({ expiresAt, credit }) =>
    expiresAt !== undefined && (credit !== undefined || found.has(expiresAt)) ? [expiresAt] : [],
  );
  return sameSet('lot without a key', there, known);
};

/** Removes the first increment from `pool` (sorted by end) that can have been done between two moments. */
const takeOne = (pool: Increment[], after: number, before: number): boolean => {
  const index = pool.findIndex(({ begun, ended }) => begun < before && ended + graceMillis > after);
  if (index >= 0) pool.splice(index, 1);
  return index >= 0;
};

const orderFaults = (balance: number, lots: ReadonlySet<string>, increments: readonly Increment[]): string[] => {
  const unanswered = increments
    .filter(({ credit }) => credit === undefined)
    .sort((one, other) => one.ended - other.ended);
  const ones = unanswered.filter(({ expiresAt }) => expiresAt === undefined);
  const more = unanswered.filter(({ expiresAt }) => expiresAt !== undefined && lots.has(expiresAt));
  const answers = increments
    .flatMap(({ credit, begun, ended, expiresAt }) =>
      credit === undefined ? [] : [{ credit, begun, ended, amount: expiresAt === undefined ? 1 : lotAmount }],
    )
    .sort((one, other) => one.credit - other.credit);
  const end = { credit: balance, begun: 0, ended: Number.POSITIVE_INFINITY, amount: 0 };
  const all = [...answers.filter(({ credit }) => credit <= balance), end];
  const faults = answers
    .filter(({ credit }) => credit > balance)
    .map(({ credit }) => `an increment came to ${credit}, but the balance is ${balance}: it is lost`);
  // A change happened before its own answer and all later answers, and after all earlier requests were sent.
  const before: number[] = [];
  for (const { ended } of all.toReversed()) before.unshift(Math.min(ended, before[0] ?? ended));
  let after = 0;
  let last = 0;
  for (const [index, { credit, begun, amount }] of all.entries()) {
    const gap = credit - amount - last;
    if (gap < 0) faults.push(`increments that came to ${last} and ${credit} have one place: one is lost`);
    const isKnown = (pool: Increment[]): boolean => takeOne(pool, after, before[index] ?? 0);
    for (let rest = gap; rest > 0; rest -= rest < lotAmount ? 1 : lotAmount) {
      if (isKnown(rest < lotAmount ? ones : more)) continue;
      faults.push(`between the balances of ${last} and ${credit} there is more than was sent: one is doubled`);
      break;
    }
    last = Math.max(last, credit);
    after = Math.max(after, begun);
  }
  return faults;
};

/**
 * Compares the increments with the customer's balance and the expiries of the lots. Returns a sentence for each fault.
 */
export const unrepeatedFaults = (
  balance: number,
  lots: readonly string[],
  increments: readonly Increment[],
): string[] => [...lotFaults(lots, increments), ...orderFaults(balance, new Set(lots), increments)];

export const unrepeatedFigures = (increments: readonly Increment[]) => {
  const acknowledged = increments.filter(({ credit }) => credit !== undefined);
  return {
    acknowledged: acknowledged.length,
    unknown: increments.length - acknowledged.length,
    lots: acknowledged.filter(({ expiresAt }) => expiresAt !== undefined).length,
  };
};
