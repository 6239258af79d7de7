import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startForTests } from '../support/local-service.ts';

/**
 * Rules that need time to pass. The tests run only on the local service of this file, because they move its clock. The
 * clock of a deployment cannot be moved.
 */
const isHere = process.env.TEST_TABLES === 'memory' || inject('targets')[0]?.local;

describe.runIf(isHere)('on the local service only, since the clock is moved', () => {
  let local: Awaited<ReturnType<typeof startForTests>>;
  beforeAll(async () => {
    local = await startForTests();
  });
  afterAll(() => local?.stop());

  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(local.baseUrl + path, {
      method,
      headers: { 'X-API-Key': local.keys.all },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  /** Each test has a resident of its own. */
  let next = 0;
  const newcomer = (): string => local.residents[next++]?.uuid ?? '';
  const act = (uuid: string, action: string, body: object) =>
    send('POST', `/v1/customers/${uuid}/actions/${action}`, body);
  const balance = async (uuid: string, field = 'credit'): Promise<number> =>
    (await send('GET', `/v1/customers/${uuid}/credit`)).body[field];
  const inHours = async (hours: number): Promise<string> => {
    const { body } = await send('GET', '/_dev/clock');
    return new Date(Date.parse(body.now) + hours * 3_600_000).toISOString();
  };
  const pass = (hours: number) => send('POST', '/_dev/clock', { advanceSeconds: hours * 3600 });
  const sweep = () => send('POST', '/_dev/sweep');

  describe.each([
    ['credit', 'credit'],
    ['restricted-credit', 'restrictedCredit'],
  ])('%s', (name, field) => {
    const set = (uuid: string, body: object) => act(uuid, `set-${name}`, body);
    const increment = (uuid: string, body: object) => act(uuid, `increment-${name}`, body);
    const lot = async (uuid: string, delta: number, hours: number) =>
      increment(uuid, { delta, expiresAt: await inHours(hours) });
    const swept = async (uuid: string): Promise<number> => {
      await sweep();
      return balance(uuid, field);
    };

    test('credit rule 2: superseded lots take nothing from the balance at their expiry', async () => {
      const uuid = newcomer();
      await lot(uuid, 100, 1);
      await set(uuid, { credit: 40 });
      await pass(2);

      expect(await swept(uuid)).toBe(40);
    });

    test('credit rule 3: a set with expiresAt covers the whole new balance with one lot', async () => {
      const uuid = newcomer();
      await set(uuid, { credit: 10 });
      await set(uuid, { credit: 70, expiresAt: await inHours(1) });
      await pass(0.9);
      expect(await swept(uuid)).toBe(70);
      await pass(0.2);

      expect(await swept(uuid)).toBe(0);
    });

    test('credit rule 4: credit that is set without expiresAt never expires', async () => {
      const uuid = newcomer();
      await set(uuid, { credit: 60, expiresAt: await inHours(1) });
      await set(uuid, { credit: 60 });
      await pass(24 * 400);

      expect(await swept(uuid)).toBe(60);
    });

    test('credit rule 6: the lots of the other type stay open', async () => {
      const uuid = newcomer();
      const [others, otherField] = name === 'credit' ? ['restricted-credit', 'restrictedCredit'] : ['credit', 'credit'];
      await act(uuid, `increment-${others}`, { delta: 30, expiresAt: await inHours(1) });
      await set(uuid, { credit: 5 });
      const before = await balance(uuid, otherField);
      await pass(2);
      await sweep();

      expect([before, await balance(uuid, field), await balance(uuid, otherField)]).toEqual([30, 5, 0]);
    });

    test('credit rule 7, credit rule 8, credit rule 9: increments close no lot; each lot expires at its own time, unlotted credit never', async () => {
      const uuid = newcomer();
      await lot(uuid, 10, 1);
      await lot(uuid, 20, 3);
      await increment(uuid, { delta: 5 });
      await pass(2);
      const first = await swept(uuid);
      await pass(2);

      expect([first, await swept(uuid)]).toEqual([25, 5]);
    });

    test('credit rule 10, credit 2: a drain takes from the lot that expires first, and from unlotted credit last', async () => {
      const uuid = newcomer();
      await increment(uuid, { delta: 10 });
      await lot(uuid, 10, 5);
      await lot(uuid, 10, 1);
      await lot(uuid, 10, 3);
      await increment(uuid, { delta: -15 });

      const balances = [await balance(uuid, field)];
      for (const hours of [2, 2, 2]) {
        await pass(hours);
        balances.push(await swept(uuid));
      }
      // The lot of one hour is gone, of that of three hours half: 5 and 10 end in their time, and 10 stay.
      expect(balances).toEqual([25, 25, 20, 10]);
    });

    test('credit 3: a lot that has come due is never drained, though the sweep has not run', async () => {
      const uuid = newcomer();
      await lot(uuid, 10, 1);
      await increment(uuid, { delta: 5 });
      await pass(1);

      const refused = await increment(uuid, { delta: -6 });
      const made = await increment(uuid, { delta: -5 });

      expect([refused.status, made.status, made.body[field]]).toEqual([400, 200, 0]);
    });

    test('resource CustomerCreditResponse: the raw balance may read high until the sweep or the next change', async () => {
      const uuid = newcomer();
      await lot(uuid, 10, 1);
      await lot(uuid, 20, 2);
      await pass(1.5);

      expect(await balance(uuid, field)).toBe(30);
      expect((await increment(uuid, { delta: 1 })).body[field]).toBe(21);
      await pass(1);
      expect(await swept(uuid)).toBe(1);
    });

    test('credit 5: a set to 0 with expiresAt leaves no lot that could expire later', async () => {
      const uuid = newcomer();
      await set(uuid, { credit: 0, expiresAt: await inHours(1) });
      await increment(uuid, { delta: 4 });
      await pass(2);

      expect(await swept(uuid)).toBe(4);
    });

    test('credit 8: 120 lots expire at once', async () => {
      const uuid = newcomer();
      const expiresAt = await inHours(1);
      for (let i = 0; i < 120; i++) await increment(uuid, { delta: 1, expiresAt });
      await increment(uuid, { delta: 7 });
      await pass(2);

      expect((await increment(uuid, { delta: -7 })).body[field]).toBe(0);
    });
  });

  const coupon = async () =>
    (await send('POST', '/v1/coupons', { code: `Time ${next}`, ownerIdentifier: newcomer() })).body.id as string;

  test('coupons 13, coupons 15: a lapsed application does not count as replaced', async () => {
    const uuid = newcomer();
    const apply = { couponId: await coupon(), scope: 0, expiresInHours: 1 };
    await act(uuid, 'apply-coupon', apply);
    await pass(0.99);
    const live = await act(uuid, 'apply-coupon', apply);
    await pass(1);

    const lapsed = await act(uuid, 'apply-coupon', apply);

    expect([live.body.replaced, lapsed.body.replaced]).toEqual([true, false]);
  });

  test('coupons 17, text 17: a lapsed application cannot be revoked', async () => {
    const uuid = newcomer();
    const couponId = await coupon();
    await act(uuid, 'apply-coupon', { couponId, scope: 0, expiresInHours: 2 });
    await pass(2);

    expect((await act(uuid, 'revoke-coupon', { couponId, scope: 0 })).body).toEqual({ revoked: false });
  });

  test('catalogue 2, text 17: a discount runs from its start until its end', async () => {
    const discount = { value: 25, type: 0, startDate: await inHours(1), endDate: await inHours(3) };
    const { body } = await send('POST', '/v1/products', { name: 'Timed', price: 100, discount });
    const prices = [body.activePrice];
    for (const hours of [1, 1.9, 0.1]) {
      await pass(hours);
      prices.push((await send('GET', `/v1/products/${body.id}`)).body.activePrice);
    }

    expect(prices).toEqual([100, 75, 75, 100]);
  });

  // These tests come last, since they move the clock by years.
  test('lists 2, silent 32: lastYearSum leaves out spend of more than 365 days ago', async () => {
    await pass(24 * 366);

    expect((await send('GET', '/v1/customers/vera.vendor/spend')).body).toMatchObject({
      sum: 500,
      lastYearSum: 0,
      totalOwned: 1,
    });
  });

  test('apply rule 4: a coupon cannot be applied once it has expired', async () => {
    expect((await act(newcomer(), 'apply-coupon', { code: 'ÉTÉ', scope: 0 })).body.errors).toEqual([
      'The coupon has expired.',
    ]);
  });
});
