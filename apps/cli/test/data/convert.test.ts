import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listOwned } from '../../../../lib/avatars/owned.ts';
import { getSpend } from '../../../../lib/avatars/spend.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { convertFile } from '../../data/convert.ts';
import { importFile } from '../../data/import.ts';
import { runInProcess } from '../support/cli.ts';
import { kindOf } from '../support/kinds.ts';

const dir = tempDir();
const [david, ethan] = ['ad7b01b9-9b71-4beb-ba05-0c353ade5952', '378d5dc6-9e5e-4107-baf4-922c0efda1f1'];

const file = (name: string, ...lines: string[]): string => {
  const path = join(dir, name);
  writeFileSync(path, `${lines.join('\r\n')}\r\n`);
  return path;
};

/** The rows of a converted file, each as its cells by their columns. */
const rowsIn = (to: string, kind: string): Record<string, string>[] => {
  const [header = '', ...rows] = readFileSync(join(to, `${kind}.csv`), 'utf8')
    .replace('\ufeff', '')
    .trimEnd()
    .split('\r\n');
  const names = header.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [names[i], cell])));
};

const casperColumns =
  'UnixTimestamp,Date,Quantity,ProductName,Gross,Net,Received,Source,Location,ProductID,FromKey,FromName,ToKey,ToName,Status,AffiliateName,TransactionID';
const casper = (time: number, product: string, price: number, from: string, to: string, more: string): string =>
  `"${time}","2022-01-01","1",${product},"${price}","1","1","","Harbour (1, 2)","",${from},${to},${more}`;
/** A file that the documents show. */
const example = (name: string): string =>
  new URL(`../../../../docs/operate/examples/${name}.csv`, import.meta.url).pathname;

beforeAll(() => freshTable());

const importAll = async (store: string, from: string, kinds: string[]) => {
  const reports = [];
  for (const kind of kinds) reports.push(await importFile(kindOf(kind), store, join(from, `${kind}.csv`)));
  return reports.map(({ created, unchanged, rejected }) => [created, unchanged, rejected]);
};

test('sales of CasperVend become sales here: the buyer has spent, the recipient owns, and a repeat changes nothing', async () => {
  const store = (await createStore('Moved')).id;
  const to = join(dir, 'casper');

  const { files, leftOut } = await convertFile(example('caspervend'), to);
  const kinds = ['residents', 'products', 'sales'];
  const first = await importAll(store, to, kinds);
  const second = await importAll(store, to, kinds);

  expect(files.map(({ kind, rows }) => [kind, rows])).toEqual([
    ['residents', 2],
    ['products', 1],
    ['sales', 2],
  ]);
  expect([...leftOut]).toEqual([['status Refunded', 1]]);
  expect(rowsIn(to, 'residents')[0]).toEqual({
    ...{ uuid: david, username: 'davidthomas.scorbal', formerNames: 'old.name', source: 'store' },
  });
  expect(rowsIn(to, 'products')).toMatchObject([{ name: 'Oak chair', price: '500', active: 'false' }]);
  expect(first).toEqual([
    [2, 0, 0],
    [1, 0, 0],
    [2, 0, 0],
  ]);
  expect(second).toEqual([
    [0, 2, 0],
    [0, 1, 0],
    [0, 2, 0],
  ]);
  expect(await getSpend(store, { uuid: david })).toMatchObject({ sum: 950 });
  const owned = await listOwned(store, ethan)({ descending: false });
  expect(owned.map(({ name }) => name)).toEqual(['Oak chair']);
});

