import * as fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { handler } from '../../../../functions/stream-consumer.ts';
import { findCustomerItem } from '../../../../lib/avatars/customers.ts';
import { timestamp } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import type { HistoryItem } from '../../../../lib/credit/history.ts';
import { listCreditHistory } from '../../../../lib/credit/history-list.ts';
import { type CreditType, creditTypes } from '../../../../lib/credit/rules.ts';
import type { CreditItem } from '../../../../lib/credit/state.ts';
import { type DaySums, plus, sumsOf, sumsOfRow } from '../../../../lib/events/days.ts';
import type { ShardEvent } from '../../../../lib/events/stream.ts';
import { auditHistories, readHistory, recordedChanges } from '../../../../lib/operator/audit-history.ts';
import { backfill, findBackfill } from '../../../../lib/operator/backfill-history.ts';
import * as dynamodb from '../../../../lib/table/dynamodb.ts';
import { customerKey } from '../../../../lib/table/keys.ts';
import { put, remove, update } from '../../../../lib/table/language.ts';
import type { Key } from '../../../../lib/table/schema.ts';
import { removeMany, write } from '../../../../lib/table/table.ts';
import type { Consumer } from '../../../../local/engines/stream.ts';
import { add, store } from '../../../../test/lib/credit/credit.ts';
import { newCustomer } from '../../../../test/support/credit-seed.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { catchUp, keepHistory, readAll } from '../../../../test/support/history.ts';
import { freshTable, setClock, wholeTable } from '../../../../test/support/service.ts';
import { trials } from '../../../../test/support/volume.ts';
import { auditDays } from '../../kinds/days.ts';

/** `BACKFILL_SEED` and `_PATH` replay a random run, `_RUNS` asks for more. */
const seed = Number(process.env.BACKFILL_SEED ?? Date.now() % 2 ** 31);
const runs = Number(process.env.BACKFILL_RUNS ?? trials(5, 200));

const start = Date.parse('2028-02-29T12:00:00.000Z');
const hour = 3_600_000;

let stop = () => {};
beforeAll(async () => {
  await freshTable();
  await keepHistory();
});
beforeEach(() => setClock(start));
afterEach(() => stop());

const addRestricted = (uuid: string, delta: number) =>
  changeCredit(store, { uuid }, 'restricted', { kind: 'increment', delta }, { by: 'test' });

const itemOf = async (uuid: string): Promise<CreditItem> => (await findCustomerItem(store, uuid)) as CreditItem;

const changesOf = async (uuid: string) => recordedChanges(await readHistory(store, uuid));

const faults = async (): Promise<string[]> => auditHistories(await wholeTable());

const isOf =
  (kind: string) =>
  ({ pk }: { pk?: unknown }): boolean =>
    String(pk).split('#')[1] === kind;

/** The sums of all days. */
const days = async (): Promise<DaySums> => {
  const items = (await wholeTable()).filter(isOf('DAY'));
  return items.reduce<DaySums>((sums, item) => plus(sums, sumsOf(item)), {});
};

/** Makes a customer whose changes all came before history began. */
const forgetHistory = async (uuid: string): Promise<void> => {
  await catchUp();
  const items = (await wholeTable()) as unknown as HistoryItem[];
  await removeMany([...(await readHistory(store, uuid)), ...items.filter(isOf('DAY'))]);
  await write(update(customerKey(store, uuid), { set: { lastChange: undefined } }));
  await catchUp();
};

/** Has the stream lose the records of these changes, a day and an hour ago: also of what they did to the days. */
const lose = async (uuid: string, ...sequences: number[]): Promise<void> => {
  await catchUp();
  const lost = (await readHistory(store, uuid)).filter(({ sk }) => sequences.includes(Number(sk)));
  await removeMany([...lost, ...((await wholeTable()) as unknown as HistoryItem[]).filter(isOf('DAY'))]);
  setClock(start + 25 * hour);
};

test('opens the history of credit that is older, once for each type that is held, and the next change follows it', async () => {
  const uuid = await newCustomer();
  await add(uuid, 30, start + hour);
  await add(uuid, 12);
  await addRestricted(uuid, 8);
  await forgetHistory(uuid);

  const done = await backfill(store, uuid);
  await catchUp();
  await add(uuid, -2);
  await catchUp();

  expect(done.rows).toEqual([{ kind: 'opening', first: 4, last: 5, regular: 42, restricted: 8 }]);
  expect(
    (await changesOf(uuid)).map(({ sequence, kind, type, amount, credit, restrictedCredit }) => [
      ...[sequence, kind, type, amount, credit, restrictedCredit],
    ]),
  ).toEqual([
    [4, 'opening', 'regular', 42, 42, 0],
    [5, 'opening', 'restricted', 8, 42, 8],
    [6, 'increment', 'regular', -2, 40, 8],
  ]);
  expect([await faults(), (await days()).regularNet, await backfill(store, uuid)]).toEqual([
    [],
    40,
    { rows: [], faults: [] },
  ]);
});

