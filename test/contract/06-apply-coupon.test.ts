import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  act,
  createCoupon,
  createProduct,
  hasResidents,
  nilUuid,
  resident,
  settled,
  target,
  unknownName,
  unknownUuid,
} from './target.ts';

/** Apply-coupon and revoke-coupon. Residents 18 to 24. */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(18).uuid;
  const owner = resident(19).uuid;
  const pathOf = (action: string, identifier = customer) => `/v1/customers/${identifier}/actions/${action}-coupon`;
  const apply = (body: object, identifier = customer) => act(identifier, 'apply-coupon', body);
  const revoke = (body: object, identifier = customer) => act(identifier, 'revoke-coupon', body);
  const actions = ['apply', 'revoke'];

  test.each(actions)(
    'apply rule 1, revoke rule 1, resource ApplyCouponRequest, resource RevokeCouponRequest: %s takes exactly one of code, couponOwnerUuid and couponId',
    async (action) => {
      const { id, code } = await createCoupon(owner);
      const [one, two, three] = [{ code }, { couponOwnerUuid: owner }, { couponId: id }];
      const send = (choice: object) => act(customer, `${action}-coupon`, { ...choice, scope: 0 });

      for (const choice of [
        {},
        { ...one, ...two },
        { ...two, ...three },
        { ...one, ...three },
        { ...one, ...two, ...three },
      ])
        expectProblem(await send(choice), 400, pathOf(action), [expect.stringMatching(/^Send exactly one of/)]);
      for (const choice of [one, two, three])
        expect(
          (
            await settled(
              () => send(choice),
              ({ status }) => status === 200,
            )
          ).status,
        ).toBe(200);
    },
  );

  test('coupons 1: a code is found without the invisible characters that came along with it', async () => {
    const { id, code } = await createCoupon(owner);

    const { status, body } = await apply({ code: `\u2060${code.slice(0, 3)}\u200b${code.slice(3)}\u200b`, scope: 0 });

    expect([status, body.couponId, body.code]).toEqual([200, id, code]);
  });

  test.each(actions)(
    'apply rule 2, revoke rule 1: %s takes a product with scope 1 and none with scope 0',
    async (action) => {
      const { id: couponId } = await createCoupon(owner);
      const { id: productId } = await createProduct();
      const send = (fields: object) => act(customer, `${action}-coupon`, { couponId, ...fields });

      expectProblem(await send({ scope: 1 }), 400, pathOf(action), [expect.stringMatching(/^productId is required/)]);
      expectProblem(await send({ scope: 0, productId }), 400, pathOf(action), [
        'productId must be left out when scope is 0.',
      ]);
      for (const scope of [2, -1, '0', 'store', 0.5, null, undefined])
        expectProblem(await send({ scope }), 400, pathOf(action), [expect.stringMatching(/^scope .*must be 0/)]);
      expect((await send({ scope: 1, productId: productId.toUpperCase() })).status).toBe(200);
    },
  );

  test.each([1, 24, 168])(
    'apply rule 3, limit 4: expiresInHours %j is the time from the request to expiresAt',
    async (expiresInHours) => {
      const { id: couponId } = await createCoupon(owner);
      const before = Date.now();

      const { body } = await apply({ couponId, scope: 0, expiresInHours });

      const hours = (Date.parse(body.expiresAt) - before) / 3_600_000;
      // A deployment's clock may differ a little from this one.
      expect(Math.abs(hours - expiresInHours)).toBeLessThan(0.1);
    },
  );

  test('apply rule 3, limit 3: expiresInHours is 24 by default', async () => {
    const { id: couponId } = await createCoupon(owner);
    const before = Date.now();

    const { body } = await apply({ couponId, scope: 0 });

    expect(Math.abs((Date.parse(body.expiresAt) - before) / 3_600_000 - 24)).toBeLessThan(0.1);
  });

  test.each([0, 169, -1, 1.5, '24', null])(
    'apply rule 5, limit 4: expiresInHours %j is 400',
    async (expiresInHours) => {
      const { id: couponId } = await createCoupon(owner);

      expectProblem(await apply({ couponId, scope: 0, expiresInHours }), 400, pathOf('apply'), [
        `expiresInHours must be a whole number from 1 to 168${expiresInHours === null ? ', not null: leave it out' : ''}.`,
      ]);
    },
  );

  test('resource RevokeCouponRequest: ignores expiresInHours as an unknown field', async () => {
    const { id: couponId } = await createCoupon(owner);

    expect((await revoke({ couponId, scope: 0, expiresInHours: 'x' })).status).toBe(200);
  });

  test('apply rule 4, coupons 12: an inactive coupon is 400 on apply, while revoke takes it', async () => {
    const { id: couponId } = await createCoupon(owner, { active: false });

    expectProblem(await apply({ couponId, scope: 0 }), 400, pathOf('apply'), ['The coupon is not active.']);
    expect((await revoke({ couponId, scope: 0 })).body).toEqual({ revoked: false });
  });

  test.each(actions)(
    'apply rule 5, revoke rule 2, silent 39: %s is 400 for an unknown customer and owner, with both messages',
    async (action) => {
      const answer = await act(unknownName, `${action}-coupon`, { couponOwnerUuid: unknownUuid, scope: 0 });

      expectProblem(answer, 400, pathOf(action, unknownName), [
        'identifier names a resident who does not exist.',
        'couponOwnerUuid names a resident who does not exist.',
      ]);
      for (const couponOwnerUuid of [nilUuid, 'bob', 5])
        expectProblem(await act(customer, `${action}-coupon`, { couponOwnerUuid, scope: 0 }), 400, pathOf(action));
    },
  );

  test.each(actions)(
    'apply rule 6, revoke rule 2, coupons 11: %s is 404 for a coupon that the store does not have',
    async (action) => {
      for (const choice of [{ couponId: unknownUuid }, { code: 'Nobody has this code' }])
        expectProblem(await act(customer, `${action}-coupon`, { ...choice, scope: 0 }), 404, pathOf(action));
    },
  );

  test('apply rule 6, coupons 11: a product that the store does not have is 404', async () => {
    const { id: couponId } = await createCoupon(owner);

    expectProblem(await apply({ couponId, scope: 1, productId: unknownUuid }), 404, pathOf('apply'));
  });

  test('silent 40: revoke for a product that does not exist is 200 with revoked false', async () => {
    const { id: couponId } = await createCoupon(owner);

    expect((await revoke({ couponId, scope: 1, productId: unknownUuid })).body).toEqual({ revoked: false });
  });

  test('silent 41: a coupon can be applied to an inactive product', async () => {
    const { id: couponId } = await createCoupon(owner);
    const { id: productId } = await createProduct({ active: false });

    expect((await apply({ couponId, scope: 1, productId })).status).toBe(200);
  });

  test('revoke rule 3: revoke is idempotent', async () => {
    const { id: couponId } = await createCoupon(owner);
    await apply({ couponId, scope: 0 });

    const answers = [await revoke({ couponId, scope: 0 }), await revoke({ couponId, scope: 0 })];

    expect(answers.map(({ status, body }) => [status, body.revoked])).toEqual([
      [200, true],
      [200, false],
    ]);
  });

  test('coupons 14: each product is a scope of its own, and the store another', async () => {
    const { id: couponId } = await createCoupon(owner);
    const products = [await createProduct(), await createProduct()];
    const scopes = products.map(({ id: productId }) => ({ couponId, scope: 1, productId }));

    const replaced = [];
    for (const scope of [...scopes, ...scopes]) replaced.push((await apply(scope)).body.replaced);
    const revoked = (await revoke(scopes[0] ?? {})).body.revoked;

    expect(replaced).toEqual([false, false, true, true]);
    expect(revoked).toBe(true);
    expect((await apply(scopes[1] ?? {})).body.replaced).toBe(true);
  });

  test('coupons 16, coupons 17: a revoke removes the application of its own coupon alone', async () => {
    const applied = await createCoupon(owner);
    const other = await createCoupon(owner);
    await apply({ couponId: applied.id, scope: 0 });

    const ofOther = await revoke({ code: other.code, scope: 0 });
    const ofThis = await revoke({ code: applied.code.toUpperCase(), scope: 0 });

    expect([ofOther.body.revoked, ofThis.body.revoked]).toEqual([false, true]);
  });

  describe.runIf(target.otherKey)('with a key of another store (CONTRACT_OTHER_KEY)', () => {
    test('coupons 11: the coupon of another store is 404, by id and by code', async () => {
      const { id: couponId, code } = await createCoupon(owner);
      const sent = { key: target.otherKey };

      for (const choice of [{ couponId }, { code }])
        expectProblem(await act(customer, 'apply-coupon', { ...choice, scope: 0 }, sent), 404, pathOf('apply'));
    });
  });
});
