import { listLots } from '../../lib/credit/lots.ts';
import type { CreditItem } from '../../lib/credit/state.ts';
import { findCustomerItem, listCustomerItems } from '../../lib/store/customers.ts';
import { everyRow } from '../../lib/table/query.ts';
import { type Check, faultsOf, forEvery } from './check.ts';
import { auditCredit } from './customer-credit.ts';

/** The faults of a customer's books, by a look during which their credit does not change. */
const look = async (store: string, uuid: string): Promise<string[]> => {
  const before: CreditItem | undefined = await findCustomerItem(store, uuid);
  const lots = await listLots(store, uuid);
  const after: CreditItem | undefined = await findCustomerItem(store, uuid);
  if (!before || !after) return [`customer ${uuid}: was removed while it was read.`];
  const moved = before.creditVersion !== after.creditVersion || before.pending?.id !== after.pending?.id;
  return moved
    ? [`customer ${uuid}: the credit changes all the time and could not be checked.`]
    : auditCredit(after, lots);
};

/** Balances are what is unlotted and in open lots, of both types; closed lots say how they ended; due times are true. */
export const checkCredit: Check = (store, listener) =>
  forEvery(
    everyRow(listCustomerItems(store), ({ sk }) => sk),
    listener,
    async (item) => {
      // Most books are in order at the first look, which costs one read.
      if (auditCredit(item, await listLots(store, item.sk)).length === 0) return;
      for (const fault of await faultsOf(() => look(store, item.sk))) listener.onFault(fault);
    },
  );
