import { memberKey, memberOf, type SortableProduct } from '../../../lib/catalogue/memberships.ts';
import { type MembershipKey, membershipsOf } from '../../../lib/operator/memberships.ts';
import { productKey } from '../../../lib/table/keys.ts';
import { get } from '../../../lib/table/table.ts';
import { type Check, forEvery } from './audit.ts';
import type { Kind } from './kind.ts';

const membershipFaults = async (store: string, { category, pk, sk }: MembershipKey): Promise<string[]> => {
  const id = memberOf({ sk });
  const product = await get<SortableProduct>(productKey(store, id));
  if (!product) return [`category ${category}: the product ${id} is in it, but does not exist.`];
  const right = memberKey(store, category, id, product).sk;
  const isKnown = product.sorted === undefined || product.sortedIn?.has(category);
  if (sk === right && isKnown) return [];
  // Another request may have moved or removed it since it was listed.
  if (!(await get({ pk, sk }))) return [];
  return sk === right
    ? [`category ${category}: the product ${id} is in it, but does not say so.`]
    : [`category ${category}: the product ${id} stands there as ${describeFlags(sk)}, but is ${describeFlags(right)}.`];
};

/** Each membership's sort key begins with the flags of its product, so that the filters of a category find it. */
export const checkMemberships: Check = (store, listener) =>
  forEvery(membershipsOf(store), listener, (membership) => membershipFaults(store, membership));

/** Says in words the flags in a membership's sort key. */
const describeFlags = (sk: string): string => {
  const [, listed, bloggable] = /^on([01])([01])#/.exec(sk) ?? [];
  if (listed !== undefined) return `${listed === '1' ? '' : 'not '}listed, ${bloggable === '1' ? '' : 'not '}bloggable`;
  return sk.startsWith('off#') ? 'inactive' : 'unsorted';
};

export const memberships: Kind = {
  audit: [{ what: 'memberships', check: checkMemberships, holds: 'each stands where its product’s flags say' }],
};
