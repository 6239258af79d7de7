import pMap from 'p-map';
import type { Resident } from '../../avatars/residents.ts';
import { listCategories } from '../../catalogue/categories.ts';
import { movedMemberships, sortStateNames } from '../../catalogue/memberships.ts';
import { countProducts, productItem, type StoredProduct } from '../../catalogue/products.ts';
import { divisionOf, makeWhole } from '../../catalogue/stock.ts';
import { withChangeThere, withSettings } from '../../catalogue/told.ts';
import { everyRow } from '../../lists/source.ts';
import { shareFault } from '../../product-rules.ts';
import type { Category } from '../../routes/categories.ts';
import { createProduct, type ProductFields as Fields } from '../../routes/products.ts';
import type { SoldCard } from '../../routes/rules.ts';
import { productKey } from '../../table/keys.ts';
import { exists, isNew, put, targetOf, unchanged, update, type Write } from '../../table/language.ts';
import { getMany, inChunks, transact } from '../../table/table.ts';
import { type Membership, readMemberships, setMembers } from '../memberships.ts';
import {
  type Fault,
  type Group,
  type Importer,
  type Row,
  type Setting,
  sideBySide,
  type Undoing,
  unknownReference,
} from './rows.ts';

/** A product in a row. Its ids are the ids of products and categories. */
export interface ProductFields
  extends Partial<Omit<Fields, 'profitShares' | 'permissions' | 'discount'>>,
    Record<string, unknown> {
  id: string;
  name: string;
  price: number;
  permissions?: Partial<Fields['permissions']>;
  discount?: Partial<Fields['discount']>;
  giftCard?: Partial<SoldCard>;
  mpListing?: number;
  /** The users who share its profit. */
  profitShares?: { user: Resident; percent: number }[];
  categories?: string[];
}

const { body } = createProduct;

/** The shape of an item: see lib/shape.ts. */
interface Shaped {
  shape?: number;
}

/** A product as it is stored, and the number of all its copies. */
interface KnownProduct {
  item: StoredProduct;
  copies: number;
}

/** The part of a product that an import sets and another service tells. */
const settingsOf = ({ name, price, image, listed, bloggable, limited, item, ...product }: StoredProduct) => {
  const { permissions, discount, blockCredits, description, profitShares, demoId, active, mpListing } = product;
  const texts = { name, price, image, listed, bloggable, limited, item, description };
  return { ...texts, permissions, discount, blockCredits, profitShares, demoId, active, mpListing };
};

const valueAt = (fields: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], fields);

/** Merges a row into the stored product. Returns the product, with all copies in its item, or the row's fault. */
const merge = (
  { fields: row }: Row<ProductFields>,
  known: KnownProduct | undefined,
  store: string,
): StoredProduct | Fault => {
  const stored = known?.item;
  const { id, mpListing, categories: _, profitShares, giftCard: card, ...given } = row;
  const shares = profitShares?.map(({ user, percent }) => ({ userUuid: user.uuid, percent }));
  const { credit, texture }: SoldCard = { credit: 0, texture: null, ...stored?.giftCard, ...card };
  const parsed = body.safeParse({
    ...stored,
    availableAmount: known?.copies,
    ...given,
    permissions: { ...stored?.permissions, ...given.permissions },
    discount: { ...stored?.discount, ...given.discount },
    ...(shares && { profitShares: shares }),
  });
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    const field = path.filter((part) => typeof part === 'string').join('.');
    return { field, value: valueAt(row, field), message };
  }
  const kept = shares ?? stored?.profitShares ?? [];
  const wrong = shareFault(kept);
  if (wrong !== undefined) return { field: 'profitShares', message: wrong };
  const fields = { ...parsed.data, profitShares: kept };
  return {
    ...productItem(store, fields, { id, mpListing: mpListing ?? stored?.mpListing ?? 0 }, stored),
    ...((credit > 0 || texture !== null) && { giftCard: { credit, texture } }),
  };
};

const isFault = (made: StoredProduct | Fault): made is Fault => 'message' in made;

/** The copies of a product after a row, and the number at the other service, if a row has told it. */
interface Stock {
  copies: number;
  told: number | undefined;
  kept?: Fault;
}

/**
 * The copies after a row, of a product that is limited and was limited before. This store uses them up. So a file keeps
 * their number unless it is asked to set it, and a move adds the change of the number at the other service.
 */
