import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { freshTable, wholeTable } from '../../../../test/support/service.ts';
import { importFile } from '../../data/import.ts';
import { importText } from '../support/import-files.ts';
import { kindOf } from '../support/kinds.ts';

const dir = tempDir();

await freshTable();
const store = (await createStore('Test store')).id;

/** Imports a file that is refused as a whole. Returns the message, and checks that the table has not changed. */
const refusal = async (name: string, contents: string | Buffer): Promise<string> => {
  const before = await wholeTable();
  const said = await importText(store, dir, name, contents, { skipRejects: true }).then(
    () => 'it was imported',
    (error: Error) => error.message.replace(join(dir, name), 'FILE'),
  );
  expect(await wholeTable()).toEqual(before);
  return said;
};

const names = 'name,price\n';

describe('a file that cannot be read', () => {
  test('a missing file', async () => {
    await expect(importFile(kindOf('products'), store, join(dir, 'none.csv'))).rejects.toThrow(
      /There is no file .*none.csv/,
    );
  });

  test('a directory', async () => {
    mkdirSync(join(dir, 'products.csv.d.csv'));
    await expect(importFile(kindOf('products'), store, join(dir, 'products.csv.d.csv'))).rejects.toThrow(
      /is a directory/,
    );
  });

  test('a name without a known ending', async () => {
    await expect(importFile(kindOf('products'), store, join(dir, 'products.txt'))).rejects.toThrow(/--format csv/);
  });

  test.each([
    ['an empty file', '', 'FILE is empty. A file begins with a row that names its columns.'],
    ['a file of empty lines', '\n\n', 'FILE is empty. A file begins with a row that names its columns.'],
    [
      'UTF-16 with its mark',
      Buffer.from(`\ufeff${names}`, 'utf16le'),
      'FILE is UTF-16. Save it as UTF-8 (in a spreadsheet: "CSV UTF-8"), and give that.',
    ],
    [
      'UTF-16 without it',
      Buffer.from(`${names}Chair,5\n`, 'utf16le'),
      'FILE is UTF-16. Save it as UTF-8 (in a spreadsheet: "CSV UTF-8"), and give that.',
    ],
    [
      'a workbook',
      Buffer.from('504b030414000600080000002100b5', 'hex'),
      'FILE is a workbook (or another packed file), not CSV. Save it as "CSV UTF-8", and give that.',
    ],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /^FILE is an old workbook, not CSV\./],
    ['a PDF', '%PDF-1.7\n', /^FILE is a PDF, not CSV\./],
    [
      'XML with a mark',
      '\ufeff<?xml version="1.0"?>\n<history><row id="1"/></history>\n',
      'FILE is XML or a web page, not CSV. Download or save it as CSV, and give that.',
    ],
    ['a web page', '\n\n<!DOCTYPE html>\n', /^FILE is XML or a web page, not CSV\./],
    ['a separator that nobody knows', 'sep=|\nname|price\n', /there is no column "sep=\|"/],
    [
      'Latin-1',
      Buffer.from(`${names}Chair,5\nÉté,6\n`, 'latin1'),
      'FILE is not UTF-8: line 3 has an invalid byte. Save it as UTF-8, and give that.',
    ],
    [
      'an unknown column',
      'name,price,colour\nA,1,red\n',
      /^FILE, line 1: there is no column "colour". Leave it out, or give it its name: products have the columns id, name, price,/,
    ],
    ['a column without a name', 'name,,price\nA,,1\n', /^FILE, line 1: column 2 has no name\./],
    ['a header that is a row', 'Chair,100\nTable,200\n', /^FILE, line 1: there is no column "Chair"\./],
    [
      'a missing column',
      'name,listed\nA,true\n',
      /^FILE, line 1: the column price is missing; products have the columns/,
    ],
    ['a column twice', 'name,price,Name\nA,1,B\n', 'FILE, line 1: the column name is there twice. Leave one out.'],
    [
      'an unknown column between semicolons',
      'name;price;colour\nA;1;red\n',
      /^FILE, line 1: there is no column "colour"\. Leave it out/,
    ],
    [
      'a quote that is never closed',
      `${names}Chair,5\n"Table,6\nLamp,7\n`,
      'FILE: the row that begins in line 3 has a quote that is never closed. The rest of the file cannot be read.',
    ],
    [
      'a quote inside a value',
      `${names}Chair,5\n12" lamp,6\n`,
      /^FILE: the row that begins in line 3 has a quote inside a value/,
    ],
    [
      'text after a closing quote',
      `${names}"Chair" red,5\n`,
      /^FILE: the row that begins in line 2 has text after a closing quote/,
    ],
    [
      'a row without end',
      `${names}"${'x\n'.repeat(3_000_000)}`,
      /^FILE: the row that begins in line 2 is longer than 4 million characters/,
    ],
  ])('%s', async (_, contents, expected) => {
    const said = await refusal('products.csv', contents);

    if (typeof expected === 'string') expect(said).toBe(expected);
    else expect(said).toMatch(expected);
  });
});

test('accepts a byte order mark, CRLF, quotes over lines, capital TRUE and other orders of columns', async () => {
  const report = await importText(
    store,
    dir,
    'products.csv',
    '\ufeffPrice,"name",description,listed\r\n5,Mark,"two\r\nlines and ""quotes""",TRUE\r\n',
  );

  expect(report).toMatchObject({ imported: true, created: 1, rejected: 0, faults: [] });
  expect(JSON.stringify(await wholeTable())).toContain('two\\r\\nlines and \\"quotes\\"');
});
