import pMap from 'p-map';
import * as z from 'zod';
import type { Identifier } from '../../../lib/identifier.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { type Membership, setMembers } from '../../../lib/operator/memberships.ts';
import type { Category } from '../../../lib/routes/categories.ts';
import type { ProductFields as Fields } from '../../../lib/routes/products.ts';
import * as routes from '../../../lib/routes/products.ts';
import { putProductCard, type SoldCard } from '../../../lib/routes/rules.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { listCategories } from '../../../lib/store/categories.ts';
import { movedMemberships, productKey, sortStateNames } from '../../../lib/store/memberships.ts';
import { countProducts, listStoredProducts, productItem, type StoredProduct } from '../../../lib/store/products.ts';
import { divisionIn, divisionOf, listStoredShares, makeWhole, readShares } from '../../../lib/store/stock.ts';
import { isNew, put, targetOf, unchanged, type Write } from '../../../lib/table/language.ts';
import { partition } from '../../../lib/table/schema.ts';
import { isSameItem } from '../../../lib/table/stamp.ts';
import { get, getMany, rowsOf } from '../../../lib/table/table.ts';
import { shareForm } from '../../shared/cells.ts';
import { nested } from '../../shared/nested.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, foreignId, namedIdHelp, optionalId, rowsFrom, type Values } from './columns.ts';
import type { Kind } from './kind.ts';
import { readMemberships } from './memberships.ts';
import { matching, personal } from './personal.ts';
import {
  type Fault,
  type Group,
  type Importer,
  idFrom,
  type Row,
  residentOf,
  type Setting,
  sideBySide,
  unknownReference,
} from './rows.ts';

/** A user's share of a product's profit, as a file names it. */
interface ProfitShare {
  user: Identifier;
  percent: number;
}

/** A product in a file. Fields of permissions and discount have names such as `discount.value`. */
export interface ProductFields extends Record<string, unknown> {
  id: string;
  name: string;
  price: number;
  mpListing?: number;
  profitShares?: ProfitShare[];
  /** A product's id, or the text that its id is made of. Null: no demo. */
  demoId?: string | null;
  /** Ids of categories, or the texts that their ids are made of. */
  categories?: string[];
}

const { body } = routes.createProduct;

/** A product as it is stored, and the number of all its copies. */
interface KnownProduct {
  item: StoredProduct;
  copies: number;
}

/** Merges a row into the stored product. Returns the product, or the row's fault. */
const merge = (row: Row<ProductFields>, known: KnownProduct | undefined, setting: Setting): StoredProduct | Fault => {
  const stored = known?.item;
  const { id, mpListing, categories: _, profitShares, demoId, ...others } = row.fields;
  const { giftCard: card, ...inFile } = nested(Object.entries(others));
  const shares = profitShares?.map(({ user, percent }) => ({ userUuid: residentOf(setting, user).uuid, percent }));
  const given = inFile as Partial<Fields>;
  const { credit, texture }: SoldCard = { credit: 0, texture: null, ...stored?.giftCard, ...(card as object) };
  const request = {
    ...stored,
    availableAmount: known?.copies,
    ...given,
    permissions: { ...stored?.permissions, ...given.permissions },
    discount: { ...stored?.discount, ...given.discount },
    ...(shares && { profitShares: shares }),
    ...(demoId !== undefined && { demoId: demoId && idFrom(setting.store, 'products', demoId) }),
  };
  const parsed = body.safeParse(request);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    const field = path.filter((part) => typeof part === 'string').join('.');
    return { field, value: row.fields[field], message };
  }
  const kept = shares ?? stored?.profitShares ?? [];
  if (new Set(kept.map(({ userUuid }) => userUuid)).size < kept.length)
    return { field: 'profitShares', message: 'must have one share for each user: two are the same user’s' };
  const fields = { ...parsed.data, profitShares: kept };
  const made = {
    ...productItem(setting.store, fields, { id, mpListing: mpListing ?? stored?.mpListing ?? 0 }, stored),
    ...((credit > 0 || texture !== null) && { giftCard: { credit, texture } }),
  };
  // A stock that the row leaves as it is stays where it lies.
  return stored && made.limited && made.availableAmount === known.copies ? { ...made, ...divisionOf(stored) } : made;
};

