import { now, timestamp } from '../clock.ts';
import { notFound } from '../problem.ts';
import type { PayoutAnswer, PayoutReport, Settlement } from '../routes/payouts.ts';
import { answer, type Decision, decide, readAgain, writeAll } from '../table/decide.ts';
import { storeOf } from '../table/keys.ts';
import type { Write } from '../table/language.ts';
import { judgeReport, judgeSettlement, type PayoutFacts } from './decide.ts';
import { findPayee, payeeWrite } from './payees.ts';
import { findPayout, type PayoutItem, payoutAnswer, payoutWrite } from './payouts.ts';

/**
 * A payout with its payee. Undefined where an erasure has given both another name since the payout was read, or one of
 * the two does not show yet. An account that is missing for good is found by `store audit`.
 */
export const withPayee = async (payout: PayoutItem): Promise<PayoutFacts | undefined> => {
  const payee = await findPayee(storeOf(payout), payout.residentUuid);
  return payee && { payout, payee };
};

/** The facts about a payout, or undefined where they do not belong together. Throws 404 for one not `isMeant`. */
const readFacts = async (
  store: string,
  id: string,
  isMeant: (payout: PayoutItem) => boolean = () => true,
): Promise<PayoutFacts | undefined> => {
  const payout = await findPayout(store, id);
  if (!payout || !isMeant(payout)) throw notFound();
  return withPayee(payout);
};

/** The writes of a change of a payout and, where its L$ move, of the payee's account. */
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
 * Takes the report of who has claimed a payout: `by` is the key, or the first of those that it was rotated from. Throws
 * 404 for any other key, 400 where the payout has ended otherwise.
 */
export const reportPayout = (store: string, id: string, report: PayoutReport, by: string): Promise<PayoutAnswer> =>
  decide(async () => {
    const facts = await readFacts(store, id, ({ claimedBy }) => claimedBy === by);
    return facts ? concluded(facts, judgeReport(facts, report, timestamp(now()))) : readAgain();
  });

/**
 * Takes a person's word on a payout, in one transaction with the writes of `together` where it changes anything. Throws
 * 404, and 400 while it is claimed.
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
