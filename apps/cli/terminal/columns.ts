import { type Column, print, printUpTo, shownTime } from './output.ts';

/** Makes columns for people from the fields of an answer. The headings are the API's words. */

/** A field of a row, a heading with its cells, or a finished column. */
export type FieldColumn<T> = (keyof T & string) | [heading: string, cell: (row: T) => unknown] | Column<T>;

/** The colours of states, by their first word. */
const stateStyles = [
  ['green', /^(?:active|completed|delivered|open|registered)\b/],
  ['yellow', /^(?:due|pending|queued|refused|waiting)\b/],
  ['red', /^(?:disabled|failed|lost|refunded)\b/],
] as const;

const shownCell = (value: unknown): string | number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  return (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? shownTime(text) : text) || undefined;
};

/** True for a text that may be broken into lines. An id may not. */
const isLong = (text: string): boolean => text.length > 20 && !/^[\da-f-]{36}$/.test(text);

const columnOf = <T extends object>(column: FieldColumn<T>, rows: readonly T[]): Column<T> => {
  if (typeof column === 'object' && !Array.isArray(column)) return column;
  const [name, read] = typeof column === 'string' ? [column, (row: T) => row[column]] : column;
  const cell = (row: T) => shownCell(read(row));
  return {
    heading: name.replaceAll(/[A-Z](?=[a-z])/g, (letter) => ` ${letter}`),
    cell,
    ...(name === 'state' && { style: (row) => stateStyles.find(([, form]) => form.test(String(cell(row))))?.[0] }),
    ...(rows.some((row) => isLong(String(cell(row)))) && { wraps: true as const }),
  };
};

/** Prints rows as `print` does, or up to a limit as `printUpTo` does. */
export const printFields = <T extends object>(
  rows: readonly T[],
  columns: readonly FieldColumn<T>[],
  none?: string,
  limit?: number,
): void => {
  const shown = columns.map((column) => columnOf(column, rows));
  if (limit === undefined) print(rows, shown, none);
  else printUpTo(limit, rows, shown, none ?? 'None.');
};