const isFault = (made: StoredProduct | Fault): made is Fault => 'message' in made;

/** The store's categories and their products, which an import reads once. */
interface KnownCategories {
  categories: ReadonlySet<string>;
  memberships: ReadonlyMap<string, ReadonlySet<string>>;
}

const readKnownCategories = async (store: string): Promise<KnownCategories> => {
  const categories = new Set<string>();
  for await (const { id } of everyRow<Category>(listCategories(store), (category) => category.id)) categories.add(id);
  return { categories, memberships: await readMemberships(store) };
};

/** The memberships that a row changes. */
const movesOf = (
  { fields }: Row<ProductFields>,
  { memberships }: KnownCategories,
  store: string,
): Map<string, boolean> => {
  if (!fields.categories) return new Map();
  const wanted = new Set(fields.categories.map((category) => idFrom(store, 'categories', category)));
  const present = memberships.get(fields.id) ?? new Set();
  return new Map([
    ...[...wanted].filter((id) => !present.has(id)).map((id) => [id, true] as const),
    ...[...present].filter((id) => !wanted.has(id)).map((id) => [id, false] as const),
  ]);
};

/** The writes that replace a product. Its memberships move with its flags, as with PUT. */
const replacement = async (store: string, stored: StoredProduct, made: StoredProduct): Promise<Write[]> => {
  const { sortState, writes } = await movedMemberships(store, made.id, stored, made);
  const { sorted: _, sortedIn: __, unsorted: ___, ...fields } = made;
  return [put({ ...fields, ...sortState }, unchanged(stored, sortStateNames), stored), ...writes];
};

const productGroup = async (
  row: Row<ProductFields>,
  products: ReadonlyMap<string, KnownProduct>,
  inCategories: KnownCategories,
  setting: Setting,
): Promise<Group<ProductFields>> => {
  const known = products.get(row.fields.id);
  const stored = known?.item;
  const made = merge(row, known, setting);
  if (isFault(made)) return { rows: [row], outcome: made };
  const { store } = setting;
  const stranger = row.fields.categories?.find(
    (text) => !inCategories.categories.has(idFrom(store, 'categories', text)),
  );
  if (stranger !== undefined) {
    return { rows: [row], outcome: { field: 'categories', value: stranger, message: unknownReference('categories') } };
  }
  const { demoId } = made;
  const fault = { field: 'demoId', value: row.fields.demoId, message: 'must be another product of the store or file' };
  if (demoId === made.id) return { rows: [row], outcome: fault };
  const isSame = stored !== undefined && isSameItem(stored, made);
  const moves = movesOf(row, inCategories, store);
  return {
    rows: [row],
    outcome: stored ? (isSame && moves.size === 0 ? 'unchanged' : 'changed') : 'created',
    ...(row.fields.demoId && demoId !== null && !products.has(demoId) && { needs: { key: demoId, fault } }),
    ...(!isSame && { writes: stored ? await replacement(store, stored, made) : [put(made, isNew)] }),
  };
};

/** The write replaces a product with a divided stock by one whose copies all lie in its item. */
const replacesDivided = (write: Write): boolean => {
  const { divided }: Partial<StoredProduct> = (write.kind === 'put' && write.found) || {};
  return divided !== undefined && write.kind === 'put' && write.item.divided === undefined;
};

