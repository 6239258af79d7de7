import { beforeAll, expect, test } from 'vitest';
import { now, timestamp } from '../../../../lib/clock.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { historyKey } from '../../../../lib/credit/history.ts';
import { newLot } from '../../../../lib/credit/lot.ts';
import { auditHistories } from '../../../../lib/operator/audit-history.ts';
import { repairCredit } from '../../../../lib/operator/repair-credit.ts';
import { customerKey, residentKey } from '../../../../lib/table/keys.ts';
import { update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { add, change, store, sweep } from '../../../../test/lib/credit/credit.ts';
import { customerWithLots, newCustomer } from '../../../../test/support/credit-seed.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { historyRows } from '../../../../test/support/history-rows.ts';
import { putAll } from '../../../../test/support/seed.ts';
import { idOf } from '../../../../test/support/seeded-store.ts';
import { freshTable, setClock, wholeTable } from '../../../../test/support/service.ts';
import { checkCredit } from '../../kinds/credit.ts';
import { checkHistory } from '../../kinds/history.ts';
import { checkNames } from '../../kinds/residents.ts';

const start = Date.parse('2028-02-29T12:00:00.000Z');
const at = (seconds: number): number => start + 1000 * seconds;

const addRestricted = (who: string, delta: number, expiresAt: number) =>
  changeCredit(
    store,
    { uuid: who },
    'restricted',
    { kind: 'increment', delta, expiresAt: timestamp(expiresAt) },
    { by: 'test' },
  );

const listenerOf = (faults: string[]) => ({ onFault: (fault: string) => void faults.push(fault), onChecked: () => {} });

type Item = Record<string, unknown> & { pk: string; sk: string };

let uuid: string;
let items: Item[];

/**
 * Changes of every kind: of lots and of permanent credit, a set of more lots than a transaction holds, and two
 * expiries.
 */
beforeAll(async () => {
  await freshTable();
  await keepHistory();
  setClock(start);
  const [busy, other] = [await newCustomer(), await newCustomer()];
  for (const who of [busy, other]) {
    await add(who, 50);
    await add(who, 30, at(60));
    await add(who, 20, at(30));
    await addRestricted(who, 7, at(90));
    await add(who, -25);
    setClock(start + 60_000);
    await add(who, 5);
    await change(who, { kind: 'set', credit: 40, expiresAt: timestamp(at(900)) });
    await add(who, -3);
    setClock(start + 90_000);
    await sweep();
    setClock(start);
  }
  for (let lot = 0; lot < 120; lot++) await add(busy, 1, at(200 + lot));
  await change(busy, { kind: 'set', credit: 9 });
  uuid = other;
  await catchUp();
  items = (await wholeTable()) as Item[];
});

test('finds no fault in the history of changes of every kind', () => {
  const rows = items.filter(({ pk, kind }) => pk.startsWith(`${store}#HISTORY`) && kind);

  expect(rows.length).toBeGreaterThan(130);
  expect(auditHistories(items)).toEqual([]);
});

/** The faults after one item is replaced or removed. */
const faultsWith = (key: { pk: string; sk: string }, replace: (item: Item) => Item | undefined): string[] => {
  const isIt = ({ pk, sk }: Item): boolean => pk === key.pk && sk === key.sk;
  expect(items.some(isIt)).toBe(true);
  return auditHistories(items.flatMap((item) => (isIt(item) ? (replace(item) ?? []) : item)));
};
const row = (sequence: number, type: 'regular' | 'restricted' = 'regular') => historyKey(store, uuid, type, sequence);
const customer = () => customerKey(store, uuid);
const lacks = (changes: string): string => `history lacks the changes ${changes}`;

test.each<[string, () => string[], string]>([
  ['the first row', () => faultsWith(row(1), () => undefined), 'the change 2 ends with 80 and 0, but 30 and 0'],
  ['a row between others', () => faultsWith(row(4, 'restricted'), () => undefined), lacks('4 of 9')],
  ['the last row', () => faultsWith(row(9, 'restricted'), () => undefined), lacks('9 of 9')],
  ['a row that only lots told of', () => faultsWith(row(2), ({ kind: _, ...rest }) => rest), lacks('2 of 9')],
  ['a version', () => faultsWith(customer(), (item) => ({ ...item, creditVersion: 10 })), lacks('10 of 10')],
  [
    'a version that is behind',
    () => faultsWith(customer(), (item) => ({ ...item, creditVersion: 8 })),
    'history has the change 9, beyond the last, 8',
  ],
  [
    'a row of another number',
    () => faultsWith(row(3), (item) => ({ ...item, sk: row(2).sk })),
    'history has the change 2 twice',
  ],
  [
    'a balance',
    () => faultsWith(customer(), (item) => ({ ...item, credit: 38 })),
    'history ends with 37 and 0, not 38 and 0',
  ],
  [
    'an amount',
    () => faultsWith(row(5), (item) => ({ ...item, amount: -24 })),
    'the change 5 ends with 75 and 7, but 76 and 7 follow',
  ],
  [
    'an expired amount',
    () => faultsWith(row(6), (item) => ({ ...item, expired: 0 })),
    'the change 6 ends with 55 and 7, but 80 and 7 follow',
  ],
  [
    'the other balance',
    () => faultsWith(row(2), (item) => ({ ...item, restrictedCredit: 1 })),
    'the change 2 ends with 80 and 1, but 80 and 0 follow',
  ],
  ['a fraction', () => faultsWith(row(2), (item) => ({ ...item, amount: 0.5 })), 'has the amounts 0.5, 0, 80, 0'],
  ['a part of a lot', () => faultsWith(row(2), (item) => ({ ...item, lots: [] })), 'the change 2 come to 0, not 30'],
  [
    'permanent credit',
    () => faultsWith(row(1), (item) => ({ ...item, unlotted: 49 })),
    'the parts of the change 1 come to 49, not 50',
  ],
  [
    'the order of parts',
    () => faultsWith(row(5), (item) => ({ ...item, lots: (item.lots as object[]).toReversed() })),
    'the parts of the change 5 are not in order',
  ],
  [
    'a rest of parts that are not there',
    () => faultsWith(row(5), (item) => ({ ...item, lastExpiresAt: timestamp(at(60)) })),
    'the change 5 has 2 parts, and more up to',
  ],
  [
    'the lot of a part',
    () =>
      faultsWith(row(7), (item) => ({
        ...item,
        lots: (item.lots as object[]).map((part, index) => (index === 0 ? { ...part, id: 'another' } : part)),
      })),
    'the changes of the lot another come to',
  ],
  [
    'both kinds of a part',
    () => faultsWith(row(2), (item) => ({ ...item, lots: [], unlotted: 30 })),
    'regular: the changes of permanent credit come to',
  ],
])('finds the fault in %s', (_, faults, expected) => {
  expect(faults()).toContainEqual(expect.stringContaining(`customer ${uuid}: `));
  expect(faults().join('\n')).toContain(expected);
});

test('says of credit without history that the backfill opens one', () => {
  const withoutHistory = items
    .filter(({ pk }) => !pk.includes('#HISTORY#'))
    .map(({ lastChange: _, ...item }) => item as Item);

  expect(auditHistories(withoutHistory)).toContain(
    `customer ${uuid}: the credit is older than history: run store credit backfill.`,
  );
});

test('takes a repair for the end of what was wrong before it, and waits for a change that was made just now', async () => {
  const who = await newCustomer();
  await add(who, 50, at(500));
  await write(update(customerKey(store, who), { set: { credit: 70 } }));
  await repairCredit(store, who, { at: timestamp(now()), by: 'operator' }, () => {});
  await add(who, -20);
  const faults: string[] = [];

  setTimeout(catchUp, 100);
  await checkHistory(store, listenerOf(faults));

  expect(faults).toEqual([]);
});

test('waits for the parts of a set of 120 lots while they are still to be marked, and for no others', async () => {
  const lots = Array.from({ length: 120 }, (_, lot) => ({ amount: 2, expiresAt: timestamp(at(100 + lot)) }));
  const who = await customerWithLots(store, lots, 5);
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'UpdateItem' && JSON.stringify(input).includes('#LOT#'))
      throw new Error('The function has died.');
    return send();
  });
  await change(who, { kind: 'set', credit: 9 });
  await catchUp();
  const faultsNow = async (): Promise<string[]> =>
    auditHistories(await wholeTable()).filter((fault) => fault.includes(who));

  const settling = await faultsNow();
  await write(update(customerKey(store, who), { set: { pending: undefined } }));
  const never = await faultsNow();
  stop();

  expect(settling).toEqual([]);
  expect(never).toEqual([`customer ${who}: the parts of the change 2 come to 4, not -236.`]);
});

