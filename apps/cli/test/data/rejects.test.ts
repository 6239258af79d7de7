import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { intercept } from '../../../../test/support/faults.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { importFile } from '../../data/import.ts';
import { importText } from '../support/import-files.ts';
import { kindOf } from '../support/kinds.ts';

const dir = tempDir();
let store: string;

beforeEach(async () => {
  store = await freshStore();
});

/** Imports the good rows of a file. Returns the file of the others. */
const leftOf = async (name: string, text: string): Promise<string> => {
  const rejects = join(dir, `left-${name}`);
  await importText(store, dir, name, text, { skipRejects: true, rejects, force: true });
  return readFileSync(rejects, 'utf8');
};

describe('the file of rejected rows', () => {
  test('keeps each NDJSON row’s own members, which may differ from those of the first rejected row', async () => {
    const rows = [
      '{"name":"A","price":"1"}',
      '{"name":"B","price":"2","description":"kept","discount":{"value":5,"worth":1},"colour":"red"}',
      '{"name":"C",',
      '{"name":"Good","price":1}',
      '{"price":3,"profitShares":[{"userUuid":"bob","percent":"60%"}]}',
    ];

    const left = await leftOf('products.ndjson', rows.join('\n'));

    const lines = left.trimEnd().split('\n');
    expect(lines[2]).toBe('{"name":"C",');
    expect(lines.toSpliced(2, 1).map((line) => JSON.parse(line))).toEqual([
      { name: 'A', price: '1', line: 1, reason: expect.stringMatching(/^price "1" must be/) },
      {
        ...{ name: 'B', price: '2', description: 'kept', discount: { value: 5, worth: 1 }, colour: 'red' },
        ...{ line: 2, reason: expect.stringMatching(/^discount.worth 1 is no member.*; colour "red" is no member/) },
      },
      {
        ...{ price: 3, profitShares: [{ userUuid: 'bob', percent: '60%' }] },
        ...{ line: 5, reason: expect.stringContaining('name is empty') },
      },
    ]);
  });

  test('can be mended, imported and mended again, in NDJSON', async () => {
    const left = await leftOf('products.ndjson', '{"name":"A","price":"1"}\n{"name":"B","price":"2","colour":"red"}\n');

    const again = await leftOf('products.left.ndjson', left.replace('"price":"1"', '"price":1'));
    const report = await importText(
      store,
      dir,
      'products.last.ndjson',
      again.replace('"2"', '2').replace('"colour":"red",', ''),
    );

    expect(JSON.parse(again)).toMatchObject({ name: 'B', price: '2', colour: 'red', line: 2 });
    expect(report).toMatchObject({ created: 1, rejected: 0 });
  });

  test('keeps the cells of CSV unchanged, including surplus cells and invalid shares', async () => {
    const text =
      'price,Name,profitShares,description\n' +
      '1,A,ada.lovelace:60%,\n' +
      "two,B,bob,'=1+1\n" +
      '3,C,,a chair, with arms\n' +
      '4\n';

    const left = await leftOf('products.csv', text);

    expect(left).toMatch(/^\ufeffprice,name,profitShares,description,line,reason\r\n/);
    expect(left).toMatch(/^1,A,ada\.lovelace:60%,,2,/m);
    expect(left).toMatch(/^two,B,bob,'=1\+1,3,/m);
    expect(left).toMatch(/^3,C,,a chair, with arms,4,"the row must have 4 values/m);
    expect(left).toMatch(/^4,,,,5,"the row must have 4 values/m);
  });

  test('is refused in CSV while a row has surplus cells, and keeps them again', async () => {
    const left = await leftOf('products.csv', 'name,price\nA,1,2\nB,x\n');

    const again = await leftOf('products.left.csv', left.replace('B,x', 'B,5'));

    expect(again).toMatch(/^\ufeffname,price,line,reason\r\nA,1,2,2,"the row must have 4 values/);
    expect(again).not.toContain('B,');
    expect(await importText(store, dir, 'products.csv', again.replace('A,1,2,', 'A,1,'))).toMatchObject({ created: 1 });
  });
});

describe('a file of rejected rows that cannot be made', () => {
  const text = 'name,price\nGood,1\nBad,x\n';
  const mended = join(dir, 'mended.csv');
  const folder = join(dir, 'folder.csv');

  test.each([
    [
      'is there already',
      mended,
      /mended\.csv is there already\. Name another file with --rejects, or write over it with --force\. Nothing was imported\.$/,
    ],
    [
      'is a directory',
      folder,
      /folder\.csv is a directory\. Name a file in it with --rejects\. Nothing was imported\.$/,
    ],
    [
      'would be in a directory that is not there',
      join(dir, 'none', 'x.csv'),
      /^There is no directory .*none\. Make it, or name another file with --rejects\. Nothing was imported\.$/,
    ],
    ['would be in a file', join(dir, 'products.csv', 'x.csv'), /products\.csv is no directory\. Name another file/],
  ])('because it %s, stops the import', async (_, rejects, message) => {
    writeFileSync(mended, 'mine');
    mkdirSync(folder, { recursive: true });
    const before = await wholeTable();

    await expect(importText(store, dir, 'products.csv', text, { skipRejects: true, rejects })).rejects.toThrow(message);

    expect(await wholeTable()).toEqual(before);
    expect(readFileSync(mended, 'utf8')).toBe('mine');
  });

  test('does not matter for a file without bad rows', async () => {
    writeFileSync(mended, 'mine');

    const report = await importText(store, dir, 'products.csv', 'name,price\nGood,1\n', {
      skipRejects: true,
      rejects: mended,
    });

    expect(report).toMatchObject({ imported: true, created: 1 });
    expect(readFileSync(mended, 'utf8')).toBe('mine');
  });

  test('is removed if the import fails, so that it can be repeated', async () => {
    const path = join(dir, 'products.csv');
    const rejects = join(dir, 'gone.csv');
    writeFileSync(path, text);
    const mend = intercept(async ({ isWrite }, send) => {
      if (!isWrite) return send();
      throw Object.assign(new Error('refused'), { name: 'AccessDeniedException', $fault: 'client', $metadata: {} });
    });
    const options = { skipRejects: true, rejects };

    await expect(importFile(kindOf('products'), store, path, options)).rejects.toThrow('refused');
    mend();

    expect(existsSync(rejects)).toBe(false);
    expect(await importFile(kindOf('products'), store, path, options)).toMatchObject({ created: 1, rejected: 1 });
  });
});
