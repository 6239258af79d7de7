import { renameCustomer } from './customers.ts';
import { renameOwner as renameCouponOwner } from './owner-coupons.ts';
import { renameOwner as renameCardOwner } from './owner-gift-cards.ts';
import type { Resident } from './residents.ts';
import { renameSpender } from './spend.ts';

/** Sets a resident's current name on every copy of it that a store holds, since answers carry the current name. */
export const renameEverywhere = async (store: string, { uuid, username }: Resident): Promise<void> => {
  await Promise.all([
    renameCustomer(store, uuid, username),
    renameSpender(store, uuid, username),
    renameCouponOwner(store, uuid, username),
    renameCardOwner(store, uuid, username),
  ]);
};
