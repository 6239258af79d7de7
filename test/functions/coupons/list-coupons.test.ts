import { expect, test } from 'vitest';
import { createCoupon, updateCoupon } from '../../../lib/catalogue/coupons.ts';
import { now } from '../../../lib/clock.ts';
import { renameInStore } from '../../../lib/store/renames.ts';
import { ada, bob, cleo, seedResidents } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

const fields = { discount: 1, ownerProfit: 1, active: true, bloggersSync: false };
const service = await startTestService();
await seedResidents();
const start = now();
for (let number = 0; number < 9; number++) {
  setClock(start + number);
  const coupon = { ...fields, code: `Code${number}`, active: number % 3 !== 0 };
  await createCoupon(service.store, number % 2 === 0 ? ada : bob, coupon);
}

const named = (...numbers: number[]): string[] => numbers.map((number) => `Code${number}`);

test.each([
  ['/v1/coupons', named(0, 1, 2, 3, 4, 5, 6, 7, 8)],
  ['/v1/coupons?active=true', named(1, 2, 4, 5, 7, 8)],
  ['/v1/coupons?active=false', named(0, 3, 6)],
  [`/v1/coupons/owner/${ada.uuid}`, named(0, 2, 4, 6, 8)],
  ['/v1/coupons/owner/Bob%20Resident', named(1, 3, 5, 7)],
  ['/v1/coupons/owner/bob?active=true', named(1, 3, 5, 7)],
  ['/v1/coupons/owner/cleo', []],
])('200s for %s with each coupon once, forward and back', async (path, codes) => {
  const coupons = await walkList<{ code: string }>(service.call, path, 2);

  expect(coupons.map(({ code }) => code)).toEqual(codes);
});

test.each([['/v1/coupons?active=yes', 'active must be true or false.']])('400s for %s', async (path, message) => {
  const { status, body } = await service.call('GET', path);

  expect(status).toBe(400);
  expect(body.errors).toEqual([message]);
});

test('400s for the cursor of another owner’s list', async () => {
  const { body } = await service.call('GET', '/v1/coupons/owner/ada.lovelace?limit=1');

  const { status } = await service.call('GET', `/v1/coupons/owner/bob?cursor=${body.pagination.nextCursor}`);

  expect(status).toBe(400);
});

test('moves a coupon between the lists of active and inactive ones when it is replaced', async () => {
  const { id } = await createCoupon(service.store, cleo, { ...fields, code: 'Mover' });
  await updateCoupon(service.store, id, { ...fields, code: 'Mover', active: false });

  const listed = async (active: boolean) =>
    (await service.call('GET', `/v1/coupons?active=${active}`)).body.data.some((row: { id: string }) => row.id === id);

  expect([await listed(true), await listed(false)]).toEqual([false, true]);
  expect((await service.call('GET', '/v1/coupons/owner/cleo')).body.data).toHaveLength(1);
  // Apply by owner must not have to read inactive coupons.
  const item = (await wholeTable()).find((each) => each.id === id && each.folded !== undefined);
  expect(item?.ranked).toBe(item?.rankedOff);
});

test('shows the owner’s new name on every coupon after a rename', async () => {
  await renameInStore(service.store, { uuid: cleo.uuid, username: 'cleo.patra' });

  const { data } = (await service.call('GET', '/v1/coupons/owner/cleo')).body;

  expect(data.map((row: { couponOwnerUsername: string }) => row.couponOwnerUsername)).toEqual(['cleo.patra']);
});
