import { unavailable } from '../problem.ts';
import { findCustomerItem } from '../store/customers.ts';
import { pauseOvertaken } from '../table/retry.ts';
import { rowsOf } from '../table/table.ts';
import { asDecided, type CreditLot, changedIn, lotPartition, prefixOf } from './lot.ts';
import { isCurrent } from './lots.ts';
import { type CreditType, creditTypes, isDue } from './rules.ts';
import { attributes, type CreditItem, holdingOf } from './state.ts';

/** Open lots of a type that are due. */
interface Due {
  amount: number;
  /** As they are stored. */
  open: CreditLot[];
}

/** The lots of a type that are due; undefined where they belong to another version than the item. */
const dueOf = async (store: string, item: CreditItem, type: CreditType, at: string): Promise<Due | undefined> => {
  const { due } = holdingOf(item, type);
  if (due === undefined || !isDue(due, at)) return { amount: 0, open: [] };
  const names = attributes[type];
  const prefix = prefixOf(type, item[names.epoch] ?? '');
  const [first, last] = [`${prefix}${due}`, `${prefix}${at}~`];
  const lots = await rowsOf<CreditLot>({ partition: lotPartition(store, item.sk), first, last })({ descending: false });
  const newest = item[names.newest] ?? '';
  const lacksNewest = newest >= first && newest <= last && !lots.some(({ sk }) => sk === newest);
  if (lacksNewest || lots.some((lot) => changedIn(lot) > (item.creditVersion ?? 0))) return undefined;
  const counted = lots.map((lot) => asDecided(lot, item));
  const open = lots.filter((_, index) => counted[index]?.state === 'open');
  if (open[0]?.expiresAt !== due) return undefined;
  return { amount: counted.reduce((sum, lot) => sum + (lot.state === 'open' ? lot.remaining : 0), 0), open };
};

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
    const [regular, restricted] = await Promise.all([
      dueOf(store, item, 'regular', at),
      dueOf(store, item, 'restricted', at),
    ]);
    if (regular && restricted && (!dependsOnLots(item, at) || (await isCurrent(item, [regular, restricted]))))
      return {
        regular: (item.credit ?? 0) - regular.amount,
        restricted: (item.restrictedCredit ?? 0) - restricted.amount,
      };
    if (attempt === maxReads) throw unavailable();
    await pauseOvertaken(attempt);
    item = await findCustomerItem(store, uuid);
  }
  return { regular: 0, restricted: 0 };
};
