import { beforeAll, beforeEach, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { nilUuid } from '../../../lib/identifier.ts';
import { createCoupon, type ImportedCoupon } from '../../../lib/store/coupons.ts';
import { db } from '../../../lib/store/table.ts';
import { ada, bob, cleo, seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

const start = Date.parse('2026-05-01T12:00:00.000Z');
const hour = 3_600_000;

let service: Awaited<ReturnType<typeof startTestService>>;
let productId: string;
let otherProductId: string;
beforeAll(async () => {
  service = await startTestService();
  await seedResidents();
  const product = { name: 'Chair', price: 10 };
  productId = (await service.call('POST', '/v1/products', product)).body.id;
  otherProductId = (await service.callOther('POST', '/v1/products', product)).body.id;
});

/** Without the keys, whose hour of last use moves with the clock. */
const tableWithoutKeys = async () => (await wholeTable()).filter(({ pk }) => !String(pk).startsWith('KEY#'));

let number = 0;
let clock = start;
beforeEach(() => {
  clock += 1000 * hour;
  setClock(clock);
});

const make = (
  fields: { code?: string; active?: boolean; discount?: number } = {},
  imported?: ImportedCoupon,
  owner = ada,
) =>
  createCoupon(
    service.store,
    owner,
    { code: `Made${++number}`, discount: 25, ownerProfit: 5, active: true, bloggersSync: false, ...fields },
    imported,
  );

const apply = (body: object, customer = 'bob') =>
  service.call('POST', `/v1/customers/${customer}/actions/apply-coupon`, body);
const revoke = (body: object, customer = 'bob') =>
  service.call('POST', `/v1/customers/${customer}/actions/revoke-coupon`, body);

test('200s store-wide with the coupon, the customer and an expiry 24 hours ahead', async () => {
  const coupon = await make();

  const { status, body } = await apply({ couponId: coupon.id, scope: 0 });

  expect(status).toBe(200);
  expect(body).toEqual({
    couponId: coupon.id,
    code: coupon.code,
    discount: 25,
    scope: 'store',
    customerUuid: bob.uuid,
    customerUsername: 'bob',
    expiresAt: timestamp(clock + 24 * hour),
    replaced: false,
  });
});

test('200s for one product, by code in any case, with the hours that were asked for', async () => {
  await make({ code: 'Straße' });

  const { status, body } = await apply({ code: ' STRASSE', scope: 1, productId, expiresInHours: 168 });
  const sharp = await apply({ code: 'STRAßE', scope: 1, productId: productId.toUpperCase(), expiresInHours: 168 });

  expect([status, body.detail]).toEqual([404, 'The requested resource was not found.']);
  expect(sharp.body).toMatchObject({ code: 'Straße', scope: 'product', productId, replaced: false });
  expect(sharp.body.expiresAt).toBe(timestamp(clock + 168 * hour));
});

test('replaces a live application of the same scope only: each product is a scope of its own', async () => {
  const [first, second] = [await make(), await make()];
  const another = (await service.call('POST', '/v1/products', { name: 'Table', price: 1 })).body.id;

  const answers = [
    await apply({ couponId: first.id, scope: 0 }),
    await apply({ couponId: first.id, scope: 1, productId }),
    await apply({ couponId: first.id, scope: 1, productId: another }),
    await apply({ couponId: first.id, scope: 0 }, 'cleo'),
    await apply({ couponId: second.id, scope: 0 }),
    await apply({ couponId: second.id, scope: 1, productId }),
  ];

  expect(answers.map(({ body }) => body.replaced)).toEqual([false, false, false, false, true, true]);
});

test('counts an application as earlier up to the millisecond before it lapses', async () => {
  const { id: couponId } = await make();
  const ends = clock + hour;
  await apply({ couponId, scope: 0, expiresInHours: 1 });
  await apply({ couponId, scope: 0, expiresInHours: 1 }, 'cleo');

  setClock(ends - 1);
  const live = await apply({ couponId, scope: 0 });
  setClock(ends);
  const lapsed = await apply({ couponId, scope: 0 }, 'cleo');

  expect([live.body.replaced, lapsed.body.replaced]).toEqual([true, false]);
});

test('tells exactly one of two concurrent applications that it was the first', async () => {
  const coupons = await Promise.all([make(), make(), make(), make()]);

  const answers = await Promise.all(coupons.map(({ id }) => apply({ couponId: id, scope: 0 })));

  expect(answers.filter(({ body }) => body.replaced === false)).toHaveLength(1);
});

test('does not find itself as the earlier application when the answer to its write was lost', async () => {
  const { id: couponId } = await make();
  let sent = 0;
  db.middlewareStack.add(
    (next, context) => async (args) => {
      // The key's hour of last use is an update too.
      const isApplication = JSON.stringify(args.input).includes('#APPLIED#');
      if (context.commandName !== 'UpdateItemCommand' || !isApplication) return next(args);
      sent += 1;
      const answer = await next(args);
      if (sent === 1) throw Object.assign(new Error('The answer did not come.'), { name: 'TimeoutError' });
      return answer;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'loseAnswer' },
  );

  const { status, body } = await apply({ couponId, scope: 0 });
  db.middlewareStack.remove('loseAnswer');

  expect(sent).toBe(2);
  expect([status, body.replaced]).toEqual([200, false]);
});

test('picks the owner’s newest usable coupon', async () => {
  const at = (age: number) => ({ createdAt: timestamp(clock - age) });
  await make({}, at(50), cleo);
  const newestUsable = await make({}, at(40), cleo);
  for (let age = 30; age < 36; age++) await make({}, { ...at(age), expiration: timestamp(clock) }, cleo);
  await make({ active: false }, at(20), cleo);

  const { body } = await apply({ couponOwnerUuid: cleo.uuid.toUpperCase(), scope: 0 });

  expect(body.couponId).toBe(newestUsable.id);
});

test('400s with the newest of an owner’s coupons when none is usable', async () => {
  const { store } = service;
  await createCoupon(
    store,
    bob,
    { code: 'Lapsed', discount: 0, ownerProfit: 0, active: true, bloggersSync: false },
    {
      createdAt: timestamp(clock - 2),
      expiration: timestamp(clock - 1),
    },
  );
  const expired = await apply({ couponOwnerUuid: bob.uuid, scope: 0 });
  await make({ active: false }, { createdAt: timestamp(clock - 1) }, bob);

  const inactive = await apply({ couponOwnerUuid: bob.uuid, scope: 0 });

  expect([expired.status, expired.body.detail]).toEqual([400, 'The coupon has expired.']);
  expect([inactive.status, inactive.body.detail]).toEqual([400, 'The coupon is not active.']);
});

test('takes a coupon until the millisecond before its expiration', async () => {
  const { id: couponId } = await make({}, { expiration: timestamp(clock + 1) });

  const before = await apply({ couponId, scope: 0 });
  setClock(clock + 1);
  const after = await apply({ couponId, scope: 0 });

  expect([before.status, after.status]).toEqual([200, 400]);
});

test('400s for an inactive coupon and writes nothing, not even the customer', async () => {
  const { id: couponId } = await make({ active: false });
  const before = await tableWithoutKeys();

  const { status } = await apply({ couponId, scope: 0 }, ada.uuid);

  expect(status).toBe(400);
  expect(await tableWithoutKeys()).toEqual(before);
});

test('makes the resident a customer of the store', async () => {
  const { id: couponId } = await make();
  const customers = async () =>
    (await wholeTable()).filter(({ pk, sk }) => pk === `${service.store}#CUSTOMER` && sk === ada.uuid).length;
  const before = await customers();

  await apply({ couponId, scope: 0 }, 'ada.lovelace');

  expect([before, await customers()]).toEqual([0, 1]);
});

test('400s with one message for each fault of a body', async () => {
  const { body } = await apply({ code: 'A', couponId: unknownUuid, scope: 1, expiresInHours: 0 });

  expect(body.errors).toEqual([
    'expiresInHours must be a whole number from 1 to 168.',
    'Send exactly one of code, couponOwnerUuid and couponId: this request has code and couponId.',
    'productId is required when scope is 1: it must be a UUID.',
  ]);
  expect(body.detail).toBe(body.errors.join(' '));
});

test('400s with both residents who do not exist', async () => {
  const { status, body } = await apply({ couponOwnerUuid: unknownUuid, scope: 0 }, 'nobody');

  expect(status).toBe(400);
  expect(body.errors).toEqual([
    'identifier names a resident who does not exist.',
    'couponOwnerUuid names a resident who does not exist.',
  ]);
});

const one = { couponId: unknownUuid };
test.each<[object, string[]]>([
  [{ scope: 0 }, ['Send exactly one of code, couponOwnerUuid and couponId: this request has none of them.']],
  [{ ...one, scope: 2 }, ['scope must be 0 (store-wide) or 1 (single product).']],
  [{ ...one }, ['scope is required: it must be 0 (store-wide) or 1 (single product).']],
  [{ ...one, scope: '0' }, ['scope must be 0 (store-wide) or 1 (single product).']],
  [{ ...one, scope: 0, productId: unknownUuid }, ['productId must be left out when scope is 0.']],
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

test.each([0, 169, 1.5, '24', null])('400s for expiresInHours %j', async (expiresInHours) => {
  const { status, body } = await apply({ ...one, scope: 0, expiresInHours });

  expect([status, body.errors]).toEqual([400, ['expiresInHours must be a whole number from 1 to 168.']]);
});

test('404s for a product of another store, and writes nothing', async () => {
  const { id: couponId } = await make();
  const before = await tableWithoutKeys();

  const { status } = await apply({ couponId, scope: 1, productId: otherProductId });

  expect(status).toBe(404);
  expect(await tableWithoutKeys()).toEqual(before);
});

test('revokes this coupon at this scope once, and nothing else', async () => {
  const [applied, other] = [await make(), await make()];
  await apply({ couponId: applied.id, scope: 0 });

  const answers = [
    await revoke({ couponId: other.id, scope: 0 }),
    await revoke({ couponId: applied.id, scope: 1, productId }),
    await revoke({ couponId: applied.id, scope: 0 }, 'cleo'),
    await revoke({ couponId: applied.id, scope: 0 }),
    await revoke({ couponId: applied.id, scope: 0 }),
  ];

  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, { revoked: false }],
    [200, { revoked: false }],
    [200, { revoked: false }],
    [200, { revoked: true }],
    [200, { revoked: false }],
  ]);
});

test('revokes any coupon of the owner, one that is inactive by now included', async () => {
  const coupon = await make();
  await make();
  await apply({ code: coupon.code, scope: 0 });
  await service.call('PUT', `/v1/coupons/${coupon.id}`, { code: coupon.code, active: false });

  const foreign = await revoke({ couponOwnerUuid: cleo.uuid, scope: 0 });
  const { body } = await revoke({ couponOwnerUuid: ada.uuid, scope: 0 });

  expect([foreign.body, body]).toEqual([{ revoked: false }, { revoked: true }]);
});

test('does not find an application from the millisecond at which it lapses', async () => {
  const { id: couponId } = await make();
  await apply({ couponId, scope: 0, expiresInHours: 1 });
  await apply({ couponId, scope: 0, expiresInHours: 1 }, 'cleo');

  setClock(clock + hour - 1);
  const live = await revoke({ couponId, scope: 0 });
  setClock(clock + hour);
  const lapsed = await revoke({ couponId, scope: 0 }, 'cleo');

  expect([live.body, lapsed.body]).toEqual([{ revoked: true }, { revoked: false }]);
});

test('adds nobody to the customers on a revoke that finds nothing', async () => {
  const { id: couponId } = await make();
  const before = await tableWithoutKeys();

  await revoke({ couponId, scope: 0 }, cleo.uuid);

  expect(await tableWithoutKeys()).toEqual(before);
});