test('an opening leaves imported credit open for more, and who holds nothing without one', async () => {
  const [imported, poor] = [await newCustomer(), await newCustomer()];
  for (const uuid of [imported, poor]) await add(uuid, 5);
  await add(poor, -5);
  await forgetHistory(imported);
  await write(update(customerKey(store, poor), { set: { lastChange: undefined } }));
  await write(update(customerKey(store, imported), { set: { importedVersion: 1 } }));

  const done = [await backfill(store, imported), await backfill(store, poor)];

  expect(done.map(({ rows }) => rows.length)).toEqual([1, 0]);
  expect(await itemOf(imported)).toMatchObject({ creditVersion: 2, importedVersion: 2 });
  expect(await itemOf(poor)).toMatchObject({ creditVersion: 2 });
});

test('leaves the opening to a change that is made at the same time', async () => {
  const uuid = await newCustomer();
  await add(uuid, 30);
  await forgetHistory(uuid);
  let changed = false;
  stop = intercept(async ({ operation, input }, send) => {
    if (operation !== 'UpdateItem' || changed || !JSON.stringify(input).includes('lastChange')) return send();
    changed = true;
    await add(uuid, 1);
    return send();
  });

  const done = await backfill(store, uuid);
  stop();
  await catchUp();

  expect([changed, done.rows, await faults()]).toEqual([true, [], []]);
  expect((await changesOf(uuid)).map(({ sequence, kind }) => [sequence, kind])).toEqual([
    [1, 'opening'],
    [2, 'increment'],
  ]);
});

/** Six changes: 10, 20 in a lot, restricted 7, -12 of the lot, restricted -3, 5. */
const six = async (): Promise<string> => {
  const uuid = await newCustomer();
  await add(uuid, 10);
  await add(uuid, 20, start + 100 * hour);
  await addRestricted(uuid, 7);
  await add(uuid, -12);
  await addRestricted(uuid, -3);
  await add(uuid, 5);
  return uuid;
};

test.each<[string, number[], [number, CreditType, number][]]>([
  ['a single one of regular credit', [4], [[4, 'regular', -12]]],
  ['a single one of restricted credit', [5], [[5, 'restricted', -3]]],
  [
    'the first ones',
    [1, 2, 3],
    [
      [1, 'regular', 0],
      [2, 'restricted', 7],
      [3, 'regular', 30],
    ],
  ],
  [
    'the last ones',
    [5, 6],
    [
      [5, 'restricted', -3],
      [6, 'regular', 5],
    ],
  ],
  [
    'two groups',
    [2, 3, 5],
    [
      [2, 'restricted', 7],
      [3, 'regular', 20],
      [5, 'restricted', -3],
    ],
  ],
  [
    'all',
    [1, 2, 3, 4, 5, 6],
    [
      [1, 'regular', 0],
      [2, 'regular', 0],
      [3, 'regular', 0],
      [4, 'regular', 0],
      [5, 'restricted', 4],
      [6, 'regular', 23],
    ],
  ],
])('fills numbers that are lost with the exact net of each type: %s', async (_, lost, expected) => {
  const uuid = await six();
  await lose(uuid, ...lost);

  await Promise.all([backfill(store, uuid), backfill(store, uuid)]);
  await backfill(store, uuid);

  const rows = (await changesOf(uuid)).filter(({ kind }) => kind === 'unrecorded');
  expect(rows.map(({ sequence, type, amount }) => [sequence, type, amount])).toEqual(expected);
  expect(await faults()).toEqual([]);
  expect(await days()).toEqual(rows.reduce<DaySums>((sums, row) => plus(sums, sumsOfRow(row.type, row)), {}));
});

test('tells what a gap did to permanent credit, and to lots all together', async () => {
  const uuid = await six();
  await add(uuid, -9);
  await lose(uuid, 4, 5, 6, 7);

  await backfill(store, uuid);

  const [last] = await listCreditHistory(store, uuid)({ descending: false });
  expect([last?.kind, last?.amount, last?.lots]).toEqual([
    ...['unrecorded', -16],
    [
      { id: null, amount: -20, expiresAt: timestamp(start + 100 * hour) },
      { id: null, amount: 4, expiresAt: null },
    ],
  ]);
  expect(await faults()).toEqual([]);
});

