import { everyRow } from '../../lib/lists/source.ts';
import { Problem } from '../../lib/problem.ts';
import type { Category } from '../../lib/routes/categories.ts';
import { countBy, listCategories, listMembers } from '../../lib/store/categories.ts';
import {
  additionOf,
  addMember,
  type Filed,
  isFull,
  memberKey,
  memberOf,
  productKey,
  removalOf,
  removeMember,
} from '../../lib/store/memberships.ts';
import { pauseOvertaken } from '../../lib/table/retry.ts';
import type { Key } from '../../lib/table/schema.ts';
import { getMany, transact } from '../../lib/table/table.ts';

/** The categories of each product, by the product's id. Products without a category are left out. */
export const readMemberships = async (store: string): Promise<Map<string, Set<string>>> => {
  const categoriesOf = new Map<string, Set<string>>();
  for await (const { id } of everyRow<Category>(listCategories(store), (category) => category.id))
    for await (const member of everyRow(listMembers(store, id), ({ sk }) => sk)) {
      const product = memberOf(member);
      categoriesOf.set(product, (categoriesOf.get(product) ?? new Set()).add(id));
    }
  return categoriesOf;
};

/** Says whether a product is to be in a category. */
export interface Membership {
  productId: string;
  wanted: boolean;
}

/** Another request may delete the category. */
const unlessDeleted = (change: Promise<void>): Promise<void> =>
  change.catch((error) => {
    if (!(error instanceof Problem && error.status === 404)) throw error;
  });

/** A transaction takes 100 items; one is the category, and each membership has two. */
const together = 49;

/** Adds products to a category or removes them, and adjusts its count. Leaves out products that do not exist. */
export const setMembers = async (store: string, id: string, memberships: readonly Membership[]): Promise<void> => {
  let rest = memberships;
  for (let attempt = 1; ; attempt++) {
    const found = await getMany<Filed & Key>(
      rest.map(({ productId }) => productKey(store, productId)),
      { consistent: true },
    );
    const products = new Map(found.map((product) => [product.sk, product]));
    const members = await getMany(
      found.map((product) => memberKey(store, id, product.sk, product)),
      { consistent: true },
    );
    const present = new Set(members.map(memberOf));
    const open: { productId: string; wanted: boolean; product: Filed }[] = [];
    for (const { productId, wanted } of rest) {
      const product = products.get(productId);
      if (!product || (wanted && present.has(productId))) continue;
      // Alone: one has to move other memberships, the other may stand elsewhere if the product's flags change just now.
      if (wanted && isFull(product)) await unlessDeleted(addMember(store, id, productId));
      else if (!wanted && !present.has(productId)) await unlessDeleted(removeMember(store, id, productId));
      else open.push({ productId, wanted, product });
    }
    rest = open;
    if (open.length === 0) return;
    const some = open.slice(0, together);
    const step = some.reduce((sum, { wanted }) => sum + (wanted ? 1 : -1), 0);
    const moves = some.flatMap(({ productId, wanted, product }) =>
      (wanted ? additionOf : removalOf)(store, id, productId, product),
    );
    const refusals = await transact([countBy(store, id, step), ...moves]);
    // Another request has deleted the category.
    if (refusals?.[0]?.refused) return;
    if (refusals) await pauseOvertaken(attempt);
    else attempt = 0;
  }
};
