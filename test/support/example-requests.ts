import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { ada, bob } from './residents.ts';
import type { Call } from './service.ts';

/** The rows that example requests are about. */
export type ExampleRows = Record<'coupon' | 'product' | 'category' | 'giftcard', string>;

/** Makes one row of each kind. */
export const seedExamples = async (call: Call, code = 'Example'): Promise<ExampleRows> => {
  const idOf = async (path: string, body: object): Promise<string> => (await call('POST', path, body)).body.id;
  return {
    coupon: await idOf('/v1/coupons', { code, ownerIdentifier: ada.uuid }),
    product: await idOf('/v1/products', { name: 'Example', price: 10 }),
    category: await idOf('/v1/categories', { name: 'Example' }),
    giftcard: await idOf(`/v1/customers/${bob.uuid}/actions/grant-gift-card`, { credit: 5 }),
  };
};

const isLast = ({ id }: Route): boolean => id === 'categories/delete-category';

/** Every row, in an order in which the examples about the same rows all succeed: what others need goes last. */
export const routesInOrder: readonly Route[] = [...routes.filter((row) => !isLast(row)), ...routes.filter(isLast)];

const bodiesOf = ({ coupon }: ExampleRows): Record<string, object> => ({
  'coupons/apply-coupon': { couponId: coupon, scope: 0 },
  'coupons/revoke-coupon': { couponId: coupon, scope: 0 },
  'dispenser/put-dispenser': { url: 'http://127.0.0.1:1/cap', region: 'Here', items: ['Chair'] },
});

/** One body that fits all other rows: what a row does not know it ignores. */
const anyBody = {
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
  const { discount, ...rest } = anyBody;
  const ofRow = bodiesOf(rows)[row.id] ?? { ...rest, code, ...(!row.path.includes('/products') && { discount }) };
  return { path: filled.join('/'), ...(row.body && { body: ofRow }) };
};
