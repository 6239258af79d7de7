import { copiedName } from './copied-name.ts';
import { plainCell } from './plain-cell.ts';

/**
 * The cells of CSV files, and how values are read from them and written. The desk reads files by the same rules, so
 * this file imports nothing from the command.
 */

/** How a CSV file writes each item of a list of objects. Semicolons separate the items. */
export interface ItemForm<T> {
  /** The item, or the text itself if it is not an item: then the check refuses it. */
  read(text: string): unknown;
  write(item: T): string;
}

/**
 * How a CSV file writes the values of a column. NDJSON files hold the values themselves. A time may be a day, which
 * means its `begin` or its `end` in UTC.
 */
export type Form = 'text' | 'person' | 'integer' | 'number' | 'boolean' | 'list' | 'begin' | 'end' | ItemForm<unknown>;

/** The part of a column that says how its cells are written. */
interface CellColumn {
  form: Form;
}

// A spreadsheet takes a cell that begins like this for a formula, and would run it. Some spreadsheets do so for
// full-width characters too.
const formulaStart = '[=+\\-@\\t\\r\uff1d\uff0b\uff0d\uff20]';
const formula = new RegExp(`^'*${formulaStart}`);
const escapedFormula = new RegExp(`^'+${formulaStart}`);

const items = (cell: string): string[] =>
  cell
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * Also reads exponents: spreadsheets write 5E-07. Refuses .000 at the end, with which many countries write thousands.
 */
export const readNumber = (cell: string): number | undefined =>
  /^-?\d+(\.\d+)?(e-\d+)?$/i.test(cell) && !/\.000$/.test(cell) ? Number(cell) : undefined;

/**
 * The parts of an item, which blanks separate. A text without that many parts stays as it is, and the check refuses it.
 */
export const readParts = (item: string, partsOf: (parts: string[]) => object, count: number): unknown => {
  const parts = item.split(/ +/);
  return parts.length === count ? partsOf(parts) : item;
};

const booleans = new Map([
  ['true', true],
  ['false', false],
]);

const readers: Record<Extract<Form, string>, (cell: string) => unknown> = {
  text: (cell) => (escapedFormula.test(cell) ? cell.slice(1) : cell),
  person: (cell) => copiedName(readers.text(cell) as string),
  integer: (cell) => (/^-?\d+$/.test(plainCell(cell)) ? Number(plainCell(cell)) : cell),
  number: (cell) => readNumber(plainCell(cell)) ?? cell,
  // Spreadsheets write TRUE.
  boolean: (cell) => booleans.get(plainCell(cell).toLowerCase()) ?? cell,
  list: items,
  begin: (cell) => cell,
  end: (cell) => cell,
};

const timesOfDay = { begin: '00:00:00.000Z', end: '23:59:59.999Z' };

/** A value in which a day is the time that its column means; any other value as it is. */
export const withTime = ({ form }: CellColumn, value: unknown): unknown =>
  (form === 'begin' || form === 'end') && typeof value === 'string' && /^\s*\d{4}-\d\d-\d\d\s*$/.test(value)
    ? `${value.trim()}T${timesOfDay[form]}`
    : value;

/** The value of a CSV file's cell; undefined if it is empty. */
export const readCell = ({ form }: CellColumn, cell: string): unknown => {
  if (cell === '') return undefined;
  return typeof form === 'string' ? readers[form](cell) : items(cell).map((item) => form.read(item));
};

/** Writes a number without an exponent. JavaScript would use one for small numbers. */
export const fixed = (value: number): string => {
  const [, sign = '', digit = '', others = '', exponent] = /^(-?)(\d)\.?(\d*)e-(\d+)$/.exec(String(value)) ?? [];
  return exponent === undefined ? String(value) : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digit}${others}`;
};

/** The CSV file's cell of a value. */
export const writeCell = ({ form }: CellColumn, value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (form === 'list') return (value as string[]).join(';');
  if (typeof form === 'object') return (value as unknown[]).map((item) => form.write(item)).join(';');
  const text = typeof value === 'number' ? fixed(value) : String(value);
  return (form === 'text' || form === 'person') && formula.test(text) ? `'${text}` : text;
};

/** Recognises 1.000, 1,000 and 100.0, which different countries read as different numbers. */
const isAmbiguous = (value: unknown): boolean =>
  typeof value === 'string' && [/^-?\d+\.0+$/, /^-?\d+(?:[.,' ]\d{3})+$/].some((form) => form.test(value.trim()));

/** The values that a column allows, for the message about a refused value. Explains ambiguous numbers and days. */
export const allowedIn = ({ form }: CellColumn, value: unknown, message: string): string => {
  if ((form === 'integer' || form === 'number') && isAmbiguous(value))
    return `${message}, in digits only, such as 1000: without separators of thousands, and without zeros behind a point`;
  return form === 'begin' || form === 'end'
    ? 'must be a day such as 2030-01-31, or a time such as 2030-01-31T12:00:00Z'
    : message;
};

/** Shares as CSV: ada.lovelace:60;bob:40. */
export const shareForm: ItemForm<{ userUuid: string; percent: number }> = {
  read: (item) => {
    // The address of a profile contains colons itself.
    const end = item.lastIndexOf(':');
    const userUuid = copiedName(item.slice(0, Math.max(end, 0)));
    const percent = end < 0 ? undefined : readNumber(item.slice(end + 1).trim());
    // A text that is not a share stays as it is, and the check refuses it.
    return percent === undefined || userUuid.includes(':') ? item : { userUuid, percent };
  },
  write: ({ userUuid, percent }) => `${userUuid}:${fixed(percent)}`,
};
