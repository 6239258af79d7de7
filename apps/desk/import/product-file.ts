import type { ProductResponse } from '../../client/client.ts';
import { shareForm } from '../../shared/cells.ts';
import type { CsvValue } from '../csv.ts';
import type { Column } from '../parts/column.tsx';
import { importColumns } from './known-columns.ts';

/** An answer of the API has no value for these columns. A file without them leaves them as they are. */
const unknown = ['listed', 'categories', 'giftCard.credit', 'giftCard.texture'];

const cellOf = (product: ProductResponse, path: string): CsvValue => {
  if (path === 'profitShares')
    return product.profitShares.map(({ userUuid, percent }) => shareForm.write({ userUuid, percent })).join(';');
  const value = path.split('.').reduce<unknown>((from, name) => (from as Record<string, unknown>)?.[name], product);
  return typeof value === 'boolean' ? String(value) : ((value ?? null) as CsvValue);
};

/** The columns of a file of products that the desk and the command import: unchanged, it changes nothing. */
export const productFileColumns = (): Column<ProductResponse>[] =>
  importColumns.products
    .map(({ name }) => name)
    .filter((name) => !unknown.includes(name))
    .map((name) => ({ heading: name, value: (product) => cellOf(product, name) }));
