import { unavailable } from '../problem.ts';
import { findCustomerItem } from '../store/customers.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { factsOf, isCurrent, withLots } from './lots.ts';
import { isNotYet, spendableOf } from './plan.ts';
import { type CreditType, creditTypes, isDue } from './rules.ts';
import { type CreditItem, holdingOf } from './state.ts';

/** Tells whether the L$ that a customer can spend depend on lots too, which are read after the item. */
export const dependsOnLots = (item: CreditItem, at: string): boolean =>
  creditTypes.some((type) => isDue(holdingOf(item, type).due, at));

/** Reads after which lots that do not belong to their customer's item are a fault, and not a change seen in part. */
const maxReads = 8;

/**
 * The L$ of each type that a customer can spend at a time: the balances without the lots that have come due. Lots are
 * read only where some have. Throws 503 where other writers do not let it see one state. The answer is an estimate as
 * soon as it is given: only a change of the credit itself knows.
 */
export const spendableCredit = async (
  store: string,
  uuid: string,
  read: CreditItem | undefined,
  at: string,
): Promise<Record<CreditType, number>> => {
  let item = read;
  for (let attempt = 1; item; attempt++) {
    let facts = factsOf(item);
    let spendable = spendableOf(facts, at, { alone: true });
    if (isNotYet(spendable) && spendable.kind === 'read') {
      facts = await withLots(store, facts, spendable.lots, at);
      spendable = spendableOf(facts, at, { alone: true });
    }
    if (!isNotYet(spendable) && (!dependsOnLots(item, at) || (await isCurrent(facts)))) return spendable;
    if (attempt === maxReads) throw unavailable();
    await pauseOvertaken(attempt);
    item = await findCustomerItem(store, uuid);
  }
  return { regular: 0, restricted: 0 };
};
