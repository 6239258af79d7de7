import { text } from '../../../lib/routes/wire.ts';
import { type Category, listCategories } from '../../../lib/store/categories.ts';
import { everyRow } from '../../../lib/table/query.ts';
import { categories as importer } from '../../plans/categories.ts';
import { foreignId, idHelp } from '../columns.ts';
import type { Kind } from '../kinds.ts';

export const categories: Kind = {
  name: 'categories',
  summary: 'categories of products; which products are in them is a column of products',
  columns: [
    { name: 'id', form: 'text', check: foreignId().optional(), help: idHelp },
    { name: 'name', form: 'text', check: text({ min: 1, max: 255 }), help: 'the name' },
  ],
  id: { from: ({ name }) => String(name) },
  unique: ({ id }) => ({ id: [id as string] }),
  importer: () => importer,
  rows: async function* rows(store) {
    for await (const { id, name } of everyRow<Category>(listCategories(store), (category) => category.id))
      yield { id, name };
  },
};
