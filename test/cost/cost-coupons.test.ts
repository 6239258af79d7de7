import { expect, test } from 'vitest';
import { findResident, forgetResidents } from '../../lib/avatars/residents.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { ada, bob, cleo, seedResidents } from '../support/residents.ts';
import { seedStore } from '../support/seeded-store.ts';
import { startTestService } from '../support/service.ts';

/**
 * Further costs of coupons and gift cards, in addition to test/support/budgets.ts: calls in sequence, and capacity
 * units. The units include the indexes, which the design counts separately, so each expected number is written as a
 * sum.
 */
const service = await startTestService();
await seedResidents();
const coupon = (await service.call('POST', '/v1/coupons', { code: 'Spring', ownerIdentifier: ada.uuid })).body.id;
const grantPath = `/v1/customers/${bob.uuid}/actions/grant-gift-card`;
const card = (await service.call('POST', grantPath, { credit: 1 })).body.id;
const applyPath = (who: string) => `/v1/customers/${who}/actions/apply-coupon`;

/** The call's steps and units, with all residents in memory or, if `cold`, none. */
const costOf = async (method: string, path: string, body?: object, cold = false) => {
  forgetResidents();
  const names = [ada.uuid, bob.uuid].map((uuid) => ({ uuid }));
  if (!cold) await Promise.all([...names, { username: bob.username }].map((name) => findResident(service.store, name)));
  const { status, cost } = await service.call(method, path, body);
  expect(status).toBeLessThan(300);
  return { steps: cost?.steps, units: cost?.units };
};

test('replacing a coupon under the same code is one call and one unit, a change of case included', async () => {
  const put = (body: object) => costOf('PUT', `/v1/coupons/${coupon}`, body);

  expect(await put({ code: 'Spring', discount: 40, bloggersSync: true })).toEqual({ steps: 1, units: 1 });
  expect(await put({ code: 'SPRING', ownerProfit: 40 })).toEqual({ steps: 1, units: 1 });
  await put({ code: 'Spring' });
});

test('replacing or disabling a gift card is one call and one unit while its flags stay', async () => {
  expect(await costOf('PUT', `/v1/giftcards/${card}`, { credit: 9, transfer: true })).toEqual({ steps: 1, units: 1 });
  // The card moves between two partitions of the index: 2 more units.
  expect(await costOf('POST', `/v1/giftcards/${card}/actions/disable`)).toEqual({ steps: 1, units: 1 + 2 });
  expect(await costOf('POST', `/v1/giftcards/${card}/actions/disable`)).toEqual({ steps: 1, units: 1 });
});

test('granting a gift card to a customer is two calls: half a unit to read them, 1 to write, 1 for the index', async () => {
  const body = { credit: 5 };

  expect(await costOf('POST', grantPath, body)).toEqual({ steps: 2, units: 0.5 + 1 + 1 });
  expect(await costOf('POST', grantPath, body, true)).toEqual({ steps: 2, units: 1 + 0.5 + 1 + 1 });
});

test.each([
  ['by id', () => ({ couponId: coupon, scope: 0 }), 2, 1 + 0.5 + 1],
  ['by code', () => ({ code: 'spring', scope: 0 }), 3, 2 + 0.5 + 1],
  // The index gives the coupon's id. Its item is then read consistently.
  ['by owner', () => ({ couponOwnerUuid: ada.uuid, scope: 0 }), 3, 0.5 + 1 + 0.5 + 1],
])('applying a coupon %s to a customer writes one unit', async (_, body, steps, units) => {
  await costOf('POST', applyPath(bob.uuid), body());

  const cost = await costOf('POST', applyPath(bob.uuid), body());

  expect(cost.units).toBe(units);
  // The count is lower if the second read of one chain happens to run beside the first of another.
  expect(cost.steps).toBeLessThanOrEqual(steps);
});

test('applying a coupon to a resident who is not cached costs one more call by name, and none by UUID', async () => {
  const body = { couponId: coupon, scope: 0 };

  expect((await costOf('POST', applyPath(bob.uuid), body, true)).steps).toBe(2);
  // The coupon is read at the same time as the name: if that takes longer, it runs beside the customer's read, too. A
  // write reads a name that is in memory all the same.
  expect((await costOf('POST', applyPath('bob'), body, true)).steps).toBeLessThanOrEqual(3);
  expect((await costOf('POST', applyPath('bob'), body)).steps).toBeLessThanOrEqual(3);
});

test('applying a coupon for one product reads the product beside the coupon', async () => {
  const productId = (await service.call('POST', '/v1/products', { name: 'Chair', price: 1 })).body.id;
  const body = { couponId: coupon, scope: 1, productId };
  await costOf('POST', applyPath(bob.uuid), body);

  expect(await costOf('POST', applyPath(bob.uuid), body)).toEqual({ steps: 2, units: 1 + 1 + 0.5 + 1 });
});

test('applying by owner costs the same for an owner of many coupons as for an owner of one', async () => {
  const keyOf = async ({ store }: { store: string }) => service.callAs(await service.keyWith(scopes, store));
  const [one, many] = [await keyOf(await seedStore(0, [])), await keyOf(await seedStore(1_000, []))];
  await one('POST', '/v1/coupons', { code: 'Only', ownerIdentifier: cleo.uuid });
  const body = (owner: string) => ({ couponOwnerUuid: owner, scope: 0 });
  await one('POST', applyPath(bob.uuid), body(cleo.uuid));
  await many('POST', applyPath(bob.uuid), body(ada.uuid));

  const few = await one('POST', applyPath(bob.uuid), body(cleo.uuid));
  const lots = await many('POST', applyPath(bob.uuid), body(ada.uuid));

  expect(lots.status).toBe(200);
  expect([lots.cost?.calls, lots.cost?.units]).toEqual([few.cost?.calls, few.cost?.units]);
});
