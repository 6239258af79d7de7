import { beforeEach, expect, test } from 'vitest';
import { banCustomer, findCustomerItem, getCustomer } from '../../../../lib/avatars/customers.ts';
import { listStoredProducts } from '../../../../lib/catalogue/products.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { bob, cleo } from '../../../../test/support/residents.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();
let store: string;

beforeEach(async () => {
  store = await freshStore();
});

const reasons = async (name: string, text: string | Buffer): Promise<string[]> => {
  const { faults } = await importText(store, dir, name, text);
  return faults.map(({ line, reason }) => `line ${line}: ${reason}`);
};

test('refuses a file that ends within a character', async () => {
  const whole = Buffer.from('name,price,description\nChair,5,Red\nTable,6,Été 🎁');
  const before = await wholeTable();

  for (const cut of [1, 2, 3])
    await expect(importText(store, dir, 'products.csv', whole.subarray(0, -cut))).rejects.toThrow(
      /is not UTF-8: line 3 has an invalid byte/,
    );

  expect(await wholeTable()).toEqual(before);
  expect(await importText(store, dir, 'products.csv', whole)).toMatchObject({ created: 2 });
});

test('a file without a column for the reason lifts a ban and deletes its reason', async () => {
  await banCustomer(store, { uuid: cleo.uuid }, 'Rude');
  await banCustomer(store, { uuid: bob.uuid }, 'Loud');

  const report = await importText(store, dir, 'customers.csv', 'resident,isBanned\ncleo,false\nbob,true\n');
  const again = await importText(store, dir, 'customers.csv', 'resident,isBanned\ncleo,false\nbob,true\n');

  expect(report).toMatchObject({ changed: 1, unchanged: 1, rejected: 0 });
  expect(again).toMatchObject({ changed: 0, unchanged: 2 });
  expect(await getCustomer(store, { uuid: cleo.uuid })).toMatchObject({ isBanned: false });
  expect(await findCustomerItem(store, cleo.uuid)).not.toHaveProperty('banReason');
  expect(await findCustomerItem(store, bob.uuid)).toMatchObject({ isBanned: true, banReason: 'Loud' });
});

test('quotes a repeated value as the file has it', async () => {
  const sale = '{"resident":"bob","product":"A","price":1,"at":"2020-01-01T00:00:00Z"';
  await importText(store, dir, 'products.csv', 'name,price\nA,1\n');
  await importText(store, dir, 'purchases.ndjson', `${sale}}\n`);
  const made = (await wholeTable()).find(({ pk }) => String(pk).endsWith('#PURCHASE'))?.sk;

  expect(await reasons('categories.csv', 'id,name\n,Chairs\nC1,Lamps\n,Chairs\nC1,Tables\n')).toEqual([
    'line 4: name "Chairs" must be unique, or the rows must have ids: line 2 has it too',
    'line 5: id "C1" must be unique: line 3 has it too',
  ]);
  expect(await reasons('credit.csv', 'resident,amount\nbob,1\nBob Resident,2\n')).toEqual([
    'line 3: resident "Bob Resident" must be unique: line 2 has it too',
  ]);
  expect(await reasons('purchases.ndjson', `${sale},"id":"${made}"}\n${sale}}\n`)).toEqual([
    'line 2: the row is the same as line 1: give it an id if it is another row',
  ]);
});

test('skips rows that a spreadsheet leaves empty, and still counts lines correctly', async () => {
  const text = 'name,price,description\nA,1,\n,,\n , ,\n,,"\r\n"\nB,x,\n,,,,,\n';

  expect(await reasons('products.csv', text)).toEqual([
    'line 7: price "x" must be a whole number from 0 to 2147483647',
  ]);
  expect(await importText(store, dir, 'products.csv', text.replace('x', '2'))).toMatchObject({ rows: 2, created: 2 });
});

test('null in place of an object means the default of each member', async () => {
  const odd = { copy: false, modify: true, transfer: true };
  const row = { id: 'P1', name: 'A', price: 1, permissions: odd, discount: { value: 5 } };
  await importText(store, dir, 'products.ndjson', JSON.stringify(row));

  const report = await importText(
    store,
    dir,
    'products.ndjson',
    JSON.stringify({ ...row, permissions: null, discount: null }),
  );

  expect(report).toMatchObject({ changed: 1, rejected: 0 });
  expect(await listStoredProducts(store)({ descending: false })).toMatchObject([
    { permissions: { copy: true, modify: false, transfer: false }, discount: { value: 0, type: 0 } },
  ]);
});
