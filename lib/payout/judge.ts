import { invalid } from '../problem.ts';
import type { PayoutReport, PayoutState, Settlement } from '../routes/payouts.ts';
import { movedBy, type Payee, type PayeeSums } from './payees.ts';
import { listed, type PayoutItem } from './payouts.ts';

/** Judges payouts from what was read. Nothing here reads, writes, or knows the time. */

/** The place of a payout's L$ in the account, by the payout's state. */
const placeOf = {
  claimed: 'claimed',
  unknown: 'unknown',
  paid: 'paid',
  failed: 'owed',
} as const satisfies Record<PayoutState, keyof PayeeSums>;

export interface PayoutFacts {
  payout: PayoutItem;
  payee: Payee;
}

/** A payout in a new state: its L$ move in the account from one place to another. */
export const movedTo = (
  { payout, payee }: PayoutFacts,
  state: PayoutState,
  change: Partial<PayoutItem>,
  { at, failedAt }: { at: string; failedAt?: string | undefined },
): PayoutFacts => {
  const { amount, version, endedAt } = payout;
  const isSame = state === payout.state;
  const by: Partial<PayeeSums> = isSame ? {} : { [placeOf[payout.state]]: -amount, [placeOf[state]]: amount };
  const ends = state === 'paid' || state === 'failed' ? { endedAt: isSame ? endedAt : at } : { endedAt: undefined };
  const { username } = payee;
  return {
    payout: listed({ ...payout, ...change, ...ends, username, state, version: version + 1 }),
    payee: movedBy(payee, by, at, failedAt),
  };
};

const isSameReport = (one: PayoutReport, other: PayoutReport): boolean =>
  one.result === other.result && one.transactionId === other.transactionId && one.error === other.error;

/**
 * Judges a report by the key that claimed a payout. Undefined: it repeats the last report, and changes nothing. Throws
 * 400 for a different report about a payout that has ended, except that a failed payout was paid after all.
 */
export const judgeReport = (facts: PayoutFacts, report: PayoutReport, at: string): PayoutFacts | undefined => {
  const { state, transactionId, error, reported } = facts.payout;
  const { result } = report;
  const isRepeat =
    (reported && isSameReport(reported, report)) ||
    (state === result && transactionId === report.transactionId && error === report.error);
  const hasEnded = state === 'paid' || state === 'failed';
  // A payout that is unknown keeps its first reason, so another such report changes nothing either.
  if (isRepeat && (hasEnded || state === result)) return undefined;
  if (hasEnded && !(state === 'failed' && result === 'paid'))
    throw invalid(`The payout has ended as ${state}: this report says otherwise. A person can settle it.`);
  const change = { transactionId: report.transactionId, error: report.error, reported: report };
  return movedTo(facts, result, change, { at, failedAt: result === 'failed' ? at : undefined });
};

/** Judges a person's word about a payout. Undefined: it says nothing new. Throws 400 while the payout is claimed. */
export const judgeSettlement = (
  facts: PayoutFacts,
  { result, transactionId, reference }: Settlement,
  at: string,
): PayoutFacts | undefined => {
  const { payout } = facts;
  if (payout.state === 'claimed')
    throw invalid('A cashier has claimed the payout: it can be settled once that is reported, or 10 minutes old.');
  const change = {
    ...(transactionId !== undefined && { transactionId }),
    ...(reference !== undefined && { reference }),
    ...(result === 'paid' && { error: undefined }),
  };
  const isNew = Object.entries(change).some(([name, value]) => payout[name as keyof PayoutItem] !== value);
  return result === payout.state && !isNew ? undefined : movedTo(facts, result, change, { at });
};
