import { type Category, categoryKey } from '../categories.ts';
import { getMany, type Key } from '../query.ts';
import { tableName } from '../table.ts';
import type { Importer } from './rows.ts';

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
      // A count that members have been added to meanwhile stays, so this is no Put.
      const Update = {
        TableName: tableName(),
        Key: categoryKey(store, id),
        UpdateExpression: 'SET id = :id, #name = :name, productCount = if_not_exists(productCount, :none)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':id': id, ':name': name, ':none': 0 },
      };
      return { rows: [row], outcome: stored === undefined ? 'created' : 'changed', items: [{ Update }] };
    });
  },
};