test('sales of E2V, which name no columns, are read by their numbers, in the zone that is given, equal rows and those paid with credit too', async () => {
  const to = join(dir, 'e2v');
  const people = { buyerName: 1, buyerUuid: 2, recipientName: 8, recipientUuid: 9 };
  const map = { ...people, product: 3, at: 4, price: 6, method: 7 };

  const { usedZone } = await convertFile(example('e2v-sales'), to, { map, zone: 'America/Los_Angeles' });

  const sales = rowsIn(to, 'sales');
  expect(usedZone).toBe(true);
  expect(sales.map(({ at, credit, paid, recipient }) => [at, credit, paid, recipient])).toEqual([
    ['2017-07-01T16:12:41.000Z', '125', '0', david],
    ['2017-12-04T20:15:00.000Z', '0', '200', ethan],
    ['2017-12-04T20:15:00.000Z', '0', '200', ethan],
  ]);
  expect(new Set(sales.map(({ id }) => id)).size).toBe(3);
});

test('balances of E2V become credit', async () => {
  const path = file('balances.csv', `"DavidThomas Scorbal","${david}","1200"`, `"Ethan Renobaum","${ethan}","0"`);
  const store = (await createStore('Credited')).id;
  const to = join(dir, 'balances');

  await convertFile(path, to, { map: { buyerName: 1, buyerUuid: 2, credit: 3 } });

  expect(rowsIn(to, 'credit')).toEqual([{ resident: david, type: 'regular', amount: '1200' }]);
  expect(await importAll(store, to, ['residents', 'credit'])).toEqual([
    [2, 0, 0],
    [1, 0, 0],
  ]);
});

test('discounts and subscriptions become settings of customers, beside their credit', async () => {
  const path = file(
    'people.csv',
    'Name,Key,Discount,News,Credit,,',
    `DavidThomas Scorbal,${david},10%,Yes,1200,,`,
    `Ethan (ethan.renobaum),${ethan},,no,0,,`,
    `Ethan Renobaum,${ethan},0.00,,0,,`,
  );
  const store = (await createStore('Settled')).id;
  const to = join(dir, 'people');
  const maps = ['Name=buyerName', 'Key=buyerUuid', 'Discount=discount', 'News=newsSubscriber', 'Credit=credit'];

  const ran = await runInProcess(['convert', path, '--to', to, ...maps.flatMap((map) => ['--map', map])]);

  expect(ran.code).toBe(0);
  expect(rowsIn(to, 'customers')).toEqual([
    { resident: david, discount: '10', newsSubscriber: 'true' },
    { resident: ethan, discount: '0', newsSubscriber: 'false' },
  ]);
  expect(rowsIn(to, 'credit')).toEqual([{ resident: david, type: 'regular', amount: '1200' }]);
  expect(await importAll(store, to, ['residents', 'customers', 'credit'])).toMatchObject([
    expect.anything(),
    [2, 0, 0],
    [1, 0, 0],
  ]);
});

test('settings that are none, or differ between two rows, are named by line', async () => {
  const path = file(
    'odd-people.csv',
    'Key,Discount,News',
    `${david},10,1`,
    `${ethan},110,`,
    `${david},20,1`,
    `${ethan},1,x`,
  );
  const map = { buyerUuid: 'Key', discount: 'Discount', newsSubscriber: 'News' };

  const { faults, files } = await convertFile(path, join(dir, 'odd-people'), { map });

  expect([files, faults.map(({ line, reason }) => `${line}: ${reason}`)]).toEqual([
    [],
    [
      '3: discount "110" must be a whole percentage from 0 to 100',
      `4: another row has other settings of ${david}`,
      '5: newsSubscriber "x" must be yes or no',
    ],
  ]);
});

test('a file of another system is read by the columns that are named, and only the rows that are wanted', async () => {
  const path = file(
    'other.csv',
    'No;Kind;L$;When;Key;Thing',
    `7;Sale;100.00;2026-01-01T10:00:00+01:00;${david};Vase`,
    `8;Gift;5;2026-01-01T10:00:00+01:00;${david};Vase`,
  );
  const to = join(dir, 'other');
  const columns = ['No=id', '#3=price', 'when=at', 'Key=buyerUuid', 'Thing=product'].flatMap((one) => ['--map', one]);

  const ran = await runInProcess(['convert', path, '--to', to, ...columns, '--only', 'Kind=Sale']);

  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining(`store import sales ${to}/sales.csv`) });
  expect(rowsIn(to, 'sales')).toEqual([
    {
      ...{
        id: '7',
        product: 'Vase',
        buyer: david,
        recipient: david,
        base: '100',
        total: '100',
        credit: '0',
        paid: '100',
      },
      at: '2026-01-01T09:00:00.000Z',
    },
  ]);
});

