import * as z from 'zod';
import { identifierForm, nilUuid, parseIdentifier, usernameForm, uuidPattern } from '../identifier.ts';
import { trimmed } from '../normalise.ts';
import { isItemName, itemWords } from '../product-rules.ts';

/**
 * The building blocks of every request and response schema. Each has one message, which says which values are allowed;
 * the wrapper puts the field's name before it ("price must be a whole number from 0 to 2147483647."). A message that
 * starts with a capital letter stands alone.
 */

export const maxInteger = 2_147_483_647;

/** A whole JSON number. Strings are never coerced. */
export const integer = (min: number, max: number = maxInteger) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** A JSON number. The table cannot hold very small numbers: they count as 0. */
export const number = (error: string) => z.number({ error }).overwrite((value) => (Math.abs(value) < 1e-9 ? 0 : value));

/** A number from 0 to 100. */
export const percent = () => {
  const error = 'must be a number from 0 to 100';
  return number(error).min(0, { error }).max(100, { error });
};

export const boolean = () => z.boolean({ error: 'must be true or false' });

/** The most characters of the texts that requests set and answers show. */
export const maxLength = {
  uuid: 36,
  /** Two names of 31 characters and the character between them. */
  username: 63,
  code: 64,
  /** Of a product, category or key. */
  name: 255,
  description: 4096,
  item: 63,
  /** The virtual world counts the bytes of a message, so a message in letters beyond ASCII must be shorter. */
  message: 1023,
  reason: 200,
  reference: 100,
  url: 500,
  /** Of an object or a region, in the virtual world. */
  objectName: 63,
  /** Where an object stands, and which script it has. */
  objectDetail: 40,
  region: 255,
  /** Of a store. */
  label: 100,
  keyId: 12,
  /** Why a call of a dispenser or webhook failed. No such text is longer. */
  failure: 1000,
  time: 24,
  cursor: 1024,
} as const;

/** The most coupons that a customer's page shows. */
export const mostCoupons = 50;

/** The id of an API key. */
export const keyId = () => {
  const error = 'must be the id of an API key: 12 characters of 0-9, A-Z and a-z';
  return z
    .string({ error })
    .regex(/^[0-9A-Za-z]{12}$/, { error })
    .meta({ maxLength: maxLength.keyId });
};

/** Text in an answer. The document states the bound. No answer is refused or cut because of it. */
export const answerText = (max: number) => z.string().meta({ maxLength: max });
export const answerTextOrNull = (max: number) => z.string().nullable().meta({ maxLength: max });

/** A UUID in any case, answered in lower case. It has no `format: uuid`, which demands a version and a variant. */
export const uuid = () =>
  z
    .string({ error: 'must be a UUID' })
    .regex(uuidPattern, { error: 'must be a UUID' })
    .toLowerCase()
    .meta({ maxLength: maxLength.uuid });

/** The UUID of something in the virtual world. The nil UUID is refused: there it means "none". */
const worldUuid = (error: string) =>
  z
    .string({ error })
    .regex(uuidPattern, { error })
    .toLowerCase()
    .refine((value) => value !== nilUuid, { error })
    .meta({ maxLength: maxLength.uuid, not: { const: nilUuid } });

/** A resident, by avatar UUID alone. */
export const avatarUuid = () => worldUuid('must be the UUID of an avatar');

export const objectUuid = () => worldUuid('must be the UUID of an object');

interface TextRule {
  min: number;
  max: number;
  /** Tabs and line ends are allowed. */
  multiline?: boolean;
  /** A further condition, and its message. */
  also?: { test: (text: string) => boolean; words: string };
}

/**
 * The form that `text` accepts, as a regular expression that every language understands. Blanks at either end are
 * matched apart from the rest: so a text matches in only one way, and a check takes linear time. Few languages know
 * format characters. So it accepts a text of format characters alone, which counts as empty, and refuses a tab next to
 * one at an end.
 */
const textForm = (min: number, multiline = false): string => {
  const refused = multiline ? '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f' : '\\x00-\\x1f\\x7f-\\x9f';
  const text = `[^${refused}\\s][^${refused}]*(?:[${multiline ? '\\x0b\\x0c' : '\\x09-\\x0d'}]\\s*)?`;
  return min > 0 ? `^\\s*${text}$` : `^\\s*(?:${text})?$`;
};

/**
 * Trimmed text. Blanks and format characters alone count as empty. The length counts Unicode code points, as in
 * schemas. Control characters and lone surrogates are refused. The document's bound is for the trimmed text.
 */
export const text = ({ min, max, multiline, also }: TextRule) => {
  const length = min > 0 ? `${min} to ${max}` : `at most ${max}`;
  const control = multiline ? 'control characters other than tabs and line ends' : 'control characters';
  const error = also?.words ?? `must be text of ${length} characters without ${control}`;
  const refused = multiline ? /[^\P{Cc}\t\n\r]/u : /\p{Cc}/u;
  return z
    .string({ error })
    .overwrite(trimmed)
    .refine(
      (value) => {
        // A code point is one or two UTF-16 units, so this cheap test saves counting a text that is far too long.
        if (value.length > 2 * max || !value.isWellFormed() || refused.test(value)) return false;
        const count = [...value].length;
        return count >= min && count <= max && (also?.test(value) ?? true);
      },
      { error },
    )
    .meta({ maxLength: max, pattern: textForm(min, multiline) });
};

/** An item's name with blanks around it, as a regular expression that takes linear time. It does not say the length. */
export const itemForm = '^\\s*[\\x21-\\x7b\\x7d\\x7e][\\x20-\\x7b\\x7d\\x7e]*(?:[^\\S\\x20]\\s*)?$';

export const itemName = () =>
  text({ min: 1, max: maxLength.item, also: { test: isItemName, words: itemWords } }).meta({ pattern: itemForm });

