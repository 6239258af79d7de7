import { type CustomerItem, findCustomerItem, readCustomer } from '../avatars/customers.ts';
import { listAppliedCoupons } from '../catalogue/applied-coupons.ts';
import { nameProducts } from '../catalogue/products.ts';
import { unauthorized } from '../problem.ts';
import type { Me } from '../routes/me.ts';
import { mostCoupons } from '../routes/wire.ts';
import { customerKey } from '../table/keys.ts';
import type { BegunRecord } from './pages.ts';
import { findStore, isOpen } from './stores.ts';

/** The customer's item, or an empty one for an avatar whom the store never touched. */
export const ownItem = async ({ store, uuid, username }: BegunRecord): Promise<CustomerItem> =>
  (await findCustomerItem(store, uuid)) ?? { ...customerKey(store, uuid), username };

/**
 * Everything that stands at the top of a customer's page. An avatar whom the store never touched has zeros. Throws 401
 * if the store was deleted, which ends its pages.
 */
export const readMe = async (page: BegunRecord): Promise<Me> => {
  const { store: id, uuid, username, expiresAt } = page;
  const [store, item, applied] = await Promise.all([
    findStore(id),
    ownItem(page),
    listAppliedCoupons(id, { uuid, username })({ descending: false, limit: mostCoupons }),
  ]);
  if (!store) throw unauthorized();
  const products = await nameProducts(
    id,
    applied.flatMap(({ productId }) => productId ?? []),
  );
  const coupons = applied.map(({ productId = '', ...coupon }) => ({
    ...coupon,
    product: products.get(productId) ?? null,
  }));
  return { ...readCustomer(item), store: { name: store.name, open: isOpen(store) }, coupons, expiresAt };
};
