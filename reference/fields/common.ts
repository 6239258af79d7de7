import type { JsonSchema } from '../schemas.ts';

/** What a field means; with what zod cannot say of its schema, where that is needed. */
export type FieldText = string | (JsonSchema & { description: string });

/** By the schemas' names, then the fields'. */
export type FieldTexts = Record<string, Record<string, FieldText>>;

export const timestamp = (description: string): FieldText => ({ description, format: 'date-time' });

export const uuidOf = (what: string): string => `UUID of ${what}, in lower case.`;

export const ownerUsername =
  'Current username of the owner, in canonical form: `ada.lovelace`, or `ada` without a last name.';

export const list = (row: string) => ({
  data: `${row}, at most \`limit\`.`,
  pagination: 'Where this page stands in the list.',
});
