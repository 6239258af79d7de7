import { type Category, categoryKey, freeMembers } from '../../lib/store/categories.ts';
import { getMany, type Key } from '../../lib/table/query.ts';
import { tableName } from '../../lib/table/table.ts';
import { asRead, eachOf, type Importer } from './rows.ts';

export interface CategoryFields {
  id: string;
  name: string;
}

/** Categories. What is in them is said by the products. */
export const categories: Importer<CategoryFields> = {
  plan: async (rows, { store }) => {
    const keys = rows.map(({ fields }) => categoryKey(store, fields.id));
    const items = await getMany<Category & Key>(keys, { consistent: true });
    const names = new Map(items.map(({ id, name }) => [id, name]));
    return rows.map((row) => {
      const { id, name } = row.fields;
      const stored = names.get(id);
      if (stored === name) return { rows: [row], outcome: 'unchanged' };
      // A count that members have been added to meanwhile stays, so an earlier category is not put anew.
      const Update = {
        TableName: tableName(),
        Key: categoryKey(store, id),
        UpdateExpression: 'SET #name = :name',
        ConditionExpression: '#name = :stored',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':name': name, ':stored': stored },
      };
      if (stored !== undefined) return { rows: [row], outcome: 'changed', items: [{ Update }] };
      const Item = { ...categoryKey(store, id), id, name, productCount: 0 };
      return {
        rows: [row],
        outcome: 'created',
        items: [{ Put: { TableName: tableName(), Item, ...asRead(undefined) } }],
      };
    });
  },
  // A category of a file may be one that was deleted: what its deletion left behind must not come back with it.
  prepare: async (groups, { store }) => {
    const created = groups.filter(({ outcome }) => outcome === 'created').flatMap(({ rows }) => rows);
    await eachOf(created, ({ fields }) => freeMembers(store, fields.id));
  },
};
