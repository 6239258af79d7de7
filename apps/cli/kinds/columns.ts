import { createHash } from 'node:crypto';
import * as z from 'zod';
import { timestamp as asText, now } from '../../../lib/clock.ts';
import { type Identifier, uuidPattern } from '../../../lib/identifier.ts';
import { everyRow, type Source } from '../../../lib/lists/source.ts';
import { timestamp } from '../../../lib/routes/timestamp.ts';
import { boolean, text } from '../../../lib/routes/wire.ts';
import type { Form } from '../../shared/cells.ts';
import { idOfHash, textOfId } from '../../shared/row-id.ts';

/** A column of a kind's files. In NDJSON, a dot in its name leads into a nested object. */
export interface Column {
  name: string;
  form: Form;
  /** Checks a value. For `undefined` it returns the default, or fails if the column is required. */
  check: z.ZodType;
  /** The meaning of the values, for people. */
  help: string;
  /** The name of the kind whose ids the values are. */
  refersTo?: string | undefined;
}

export const columns = (
  of: Record<string, [form: Form, check: z.ZodType, help: string, refersTo?: string]>,
): Column[] =>
  Object.entries(of).map(([name, [form, check, help, refersTo]]) => ({ name, form, check, help, refersTo }));

/** Makes a row's id: the hash of `textOfId`. Keeps a UUID. */
export const idFrom = (store: string, kind: string, text: string): string =>
  uuidPattern.test(text)
    ? text.toLowerCase()
    : idOfHash(
        createHash('sha256')
          .update(textOfId(store, kind, text))
          .digest('hex'),
      );

/** The values of a row's columns, by name. */
export type Values = Record<string, unknown>;

/** Returns the UUID of the resident that a checked value names. */
export type UuidLookup = (identifier: unknown) => string;

/** Says whether each row must have a value in the column. */
export const isRequired = ({ check }: Column): boolean => !check.safeParse(undefined).success;

/** The residents that a checked value names. */
export const namedIn = (value: unknown): Identifier[] => {
  if (Array.isArray(value))
    return value.flatMap((item) => (item && typeof item === 'object' ? namedIn(item.user) : []));
  if (!value || typeof value !== 'object') return [];
  const { uuid, username } = value as Partial<Identifier>;
  return uuid !== undefined || username !== undefined ? [value as Identifier] : [];
};

/** An id: a UUID, or the row's id in another system. */
export const foreignId = () => text({ min: 1, max: 255 });

/** The columns that a file of rejected rows has in addition to the columns of its kind. */
export const rejectColumns = columns({
  line: ['integer', z.unknown(), 'where the row stood'],
  reason: ['text', z.unknown(), 'why it was rejected'],
});

export const optionalId = foreignId().optional();

export const idHelp = 'a UUID, or the id that it has in another system';
export const namedIdHelp = `${idHelp}; empty: made of the name`;

export const flag = boolean().default(false);

export const optionalTime = timestamp().optional();

/** The time of a purchase or a sale. */
export const timeOfSale = (what: string) =>
  timestamp().refine((at) => at <= asText(now()), {
    error: `must not be in the future: correct the time, or import the ${what} later`,
  });

/** The id of something, such as a transaction. It need not be a UUID. */
export const optionalText = text({ min: 1, max: 255 }).optional();

/** Reads every row of a list in the order of its attribute `position`, and converts it with `valuesOf`. */
export async function* rowsFrom<P extends string, T extends Record<P, string>>(
  list: Source<T>,
  position: P,
  valuesOf: (row: T) => Values,
): AsyncGenerator<Values> {
  for await (const row of everyRow(list, (one) => one[position])) yield valuesOf(row);
}
