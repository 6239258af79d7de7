import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { act, call, get, resident, target } from './target.ts';

/** Only imported coupons have a limit and an expiry. Resident 17. */

describe.runIf(target.local)('on the local service, whose demo has imported coupons', () => {
  const owner = resident(17).uuid;
  const imported = (number: number) => `00000004-dede-4ede-8ede-00000000000${number}`;

  test('coupons 7: imported coupons may have a limit and an expiry, which a replacement keeps', async () => {
    const { body } = await get(`/v1/coupons/${imported(6)}`);

    const replaced = await call('PUT', `/v1/coupons/${imported(6)}`, body);

    expect(body).toMatchObject({ code: 'Été', usesPerCustomer: 3, discount: 12.5 });
    expect(Date.parse(body.expiration)).toBeLessThan(Date.parse('9000-01-01'));
    expect(replaced.body).toEqual(body);
  });

  test('coupons 18: applying does not count towards usesPerCustomer', async () => {
    const limit: number = (await get(`/v1/coupons/${imported(6)}`)).body.usesPerCustomer;

    const statuses = [];
    for (let time = 0; time <= limit; time += 1)
      statuses.push((await act(owner, 'apply-coupon', { couponId: imported(6), scope: 0 })).status);

    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  test('apply rule 4: an expired coupon cannot be applied, though it is active', async () => {
    const path = `/v1/customers/${owner}/actions/apply-coupon`;
    expect((await get(`/v1/coupons/${imported(5)}`)).body.active).toBe(true);

    expectProblem(await act(owner, 'apply-coupon', { code: 'LASTYEAR', scope: 0 }), 400, path, [
      'The coupon has expired.',
    ]);
  });

  test('coupons 8: apply by owner skips an expired coupon', async () => {
    const nova = '00000002-dede-4ede-8ede-000000000002';

    const { body } = await act(owner, 'apply-coupon', { couponOwnerUuid: nova, scope: 0 });

    expect(body.couponId).toBe(imported(6));
  });
});
