import { everyRow } from '../../lib/lists/source.ts';
import type { Category } from '../../lib/routes/categories.ts';
import { countBy, listCategories, listMembers, memberKey } from '../../lib/store/categories.ts';
import { exists, isNew, put, remove } from '../../lib/table/language.ts';
import { pauseOvertaken } from '../../lib/table/retry.ts';
import { getMany, transact } from '../../lib/table/table.ts';

/** The categories of each product, by the product's id. Products without a category are left out. */
export const readMemberships = async (store: string): Promise<Map<string, Set<string>>> => {
  const categoriesOf = new Map<string, Set<string>>();
  for await (const { id } of everyRow<Category>(listCategories(store), (category) => category.id))
    for await (const { sk } of everyRow(listMembers(store, id), (member) => member.sk))
      categoriesOf.set(sk, (categoriesOf.get(sk) ?? new Set()).add(id));
  return categoriesOf;
};

/** Says whether a product is to be in a category. */
export interface Membership {
  productId: string;
  wanted: boolean;
}

/** A transaction takes 100 items; one is the category. */
const together = 99;

/** Adds products to a category or removes them, and adjusts its count. Does not check that the products exist. */
export const setMembers = async (store: string, id: string, memberships: readonly Membership[]): Promise<void> => {
  let rest = memberships;
  for (let attempt = 1; ; attempt++) {
    const members = await getMany(
      rest.map(({ productId }) => memberKey(store, id, productId)),
      { consistent: true },
    );
    const present = new Set(members.map(({ sk }) => sk));
    rest = rest.filter(({ productId, wanted }) => present.has(productId) !== wanted);
    if (rest.length === 0) return;
    const some = rest.slice(0, together);
    const step = some.reduce((sum, { wanted }) => sum + (wanted ? 1 : -1), 0);
    const moves = some.map(({ productId, wanted }) => {
      const key = memberKey(store, id, productId);
      return wanted ? put(key, isNew) : remove(key, exists);
    });
    const refusals = await transact([countBy(store, id, step), ...moves]);
    // Another request has deleted the category.
    if (refusals?.[0]?.refused) return;
    if (refusals) await pauseOvertaken(attempt);
    else attempt = 0;
  }
};