test('waits until a change is a day old, since its row may still come', async () => {
  const uuid = await six();
  await lose(uuid, 2, 3);
  const late = `customer ${uuid}: history lacks a change of the last 24 hours, which may still come.`;

  setClock(start + 24 * hour - 1000);
  const early = await backfill(store, uuid);
  setClock(start + 24 * hour + 1000);
  const found = await findBackfill(store, uuid);

  expect(early).toEqual({ rows: [], faults: [late] });
  expect(found.rows).toMatchObject([{ kind: 'unrecorded', first: 2, last: 3, regular: 20, restricted: 7 }]);
  await backfill(store, uuid);
});

/** Removes parts of lots from rows, as if the lots' records had been lost a day and an hour ago. */
const loseParts = async (uuid: string, ...sequences: number[]): Promise<HistoryItem[]> => {
  await catchUp();
  const whole = await readHistory(store, uuid);
  for (const { pk, sk } of whole.filter(({ sk }) => sequences.includes(Number(sk))))
    await dynamodb.write(update({ pk, sk }, { set: { lots: undefined } }));
  setClock(start + 25 * hour);
  return whole;
};

test('writes the parts of lots that rows lack: of several by what each lot saw last, of a single one all that are left', async () => {
  const [single, several] = [await six(), await six()];
  await add(several, 9, start + 200 * hour);
  const [ofSingle, ofSeveral] = [await loseParts(single, 2), await loseParts(several, 4, 7)];
  const before = await faults();

  const done = [await backfill(store, single), await backfill(store, several)];

  expect(before).toEqual([
    expect.stringContaining('the parts of the change 2 come to 0, not 20'),
    expect.stringContaining('the parts of the change 4 come to'),
    expect.stringContaining('the parts of the change 7 come to 0, not 9'),
  ]);
  expect(done.map(({ rows }) => rows.map(({ kind, first, last }) => [kind, first, last]))).toEqual([
    [['parts', 2, 2]],
    [
      ['parts', 4, 4],
      ['parts', 7, 7],
    ],
  ]);
  expect([await readHistory(store, single), await readHistory(store, several), await faults()]).toEqual([
    ...[ofSingle, ofSeveral, []],
  ]);
});

test('writes the lot that a change added though a later change, which is lost, has taken of it', async () => {
  const uuid = await newCustomer();
  await add(uuid, 20, start + 100 * hour);
  await add(uuid, -5);
  const [added] = await loseParts(uuid, 1);
  await lose(uuid, 2);

  for (let step = 0; step < 2; step++) await backfill(store, uuid);

  expect((await readHistory(store, uuid))[0]).toEqual(added);
  expect(await faults()).toEqual([]);
});

test('leaves parts that may still come, and those of which nobody can tell the lots', async () => {
  const uuid = await newCustomer();
  await add(uuid, 20, start + 100 * hour);
  for (const delta of [-3, -4]) await add(uuid, delta);
  await loseParts(uuid, 2, 3);

  setClock(start + 23 * hour);
  const early = await backfill(store, uuid);
  setClock(start + 25 * hour);
  const late = await backfill(store, uuid);

  const fault = (text: string) => expect.stringContaining(text);
  expect(early.faults).toEqual([fault('lacks parts of the change 2, which may'), fault('change 3, which may')]);
  expect(late).toMatchObject({
    rows: [],
    faults: [fault('which lots the change 2'), fault('which lots the change 3')],
  });
});

test.each([
  ['both types', 3],
  ['one type', 5],
  ['none', 6],
])('leads history back where it is beyond the customer, who has other balances of %s', async (_, version) => {
  await freshTable();
  await keepHistory();
  const uuid = await newCustomer();
  const restored: CreditItem[] = [await itemOf(uuid)];
  for (const [type, delta] of [
    ['regular', 5],
    ['restricted', 7],
    ['regular', 3],
    ['restricted', -2],
    ['regular', 4],
    ['regular', 1],
    ['regular', -1],
  ] as const) {
    await (type === 'regular' ? add(uuid, delta) : addRestricted(uuid, delta));
    restored.push(await itemOf(uuid));
  }
  await catchUp();
  // The rows that the restore made are in another stream.
  await removeMany([customerKey(store, uuid)]);
  await catchUp();
  await dynamodb.write(put({ ...(restored[version] as CreditItem) }));
  const before = await faults();

  const planned = await findBackfill(store, uuid);
  const done = await Promise.all([backfill(store, uuid), backfill(store, uuid)]);
  await catchUp();
  await add(uuid, 2);
  await catchUp();

  expect(before).toEqual([expect.stringContaining('beyond the last'), ...before.slice(1)]);
  expect(done).toContainEqual(planned);
  expect(await faults()).toEqual([]);
  const { credit = 0, restrictedCredit = 0 } = restored[version] as CreditItem;
  expect((await changesOf(uuid)).at(-1)).toMatchObject({ kind: 'increment', credit: credit + 2, restrictedCredit });
  expect(await days()).toMatchObject({ regularNet: credit + 2, restrictedNet: restrictedCredit });
});

