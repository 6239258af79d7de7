import { afterEach, expect, test } from 'vitest';
import { customerUpsert } from '../../../lib/avatars/customers.ts';
import { newId, timestamp } from '../../../lib/clock.ts';
import { lotKey, newLot } from '../../../lib/credit/lot.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import { write } from '../../../lib/table/table.ts';
import { customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { unknownUuid } from '../../support/residents.ts';
import { putAll } from '../../support/seed.ts';
import { setClock, startTestService } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

const start = Date.parse('2028-02-29T12:00:00.000Z');
const at = (seconds: number): string => timestamp(start + 1000 * seconds);

let stop = () => {};
setClock(start);
const service = await startTestService();
afterEach(() => {
  stop();
  setClock(start);
});

const act = (uuid: string, action: string, body: object) =>
  service.call('POST', `/v1/customers/${uuid}/actions/${action}`, body);
const add = (uuid: string, delta: number, seconds?: number) =>
  act(uuid, 'increment-credit', { delta, ...(seconds !== undefined && { expiresAt: at(seconds) }) });
const addRestricted = (uuid: string, delta: number, seconds: number) =>
  act(uuid, 'increment-restricted-credit', { delta, expiresAt: at(seconds) });

interface Row {
  type: string;
  amount: number;
  remaining: number;
  state: string;
}
const list = (uuid: string, query = '') => service.call('GET', `/v1/customers/${uuid}/credit/lots${query}`);
const lotsOf = async (uuid: string, query = ''): Promise<unknown[]> =>
  (await list(uuid, query)).body.data.map(({ type, amount, remaining, state }: Row) => [
    type,
    amount,
    remaining,
    state,
  ]);

/** A customer with lots in every state, in two regular sets and a restricted one. */
const withEveryState = async (): Promise<string> => {
  const uuid = await newCustomer();
  await add(uuid, 11, 600);
  await add(uuid, 12, 500);
  // The order of two sets in one millisecond is open.
  setClock(start + 1);
  await act(uuid, 'set-credit', { credit: 20, expiresAt: at(900) });
  await add(uuid, 21, 10);
  await add(uuid, 22, 300);
  await add(uuid, 23, 400);
  await addRestricted(uuid, 31, 350);
  await addRestricted(uuid, 32, 950);
  setClock(start + 10_000);
  await add(uuid, -25);
  return uuid;
};

test('200s with every lot: regular ones first, then by set, the oldest first, then as they are drained', async () => {
  const uuid = await withEveryState();

  const { status, body } = await list(uuid);

  expect([status, body.pagination]).toEqual([200, { nextCursor: null, previousCursor: null, limit: 100 }]);
  expect(await lotsOf(uuid)).toEqual([
    ['regular', 12, 12, 'superseded'],
    ['regular', 11, 11, 'superseded'],
    ['regular', 21, 21, 'expired'],
    ['regular', 22, 0, 'drained'],
    ['regular', 23, 20, 'open'],
    ['regular', 20, 20, 'open'],
    ['restricted', 31, 31, 'open'],
    ['restricted', 32, 32, 'open'],
  ]);
  const [first, , , drained, reduced] = body.data;
  const stored = await listLots(service.store, uuid);
  expect(reduced).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    type: 'regular',
    amount: 23,
    remaining: 20,
    state: 'open',
    createdAt: at(0.001),
    expiresAt: at(400),
    endedAt: null,
  });
  expect([first.endedAt, drained.endedAt]).toEqual([at(0.001), at(10)]);
  expect(stored.every(({ sk }, index) => sk.endsWith(body.data[index].id))).toBe(true);
});

test('state=open: 200s with the open lots in the order in which they are drained, of both types', async () => {
  const uuid = await withEveryState();

  expect(await lotsOf(uuid, '?state=open')).toEqual([
    ['restricted', 31, 31, 'open'],
    ['regular', 23, 20, 'open'],
    ['regular', 20, 20, 'open'],
    ['restricted', 32, 32, 'open'],
  ]);
});

test.each([
  ['type=regular&state=open', ['regular 23', 'regular 20']],
  ['type=restricted', ['restricted 31', 'restricted 32']],
  ['state=superseded', ['regular 12', 'regular 11']],
  ['state=expired', ['regular 21']],
  ['state=drained&type=restricted', []],
])('200s with the lots of the filter %s', async (query, expected) => {
  const uuid = await withEveryState();

  const rows = (await list(uuid, `?${query}`)).body.data;

  expect(rows.map(({ type, amount }: Row) => `${type} ${amount}`)).toEqual(expected);
});

test.each(['', 'state=open', 'type=regular', 'state=superseded', 'type=restricted&state=open'])(
  'pages of one, two and three rows show every lot of "%s" once, forward and back',
  async (query) => {
    const uuid = await withEveryState();
    const all = (await list(uuid, `?${query}`)).body.data;

    for (const limit of [1, 2, 3])
      expect(await walkList(service.call, `/v1/customers/${uuid}/credit/lots?${query}`, limit)).toEqual(all);
  },
);

