import pMap from 'p-map';
import type { Category } from '../../lib/routes/categories.ts';
import { categoryKey, freeMembers } from '../../lib/store/categories.ts';
import { is, isNew, put, update } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import { getMany } from '../../lib/table/table.ts';
import { type Importer, sideBySide } from './rows.ts';

export interface CategoryFields {
  id: string;
  name: string;
}

/** Categories. The file of products says which products are in them. */
export const categories: Importer<CategoryFields> = {
  plan: async (rows, { store }) => {
    const keys = rows.map(({ fields }) => categoryKey(store, fields.id));
    const items = await getMany<Category & Key>(keys, { consistent: true });
    const names = new Map(items.map(({ id, name }) => [id, name]));
    return rows.map((row) => {
      const { id, name } = row.fields;
      const stored = names.get(id);
      if (stored === name) return { rows: [row], outcome: 'unchanged' };
      const key = categoryKey(store, id);
      // An update keeps `productCount`, which other writers may change at the same time.
      if (stored !== undefined)
        return { rows: [row], outcome: 'changed', writes: [update(key, { set: { name }, when: is('name', stored) })] };
      return { rows: [row], outcome: 'created', writes: [put({ ...key, id, name, productCount: 0 }, isNew)] };
    });
  },
  // The file may bring back a deleted category. Memberships that the deletion left behind must not come back with it.
  prepare: async (groups, { store }) => {
    const created = groups.filter(({ outcome }) => outcome === 'created').flatMap(({ rows }) => rows);
    await pMap(created, ({ fields }) => freeMembers(store, fields.id), sideBySide);
  },
};
