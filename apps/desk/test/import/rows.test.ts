import { describe, expect, test } from 'vitest';
import { giftFile } from '../../../cli/data/gift-file.ts';
import { categories } from '../../../cli/kinds/categories.ts';
import type { Column } from '../../../cli/kinds/columns.ts';
import { products } from '../../../cli/kinds/products.ts';
import { readCell, withTime } from '../../../shared/cells.ts';
import { importKinds, maxRows } from '../../import/kinds.ts';
import { importColumns as known } from '../../import/known-columns.ts';
import { formOf, type ImportRow, readRows } from '../../import/rows.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
/** The rows of a file, without their cells as they stand there. */
const read = (kind: (typeof importKinds)[number], ...lines: string[]) => {
  const rows = readRows(kind, known, bytes(lines.join('\n')));
  return typeof rows === 'string' ? rows : rows.map(({ cells: _, ...row }) => row);
};

const ofCommand: Record<string, readonly Column[]> = {
  products: products.file?.columns ?? [],
  categories: categories.file?.columns ?? [],
  credit: giftFile.columns,
};

const cells = [
  ...['', ' ', '0', '1', '-1', '1.5', '1.000', '1,000', '2147483647', '2147483648', '5E-07', 'abc', 'TRUE', 'false'],
  ...['yes', '2', '3', '101', 'regular', 'Restricted', 'ada.lovelace', 'Ada Lovelace', 'ada lovelace jr', "'=1+1"],
  ...['2030-01-31', '2030-01-31T12:00:00Z', '2030-02-30T12:00:00Z', '2030-01-31T12:00:00+02:00', 'tomorrow'],
  ...['00000000-0000-0000-0000-000000000000', '0B9D6C1E-3F5A-4A63-9A51-0C9B8F6D2E10', '0b9d6c1e', 'a|b', 'ä', 'a\tb'],
  ...['ada:60', 'ada:60;bob:40', 'ada', 'ada:x', 'x'.repeat(256), 'x'.repeat(64), 'x'.repeat(63)],
  ...[
    '\u200b',
    '\u200bOak\u200b',
    'Oak\u200bchair',
    ' \u2060 ',
    '\u200e5',
    '\u202atrue\u202c',
    'Ada\u00a0 Lovelace',
    'The Great (ada.lovelace)',
  ],
  ...['{0b9d6c1e-3f5a-4a63-9a51-0c9b8f6d2e10}', 'secondlife:///app/agent/0b9d6c1e-3f5a-4a63-9a51-0c9b8f6d2e10/about'],
];

