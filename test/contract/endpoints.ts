import type { Shape } from './shapes.ts';

/** One endpoint of the specification's tables. */
export interface Endpoint {
  method: string;
  path: string;
  scope: string;
  status: 200 | 201 | 204;
  /** The shape of its answer, or of the rows of its list. Absent for 204. */
  shape?: Shape;
  list?: true;
  /** A valid body, if one is needed. `{owner}`, `{id of a coupon}` and the like are filled in. */
  body?: object;
}

const list = (path: string, scope: string, shape: Shape): Endpoint => ({
  method: 'GET',
  path,
  scope,
  status: 200,
  shape,
  list: true,
});
const read = (path: string, scope: string, shape: Shape): Endpoint => ({
  method: 'GET',
  path,
  scope,
  status: 200,
  shape,
});
const create = (path: string, scope: string, shape: Shape, body: object): Endpoint => ({
  method: 'POST',
  path,
  scope,
  status: 201,
  shape,
  body,
});
const replace = (path: string, scope: string, shape: Shape, body: object): Endpoint => ({
  method: 'PUT',
  path,
  scope,
  status: 200,
  shape,
  body,
});
const action = (path: string, scope: string, shape: Shape, body?: object): Endpoint => ({
  method: 'POST',
  path,
  scope,
  status: 200,
  shape,
  ...(body && { body }),
});
const quiet = (method: string, path: string, scope: string): Endpoint => ({ method, path, scope, status: 204 });

const customer = '/v1/customers/{identifier}';
const member = '/v1/categories/{category}/products/{product}';

/** The 35 endpoints, in the specification's order. */
export const endpoints: readonly Endpoint[] = [
  list('/v1/coupons/owner/{identifier}', 'coupons:read', 'CouponResponse'),
  list('/v1/coupons', 'coupons:read', 'CouponResponse'),
  read('/v1/coupons/{coupon}', 'coupons:read', 'CouponResponse'),
  create('/v1/coupons', 'coupons:write', 'CouponResponse', { code: '{unique}', ownerIdentifier: '{owner}' }),
  replace('/v1/coupons/{coupon}', 'coupons:write', 'CouponResponse', { code: '{unique}' }),
  action(`${customer}/actions/apply-coupon`, 'coupons:apply', 'AppliedCouponResponse', {
    couponId: '{coupon}',
    scope: 0,
  }),
  action(`${customer}/actions/revoke-coupon`, 'coupons:apply', 'RevokedCouponResponse', {
    couponId: '{coupon}',
    scope: 0,
  }),
  list('/v1/customers', 'customers:read', 'CustomerResponse'),
  read(customer, 'customers:read', 'CustomerResponse'),
  read(`${customer}/credit`, 'credits:read', 'CustomerCreditResponse'),
  read(`${customer}/spend`, 'customers:read', 'CustomerSpendResponse'),
  replace(customer, 'customers:write', 'CustomerResponse', { discount: 5 }),
  action(`${customer}/actions/set-credit`, 'credits:write', 'CustomerCreditResponse', { credit: 10 }),
  action(`${customer}/actions/set-restricted-credit`, 'credits:write', 'CustomerCreditResponse', { credit: 10 }),
  action(`${customer}/actions/increment-credit`, 'credits:write', 'CustomerCreditResponse', { delta: 5 }),
  action(`${customer}/actions/increment-restricted-credit`, 'credits:write', 'CustomerCreditResponse', { delta: 5 }),
  action(`${customer}/actions/grant-gift-card`, 'giftcards:write', 'GiftCardResponse', { credit: 5 }),
  action(`${customer}/actions/ban`, 'customers:write', 'CustomerBanStateResponse'),
  action(`${customer}/actions/unban`, 'customers:write', 'CustomerBanStateResponse'),
  list(`${customer}/giftcards`, 'giftcards:read', 'GiftCardResponse'),
  read('/v1/giftcards/{giftcard}', 'giftcards:read', 'GiftCardResponse'),
  replace('/v1/giftcards/{giftcard}', 'giftcards:write', 'GiftCardResponse', { credit: 9 }),
  action('/v1/giftcards/{giftcard}/actions/disable', 'giftcards:write', 'GiftCardResponse'),
  list('/v1/products', 'products:read', 'ProductResponse'),
  read('/v1/products/{product}', 'products:read', 'ProductResponse'),
  create('/v1/products', 'products:write', 'ProductResponse', { name: '{unique}', price: 5 }),
  replace('/v1/products/{product}', 'products:write', 'ProductResponse', { name: '{unique}', price: 5 }),
  action('/v1/products/{product}/actions/deliver', 'products:deliver', 'ProductDeliveryResponse', {
    recipientIdentifier: '{owner}',
  }),
  list('/v1/categories', 'categories:read', 'CategoryResponse'),
  read('/v1/categories/{category}', 'categories:read', 'CategoryResponse'),
  create('/v1/categories', 'categories:write', 'CategoryResponse', { name: '{unique}' }),
  replace('/v1/categories/{category}', 'categories:write', 'CategoryResponse', { name: '{unique}' }),
  quiet('POST', member, 'categories:write'),
  quiet('DELETE', member, 'categories:write'),
  quiet('DELETE', '/v1/categories/{category}', 'categories:write'),
];

/** True for an endpoint that can only be tried with residents. */
export const needsResident = ({ path, body }: Endpoint): boolean =>
  /\{(?:identifier|owner|coupon|giftcard)\}/.test(path + JSON.stringify(body));

/** Fills in the `{names}` of a text. An unknown name stays. */
export const filled = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (name, key) => values[key] ?? name);
