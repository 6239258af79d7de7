import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { act, call, get, hasResidents, resident, settled, unknownUuid, walk } from './target.ts';

/** Customers, their lists, bans and spend. Residents 26 to 33. */

const uuids = (rows: { uuid: string }[]): string[] => rows.map(({ uuid }) => uuid);

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(26).uuid;
  const path = `/v1/customers/${customer}`;
  const put = (body: object) => call('PUT', path, body);

  test('customer filter rule 2: newsSubscriber lists only subscribed, or only unsubscribed, customers', async () => {
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

  test('customer filter rule 3, silent 33: spentMoreThan below 0 keeps all customers, and 0 those with any spend', async () => {
    await put({ discount: 2 });

    const below = uuids(await walk('/v1/customers?spentMoreThan=-1'));
    const zero = uuids(await walk('/v1/customers?spentMoreThan=0'));

    // The order of the two lists differs, and does not matter here.
    expect(below.sort()).toEqual(uuids(await walk('/v1/customers')).sort());
    const { sum } = (await get(`${path}/spend`)).body;
    expect(zero.includes(customer)).toBe(sum > 0);
  });

  test('defaults 3: a missing field stays unchanged', async () => {
    await put({ discount: 33, newsSubscriber: true });

    const discount = await put({ discount: 0 });
    const subscriber = await put({ newsSubscriber: false });

    expect(discount.body).toMatchObject({ discount: 0, newsSubscriber: true });
    expect(subscriber.body).toMatchObject({ discount: 0, newsSubscriber: false });
  });

  test('silent 34: a PUT without any field changes nothing', async () => {
    const before = (await get(path)).body;

    expect((await put({})).body).toEqual(before);
    expect((await put({ unknown: 1 })).body).toEqual(before);
  });

  test.each([-1, 101, 12.5, '10', null])(
    'text 12, text 14: a customer’s discount %j is 400: it is a whole number of percent',
    async (discount) => {
      const asNull = discount === null ? ', not null: leave it out' : '';

      expectProblem(await put({ discount }), 400, path, [`discount must be a whole number from 0 to 100${asNull}.`]);
    },
  );

  test('defaults 17: a PUT ignores balances and other fields of the answer', async () => {
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
    expect((await act(customer, 'ban', { reason: `${'🎁\t\n'.repeat(333)}x` })).status).toBe(200);
  });

  test('endpoint rule 4: unban takes no body, and ignores one', async () => {
    expect((await act(customer, 'unban', 'not JSON')).status).toBe(200);
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
