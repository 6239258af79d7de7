import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createProduct, listStoredProducts } from '../../../../lib/catalogue/products.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { ada, bob } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { exportKind } from '../../data/export.ts';
import { importText } from '../support/import-files.ts';
import { kindOf } from '../support/kinds.ts';

const dir = tempDir();
let store: string;

beforeEach(async () => {
  store = await freshStore();
});

/** Exports the products. Returns the file. */
const exported = async (format: 'csv' | 'ndjson'): Promise<string> => {
  const path = join(dir, `exported.${format}`);
  await exportKind(kindOf('products'), store, path, format);
  return readFileSync(path, 'utf8');
};

describe('an ambiguous number is refused with the way to write it', () => {
  const hint = ', in digits only, such as 1000: without separators of thousands, and without zeros behind a point';

  test.each([
    ['price', '1.000', `price "1.000" must be a whole number from 0 to 2147483647${hint}`],
    ['price', '1.000.000', `price "1.000.000" must be a whole number from 0 to 2147483647${hint}`],
    ['price', '"1,000"', `price "1,000" must be a whole number from 0 to 2147483647${hint}`],
    ['price', '100.0', `price "100.0" must be a whole number from 0 to 2147483647${hint}`],
    ['price', '2.5', 'price "2.5" must be a whole number from 0 to 2147483647'],
    ['availableAmount', '1.000', `availableAmount "1.000" must be a whole number from 0 to 2147483647${hint}`],
    [
      'discount.value',
      '1.000',
      `discount.value "1.000" must be a number from 0 to 100 for type 0, or a whole number of L$ from 0 to 2147483647 for types 1 and 2${hint}`,
    ],
  ])('%s: %s', async (column, cell, reason) => {
    const before = await wholeTable();

    const text = column === 'price' ? `name,price\nA,${cell}\n` : `name,price,${column}\nA,5,${cell}\n`;
    const report = await importText(store, dir, 'products.csv', text);

    expect(report.faults.map((fault) => fault.reason)).toEqual([reason]);
    expect(await wholeTable()).toEqual(before);
  });

  test.each(['ada.lovelace:60:bob:40', 'bob:0x10', 'bob:1.000', 'bob:60%', 'bob:', 'bob'])(
    'a share: %s',
    async (cell) => {
      const report = await importText(store, dir, 'products.csv', `name,price,profitShares\nA,5,${cell}\n`);

      expect(report.faults.map(({ reason }) => reason)).toEqual([
        `profitShares ["${cell}"] must be users with their percentages, such as ada.lovelace:60;bob:40`,
      ]);
    },
  );
});

test('small percentages survive a CSV file, and those that a spreadsheet wrote are read', async () => {
  const discount = { value: 5e-7, type: 0 as const, startDate: null, endDate: null };
  const profitShares = [{ userUuid: ada.uuid, percent: 1.25e-7 }];
  await createProduct(store, productWith({ discount, profitShares }));
  const text = await exported('csv');
  const before = await wholeTable();

  const again = await importText(store, dir, 'products.csv', text);
  await importText(store, dir, 'products.csv', text.replace('0.0000005', '5E-07'));

  expect(text).toContain(',0.0000005,');
  expect(text).toContain(`,${ada.uuid}:0.000000125,`);
  expect(again).toMatchObject({ unchanged: 1, rejected: 0 });
  expect(await wholeTable()).toEqual(before);
});

test('an NDJSON export does not depend on the order of the members of shares in the table', async () => {
  const profitShares = [
    { userUuid: ada.uuid, percent: 60 },
    { userUuid: bob.uuid, percent: 40 },
  ];
  await createProduct(store, productWith({ profitShares }));
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the table, unparsed.
  const sorted = (value: any, sign: number): unknown => {
    if (Array.isArray(value)) return value.map((item) => sorted(item, sign));
    if (!value || typeof value !== 'object') return value;
    const members = Object.entries(value).map(([name, inner]) => [name, sorted(inner, sign)] as const);
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -sign : sign)));
  };
  const exports: { text: string; members: string[] }[] = [];

  for (const sign of [1, -1]) {
    const mend = intercept(async (_, send) => {
      const { output, ...answer } = await send();
      return { ...answer, output: output?.Items ? { ...output, Items: sorted(output.Items, sign) } : output };
    });
    const [stored] = await listStoredProducts(store)({ descending: false });
    exports.push({ text: await exported('ndjson'), members: Object.keys(stored?.profitShares[0] ?? {}) });
    mend();
  }

  const [first, second] = exports;
  expect(first?.members).toEqual(second?.members.toReversed());
  expect(first?.text).toBe(second?.text);
});
