import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { act, call, get, hasResidents, resident, settled, target, unknownUuid, walk } from './target.ts';

/** Customers, their lists, bans and spend. Residents 26 to 33. */

const uuids = (rows: { uuid: string }[]): string[] => rows.map(({ uuid }) => uuid);

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(26).uuid;
  const path = `/v1/customers/${customer}`;
  const put = (body: object) => call('PUT', path, body);

  test('customer filter rule 2: newsSubscriber lists only those who are, or are not, subscribed', async () => {
    await put({ newsSubscriber: true });
    const subscribed = await settled(
      () => walk('/v1/customers?newsSubscriber=true'),
      (rows) => uuids(rows).includes(customer),
    );
    const others = uuids(await walk('/v1/customers?newsSubscriber=false'));

    await put({ newsSubscriber: false });

    expect(uuids(subscribed)).toContain(customer);
    expect(subscribed.every(({ newsSubscriber }) => newsSubscriber)).toBe(true);
    expect(others).not.toContain(customer);
    const read = () => walk('/v1/customers?newsSubscriber=false');
    expect(uuids(await settled(read, (rows) => uuids(rows).includes(customer)))).toContain(customer);
  });

  test('customer filter rule 1: no filter lists all customers of the store', async () => {
    await put({ newsSubscriber: true, discount: 1 });

    const rows = await walk('/v1/customers');

    expect(rows.find(({ uuid }) => uuid === customer)).toEqual((await get(path)).body);
    expect(new Set(uuids(rows)).size).toBe(rows.length);
  });

  test('customer filter rule 3, silent 33: spentMoreThan below 0 keeps everybody, 0 nobody without spend', async () => {
    await put({ discount: 2 });

    const below = uuids(await walk('/v1/customers?spentMoreThan=-1'));
    const zero = uuids(await walk('/v1/customers?spentMoreThan=0'));

    expect(below).toEqual(uuids(await walk('/v1/customers')));
    const { sum } = (await get(`${path}/spend`)).body;
    expect(zero.includes(customer)).toBe(sum > 0);
  });

  test('defaults 3: a field that is left out stays as it is', async () => {
    await put({ discount: 33, newsSubscriber: true });

    const discount = await put({ discount: 44 });
    const subscriber = await put({ newsSubscriber: false });

    expect(discount.body).toMatchObject({ discount: 44, newsSubscriber: true });
    expect(subscriber.body).toMatchObject({ discount: 44, newsSubscriber: false });
  });

  test('silent 34: a PUT without any field changes nothing', async () => {
    const before = (await get(path)).body;

    expect((await put({})).body).toEqual(before);
    expect((await put({ unknown: 1 })).body).toEqual(before);
  });

  test.each([-1, 101, 12.5, '10', null])(
    'text 12, text 14: a customer’s discount %j is 400: it is a whole number of percent',
    async (discount) => {
      expectProblem(await put({ discount }), 400, path, ['discount must be a whole number from 0 to 100.']);
    },
  );

  test('defaults 17: balances and other fields of the answer are not taken from a PUT', async () => {
    const before = (await get(path)).body;

    const { body } = await put({
      ...before,
      credit: 999,
      restrictedCredit: 999,
      isBanned: true,
      username: 'evil',
      uuid: unknownUuid,
    });

    expect(body).toEqual(before);
  });

  test('lists 4: ban and unban are idempotent', async () => {
    const states = [];
    for (const action of ['ban', 'ban', 'unban', 'unban']) {
      const { status, body } = await act(customer, action);
      states.push([status, body.isBanned]);
    }

    expect(states).toEqual([
      [200, true],
      [200, true],
      [200, false],
      [200, false],
    ]);
  });

  test('lists 5: a second ban may carry another reason', async () => {
    await act(customer, 'ban', { reason: 'First' });

    const { status, body } = await act(customer, 'ban', { reason: 'Second' });

    expect([status, body.isBanned]).toEqual([200, true]);
    await act(customer, 'unban');
  });

  test('lists 6: a ban blocks none of the other calls', async () => {
    await act(customer, 'ban');

    const answers = [
      await put({ discount: 3 }),
      await act(customer, 'set-credit', { credit: 5 }),
      await act(customer, 'increment-restricted-credit', { delta: 5 }),
      await act(customer, 'grant-gift-card', { credit: 5 }),
      await get(`${path}/spend`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await act(customer, 'unban')).body.isBanned).toBe(false);
  });

  test.each([{ reason: 5 }, { reason: null }, { reason: 'x'.repeat(1001) }, [], '{', 'null'])(
    'text 22: a ban with %j is 400, and bans nobody',
    async (body) => {
      await act(customer, 'unban');

      expectProblem(await act(customer, 'ban', body), 400, `${path}/actions/ban`);
      expect((await get(path)).body.isBanned).toBe(false);
    },
  );

  test('text 22: a reason of 1000 characters with tabs and line ends is taken', async () => {
    expect((await act(customer, 'ban', { reason: '🎁\t\n'.repeat(333) })).status).toBe(200);
  });

  test('endpoint rule 4: unban takes no body, and ignores one', async () => {
    expect((await act(customer, 'unban', 'not JSON')).status).toBe(200);
  });

  describe.runIf(target.local)('on the local service, with residents whom no store has touched', () => {
    const listed = async (uuid: string): Promise<boolean> => uuids(await walk('/v1/customers')).includes(uuid);

    test('text 10, text 11: an untouched resident is a customer with zeros, and not in the list', async () => {
      const { uuid, username } = resident(27);

      const { body } = await get(`/v1/customers/${uuid}`);

      expect(body).toEqual({
        uuid,
        username,
        credit: 0,
        restrictedCredit: 0,
        discount: 0,
        newsSubscriber: false,
        isBanned: false,
      });
      expect((await get(`/v1/customers/${uuid}/spend`)).body).toMatchObject({ sum: 0, lastYearSum: 0, totalOwned: 0 });
      expect((await get(`/v1/customers/${uuid}/giftcards`)).body.data).toEqual([]);
      expect(await listed(uuid)).toBe(false);
    });

    test('text 11: reading, and a PUT without a field, make nobody a customer', async () => {
      const { uuid } = resident(28);
      await get(`/v1/customers/${uuid}`);
      await call('PUT', `/v1/customers/${uuid}`, {});

      expect(await listed(uuid)).toBe(false);
    });

    test.each([
      ['PUT', '', { discount: 1 }],
      ['POST', '/actions/set-credit', { credit: 0 }],
      ['POST', '/actions/grant-gift-card', { credit: 1 }],
      ['POST', '/actions/ban', {}],
    ] as const)(
      'text 11: %s%s makes a resident a customer of this store, and of no other',
      async (method, action, body) => {
        const uuid = resident(
          29 + ['', '/actions/set-credit', '/actions/grant-gift-card', '/actions/ban'].indexOf(action),
        ).uuid;

        await call(method, `/v1/customers/${uuid}${action}`, body);

        expect(await listed(uuid)).toBe(true);
        const other = await call('GET', '/v1/customers?limit=1000', undefined, { key: target.otherKey });
        expect(uuids(other.body.data)).not.toContain(uuid);
      },
    );
  });
});

