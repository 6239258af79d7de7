import pMap from 'p-map';
import { everyRow } from '../../../lib/lists/source.ts';
import type { Category } from '../../../lib/routes/categories.ts';
import { text } from '../../../lib/routes/wire.ts';
import {
  categoryKey,
  findCategory,
  freeMembers,
  isNameless,
  listCategories,
  listMembers,
} from '../../../lib/store/categories.ts';
import { is, put, updated } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany } from '../../../lib/table/table.ts';
import { type Check, forEvery } from './audit.ts';
import { columns, namedIdHelp, optionalId, rowsFrom } from './columns.ts';
import type { Kind } from './kind.ts';
import { type Importer, sideBySide } from './rows.ts';

export interface CategoryFields {
  id: string;
  name: string;
}

/** Categories. The file of products says which products are in them. */
export const categoryImporter: Importer<CategoryFields> = {
  plan: async (rows, { store }) => {
    const keys = rows.map(({ fields }) => categoryKey(store, fields.id));
    const items = await getMany<Key & Partial<Category>>(keys, { consistent: true });
    const known = new Map(items.map((item) => [item.sk, item]));
    return rows.map((row) => {
      const { id, name } = row.fields;
      const stored = known.get(id);
      if (stored?.name === name) return { rows: [row], outcome: 'unchanged' };
      const key = categoryKey(store, id);
      // An update keeps `productCount`, which other writers may change at the same time.
      if (stored?.name !== undefined) {
        const renaming = updated(stored, { set: { name }, when: is('name', stored.name) });
        return { rows: [row], outcome: 'changed', writes: [renaming] };
      }
      const made = { ...key, id, name, productCount: 0 };
      return { rows: [row], outcome: 'created', writes: [put(made, isNameless, stored)] };
    });
  },
  // The file may bring back a deleted category. Memberships that the deletion left behind must not come back with it.
  prepare: async (groups, { store }) => {
    const created = groups.filter(({ outcome }) => outcome === 'created').flatMap(({ rows }) => rows);
    await pMap(created, ({ fields }) => freeMembers(store, fields.id), sideBySide);
  },
};

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

/** Categories of products. */
export const categories: Kind = {
  file: {
    name: 'categories',
    summary: 'categories of products; which products are in them is a column of products',
    columns: columns({
      id: ['text', optionalId, namedIdHelp],
      name: ['text', text({ min: 1, max: 255 }), 'the name'],
    }),
    id: { from: ({ name }) => String(name) },
    importer: () => categoryImporter,
    rows: (store) => rowsFrom(listCategories(store), 'id', ({ id, name }) => ({ id, name })),
  },
  audit: [{ what: 'categories', check: checkCategories, holds: 'product count = memberships' }],
};
