import * as z from 'zod';
import { timestampForm } from '../../../lib/routes/timestamp.ts';
import { categories } from '../kinds/categories.ts';
import { type Column, isRequired, rejectColumns } from '../kinds/columns.ts';
import type { DataFile } from '../kinds/kind.ts';
import { products } from '../kinds/products.ts';
import { giftFile } from './gift-file.ts';

/** The part of a JSON schema that says which values a column takes. */
type Rules = Record<'type' | 'pattern' | 'minimum' | 'maximum' | 'maxLength' | 'enum' | 'not' | 'items', unknown>;

const kept = ['type', 'pattern', 'minimum', 'maximum', 'maxLength', 'enum', 'not', 'items'] as const;

/** The rules for a column's values as data. The service checks more, such as unique names. */
const rulesOf = (check: z.ZodType): Partial<Rules> => {
  const schema = z.toJSONSchema(check, { io: 'input', unrepresentable: 'any' }) as Partial<Rules> & {
    anyOf?: Partial<Rules>[];
  };
  const own = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  return Object.fromEntries(kept.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])));
};

/**
 * A column as data for the desk. The desk checks files without the schemas, since their package is as large as the
 * desk's whole first view.
 */
const asData = (column: Column) => {
  const { name, form, check, help } = column;
  const empty = check.safeParse(undefined);
  const rules = rulesOf(check);
  return {
    name,
    form: typeof form === 'string' ? form : 'shares',
    help,
    isRequired: isRequired(column),
    isTime: rules.pattern === timestampForm,
    rules,
    // Each check has one message, whatever is wrong with a value.
    words: check.safeParse(Symbol('wrong')).error?.issues[0]?.message ?? '',
    ...(empty.success && empty.data !== undefined && { initial: empty.data }),
  };
};

const kindOf = (file: DataFile | undefined) => (file?.columns ?? []).map(asData);

/** The columns of the files that the desk imports. apps/desk/import/columns.json holds them as data. */
export const importColumns = {
  products: kindOf(products.file),
  categories: kindOf(categories.file),
  credit: kindOf(giftFile),
  rejected: rejectColumns.map(({ name }) => ({ name })),
};
