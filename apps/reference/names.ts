import type { Route } from '../../lib/routes/route.ts';

const camel = (words: string): string => words.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Names for functions whose own name leaves a part to the folder. */
const fullNames: Readonly<Record<string, string>> = {
  'categories/add-product': 'addProductToCategory',
  'categories/remove-product': 'removeProductFromCategory',
  'gift-cards/redeem-own-cards': 'redeemOwnGiftCards',
};

const shortName = ({ id }: Route): string => camel(id.replace(/^.*\//, ''));

/** `coupons/list-owner-coupons` is `listOwnerCoupons`. */
export const operationIdOf = (row: Route): string => fullNames[row.id] ?? shortName(row);

/** The client's groups for functions in another folder. */
const groups: Readonly<Record<string, string>> = {
  'finding/limit-coupon': 'coupons',
  'finding/list-names': 'customers',
  'me-acts/begin-page': 'me',
  'me-acts/end-page': 'me',
  'me-acts/redeem-own': 'me',
  'me-acts/redeliver-own': 'me',
  'me-acts/update-me': 'me',
  'own-key/accept-invitation': 'keys',
  'own-key/end-key': 'keys',
  'own-key/get-invitation': 'keys',
  'product-card/get-product-gift-card': 'products',
  'product-card/update-product-gift-card': 'products',
  'residents/update-resident': 'customers',
};

/**
 * The method in `apps/client/` for an operation. `customers/list-customers` is `customers.list`: the name drops the
 * resource after the verb.
 */
export const clientMethodOf = (row: Route): string => {
  const group = camel(groups[row.id] ?? row.id.split('/')[0] ?? '');
  const plural = group.charAt(0).toUpperCase() + group.slice(1);
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '');
  const name = shortName(row).replace(new RegExp(`^([a-z]+)(?:${plural}|${singular})(?=[A-Z]|$)`), '$1');
  return `${group}.${name}`;
};
