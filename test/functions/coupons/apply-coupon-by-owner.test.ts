import { expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { createCoupon } from '../../../lib/store/coupons.ts';
import { bob, cleo } from '../../support/residents.ts';
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

test('400s with the newest of an owner’s coupons when none is usable', async () => {
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
