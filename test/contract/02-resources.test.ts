import { describe, expect, test } from 'vitest';
import { shapes } from './shapes.ts';
import {
  act,
  call,
  createCoupon,
  createProduct,
  get,
  grantCard,
  hasResidents,
  inHours,
  resident,
  unique,
} from './target.ts';

/**
 * The resources of the specification and their fields, in its order: coupons, customers, gift cards. Residents 3 and 4.
 */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(3).uuid;
  const owner = resident(4).uuid;

  test('resource CouponResponse: has exactly these fields', async () => {
    const coupon = await createCoupon(owner);

    shapes.CouponResponse.parse(coupon);
    expect(coupon).toMatchObject({ couponOwnerUuid: owner, couponOwnerUsername: resident(4).username });
  });

  test('resource CouponResponse: the owner, who receives the commission, need not be the customer who applies it', async () => {
    const { id } = await createCoupon(owner);

    const { body } = await act(customer, 'apply-coupon', { couponId: id, scope: 0 });

    expect(body.customerUuid).toBe(customer);
    expect((await get(`/v1/coupons/${id}`)).body.couponOwnerUuid).toBe(owner);
  });

  test('resource CreateCouponRequest: keeps every field as sent, and takes the owner by username', async () => {
    const fields = { code: unique('Kept'), discount: 12.5, ownerProfit: 7, active: false, bloggersSync: true };

    const { body } = await call('POST', '/v1/coupons', { ...fields, ownerIdentifier: resident(4).username });

    expect(body).toMatchObject({ ...fields, couponOwnerUuid: owner });
  });

  test('resource UpdateCouponRequest: replaces all fields but the owner; missing ones get their defaults', async () => {
    const full = { discount: 5, ownerProfit: 5, active: false, bloggersSync: true };
    const coupon = await createCoupon(owner, full);

    const { body } = await call('PUT', `/v1/coupons/${coupon.id}`, {
      code: coupon.code,
      ownerIdentifier: customer,
      couponOwnerUuid: customer,
    });

    expect(body).toEqual({ ...coupon, discount: 0, ownerProfit: 0, active: true, bloggersSync: false });
    expect((await get(`/v1/coupons/${coupon.id}`)).body).toEqual(body);
  });

  test('resource AppliedCouponResponse: has the scope as a word, and productId only for scope product', async () => {
    const { id: couponId, code } = await createCoupon(owner, { discount: 25 });
    const { id: productId } = await createProduct();

    const store = await act(customer, 'apply-coupon', { couponId, scope: 0 });
    const product = await act(customer, 'apply-coupon', { couponId, scope: 1, productId });

    expect(shapes.AppliedCouponResponse.parse(store.body)).toMatchObject({
      couponId,
      code,
      discount: 25,
      scope: 'store',
    });
    expect(store.body).not.toHaveProperty('productId');
    expect(shapes.AppliedCouponResponse.parse(product.body)).toMatchObject({ scope: 'product', productId });
  });

  test('resource RevokedCouponResponse: is `revoked` alone', async () => {
    const { id: couponId } = await createCoupon(owner);

    const { body } = await act(customer, 'revoke-coupon', { couponId, scope: 0 });

    expect(body).toEqual({ revoked: false });
  });

  test.each([
    ['resource CustomerResponse', 'CustomerResponse', ''],
    ['resource CustomerCreditResponse', 'CustomerCreditResponse', '/credit'],
    ['resource CustomerSpendResponse', 'CustomerSpendResponse', '/spend'],
  ] as const)('%s: has exactly these fields', async (_, shape, path) => {
    const { body } = await get(`/v1/customers/${customer}${path}`);

    expect(shapes[shape].parse(body)).toMatchObject(resident(3));
  });

  test('resource UpdateCustomerRequest: sets discount and newsSubscriber', async () => {
    const { body } = await call('PUT', `/v1/customers/${customer}`, { discount: 15, newsSubscriber: true });

    expect(shapes.CustomerResponse.parse(body)).toMatchObject({ discount: 15, newsSubscriber: true });
    expect((await get(`/v1/customers/${customer}`)).body).toEqual(body);
  });

  test('resource SetCustomerCreditRequest: takes credit and an optional expiresAt', async () => {
    const plain = await act(customer, 'set-credit', { credit: 7 });
    const expiring = await act(customer, 'set-credit', { credit: 8, expiresAt: inHours(1) });

    expect([plain.body.credit, expiring.body.credit]).toEqual([7, 8]);
    shapes.CustomerCreditResponse.parse(plain.body);
  });

  test('resource IncrementCustomerCreditRequest: a positive delta adds, a negative one removes', async () => {
    await act(customer, 'set-credit', { credit: 10 });

    const added = await act(customer, 'increment-credit', { delta: 5 });
    const removed = await act(customer, 'increment-credit', { delta: -3 });

    expect([added.body.credit, removed.body.credit]).toEqual([15, 12]);
  });

  test('resource GrantGiftCardRequest: keeps credit, texture and transfer as sent', async () => {
    const fields = { credit: 250, texture: '0a0b0c0d-0000-0000-0000-00000000000f', transfer: true };

    expect(shapes.GiftCardResponse.parse(await grantCard(customer, fields))).toMatchObject(fields);
  });

  test('resource BanCustomerRequest, resource CustomerBanStateResponse: the reason and the body are optional', async () => {
    for (const body of [{ reason: 'Spam' }, {}, undefined]) {
      const answer = await act(customer, 'ban', body);

      expect(answer.status).toBe(200);
      expect(shapes.CustomerBanStateResponse.parse(answer.body).isBanned).toBe(true);
    }
  });

  test('resource GiftCardResponse: has exactly these fields, of the customer it was granted to', async () => {
    const card = await grantCard(customer);

    expect(shapes.GiftCardResponse.parse(card)).toMatchObject({
      ownerUuid: customer,
      ownerUsername: resident(3).username,
    });
  });

  test('resource UpdateGiftCardRequest: replaces all fields; missing ones get their defaults', async () => {
    const card = await grantCard(customer, { texture: resident(4).uuid, transfer: true });
    const fields = { credit: 77, texture: null, transfer: true, active: false };

    const replaced = await call('PUT', `/v1/giftcards/${card.id}`, fields);
    const reset = await call('PUT', `/v1/giftcards/${card.id}`, {});

    expect(replaced.body).toEqual({ ...card, ...fields });
    expect(reset.body).toEqual({ ...card, credit: 0, texture: null, transfer: false, active: true });
  });
});
