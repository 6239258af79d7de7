import * as z from 'zod';
import type { Identifier } from '../../lib/identifier.ts';
import { parseIdentifier } from '../../lib/identifier.ts';
import { identifier, text } from '../../lib/routes/wire.ts';

/** A user's share of a product's profit, as a file names it. */
export interface Share {
  user: Identifier;
  percent: number;
}

/**
 * A column of a kind's files: what its cells may hold, and how a CSV file writes it. NDJSON files hold the values
 * themselves; a name with a dot is a member of a member there.
 */
export interface Column {
  name: string;
  form: Form;
  /** Checks the value. What it makes of no value at all is the column's default; where that fails, one is required. */
  check: z.ZodType;
  /** What the values mean, for people. */
  help: string;
}

type Form = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'shares';

const shareWords = 'must be users with their percentages, such as ada.lovelace:60;bob:40';

/** Shares as the CSV form is read, and as the API writes them. */
export const shares = () =>
  z
    .array(
      z
        .object({ userUuid: identifier(), percent: z.number({ error: shareWords }) }, { error: shareWords })
        .transform(({ userUuid, percent }): Share => ({ user: userUuid, percent })),
      { error: shareWords },
    )
    .default([]);

// A spreadsheet takes a cell that begins like this for a formula, and would run it.
const formula = /^'*[=+\-@\t\r]/;

const items = (cell: string): string[] =>
  cell
    .split(';')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** With an exponent too: spreadsheets write 5E-07. What ends with .000 may be thousands, written as in many countries. */
const readNumber = (cell: string): number | undefined =>
  /^-?\d+(\.\d+)?(e-\d+)?$/i.test(cell) && !/\.000$/.test(cell) ? Number(cell) : undefined;

const readShare = (item: string): unknown => {
  const [user = '', percent = '', ...more] = item.split(':').map((part) => part.trim());
  const share = { userUuid: user, percent: readNumber(percent) };
  // What is no share is left as it is, for the check to say so.
  return share.percent === undefined || more.length > 0 ? item : share;
};

const booleans = new Map([
  ['true', true],
  ['false', false],
]);

const readers: Record<Form, (cell: string) => unknown> = {
  text: (cell) => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell),
  integer: (cell) => (/^-?\d+$/.test(cell.trim()) ? Number(cell) : cell),
  number: (cell) => readNumber(cell.trim()) ?? cell,
  // Spreadsheets write TRUE.
  boolean: (cell) => booleans.get(cell.trim().toLowerCase()) ?? cell,
  list: items,
  shares: (cell) => items(cell).map(readShare),
};

/** The value that a CSV file's cell means; undefined if it is empty. */
export const readCell = ({ form }: Column, cell: string): unknown => (cell === '' ? undefined : readers[form](cell));

/** A number as it is read again: without an exponent, which JavaScript writes for small ones. */
const fixed = (value: number): string => {
  const [, sign = '', digit = '', others = '', exponent] = /^(-?)(\d)\.?(\d*)e-(\d+)$/.exec(String(value)) ?? [];
  return exponent === undefined ? String(value) : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digit}${others}`;
};

/** A value as a CSV file's cell holds it. */
export const writeCell = ({ form }: Column, value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (form === 'list') return (value as string[]).join(';');
  if (form === 'shares')
    return (value as { userUuid: string; percent: number }[])
      .map(({ userUuid, percent }) => `${userUuid}:${fixed(percent)}`)
      .join(';');
  const text = typeof value === 'number' ? fixed(value) : String(value);
  return form === 'text' && formula.test(text) ? `'${text}` : text;
};

/** Reads 1.000, 1,000 and 100.0, which say one number here and another one there. */
const isOpen = (value: unknown): boolean =>
  typeof value === 'string' && /^-?\d+(\.0+|([.,' ]\d{3})+)$/.test(value.trim());

/** What a value that the check refuses must be. A number is told apart from what looks like one. */
export const allowedIn = ({ form }: Column, value: unknown, message: string): string =>
  (form === 'integer' || form === 'number') && isOpen(value)
    ? `${message}, in digits alone, such as 1000: without signs between thousands, and without zeros behind a point`
    : message;

/** Whether each row must have a value there. */
export const isRequired = ({ check }: Column): boolean => !check.safeParse(undefined).success;

/** The residents whom a checked value names. */
export const namedIn = (value: unknown): Identifier[] => {
  if (Array.isArray(value))
    return value.flatMap((item) => (item && typeof item === 'object' ? namedIn(item.user) : []));
  if (!value || typeof value !== 'object') return [];
  const { uuid, username } = value as Partial<Identifier>;
  return uuid !== undefined || username !== undefined ? [value as Identifier] : [];
};

/** A resident's canonical name. */
export const username = () => {
  const error = 'must be a username: first, first.last or first last, letters and digits only';
  return z.string({ error }).transform((value, context): string => {
    const parsed = parseIdentifier(value);
    if (parsed?.username !== undefined) return parsed.username;
    context.issues.push({ code: 'custom', message: error, input: value });
    return z.NEVER;
  });
};

/** An id: a UUID, or the id that the row has in another system. */
export const foreignId = () => text({ min: 1, max: 255 });

export const idHelp = 'a UUID, or the id that it has in another system; made of the name where it is empty';

/** What a file of rejected rows has beside the columns of its kind. */
export const rejectColumns: readonly Column[] = [
  { name: 'line', form: 'integer', check: z.unknown(), help: 'where the row stood' },
  { name: 'reason', form: 'text', check: z.unknown(), help: 'why it was rejected' },
];