/** A resident, by username or avatar UUID, parsed into the form that `findResident` takes. */
export const identifier = () => {
  const error = 'must be a username (first, first.last or first last) or an avatar UUID';
  return z
    .string({ error })
    .meta({ maxLength: maxLength.username, pattern: identifierForm, not: { const: nilUuid } })
    .transform((value, context) => {
      const parsed = parseIdentifier(value);
      if (parsed) return parsed;
      context.issues.push({ code: 'custom', message: error, input: value });
      return z.NEVER;
    });
};

/** An avatar's name, parsed into its canonical form. */
export const username = () => {
  const error = 'must be a username: first, first.last or first last, letters and digits only';
  return z
    .string({ error })
    .meta({ maxLength: maxLength.username, pattern: usernameForm })
    .transform((value, context): string => {
      const parsed = parseIdentifier(value);
      if (parsed?.username !== undefined) return parsed.username;
      context.issues.push({ code: 'custom', message: error, input: value });
      return z.NEVER;
    });
};

export const queryBoolean = () =>
  z.enum(['true', 'false'], { error: 'must be true or false' }).transform((v) => v === 'true');

/** A whole number in a query, negative ones included. */
export const queryInteger = () => {
  const error = `must be a whole number from ${-maxInteger} to ${maxInteger}`;
  return z
    .string({ error })
    .regex(/^-?\d{1,10}$/, { error })
    .transform(Number)
    .pipe(z.int({ error }).min(-maxInteger, { error }).max(maxInteger, { error }));
};

export const queryDate = () => z.iso.date({ error: 'must be a date such as 2030-01-31' }).meta({ maxLength: 10 });

const limitError = 'Limit must be between 1 and 1000.';

/** The parameters that every list takes. The wrapper checks the cursor's contents. */
export const pageQuery = {
  limit: z
    .string({ error: limitError })
    .regex(/^\d{1,10}$/, { error: limitError })
    .transform(Number)
    .pipe(z.int({ error: limitError }).min(1, { error: limitError }).max(1000, { error: limitError }))
    .default(100)
    .describe('The most rows to answer, from 1 to 1000. A script inworld should ask for few.'),
  cursor: z
    .string()
    .max(maxLength.cursor, { error: 'Cursor is too long.' })
    .optional()
    .describe(
      'Where to go on: `nextCursor` or `previousCursor` of an earlier page, exactly as received. Send the same filters with it.',
    ),
};

const Pagination = z
  .object({
    nextCursor: answerTextOrNull(maxLength.cursor).describe(
      'Send it as `cursor` for the next page. Null: this is the last page.',
    ),
    previousCursor: answerTextOrNull(maxLength.cursor).describe(
      'Send it as `cursor` for the page before. Null: this is the first page.',
    ),
    limit: z.int().describe('The most rows a page has, as asked for.'),
  })
  .meta({ id: 'Pagination' });

/** The envelope that every list answers, under its own name. `rows` is the reference's word for its rows. */
export const listOf = <T extends z.ZodType>(id: string, rows: string, row: T) =>
  z
    .object({
      data: z.array(row).describe(`${rows}, at most \`limit\`.`),
      pagination: Pagination.describe('Where this page stands in the list.'),
    })
    .meta({ id, description: `One page of a list: ${rows.charAt(0).toLowerCase()}${rows.slice(1)}.` });

/** A resident in an answer. */
export const person = {
  uuid: uuid().describe('UUID of the avatar, in lower case.'),
  username: answerText(maxLength.username).describe(
    'Current username in canonical form: `ada.lovelace`, or `ada` without a last name.',
  ),
};

export const ownerUsername = () =>
  answerText(maxLength.username).describe(
    'Current username of the owner, in canonical form: `ada.lovelace`, or `ada` without a last name.',
  );

/** A text that may be left out; an empty one counts as left out. */
const remark = (max: number) =>
  text({ min: 0, max })
    .transform((value) => value || undefined)
    .optional();

/** Why a change was made, and what it belongs to. */
export const remarks = {
  reason: remark(maxLength.reason).describe(
    `Why, for the store’s own records: at most ${maxLength.reason} characters.`,
  ),
  reference: remark(maxLength.reference).describe(
    `A number or name from the store’s own records, such as a ticket: at most ${maxLength.reference} characters.`,
  ),
};

/** A time in an answer, UTC with milliseconds. */
export const time = () => z.string().meta({ format: 'date-time', maxLength: maxLength.time });
export const timeOrNull = () => z.string().nullable().meta({ format: 'date-time', maxLength: maxLength.time });

/** The two types of credit of a customer. */
export const balances = {
  credit: z.int().describe('Regular store credit in L$, as it is stored: unlotted credit and open lots together.'),
  restrictedCredit: z
    .int()
    .describe('Restricted store credit in L$, as it is stored: unlotted credit and open lots together.'),
};

/**
 * JSON Schema for a rule across fields, which demands this text. Without the type, generators of clients would read the
 * text as `any`.
 */
export const withText = (name: string, max: number) => ({
  properties: { [name]: { type: 'string', maxLength: max } },
  required: [name],
});

/**
 * Checks conditions across the fields of an object. It runs even if single fields have failed, so that all faults of a
 * body are reported at once. A failed field has the value that was sent, and a missing one is undefined.
 */
export const acrossFields = (
  rules: (fields: Record<string, unknown>, report: (field: string | undefined, message: string) => void) => void,
) =>
  z.superRefine(
    (input: unknown, context) => {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) return;
      rules(input as Record<string, unknown>, (field, message) => {
        context.addIssue({ code: 'custom', path: field === undefined ? [] : [field], message, input });
      });
    },
    { when: () => true },
  );
