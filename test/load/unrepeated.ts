import { sameSet } from './same-set.ts';

/**
 * Increments of one customer without an Idempotency-Key, each sent once. Half are by 1, the others make a lot that its
 * time tells from all other lots. Each answer shows the balance right after its own change, and nothing lowers it, so
 * the answers stand in the order of the changes; what lies between two of them was done by requests that were not heard.
 */
export interface Increment {
  /** Undefined for an increment by 1; else it added `lotAmount`. */
  expiresAt: string | undefined;
  /** Milliseconds of one clock: when it was sent, and when it was answered or given up. */
  begun: number;
  ended: number;
  /** The balance in its answer; undefined where it is not known whether it was done. */
  credit: number | undefined;
}

/** More than there can be increments by 1 between two answers: a gap tells how many of each kind are in it. */
export const lotAmount = 1000;

/** For so long what was not heard may still be done: longer than the service goes on with a request. */
const graceMillis = 60_000;

const lotFaults = (there: readonly string[], increments: readonly Increment[]): string[] => {
  const found = new Set(there);
  const known = increments.flatMap(({ expiresAt, credit }) =>
    expiresAt !== undefined && (credit !== undefined || found.has(expiresAt)) ? [expiresAt] : [],
  );
  return sameSet('lot without a key', there, known);
};

/** Takes out of `pool`, which is in the order of the ends, one that can have been done between two moments. */
const takeOne = (pool: Increment[], after: number, before: number): boolean => {
  const index = pool.findIndex(({ begun, ended }) => begun < before && ended + graceMillis > after);
  if (index >= 0) pool.splice(index, 1);
  return index >= 0;
};

const orderFaults = (balance: number, lots: ReadonlySet<string>, increments: readonly Increment[]): string[] => {
  const unheard = increments.filter(({ credit }) => credit === undefined).sort((one, other) => one.ended - other.ended);
  const ones = unheard.filter(({ expiresAt }) => expiresAt === undefined);
  const more = unheard.filter(({ expiresAt }) => expiresAt !== undefined && lots.has(expiresAt));
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
  // A change was made before every answer to it or to a later one, and after every earlier one was sent.
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

/** What is wrong with the customer's balance and the times of the lots that are there; a sentence each. */
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
