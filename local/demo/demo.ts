import type { Store } from '../../lib/store/stores.ts';
import { seedCatalogue, seedOther } from './catalogue.ts';
import { seedCoupons, seedCustomers } from './customers.ts';
import { seedDeliveries } from './deliveries.ts';
import { seedPayouts } from './payouts.ts';
import { seedFriendSale, seedSales } from './sales.ts';
import { seedVendors } from './vendors.ts';
import { seedWebhook } from './webhooks.ts';

/**
 * Fills the two demo stores. After an interruption it can run again: it keeps or rewrites the rows of the first run.
 */
export const seedDemo = async (store: Store, other: Store): Promise<void> => {
  await seedCatalogue(store);
  await seedFriendSale(store);
  await seedCustomers(store);
  await seedCoupons(store);
  await seedDeliveries(store);
  await seedSales(store);
  await seedPayouts(store);
  await seedVendors(store);
  await seedWebhook(store);
  await seedOther(other);
};
