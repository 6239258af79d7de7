import { isDeepStrictEqual } from 'node:util';
import type { StoredProduct } from '../catalogue/products.ts';
import { now, timestamp } from '../clock.ts';
import type { ProductChange, VendorChange } from '../delivery/message.ts';
import { sendMessages } from '../delivery/queue.ts';
import { logSink } from '../log.ts';
import { shownProduct, type VendorItem } from '../vendor/vendors.ts';
import type { ItemChange } from './stream.ts';

/** The vendors to tell of a change: all vendors of a product, or a single one. */
export type ToTell = { product: string } | { vendor: string };

/**
 * The vendors that a change concerns. A change of what vendors show of a product concerns all its vendors. A change of
 * a vendor's product concerns that vendor, unless the vendor's own registration made it.
 */
export const toTellOf = ({ kind, before, after }: ItemChange): ToTell | undefined => {
  if (kind === 'PRODUCT' && before) {
    const [old, young] = [before as StoredProduct, after as StoredProduct];
    return isDeepStrictEqual(shownProduct(old), shownProduct(young)) ? undefined : { product: young.sk };
  }
  if (kind !== 'VENDOR' || !before) return undefined;
  const [old, young] = [before as VendorItem, after as VendorItem];
  const isSet = old.productId !== young.productId && old.seenAt === young.seenAt;
  return isSet && young.url !== undefined ? { vendor: young.sk } : undefined;
};

/** Orders that vendors of a store are told. If the queue does not take the order, they learn of the change later. */
export const orderTelling = async (store: string, some: readonly ToTell[]): Promise<void> => {
  // Every change was made before this time.
  const at = timestamp(now());
  const messages = some.map((one): ProductChange | VendorChange =>
    'vendor' in one ? { kind: 'vendor-changed', store, at, ...one } : { kind: 'product-changed', store, at, ...one },
  );
  const each = new Map(messages.map((message) => [JSON.stringify(message), message]));
  await sendMessages(store, [...each.values()], 'vendors').catch((error: Error) =>
    logSink.write({ level: 'WARN', vendors: 'not told', store, stack: error.stack }),
  );
};
