import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { customerUpsert } from '../../../../lib/avatars/customers.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { write } from '../../../../lib/table/table.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { historyRows, type SeededChange } from '../../../../test/support/history-rows.ts';
import { ada, bob, cleo } from '../../../../test/support/residents.ts';
import { putAll } from '../../../../test/support/seed.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { exportKind } from '../../data/export.ts';
import type { ExportFormat } from '../../data/format.ts';
import { sorted } from '../../kinds/external-sort.ts';
import { exportFiles } from '../../kinds/kinds.ts';
import { runInProcess } from '../support/cli.ts';
import { journalFaults } from '../support/journal.ts';

const dir = tempDir();

const lot = (amount: number) => ({
  id: '0194c7a0-0000-7000-8000-000000000001',
  amount,
  expiresAt: '2026-02-01T00:00:00.000Z',
});

const seed = async (resident: typeof ada, changes: SeededChange[], start: string): Promise<void> => {
  const last = changes.length;
  await write(customerUpsert(store, resident, { set: { creditVersion: last } }));
  await putAll(historyRows(store, resident.uuid, changes, Date.parse(start)));
};

await freshTable();
const store = (await createStore('Test store')).id;
const undone = { at: '2026-02-02T00:00:00.000Z', sequence: 11, amount: -7, left: 93 };
const steering = { reason: '=HYPERLINK("x"), date:2020-13-45, [2001-01-01]  ; 5 L$', reference: 'a;b | c' };
await seed(
  ada,
  [
    { kind: 'opening', amount: 500, lots: [], unlotted: 200, lastExpiresAt: '2026-02-01T00:00:00.000Z' },
    { kind: 'opening', type: 'restricted', amount: 40 },
    { amount: -20, ...steering },
    { kind: 'set', amount: 100, expired: 30, lots: [lot(-30)], unlotted: 100, requestId: 'r-1', keyId: 'k-1', undone },
    { kind: 'expire', amount: 0, expired: 30, lots: [lot(-30)], unlotted: 0 },
    { kind: 'sale', type: 'restricted', amount: -40, saleId: 's-1' },
    { kind: 'sale', amount: -60, saleId: 's-1' },
    { kind: 'refund', amount: 60, saleId: 's-1' },
    { kind: 'set', amount: 0 },
    { kind: 'unrecorded', amount: -7 },
  ],
  '2026-01-31T23:59:57.000Z',
);
await seed(
  bob,
  [
    { kind: 'import', amount: 5 },
    { kind: 'redeem', amount: 50, giftCardId: 'g-1', at: '2026-02-01T00:00:00.001Z' },
    // The clock of another function was behind.
    { amount: 1, at: '2026-01-31T23:59:59.999Z' },
    { amount: 2, type: 'restricted', at: '2026-02-03T00:00:00.000Z' },
  ],
  '2026-01-01T00:00:00.000Z',
);
await write(customerUpsert(store, cleo, { set: { discount: 5 } }));

const exportHistory = async (format: ExportFormat): Promise<string> => {
  const path = join(dir, `history.${format}`);
  const [kind] = exportFiles.filter(({ name }) => name === 'history');
  if (!kind) throw new Error('There is no history.');
  await exportKind(kind, store, path, format);
  return readFileSync(path, 'utf8');
};

