import pMap from 'p-map';
import { freeMembers, isNameless } from '../../catalogue/categories.ts';
import type { Category } from '../../routes/categories.ts';
import { categoryKey } from '../../table/keys.ts';
import { is, put, updated } from '../../table/language.ts';
import type { Key } from '../../table/schema.ts';
import { getMany } from '../../table/table.ts';
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
  // The file may bring back a deleted category. Memberships that its deletion left behind must not come back with it.
  prepare: async (groups, { store }) => {
    const created = groups.filter(({ outcome }) => outcome === 'created').flatMap(({ rows }) => rows);
    await pMap(created, ({ fields }) => freeMembers(store, fields.id), sideBySide);
  },
};
