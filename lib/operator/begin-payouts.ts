import { now, timestamp } from '../clock.ts';
import { everyRow } from '../lists/source.ts';
import { paidBefore } from '../payout/claim.ts';
import { findPayee, listPayees } from '../payout/payees.ts';
import { byId } from '../payout/payouts.ts';
import { findStore } from '../store/stores.ts';
import { answer, type Decision, decide, writeAll } from '../table/decide.ts';
import { sharedKey } from '../table/keys.ts';
import { all, check, exists, is, update, type Write } from '../table/language.ts';
import { write } from '../table/table.ts';
import { countSales, findUncountedSales } from './repair-payouts.ts';

/** Books everything that is owed to an avatar as paid by hand, before payouts begin. Answers the amount. */
const bookAll = (store: string, uuid: string): Promise<number> =>
  decide(async (): Promise<Decision<number>> => {
    const [payee, shop] = await Promise.all([findPayee(store, uuid), findStore(store)]);
    if (!payee || payee.owed < 1 || payee.isPseudonym || shop?.payoutsBegunAt !== undefined) return answer(0);
    const { writes } = paidBefore(payee, payee.owed);
    // Another run may begin the payouts meanwhile. Debts that are made later may be claimed.
    const notBegun = check(sharedKey('STORE', store), is('payoutsBegunAt', undefined));
    return writeAll([...writes, notBegun], { result: payee.owed });
  });

interface Begun {
  /** The number of avatars whose debts were booked as paid, and the sum of these debts in L$. */
  payees: number;
  amount: number;
  /** The time at which payouts were begun earlier: then nothing was changed. */
  before: string | undefined;
}

/** Counts the debts of sales that the stream's consumer has not counted. */
type CountSales = (store: string) => Promise<void>;

const countUnseen: CountSales = async (store) => countSales(store, await findUncountedSales(store, () => {}), () => {});

/**
 * Begins the payouts of a store: from now on they can be claimed. Earlier debts count as paid by hand, unless `keep`
 * leaves them to be claimed. So the debts of sales are counted first, and the counter books as paid what this run could
 * not see. It can be repeated after a failure anywhere. `log` makes the writes that belong in the transaction that
 * begins the payouts.
 */
export const beginPayouts = async (
  store: string,
  keep: boolean,
  log: (booked: { payees: number; amount: number }) => readonly Write[] = () => [],
  countFirst = countUnseen,
): Promise<Begun> => {
  const before = (await findStore(store))?.payoutsBegunAt;
  let [payees, amount] = [0, 0];
  if (before !== undefined) return { payees, amount, before };
  if (!keep) await countFirst(store);
  // A sale made while accounts are booked was not paid by hand, so it may be claimed.
  const at = timestamp(now());
  if (!keep)
    for await (const { sk } of everyRow(listPayees(store, true), byId)) {
      const booked = await bookAll(store, sk);
      payees += booked > 0 ? 1 : 0;
      amount += booked;
    }
  const when = all(exists, is('payoutsBegunAt', undefined));
  const set = { payoutsBegunAt: at, ...(!keep && { payoutsPaidUntil: at }) };
  const begin = update(sharedKey('STORE', store), { set, when });
  const together = log({ payees, amount });
  const { done } = await write(begin, { together });
  return { payees, amount, before: done ? undefined : (await findStore(store))?.payoutsBegunAt };
};

/**
 * Resumes payouts that a restored table has stopped. Answers when they were stopped; undefined if they were not, and
 * then nothing was changed.
 */
export const resumePayouts = async (store: string, together: readonly Write[]): Promise<string | undefined> => {
  const stopped = (await findStore(store))?.payoutsStoppedAt;
  if (stopped === undefined) return undefined;
  const resume = update(sharedKey('STORE', store), { set: { payoutsStoppedAt: undefined }, when: exists });
  await write(resume, { together });
  return stopped;
};
