import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Resident } from '../../../../lib/avatars/residents.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { timestamp } from '../../../../lib/clock.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { claimPayout } from '../../../../lib/payout/claim.ts';
import { findPayee, movedBy, newPayee } from '../../../../lib/payout/payees.ts';
import { findPayout, payoutsList } from '../../../../lib/payout/payouts.ts';
import { reportPayout } from '../../../../lib/payout/settle.ts';
import type { PayoutReport } from '../../../../lib/routes/payouts.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { reportChange } from '../../../../lib/sale/report-change.ts';
import { sell } from '../../../../lib/sale/sell.ts';
import { payeeKey, sharedKey } from '../../../../lib/table/keys.ts';
import { put, update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { doAt } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const start = Date.parse('2027-05-10T12:00:00.000Z');
const minute = 60_000;
const dir = tempDir();
let store: string;
let product: string;
let buyer: Resident;
let payee: Resident;
const service = await startForCli({ demo: false });
beforeEach(async () => {
  [buyer, payee] = [await newResident(), await newResident()];
  store = (await createStore(`Till ${randomUUID()}`)).id;
  product = (await createProduct(store, productWith({ name: 'Lamp', item: 'Lamp', price: 100 }))).id;
  await write(update(sharedKey('STORE', store), { set: { payoutsBegunAt: timestamp(start) } }));
  await write(put(movedBy(newPayee(payeeKey(store, payee.uuid), payee.username), { owed: 500 }, timestamp(start))));
});

/** Does something this many minutes after the start. */
const at = <T>(minutes: number, work: () => Promise<T>): Promise<T> => doAt(timestamp(start + minutes * minute), work);

const sellAt = (minutes: number, paid = 100, { uuid } = buyer) =>
  at(minutes, async () => {
    const parties = { productId: product, buyerIdentifier: { uuid }, useCredit: false };
    return (await sell(store, { id: randomUUID(), ...parties, paid, message: '' }, { by: 'test' })).id;
  });

const payAt = (minutes: number, limit: number, report?: PayoutReport): Promise<string> =>
  at(minutes, async () => {
    const id = (await claimPayout(store, { minimum: 1, hold: 0, limit }, 'key')).payout?.id ?? '';
    if (report) await reportPayout(store, id, report, 'key');
    return id;
  });

type Row = [minutes: number, who: string, amount: number, id?: string, text?: string];

/** Writes a history with these rows, the newest first, as web sites do. */
const history = (
  rows: readonly Row[],
  header = 'Date,Transaction ID,Description,Resident,Deposit,Withdrawal',
): string => {
  const path = join(dir, `${randomUUID()}.csv`);
  const lines = rows.toReversed().map(([minutes, who, amount, id = randomUUID(), text = 'Payment']) => {
    const when = timestamp(start + minutes * minute)
      .slice(0, 19)
      .replace('T', ' ');
    return [when, id, text, who, amount > 0 ? amount : '', amount < 0 ? -amount : ''].join();
  });
  writeFileSync(path, [header, ...lines, ''].join('\n'));
  return path;
};

const run = (file: string, ...args: string[]) =>
  service.run('reconcile', file, '--store', store, '--zone', 'UTC', ...args);
const found = async (file: string, ...args: string[]) => {
  const { code, rows } = await run(file, '--json', ...args);
  return { code, rows: rows.map(({ difference, who, amount, about, id }) => [difference, who, amount, about ?? id]) };
};

test('finds no difference where each sale, change, refund and payout has its transfer', async () => {
  await sellAt(0, 130);
  const refunded = await sellAt(5);
  await at(6, () => refundSale(store, refunded, { by: 'test' }));
  await sellAt(7, 40);
  const tx = randomUUID();
  await payAt(8, 60, { result: 'paid', transactionId: tx });
  await payAt(9, 70, { result: 'paid' });
  const rows: Row[] = [
    [0, buyer.username, 130],
    [1, buyer.username, -30],
    [5, buyer.username, 100],
    [7, buyer.username, 40],
    [7, buyer.username, -40],
    [10, payee.uuid, -60, tx],
    [11, payee.username, -70],
    [90, buyer.username, -100],
  ];

  const { code, stderr } = await run(history(rows));

  expect(stderr).toContain('paid and not sold: 0');
  expect([code, stderr]).toEqual([0, expect.stringContaining('Compared 8 rows from 2027-05-10 12:00Z')]);
});

test('takes the transaction of change that was paid as what it is, however late, and no other one of that sum', async () => {
  const sale = await sellAt(0, 130);
  const transactionId = randomUUID();
  await at(9000, () => reportChange(store, sale, { transactionId, amount: 30 }));
  const again = randomUUID();

  const { code, rows } = await found(
    history([
      [0, buyer.username, 130],
      [5, buyer.username, -30, again, 'Again'],
      [9000, buyer.username, -30, transactionId],
    ]),
  );

  expect([code, rows]).toEqual([1, [['given and not owed', buyer.username, 30, 'Again']]]);
});

test('tells what was paid and not sold, sold and not paid, marked as paid and not given, and given and not owed', async () => {
  const invented = await sellAt(10);
  const untrue = await payAt(11, 50, { result: 'paid' });
  const failed = await payAt(12, 20, { result: 'failed' });
  const rows: Row[] = [
    [0, 'Some Stranger', 99],
    [13, payee.username, -20],
    [20, 'Linden Lab', -5],
    [40, buyer.username, -7],
  ];
  const file = history(rows);

  const all = await found(file);
  const ignoring = await found(file, '--ignore', 'linden lab', '--ignore', 'Some Stranger');

  const differences = [
    ['paid and not sold', 'Some Stranger', 99, 'Payment'],
    ['given and not owed', payee.username, 20, `payout ${failed}, which counts as failed`],
    ['given and not owed', buyer.username, 7, 'Payment'],
    ['sold and not paid', buyer.username, 100, `sale ${invented}`],
    ['sold and not paid', payee.username, 50, `payout ${untrue}, which counts as paid`],
  ];
  expect(all.code).toBe(1);
  expect(all.rows).toHaveLength(6);
  expect(all.rows).toEqual(
    expect.arrayContaining([...differences, ['given and not owed', 'Linden Lab', 5, 'Payment']]),
  );
  expect(ignoring.code).toBe(1);
  expect(ignoring.rows).toHaveLength(4);
});

test('a payment that went back whole within two days is no difference, and any other stays one', async () => {
  const day = 24 * 60;
  const failed = await payAt(0, 20, { result: 'failed' });
  const rows: Row[] = [
    [1, 'Some Stranger', 99],
    [2, 'Some Stranger', 99],
    [30, 'Some Stranger', -99],
    // Another avatar, another amount, before the payment, too late, and a payout that counts as failed.
    [31, buyer.username, -99],
    [32, 'Some Stranger', -98],
    [40, buyer.username, -7],
    [50, buyer.username, 7],
    [60, buyer.username, 8],
    [61 + 2 * day, buyer.username, -8],
    [-1, payee.username, 20],
    [3, payee.username, -20],
  ];
  const file = history(rows);

  const { rows: differences } = await found(file);
  const { stderr } = await run(file);

  expect(differences.map(([difference, who, amount]) => [difference, who, amount]).sort()).toEqual(
    [
      ['paid and not sold', 'Some Stranger', 99],
      ['given and not owed', buyer.username, 99],
      ['given and not owed', 'Some Stranger', 98],
      ['given and not owed', buyer.username, 7],
      ['paid and not sold', buyer.username, 7],
      ['paid and not sold', buyer.username, 8],
      ['given and not owed', buyer.username, 8],
      ['paid and not sold', payee.username, 20],
      ['given and not owed', payee.username, 20],
    ].sort(),
  );
  expect(differences.some(([, , , about]) => about === `payout ${failed}, which counts as failed`)).toBe(true);
  expect(stderr).toContain('1 payment went back whole to the payer');
});

test('a transfer of a payout that came twice is given and not owed, once', async () => {
  await payAt(0, 60, { result: 'paid' });

  const { code, rows } = await found(
    history([
      [1, payee.username, -60],
      [2, payee.username, -60],
    ]),
  );

  expect([code, rows.map(([difference]) => difference)]).toEqual([1, ['given and not owed']]);
});

test('settles an unknown payout that one transfer fits, by its id or by avatar, amount and 15 minutes, and no other', async () => {
  const tx = randomUUID();
  const byId = await payAt(0, 10, { result: 'unknown', transactionId: tx });
  const byTime = await payAt(1, 20, { result: 'unknown' });
  const late = await payAt(2, 30, { result: 'unknown' });
  const twice = await payAt(3, 40, { result: 'unknown' });
  const file = history([
    [8 * 60, payee.username, -10, tx],
    [4, payee.username, -20],
    [2 + 16, payee.username, -30],
    [4, payee.username, -40],
    [5, payee.username, -40],
  ]);

  const before = await found(file);
  const { stderr } = await run(file, '--settle');
  const again = await found(file);

  const known = before.rows.filter(([difference]) => difference === 'unknown that is known now');
  expect(known.map(([, , , id]) => id).sort()).toEqual([byId, byTime].sort());
  expect(stderr).toContain(`may be the payout ${twice}`);
  expect(stderr).toContain('Settled 2 payouts as paid.');
  const states = [byId, byTime, late, twice].map(async (id) => (await findPayout(store, id))?.state);
  expect(await Promise.all(states)).toEqual(['paid', 'paid', 'unknown', 'unknown']);
  expect((await findPayout(store, byId))?.transactionId).toBe(tx);
  expect(again.rows.filter(([difference]) => difference === 'unknown that is known now')).toEqual([]);
  const log = (await service.run('log', '--store', store, '--json')).rows;
  expect(log.filter(({ details }) => details.by === 'reconcile')).toHaveLength(2);
});

test('books what a restored table has lost, once, and only where as much is owed', async () => {
  const tx = randomUUID();
  const file = history([
    [0, payee.username, -120, tx],
    [5, payee.username, -900],
    [6, buyer.username, -5],
  ]);

  const first = await run(file, '--book');
  const second = await run(file, '--book');

  expect(first.stderr).toContain('Booked 1 transfer as paid.');
  expect(second.stderr).toContain('Booked 0 transfers as paid.');
  expect([first.code, second.code]).toEqual([1, 1]);
  expect(await findPayee(store, payee.uuid)).toMatchObject({ owed: 380, paid: 120 });
  const [booked] = await (await payoutsList(store, { state: 'paid' })).source({ descending: false });
  expect(booked).toMatchObject({ amount: 120, transactionId: tx, reference: 'reconcile', createdAt: timestamp(start) });
});

const account = async ({ uuid } = payee) => {
  const { owed, paid } = (await findPayee(store, uuid)) ?? { owed: 0, paid: 0 };
  return { owed, paid };
};

test('tells of change and a refund of a sale that the restored table has lost, and books them only by name', async () => {
  await sellAt(0, 100, payee);
  const day = 24 * 60;
  // The newest row stands in line 2.
  const file = history([
    [0, payee.uuid, 100],
    [10, payee.username, 150],
    [10, payee.username, -50],
    [3 * day, payee.username, -100],
  ]);

  const first = await run(file, '--book');
  const before = await account();
  const named = await run(file, '--book', '--book-line', `${file}:2`);
  const unknown = await run(file, '--book-line', `${file}:5`);

  expect([first.code, before]).toEqual([1, { owed: 500, paid: 0 }]);
  expect(first.stderr).toContain('Booked 0 transfers as paid.');
  expect(first.stderr).toContain('given and not owed: 2');
  for (const line of [2, 3])
    expect(first.stderr).toContain(
      `${file}:${line} may be change or a refund of the L$ 150 in ${file}:4, for which the books have no sale`,
    );
  expect(named.stderr).toContain('Booked 1 transfer as paid.');
  expect(named.stderr).toContain('given and not owed: 1');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('is no transfer that could be booked')]);
  expect(await account()).toEqual({ owed: 400, paid: 100 });
});

