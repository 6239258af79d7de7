import type { SaleState } from '../routes/sales.ts';
import { type Key, partition } from '../table/schema.ts';
import { get } from '../table/table.ts';

export const saleKey = (store: string, id: string): Key => ({ pk: partition(store, 'SALE'), sk: id });

/** True once a sale was refunded: its delivery must not be tried any more. */
export const isRefunded = async (store: string, id: string): Promise<boolean> =>
  (await get<{ state: SaleState }>(saleKey(store, id)))?.state === 'refunded';