test('times that the clocks show twice or never are taken as the earlier ones, and told', async () => {
  const row = (when: string): string => `${when},${david},Vase,5`;
  const times = ['2026-11-01 01:59:50', '2026-11-01 01:00:05', '2026-03-08 02:30:00', '2026-11-01 02:00:00'];
  const path = file('hours.csv', 'When,Key,Thing,L$', ...times.map(row));
  const to = join(dir, 'hours');
  const maps = ['When=at', 'Key=buyerUuid', 'Thing=product', 'L$=price'].flatMap((map) => ['--map', map]);

  const ran = await runInProcess(['convert', path, '--to', to, ...maps, '--zone', 'America/Los_Angeles']);

  expect(rowsIn(to, 'sales').map(({ at }) => at)).toEqual([
    '2026-11-01T08:59:50.000Z',
    '2026-11-01T08:00:05.000Z',
    '2026-03-08T09:30:00.000Z',
    '2026-11-01T10:00:00.000Z',
  ]);
  expect(ran.stderr).toContain('go back in America/Los_Angeles: 2; ');
  expect(ran.stderr).toContain('never come in America/Los_Angeles, as the clocks go forward: 1.');
});

test('a name that two avatars had is the one’s who had it last', async () => {
  const path = file(
    'names.csv',
    casperColumns,
    casper(1640995200, 'Lamp', 1, `${david},Shared Name`, `${david},Shared Name`, 'Complete,,A'),
    casper(1640995300, 'Lamp', 1, `${ethan},Shared Name`, `${ethan},Shared Name`, 'Complete,,B'),
  );
  const to = join(dir, 'names');

  await convertFile(path, to);

  expect(rowsIn(to, 'residents').map(({ uuid, username }) => [uuid, username])).toEqual([
    [david, david],
    [ethan, 'shared.name'],
  ]);
});

test('rows at fault are named by line, and stop the conversion or are left out', async () => {
  const path = file(
    'bad.csv',
    casperColumns,
    casper(1640995200, 'Lamp', 1, `${david},A B`, `${david},A B`, 'Complete,,A'),
    casper(1640995200, 'Lamp', 1, 'nobody!,', ',', 'Complete,,B'),
    casper(1640995200, 'Lamp', -5, `${david},A B`, `${david},A B`, 'Complete,,C'),
    'too,short',
  );
  const to = join(dir, 'bad');

  const stopped = await runInProcess(['convert', path, '--to', to]);
  const left = await runInProcess(['convert', path, '--to', to, '--skip-rejects']);
  const again = await runInProcess(['convert', path, '--to', to, '--skip-rejects']);
  const unknown = await runInProcess(['convert', file('odd.csv', 'a,b', '1,2'), '--to', join(dir, 'odd')]);

  expect(stopped).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('so nothing was written') });
  for (const line of [3, 4, 5]) expect(stopped.stderr).toContain(`line ${line}: `);
  expect(left).toMatchObject({ code: 1, stdout: expect.stringMatching(/sales +1 /) });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty. Name a new directory') });
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is not known\. Its first line is: a, b\..*--map/),
  });
  expect(existsSync(join(dir, 'odd', 'sales.csv'))).toBe(false);
});

test('a file that has most columns of a known system is told which ones it lacks', async () => {
  const casper = file('near-casper.csv', casperColumns.replace('Quantity,', '').replace('Gross', 'Price'), '1,2');
  const ofCasper = convertFile(casper, join(dir, 'near'));

  await expect(ofCasper).rejects.toThrow('It looks like caspervend, but has no columns Gross, Quantity. Its first');
});
