import { type CreditLot, listLots } from '../../lib/credit/lots.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../lib/credit/state.ts';
import { type CustomerItem, findCustomerItem, listCustomerItems } from '../../lib/store/customers.ts';
import { everyRow } from '../../lib/table/query.ts';
import { asDecided } from '../audit/customer-credit.ts';

const idOf = ({ sk }: CreditLot): string => sk.slice(sk.lastIndexOf('#') + 1);

/** A customer's item and lots as they were at one moment. */
const readBooks = async (store: string, found: CustomerItem): Promise<{ item: CreditItem; lots: CreditLot[] }> => {
  for (let item: CreditItem = found; ; ) {
    const lots = await listLots(store, item.sk);
    const after: CreditItem = (await findCustomerItem(store, item.sk)) ?? item;
    // A large change that is finished meanwhile leaves the version as it is, but has ended lots that were read as open.
    const isSame = after.creditVersion === item.creditVersion && after.pending?.id === item.pending?.id;
    if (isSame) return { item: after, lots };
    item = after;
  }
};

/**
 * The credit of every customer: for each type what is unlotted, then the lots, open and closed, in the order in which
 * they are drained. What a large change has still to write about a lot is taken as written.
 */
export async function* listCredit(store: string): AsyncGenerator<Record<string, unknown>> {
  for await (const found of everyRow<CreditItem>(listCustomerItems(store), ({ sk }) => sk)) {
    if (found.creditVersion === undefined) continue;
    const { item, lots } = await readBooks(store, found);
    for (const type of creditTypes) {
      const row = { resident: item.sk, type };
      const { unlotted } = holdingOf(item, type);
      if (unlotted > 0) yield { ...row, amount: unlotted };
      const place = (lot: CreditLot): string => `${lot.expiresAt}#${idOf(lot)}`;
      const theirs = lots.filter(({ sk }) => sk.startsWith(`${type}#`)).map((lot) => asDecided(lot, item));
      // Not in the order of their keys: an import puts all lots into one epoch.
      for (const lot of theirs.sort((a, b) => (place(a) < place(b) ? -1 : 1))) yield { ...row, id: idOf(lot), ...lot };
    }
  }
}
