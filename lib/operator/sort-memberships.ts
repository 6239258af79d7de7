import pMap from 'p-map';
import { countBy } from '../catalogue/categories.ts';
import { isSortedAsRead, maxSorted, memberKey, type SortableProduct, sortedInto } from '../catalogue/memberships.ts';
import { productKey } from '../table/keys.ts';
import { all, exists, is, isNew, put, remove, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, transact } from '../table/table.ts';
import { readMemberships } from './memberships.ts';

const either = [false, true];
/** A product for every state that gives its memberships another key. */
const states: readonly SortableProduct[] = [
  { active: true, listed: true, bloggable: false },
  { active: false, listed: true, bloggable: false, sorted: 0 },
  ...either.flatMap((listed) => either.map((bloggable) => ({ active: true, listed, bloggable, sorted: 0 }))),
];

/**
 * DynamoDB takes 100 items in a transaction. One is the product. A category needs at most three, if it has the product
 * twice.
 */
const together = 99;
const categoriesTogether = 33;

/** The memberships of one product as read, by category, and the writes that sort or unsort them. */
const readProduct = async (store: string, id: string, product: SortableProduct, known: ReadonlySet<string>) => {
  const candidates = [...new Set([...known, ...(product.sortedIn ?? [])])];
  const keyIn = (category: string, state: SortableProduct): Key => memberKey(store, category, id, state);
  const keys = candidates.flatMap((category) => states.map((state) => keyIn(category, state)));
  const rows = Map.groupBy(await getMany<Key>(keys, { consistent: true }), ({ pk }) => pk);
  const rowsIn = (category: string): Key[] => rows.get(keyIn(category, product).pk) ?? [];
  const categories = candidates.filter((category) => rowsIn(category).length > 0);
  const { active, listed, bloggable } = product;
  const movesTo = (sortState: { sorted?: number }, some: readonly string[]): Write[] =>
    some.flatMap((category) => {
      const right = keyIn(category, { active, listed, bloggable, ...sortState });
      const strays = rowsIn(category).filter(({ sk }) => sk !== right.sk);
      const isThere = strays.length < rowsIn(category).length;
      return [
        ...strays.map((stray) => remove(stray, exists)),
        ...(isThere ? [] : [put(right, isNew)]),
        ...(rowsIn(category).length > 1 ? [countBy(store, category, 1 - rowsIn(category).length)] : []),
      ];
    });
  return { categories, movesTo };
};

/** The next transaction that sorts a product's memberships; undefined if they are sorted. */
const nextOf = async (store: string, id: string, product: SortableProduct, known: ReadonlySet<string>) => {
  const { categories, movesTo } = await readProduct(store, id, product, known);
  const sorting = movesTo({ sorted: 0 }, categories);
  if (categories.length <= maxSorted && sorting.length <= together) {
    const isKnown = product.sorted !== undefined && categories.every((category) => product.sortedIn?.has(category));
    return isKnown && sorting.length === 0 ? undefined : { sortState: sortedInto(categories), moves: sorting };
  }
  const wrong = categories.filter((category) => movesTo({}, [category]).length > 0);
  if (product.sorted === undefined && wrong.length === 0) return undefined;
  return { sortState: {}, moves: movesTo({}, wrong.slice(0, categoriesTogether)) };
};

/**
 * Takes the next step, on condition that no membership was added since the product was read. The product must have been
 * read before `known`: no item leads from an unsorted product to its categories. Answers whether the step could be
 * taken.
 */
const takeStep = async (
  store: string,
  id: string,
  product: SortableProduct,
  known: ReadonlySet<string>,
): Promise<boolean> => {
  const next = await nextOf(store, id, product, known);
  if (!next) return true;
  const { active, listed, bloggable } = product;
  const change = update(productKey(store, id), {
    set: { sorted: undefined, sortedIn: undefined, ...next.sortState },
    add: { unsorted: 1 },
    when: all(isSortedAsRead(product), is('active', active), is('listed', listed), is('bloggable', bloggable)),
  });
  return !(await transact([change, ...next.moves]));
};

const sideBySide = { concurrency: 4 };

/** It gives up after more rounds without progress than this: other requests change the products all the time. */
const maxIdleRounds = 5;

/**
 * Sorts unsorted memberships, and memberships that the audit would report. A product with more memberships than a
 * transaction holds becomes or stays unsorted. If a category has a product twice, it has and counts it once afterwards.
 * Reports how many products it has looked at. Answers how many it changed, and how many it could not change because
 * others did. It can be repeated, and runs beside other requests.
 */
export const sortMemberships = async (
  store: string,
  onChecked: (count: number) => void,
): Promise<{ changed: number; left: number }> => {
  const changed = new Set<string>();
  // The products that are not sorted, as they were before the memberships were read again.
  let open = new Map<string, SortableProduct>();
  for (let round = 1, idle = 0; ; round++) {
    const categoriesOf = await readMemberships(store);
    const ids = round === 1 ? [...categoriesOf.keys()] : [...open.keys()];
    const still = new Map<string, SortableProduct>();
    let checked = 0;
    let hasStepped = false;
    await pMap(
      ids,
      async (id) => {
        const known = categoriesOf.get(id) ?? new Set<string>();
        const before = open.get(id);
        if (before && (await takeStep(store, id, before, known))) {
          hasStepped = true;
          changed.add(id);
        }
        const product = await get<SortableProduct>(productKey(store, id));
        if (product && (await nextOf(store, id, product, known))) still.set(id, product);
        if (round === 1) onChecked(++checked);
      },
      sideBySide,
    );
    open = still;
    idle = hasStepped ? 0 : idle + 1;
    if (open.size === 0 || idle > maxIdleRounds) return { changed: changed.size, left: open.size };
  }
};
