import { StoreProblem } from '../../client/client.ts';
import { endOfDay, time } from '../format.ts';
import { productWords } from '../words/product.ts';
import type { Change } from './plan.ts';
import { checkCell, columnNamed, type ImportColumn, type ImportColumns, type ImportRow, type Values } from './rows.ts';

/** Makes the rows of an import for things that were chosen in a list, from the values of a form instead of a file. */

type FormValues = Readonly<Record<string, string>>;

/** A refusal of a form's values, in the service's words, so that the form shows each message beside its field. */
export const refusalOf = (errors: readonly string[]): StoreProblem =>
  new StoreProblem(400, { detail: errors.join(' '), errors }, '', { requestId: undefined, idempotencyKey: undefined });

/** A row with the same values for each thing. Throws a refusal if a value is wrong. */
const rowsFor = (
  columns: readonly ImportColumn[],
  idColumn: string,
  ids: readonly string[],
  cells: FormValues,
  faults: readonly string[],
): ImportRow[] => {
  const values: Values = {};
  const wrong: string[] = [];
  for (const [name, cell] of Object.entries(cells)) {
    const column = columnNamed(columns, name);
    const checked = checkCell(column, cell);
    if ('fault' in checked) wrong.push(`${name} ${column.words}`);
    else values[name] = checked.value;
  }
  const all = [...wrong, ...faults];
  if (all.length > 0) throw refusalOf(all);
  return ids.map((id, index) => ({ line: index + 1, values: { [idColumn]: id, ...values }, faults: [] }));
};

/** The rows that give each customer the same credit. The last day is in the reader's time. */
export const giftRows = (
  columns: ImportColumns,
  customers: readonly string[],
  { amount = '', type = '', ...values }: FormValues,
  now: number,
): ImportRow[] => {
  const expiresAt = endOfDay(values.expiresAt) ?? '';
  const isPast = expiresAt !== '' && Date.parse(expiresAt) <= now;
  const faults = isPast ? ['expiresAt must be in the future'] : [];
  return rowsFor(columns.credit, 'resident', customers, { amount, type, expiresAt }, faults);
};

/** A time in a form, in the reader's time. */
const momentOf = (text = ''): string => {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
};

/** The rows that set the same discount, in percent, for each product. 0 ends the discount. */
export const discountRows = (
  columns: ImportColumns,
  products: readonly string[],
  values: FormValues,
  now: number,
): ImportRow[] => {
  const value = values['discount.value'] ?? '';
  const isEnd = Number(value) === 0;
  const [startDate, endDate] = ['discount.startDate', 'discount.endDate'].map((name) =>
    isEnd ? '' : momentOf(values[name]),
  ) as [string, string];
  const faults: string[] = [];
  // An empty cell of a file is 0, and a discount of another type may be more than 100.
  const isPercentage = value !== '' && Number(value) >= 0 && Number(value) <= 100;
  if (!isPercentage) faults.push('discount.value must be a number from 0 to 100');
  if (endDate !== '' && Date.parse(endDate) <= now) faults.push('discount.endDate must be in the future');
  else if (startDate !== '' && endDate !== '' && endDate <= startDate)
    faults.push('discount.endDate must be later than startDate');
  const cells = {
    'discount.value': isPercentage ? value : '0',
    'discount.type': '0',
    'discount.startDate': startDate,
    'discount.endDate': endDate,
  };
  return rowsFor(columns.products, 'id', products, cells, faults);
};

const t = productWords.discount;

const kindOf = (type: string): string => productWords.discountTypes[Number(type) as 0 | 1 | 2] ?? type;

/**
 * The changes of a discount in percent in the words of its form. The plan of a file uses the words of the columns. If
 * the kind stays, the old value is in percent too.
 */
export const inWords = (changes: readonly Change[]): Change[] => {
  const isOtherKind = changes.some(({ field }) => field === 'discount.type');
  const words: Record<string, (value: string, isNew: boolean) => string> = {
    'discount.type': kindOf,
    'discount.value': (value, isNew) => (isNew || !isOtherKind ? `${value} %` : value),
    'discount.startDate': (value) => (value === '' ? t.atOnce : time(value)),
    'discount.endDate': (value) => (value === '' ? t.never : time(value)),
  };
  return changes.map(({ field, from, to }) => {
    const shown = words[field] ?? String;
    return { field: { ...t.changes }[field] ?? field, from: shown(from, false), to: shown(to, true) };
  });
};
