import { merged, type Source } from '../lists/source.ts';
import { notFound } from '../problem.ts';
import { answer, type Decision, decide, writeAll } from '../table/decide.ts';
import { categoryKey, partition, productKey } from '../table/keys.ts';
import {
  all,
  atLeast,
  atMost,
  type Condition,
  check,
  exists,
  is,
  isNew,
  missing,
  put,
  remove,
  targetOf,
  update,
  type Write,
} from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, rowsOf } from '../table/table.ts';
import { countBy, findCategory } from './categories.ts';

/**
 * The products of categories. A membership's sort key begins with the product's flags, so that flags narrow a category
 * by a key condition. If a product's flags change, its memberships move in the same transaction (ADR 14). If a product
 * has too many memberships for one transaction, they are unsorted: without flags in their keys. A list reads the
 * unsorted ones too, and looks at the products' own flags.
 */

/** The part of a product's item that says where its memberships are. */
export interface SortableProduct {
  active: boolean;
  listed: boolean;
  bloggable: boolean;
  /**
   * How often the product was added to a category since its memberships were sorted. Missing while they are unsorted.
   */
  sorted?: number;
  /** The categories that the product has been added to since then. It may have been removed from some. */
  sortedIn?: Set<string>;
  /** How often the product was added to a category while its memberships were unsorted. */
  unsorted?: number;
}

export type SortState = Pick<SortableProduct, 'sorted' | 'sortedIn' | 'unsorted'>;

/** A condition on the whole item must name these attributes too, since an item may not have them. */
export const sortStateNames = ['sorted', 'sortedIn', 'unsorted'] as const;

/** The state of a new product. */
export const newSortState: SortState = { sorted: 0 };

/** The attributes of a product's item that say where its memberships are. Undefined ones are left out. */
export const sortStateOf = ({ sorted, sortedIn, unsorted }: SortState): SortState => ({
  ...(sorted !== undefined && { sorted }),
  ...(sortedIn && { sortedIn }),
  ...(unsorted !== undefined && { unsorted }),
});

/**
 * The most sorted memberships of a product. An addition that moves them all, and completes its request's record, fills
 * a transaction of 100 items.
 */
export const maxSorted = 48;

const unsortedPart = '';
/** Sorts after every unsorted membership: an unsorted one begins with a hexadecimal digit. */
const activePart = (listed: boolean, bloggable: boolean): string => `on${Number(listed)}${Number(bloggable)}#`;

type Flags = Pick<SortableProduct, 'active' | 'listed' | 'bloggable'>;

const flagsPart = ({ active, listed, bloggable }: Flags): string => (active ? activePart(listed, bloggable) : 'off#');

const keyPart = (product: SortableProduct): string =>
  product.sorted === undefined ? unsortedPart : flagsPart(product);

/** The key of a product's membership, if the product is in the category. */
export const memberKey = (store: string, category: string, productId: string, product: SortableProduct): Key => ({
  pk: partition(store, 'MEMBER', category),
  sk: keyPart(product) + productId,
});

/** The id of a membership's product. */
export const memberOf = ({ sk }: Pick<Key, 'sk'>): string => sk.slice(sk.indexOf('#') + 1);

const membersIn = (store: string, category: string, part: string): Source<{ sk: string }> => {
  const rows = rowsOf<Key>({
    partition: partition(store, 'MEMBER', category),
    ...(part !== unsortedPart && { first: part }),
    // No hexadecimal digit sorts after it.
    last: `${part}g`,
  });
  return async ({ from, ...range }) => {
    const found = await rows({ ...range, ...(from && { from: { ...from, position: part + from.position } }) });
    return found.map((member) => ({ sk: memberOf(member) }));
  };
};

/**
 * The ids (`sk`) of a category's products with these flags, in their order. It also answers other ids: of unsorted
 * memberships, and of inactive products with other flags. None if the category was deleted, though some memberships may
 * still be there.
 */
