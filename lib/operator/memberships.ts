import { countBy, listCategories, listMembers } from '../catalogue/categories.ts';
import {
  additionOf,
  addMember,
  isFull,
  memberKey,
  memberOf,
  removalOf,
  removeMember,
  type SortableProduct,
} from '../catalogue/memberships.ts';
import { everyRow } from '../lists/source.ts';
import { Problem } from '../problem.ts';
import type { Category } from '../routes/categories.ts';
import { answer, type Decision, decide, doFirst, writeAll } from '../table/decide.ts';
import { categoryKey, productKey } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { getMany } from '../table/table.ts';

/** The key of a membership, and its category. */
export interface MembershipKey extends Key {
  category: string;
}

export async function* membershipsOf(store: string): AsyncGenerator<MembershipKey> {
  for await (const { id } of everyRow<Category>(listCategories(store), (category) => category.id))
    for await (const { pk, sk } of everyRow(listMembers(store, id), (member) => member.sk))
      yield { category: id, pk, sk };
}

/** The categories of each product, by the product's id. Products without a category are left out. */
export const readMemberships = async (store: string): Promise<Map<string, Set<string>>> => {
  const categoriesOf = new Map<string, Set<string>>();
  for await (const membership of membershipsOf(store)) {
    const product = memberOf(membership);
    categoriesOf.set(product, (categoriesOf.get(product) ?? new Set()).add(membership.category));
  }
  return categoriesOf;
};

/** Tells whether a product must be in a category. */
export interface Membership {
  productId: string;
  wanted: boolean;
}

/** Another request may delete the category. */
const unlessDeleted = (change: Promise<void>): Promise<void> =>
  change.catch((error) => {
    if (!(error instanceof Problem && error.status === 404)) throw error;
  });

/** A transaction takes 100 items: one is the category, and each membership has two. */
const together = 49;

/** A membership that is not as wanted yet, and its product as it was read. */
interface OpenMembership extends Membership {
  product: SortableProduct;
}

/**
 * The memberships that are not as wanted yet. A membership in `alone` needs a change of its own: either it moves other
 * memberships, or its key may be another one because the product's flags are changing.
 */
const openOf = async (
  store: string,
  id: string,
  memberships: readonly Membership[],
): Promise<{ alone: Membership[]; open: OpenMembership[] }> => {
  const found = await getMany<SortableProduct & Key>(
    memberships.map(({ productId }) => productKey(store, productId)),
    { consistent: true },
  );
  const products = new Map(found.map((product) => [product.sk, product]));
  const members = await getMany(
    found.map((product) => memberKey(store, id, product.sk, product)),
    { consistent: true },
  );
  const present = new Set(members.map(memberOf));
  const [alone, open]: [Membership[], OpenMembership[]] = [[], []];
  for (const { productId, wanted } of memberships) {
    const product = products.get(productId);
    if (!product || (wanted && present.has(productId))) continue;
    if (wanted ? isFull(product) : !present.has(productId)) alone.push({ productId, wanted });
    else open.push({ productId, wanted, product });
  }
  return { alone, open };
};

/** Adds products to a category or removes them, and adjusts its count. Leaves out products that do not exist. */
export const setMembers = async (store: string, id: string, memberships: readonly Membership[]): Promise<void> => {
  let rest = memberships;
  const step = async (): Promise<Decision<readonly Membership[]>> => {
    const { alone, open } = await openOf(store, id, rest);
    if (alone.length > 0)
      return doFirst(async () => {
        for (const { productId, wanted } of alone)
          await unlessDeleted((wanted ? addMember : removeMember)(store, id, productId));
        rest = open;
      });
    if (open.length === 0) return answer([]);
    const some = open.slice(0, together);
    const count = some.reduce((sum, { wanted }) => sum + (wanted ? 1 : -1), 0);
    const moves = some.flatMap(({ productId, wanted, product }) =>
      (wanted ? additionOf : removalOf)(store, id, productId, product),
    );
    const told = some.map(({ wanted, productId }) => `${wanted ? '+' : '-'}${productId}`);
    return writeAll<readonly Membership[]>([countBy(store, id, count, told), ...moves], {
      result: open.slice(together),
      // Another request has deleted the category.
      ifRefused: ({ by }) => (by(categoryKey(store, id)) ? answer([]) : undefined),
    });
  };
  while (rest.length > 0) rest = await decide(step);
};
