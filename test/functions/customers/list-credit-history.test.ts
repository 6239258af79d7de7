import { expect, test } from 'vitest';
import { newId } from '../../../lib/clock.ts';
import { historyKey, maxLotParts } from '../../../lib/credit/history.ts';
import { newCustomer } from '../../support/credit-seed.ts';
import { historyRows, type SeededChange } from '../../support/history-rows.ts';
import { unknownUuid } from '../../support/residents.ts';
import { putAll } from '../../support/seed.ts';
import { startTestService } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

const service = await startTestService();

interface Row {
  sequence: number;
  type: string;
}

const list = (uuid: string, query = '') => service.call('GET', `/v1/customers/${uuid}/credit/history${query}`);
const sequencesOf = async (uuid: string, query = ''): Promise<number[]> =>
  (await list(uuid, query)).body.data.map(({ sequence }: Row) => sequence);

const withHistory = async (...changes: SeededChange[]): Promise<string> => {
  const uuid = await newCustomer();
  await putAll(historyRows(service.store, uuid, changes));
  return uuid;
};

/** A customer with eleven changes: the second, third and tenth are of restricted credit. */
const withBothTypes = (): Promise<string> =>
  withHistory(
    ...Array.from(
      { length: 11 },
      (_, index): SeededChange => ({
        type: [1, 2, 9].includes(index) ? 'restricted' : 'regular',
        amount: 10 + index,
      }),
    ),
  );

const part = (amount: number, day = 1) => ({ id: newId(), amount, expiresAt: `2027-01-0${day}T00:00:00.000Z` });

test('200s with every fact of a change, and null for those that it does not have', async () => {
  const lot = part(-7);
  const texts = { reason: 'A gift', reference: 'order 5', requestId: newId(), keyId: 'a1B2', saleId: newId() };
  const uuid = await withHistory(
    { amount: 30, type: 'restricted', giftCardId: '5', kind: 'redeem' },
    { amount: 30, ...texts },
    { amount: -5, expired: 7, lots: [lot], unlotted: -5, kind: 'sale' },
  );

  const { status, body } = await list(uuid);

  const absent = { reason: null, reference: null, saleId: null, giftCardId: null, requestId: null, keyId: null };
  const none = { ...absent, undoes: null, undone: null };
  expect([status, body.pagination]).toEqual([200, { nextCursor: null, previousCursor: null, limit: 100 }]);
  expect(body.data).toEqual([
    {
      ...{ sequence: 3, at: '2026-01-01T00:00:02.000Z', type: 'regular', kind: 'sale', amount: -5, expired: 7 },
      ...{ credit: 18, restrictedCredit: 30, lots: [lot, { id: null, amount: -5, expiresAt: null }], ...none },
    },
    {
      ...{ sequence: 2, at: '2026-01-01T00:00:01.000Z', type: 'regular', kind: 'increment', amount: 30, expired: 0 },
      ...{ credit: 30, restrictedCredit: 30, lots: [{ id: null, amount: 30, expiresAt: null }], ...none, ...texts },
    },
    {
      ...{ sequence: 1, at: '2026-01-01T00:00:00.000Z', type: 'restricted', kind: 'redeem', amount: 30, expired: 0 },
      ...{ credit: 0, restrictedCredit: 30, lots: [{ id: null, amount: 30, expiresAt: null }], ...none },
      giftCardId: '5',
    },
  ]);
});

test('200s with the newest change first, of both types or of one', async () => {
  const uuid = await withBothTypes();

  expect(await sequencesOf(uuid)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(await sequencesOf(uuid, '?type=regular')).toEqual([11, 9, 8, 7, 6, 5, 4, 1]);
  expect(await sequencesOf(uuid, '?type=restricted')).toEqual([10, 3, 2]);
});

test.each(['', 'type=regular', 'type=restricted'])(
  'pages of one to four rows show every change of "%s" once, forward and back',
  async (query) => {
    const uuid = await withBothTypes();
    const all = (await list(uuid, `?${query}`)).body.data;

    for (const limit of [1, 2, 3, 4])
      expect(await walkList(service.call, `/v1/customers/${uuid}/credit/history?${query}`, limit)).toEqual(all);
  },
);

test('a row that only lots have told of does not show, however many there are, and takes no place on a page', async () => {
  const uuid = await withHistory({ amount: 1 }, { amount: 2 });
  const untold = Array.from({ length: 7 }, (_, index) => ({
    ...historyKey(service.store, uuid, index % 2 ? 'regular' : 'restricted', 3 + index),
    lots: [part(5)],
  }));
  await putAll([...untold, ...historyRows(service.store, uuid, Array(11).fill({ amount: 1 })).slice(-2)]);

  expect(await sequencesOf(uuid)).toEqual([11, 10, 2, 1]);
  expect(await walkList<Row>(service.call, `/v1/customers/${uuid}/credit/history`, 3)).toHaveLength(4);
});

test('the parts of 250 lots are 200, and the rest of them together', async () => {
  const lots = Array.from({ length: maxLotParts }, () => part(-2));
  const lastExpiresAt = '2027-05-05T00:00:00.000Z';
  const uuid = await withHistory(
    { amount: 540 },
    { kind: 'set', amount: -460, expired: 60, lots, lastExpiresAt, unlotted: -20 },
  );

  const [set] = (await list(uuid)).body.data;

  expect(set.lots).toEqual([
    ...lots,
    { id: null, amount: -100, expiresAt: lastExpiresAt },
    { id: null, amount: -20, expiresAt: null },
  ]);
});

test('a page takes 1 call and 1 unit for a type, 2 units at once for both', async () => {
  const uuid = await withBothTypes();

  const costs = [(await list(uuid, '?type=regular')).cost, (await list(uuid)).cost];

  expect(costs).toEqual([
    expect.objectContaining({ steps: 1, units: 1 }),
    expect.objectContaining({ steps: 1, units: 2 }),
  ]);
});

test('200s with an empty list for a resident whom the store never touched, and for the history of another store', async () => {
  const [untouched, theirs] = [await newCustomer(), await withBothTypes()];

  const answers = [await list(untouched), await service.callOther('GET', `/v1/customers/${theirs}/credit/history`)];

  expect(answers.map(({ status, body }) => [status, body.data])).toEqual([
    [200, []],
    [200, []],
  ]);
});

test('404s for an unknown resident, 400s for a malformed one, an unknown type and the cursor of another customer', async () => {
  const [uuid, other] = [await withBothTypes(), await withBothTypes()];
  const { nextCursor } = (await list(uuid, '?limit=1')).body.pagination;

  const answers = [
    await list(unknownUuid),
    await list('nobody'),
    await list('a..b'),
    await list(uuid, '?type=Regular'),
    await list(other, `?cursor=${nextCursor}`),
  ];

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 400, 400]);
  expect(answers.slice(3).map(({ body }) => body.errors)).toEqual([
    ['type must be regular or restricted.'],
    ['Cursor is invalid.'],
  ]);
});
