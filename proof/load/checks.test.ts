import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { incrementCredit } from '../../lib/routes/credit.ts';
import { historyRows } from '../../test/support/history-rows.ts';
import { leastHeld, newAccount } from './account.ts';
import { deliveryFigures, memoryFaults, tableFaults } from './checks.ts';
import { send } from './client.ts';
import { creditActions } from './credit-actions.ts';
import { createLedger } from './ledger.ts';
import { createRecorder } from './recorder.ts';
import { makeResidents } from './residents.ts';
import { createTable } from './table.ts';
import { type Increment, unrepeatedFaults } from './unrepeated.ts';
import { act, createWorld } from './world.ts';

/** Shows that the checks of the load test find each kind of damage to a table, and each kind of false answer. */

const customer = '10ad10ad-0000-0000-0000-000000000001';
const counted = '10ad10ad-0000-0000-0000-000000000002';
const lot = {
  pk: `S#LOT#${customer}`,
  sk: 'regular#e#2027-01-01#l',
  amount: 7,
  remaining: 7,
  expiresAt: '2027-01-01',
  state: 'open',
};
const due = { creditDue: '2027-01-01', due: '2027-01-01', dues: 'CUSTOMER#DUE#?', creditVersion: 2 };

/** The history of permanent credit and a lot. */
const history = (uuid: string, permanent: number, inLot: number) =>
  historyRows('S', uuid, [
    { amount: permanent },
    { amount: inLot, lots: [{ id: 'l', amount: inLot, expiresAt: '2027-01-01' }] },
  ]);

/** An answered increment without a key: the minute in which it began, and the balance in its answer. */
const answered = (minute: number, credit: number | undefined, expiresAt?: string): Increment => ({
  ...{ expiresAt, credit },
  begun: minute * 60_000,
  ended: minute * 60_000 + 500,
});
const unanswered = (minute: number, expiresAt?: string): Increment => answered(minute, undefined, expiresAt);

/** A ledger, and the table that agrees with it. */
const example = () => {
  const ledger = createLedger();
  ledger.changed('PRODUCT', 'p', { price: 5 });
  ledger.changed('CATEGORY', 'c', {});
  ledger.changed('COUPON', 'k', {});
  ledger.members.set('c', new Set(['p']));
  ledger.applied.set(`${customer} store`, 'k');
  const account = ledger.account(customer, 'regular');
  Object.assign(account, { base: 50, added: 77, taken: 20 });
  account.lots.set(7, { generation: 0, expiresAt: '2027-01-01' });
  ledger.unrepeated.push(answered(1, 1), answered(2, 2), unanswered(3), answered(4, 1003, '2027-01-01'));
  ledger.changed('PRODUCT', 'limited', { price: 5 });
  ledger.stocks.set('limited', 3);
  const sold = { buyer: customer, recipient: counted, productId: 'limited', kept: 5, message: '', tookCredit: false };
  ledger.sales.set('s', { ...sold, state: 'completed', deliveryId: 'sd' });
  ledger.sales.set('r', { ...sold, state: 'refused', deliveryId: null });
  const items: Record<string, unknown>[] = [
    { pk: 'S#SALE', sk: 's', state: 'completed', deliveryId: 'sd', at: '2026-01-01T', paid: 7, change: 2 },
    { pk: 'S#SALE', sk: 'r', state: 'refused', deliveryId: null },
    { pk: `S#SALE#of#${customer}`, sk: 'time#s' },
    { pk: 'S#SPEND', sk: customer, sum: 5, totalOwned: 0 },
    { pk: 'S#SPEND', sk: counted, sum: 0, totalOwned: 1 },
    { pk: `S#OWNED#${counted}`, sk: 'limited', quantity: 1 },
    { pk: 'S#PRODUCT', sk: 'p', price: 5 },
    { pk: 'S#PRODUCT', sk: 'limited', price: 5, availableAmount: 2 },
    { pk: 'S#CATEGORY', sk: 'c', productCount: 1 },
    { pk: 'S#MEMBER#c', sk: 'p' },
    { pk: 'S#COUPON', sk: 'k', id: 'k', folded: 'code' },
    { pk: 'S#CODE', sk: 'code', id: 'k' },
    { pk: `S#APPLIED#${customer}`, sk: 'store', couponId: 'k' },
    { pk: 'S#CUSTOMER', sk: customer, credit: 107, creditUnlotted: 100, creditLots: 1, creditEpoch: 'e', ...due },
    { pk: 'S#CUSTOMER', sk: counted, credit: 1003, creditUnlotted: 3, creditLots: 1, creditEpoch: 'e', ...due },
    lot,
    { ...lot, pk: `S#LOT#${counted}`, amount: 1000, remaining: 1000 },
    ...history(customer, 100, 7).map((row) => ({ ...row })),
    ...history(counted, 3, 1000).map((row) => ({ ...row })),
    { pk: 'S#DAY', sk: '2026-01-01#00', creditAdded: 1110, regularNet: 1110, sales: 1, paid: 5 },
  ];
  return { ledger, items };
};

