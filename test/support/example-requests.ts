import type * as z from 'zod';
import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { type JsonSchema, jsonSchema } from '../fuzz/requests.ts';
import { ada, bob } from './residents.ts';
import type { Call } from './service.ts';

/** The rows that example requests are about. */
export type ExampleRows = Record<'coupon' | 'product' | 'category' | 'giftcard', string>;

/** Makes one row of each kind, and two where a list of bob's would else have no second page. */
export const seedExamples = async (call: Call, code = 'Example'): Promise<ExampleRows> => {
  const idOf = async (path: string, body: object): Promise<string> => (await call('POST', path, body)).body.id;
  const rows = {
    coupon: await idOf('/v1/coupons', { code, ownerIdentifier: ada.uuid }),
    product: await idOf('/v1/products', { name: 'Example', price: 10 }),
    category: await idOf('/v1/categories', { name: 'Example' }),
    giftcard: await idOf(`/v1/customers/${bob.uuid}/actions/grant-gift-card`, { credit: 5 }),
  };
  for (const scope of [{ scope: 0 }, { scope: 1, productId: rows.product }])
    await call('POST', `/v1/customers/${bob.uuid}/actions/apply-coupon`, { couponId: rows.coupon, ...scope });
  return rows;
};

const deletesWhole = ({ method, path }: Route): boolean => method === 'DELETE' && path.endsWith('/{id}');

/** Every row, in an order in which the examples about the same rows all succeed: a row is deleted last. */
export const routesInOrder: readonly Route[] = [
  ...routes.filter((row) => !deletesWhole(row)),
  ...routes.filter(deletesWhole),
];

/** Values of the fields that requests have, by the fields' names. */
const fieldValues = ({ coupon }: ExampleRows, code: string): Record<string, unknown> => ({
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
const bodyOf = (body: z.ZodType, rows: ExampleRows, code: string): object => {
  const { properties = {}, required = [] } = jsonSchema(body);
  const values = fieldValues(rows, code);
  const fields = Object.entries(properties).filter(
    ([name, { type }]) => required.includes(name) || (name in values && type !== 'object'),
  );
  const filled = Object.fromEntries(fields.map(([name, schema]) => [name, values[name] ?? plainValue(schema)]));
  // A request names its coupon in one way.
  return 'couponId' in filled ? { ...filled, code: undefined } : filled;
};

const kinds: Record<string, keyof ExampleRows> = {
  coupons: 'coupon',
  products: 'product',
  categories: 'category',
  giftcards: 'giftcard',
};

/** A request to a row that succeeds, about these rows and the resident bob. `code` is one that no coupon has. */
export const exampleOf = (row: Route, rows: ExampleRows, code: string): { path: string; body?: object } => {
  const segments = row.path.split('/');
  const filled = segments.map((segment, index) => {
    if (!segment.startsWith('{')) return segment;
    if (segment === '{identifier}') return bob.uuid;
    return rows[kinds[segments[index - 1] ?? ''] ?? 'product'];
  });
  return { path: filled.join('/'), ...(row.body && { body: bodyOf(row.body, rows, code) }) };
};
