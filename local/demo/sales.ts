import { sell } from '../../lib/sale/sell.ts';
import type { Store } from '../../lib/store/stores.ts';
import { demoUuid } from './residents.ts';

/** A sale that was refused. It moves no money. */
export const seedSales = async ({ id }: Store): Promise<void> => {
  const parties = { productId: demoUuid(3, 4), buyerIdentifier: { username: 'nova' }, useCredit: false };
  await sell(id, { id: demoUuid(8, 1), ...parties, paid: 500, message: '', reference: 'Vendor 1' }, { by: 'demo' });
};