type Items = ReturnType<typeof example>['items'];

const faultsOf = (damage: (items: Items) => void): string[] => {
  const { ledger, items } = example();
  damage(items);
  const table = createTable('S');
  for (const item of items) table.add(item);
  // The ledger does not know in which shard of the index a due time is.
  return tableFaults(table, ledger, counted).filter((fault) => !fault.includes('the sweep looks for'));
};

const without = (pk: string) => (items: Items) => {
  items.splice(
    items.findIndex((item) => item.pk === pk),
    1,
  );
};
const change = (pk: string, fields: object) => (items: Items) => {
  Object.assign(items.find((item) => item.pk === pk) ?? {}, fields);
};
const more = (item: Record<string, unknown>) => (items: Items) => {
  items.push(item);
};

test('a table that agrees with the ledger has no faults', () => {
  expect(faultsOf(() => {})).toEqual([]);
});

const damages: [string, (items: Items) => void, RegExp][] = [
  ['a lost row', without('S#PRODUCT'), /PRODUCT p was acknowledged, but is not there/],
  ['a doubled row', more({ pk: 'S#PRODUCT', sk: 'p2' }), /PRODUCT p2 is there, but was never acknowledged/],
  ['a lost update', change('S#PRODUCT', { price: 4 }), /price is 4, but 5 was acknowledged/],
  ['a lost membership', without('S#MEMBER#c'), /MEMBER c p was acknowledged/],
  ['a wrong count', change('S#CATEGORY', { productCount: 2 }), /category c counts 2 products, but has 1/],
  ['a code without its coupon', change('S#CODE', { id: 'other' }), /CODE code of other is there/],
  ['a lost application', without(`S#APPLIED#${customer}`), /APPLIED .* was acknowledged/],
  ['a lost lot', without(`S#LOT#${customer}`), /lot of .* 7 was acknowledged/],
  ['a doubled lot', more({ ...lot, sk: `${lot.sk}2` }), /1 of lot of .* are there twice/],
  ['a lost lot without a key', without(`S#LOT#${counted}`), /lot without a key 2027-01-01 was acknowledged/],
  ['a lost sale', without('S#SALE'), /sale s completed sd was acknowledged, but is not there/],
  [
    'a doubled sale',
    more({ pk: 'S#SALE', sk: 't', state: 'completed', at: '2026-01-01T', paid: 0, change: 0 }),
    /sale t completed undefined is there/,
  ],
  ['a sale that got another end', change('S#SALE', { state: 'refused' }), /sale s refused sd is there/],
  ['spend that counts twice', change('S#SPEND', { sum: 10 }), /spend .*: 10 for 0 is there/],
  ['a product that was not handed over', without(`S#OWNED#${counted}`), /owned product .* limited 1 was acknowledged/],
  [
    'a copy that was sold twice',
    (items) => Object.assign(items.find((item) => item.availableAmount === 2) ?? {}, { availableAmount: 1 }),
    /1 of 3 copies of limited .* 1 are left/,
  ],
  ['a lost change', without(`S#HISTORY#${customer}#regular`), /the change 2 ends with 107 and 0, but 7 and 0 follow/],
  ['a change that counted twice', change('S#DAY', { creditAdded: 1117 }), /creditAdded is 1117, but 1110 was recorded/],
  ['a doubled increment', change('S#CUSTOMER', { credit: 207, creditUnlotted: 200 }), /is 207, not 107/],
];