test.each(['behind', 'beside'] as const)(
  'counts once a change whose record comes after all, %s the backfill',
  async (when) => {
    await freshTable();
    await keepHistory();
    const uuid = await newCustomer();
    await add(uuid, 31);
    const batches: ShardEvent[] = [];
    const keep: Consumer = async (event) => {
      batches.push(event);
      return { batchItemFailures: [] };
    };
    await readAll(keep);
    setClock(start + 25 * hour);
    const consume = async (): Promise<void> => {
      for (const batch of batches) expect((await handler(batch)).batchItemFailures).toEqual([]);
    };

    await (when === 'beside' ? Promise.all([backfill(store, uuid), consume()]) : backfill(store, uuid));
    for (let time = 0; time < 2; time++) await consume();
    await backfill(store, uuid);

    expect(await days()).toMatchObject({ regularNet: 31 });
    expect([await faults(), auditDays((await wholeTable()) as unknown as Key[])]).toEqual([[], []]);
  },
);

test('goes on with a large gap where it died', async () => {
  const uuid = await newCustomer();
  const customer = customerKey(store, uuid);
  await add(uuid, 500);
  await catchUp();
  await write(update(customer, { set: { creditVersion: 299 } }));
  await addRestricted(uuid, 4);
  await lose(uuid);
  let sent = 0;
  stop = intercept(async ({ operation }, send) => {
    if (operation === 'TransactWriteItems' && ++sent > 2) throw new Error('The command has died.');
    return send();
  });

  await expect(backfill(store, uuid)).rejects.toThrow('has died');
  stop();
  const partly = (await changesOf(uuid)).length;
  await backfill(store, uuid);

  expect(partly).toBeGreaterThan(100);
  expect(partly).toBeLessThan(300);
  expect((await changesOf(uuid)).length).toBe(300);
  expect(await faults()).toEqual([]);
});

test(`any rows may be lost, wholly or but for their lots (BACKFILL_SEED=${seed})`, async () => {
  const command = fc.record({
    type: fc.constantFrom(...creditTypes),
    delta: fc.integer({ min: -30, max: 30 }).filter((delta) => delta !== 0),
    hours: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
    lost: fc.constantFrom('no', 'no', 'wholly', 'facts'),
  });
  const property = fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (commands) => {
    await freshTable();
    await keepHistory();
    setClock(start);
    const uuid = await newCustomer();
    const fates: string[] = [];
    for (const { type, delta, hours, lost } of commands) {
      const expiresAt = delta > 0 && hours !== undefined ? timestamp(start + hours * hour) : undefined;
      const change = { kind: 'increment' as const, delta, expiresAt };
      const done = await changeCredit(store, { uuid }, type, change, { by: 'test' }).catch(() => undefined);
      if (done) fates.push(lost);
    }
    await catchUp();
    const total = await days();
    for (const { pk, sk, kind: _, at, lots, ...facts } of await readHistory(store, uuid)) {
      const fate = fates[Number(sk) - 1];
      const none = Object.fromEntries(['kind', 'at', ...Object.keys(facts)].map((name) => [name, undefined]));
      if (fate === 'wholly') await write(remove({ pk, sk }));
      if (fate === 'facts') await write(update({ pk, sk }, { set: none }));
    }
    setClock(start + 25 * hour);

    await backfill(store, uuid);

    const { regularNet = 0, restrictedNet = 0 } = total;
    const last = (await changesOf(uuid)).at(-1);
    expect([last?.credit ?? 0, last?.restrictedCredit ?? 0]).toEqual([regularNet, restrictedNet]);
    expect(await faults()).toEqual([]);
  });
  const path = process.env.BACKFILL_PATH;
  await fc.assert(property, { seed, numRuns: runs, ...(path !== undefined && { path }) });
}, 300_000);
