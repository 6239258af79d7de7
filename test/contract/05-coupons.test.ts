import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  call,
  createCoupon,
  get,
  hasResidents,
  resident,
  target,
  unique,
  unknownName,
  unknownUuid,
  walk,
} from './target.ts';

/** Coupons: lists, codes and fields. Residents 14 to 16. */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const owner = resident(14).uuid;
  const create = (fields: object) => call('POST', '/v1/coupons', { ownerIdentifier: owner, ...fields });

  test('coupon list 1: the list of an owner has exactly the coupons of that owner', async () => {
    const mine = await createCoupon(resident(15).uuid);
    const theirs = await createCoupon(resident(16).uuid);

    const rows = await walk(`/v1/coupons/owner/${resident(15).username}`);

    const ids = rows.map(({ id }) => id);
    expect(ids).toContain(mine.id);
    expect(ids).not.toContain(theirs.id);
    expect(new Set(rows.map(({ couponOwnerUuid }) => couponOwnerUuid))).toEqual(new Set([resident(15).uuid]));
  });

  test('coupon list 2: the list of an owner does not take `active`', async () => {
    const inactive = await createCoupon(owner, { active: false });

    const rows = await walk(`/v1/coupons/owner/${owner}?active=true`);

    expect(rows.map(({ id }) => id)).toContain(inactive.id);
    expect((await get(`/v1/coupons/owner/${owner}?active=maybe`)).status).toBe(200);
  });

  test('coupon list 3: `active` narrows the list to active or inactive coupons', async () => {
    const on = await createCoupon(owner);
    const off = await createCoupon(owner, { active: false });

    const lists = {
      all: await walk('/v1/coupons'),
      on: await walk('/v1/coupons?active=true'),
      off: await walk('/v1/coupons?active=false'),
    };

    const has = (rows: { id: string }[]) => [on, off].map(({ id }) => rows.some((row) => row.id === id));
    expect([has(lists.all), has(lists.on), has(lists.off)]).toEqual([
      [true, true],
      [true, false],
      [false, true],
    ]);
  });

  test('defaults 1: a coupon needs a code and an owner; the rest has defaults', async () => {
    const { body } = await create({ code: unique('Plain') });

    expect(body).toMatchObject({ discount: 0, ownerProfit: 0, active: true, bloggersSync: false });
    expectProblem(await call('POST', '/v1/coupons', {}), 400, '/v1/coupons', [
      expect.stringMatching(/^code is required/),
      expect.stringMatching(/^ownerIdentifier is required/),
    ]);
  });

  test('defaults 2: a replaced coupon needs a code', async () => {
    const { id } = await createCoupon(owner);

    expectProblem(await call('PUT', `/v1/coupons/${id}`, { discount: 5 }), 400, `/v1/coupons/${id}`, [
      expect.stringMatching(/^code is required/),
    ]);
  });

  test('statuses 3: a malformed or unknown owner in a body is 400, and nothing is created', async () => {
    for (const ownerIdentifier of [
      'a..b',
      '',
      unknownName,
      unknownUuid,
      '00000000-0000-0000-0000-000000000000',
      5,
      null,
    ])
      expectProblem(await create({ code: unique('Nobody'), ownerIdentifier }), 400, '/v1/coupons');
  });

  test('coupons 1: a code is unique in its store regardless of case, and comes back as written', async () => {
    const { code } = await createCoupon(owner, { code: unique('Été') });

    expect(code).toMatch(/^Été /);
    for (const same of [
      code,
      code.toUpperCase(),
      code.toLowerCase(),
      ` ${code} `,
      code.normalize('NFD'),
      `\u200b${code.slice(0, 2)}\u200d${code.slice(2)}`,
    ])
      expectProblem(await create({ code: same }), 400, '/v1/coupons', [expect.stringContaining('code')]);
  });

  test('coupons 2: a replaced coupon may change the case of its code, but not take another coupon’s', async () => {
    const first = await createCoupon(owner);
    const second = await createCoupon(owner);
    const path = `/v1/coupons/${second.id}`;

    expectProblem(await call('PUT', path, { code: first.code.toUpperCase() }), 400, path);
    expect((await call('PUT', path, { code: second.code.toUpperCase() })).body.code).toBe(second.code.toUpperCase());
    expect((await get(`/v1/coupons/${first.id}`)).body).toEqual(first);
  });

  test('coupons 2: a code that a replacement freed can be taken again', async () => {
    const { id, code } = await createCoupon(owner);

    await call('PUT', `/v1/coupons/${id}`, { code: unique('New') });

    expect((await create({ code })).status).toBe(201);
  });

  test('coupons 3: exactly one of many concurrent creates of a code succeeds', async () => {
    const code = unique('Race');

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => create({ code: index % 2 ? code : code.toUpperCase() })),
    );

    // A deployment may answer 503 under contention.
    const others = answers.filter(({ status }) => status !== 201);
    expect(others).toHaveLength(7);
    expect(others.filter(({ status }) => status !== 400 && status !== 503)).toEqual([]);
    expect(
      (await walk('/v1/coupons')).filter((coupon) => coupon.code.toUpperCase() === code.toUpperCase()),
    ).toHaveLength(1);
  });

  test.each([-1, 100.5, '10', null, true])(
    'coupons 4: discount and ownerProfit %j are refused, both in one answer',
    async (value) => {
      const answer = await create({ code: unique('Bad'), discount: value, ownerProfit: value });
      const asNull = value === null ? ', not null: leave it out' : '';

      expectProblem(answer, 400, '/v1/coupons', [
        `discount must be a number from 0 to 100${asNull}.`,
        `ownerProfit must be a number from 0 to 100${asNull}.`,
      ]);
    },
  );

  test.each([0, 0.1, 33.3, 100])('coupons 4: a discount of %j percent is kept as sent', async (discount) => {
    expect((await createCoupon(owner, { discount, ownerProfit: discount })).discount).toBe(discount);
  });

  test('coupons 5, coupons 6, defaults 16: no request sets a limit or an expiry of a coupon', async () => {
    const coupon = await createCoupon(owner, { usesPerCustomer: 3, expiration: '2020-01-01T00:00:00Z' });

    const { body } = await call('PUT', `/v1/coupons/${coupon.id}`, {
      ...coupon,
      usesPerCustomer: 9,
      expiration: '2020-01-01T00:00:00Z',
    });

    expect(coupon).toMatchObject({ usesPerCustomer: 0, expiration: '9999-12-31T23:59:59.999Z' });
    expect(body).toEqual(coupon);
  });

  test('defaults 11, defaults 12: ignores id and owner in a request', async () => {
    const body = { id: unknownUuid, couponOwnerUuid: resident(15).uuid, couponOwnerUsername: 'evil' };
    const coupon = await createCoupon(owner, body);

    const replaced = await call('PUT', `/v1/coupons/${coupon.id}`, {
      ...body,
      code: coupon.code,
      ownerIdentifier: resident(16).uuid,
    });

    expect(coupon.id).not.toBe(unknownUuid);
    expect(replaced.body).toEqual(coupon);
    expect(coupon).toMatchObject({ couponOwnerUuid: owner, couponOwnerUsername: resident(14).username });
  });

  test('silent 42: codes are the same by NFKC and lower case, and ß is not ss', async () => {
    const tail = unique('');
    await createCoupon(owner, { code: `straße${tail}` });

    expect((await create({ code: `STRASSE${tail}` })).status).toBe(201);
    expect((await create({ code: `ｓｔｒａｓｓｅ${tail}` })).status).toBe(400);
  });

  describe.runIf(target.otherKey)('with a key of another store (CONTRACT_OTHER_KEY)', () => {
    test('coupons 1: two stores may have the same code', async () => {
      const { code } = await createCoupon(owner);
      const body = { code, ownerIdentifier: owner, active: false };

      const { status } = await call('POST', '/v1/coupons', body, { key: target.otherKey });

      expect(status).toBe(201);
    });
  });
});
