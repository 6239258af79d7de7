import type * as z from 'zod';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { type JsonSchema, jsonSchema } from '../fuzz/requests.ts';
import { kindOf, type OneOfEach, seedOneOfEach } from './one-of-each.ts';
import { ada, bob } from './residents.ts';
import type { Call } from './service.ts';

/** Makes one row of each kind for the example requests. */
export const seedExamples = (call: Call, code = 'Example'): Promise<OneOfEach> =>
  seedOneOfEach(call, { code, owner: ada.uuid, customer: bob.uuid });

const deletesWhole = ({ method, path }: Route): boolean => method === 'DELETE' && path.endsWith('/{id}');

/** Every row, in an order in which the examples about the same rows all succeed: a row is deleted last. */
export const routesInOrder: readonly Route[] = [
  ...routes.filter((row) => !deletesWhole(row)),
  ...routes.filter(deletesWhole),
];

/** Values of the fields that requests have, by the fields' names. */
const fieldValues = ({ coupon }: OneOfEach, code: string): Record<string, unknown> => ({
  code,
  couponId: coupon,
  name: 'New',
  price: 1,
  credit: 7,
  delta: 7,
  reason: 'Because',
  discount: 5,
  newsSubscriber: true,
  ownerIdentifier: ada.uuid,
  recipientIdentifier: bob.uuid,
  message: 'Hello',
  url: 'http://127.0.0.1:1/cap',
  region: 'Here',
  items: ['Chair'],
});

/** A value that a field takes whose name says nothing. */
const plainValue = ({ enum: values, format, minimum, type }: JsonSchema): unknown => {
  if (values) return values[0];
  if (format === 'uuid') return bob.uuid;
  return type === 'integer' || type === 'number' ? Math.max(minimum ?? 1, 1) : type === 'boolean' ? true : 'New';
};

/** A body that a row takes: its required fields, and those optional ones of which the name says what to send. */
const bodyOf = (body: z.ZodType, rows: OneOfEach, code: string): object => {
  const { properties = {}, required = [] } = jsonSchema(body);
  const values = fieldValues(rows, code);
  const fields = Object.entries(properties).filter(
    ([name, { type }]) => required.includes(name) || (name in values && type !== 'object'),
  );
  const filled = Object.fromEntries(fields.map(([name, schema]) => [name, values[name] ?? plainValue(schema)]));
  // A request names its coupon in one way.
  return 'couponId' in filled ? { ...filled, code: undefined } : filled;
};

/** A request to a row that succeeds, about these rows and the resident bob. `code` is one that no coupon has. */
export const exampleOf = (row: Route, rows: OneOfEach, code: string): { path: string; body?: object } => {
  const segments = row.path.split('/');
  const filled = segments.map((segment, index) => {
    if (!segment.startsWith('{')) return segment;
    if (segment === '{identifier}') return bob.uuid;
    return rows[kindOf[segments[index - 1] as keyof typeof kindOf]];
  });
  return { path: filled.join('/'), ...(row.body && { body: bodyOf(row.body, rows, code) }) };
};