test('a lot that has come due is open until something closes it', async () => {
  const uuid = await newCustomer();
  await add(uuid, 5, 10);

  setClock(start + 20_000);
  const before = [await lotsOf(uuid), await lotsOf(uuid, '?state=open')];
  await add(uuid, 1);

  const due = [['regular', 5, 5, 'open']];
  expect(before).toEqual([due, due]);
  expect(await lotsOf(uuid)).toEqual([['regular', 5, 5, 'expired']]);
});

test('an open lot is found behind one that was drained and expires later', async () => {
  const uuid = await newCustomer();
  await add(uuid, 5, 500);
  await add(uuid, 6, 600);
  await add(uuid, -5);
  await add(uuid, 7, 100);

  expect(await lotsOf(uuid, '?state=open')).toEqual([
    ['regular', 7, 7, 'open'],
    ['regular', 6, 6, 'open'],
  ]);
});

test('shows the lots of a set of 150 as superseded, while they are still to be marked', async () => {
  const lots = Array.from({ length: 150 }, (_, index) => ({ amount: 2, expiresAt: at(100 + index) }));
  const uuid = await customerWithLots(service.store, lots, 5);
  setClock(start + 1);
  stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'UpdateItem' && JSON.stringify(input).includes('#LOT#'))
      throw new Error('The function has died.');
    return send();
  });
  await act(uuid, 'set-credit', { credit: 9, expiresAt: at(900) });

  const rows = (await list(uuid, '?limit=1000')).body.data;

  expect((await listLots(service.store, uuid)).filter(({ state }) => state === 'open')).toHaveLength(151);
  expect(await lotsOf(uuid, '?state=open')).toEqual([['regular', 9, 9, 'open']]);
  expect(rows.map(({ state }: Row) => state)).toEqual([...Array(150).fill('superseded'), 'open']);
  expect(rows[0]).toMatchObject({ remaining: 2, endedAt: at(0.001) });
});

test('imported lots come before those of every set', async () => {
  const uuid = await newCustomer();
  const cause = { at: at(0), by: 'import' };
  const imported = newLot(service.store, uuid, 'regular', 'import', { amount: 3, expiresAt: at(50) }, cause, 0);
  const key = lotKey(service.store, uuid, 'regular', newId(), at(40), newId());
  await putAll([
    { ...imported, state: 'superseded', endedAt: at(1), endedBy: 'set' },
    {
      ...imported,
      ...key,
      amount: 4,
      expiresAt: at(40),
      state: 'drained',
      remaining: 0,
      endedAt: at(2),
      endedBy: 'take',
    },
  ]);
  await write(customerUpsert(service.store, { uuid, username: 'imported' }, { set: { importedVersion: 1 } }));
  await addRestricted(uuid, 6, 700);

  const expected = [
    ['regular', 3, 3, 'superseded'],
    ['regular', 4, 0, 'drained'],
    ['restricted', 6, 6, 'open'],
  ];
  expect(await lotsOf(uuid)).toEqual(expected);
  for (const limit of [1, 2])
    expect(await walkList(service.call, `/v1/customers/${uuid}/credit/lots`, limit)).toHaveLength(3);
});

test('a page of 1,000 lots takes 2 calls, with a type', async () => {
  const lots = Array.from({ length: 1100 }, (_, index) => ({ amount: 2, expiresAt: at(100 + index) }));
  const uuid = await customerWithLots(service.store, lots);

  const { body, cost } = await list(uuid, '?limit=1000&type=regular');

  expect([body.data.length, body.pagination.nextCursor !== null, cost?.steps]).toEqual([1000, true, 2]);
  expect(cost?.units).toBeLessThan(130);
});

test('200s with an empty list for a resident whom the store never touched', async () => {
  const uuid = await newCustomer();

  const answers = [await list(uuid), await list(uuid, '?state=open')];

  expect(answers.map(({ status, body }) => [status, body.data])).toEqual([
    [200, []],
    [200, []],
  ]);
});

test('404s for an unknown resident, 400s for a malformed one, an unknown filter and the cursor of another list', async () => {
  const [uuid, other] = [await withEveryState(), await withEveryState()];
  const { nextCursor } = (await list(uuid, '?limit=1')).body.pagination;

  const answers = [
    await list(unknownUuid),
    await list('nobody'),
    await list('a..b'),
    await list(uuid, '?state=due'),
    await list(uuid, '?type=Regular'),
    await list(other, `?cursor=${nextCursor}`),
    await list(uuid, `?state=open&cursor=${nextCursor}`),
  ];

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 400, 400, 400, 400]);
  expect(answers.slice(3).map(({ body }) => body.errors)).toEqual([
    ['state must be open, drained, expired or superseded.'],
    ['type must be regular or restricted.'],
    ['Cursor is invalid.'],
    ['Cursor is invalid.'],
  ]);
});
