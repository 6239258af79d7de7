import * as z from 'zod';
import { timestamp as asText, now } from '../../lib/clock.ts';
import type { Identifier } from '../../lib/identifier.ts';
import { everyRow, type Source } from '../../lib/lists/source.ts';
import { timestamp } from '../../lib/routes/timestamp.ts';
import { boolean, text } from '../../lib/routes/wire.ts';

/** The way in which a CSV file writes each item of a list of objects: semicolons divide them. */
export interface ItemForm<T> {
  /** The item, or the text itself where it is no item: the check refuses it. */
  read(text: string): unknown;
  write(item: T): string;
}

/** The way in which a CSV file writes the values of a column. NDJSON files hold the values themselves. */
type Form = 'text' | 'integer' | 'number' | 'boolean' | 'list' | ItemForm<unknown>;

/** A column of a kind's files. In NDJSON a name with a dot is a member of a member. */
export interface Column {
  name: string;
  form: Form;
  /** Checks a value. Where there is none it makes the default, or fails: then the column is required. */
  check: z.ZodType;
  /** The meaning of the values, for people. */
  help: string;
}

export const columns = (of: Record<string, [form: Form, check: z.ZodType, help: string]>): Column[] =>
  Object.entries(of).map(([name, [form, check, help]]) => ({ name, form, check, help }));

/** The values of a row's columns, by name. */
export type Values = Record<string, unknown>;

/** The UUID of the resident whom a checked value names. */
export type UuidLookup = (identifier: unknown) => string;

// A spreadsheet takes a cell that begins like this for a formula, and would run it. Some do so for full-width signs
// too.
const formulaStart = '[=+\\-@\\t\\r\uff1d\uff0b\uff0d\uff20]';
const formula = new RegExp(`^'*${formulaStart}`);
const escapedFormula = new RegExp(`^'+${formulaStart}`);

const items = (cell: string): string[] =>
  cell
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * Reads exponents too: spreadsheets write 5E-07. Refuses .000 at the end, with which many countries write thousands.
 */
export const readNumber = (cell: string): number | undefined =>
  /^-?\d+(\.\d+)?(e-\d+)?$/i.test(cell) && !/\.000$/.test(cell) ? Number(cell) : undefined;

/** The parts of an item that blanks divide; a text that has not as many stays as it is, and the check refuses it. */
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
  integer: (cell) => (/^-?\d+$/.test(cell.trim()) ? Number(cell) : cell),
  number: (cell) => readNumber(cell.trim()) ?? cell,
  // Spreadsheets write TRUE.
  boolean: (cell) => booleans.get(cell.trim().toLowerCase()) ?? cell,
  list: items,
};

/** The value of a CSV file's cell; undefined if it is empty. */
export const readCell = ({ form }: Column, cell: string): unknown => {
  if (cell === '') return undefined;
  return typeof form === 'string' ? readers[form](cell) : items(cell).map((item) => form.read(item));
};

/** Writes a number without an exponent, which JavaScript uses for small ones. */
export const fixed = (value: number): string => {
  const [, sign = '', digit = '', others = '', exponent] = /^(-?)(\d)\.?(\d*)e-(\d+)$/.exec(String(value)) ?? [];
  return exponent === undefined ? String(value) : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digit}${others}`;
};

/** The CSV file's cell of a value. */
export const writeCell = ({ form }: Column, value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (form === 'list') return (value as string[]).join(';');
  if (typeof form === 'object') return (value as unknown[]).map((item) => form.write(item)).join(';');
  const text = typeof value === 'number' ? fixed(value) : String(value);
  return form === 'text' && formula.test(text) ? `'${text}` : text;
};

/** Recognises 1.000, 1,000 and 100.0, which different countries read as different numbers. */
const isAmbiguous = (value: unknown): boolean =>
  typeof value === 'string' && [/^-?\d+\.0+$/, /^-?\d+(?:[.,' ]\d{3})+$/].some((form) => form.test(value.trim()));

/** The values that a column allows, for the message about one that the check refuses. Explains ambiguous numbers. */
export const allowedIn = ({ form }: Column, value: unknown, message: string): string =>
  (form === 'integer' || form === 'number') && isAmbiguous(value)
    ? `${message}, in digits only, such as 1000: without separators of thousands, and without zeros behind a point`
    : message;

/** Says whether each row must have a value there. */
export const isRequired = ({ check }: Column): boolean => !check.safeParse(undefined).success;

/** The residents whom a checked value names. */
export const namedIn = (value: unknown): Identifier[] => {
  if (Array.isArray(value))
    return value.flatMap((item) => (item && typeof item === 'object' ? namedIn(item.user) : []));
  if (!value || typeof value !== 'object') return [];
  const { uuid, username } = value as Partial<Identifier>;
  return uuid !== undefined || username !== undefined ? [value as Identifier] : [];
};

/** An id: a UUID, or the id that the row has in another system. */
export const foreignId = () => text({ min: 1, max: 255 });

/** The columns that a file of rejected rows has beside those of its kind. */
export const rejectColumns = columns({
  line: ['integer', z.unknown(), 'where the row stood'],
  reason: ['text', z.unknown(), 'why it was rejected'],
});

/** An optional id. */
export const optionalId = foreignId().optional();

export const idHelp = 'a UUID, or the id that it has in another system';
export const namedIdHelp = `${idHelp}; empty: made of the name`;

/** Something that is false unless a row says otherwise. */
export const flag = boolean().default(false);

export const optionalTime = timestamp().optional();

/** The time of a purchase or a sale. */
export const timeOfSale = (what: string) =>
  timestamp().refine((at) => at <= asText(now()), {
    error: `must not be in the future: correct the time, or import the ${what} later`,
  });

/** The id of something that is no UUID, such as a transaction. */
export const optionalText = text({ min: 1, max: 255 }).optional();

/** Reads every row of a list in the order of its attribute `position`, and converts it with `valuesOf`. */
export async function* rowsFrom<P extends string, T extends Record<P, string>>(
  list: Source<T>,
  position: P,
  valuesOf: (row: T) => Values,
): AsyncGenerator<Values> {
  for await (const row of everyRow(list, (one) => one[position])) yield valuesOf(row);
}