test.each<[string, Row[]]>([
  ['that only a smaller payment came before', [[-1, 'payee', 499]]],
  ['that the payment came after', [[1, 'payee', 900]]],
  ['that another avatar has paid', [[-1, 'buyer', 900]]],
  ['that its text calls a payout', [[-1, 'payee', 900]]],
])('books a true payout of all that is owed, %s, once, also from a second file', async (why, others) => {
  const names: Record<string, string> = { payee: payee.username, buyer: buyer.username };
  const payout: Row = [0, payee.username, -500, randomUUID(), why.includes('text') ? 'Payout of May' : 'Payment'];
  const rows: Row[] = [payout, ...others.map(([minutes, who, amount]): Row => [minutes, names[who] ?? '', amount])];

  const first = await run(history(rows), '--book');
  const second = await run(history([...rows, [5, 'Linden Lab', -5]]), '--book');

  expect(first.stderr).toContain('Booked 1 transfer as paid.');
  expect(second.stderr).toContain('Booked 0 transfers as paid.');
  expect(await account()).toEqual({ owed: 0, paid: 500 });
});

test('a payout that its text names gives no payment back, even one of the same amount', async () => {
  const { stderr } = await run(
    history([
      [0, payee.username, 120],
      [1, payee.username, -120, randomUUID(), 'Payout'],
    ]),
    '--book',
  );

  expect(stderr).toContain('Booked 1 transfer as paid.');
  expect(await account()).toEqual({ owed: 380, paid: 120 });
});

