import type { SaleState } from '../routes/sales.ts';
import { maxLength } from '../routes/wire.ts';
import { saleKey } from '../table/keys.ts';
import { get } from '../table/table.ts';

/** The fields of a sale that its delivery depends on. */
interface DeliveredSale {
  state: SaleState;
  buyerUuid: string | null;
  recipientUuid: string | null;
}

export const findDeliveredSale = (store: string, id: string): Promise<DeliveredSale | undefined> =>
  get<DeliveredSale>(saleKey(store, id));

/** True once a sale was refunded: its delivery must not be tried any more. */
export const isRefunded = async (store: string, id: string): Promise<boolean> =>
  (await findDeliveredSale(store, id))?.state === 'refunded';

/**
 * The note that goes with an item. With a gift it begins with the giver, as a link that viewers show as the avatar's
 * name. A note that leaves no room for that in a message of the virtual world stays as it is.
 */
export const noteWith = (message: string, sale: DeliveredSale | undefined): string => {
  if (!sale?.buyerUuid || sale.buyerUuid === sale.recipientUuid) return message;
  const note = `This is a gift from secondlife:///app/agent/${sale.buyerUuid}/about.\n${message}`.trim();
  return Buffer.byteLength(note) > maxLength.message ? message : note;
};
