import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createCategory, listCategories } from '../../../../lib/catalogue/categories.ts';
import { everyRow } from '../../../../lib/lists/source.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { freshTable } from '../../../../test/support/service.ts';
import { exportAll, exportKind } from '../../data/export.ts';
import { importFile } from '../../data/import.ts';
import { kindOf } from '../support/kinds.ts';

const dir = tempDir();
const [categories, products] = [kindOf('categories'), kindOf('products')];

const file = (name: string, text: string): string => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};

const newStore = async (): Promise<string> => (await createStore('Test store')).id;

beforeAll(() => freshTable());

test('an import recognises semicolons and tabs between the cells, and divides lists by semicolons all the same', async () => {
  const store = await newStore();
  const path = file('products.csv', 'name;price;categories;description\nChair;450;"Oak;Old";"a, b\nc"\nLamp;120;;\n');
  const tabbed = file('tabs.csv', 'name\tid\nOak\tOak\nOld\tOld\n');

  const first = await importFile(categories, store, tabbed);
  const second = await importFile(products, store, path);

  expect([first.created, second.created, second.faults]).toEqual([2, 2, []]);
  const counts: number[] = [];
  for await (const { productCount } of everyRow(listCategories(store), ({ id }) => id)) counts.push(productCount);
  expect(counts).toEqual([1, 1]);
});

test.each([
  ['sep=;\r\nname;price\r\nRug;5\r\nMat;x\r\n', ['line 4: price']],
  ['\ufeff"sep=;"\nname;price\nRug;5\nMat;x\n', ['line 4: price']],
  ['sep=,,,\rname,price,,\rRug,5,,\rMat,x,,\r', ['line 4: price']],
  ['SEP=\t\nname\tprice\nRug\t5\nMat\tx\n', ['line 4: price']],
  ['name,price,,\nRug,5,,\nMat,x,,\n', ['line 3: price']],
  ['\u200bname,\u202aPrice\u202c,\u200b\nRug,\u200e5,\u200b\nMat,x,\n', ['line 3: price']],
  ['name,price\nRug,5,,\nMat,x\n', ['line 3: price']],
  ['name,price,,\nRug,5,,\nMat,7,,wool\nBed,9\n', ['line 3: the row']],
])('an import of %j skips the marks of spreadsheets, and keeps the lines', async (text, expected) => {
  const path = file(`${createHash('sha256').update(text).digest('hex')}.csv`, text);

  const { created, faults } = await importFile(products, await newStore(), path, { skipRejects: true });

  expect(faults.map(({ line, field }) => `line ${line}: ${field}`)).toEqual(expected);
  expect(created).toBe(text.includes('Bed') ? 2 : 1);
});

test('rejected rows go to a file with the separator of the imported one', async () => {
  const path = file('some.csv', 'name;price\nStool;80\n"Bench; long";much\n');

  const { rejects = '' } = await importFile(products, await newStore(), path, { skipRejects: true });

  const [header, row] = readFileSync(rejects, 'utf8').split('\r\n');
  expect(header).toBe('\ufeffname;price;line;reason');
  expect(row).toMatch(/^"Bench; long";much;3;"?price /);
});

test('an export with semicolons is imported again without a change', async () => {
  const store = await newStore();
  await importFile(products, store, file('p.csv', 'name,price,description\n"Vase; blue",5,"one\ntwo; three"\n'));
  const path = join(dir, 'semicolons.csv');

  await exportKind(products, store, path, 'csv', { separator: 'semicolon' });
  const again = await importFile(products, store, path);

  expect(readFileSync(path, 'utf8')).toMatch(/^\ufeffid;name;price;/);
  expect(again).toMatchObject({ unchanged: 1, changed: 0, created: 0 });
});

test('an interrupted import says how many rows are in, leaves no file of rejects, and goes on when it is repeated', async () => {
  const store = await newStore();
  const names = Array.from({ length: 350 }, (_, i) => `Number ${i}`);
  const path = file('many.csv', `name\n${'x'.repeat(300)}\n${names.join('\n')}\n`);
  const ended = new AbortController();
  const onProgress = (done: number, all?: number): void => {
    if (all !== undefined && done >= 200) ended.abort();
  };

  const interrupted = importFile(categories, store, path, { skipRejects: true, onProgress, signal: ended.signal });
  await expect(interrupted).rejects.toThrow(
    /^Interrupted: 200 of 351 rows of .*many\.csv are imported\. Give the same/,
  );
  const left = readdirSync(dir).filter((name) => name.startsWith('many.csv.'));
  const repeated = await importFile(categories, store, path, { skipRejects: true });

  expect(left).toEqual([]);
  expect(repeated).toMatchObject({ unchanged: 199, created: 151, rejected: 1 });
});

test('an import that is interrupted while it checks has written nothing', async () => {
  const store = await newStore();
  const path = file('few.csv', 'name\nA\nB\n');

  await expect(importFile(categories, store, path, { signal: AbortSignal.abort() })).rejects.toThrow(
    'nothing was imported',
  );

  expect((await importFile(categories, store, path)).created).toBe(2);
});

test('an interrupted export leaves no file behind', async () => {
  const store = await newStore();
  await createCategory(store, { name: 'Chairs' });
  const signal = AbortSignal.abort();
  const to = join(dir, 'all');

  await expect(exportAll(store, to, 'csv', { signal })).rejects.toThrow(/No file was written: give the command again/);
  await expect(exportKind(categories, store, join(dir, 'x.csv'), 'csv', { signal })).rejects.toThrow('Interrupted');

  expect([readdirSync(to), readdirSync(dir).filter((name) => name.startsWith('x.csv'))]).toEqual([[], []]);
});
