import { findStoredProduct, isSoldOut, readProduct, type StoredProduct } from '../catalogue/products.ts';
import { now } from '../clock.ts';
import { loaded, type Source } from '../lists/source.ts';
import { priceChangesAt } from '../price.ts';
import { invalid, notFound } from '../problem.ts';
import type { VendorAnswer, VendorFilter, VendorProduct, VendorState } from '../routes/vendors.ts';
import { decide, writeAll } from '../table/decide.ts';
import { partition, productKey, vendorCountKey, vendorKey } from '../table/keys.ts';
import { exists, remove, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import type { Stamped } from '../table/stamp.ts';
import { get, getMany, rowsOf, updateExisting } from '../table/table.ts';

/** An object in the virtual world that sells a product. Its UUID is the sort key. */
export interface VendorItem extends Key, Stamped {
  name: string;
  region: string;
  position?: string | undefined;
  script?: string | undefined;
  /** The address at which it is told of changes. */
  url?: string | undefined;
  productId?: string | undefined;
  registeredAt: string;
  /** The time of the last registration that was written. */
  seenAt: string;
  /** When the sweep noted that it is lost; missing after it has registered again. */
  lostAt?: string | undefined;
  /** When it was last told of a change. */
  toldAt?: string | undefined;
  /** Its place among the vendors of its product. */
  flags?: string | undefined;
  /** Its place in the sweep's list, no later than the time when it may be lost. None while it is lost. */
  dues?: string | undefined;
  due?: string | undefined;
}

/** The partition of the index that holds the vendors of a product. */
const productList = (store: string, productId: string): string => partition(store, 'VENDOR', productId);

/** The attributes of the product that a vendor sells. */
export const selling = (store: string, productId: string | undefined) => ({
  productId,
  flags: productId && productList(store, productId),
});

export const lostMillis = 30 * 3_600_000;

export const isOverdue = ({ seenAt }: VendorItem): boolean => now() >= Date.parse(seenAt) + lostMillis;

const stateOf = (vendor: VendorItem): VendorState =>
  vendor.lostAt !== undefined || isOverdue(vendor) ? 'lost' : 'active';

/** A product in the form that its vendors show now. */
export const shownProduct = (stored: StoredProduct): VendorProduct => {
  const { id, name, price, activePrice, discount, image, permissions, demoId, active } = readProduct(stored);
  const changesAt = priceChangesAt(price, discount, now());
  return { id, name, price, activePrice, changesAt, image, permissions, demoId, active, soldOut: isSoldOut(stored) };
};

/** A vendor in the form of the API, with its product. */
export const vendorAnswer = (vendor: VendorItem, product: StoredProduct | undefined): VendorAnswer => {
  const { sk: uuid, name, region, position = null, script = null, registeredAt, seenAt } = vendor;
  const shown = product ? shownProduct(product) : null;
  return { uuid, name, region, position, script, state: stateOf(vendor), product: shown, registeredAt, seenAt };
};

/** The API's answers about some vendors of a store. Reads all their products at once; these may be a moment old. */
export const vendorAnswers = async (store: string, vendors: readonly VendorItem[]): Promise<VendorAnswer[]> => {
  const keys = vendors.flatMap(({ productId }) => (productId === undefined ? [] : productKey(store, productId)));
  const products = new Map((await getMany<StoredProduct>(keys)).map((product) => [product.sk, product]));
  return vendors.map((vendor) => vendorAnswer(vendor, products.get(vendor.productId ?? '')));
};

export const findVendor = (store: string, uuid: string): Promise<VendorItem | undefined> =>
  get<VendorItem>(vendorKey(store, uuid));

/** Throws 404. */
export const getVendor = async (store: string, uuid: string): Promise<VendorAnswer> => {
  const vendor = await findVendor(store, uuid);
  if (!vendor) throw notFound();
  return vendorAnswer(
    vendor,
    vendor.productId === undefined ? undefined : await findStoredProduct(store, vendor.productId),
  );
};

export const byUuid = ({ sk }: Key): string => sk;

/** A store's vendors, ordered by UUID. */
export const everyVendor = (store: string): Source<VendorItem> => rowsOf({ partition: partition(store, 'VENDOR') });

/** The rows that lead to the vendors of a product. */
export const rowsOfProduct = (store: string, productId: string): Source<Key> =>
  rowsOf({ partition: productList(store, productId), index: 'byFlags' });

/** The vendors that pass the filter, ordered by UUID. */
export const listVendors = (store: string, { product, state }: VendorFilter): Source<VendorItem> => {
  const passes = (vendor: VendorItem): boolean =>
    (state === undefined || stateOf(vendor) === state) && (product === undefined || vendor.productId === product);
  if (product !== undefined)
    return loaded(rowsOfProduct(store, product), byUuid, async (rows) =>
      (await getMany<VendorItem>(rows)).filter(passes),
    );
  return state === undefined
    ? everyVendor(store)
    : loaded(everyVendor(store), byUuid, async (rows) => rows.filter(passes));
};

/**
 * Sets the product that a vendor sells; null means none. `together` is in the same transaction. Throws 404, and 400 for
 * an unknown product.
 */
export const setProduct = async (
  store: string,
  uuid: string,
  productId: string | null,
  together: readonly Write[] = [],
): Promise<VendorAnswer> => {
  const product = productId === null ? undefined : await findStoredProduct(store, productId);
  if (productId !== null && !product) throw invalid('productId must be the id of a product, or null.');
  const set = selling(store, productId ?? undefined);
  const answer = (vendor: VendorItem): VendorAnswer => vendorAnswer(vendor, product);
  return updateExisting(vendorKey(store, uuid), { set }, { answer, together });
};

/** Deletes a vendor, in one transaction with `together`. Throws 404. */
export const deleteVendor = (store: string, uuid: string, together: readonly Write[] = []): Promise<void> => {
  const uncounted = update(vendorCountKey(store), { add: { count: -1 } });
  return decide(() =>
    writeAll([remove(vendorKey(store, uuid), exists), uncounted, ...together], {
      answer: undefined,
      ifRefused: () => {
        throw notFound();
      },
    }),
  );
};