export const listMembersWith = (store: string, category: string, flags: readonly Flags[]): Source<{ sk: string }> => {
  const parts = [...new Set([unsortedPart, ...flags.map(flagsPart)])];
  const members = merged(
    parts.map((part) => membersIn(store, category, part)),
    ({ sk }) => sk,
  );
  return async (range) => {
    const [found, rows] = await Promise.all([findCategory(store, category), members(range)]);
    return found ? rows : [];
  };
};

/** The condition that the product's memberships are where `memberKey` says. */
const isFiledAs = ({ active, listed, bloggable, sorted }: SortableProduct): Condition =>
  sorted === undefined
    ? all(exists, missing('sorted'))
    : all(atLeast('sorted', 0), is('active', active), is('listed', listed), is('bloggable', bloggable));

/** The flags of most products. A request tries them first, which saves it a read. */
const usual: SortableProduct = { active: true, listed: true, bloggable: false, sorted: 0 };

/** The writes that add a product to a category, beside its count: first the product's, then the membership's. */
export const additionOf = (store: string, category: string, productId: string, product: SortableProduct): Write[] => [
  update(
    productKey(store, productId),
    product.sorted === undefined
      ? { add: { unsorted: 1 }, when: isFiledAs(product) }
      : {
          add: { sorted: 1, sortedIn: new Set([category]) },
          when: all(isFiledAs(product), atMost('sorted', maxSorted - 1)),
        },
  ),
  put(memberKey(store, category, productId, product), isNew),
];

/** The writes that remove a product from a category, beside its count. */
export const removalOf = (store: string, category: string, productId: string, product: SortableProduct): Write[] => [
  check(productKey(store, productId), isFiledAs(product)),
  remove(memberKey(store, category, productId, product), exists),
];

/** True if additions have used up the room of a sorted product. */
export const isFull = ({ sorted = 0 }: SortableProduct): boolean => sorted >= maxSorted;

/** The categories of a sorted product, and the checks that hold while they are as read. */
const sortedIn = async (store: string, productId: string, product: SortableProduct) => {
  const candidates = [...(product.sortedIn ?? [])];
  const keyIn = (category: string): Key => memberKey(store, category, productId, product);
  const rows = await getMany<Key>(candidates.map(keyIn), { consistent: true });
  const there = new Set(rows.map(({ pk }) => pk));
  return {
    categories: candidates.filter((category) => there.has(keyIn(category).pk)),
    stillGone: candidates.filter((category) => !there.has(keyIn(category).pk)).map((one) => check(keyIn(one), isNew)),
  };
};

/** The state of a product whose memberships are sorted. DynamoDB keeps no empty set. */
export const sortedInto = (categories: readonly string[]): SortState => ({
  sorted: categories.length,
  ...(categories.length > 0 && { sortedIn: new Set(categories) }),
});

const moves = (
  store: string,
  productId: string,
  categories: readonly string[],
  from: SortableProduct,
  to: SortableProduct,
): Write[] =>
  keyPart(from) === keyPart(to)
    ? []
    : categories.flatMap((category) => [
        remove(memberKey(store, category, productId, from), exists),
        put(memberKey(store, category, productId, to)),
      ]);

/** The condition that no membership of the product was sorted or added since it was read. */
export const isSortedAsRead = (product: SortState): Condition =>
  all(...sortStateNames.map((name) => is(name, product[name])));

/**
 * The effect of a change of a product's flags on its memberships: the new attributes of its item, and the writes (at
 * most 96) that belong into one transaction with the item's write. That write must have the condition that the item is
 * as it was read.
 */
export const movedMemberships = async (
  store: string,
  productId: string,
  from: SortableProduct,
  to: Omit<SortableProduct, keyof SortState>,
): Promise<{ sortState: SortState; writes: Write[] }> => {
  if (!from.sortedIn || keyPart(from) === keyPart({ ...to, sorted: 0 }))
    return { sortState: sortStateOf(from), writes: [] };
  const { categories, stillGone } = await sortedIn(store, productId, from);
  const { unsorted } = from;
  return {
    sortState: sortStateOf({ ...sortedInto(categories), ...(unsorted !== undefined && { unsorted }) }),
    writes: [...stillGone, ...moves(store, productId, categories, from, { ...to, sorted: 0 })],
  };
};