describe.runIf(target.local)('on the local service, whose demo has purchases', () => {
  const spend = async (name: string) => (await get(`/v1/customers/${name}/spend`)).body;

  test('lists 1, lists 2, lists 3: spend is the lifetime sum, that of the last 365 days, and distinct products', async () => {
    expect(await spend('nova')).toMatchObject({ sum: 1000, lastYearSum: 600, totalOwned: 4 });
    expect(await spend('vera.vendor')).toMatchObject({ sum: 500, lastYearSum: 500, totalOwned: 1 });
  });

  test.each([
    [499, ['vera.vendor', 'nova']],
    [500, ['nova']],
    [999, ['nova']],
    [1000, []],
    [2_147_483_647, []],
  ])('customer filter rule 3: spentMoreThan=%i keeps those who spent strictly more', async (sum, names) => {
    const rows = await walk(`/v1/customers?spentMoreThan=${sum}`);

    expect(rows.map(({ username }) => username)).toEqual(names);
  });

  test('customer filter rule 1: filters combine with AND', async () => {
    const rows = await walk('/v1/customers?spentMoreThan=499&newsSubscriber=true');

    expect(rows.map(({ username }) => username)).toEqual(['nova']);
  });

  test('text 7, text 8: old names still resolve, and answers carry the current one', async () => {
    for (const name of ['stella', 'stella.star', 'Stella%20Resident', 'nova'])
      expect((await get(`/v1/customers/${name}`)).body).toMatchObject({ username: 'nova' });
  });
});

test.each(['yes', 'TRUE', '1', '', 'null'])('text 26: newsSubscriber=%s is 400', async (value) => {
  expectProblem(await get(`/v1/customers?newsSubscriber=${value}`), 400, '/v1/customers', [
    'newsSubscriber must be true or false.',
  ]);
});

test.each(['x', '1.5', '', '1e3', '2147483648', '%201'])('text 12: spentMoreThan=%s is 400', async (value) => {
  expectProblem(await get(`/v1/customers?spentMoreThan=${value}`), 400, '/v1/customers');
});