test('makes a call for each long history that is in order, and none for each customer, name or short history', async () => {
  const known = 'known';
  const count = 40;
  const uuids = Array.from({ length: count }, (_, number) => idOf(number));
  const changesOf = (number: number): number => (number < 3 ? 9 : number % 3);
  await putAll(
    uuids.flatMap((id, number) => [
      { ...residentKey(id), uuid: id, username: 'known.well', names: ['known.well'] },
      {
        ...customerKey(known, id),
        ...{ username: 'known.well', credit: 5 * changesOf(number), creditUnlotted: 5 * changesOf(number) },
        creditVersion: changesOf(number),
      },
      ...historyRows(known, id, Array(changesOf(number)).fill({ amount: 5 })),
    ]),
  );
  const faults: string[] = [];
  let calls = 0;
  const stop = intercept((_, send) => {
    calls += 1;
    return send();
  });
  const callsOf = async (check: typeof checkCredit): Promise<number> => {
    calls = 0;
    expect(await check(known, listenerOf(faults))).toBe(count);
    return calls;
  };

  const made = [await callsOf(checkCredit), await callsOf(checkHistory), await callsOf(checkNames)];
  stop();

  expect(faults).toEqual([]);
  // A scan and a page of customers. Beside them the short histories together, and two types of each of the three long
  // ones. For names a page of customers, their residents, and the lists of coupons and cards.
  expect(made).toEqual([2, 3 + 3 * 2, 4]);
});

test('finds the lot and the row of history of a customer whose item tells of neither', async () => {
  const half = 'half';
  const expiresAt = timestamp(at(900));
  const lot = newLot(half, uuid, 'regular', 'epoch', { amount: 7, expiresAt }, { at: timestamp(start), by: 'test' }, 0);
  const [first, , third] = historyRows(half, uuid, [{ amount: 0 }, { amount: 0 }, { amount: 0 }]) as object[];
  const item = { ...customerKey(half, uuid), username: 'half.restored', creditVersion: 1 };
  await putAll([item, lot, first, third].filter((each) => each !== undefined));
  const faults: string[] = [];

  await checkCredit(half, listenerOf(faults));
  await checkHistory(half, listenerOf(faults));

  expect(faults).toContain(`customer ${uuid}: regular: 0 open lots are counted, 1 are there.`);
  expect(faults).toContain(`customer ${uuid}: history lacks the changes 2 of 1.`);
});
