import { expect, test } from 'vitest';
import { nilUuid } from '../../../lib/identifier.ts';
import { ada, unknownUuid } from '../../support/residents.ts';
import { startApplying, tableWithoutKeys } from './applying.ts';

const { otherProductId, make, apply, revoke } = startApplying();

test('400s for an inactive coupon and writes nothing, not even the customer', async () => {
  const { id: couponId } = await make({ active: false });
  const before = await tableWithoutKeys();

  const { status } = await apply({ couponId, scope: 0 }, ada.uuid);

  expect(status).toBe(400);
  expect(await tableWithoutKeys()).toEqual(before);
});

const one = { couponId: unknownUuid };
test.each<[object, string[]]>([
  [{ scope: 0 }, ['Send exactly one of code, couponOwnerUuid and couponId: this request has none of them.']],
  [{ ...one, scope: 2 }, ['scope must be 0 (store-wide) or 1 (single product).']],
  [{ ...one, scope: 1, productId: 'x' }, ['productId must be a UUID.']],
  [{ couponId: 'x', scope: 0 }, ['couponId must be a UUID.']],
  [{ couponOwnerUuid: 'bob', scope: 0 }, ['couponOwnerUuid must be the UUID of an avatar.']],
  [{ couponOwnerUuid: nilUuid, scope: 0 }, ['couponOwnerUuid must be the UUID of an avatar.']],
])('400s for the body %j', async (body, errors) => {
  const applied = await apply(body);
  const revoked = await revoke(body);

  expect([applied.status, applied.body.errors]).toEqual([400, errors]);
  expect([revoked.status, revoked.body.errors]).toEqual([400, errors]);
});

test('404s for a product of another store, and writes nothing', async () => {
  const { id: couponId } = await make();
  const before = await tableWithoutKeys();

  const { status } = await apply({ couponId, scope: 1, productId: otherProductId() });

  expect(status).toBe(404);
  expect(await tableWithoutKeys()).toEqual(before);
});