test('reads other columns by --map, other forms of amounts, and rows that stand in two files once', async () => {
  await sellAt(0, 1200);
  const path = join(dir, 'other.csv');
  const row = `2027-05-10T12:00:30Z;${buyer.uuid};"L$ 1,200";same`;
  writeFileSync(path, `When;Avatar;Sum;Key\n${row}\n`);
  const maps = ['When=at', 'Avatar=who', 'Sum=amount', '#4=id'].flatMap((map) => ['--map', map]);

  const both = await service.run('reconcile', path, path, '--store', store, ...maps);

  expect(both.stderr).toContain('1 row stand there twice, by their ids.');
  // The change was not given.
  expect([both.code, both.stdout]).toEqual([0, '']);
});

const gridHeader = 'id,Type,Description,Debit,Credit,Time,Resident/Group,Ending Balance,Region,Order ID';

type GridRow = [minutes: number, who: string, amount: number, type?: string, order?: string];

/** The file that the grid's web site saves, the newest row first. */
const gridFile = (rows: readonly GridRow[], header = gridHeader): string => {
  const path = join(dir, `SL-transactions-${randomUUID()}.csv`);
  const lines = rows.toReversed().map(([minutes, who, amount, type = 'Object Sale', order = '']) => {
    const when = timestamp(start + minutes * minute)
      .slice(0, 19)
      .replace('T', ' ');
    const [debit, credit] = [Math.max(-amount, 0), Math.max(amount, 0)];
    return [randomUUID(), type, 'Oak chair', debit, credit, when, who, 1250, 'Harbour', order].join();
  });
  writeFileSync(path, [header, ...lines, ''].join('\r\n'));
  return path;
};

