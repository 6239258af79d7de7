import * as z from 'zod';
import { createProduct } from '../../../lib/routes/products.ts';
import { integer } from '../../../lib/routes/wire.ts';
import { listStoredProducts, type StoredProduct } from '../../../lib/store/products.ts';
import { everyRow } from '../../../lib/table/query.ts';
import { readMemberships } from '../../plans/memberships.ts';
import { products as importer } from '../../plans/products.ts';
import { foreignId, idHelp, shares } from '../columns.ts';
import type { Kind } from '../kinds.ts';

// What a file may say of a product is what a request may say of it, by the same checks.
const { shape } = createProduct.body.in;
const permissions = shape.permissions.unwrap().shape;
const discount = shape.discount.unwrap().shape;

export const products: Kind = {
  name: 'products',
  summary: 'products, with the categories that they are in',
  columns: [
    { name: 'id', form: 'text', check: foreignId().optional(), help: idHelp },
    { name: 'name', form: 'text', check: shape.name, help: 'the name' },
    { name: 'price', form: 'integer', check: shape.price, help: 'in whole L$' },
    { name: 'image', form: 'text', check: shape.image, help: "the texture's UUID" },
    { name: 'listed', form: 'boolean', check: shape.listed, help: 'whether shops list it' },
    { name: 'bloggable', form: 'boolean', check: shape.bloggable, help: 'whether bloggers may have it' },
    { name: 'permissions.copy', form: 'boolean', check: permissions.copy, help: 'whether its owner may copy it' },
    { name: 'permissions.modify', form: 'boolean', check: permissions.modify, help: 'whether its owner may modify it' },
    {
      name: 'permissions.transfer',
      form: 'boolean',
      check: permissions.transfer,
      help: 'whether its owner may give it away',
    },
    { name: 'discount.value', form: 'number', check: discount.value, help: 'percent or L$, as the type says' },
    { name: 'discount.type', form: 'integer', check: discount.type, help: '0 percent, 1 L$ off, 2 another price' },
    { name: 'discount.startDate', form: 'text', check: discount.startDate, help: 'when it begins; empty: has begun' },
    { name: 'discount.endDate', form: 'text', check: discount.endDate, help: 'when it ends; empty: never' },
    { name: 'availableAmount', form: 'integer', check: shape.availableAmount, help: 'how many are left, if limited' },
    { name: 'limited', form: 'boolean', check: shape.limited, help: 'whether there is a limited number' },
    { name: 'item', form: 'text', check: shape.item, help: 'the inworld item that is delivered; the name where empty' },
    { name: 'blockCredits', form: 'boolean', check: shape.blockCredits, help: 'whether credit cannot buy it' },
    { name: 'description', form: 'text', check: shape.description, help: 'text, of several lines if need be' },
    { name: 'profitShares', form: 'shares', check: shares(), help: 'who shares the profit: user:percent;user:percent' },
    {
      name: 'demoId',
      form: 'text',
      check: foreignId().nullable().default(null),
      help: 'the product that is its demo: its id',
    },
    { name: 'active', form: 'boolean', check: shape.active, help: 'false for a product that is no longer sold' },
    {
      name: 'mpListing',
      form: 'integer',
      check: integer(0).default(0),
      help: 'its listing on the marketplace; 0: none',
    },
    {
      name: 'categories',
      form: 'list',
      check: z.array(foreignId(), { error: 'must be ids or names of categories' }).default([]),
      help: 'the categories that it is in, by id or as the file of categories names them',
    },
  ],
  id: { from: ({ name }) => String(name) },
  unique: ({ id }) => ({ id: [id as string] }),
  importer: () => importer(),
  rows: async function* rows(store) {
    const categoriesOf = await readMemberships(store);
    for await (const product of everyRow<StoredProduct>(listStoredProducts(store), ({ sk }) => sk))
      yield {
        ...product,
        // The table keeps the members of an object in no order.
        profitShares: product.profitShares.map(({ userUuid, percent }) => ({ userUuid, percent })),
        categories: [...(categoriesOf.get(product.id) ?? [])].sort(),
      };
  },
};