const stockAfter = (
  { availableAmount: there }: ProductFields,
  { item: { toldCopies: told }, copies: here }: KnownProduct,
  { isMove, setsStock }: Setting,
): Stock => {
  if (isMove && there !== undefined && told !== undefined)
    return { copies: withChangeThere(here, told, there), told: there };
  if (isMove || there === undefined || there === here) return { copies: here, told };
  if (setsStock) return { copies: there, told };
  const message = `stays ${here} here: the copies of a limited product change only with --set-stock`;
  return { copies: here, told, kept: { field: 'availableAmount', value: there, message } };
};

/** The attributes that say how a product's copies are spread over its item and its shares. */
const stockIn = (item: StoredProduct) => ({ availableAmount: item.availableAmount, ...divisionOf(item) });

/** The item with these copies. If their number stays, they stay where they are. */
const withStock = (item: StoredProduct & Shaped, { copies, told }: Stock, known: KnownProduct): StoredProduct => {
  if (copies === known.copies && told === item.toldCopies) return item;
  const { divided, wholeUntil, shape, toldCopies: _, ...others } = item;
  const stock = copies === known.copies ? stockIn(known.item) : { availableAmount: copies };
  return { ...others, ...stock, ...(told !== undefined && { toldCopies: told }) };
};

/** The item that a row makes; undefined if it changes nothing. */
const broughtItem = (
  { fields }: Row<ProductFields>,
  made: StoredProduct,
  known: KnownProduct | undefined,
  setting: Setting,
): { item: StoredProduct | undefined; kept?: Fault } => {
  const told = { settingsOf, isMove: setting.isMove ?? false };
  if (!known?.item.limited || !made.limited) {
    const { toldIn } = known?.item ?? {};
    const limits = made.limited ? { toldCopies: made.availableAmount } : {};
    return { item: withSettings(known?.item, { ...made, ...limits, ...(toldIn && { toldIn }) }, told) };
  }
  const { item: stored } = known;
  const { toldCopies, toldIn } = stored;
  const withItsStock = {
    ...made,
    ...stockIn(stored),
    ...(toldCopies !== undefined && { toldCopies }),
    ...(toldIn && { toldIn }),
  };
  const settled = withSettings(stored, withItsStock, told);
  const { kept, ...stock } = stockAfter(fields, known, setting);
  const item = withStock(settled ?? stored, stock, known);
  return { item: item === stored ? undefined : item, ...(kept && { kept }) };
};

/** This store's own changes that a row undoes. */
const undoneBy = (made: StoredProduct, stored: StoredProduct | undefined): Undoing[] =>
  stored
    ? [
        ...(made.active && !stored.active ? (['product on'] as const) : []),
        ...(made.price === stored.price ? [] : (['price'] as const)),
      ]
    : [];

/** The store's categories and their products. An import reads them once. */
interface KnownCategories {
  categories: ReadonlySet<string>;
  memberships: ReadonlyMap<string, ReadonlySet<string>>;
}

const readKnownCategories = async (store: string): Promise<KnownCategories> => {
  const categories = new Set<string>();
  for await (const { id } of everyRow<Category>(listCategories(store), (category) => category.id)) categories.add(id);
  return { categories, memberships: await readMemberships(store) };
};

const none: ReadonlySet<string> = new Set();

/**
 * The memberships that a row changes. A move adds memberships that the other service had not told before, and ends ones
 * that it had told and no longer has. It leaves the changes of this store.
 */
const movesOf = (
  { id, categories }: ProductFields,
  { memberships }: KnownCategories,
  { toldIn = none }: Pick<StoredProduct, 'toldIn'>,
  isMove: boolean,
): Map<string, boolean> => {
  if (!categories) return new Map();
  const wanted = new Set(categories);
  const present = memberships.get(id) ?? none;
  const come = [...wanted].filter((category) => !present.has(category) && !(isMove && toldIn.has(category)));
  const gone = [...present].filter((category) => !wanted.has(category) && (!isMove || toldIn.has(category)));
  return new Map([...come.map((one) => [one, true] as const), ...gone.map((one) => [one, false] as const)]);
};

/** The writes that replace a product. Its memberships move with its flags, as with PUT. */
const replacement = async (store: string, stored: StoredProduct, made: StoredProduct): Promise<Write[]> => {
  const { sortState, writes } = await movedMemberships(store, made.id, stored, made);
  const { sorted: _, sortedIn: __, unsorted: ___, ...fields } = made;
  return [put({ ...fields, ...sortState }, unchanged(stored, sortStateNames), stored), ...writes];
};

