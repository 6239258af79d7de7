import { expect, test } from 'vitest';
import { ada, seedResidents, unknownUuid } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

/**
 * The contract answers the same fault with 400 in one endpoint and with 404 in another. Each row, copied from the
 * contract, has the fault, the request and the status. `{coupon}` and `{product}` stand for existing ids, `{nothing}`
 * for an unused UUID.
 */
const apply = (who: string) => `/v1/customers/${who}/actions/apply-coupon`;
const revoke = (who: string) => `/v1/customers/${who}/actions/revoke-coupon`;
const grant = (who: string) => `/v1/customers/${who}/actions/grant-gift-card`;
const nil = '00000000-0000-0000-0000-000000000000';

const rows: [fault: string, request: string, body: object | undefined, status: number][] = [
  ['unknown resident in the path', 'GET /v1/coupons/owner/nobody', undefined, 404],
  ['unknown resident in the path', 'GET /v1/customers/nobody/giftcards', undefined, 404],
  ['unknown resident in the path', `POST ${grant('nobody')}`, { credit: 1 }, 404],
  ['unknown resident in the path', `POST ${apply('nobody')}`, { couponId: '{coupon}', scope: 0 }, 400],
  ['unknown resident in the path', `POST ${revoke('nobody')}`, { couponId: '{coupon}', scope: 0 }, 400],
  ['unknown UUID in the path', 'GET /v1/coupons/owner/{nothing}', undefined, 404],
  ['unknown UUID in the path', 'GET /v1/customers/{nothing}/giftcards', undefined, 404],
  ['unknown UUID in the path', `POST ${grant('{nothing}')}`, { credit: 1 }, 404],
  ['unknown UUID in the path', `POST ${apply('{nothing}')}`, { couponId: '{coupon}', scope: 0 }, 400],
  ['unknown UUID in the path', `POST ${revoke('{nothing}')}`, { couponId: '{coupon}', scope: 0 }, 400],

  ['malformed identifier', 'GET /v1/coupons/owner/a..b', undefined, 400],
  ['malformed identifier', `GET /v1/coupons/owner/${nil}`, undefined, 400],
  ['malformed identifier', 'GET /v1/customers/a..b/giftcards', undefined, 400],
  ['malformed identifier', `POST ${grant('a..b')}`, { credit: 1 }, 400],
  ['malformed identifier', `POST ${apply('a..b')}`, { couponId: '{coupon}', scope: 0 }, 400],
  ['malformed identifier', `POST ${revoke('a..b')}`, { couponId: '{coupon}', scope: 0 }, 400],

  ['unknown resident in a body', 'POST /v1/coupons', { code: 'New', ownerIdentifier: 'nobody' }, 400],
  ['unknown resident in a body', 'POST /v1/coupons', { code: 'New', ownerIdentifier: '{nothing}' }, 400],
  ['unknown resident in a body', `POST ${apply('bob')}`, { couponOwnerUuid: '{nothing}', scope: 0 }, 400],
  ['unknown resident in a body', `POST ${revoke('bob')}`, { couponOwnerUuid: '{nothing}', scope: 0 }, 400],
  ['owner without any coupon', `POST ${apply('bob')}`, { couponOwnerUuid: '{cleo}', scope: 0 }, 404],
  ['owner without any coupon', `POST ${revoke('bob')}`, { couponOwnerUuid: '{cleo}', scope: 0 }, 404],

  ['unknown id in the path', 'GET /v1/coupons/{nothing}', undefined, 404],
  ['unknown id in the path', 'PUT /v1/coupons/{nothing}', { code: 'New' }, 404],
  ['unknown id in the path', 'GET /v1/giftcards/{nothing}', undefined, 404],
  ['unknown id in the path', 'PUT /v1/giftcards/{nothing}', {}, 404],
  ['unknown id in the path', 'POST /v1/giftcards/{nothing}/actions/disable', undefined, 404],
  ['an id that is no UUID', 'GET /v1/coupons/x', undefined, 404],
  ['an id that is no UUID', 'PUT /v1/coupons/x', { code: 'New' }, 400],
  ['an id that is no UUID', 'GET /v1/giftcards/x', undefined, 404],
  ['an id that is no UUID', 'PUT /v1/giftcards/x', {}, 400],
  ['an id that is no UUID', 'POST /v1/giftcards/x/actions/disable', undefined, 400],

  ['unknown coupon', `POST ${apply('bob')}`, { couponId: '{nothing}', scope: 0 }, 404],
  ['unknown coupon', `POST ${apply('bob')}`, { code: 'Nothing', scope: 0 }, 404],
  ['unknown coupon', `POST ${revoke('bob')}`, { couponId: '{nothing}', scope: 0 }, 404],
  ['unknown coupon', `POST ${revoke('bob')}`, { code: 'Nothing', scope: 0 }, 404],
  ['a coupon id that is no UUID', `POST ${apply('bob')}`, { couponId: 'x', scope: 0 }, 400],
  ['a coupon id that is no UUID', `POST ${revoke('bob')}`, { couponId: 'x', scope: 0 }, 400],
  ['inactive coupon', `POST ${apply('bob')}`, { code: 'Inactive', scope: 0 }, 400],
  ['inactive coupon', `POST ${revoke('bob')}`, { code: 'Inactive', scope: 0 }, 200],
  ['unknown product', `POST ${apply('bob')}`, { couponId: '{coupon}', scope: 1, productId: '{nothing}' }, 404],
  // The contract's 404s of revoke do not include the product: an unknown one just has no application.
  ['unknown product', `POST ${revoke('bob')}`, { couponId: '{coupon}', scope: 1, productId: '{nothing}' }, 200],
  ['a product id that is no UUID', `POST ${apply('bob')}`, { couponId: '{coupon}', scope: 1, productId: 'x' }, 400],
  ['a product id that is no UUID', `POST ${revoke('bob')}`, { couponId: '{coupon}', scope: 1, productId: 'x' }, 400],

  ['taken code', 'POST /v1/coupons', { code: 'INACTIVE', ownerIdentifier: 'bob' }, 400],
  ['taken code', 'PUT /v1/coupons/{coupon}', { code: 'INACTIVE' }, 400],
];

const ids: Record<string, string> = { nothing: unknownUuid, cleo: '00000003-7e57-0000-0000-000000000000' };
const service = await startTestService();
await seedResidents();
const create = async (body: object) =>
  (await service.call('POST', '/v1/coupons', { ownerIdentifier: ada.uuid, ...body })).body.id;
ids.coupon = await create({ code: 'Active' });
await create({ code: 'Inactive', active: false });

test.each(rows)('%s: %s %j gets %i, and writes nothing', async (_, request, body, status) => {
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_match, name) => ids[name] as string);
  const [method, path] = request.split(' ') as [string, string];
  const before = await wholeTable();

  const answer = await service.call(method, filled(path), body && JSON.parse(filled(JSON.stringify(body)).toString()));

  expect(answer.status).toBe(status);
  if (status >= 400) {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body.title).toBe(status === 404 ? 'Not Found' : 'Bad Request');
    expect('errors' in answer.body).toBe(status === 400);
  }
  expect(await wholeTable()).toEqual(before);
});
