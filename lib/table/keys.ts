import type { Kind } from '../routes/route.ts';
import type { Key } from './schema.ts';

/**
 * The keys of the table's items. docs/table.md lists every kind. `uuid` is an avatar's. The partition of a store's item
 * begins with the store's id, so no key leads from one store to another.
 */

/** The partition of a store's items of one kind, or of a part of them. */
export const partition = (store: string, kind: Kind, part?: string): string =>
  part === undefined ? `${store}#${kind}` : `${store}#${kind}#${part}`;

/** The store whose partition this is. */
export const storeOf = ({ pk }: Pick<Key, 'pk'>): string => pk.slice(0, pk.indexOf('#'));

/**
 * The kind of an item, its store and the third part of its partition, which a store's things do not have. The item of a
 * store or of an API key has its id in its own key. Such a key is of no store: `store` is the id in it.
 */
export const placeOf = ({ pk, sk }: Key): { kind: string; store: string; part: string | undefined } => {
  const [first = '', second = '', part] = pk.split('#');
  return pk === sk ? { kind: first, store: second, part } : { kind: second, store: first, part };
};

/** The key of an item that all stores share. */
export const sharedKey = (kind: Kind, id: string): Key => ({ pk: `${kind}#${id}`, sk: `${kind}#${id}` });

/** A resident that the operator told us about. */
export const residentKey = (uuid: string): Key => sharedKey('RESIDENT', uuid);

/** The item of a canonical name that leads to a resident of the operator. */
export const nameKey = (name: string): Key => sharedKey('NAME', name);

/** A resident that a key or the dispenser of one store told us about. No other store sees them. */
export const storeResidentKey = (store: string, uuid: string): Key => ({
  pk: partition(store, 'STORE_RESIDENT'),
  sk: uuid,
});

export const storeNameKey = (store: string, name: string): Key => ({ pk: partition(store, 'STORE_NAME'), sk: name });

export const customerKey = (store: string, uuid: string): Key => ({ pk: partition(store, 'CUSTOMER'), sk: uuid });

/** The item by which the search finds the name of a customer. */
export const customerNameKey = (store: string, name: string): Key => ({
  pk: partition(store, 'CUSTOMER_NAME'),
  sk: name,
});

export const spendKey = (store: string, uuid: string): Key => ({ pk: partition(store, 'SPEND'), sk: uuid });

export const purchaseKey = (store: string, id: string): Key => ({ pk: partition(store, 'PURCHASE'), sk: id });

export const ownedKey = (store: string, uuid: string, productId: string): Key => ({
  pk: partition(store, 'OWNED', uuid),
  sk: productId,
});

/** The account of an avatar whom a store has owed or paid something. */
export const payeeKey = (store: string, uuid: string): Key => ({ pk: partition(store, 'PAYEE'), sk: uuid });

export const payoutKey = (store: string, id: string): Key => ({ pk: partition(store, 'PAYOUT'), sk: id });

export const productKey = (store: string, id: string): Key => ({ pk: partition(store, 'PRODUCT'), sk: id });

export const categoryKey = (store: string, id: string): Key => ({ pk: partition(store, 'CATEGORY'), sk: id });

export const giftCardKey = (store: string, id: string): Key => ({ pk: partition(store, 'GIFTCARD'), sk: id });

export const couponKey = (store: string, id: string): Key => ({ pk: partition(store, 'COUPON'), sk: id });

/** The item that makes a code unique in its store. It exists while a coupon has the code, and holds the coupon's id. */
export const codeKey = (store: string, code: string): Key => ({ pk: partition(store, 'CODE'), sk: code });

/** The coupon that is applied to a product or, without one, to the whole store. */
export const appliedKey = (store: string, uuid: string, productId: string | undefined): Key => ({
  pk: partition(store, 'APPLIED', uuid),
  sk: productId === undefined ? 'store' : `product#${productId}`,
});

export const couponUsesKey = (store: string, uuid: string, couponId: string): Key => ({
  pk: partition(store, 'USE', uuid),
  sk: couponId,
});

export const saleKey = (store: string, id: string): Key => ({ pk: partition(store, 'SALE'), sk: id });

export const deliveryKey = (store: string, id: string): Key => ({ pk: partition(store, 'DELIVERY'), sk: id });

export const vendorKey = (store: string, uuid: string): Key => ({ pk: partition(store, 'VENDOR'), sk: uuid });

/** The number of a store's vendors: each new one and each deletion writes it in one transaction. */
export const vendorCountKey = (store: string): Key => ({ pk: partition(store, 'COUNT'), sk: 'vendors' });

export const webhookKey = (store: string, id: string): Key => ({ pk: partition(store, 'WEBHOOK'), sk: id });

export const eventKey = (store: string, id: string): Key => ({ pk: partition(store, 'EVENT'), sk: id });