test.each(damages)('%s is found', (_, damage, fault) => {
  expect(faultsOf(damage).join('\n')).toMatch(fault);
});

const [a, b, c] = ['2100-01-01', '2100-01-02', '2100-01-03'] as const;

const unrepeated: [string, number, string[], Increment[], string[]][] = [
  ['every increment was answered', 1002, [a], [answered(1, 1), answered(2, 1001, a), answered(3, 1002)], []],
  [
    'every unanswered increment was done',
    2002,
    [a, b],
    [answered(1, 1), unanswered(2), unanswered(2, a), answered(2, 2002, b)],
    [],
  ],
  [
    'no unanswered increment was done',
    1001,
    [b],
    [answered(1, 1), unanswered(2), unanswered(2, a), answered(2, 1001, b)],
    [],
  ],
  ['an unanswered increment was done a minute later', 2, [], [unanswered(1), answered(1, 1)], []],
  [
    'an acknowledged lot is lost, and an unanswered one is there',
    2000,
    [a, c],
    [answered(1, 1000, a), answered(2, 2000, b), unanswered(2, c)],
    ['lot without a key 2100-01-02 was acknowledged, but is not there'],
  ],
  ['a lot is there twice', 1000, [a, a], [answered(1, 1000, a)], ['1 of lot without a key are there twice']],
  [
    'a lot is there whose request was refused',
    1000,
    [a, b],
    [answered(1, 1000, a)],
    ['lot without a key 2100-01-02 is there, but was never acknowledged'],
  ],
  [
    'one is lost, and an unanswered one was done',
    2,
    [],
    [answered(1, 1), answered(1, 1), unanswered(1)],
    ['increments that came to 1 and 1 have one place: one is lost'],
  ],
  [
    'the last is lost',
    1,
    [],
    [answered(1, 1), answered(2, 2)],
    ['an increment came to 2, but the balance is 1: it is lost'],
  ],
  [
    'one is doubled, and an unanswered one from long before was not done',
    3,
    [],
    [unanswered(1), answered(5, 1), answered(6, 3)],
    ['between the balances of 1 and 3 there is more than was sent: one is doubled'],
  ],
  [
    'the last is doubled',
    2,
    [],
    [answered(1, 1)],
    ['between the balances of 1 and 2 there is more than was sent: one is doubled'],
  ],
];

test.each(unrepeated)('increments without a key: %s', (_, balance, lots, increments, faults) => {
  expect(unrepeatedFaults(balance, lots, increments)).toEqual(faults);
});

test('finds a lost delivery, one that was given twice, and an outdated record', () => {
  const { ledger } = example();
  ledger.deliveries.set('a', { attempts: 1 });
  ledger.deliveries.set('b', { attempts: 1 });
  const gift = { deliveryId: 'd', recipient: '', item: '', message: 'a', time: '', attempts: 1 };
  const table = createTable('S');
  table.add({ pk: 'S#DELIVERY', sk: 'd', state: 'queued' });

  const { faults } = deliveryFigures(table, ledger, [gift, gift]);

  expect(faults).toEqual([
    'delivery b was acknowledged, but is not there',
    'delivery a was ordered in 1 attempts, but given 2 times',
    '1 gifts were given twice under one delivery id',
    'delivery d was given, but its record says queued',
  ]);
});

test('finds a delivery that was given more often than it was ordered', () => {
  const { ledger } = example();
  ledger.deliveries.set('a', { attempts: 2 });
  const giftOf = (deliveryId: string) => ({ deliveryId, recipient: '', item: '', message: 'a', time: '', attempts: 1 });
  const table = createTable('S');
  for (const sk of ['1', '2', '3']) table.add({ pk: 'S#DELIVERY', sk, state: 'delivered' });

  const { faults } = deliveryFigures(table, ledger, ['1', '2', '3'].map(giftOf));

  expect(faults).toEqual(['delivery a was ordered in 2 attempts, but given 3 times']);
});

