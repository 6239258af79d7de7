import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { freshTable, wholeTable } from '../../../../test/support/service.ts';
import { importFile } from '../../data/import.ts';
import type { ImportFile } from '../../kinds/kind.ts';
import { importFiles } from '../../kinds/kinds.ts';

/** The calls of the table that a file of 300 rows costs: new, given again, and with another value in each row. */

const rows = 300;
const at = '2020-05-05T00:00:00Z';
const uuid = (number: number): string => `${String(number).padStart(8, '0')}-0bad-4000-8000-000000000000`;
const category = (i: number): string => uuid(900_000 + (i % 5));
const product = (i: number): string => uuid(800_000 + i);

type Row = (i: number, value: number) => object;

/** In the order in which they refer to each other: BatchGetItem, Query and TransactWriteItems of each file. */
const files: readonly [kind: string, count: number, row: Row, made: string, again: string, changed: string][] = [
  ['residents', rows, (i) => ({ uuid: uuid(i), username: `person${i}` }), '27 6 6', '24 6 0', '24 6 0'],
  ['categories', 5, (i, value) => ({ id: category(i), name: `${i} ${value}` }), '2 5 1', '2 0 0', '2 0 1'],
  [
    'products',
    rows,
    (i, value) => ({ id: product(i), name: `${i}`, price: 10 + value, limited: i > 9, categories: [category(i)] }),
    '36 14 18',
    '6 14 0',
    '6 14 3',
  ],
  ['customers', rows, (i, value) => ({ resident: uuid(i), discount: value + 1 }), '18 0 3', '18 0 0', '18 0 3'],
  ['credit', rows, (i) => ({ resident: uuid(i), amount: 10 }), '12 0 3', '12 0 0', '12 0 0'],
  ['coupons', rows, (i, value) => ({ code: `C${i}`, owner: uuid(i), discount: value }), '18 0 6', '18 0 0', '18 0 3'],
  [
    'giftcards',
    rows,
    (i, value) => ({ id: uuid(700_000 + i), owner: uuid(i), credit: 1 + value }),
    '15 0 3',
    '12 0 0',
    '15 0 3',
  ],
  [
    'purchases',
    rows,
    (i) => ({ id: `${i}`, resident: uuid(i % 100), product: product(i), price: 5, at }),
    '36 0 12',
    '36 0 0',
    '36 0 0',
  ],
  [
    'sales',
    rows,
    (i) => ({ id: `${i}`, product: product(i), buyer: uuid(i % 100), base: 5, total: 5, paid: 5, at }),
    '36 0 12',
    '36 0 0',
    '36 0 0',
  ],
];

const dir = tempDir();
let stop = () => {};
beforeAll(freshTable);
afterEach(() => stop());

const callsOf = async (store: string, kind: string, text: string): Promise<string> => {
  const path = join(dir, `${kind}.ndjson`);
  writeFileSync(path, text);
  const counts = new Map<string, number>();
  stop = intercept(async ({ operation }, send) => {
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    return send();
  });
  await importFile(importFiles.find(({ name }) => name === kind) as ImportFile, store, path);
  stop();
  return ['BatchGetItem', 'Query', 'TransactWriteItems'].map((operation) => counts.get(operation) ?? 0).join(' ');
};

test('a file costs these calls, however often it is given', async () => {
  const { id: store } = await createStore('Calls');
  const found: Record<string, string[]> = {};
  for (const value of [0, 0, 1])
    for (const [kind, count, row] of files) {
      const text = Array.from({ length: count }, (_, i) => JSON.stringify(row(i, value))).join('\n');
      found[kind] = [...(found[kind] ?? []), await callsOf(store, kind, text)];
    }

  expect(found).toEqual(Object.fromEntries(files.map(([kind, , , ...calls]) => [kind, calls])));
  // Nothing of a row lies in an item but what its kind has.
  for (const item of await wholeTable(`${store}#PURCHASE`))
    expect(Object.keys(item).sort()).toEqual(['at', 'pk', 'price', 'productId', 'sk', 'uuid']);
});
