import type { Store } from '../lib/store/stores.ts';
import { seedCatalogue, seedOther } from './demo/catalogue.ts';
import { seedCoupons, seedCustomers } from './demo/customers.ts';

/**
 * Fills the two demo stores. It may be interrupted anywhere, and done again: what it finds of itself it leaves, or
 * writes anew.
 */
export const seedDemo = async (store: Store, other: Store): Promise<void> => {
  await seedCatalogue(store);
  await seedCustomers(store);
  await seedCoupons(store);
  await seedOther(other);
};