/** As the service stores times and names. The desk leaves names to it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

describe.each(importKinds)('%s', (kind) => {
  test.each(known[kind].map((column) => [column.name, column] as const))(
    'the column %s takes the cells that the command takes',
    (name, column) => {
      const own = ofCommand[kind]?.find((one) => one.name === name) as Column;
      for (const cell of cells) {
        const value = withTime(own, readCell(own, cell));
        const isGood = own.check.safeParse(value).success;
        const row = readRows(
          kind,
          { ...known, [kind]: [{ ...column }] },
          bytes(`${name}\n"${cell.replaceAll('"', '""')}"\n`),
        );
        // An empty line is not a row, and the command refuses such a discount by a check across columns.
        if (cell.trim() === '' || (['-1', '2147483648'].includes(cell) && name === 'discount.value')) continue;

        expect([cell, typeof row === 'string' ? row : row[0]?.faults.length === 0]).toEqual([cell, isGood]);
        if (isGood && !['shares', 'list'].includes(column.form) && own.name !== 'resident')
          expect([cell, typeof row !== 'string' && plain(row[0]?.values[name])]).toEqual([
            cell,
            plain(own.check.parse(value)),
          ]);
      }
      expect(readCell(formOf(column), 'ada:60')).toEqual(readCell(own, 'ada:60'));
    },
  );
});

test('a missing column says nothing, and an empty cell means what the command means by it', () => {
  const rows = read('products', 'name,price,listed,item,discount.endDate', 'Coat,650,,,');

  expect(rows).toEqual([
    {
      line: 2,
      values: { name: 'Coat', price: 650, listed: true, item: undefined, 'discount.endDate': null },
      faults: [],
    },
  ]);
});

test('names each value that is wrong in words of the desk, and the column that was meant', () => {
  expect(read('products', 'name,prise', 'Coat,1')).toMatch(/there is no column "prise"\. Did you mean price\?/);
  expect(read('products', 'name', 'Coat')).toMatch(/the column price is missing/);
  expect(read('credit', 'resident,amount', 'ada,1.000', ',5', 'bob,0', 'bob')).toMatchObject([
    { line: 2, faults: [expect.stringMatching(/^Column amount, “1\.000”: Enter digits only/)] },
    { line: 3, faults: ['The column resident is empty.'] },
    { line: 4, faults: ['Column amount, “0”: Enter a whole number, 1 or more.'] },
    { line: 5, faults: ['The line has 1 value, and the first line 2.'] },
  ]);
});

test('takes a plain day for its end, for its beginning where a discount begins, and names one where it is written otherwise', () => {
  expect(read('credit', 'resident,amount,expiresAt', 'ada,5,2030-12-31', 'bob,5,31.12.2030')).toMatchObject([
    { values: { expiresAt: '2030-12-31T23:59:59.999Z' }, faults: [] },
    {
      faults: ['Column expiresAt, “31.12.2030”: Enter a day such as 2026-12-31, or a time such as 2026-12-31T18:00Z.'],
    },
  ]);
  const times = 'discount.startDate,discount.endDate';
  expect(read('products', `name,price,${times}`, 'Coat,5,2030-12-24,2030-12-24', 'Hat,5,2030-02-30,')).toMatchObject([
    { values: { 'discount.startDate': '2030-12-24T00:00:00.000Z', 'discount.endDate': '2030-12-24T23:59:59.999Z' } },
    { faults: [expect.stringMatching(/^Column discount\.startDate, “2030-02-30”/)] },
  ]);
});

test('a file of rejected rows can be read again', () => {
  expect(read('categories', 'name,line,reason', 'Hats,3,why')).toEqual([
    { line: 2, values: { name: 'Hats' }, faults: [] },
  ]);
});

test.each([
  ['sep=;\nname;id\nHats;\n', 3],
  ['\ufeff"sep=,",,\r\nname,id,,\r\nHats,,,\r\n', 3],
  ['name,id,,\nHats,,,\n', 2],
  ['name,id\nHats,,,\n', 2],
])('skips the marks of spreadsheets in %j, and keeps the lines', (text, line) => {
  expect(read('categories', text)).toEqual([{ line, values: { name: 'Hats', id: undefined }, faults: [] }]);
});

test('a value in a column without a name is told', () => {
  expect(read('categories', 'name,,', 'Hats,,x')).toMatchObject([
    { faults: ['The line has 3 values, and the first line 1.'] },
  ]);
  expect(read('categories', 'name,,id', 'Hats,,x')).toMatch(/column 2 has no name/);
});

test('says why a whole file cannot be read', () => {
  const many = Array.from({ length: maxRows + 1 }, (_, i) => `Name ${i}`);

  expect(read('categories', 'name', ...many)).toMatch(/has 2,001 rows/);
  expect(read('categories', 'name', ...many.slice(1))).toHaveLength(maxRows);
  expect(read('categories', 'name')).toMatch(/has no rows/);
  expect(read('categories', '')).toMatch(/has no rows/);
  expect(read('categories', 'name', '"Hats')).toMatch(/line 2 has a quote that is never closed/);
  expect(readRows('categories', known, new Uint8Array([0x6e, 0xff, 0x0a]))).toMatch(/not UTF-8/);
  expect(readRows('categories', known, new Uint8Array([0x6e, 0, 0x61, 0]))).toMatch(/is UTF-16\./);
  expect(readRows('categories', known, new Uint8Array([0x50, 0x4b, 3, 4, 0x14, 0]))).toMatch(
    /^This file is a workbook .*Save it as "CSV UTF-8", and drop that\.$/,
  );
  expect(read('categories', '<?xml version="1.0"?>')).toMatch(/^This file is XML or a web page, not CSV\./);
});

test('a row keeps its cells as they stand in the file, each with the name of its column', () => {
  const [row] = readRows('categories', known, bytes("name,id\n'=Hats, x ")) as ImportRow[];

  expect(row?.cells).toEqual([
    ['name', "'=Hats"],
    ['id', ' x '],
  ]);
});
