import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { act, call, createCoupon, resident, target } from './target.ts';

/** Apply and revoke by owner. Residents 20 to 24. */

describe.runIf(target.local)('on the local service, whose residents own no coupons yet', () => {
  const customer = resident(24).uuid;
  const pathOf = (action: string, identifier = customer) => `/v1/customers/${identifier}/actions/${action}-coupon`;
  const apply = (body: object, identifier = customer) => act(identifier, 'apply-coupon', body);
  const revoke = (body: object, identifier = customer) => act(identifier, 'revoke-coupon', body);
  const actions = ['apply', 'revoke'];

  test('coupons 8: apply by owner takes the newest usable coupon', async () => {
    const author = resident(20).uuid;
    await createCoupon(author);
    const newest = await createCoupon(author);
    await createCoupon(author, { active: false });

    expect((await apply({ couponOwnerUuid: author, scope: 0 })).body.couponId).toBe(newest.id);
  });

  test('coupons 9: apply by owner without a usable coupon is 400 with the reason of the newest', async () => {
    const author = resident(21).uuid;
    await createCoupon(author, { active: false });

    expectProblem(await apply({ couponOwnerUuid: author, scope: 0 }), 400, pathOf('apply'), [
      'The coupon is not active.',
    ]);
  });

  test.each(actions)('coupons 10: %s by an owner without a coupon is 404', async (action) => {
    const body = { couponOwnerUuid: resident(22).uuid, scope: 0 };

    expectProblem(await act(customer, `${action}-coupon`, body), 404, pathOf(action));
  });

  test('coupons 16: revoke by owner removes the application of any coupon of that owner', async () => {
    const author = resident(23).uuid;
    const older = await createCoupon(author);
    await createCoupon(author);
    await apply({ couponId: older.id, scope: 0 });
    await call('PUT', `/v1/coupons/${older.id}`, { code: older.code, active: false });

    expect((await revoke({ couponOwnerUuid: author, scope: 0 })).body).toEqual({ revoked: true });
  });
});