/** Products and their categories. Each import needs an importer of its own, which reads the categories once. */
export const productImporter = (): Importer<ProductFields> => {
  let reading: Promise<KnownCategories> | undefined;
  const knownIn = (store: string): Promise<KnownCategories> => {
    reading ??= readKnownCategories(store);
    return reading;
  };
  return {
    plan: async (rows, setting) => {
      const { store } = setting;
      const demos = rows.flatMap(({ fields: { demoId } }) => (demoId ? [idFrom(store, 'products', demoId)] : []));
      const ids = [...rows.map(({ fields }) => fields.id), ...demos];
      const items = await getMany<StoredProduct>(
        ids.map((id) => productKey(store, id)),
        { consistent: true },
      );
      const known = await knownIn(store);
      const counted = new Map((await countProducts(store, items)).map((item) => [item.sk, item.availableAmount]));
      const stored = new Map(items.map((item) => [item.sk, { item, copies: counted.get(item.sk) ?? 0 }]));
      return pMap(rows, (row) => productGroup(row, stored, known, setting), sideBySide);
    },
    // A write that was planned of a divided stock is refused then, and planned again of the whole one.
    prepare: async (groups, { store }) => {
      const written = groups.flatMap(({ writes = [] }) => writes);
      const replaced = written.flatMap((one) => (replacesDivided(one) ? [targetOf(one).sk] : []));
      await pMap(replaced, (id) => makeWhole(store, id), sideBySide);
    },
    finish: async (groups, { store }) => {
      const known = await knownIn(store);
      const changes = new Map<string, Membership[]>();
      for (const { rows, outcome } of groups)
        for (const row of typeof outcome === 'string' ? rows : [])
          for (const [category, wanted] of movesOf(row, known, store))
            changes.set(category, [...(changes.get(category) ?? []), { productId: row.fields.id, wanted }]);
      // One after another: two categories of one product would wait for each other.
      for (const [category, memberships] of changes) await setMembers(store, category, memberships);
    },
  };
};

// A file is checked by the same schemas as a request.
const product = body.in.shape;
const card = putProductCard.body.shape;
const permissions = product.permissions.unwrap().shape;
const discount = product.discount.unwrap().shape;

const shareWords = 'must be users with their percentages, such as ada.lovelace:60;bob:40';

/** Shares as the CSV form is read, and as the API writes them. */
const shares = () =>
  z
    .array(
      z
        .object({ userUuid: identifier(), percent: z.number({ error: shareWords }) }, { error: shareWords })
        .transform(({ userUuid, percent }): ProfitShare => ({ user: userUuid, percent })),
      { error: shareWords },
    )
    .default([]);

const categoryIds = z.array(foreignId(), { error: 'must be ids or names of categories' }).default([]);

/** The products of a store, with their categories. */
async function* listProducts(store: string): AsyncGenerator<Values> {
  const categoriesOf = await readMemberships(store);
  yield* rowsFrom(listStoredProducts(store), 'sk', (product) => ({
    ...product,
    // The table keeps the members of an object in no order.
    profitShares: product.profitShares.map(({ userUuid, percent }) => ({ userUuid, percent })),
    categories: [...(categoriesOf.get(product.id) ?? [])].sort(),
  }));
}

/** The products of whose price they get a share. */
export const findShares = (store: string, uuid: string): Promise<StoredProduct[]> =>
  matching(listStoredProducts(store), ({ profitShares }) => profitShares.some(({ userUuid }) => userUuid === uuid));

/** A number of copies that there can be. */
const isCount = (copies: number): boolean => Number.isSafeInteger(copies) && copies >= 0;

/** No product, and no share of a divided stock, has fewer copies left than none; and all shares are there. */
export const checkStock: Check = (store, listener) =>
  forEvery(
    everyRow(rowsOf<StoredProduct>({ partition: partition(store, 'PRODUCT') }), ({ sk }) => sk),
    listener,
    async ({ id, name, availableAmount, divided }) => {
      const product = `product ${id} (${name})`;
      if (!isCount(availableAmount)) return [`${product}: ${availableAmount} copies are left.`];
      const item = divided === undefined ? undefined : await get<StoredProduct>(productKey(store, id));
      const shares = item ? await readShares(store, item) : [];
      if (!shares) return [`${product}: shares of its divided stock are missing.`];
      return shares
        .filter(({ copies }) => !isCount(copies))
        .map(({ sk, copies }) => `${product}: the share ${sk} of its stock has ${copies} copies.`);
    },
  );

