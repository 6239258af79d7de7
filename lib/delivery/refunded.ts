import type { SaleState } from '../routes/sales.ts';
import { saleKey } from '../table/keys.ts';
import { get } from '../table/table.ts';

/** True once a sale was refunded: its delivery must not be tried any more. */
export const isRefunded = async (store: string, id: string): Promise<boolean> =>
  (await get<{ state: SaleState }>(saleKey(store, id)))?.state === 'refunded';
