import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { uuidPattern } from '../../lib/identifier.ts';
import { type Route, takesKeys } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { kindOf, type OneOfEach, seedOneOfEach } from './one-of-each.ts';
import { type JsonSchema, jsonSchema } from './requests.ts';
import { ada, bob } from './residents.ts';
import type { Call } from './service.ts';

/** Makes one row of each kind for the example requests. */
export const seedExamples = (call: Call, code = 'Example'): Promise<OneOfEach> =>
  seedOneOfEach(call, { code, owner: ada.uuid, customer: bob.uuid });

const deletesWhole = ({ method, path }: Route): boolean => method === 'DELETE' && /\/\{(uu)?id\}$/.test(path);

/** Its key works no more: a test that goes on sends it with a key of its own. */
export const endsItsKey = ({ id }: Pick<Route, 'id'>): boolean => id === 'own-key/end-key';

/** Only the key that has seeded the examples has claimed their payout. */
export const needsItsKey = ({ id }: Pick<Route, 'id'>): boolean => id === 'payouts/report-payout';

/**
 * The endpoints that a key may call. The others take the code of an invitation, or the code or token of a customer's
 * page: test/functions/keys/ and test/functions/me/ ask them.
 */
export const routesOfKeys: readonly Route[] = routes.filter(takesKeys);

/**
 * The endpoints of keys in an order in which every example request succeeds: first all others, then the ones that
 * delete a row, and then the one that ends the key.
 */
export const routesInOrder: readonly Route[] = [
  ...routesOfKeys.filter((row) => !deletesWhole(row) && !endsItsKey(row)),
  ...routesOfKeys.filter(deletesWhole),
  ...routesOfKeys.filter(endsItsKey),
];

/** Endpoints that refuse the same request again: it is done, or too soon. */
export const onceOnly: readonly string[] = [
  'deliveries/retry-delivery',
  'products/redeliver-product',
  'gift-cards/redeem-gift-card',
  // The customer's own cards are redeemed at once, and take no change then.
  'gift-cards/update-gift-card',
  'gift-cards/disable-gift-card',
  'keys/rotate-key',
];

/** Values for request fields, by name. */
const fieldValues = ({ coupon, product }: OneOfEach, code: string): Record<string, unknown> => ({
  // Behind the ids that the service makes: those begin with their time.
  id: `f${randomUUID().slice(1)}`,
  code,
  couponId: coupon,
  productId: product,
  name: 'New',
  price: 1,
  credit: 7,
  delta: 7,
  reason: 'Because',
  discount: 5,
  newsSubscriber: true,
  identifier: bob.uuid,
  buyerIdentifier: bob.uuid,
  ownerIdentifier: ada.uuid,
  recipientIdentifier: bob.uuid,
  message: 'Hello',
  paid: 10,
  url: 'http://127.0.0.1:1/cap',
  region: 'Here',
  items: ['Chair'],
  events: ['store.closed'],
  scopes: ['keys:write'],
  expiration: '2099-01-01T00:00:00Z',
});

/** A value for any other field, by its schema. */
const plainValue = ({ enum: values, pattern, minimum, type }: JsonSchema): unknown => {
  if (values) return values[0];
  if (pattern === uuidPattern.source) return bob.uuid;
  return type === 'integer' || type === 'number' ? Math.max(minimum ?? 1, 1) : type === 'boolean' ? true : 'New';
};

/** A valid body: the required fields, and the optional ones with a known name. */
const bodyOf = (body: z.ZodType, rows: OneOfEach, code: string): object => {
  const { properties = {}, required = [] } = jsonSchema(body);
  const values = fieldValues(rows, code);
  const fields = Object.entries(properties).filter(
    ([name, { type }]) => required.includes(name) || (name in values && type !== 'object'),
  );
  const filled = Object.fromEntries(fields.map(([name, schema]) => [name, values[name] ?? plainValue(schema)]));
  // A request must name its coupon in exactly one way, and its product only if the scope is 1.
  return 'couponId' in filled ? { ...filled, code: undefined, productId: undefined } : filled;
};

/** The query that a row demands: a list's cursor and limit may follow. */
export const queryOf = ({ id }: Pick<Route, 'id'>): string => (id === 'finding/list-names' ? '?prefix=seeded.&' : '?');

/** A request that succeeds, about these rows and the resident bob. No coupon may have `code`. */
export const exampleOf = (row: Route, rows: OneOfEach, code: string): { path: string; body?: object } => {
  const segments = row.path.split('/');
  const filled = segments.map((segment, index) => {
    if (!segment.startsWith('{')) return segment;
    const kind = kindOf[segments[index - 1] as keyof typeof kindOf];
    if (segment === '{identifier}' || kind === undefined) return bob.uuid;
    if (row.id === 'keys/revoke-key') return rows.revocable;
    return row.id === 'gift-cards/redeem-gift-card' ? rows.redeemable : rows[kind];
  });
  const query = queryOf(row).replace(/[?&]$/, '');
  return { path: filled.join('/') + query, ...(row.body && { body: bodyOf(row.body, rows, code) }) };
};
