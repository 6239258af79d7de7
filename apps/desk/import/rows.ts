import { trimmed } from '../../../lib/normalise.ts';
import { allowedIn, type Form, readCell, shareForm, withTime, writeCell } from '../../shared/cells.ts';
import { CsvFault, type CsvRecord, csvReader } from '../../shared/csv.ts';
import { ownOf, readHeader } from '../../shared/csv-header.ts';
import { otherForm } from '../../shared/file-form.ts';
import { wordsOf } from '../messages.ts';
import { faultWords } from '../words/fault.ts';
import { planWords } from '../words/plan.ts';
import { type ImportKind, maxRows } from './kinds.ts';

/** Reads files of rows, according to the command's columns. */

const t = planWords;

/** The rules of a column's values: the members of a JSON schema. */
interface ValueRules {
  type?: unknown;
  pattern?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  maxLength?: unknown;
  enum?: unknown;
  not?: unknown;
  items?: unknown;
}

export interface ImportColumn {
  name: string;
  form: string;
  help: string;
  isRequired: boolean;
  isTime: boolean;
  rules: ValueRules;
  /** The service's message about a wrong value, without the column's name. */
  words: string;
  /** The value of an empty cell, if it has one. */
  initial?: unknown;
}

export type ImportColumns = Record<ImportKind, readonly ImportColumn[]> & { rejected: readonly { name: string }[] };

/** The values of a row by column; an empty cell has its default. A column that the file lacks has no member. */
export type Values = Record<string, unknown>;

export interface ImportRow {
  line: number;
  values: Values;
  /** A sentence for each value that is wrong. */
  faults: readonly string[];
  /** The cells of its line as the file has them, each with the name of its column. */
  cells?: readonly (readonly [name: string, cell: string])[];
}

/** The form of a column's cells, as the command uses it. */
export const formOf = ({ form }: Pick<ImportColumn, 'form'>): { form: Form } => ({
  form: form === 'shares' ? (shareForm as Form) : (form as Extract<Form, string>),
});

/** A value as a cell shows it. */
export const shownValue = (column: Pick<ImportColumn, 'form'>, value: unknown): string =>
  writeCell(formOf(column), value);

const isUuidRule = (pattern: unknown): boolean => typeof pattern === 'string' && pattern.startsWith('^[0-9A-Fa-f]{8}-');

/** A value as the service stores it: texts without blanks around them, times in UTC, UUIDs in lower case. */
const normalised = ({ isTime, rules }: ImportColumn, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (isTime) return new Date(value).toISOString();
  return isUuidRule(rules.pattern) ? value.toLowerCase() : trimmed(value);
};

const fitsText = ({ pattern = '', maxLength = Number.POSITIVE_INFINITY, not }: ValueRules, value: string): boolean =>
  new RegExp(String(pattern), 'u').test(value) &&
  [...value].length <= Number(maxLength) &&
  (not as { const?: unknown } | undefined)?.const !== value;

/** True for a time on a day that exists: browsers read 30 February as 2 March. */
const isMoment = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) &&
  new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(text.slice(8, 10));

/** True if a column accepts a value, as far as its rules tell. */
const fits = ({ rules, isTime, form }: ImportColumn, value: unknown): boolean => {
  if (Array.isArray(rules.enum)) return rules.enum.includes(value);
  if (form === 'shares') return (value as unknown[]).every((share) => typeof share === 'object');
  if (Array.isArray(value)) return value.every((item) => fitsText(rules.items as ValueRules, trimmed(item)));
  if (typeof value === 'boolean') return rules.type === 'boolean';
  if (typeof value === 'number')
    return (
      (rules.type === 'number' || Number.isInteger(value)) &&
      value >= Number(rules.minimum) &&
      value <= Number(rules.maximum)
    );
  if (rules.type !== 'string' || typeof value !== 'string') return false;
  if (isTime) return fitsText(rules, value) && isMoment(value);
  return fitsText(rules, isUuidRule(rules.pattern) ? value : trimmed(value));
};

/** The value of a cell, or a sentence about why it has none. */
export const checkCell = (column: ImportColumn, cell: string): { value: unknown } | { fault: string } => {
  const { name, isRequired, isTime, initial, words } = column;
  const read = withTime(formOf(column), readCell(formOf(column), cell));
  if (read === undefined) return isRequired ? { fault: t.faults.empty(name) } : { value: initial };
  if (fits(column, read)) return { value: normalised(column, read) };
  const isAmbiguous = !isTime && allowedIn(formOf(column), read, '') !== '';
  const sentence = isAmbiguous ? t.faults.digits : wordsOf(`${name} ${words}.`, name);
  return { fault: t.faults.value(name, cell.slice(0, 60), sentence) };
};

const checkRow = (
  columns: readonly (ImportColumn | undefined)[],
  line: number,
  cells: readonly string[],
): ImportRow => {
  const values: Values = {};
  if (cells.length !== columns.length) return { line, values, faults: [t.faults.length(columns.length, cells.length)] };
  const faults: string[] = [];
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const checked = checkCell(column, cells[index] ?? '');
    if ('fault' in checked) faults.push(checked.fault);
    else values[column.name] = checked.value;
  }
  return { line, values, faults };
};

/** The rows of a text as they are written, or a sentence about why it is not CSV. */
const recordsOf = (text: string): CsvRecord[] | string => {
  const read = csvReader();
  try {
    return [...read(text), ...read()];
  } catch (error) {
    if (error instanceof CsvFault) return t.faults.noCsv(error.message);
    throw error;
  }
};

/** The rows of a CSV file's bytes, each checked; or a sentence about why they cannot be read. */
export const readRows = (kind: ImportKind, known: ImportColumns, bytes: Uint8Array): ImportRow[] | string => {
  const other = otherForm(bytes);
  if (other !== undefined) return t.faults.otherForm(other);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return t.faults.utf8;
  }
  if (text.includes('\0')) return t.faults.utf8;
  const records = recordsOf(text);
  if (typeof records === 'string') return records;
  const [header, ...rows] = records;
  if (!header) return t.faults.noRows;
  const name = { ...t.files }[kind];
  const isRequired = (column: ImportColumn): boolean => column.isRequired;
  const columns = readHeader({ name, columns: known[kind], added: known.rejected, isRequired }, header.cells);
  if (typeof columns === 'string') return t.faults.header(columns);
  if (rows.length > maxRows) return t.faults.tooMany(rows.length, maxRows);
  if (rows.length === 0) return t.faults.noRows;
  return rows.map(({ line, cells }) => ({
    ...checkRow(columns, line, ownOf(cells, columns.length)),
    cells: header.cells.map((column, place) => [column, cells[place] ?? ''] as const),
  }));
};

/** The column of a kind that has a name. */
export const columnNamed = (columns: readonly ImportColumn[], name: string): ImportColumn =>
  columns.find((one) => one.name === name) as ImportColumn;

/** The sentence about a time in the past. */
export const pastFault = (name: string, value: string): string => t.faults.value(name, value, faultWords.future);