/** Each share of a divided stock belongs to the division that its product has. */
export const checkShares: Check = (store, listener) =>
  forEvery(
    everyRow(listStoredShares(store), ({ sk }) => sk),
    listener,
    async ({ sk, copies }) => {
      const { id, divided } = divisionIn(sk);
      const [product, share] = await getMany<StoredProduct>(
        [productKey(store, id), { pk: partition(store, 'STOCK'), sk }],
        { consistent: true },
      );
      return share && product?.divided !== divided ? [`stock ${sk}: ${copies} copies lie in no product's stock.`] : [];
    },
  );

/** Products, with the categories that they are in. */
export const products: Kind = {
  file: {
    name: 'products',
    summary: 'products, with the categories that they are in',
    columns: columns({
      id: ['text', optionalId, namedIdHelp],
      name: ['text', product.name, 'the name'],
      price: ['integer', product.price, 'in whole L$'],
      image: ['text', product.image, "the texture's UUID"],
      listed: ['boolean', product.listed, 'whether shops list it'],
      bloggable: ['boolean', product.bloggable, 'whether bloggers may have it'],
      'permissions.copy': ['boolean', permissions.copy, 'whether its owner may copy it'],
      'permissions.modify': ['boolean', permissions.modify, 'whether its owner may modify it'],
      'permissions.transfer': ['boolean', permissions.transfer, 'whether its owner may give it away'],
      'discount.value': ['number', discount.value, 'percent or L$, as the type says'],
      'discount.type': ['integer', discount.type, '0 percent, 1 L$ off, 2 another price'],
      'discount.startDate': ['text', discount.startDate, 'when it begins; empty: has begun'],
      'discount.endDate': ['text', discount.endDate, 'when it ends; empty: never'],
      availableAmount: ['integer', product.availableAmount, 'how many are left, if limited'],
      limited: ['boolean', product.limited, 'whether there is a limited number'],
      item: ['text', product.item, 'the inworld item that is delivered; empty: the name'],
      blockCredits: ['boolean', product.blockCredits, 'whether credit cannot buy it'],
      description: ['text', product.description, 'text, of several lines if need be'],
      profitShares: [shareForm, shares(), 'who shares the profit: user:percent;user:percent'],
      demoId: ['text', foreignId().nullable().default(null), 'the id of the product that is its demo'],
      active: ['boolean', product.active, 'false for a product that is no longer sold'],
      'giftCard.credit': ['integer', card.credit.default(0), 'the credit of the gift card that a sale makes; 0: none'],
      'giftCard.texture': ['text', card.texture, "that card's texture's UUID; empty: none"],
      mpListing: ['integer', integer(0).default(0), 'its listing on the marketplace; 0: none'],
      categories: ['list', categoryIds, 'its categories, by id or as the file of categories names them'],
    }),
    id: { from: ({ name }) => String(name) },
    importer: productImporter,
    rows: listProducts,
  },
  personal: [
    personal<StoredProduct>({
      words: ['profit share', 'profit shares'],
      effect: 'to be removed first',
      find: findShares,
      blocker: ({ id, name }) =>
        `The product ${name} has a profit share of theirs. Replace it without that share (PUT /v1/products/${id}).`,
      kept: (product) => product,
    }),
  ],
  audit: [
    { what: 'products', check: checkStock, holds: 'no stock is below 0, and each divided one has all its shares' },
    { what: 'shares of divided stocks', check: checkShares, holds: 'each belongs to its product' },
  ],
};
