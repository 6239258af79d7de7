import { unavailable } from '../problem.ts';
import { findCustomerItem } from '../store/customers.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { rowsOf } from '../table/table.ts';
import { asDecided, type CreditLot, changedIn, lotPartition, prefixOf } from './lots.ts';
import { type CreditType, creditTypes, isDue } from './rules.ts';
import { attributes, type CreditItem, holdingOf } from './state.ts';

/** The L$ in open lots of a type that are due; undefined where the lots belong to a later version than the item. */
const dueOf = async (store: string, item: CreditItem, type: CreditType, at: string): Promise<number | undefined> => {
  const { due } = holdingOf(item, type);
  if (due === undefined || !isDue(due, at)) return 0;
  const prefix = prefixOf(type, item[attributes[type].epoch] ?? '');
  const range = { partition: lotPartition(store, item.sk), first: `${prefix}${due}`, last: `${prefix}${at}~` };
  const lots = await rowsOf<CreditLot>(range)({ descending: false });
  const decided = lots.map((lot) => asDecided(lot, item));
  if (decided.some((lot) => changedIn(lot) > (item.creditVersion ?? 0))) return undefined;
  const open = decided.filter(({ state }) => state === 'open');
  return open[0]?.expiresAt === due ? open.reduce((sum, { remaining }) => sum + remaining, 0) : undefined;
};

/** Tells whether the L$ that a customer can spend depend on lots too, which are read after the item. */
export const dependsOnLots = (item: CreditItem, at: string): boolean =>
  creditTypes.some((type) => isDue(holdingOf(item, type).due, at));

/** Reads after which lots that do not belong to their customer's item are a fault, and not a change seen in part. */
const maxReads = 8;

/**
 * The L$ of each type that a customer can spend at a time: the balances without the lots that have come due. Lots are read only
 * where some have. Throws 503 where other writers do not let it see one state. The answer is an estimate as soon as it is
 * given: only a change of the credit itself knows.
 */
export const spendableCredit = async (
  store: string,
  uuid: string,
  read: CreditItem | undefined,
  at: string,
): Promise<Record<CreditType, number>> => {
  let item = read;
  for (let attempt = 1; item; attempt++) {
    const [regular, restricted] = await Promise.all([
      dueOf(store, item, 'regular', at),
      dueOf(store, item, 'restricted', at),
    ]);
    if (regular !== undefined && restricted !== undefined)
      return { regular: (item.credit ?? 0) - regular, restricted: (item.restrictedCredit ?? 0) - restricted };
    if (attempt === maxReads) throw unavailable();
    await pauseOvertaken(attempt);
    item = await findCustomerItem(store, uuid);
  }
  return { regular: 0, restricted: 0 };
};
