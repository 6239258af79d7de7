import { expect, test } from 'vitest';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { timestamp } from '../../../lib/clock.ts';
import { intercept } from '../../support/faults.ts';
import { ada, bob, cleo } from '../../support/residents.ts';
import { startApplying } from './applying.ts';

const { service, clock, make, apply } = startApplying();

test('picks the owner’s newest usable coupon', async () => {
  const at = (age: number) => ({ createdAt: timestamp(clock() - age) });
  await make({}, at(50), cleo);
  const newestUsable = await make({}, at(40), cleo);
  for (let age = 30; age < 36; age++) await make({}, { ...at(age), expiration: timestamp(clock()) }, cleo);
  await make({ active: false }, at(20), cleo);

  const { body } = await apply({ couponOwnerUuid: cleo.uuid.toUpperCase(), scope: 0 });

  expect(body.couponId).toBe(newestUsable.id);
});

test('400s with the reason of the owner’s newest coupon if none is usable', async () => {
  const { store } = service();
  await createCoupon(
    store,
    bob,
    { code: 'Lapsed', discount: 0, ownerProfit: 0, active: true, bloggersSync: false },
    {
      createdAt: timestamp(clock() - 2),
      expiration: timestamp(clock() - 1),
    },
  );
  const expired = await apply({ couponOwnerUuid: bob.uuid, scope: 0 });
  await make({ active: false }, { createdAt: timestamp(clock() - 1) }, bob);

  const inactive = await apply({ couponOwnerUuid: bob.uuid, scope: 0 });

  expect([expired.status, expired.body.detail]).toEqual([400, 'The coupon has expired.']);
  expect([inactive.status, inactive.body.detail]).toEqual([400, 'The coupon is not active.']);
});

test('reads the owner’s coupons consistently, also if none is usable', async () => {
  const consistent: boolean[] = [];
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'BatchGetItem' && JSON.stringify(input).includes('#COUPON'))
      consistent.push(
        ...Object.values<{ ConsistentRead: boolean }>(input.RequestItems).map((one) => one.ConsistentRead),
      );
    return send();
  });
  await make({ active: false }, {}, ada);

  const { status } = await apply({ couponOwnerUuid: ada.uuid, scope: 0 });
  stop();

  expect([status, consistent.length > 0]).toEqual([400, true]);
  expect(consistent).not.toContain(false);
});