/**
 * The writes that add a product to a category when there is no room for one more sorted membership. If the product has
 * left some categories meanwhile, their room is used. Otherwise all its memberships become unsorted. Undefined if the
 * product is in the category already.
 */
const additionToFull = async (
  store: string,
  category: string,
  productId: string,
  product: SortableProduct,
): Promise<Write[] | undefined> => {
  const { categories, stillGone } = await sortedIn(store, productId, product);
  if (categories.includes(category)) return undefined;
  const asRead = all(isFiledAs(product), isSortedAsRead(product));
  if (categories.length < maxSorted)
    return [
      update(productKey(store, productId), { set: { ...sortedInto([...categories, category]) }, when: asRead }),
      put(memberKey(store, category, productId, product), isNew),
      ...stillGone.filter((one) => targetOf(one).pk !== partition(store, 'MEMBER', category)),
    ];
  const { sorted: _, ...unsorted } = product;
  return [
    update(productKey(store, productId), {
      set: { sorted: undefined, sortedIn: undefined },
      add: { unsorted: 1 },
      when: asRead,
    }),
    put(memberKey(store, category, productId, unsorted), isNew),
    ...moves(store, productId, categories, product, unsorted),
  ];
};

/** The decision to add a product with these flags to a category. Throws 404 as `addMember` does. */
const addAs = async (
  store: string,
  category: string,
  productId: string,
  product: SortableProduct,
): Promise<Decision<undefined>> => {
  const addition = isFull(product)
    ? await additionToFull(store, category, productId, product)
    : additionOf(store, category, productId, product);
  if (!addition && (await findCategory(store, category))) return answer(undefined);
  if (!addition) throw notFound();
  return writeAll([countBy(store, category, 1, [`+${productId}`]), ...addition], {
    answer: undefined,
    ifRefused: ({ by }) => {
      const refused = by<SortableProduct>(productKey(store, productId));
      if (by(categoryKey(store, category)) || (refused && !refused.item)) throw notFound();
      if (refused?.item) return addAs(store, category, productId, refused.item);
      const [, membership] = addition;
      return membership && by(targetOf(membership)) ? answer(undefined) : undefined;
    },
  });
};

/**
 * Adds a product to a category. The count changes in the same transaction, and only if the product was not in the
 * category. Throws 404 for an unknown category or product.
 */
export const addMember = (store: string, category: string, productId: string): Promise<void> =>
  decide(() => addAs(store, category, productId, usual));

/**
 * Removes a product from a category. The count changes in the same transaction, and only if the product was in the
 * category. Throws 404 for an unknown category or product.
 */
export const removeMember = (store: string, category: string, productId: string): Promise<void> => {
  const count = countBy(store, category, -1, [`-${productId}`]);
  const asStored = async (): Promise<Decision<undefined>> => {
    const product = await get<SortableProduct>(productKey(store, productId));
    if (!product) throw notFound();
    return writeAll([count, ...removalOf(store, category, productId, product)], {
      result: undefined,
      ifRefused: ({ by }) => {
        if (by(categoryKey(store, category))) throw notFound();
        return by(productKey(store, productId)) ? undefined : answer(undefined);
      },
    });
  };
  const asUsual = (): Decision<undefined> =>
    writeAll([count, remove(memberKey(store, category, productId, usual), exists)], {
      result: undefined,
      ifRefused: ({ by }) => {
        if (by(categoryKey(store, category))) throw notFound();
        // The product is not in the category, or has other flags.
        return asStored();
      },
    });
  return decide((attempt) => (attempt > 1 ? asStored() : asUsual()));
};
