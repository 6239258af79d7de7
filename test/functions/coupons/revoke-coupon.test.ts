import { expect, test } from 'vitest';
import { ada, cleo } from '../../support/residents.ts';
import { setClock } from '../../support/service.ts';
import { hour, startApplying, tableWithoutKeys } from './applying.ts';

const { service, clock, make, apply, revoke } = startApplying();

test('revokes any coupon of the owner, also an inactive one', async () => {
  const coupon = await make();
  await make();
  await make({}, {}, cleo);
  await apply({ code: coupon.code, scope: 0 });
  await service().call('PUT', `/v1/coupons/${coupon.id}`, { code: coupon.code, active: false });

  const foreign = await revoke({ couponOwnerUuid: cleo.uuid, scope: 0 });
  const { body } = await revoke({ couponOwnerUuid: ada.uuid, scope: 0 });

  expect([foreign.body, body]).toEqual([{ revoked: false }, { revoked: true }]);
});

test('does not revoke an application from the millisecond at which it lapses', async () => {
  const { id: couponId } = await make();
  await apply({ couponId, scope: 0, expiresInHours: 1 });
  await apply({ couponId, scope: 0, expiresInHours: 1 }, 'cleo');

  setClock(clock() + hour - 1);
  const live = await revoke({ couponId, scope: 0 });
  setClock(clock() + hour);
  const lapsed = await revoke({ couponId, scope: 0 }, 'cleo');

  expect([live.body, lapsed.body]).toEqual([{ revoked: true }, { revoked: false }]);
});

test('makes no resident a customer on a revoke that finds nothing', async () => {
  const { id: couponId } = await make();
  const before = await tableWithoutKeys();

  await revoke({ couponId, scope: 0 }, cleo.uuid);

  expect(await tableWithoutKeys()).toEqual(before);
});
