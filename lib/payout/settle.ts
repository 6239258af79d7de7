import { now, timestamp } from '../clock.ts';
import { notFound } from '../problem.ts';
import type { PayoutAnswer, PayoutReport, Settlement } from '../routes/payouts.ts';
import { answer, type Decision, decide, readAgain, writeAll } from '../table/decide.ts';
import { storeOf } from '../table/keys.ts';
import type { Write } from '../table/language.ts';
import { judgeReport, judgeSettlement, type PayoutFacts } from './judge.ts';
import { findPayee, payeeWrite } from './payees.ts';
import { findPayout, type PayoutItem, payoutAnswer, payoutWrite } from './payouts.ts';

/**
 * A payout with its payee. Undefined if an erasure has given both another name since the payout was read, or if one of
 * the two is not visible yet. If an account is missing for good, `store audit` finds that.
 */
export const withPayee = async (payout: PayoutItem): Promise<PayoutFacts | undefined> => {
  const payee = await findPayee(storeOf(payout), payout.residentUuid);
  return payee && { payout, payee };
};

/** The facts about a payout; undefined if they contradict each other. Throws 404 for a payout that is not `isMeant`. */
const readFacts = async (
  store: string,
  id: string,
  isMeant: (payout: PayoutItem) => boolean = () => true,
): Promise<PayoutFacts | undefined> => {
  const payout = await findPayout(store, id);
  if (!payout || !isMeant(payout)) throw notFound();
  return withPayee(payout);
};

/** The writes that change a payout and, if its L$ move, the payee's account. */
export const writesBetween = (before: PayoutFacts, after: PayoutFacts) => [
  payoutWrite(after.payout, before.payout),
  payeeWrite(after.payee, before.payee),
];

const concluded = (
  before: PayoutFacts,
  after: PayoutFacts | undefined,
  together: readonly Write[] = [],
): Decision<PayoutAnswer> =>
  after
    ? writeAll([...writesBetween(before, after), ...together], { answer: payoutAnswer(after.payout, after.payee) })
    : answer(payoutAnswer(before.payout, before.payee));

/**
 * Takes a report about a payout. `by` is the reporting key, or the first key in its chain of rotations. Throws 404 for
 * any key but the one that claimed the payout, and 400 if the payout has ended differently.
 */
export const reportPayout = (store: string, id: string, report: PayoutReport, by: string): Promise<PayoutAnswer> =>
  decide(async () => {
    const facts = await readFacts(store, id, ({ claimedBy }) => claimedBy === by);
    return facts ? concluded(facts, judgeReport(facts, report, timestamp(now()))) : readAgain();
  });

/**
 * Takes a person's word about a payout. If it changes anything, the writes of `together` are in the same transaction.
 * Throws 404, and 400 while the payout is claimed.
 */
export const settlePayout = (
  store: string,
  id: string,
  settlement: Settlement,
  together: readonly Write[] = [],
): Promise<PayoutAnswer> =>
  decide(async () => {
    const facts = await readFacts(store, id);
    return facts ? concluded(facts, judgeSettlement(facts, settlement, timestamp(now())), together) : readAgain();
  });
