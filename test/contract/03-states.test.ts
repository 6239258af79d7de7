import { beforeAll, describe, expect, test } from 'vitest';
import { act, call, createCoupon, createProduct, get, grantCard, hasResidents, inHours, resident } from './target.ts';

/** The transitions of the specification's table of states, row by row. Residents 6 and 7. */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(6).uuid;
  const owner = resident(7).uuid;
  const isBanned = async (): Promise<boolean> => (await get(`/v1/customers/${customer}`)).body.isBanned;
  beforeAll(() => act(customer, 'unban'));

  test('state 1: a ban moves isBanned from false to true', async () => {
    await act(customer, 'unban');

    const { status, body } = await act(customer, 'ban', { reason: 'Asked for refunds of gifts.' });

    expect([status, body.isBanned, await isBanned()]).toEqual([200, true, true]);
  });

  test('state 2: an unban moves isBanned from true to false', async () => {
    await act(customer, 'ban');

    const { status, body } = await act(customer, 'unban');

    expect([status, body.isBanned, await isBanned()]).toEqual([200, false, false]);
  });

  test('state 3: disable makes a gift card inactive and answers the updated card', async () => {
    const card = await grantCard(customer);

    const { status, body } = await call('POST', `/v1/giftcards/${card.id}/actions/disable`);

    expect([status, body]).toEqual([200, { ...card, active: false }]);
    expect((await get(`/v1/giftcards/${card.id}`)).body).toEqual(body);
  });

  test.each([
    [{ active: false }, false],
    [{ active: true }, true],
    [{}, true],
  ])(
    'state 4: PUT of a gift card with %j leaves active %j, and replaces balance, texture and transfer',
    async (sent, active) => {
      const card = await grantCard(customer, { transfer: true, texture: owner });
      await call('POST', `/v1/giftcards/${card.id}/actions/disable`);

      const { body } = await call('PUT', `/v1/giftcards/${card.id}`, sent);

      expect(body).toMatchObject({ active, credit: 0, texture: null, transfer: false });
    },
  );

  test.each([
    [{ active: false }, false],
    [{}, true],
  ])('state 5: PUT of a coupon with %j leaves active %j', async (sent, active) => {
    const coupon = await createCoupon(owner, { active: !active });

    const { body } = await call('PUT', `/v1/coupons/${coupon.id}`, { code: coupon.code, ...sent });

    expect(body.active).toBe(active);
  });

  const apply = async (couponId: string, fields: object = {}) =>
    (await act(customer, 'apply-coupon', { couponId, scope: 0, ...fields })).body;
  const clear = async (couponId: string): Promise<void> => {
    await apply(couponId);
    await act(customer, 'revoke-coupon', { couponId, scope: 0 });
  };

  test('state 7: a first application is not a replacement', async () => {
    const { id } = await createCoupon(owner);
    await clear(id);

    expect((await apply(id)).replaced).toBe(false);
  });

  test('state 8: a second application to the same customer and scope replaces the first, and its expiry', async () => {
    const first = await createCoupon(owner);
    const second = await createCoupon(owner);
    await clear(first.id);
    const earlier = await apply(first.id, { expiresInHours: 2 });

    const later = await apply(second.id, { expiresInHours: 100 });

    expect(later).toMatchObject({ couponId: second.id, replaced: true });
    expect(Date.parse(later.expiresAt) - Date.parse(earlier.expiresAt)).toBeGreaterThan(97 * 3_600_000);
  });

  test('state 9: a revoke removes the application', async () => {
    const { id } = await createCoupon(owner);
    await apply(id);

    const { status, body } = await act(customer, 'revoke-coupon', { couponId: id, scope: 0 });

    expect([status, body]).toEqual([200, { revoked: true }]);
    expect((await apply(id)).replaced).toBe(false);
  });

  test('state 10: a revoke without an application is 200 with revoked false, again and again', async () => {
    const { id } = await createCoupon(owner);
    await clear(id);

    for (let i = 0; i < 2; i++) {
      const { status, body } = await act(customer, 'revoke-coupon', { couponId: id, scope: 0 });
      expect([status, body]).toEqual([200, { revoked: false }]);
    }
  });

  test.each(['credit', 'restricted-credit'])(
    'state 11: set-%s supersedes the open lots and rewrites the balance',
    async (type) => {
      const field = type === 'credit' ? 'credit' : 'restrictedCredit';
      await act(customer, `increment-${type}`, { delta: 50, expiresAt: inHours(1) });

      const { body } = await act(customer, `set-${type}`, { credit: 20 });

      expect(body[field]).toBe(20);
      expect((await get(`/v1/customers/${customer}/credit`)).body).toEqual(body);
    },
  );
});

test.each([false, true])(
  'state 6: PUT of a product makes active %j as sent, and replaces all fields',
  async (active) => {
    const { id, name } = await createProduct({ active: !active, description: 'Old', limited: true });

    const { body } = await call('PUT', `/v1/products/${id}`, { name, price: 1, active });

    expect(body).toMatchObject({ active, price: 1, description: '', limited: false });
  },
);
