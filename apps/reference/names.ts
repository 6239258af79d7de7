import type { Route } from '../../lib/routes/route.ts';

/** `coupons/list-owner-coupons` is `listOwnerCoupons`. */
export const operationIdOf = ({ id }: Route): string =>
  id.replace(/^.*\//, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The method of `apps/client/` for an operation. `customers/list-customers` is `customers.list`: the name drops the
 * resource behind the verb.
 */
export const clientMethodOf = (row: Route): string => {
  const [group = ''] = row.id.split('/');
  const camel = group.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const plural = camel.charAt(0).toUpperCase() + camel.slice(1);
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '');
  const name = operationIdOf(row).replace(new RegExp(`^([a-z]+)(?:${plural}|${singular})(?=[A-Z]|$)`), '$1');
  return `${camel}.${name}`;
};
