import { findCategory, listCategories, listMembers } from '../../../lib/catalogue/categories.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { categoryImporter } from '../../../lib/operator/imports/categories.ts';
import { createCategory } from '../../../lib/routes/categories.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, namedIdHelp, optionalId, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';

/** A category's product count is the number of its memberships. */
export const checkCategories: Check = (store, listener) =>
  forEvery(
    everyRow(listCategories(store), ({ id }) => id),
    listener,
    async ({ id }) => {
      let members = 0;
      for await (const _ of everyRow(listMembers(store, id), ({ sk }) => sk)) members += 1;
      const category = await findCategory(store, id);
      if (!category || category.productCount === members) return [];
      return [`category ${id} (${category.name}): counts ${category.productCount} products, ${members} are in it.`];
    },
  );

export const categories: Kind = {
  file: {
    name: 'categories',
    summary: 'categories of products; which products are in them is a column of products',
    columns: columns({
      id: ['text', optionalId, namedIdHelp],
      name: ['text', createCategory.body.shape.name, 'the name'],
    }),
    id: { from: ({ name }) => String(name) },
    importer: () => categoryImporter,
    rows: (store) => rowsFrom(listCategories(store), 'id', ({ id, name }) => ({ id, name })),
  },
  audit: [{ what: 'categories', check: checkCategories, holds: 'product count = memberships' }],
};
