import { describe, expect, test } from 'vitest';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { ada, unknownUuid } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();

const store = await freshStore();
await createProduct(store, productWith({ name: 'There' }), { id: unknownUuid });

/** Imports a file that has bad rows. Returns the message of each, and checks that the table has not changed. */
const faults = async (name: string, contents: string): Promise<string[]> => {
  const before = await wholeTable();
  const report = await importText(store, dir, name, contents);
  expect(report.imported).toBe(false);
  expect(await wholeTable()).toEqual(before);
  return report.faults.map(({ line, reason }) => `line ${line}: ${reason}`);
};

const names = 'name,price\n';

describe('a bad row is reported with its line, its field, the value and the allowed values', () => {
  test('invalid values', async () => {
    expect(
      await faults(
        'products.csv',
        'name,price,listed,image,discount.value,discount.type,discount.startDate,item\n' +
          'A,"12,50",true,,,,,\n' +
          ',5,maybe,abc,,,,\n' +
          'B,5,,,200,0,,\n' +
          'C,5,,,1,7,tomorrow,a|b\n',
      ),
    ).toEqual([
      'line 2: price "12,50" must be a whole number from 0 to 2147483647',
      'line 3: name is empty: it must be text of 1 to 255 characters without control characters',
      'line 3: image "abc" must be a UUID',
      'line 3: listed "maybe" must be true or false',
      expect.stringMatching(/^line 4: discount.value 200 must be a number from 0 to 100/),
      expect.stringMatching(/^line 5: discount.type 7 must be 0/),
      expect.stringMatching(/^line 5: discount.startDate "tomorrow" must be a day such as 2030-01-31, or a time/),
      expect.stringMatching(/^line 5: item "a\|b" must be 1 to 63 printable ASCII characters/),
    ]);
  });

  test('a field of 1 MB, shortened', async () => {
    expect(await faults('products.csv', `${names}A,5\n${'y'.repeat(1_000_000)},5\n`)).toEqual([
      `line 3: name "${'y'.repeat(60)}... (1000000 characters)" must be text of 1 to 255 characters without control characters`,
    ]);
  });

  test('a NUL character', async () => {
    expect(await faults('products.csv', `${names}Cha\0ir,5\n`)).toEqual([
      'line 2: name "Cha\\u0000ir" must be text of 1 to 255 characters without control characters',
    ]);
  });

  test('too few and too many values', async () => {
    expect(await faults('products.csv', `${names}A\nB,1,2\n`)).toEqual([
      'line 2: the row must have 2 values, as the first line has: it has 1',
      'line 3: the row must have 2 values, as the first line has: it has 3',
    ]);
  });

  test('the line where a row begins, behind empty rows and rows of several lines', async () => {
    expect(
      await faults('products.csv', 'description,name,price\r\n"one\r\ntwo",A,1\r\n\r\n"x\ny\nz",B,no\nq,C,no\n'),
    ).toEqual([
      'line 5: price "no" must be a whole number from 0 to 2147483647',
      'line 8: price "no" must be a whole number from 0 to 2147483647',
    ]);
  });

  test('a purchase in the future', async () => {
    expect(await faults('purchases.csv', 'resident,product,price,at\nbob,Lamp,1,2999-01-01T01:00:00+01:00\n')).toEqual([
      'line 2: at "2999-01-01T01:00:00+01:00" must not be in the future: correct the time, or import the purchase later',
    ]);
  });

  test('duplicate keys', async () => {
    expect(await faults('products.csv', 'id,name,price\nx,A,1\n,B,1\nx,C,1\n,B,2\n')).toEqual([
      'line 4: id "x" must be unique: line 2 has it too',
      'line 5: name "B" must be unique, or the rows must have ids: line 3 has it too',
    ]);
    expect(await faults('coupons.csv', 'code,owner\nSUMMER,bob\nsummer,ada.lovelace\n')).toEqual([
      'line 3: code "summer" must be unique: line 2 has it too',
    ]);
    expect(await faults('customers.csv', `resident,discount\n${ada.uuid},5\nAda Lovelace,6\n`)).toEqual([
      'line 3: resident "Ada Lovelace" must be unique: line 2 has it too',
    ]);
    expect(
      await faults('residents.csv', `uuid,username,formerNames\n${unknownUuid},zed,old;bobby\n${ada.uuid},old,\n`),
    ).toEqual(['line 3: username or formerNames "old" must be unique: line 2 has it too']);
  });

  test('unknown residents, products and categories', async () => {
    const nobody = 'is not a known resident: import residents first, or correct the name';
    expect(await faults('customers.csv', `resident\nNobody Here\n${unknownUuid}\nnot a name at all\n`)).toEqual([
      `line 2: resident "nobody.here" ${nobody}`,
      `line 3: resident "${unknownUuid}" ${nobody}`,
      'line 4: resident "not a name at all" must be a username (first, first.last or first last) or an avatar UUID',
    ]);
    const unknown = (what: string, kind: string) =>
      `must be ${what} of the store, by UUID or by what it was imported by: the id of its row, ` +
      `else the name. Import it first, or look its UUID up with store export ${kind}`;
    // The product There has this name, but was not imported by it.
    for (const product of ['No such', 'There'])
      expect(
        await faults('purchases.csv', `resident,product,price,at\nbob,${product},1,2026-01-01T00:00:00Z\n`),
      ).toEqual([`line 2: product "${product}" ${unknown('a product', 'products')}`]);
    expect(
      await faults(
        'products.csv',
        'name,price,demoId,categories,profitShares\nA,1,B,,\nC,1,,Chairs,\nD,1,D,,\nE,1,,,zoe:5\nF,1,,,bob;ada:5\n',
      ),
    ).toEqual([
      'line 2: demoId "B" must be another product of the store or file',
      `line 3: categories "Chairs" ${unknown('categories', 'categories')}`,
      'line 4: demoId "D" must be another product of the store or file',
      `line 5: profitShares "zoe" ${nobody}`,
      expect.stringMatching(
        /^line 6: profitShares .* must be users with their percentages, such as ada.lovelace:60;bob:40$/,
      ),
    ]);
  });

  test('a long chain of products that show the next one, the last of which is missing', async () => {
    const rows = Array.from({ length: 15_000 }, (_, i) => `p${i},P ${i},5,p${i + 1}`);

    const found = await faults('products.csv', ['id,name,price,demoId', ...rows].join('\n'));

    expect(found).toHaveLength(rows.length);
    expect(found.at(-1)).toBe('line 15001: demoId "p15000" must be another product of the store or file');
  });

  test('lots and bans that contradict themselves', async () => {
    const head = 'resident,amount,expiresAt,remaining,state,endedAt\n';
    expect(
      await faults(
        'credit.csv',
        `${head}bob,0,2030-01-01T00:00:00Z,,,\nbob,5,2030-01-01T00:00:00Z,6,,\nbob,5,2030-01-01T00:00:00Z,1,drained,\n` +
          'bob,5,2030-01-01T00:00:00Z,,open,2030-01-01T00:00:00Z\nbob,5,,4,,\nbob,5,2030-01-01T00:00:00Z,0,expired,\n',
      ),
    ).toEqual([
      'line 2: amount 0 must be at least 1 for a lot',
      'line 3: remaining 6 must be at most the amount',
      'line 4: remaining 1 must be 0 or empty for a lot that is drained',
      'line 5: endedAt "2030-01-01T00:00:00.000Z" must be empty for a lot that is open',
      'line 6: remaining 4 must be empty where there is no expiresAt',
      'line 7: remaining 0 must be over 0; a lot with nothing left is drained',
    ]);
    expect(await faults('customers.csv', 'resident,banReason\nbob,Rude\n')).toEqual([
      'line 2: banReason "Rude" must be empty where isBanned is false',
    ]);
  });

  test('NDJSON lines that are no objects, or have unknown members', async () => {
    expect(
      await faults(
        'products.ndjson',
        '{"name":"A","price":1}\n{"name":"B",\n[1]\n{"name":"C","price":"1","colour":"red","discount":{"worth":1}}\n{"name":"D","price":"1"}\n{"price":1}',
      ),
    ).toEqual([
      'line 2: the row "{\\"name\\":\\"B\\"," must be a JSON object on one line',
      'line 3: the row "[1]" must be a JSON object on one line',
      expect.stringMatching(/^line 4: colour "red" is no member of products\. There are id, name,/),
      expect.stringMatching(/^line 4: discount.worth 1 is no member of products\. There are id, name,/),
      'line 5: price "1" must be a whole number from 0 to 2147483647',
      'line 6: name is empty: it must be text of 1 to 255 characters without control characters',
    ]);
  });
});
