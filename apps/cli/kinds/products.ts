import * as z from 'zod';
import { listStoredProducts, type StoredProduct } from '../../../lib/catalogue/products.ts';
import { divisionIn, listStoredShares, readShares } from '../../../lib/catalogue/stock.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { productImporter } from '../../../lib/operator/imports/products.ts';
import { readMemberships } from '../../../lib/operator/memberships.ts';
import { createProduct } from '../../../lib/routes/products.ts';
import { updateProductGiftCard } from '../../../lib/routes/rules.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { partition, productKey } from '../../../lib/table/keys.ts';
import { get, getMany, rowsOf } from '../../../lib/table/table.ts';
import { shareForm } from '../../shared/cells.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, foreignId, namedIdHelp, optionalId, rowsFrom, type Values } from './columns.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';

// The schemas of requests check the values of a file, too.
const product = createProduct.body.in.shape;
const card = updateProductGiftCard.body.shape;
const permissions = product.permissions.unwrap().shape;
const discount = product.discount.unwrap().shape;

const shareWords = 'must be users with their percentages, such as ada.lovelace:60;bob:40';

/** Checks shares of profit, as the CSV form reads them or the API writes them. */
const shares = () =>
  z
    .array(
      z
        .object({ userUuid: identifier(), percent: z.number({ error: shareWords }) }, { error: shareWords })
        .transform(({ userUuid, percent }) => ({ user: userUuid, percent })),
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

/** The products whose profit an avatar shares. */
export const findShares = (store: string, uuid: string): Promise<StoredProduct[]> =>
  matching(listStoredProducts(store), ({ profitShares }) => profitShares.some(({ userUuid }) => userUuid === uuid));

const isCount = (copies: number): boolean => Number.isSafeInteger(copies) && copies >= 0;

/** Each product, and each share of a divided stock, has a whole number of copies from 0 on. All shares exist. */
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

/** Each share of a divided stock belongs to the current division of its product. */
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
      'discount.startDate': ['begin', discount.startDate, 'when it begins; empty: has begun'],
      'discount.endDate': ['end', discount.endDate, 'when it ends; empty: never'],
      availableAmount: ['integer', product.availableAmount, 'how many are left, if limited'],
      limited: ['boolean', product.limited, 'whether there is a limited number'],
      item: ['text', product.item, 'the inworld item that is delivered; empty: the name'],
      blockCredits: ['boolean', product.blockCredits, 'whether credit cannot buy it'],
      description: ['text', product.description, 'text, of several lines if need be'],
      profitShares: [shareForm, shares(), 'who shares the profit: user:percent;user:percent'],
      demoId: ['text', foreignId().nullable().default(null), 'the id of the product that is its demo', 'products'],
      active: ['boolean', product.active, 'false for a product that is no longer sold'],
      'giftCard.credit': ['integer', card.credit.default(0), 'the credit of the gift card that a sale makes; 0: none'],
      'giftCard.texture': ['text', card.texture, "that card's texture's UUID; empty: none"],
      mpListing: ['integer', integer(0).default(0), 'its listing on the marketplace; 0: none'],
      categories: ['list', categoryIds, 'its categories, by id or as the file of categories names them', 'categories'],
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