test('reads the grid’s own file as it is saved: debits went out, and the description tells what it was', async () => {
  await sellAt(0, 130);
  const path = gridFile([
    [0, buyer.username, 130],
    [1, buyer.username, -30],
    [2, 'Some Group', 250],
    [3, '', -10, 'Upload Fee'],
  ]);

  const { code, rows } = await run(path, '--json');
  const shown = await run(path);

  const told = rows.map(({ difference, who, amount, about, type }) => [difference, who, amount, about, type]);
  expect([code, told]).toEqual([
    1,
    [
      ['given and not owed', '', 10, 'Oak chair', 'Upload Fee'],
      ['paid and not sold', 'Some Group', 250, 'Oak chair', 'Object Sale'],
    ],
  ]);
  expect(shown.stderr).toContain('These differences by type: Upload Fee 1, Object Sale 1. Leave out');
});

test('leaves out by type and by order what is no business of the store, and counts it', async () => {
  await sellAt(0);
  const path = gridFile([
    [0, buyer.username, 100],
    // One that would pass for the sale, were it not left out.
    [1, buyer.username, 100, 'Marketplace Sale', '123456789'],
    ...Array.from({ length: 20 }, (_, at): GridRow => [at, `buyer${at}`, 475, 'Marketplace Sale', `12345${at}`]),
    [30, '', -10, 'Upload Fee'],
    [31, '', -24, 'Marketplace Commission', '123456789'],
    [32, 'Rita Landlady', -500, 'Rent'],
  ]);

  const byOrder = await run(path, '--ignore-orders', '--ignore-type', 'upload fee', '--ignore', 'rita.landlady');
  const types = ['Marketplace Sale', 'Marketplace Commission', 'Upload Fee', 'Rent', 'Lottery'];
  const byType = await run(path, ...types.flatMap((type) => ['--ignore-type', type]));
  const unknown = await run(history([[0, buyer.username, 100]]), '--ignore-orders', '--ignore-type', 'Rent');

  expect(byOrder.code).toBe(0);
  expect(byOrder.stderr).toContain('Left out: 22 rows of an order on the marketplace.');
  expect(byOrder.stderr).toContain('Left out: 1 row of the type Upload Fee.');
  expect(byOrder.stderr).toContain('Left out: 1 row in no book of avatars behind --ignore.');
  expect(byType.code).toBe(0);
  expect(byType.stderr).toContain('Left out: 21 rows of the type Marketplace Sale.');
  expect(byType.stderr).toContain('There is no row of the type Lottery. There are: Rent, Marketplace Commission,');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('which column is type; order')]);
});