test('finds growing memory, and a run that is too short to compare', () => {
  const faultsOfMemory = (seconds: number, early: [number, number], late: [number, number]) =>
    memoryFaults({
      seconds,
      early: { rss: early[0], heapUsed: early[1] },
      late: { rss: late[0], heapUsed: late[1] },
    });

  expect(faultsOfMemory(900, [400, 36], [500, 38])).toEqual([]);
  expect(faultsOfMemory(900, [400, 36], [418, 46])).toEqual(['the heap grew from 36 MB to 46 MB']);
  expect(faultsOfMemory(900, [400, 36], [501, 36])).toEqual(['the process grew from 400 MB to 501 MB']);
  expect(faultsOfMemory(60, [204, 36], [276, 36])).toEqual([]);
  expect(faultsOfMemory(60, [204, 36], [356, 36])).toEqual(['the process grew from 204 MB to 356 MB']);
  expect(faultsOfMemory(9, [400, 0], [418, 36])).toEqual(['9 s are too short a life to compare memory in']);
});

/** A service that gives these answers, the last one from then on. */
const startAnswering = async (...answers: [number, object][]) => {
  const server = createServer((request, response) => {
    const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) as [number, object];
    request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const recorder = createRecorder(1);
  const ledger = createLedger();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { service: { baseUrl, key: '', ledger, ...recorder }, recorder, ledger, server };
};

test('finds each kind of false 400 of a credit action', async () => {
  const { service, ledger, server } = await startAnswering([400, { detail: 'No.' }]);
  const residents = makeResidents(3);
  const [one, hot, counted] = residents as [(typeof residents)[0], (typeof residents)[0], (typeof residents)[0]];
  for (const { uuid } of residents)
    for (const type of ['regular', 'restricted'] as const) ledger.account(uuid, type).base = 1000;
  const world = createWorld(0, 1, {
    service,
    customers: [one],
    hot: [hot],
    counted,
    shared: [],
    limited: [],
    webhooks: [],
  });

  const found = new Set<string>();
  for (let count = 0; count < 100; count++) {
    await act(world, creditActions.slice(0, 3));
    for (const fault of ledger.faults.splice(0)) found.add(fault.replaceAll(/\d{4}-\S+Z|(?<!load)\d+/g, 'N'));
  }
  server.close();

  const refusals = [one, hot].flatMap(({ username }) => [
    `N for ${username} until N was refused before that: No.`,
    `N of ${username}, who held N at least, were refused: No.`,
  ]);
  expect([...found].filter((fault) => !fault.includes('instead of')).sort()).toEqual(
    [...refusals, `a balance of N for ${one.username} until N was refused before that: No.`].sort(),
  );
  expect([...found].some((fault) => fault.includes('N instead of N or N or N'))).toBe(true);
});

test('the lower bound of a balance leaves out credit that may have expired or been taken', () => {
  const account = { ...newAccount(), base: 500, added: 400, taken: 30, taking: 7, generation: 1 };
  account.lots.set(200, { generation: 1, expiresAt: '2027-01-01' });
  account.lots.set(100, { generation: 0, expiresAt: '2027-01-01' });

  expect(leastHeld(account, 900, '2026-12-31')).toBe(863);
  expect(leastHeld(account, 900, '2027-01-01')).toBe(663);
  expect(leastHeld(account, 500, '2027-01-01')).toBe(263);
});

test('the report has the longest row of refusals of one request, and the longest wait', async () => {
  const { service, recorder, ledger, server } = await startAnswering(
    [503, {}],
    [500, {}],
    [503, {}],
    [503, {}],
    [400, {}],
  );

  await send(service, incrementCredit, { params: { identifier: 'a' }, body: { delta: 1 }, expect: [400] });
  server.close();

  const { worst } = recorder.summary();
  expect(ledger.faults).toEqual([]);
  expect(worst.refusalsInARow).toEqual({ count: 2, endpoint: incrementCredit.id });
  expect(worst.wait).toMatchObject({ endpoint: incrementCredit.id, heard: { 400: 1, 500: 1, 503: 3 } });
  expect(worst.wait.seconds).toBeGreaterThan(1);
});