test('NDJSON has every change of every customer, the oldest first, with all facts and the parts of lots', async () => {
  const rows = (await exportHistory('ndjson'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  expect(rows.map(({ resident, sequence }) => [resident, sequence])).toEqual(
    [ada.uuid, bob.uuid]
      .sort()
      .flatMap((uuid) => Array.from({ length: uuid === ada.uuid ? 10 : 4 }, (_, i) => [uuid, i + 1])),
  );
  expect(rows.find(({ keyId }) => keyId === 'k-1')).toEqual({
    ...{ resident: ada.uuid, sequence: 4, at: '2026-02-01T00:00:00.000Z', type: 'regular', kind: 'set', amount: 100 },
    ...{ expired: 30, credit: 550, restrictedCredit: 40, requestId: 'r-1', keyId: 'k-1' },
    ...{ reason: null, reference: null, saleId: null, giftCardId: null },
    ...{ undoes: null, undoneAt: '2026-02-02T00:00:00.000Z', undoneAmount: -7 },
    lots: [lot(-30), { id: null, amount: 100, expiresAt: null }],
  });
});

test('CSV has a cell for each fact, and none that a spreadsheet takes for a formula', async () => {
  const lines = (await exportHistory('csv')).trim().split('\r\n');

  expect(lines[0]).toBe(
    'resident,sequence,at,type,kind,amount,expired,credit,restrictedCredit,reason,reference,saleId,giftCardId,requestId,keyId,undoes,undoneAt,undoneAmount,lots',
  );
  expect(
    lines
      .filter((line) => line.includes(ada.uuid))
      .slice(0, 4)
      .map((line) => line.split(',').slice(1).join()),
  ).toEqual([
    '1,2026-01-31T23:59:57.000Z,regular,opening,500,0,500,0,,,,,,,,,,others 300 2026-02-01T00:00:00.000Z;permanent 200',
    '2,2026-01-31T23:59:58.000Z,restricted,opening,40,0,500,40,,,,,,,,,,permanent 40',
    '3,2026-01-31T23:59:59.000Z,regular,increment,-20,0,480,40,"\'=HYPERLINK(""x""), date:2020-13-45, [2001-01-01]  ; 5 L$",a;b | c,,,,,,,,permanent -20',
    '4,2026-02-01T00:00:00.000Z,regular,set,100,30,550,40,,,,,r-1,k-1,,2026-02-02T00:00:00.000Z,-7,0194c7a0-0000-7000-8000-000000000001 -30 2026-02-01T00:00:00.000Z;permanent 100',
  ]);
});

test('the journal keeps the rules of hledger: balanced, in the order of dates, all declared, each balance asserted', async () => {
  const journal = await exportHistory('journal');

  expect(journalFaults(journal)).toEqual([]);
  expect(journal.match(/ = /g)).toHaveLength(14);
  expect(journal.slice(journal.indexOf('2026-02-01 (4)')).split('\n\n')[0]).toBe(
    `
2026-02-01 (4) ${ada.username} | set
    ; at: 2026-02-01T00:00:00.000Z
    ; request: r-1
    ; key: k-1
    liabilities:store credit:regular:${ada.uuid}  30 L$
    revenues:store credit:expired  -30 L$
    liabilities:store credit:regular:${ada.uuid}  -100 L$ = -550 L$
    expenses:store credit:given  100 L$`.trimStart(),
  );
  expect(journal).toContain(`2026-02-01 (3) ${bob.username} | increment\n    ; at: 2026-01-31T23:59:59.999Z\n`);
});

test.each([
  ['a balance', ' = -550 L$', ' = -549 L$'],
  ['an amount', '  -100 L$', '  -101 L$'],
  ['a date', '2026-02-03 (4)', '2026-01-01 (4)'],
  ['an account', 'account equity:opening balances\n', ''],
  ['the commodity', 'commodity 1000. L$\n', ''],
  ['the place of a tag', '-7 L$\n', '-7 L$\n    ; date:2020-13-45\n'],
])('the reader of journals finds %s that is wrong', async (_, right, wrong) => {
  const journal = (await exportHistory('journal')).replace(right, wrong);

  expect(journalFaults(journal)).not.toEqual([]);
});

test.each([1, 2, 3, 100])(
  'texts are sorted by place, and keep their order in a place, %i in memory',
  async (atOnce) => {
    const places = [3, 1, 2, 1, 3, 1, 2];
    const texts = async function* () {
      for (const [index, place] of places.entries()) yield { place: String(place), text: `${place}, text ${index}\n` };
    };

    const inOrder = await Array.fromAsync(sorted(texts(), atOnce));

    expect(inOrder).toEqual([1, 3, 5, 2, 6, 0, 4].map((index) => `${places[index]}, text ${index}\n`));
  },
);

test('a journal of anything but history is refused before a file is made', async () => {
  const [products] = exportFiles.filter(({ name }) => name === 'products');
  if (!products) throw new Error('There are no products.');

  const refused = exportKind(products, store, join(dir, 'products.journal'), 'journal');

  await expect(refused).rejects.toThrow('Only history is a journal. Export products as csv or ndjson.');
  expect(await runInProcess(['export', '--all', join(dir, 'all'), '--format', 'journal'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Only history is a journal: store export history books.journal'),
  });
});