test('a row of the hour that comes twice counts as either, and a time that never comes is told', async () => {
  const hour = (text: string): number => (Date.parse(text) - start) / minute;
  await sellAt(hour('2027-11-07T08:30:00Z'));
  await sellAt(hour('2027-11-07T09:30:00Z'), 100, payee);
  // Wall clocks of Second Life: both sales were at half past one.
  const rows: GridRow[] = [
    [hour('2027-11-07T01:30:00Z'), buyer.username, 100],
    [hour('2027-11-07T01:30:00Z'), payee.username, 100],
  ];
  const compare = (path: string) => service.run('reconcile', path, '--store', store);

  const twice = await compare(gridFile(rows));
  const late = await compare(gridFile([[hour('2027-11-07T01:50:00Z'), payee.username, 100], ...rows.slice(0, 1)]));
  const never = await compare(gridFile([[hour('2027-03-14T02:30:00Z'), 'Some Stranger', 100]]));

  expect([twice.code, twice.stderr]).toEqual([0, expect.stringContaining('go back in America/Los_Angeles: 2; ')]);
  expect(late.stderr).toContain('paid and not sold: 1');
  expect(never.stderr).toContain('never come in America/Los_Angeles, as the clocks go forward: 1.');
});

test('a payment in the hour that comes twice may have gone back later in it', async () => {
  const at = (Date.parse('2027-11-07T01:50:00Z') - start) / minute;

  const ran = await service.run(
    ...[
      'reconcile',
      gridFile([
        [at, 'Some Stranger', 99],
        [at - 40, 'Some Stranger', -99],
      ]),
      '--store',
      store,
    ],
  );

  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('1 payment went back whole')]);
});

test.each<[string, string, string, RegExp, number]>([
  [
    'columns that nobody knows',
    'When,Whom,Sum\n',
    '',
    /does not say which column is at; who; in and out, or amount/,
    1,
  ],
  ['a time that is none', 'Date,Resident,Amount\nyesterday,ada,5\n', '', /line 2: "yesterday" is no time/, 1],
  ['an amount that is none', 'Date,Resident,Amount\n2027-01-01 00:00:00,ada,5.5\n', '', /line 2: the amount/, 1],
  ['no rows', 'Date,Resident,Amount\n', '', /there is no row/, 1],
  ['a field that is none', 'Date,Resident,Amount\n', 'Date=when', /There is no field when/, 2],
  ['a column that is not there', 'Date,Resident,Amount\n', 'Day=at', /has no column "Day"/, 2],
])('says what to change in a file with %s, and changes nothing', async (_, text, map, message, code) => {
  const path = join(dir, `${randomUUID()}.csv`);
  writeFileSync(path, text);

  const ran = await run(path, ...(map ? ['--map', map] : []));

  expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(message)]);
});
