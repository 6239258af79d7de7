import { describe, expect, test } from 'vitest';
import { call, get, resident, target, walk } from './target.ts';

/** Customers and their spend in the demo of the local service. Residents 27 to 33. */

const uuids = (rows: { uuid: string }[]): string[] => rows.map(({ uuid }) => uuid);

describe.runIf(target.local)('on the local service, with residents who are new to every store', () => {
  const listed = async (uuid: string): Promise<boolean> => uuids(await walk('/v1/customers')).includes(uuid);

  test('text 10, text 11: a new resident reads as a customer with zeros, and is not in the list', async () => {
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

  test('text 11: neither a read nor a PUT without fields makes a resident a customer', async () => {
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

describe.runIf(target.local)('on the local service, whose demo has purchases', () => {
  const spend = async (name: string) => (await get(`/v1/customers/${name}/spend`)).body;

  test('lists 1, lists 2, lists 3: spend is the lifetime sum, that of the last 365 days, and distinct products', async () => {
    expect(await spend('nova')).toMatchObject({ sum: 1000, lastYearSum: 600, totalOwned: 4 });
    expect(await spend('vera.vendor')).toMatchObject({ sum: 500, lastYearSum: 500, totalOwned: 1 });
  });

  const spentMost = [
    ...['mina.frostwood', 'dana.winterfall', 'orion.castaway'],
    ...['cora.marlowe', 'gil.ashford', 'rufus.stonecutter'],
  ];

  test.each([
    [499, ['vera.vendor', 'theo.brandt', 'kittyblue92', 'nova', ...spentMost]],
    [500, ['theo.brandt', 'kittyblue92', 'nova', ...spentMost]],
    [999, ['nova', ...spentMost]],
    [1000, spentMost],
    [2_147_483_647, []],
  ])('customer filter rule 3: spentMoreThan=%i keeps those who spent strictly more', async (sum, names) => {
    const rows = await walk(`/v1/customers?spentMoreThan=${sum}`);

    expect(rows.map(({ username }) => username)).toEqual(names);
  });

  test('customer filter rule 1: filters combine with AND', async () => {
    const rows = await walk('/v1/customers?spentMoreThan=499&newsSubscriber=true');

    expect(rows.map(({ username }) => username)).toEqual(['nova']);
  });

  test('text 7, text 8: old names still resolve, and answers have the current name', async () => {
    for (const name of ['stella', 'stella.star', 'Stella%20Resident', 'nova'])
      expect((await get(`/v1/customers/${name}`)).body).toMatchObject({ username: 'nova' });
  });
});
