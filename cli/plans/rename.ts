import { ownersCoupons } from '../../lib/store/coupons.ts';
import { customerKey } from '../../lib/store/customers.ts';
import { ownersCards } from '../../lib/store/gift-cards.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { spendKey } from '../../lib/store/spend.ts';
import { exists, update } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import { write } from '../../lib/table/table.ts';

/** Sets the name on an item that holds a copy of it. Does nothing if the item is gone. */
const renameCopy = (key: Key, username: string, attribute = 'username') =>
  write(update(key, { set: { [attribute]: username }, when: exists }));

/** Renames every copy of a resident's name in a store, since answers carry the current name. */
export const renameEverywhere = async (store: string, { uuid, username }: Resident): Promise<void> => {
  const all = { descending: false };
  const [coupons, cards] = await Promise.all([ownersCoupons(store, uuid)(all), ownersCards(store, uuid)(all)]);
  await Promise.all([renameCopy(customerKey(store, uuid), username), renameCopy(spendKey(store, uuid), username)]);
  for (const coupon of coupons) await renameCopy(coupon, username, 'couponOwnerUsername');
  for (const card of cards) await renameCopy(card, username, 'ownerUsername');
};
