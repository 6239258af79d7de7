import { beforeEach, expect, test } from 'vitest';
import { newCustomer } from '../../support/credit-seed.ts';
import { seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';

const start = Date.parse('2029-06-01T12:00:00.000Z');
const never = '9999-12-31T23:59:59.999Z';
const service = await startTestService();
await seedResidents();
beforeEach(() => setClock(start));

let codes = 0;
const create = async () => {
  codes += 1;
  const body = { code: `Limited ${codes}`, ownerIdentifier: 'ada.lovelace', discount: 10 };
  return (await service.call('POST', '/v1/coupons', body)).body;
};
const limit = (id: string, body: object, headers = {}) =>
  service.call('PUT', `/v1/coupons/${id}/limits`, body, headers);
const apply = async (couponId: string) =>
  service.call('POST', `/v1/customers/${await newCustomer()}/actions/apply-coupon`, { couponId, scope: 0 });

test('200s with the coupon, which changes in nothing else, and null takes the end away', async () => {
  const coupon = await create();

  const { status, body, cost } = await limit(coupon.id, {
    expiration: '2029-06-02T14:00:00+02:00',
    usesPerCustomer: 3,
  });

  expect(status).toBe(200);
  expect(body).toEqual({ ...coupon, expiration: '2029-06-02T12:00:00.000Z', usesPerCustomer: 3 });
  expect(cost).toMatchObject({ steps: 1, units: 1 });
  expect((await service.call('GET', `/v1/coupons/${coupon.id}`)).body).toEqual(body);
  expect((await limit(coupon.id, { expiration: null, usesPerCustomer: 0 })).body).toEqual(coupon);
});

test('a coupon is refused from its last moment on, and a PUT of its other fields keeps the limits', async () => {
  const { id, code } = await create();
  await limit(id, { expiration: '2029-06-02T12:00:00Z', usesPerCustomer: 2 });
  const { body } = await service.call('PUT', `/v1/coupons/${id}`, { code, discount: 20 });
  expect(body).toMatchObject({ expiration: '2029-06-02T12:00:00.000Z', usesPerCustomer: 2, discount: 20 });

  setClock(Date.parse('2029-06-02T11:59:59.999Z'));
  expect((await apply(id)).status).toBe(200);
  setClock(Date.parse('2029-06-02T12:00:00.000Z'));
  expect((await apply(id)).status).toBe(400);
  await limit(id, { expiration: null, usesPerCustomer: 0 });
  expect((await apply(id)).status).toBe(200);
});

test('takes If-Match as the other rows of a coupon do', async () => {
  const { id } = await create();
  const etag = (await service.call('GET', `/v1/coupons/${id}`)).headers.get('etag') ?? '';
  const body = { expiration: null, usesPerCustomer: 1 };

  const changed = await limit(id, body, { 'If-Match': etag });

  expect(changed.status).toBe(200);
  expect(changed.headers.get('etag')).not.toBe(etag);
  expect((await limit(id, { ...body, usesPerCustomer: 9 }, { 'If-Match': etag })).status).toBe(412);
  expect((await service.call('GET', `/v1/coupons/${id}`)).body.usesPerCustomer).toBe(1);
});

test('400s for every fault at once, 404s for a coupon that the store does not have', async () => {
  const { id } = await create();
  const other = await service.call(
    'PUT',
    `/v1/coupons/${id}/limits`,
    { expiration: null, usesPerCustomer: 1 },
    { 'X-API-Key': service.otherKey },
  );

  expect((await limit(id, {})).body.errors).toEqual([
    'expiration is required: it must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00Z.',
    'usesPerCustomer is required: it must be a whole number from 0 to 2147483647.',
  ]);
  expect((await limit(unknownUuid, { expiration: null, usesPerCustomer: 1 })).status).toBe(404);
  expect(other.status).toBe(404);
  expect((await service.call('GET', `/v1/coupons/${id}`)).body).toMatchObject({
    expiration: never,
    usesPerCustomer: 0,
  });
});