/** The fault if a row names a product or a category that does not exist. */
const referenceFault = (
  { demoId, categories = [] }: ProductFields,
  made: StoredProduct,
  inCategories: KnownCategories,
): { fault?: Fault; demo: Fault } => {
  const demo = { field: 'demoId', value: demoId, message: 'must be another product of the store or file' };
  const stranger = categories.find((id) => !inCategories.categories.has(id));
  if (stranger !== undefined)
    return { demo, fault: { field: 'categories', value: stranger, message: unknownReference('categories') } };
  return made.demoId === made.id ? { demo, fault: demo } : { demo };
};

/** The memberships that rows change, by the products' ids. */
type Moves = Map<string, { categories: ReadonlyMap<string, boolean>; told: ReadonlySet<string> | undefined }>;

const productGroup = async (
  row: Row<ProductFields>,
  products: ReadonlyMap<string, KnownProduct>,
  inCategories: KnownCategories,
  moving: Moves,
  setting: Setting,
): Promise<Group<ProductFields>> => {
  const { store, isMove = false } = setting;
  const { id, demoId, categories } = row.fields;
  const known = products.get(id);
  const stored = known?.item;
  const made = merge(row, known, store);
  if (isFault(made)) return { rows: [row], outcome: made };
  const { fault, demo } = referenceFault(row.fields, made, inCategories);
  if (fault) return { rows: [row], outcome: fault };
  const { item, kept } = broughtItem(row, made, known, setting);
  const moves = movesOf(row.fields, inCategories, stored ?? {}, isMove);
  const told = isMove && categories ? new Set(categories) : undefined;
  const isTold = !told || (told.size === (stored?.toldIn?.size ?? 0) && told.isSubsetOf(stored?.toldIn ?? none));
  moving.set(id, { categories: moves, told: isTold ? undefined : told });
  return {
    rows: [row],
    outcome: stored ? (item || moves.size > 0 ? 'changed' : 'unchanged') : 'created',
    ...(demoId && !products.has(demoId) && { needs: { key: demoId, fault: demo } }),
    ...(item && { writes: stored ? await replacement(store, stored, item) : [put(item, isNew)] }),
    ...(kept && { kept }),
    undoes: item ? undoneBy(item, stored) : [],
  };
};

/** True for a write that replaces a product with a divided stock by one with all copies in its item. */
const replacesDivided = (write: Write): boolean => {
  const { divided }: Partial<StoredProduct> = (write.kind === 'put' && write.found) || {};
  return divided !== undefined && write.kind === 'put' && write.item.divided === undefined;
};

/** Products and their categories. Each import needs its own importer, which reads the categories once. */
export const productImporter = (): Importer<ProductFields> => {
  let reading: Promise<KnownCategories> | undefined;
  const moving: Moves = new Map();
  return {
    plan: async (rows, setting) => {
      const { store } = setting;
      const demos = rows.flatMap(({ fields: { demoId } }) => demoId ?? []);
      const ids = [...rows.map(({ fields }) => fields.id), ...demos];
      const items = await getMany<StoredProduct>(
        ids.map((id) => productKey(store, id)),
        { consistent: true },
      );
      reading ??= readKnownCategories(store);
      const known = await reading;
      const counted = new Map((await countProducts(store, items)).map((item) => [item.sk, item.availableAmount]));
      const stored = new Map(items.map((item) => [item.sk, { item, copies: counted.get(item.sk) ?? 0 }]));
      return pMap(rows, (row) => productGroup(row, stored, known, moving, setting), sideBySide);
    },
    // Writes that were planned for a divided stock are refused after this, and planned again for the whole one.
    prepare: async (groups, { store }) => {
      const written = groups.flatMap(({ writes = [] }) => writes);
      const replaced = written.flatMap((one) => (replacesDivided(one) ? [targetOf(one).sk] : []));
      await pMap(replaced, (id) => makeWhole(store, id), sideBySide);
    },
    finish: async (groups, { store }) => {
      const changes = new Map<string, Membership[]>();
      const told: Write[] = [];
      for (const { rows, outcome } of groups)
        for (const { fields } of typeof outcome === 'string' ? rows : []) {
          const moves = moving.get(fields.id);
          for (const [category, wanted] of moves?.categories ?? [])
            changes.set(category, [...(changes.get(category) ?? []), { productId: fields.id, wanted }]);
          const toldIn = moves?.told?.size ? moves.told : undefined;
          if (moves?.told) told.push(update(productKey(store, fields.id), { set: { toldIn }, when: exists }));
        }
      // One after another: two categories of one product would have to wait for each other.
      for (const [category, memberships] of changes) await setMembers(store, category, memberships);
      // The categories are noted as told after the memberships have changed: if a move is interrupted before, it brings
      // them again.
      for (const some of inChunks(told, 100)) await transact(some);
    },
  };
};
