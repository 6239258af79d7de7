import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident, forgive } = useDesk();

/** Gives the page a file, as a person who drops or chooses it. */
const drop = (page: Page, name: string, ...lines: string[]) =>
  page.locator('input[type=file]').setInputFiles({
    name,
    mimeType: 'text/csv',
    buffer: Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`),
  });

const outcomes = async (page: Page): Promise<string[]> => {
  await page.getByRole('table').waitFor();
  return page.locator('tbody tr').evaluateAll((rows) =>
    rows.map((row) => {
      const cell = (at: number): string => row.querySelectorAll('td')[at]?.textContent ?? '';
      return `${cell(1)} ${cell(0)}: ${cell(2)}`;
    }),
  );
};

const productNamed = async (name: string) =>
  (await call('GET', `/products?search=${encodeURIComponent(name)}`)).data[0];

test('the file that the products page exports changes nothing where it is imported', async () => {
  await call('POST', '/products', {
    ...{ name: '=1+1; "Quoted"', item: '@Lamp', price: 90, description: 'Two\nlines', active: false },
    profitShares: [{ userUuid: resident().uuid, percent: 12.5 }],
    discount: { value: 10, type: 0, startDate: '2026-01-01T00:00:00.000Z', endDate: '2099-01-01T00:00:00.000Z' },
  });
  const page = await signIn(wide, '/products?active=no');
  await page.getByRole('table').waitFor();
  const save = async () => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    return readFile(await file.path(), 'utf8');
  };
  const inactive = await save();
  await page.evaluate(() => location.assign('#/products'));
  await page.getByRole('link', { name: 'Wool winter coat' }).waitFor();
  const onSale = await save();
  const all = [...onSale.split('\r\n').slice(1, -1), ...inactive.split('\r\n').slice(1, -1)];
  await page.evaluate(() => location.assign('#/settings'));
  await page.getByRole('link', { name: 'Import products' }).click();
  await drop(page, 'products.csv', onSale.split('\r\n')[0]?.replace(/^\ufeff/, '') ?? '', ...all);

  expect(inactive).toContain("'=1+1");
  await page.getByText(`0 new, 0 to change, ${all.length} stay as they are, 0 cannot be imported`).waitFor();
});

describe.each(screens)('on a %s', (_, size) => {
  test('imports products after a look at each change, and finds all of them unchanged the next time', async () => {
    const own = randomUUID().slice(0, 8);
    const category = await call('POST', '/categories', { name: `Coats ${own}` });
    const known = await call('POST', '/products', {
      name: `Coat ${own}`,
      item: 'Coat',
      price: 650,
      description: 'Warm',
    });
    const file = [
      'name;price;item;demoId;categories',
      `Coat ${own};700;Coat;Demo ${own};Coats ${own}`,
      `Demo ${own};0;Demo;;`,
      `Broken ${own};1.000;Coat;;`,
      `Lost ${own};5;Coat;;Nowhere`,
    ];
    const page = await signIn(size, '/settings');
    await freeOfBarriers(page);
    await page.getByRole('link', { name: 'Import products' }).click();
    await freeOfBarriers(page);
    await drop(page, 'products.csv', ...file);

    expect(await outcomes(page)).toEqual([
      `2 Coat ${own}: Changes`,
      `3 Demo ${own}: New`,
      `4 Broken ${own}: Cannot be imported`,
      `5 Lost ${own}: Cannot be imported`,
    ]);
    await page.getByText('650 → 700').waitFor();
    await page.getByText('Column price, “1.000”: Enter digits only').waitFor();
    await page.getByText('There is no category Nowhere').waitFor();
    await page.getByText('1 new, 1 to change, 0 stay as they are, 2 cannot be imported').waitFor();
    await freeOfBarriers(page);
    expect(await productNamed(`Demo ${own}`)).toBeUndefined();
    await page.getByRole('button', { name: 'Import the other 2 lines' }).click();

    await page.getByText('2 of 4 lines were imported. 2 failed: see below.').waitFor();
    const [failed] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save 2 failed lines' }).click(),
    ]);
    expect(await readFile(await failed.path(), 'utf8')).toMatch(
      /^\ufeffname,price,item,demoId,categories,reason\r\nBroken \w+,1\.000,Coat,,,"Column price, “1\.000”.*\r\nLost \w+,5,Coat,,Nowhere,"There is no.*\r\n$/,
    );
    const demo = await productNamed(`Demo ${own}`);
    expect(await call('GET', `/products/${known.id}`)).toMatchObject({
      price: 700,
      description: 'Warm',
      demoId: demo.id,
    });
    expect(await call('GET', `/categories/${category.id}`)).toMatchObject({ productCount: 1 });
    await page.getByRole('button', { name: 'Another file' }).click();
    await drop(page, 'products.csv', ...file.slice(0, 3));
    await page.getByText('0 new, 0 to change, 2 stay as they are, 0 cannot be imported').waitFor();
  });
});

test('leaves the copies of a limited product, and sets them once a person says so', async () => {
  const name = `Edition ${randomUUID().slice(0, 8)}`;
  const { id } = await call('POST', '/products', { name, price: 10, limited: true, availableAmount: 6 });
  const copies = async () => (await call('GET', `/products/${id}`)).availableAmount;
  const page = await signIn(wide, '/import/products');
  await drop(page, 'products.csv', 'name,price,availableAmount', `${name},10,20`);

  expect(await outcomes(page)).toEqual([`2 ${name}: Stays`]);
  await page.getByText('Copies stay: 6 here, 20 in the file.').waitFor();
  await freeOfBarriers(page);
  await page.getByLabel('Set copies of limited products').check();
  await page.getByText('6 → 20').waitFor();
  expect(await copies()).toBe(6);
  await page.getByRole('button', { name: 'Import 1 line' }).click();
  await page.getByText('1 of 1 line was imported.').waitFor();

  expect(await copies()).toBe(20);
});

test('gives credit by a file once, goes on after a failed call, and knows each line the next time', async () => {
  const people = [resident(), resident(), resident()];
  await call('POST', `/customers/${people[1]?.uuid}/actions/increment-credit`, { delta: 40 });
  const run = `SUMMER-${randomUUID().slice(0, 8)}`;
  const file = [
    'resident,amount,type',
    `${people[0]?.username},100,`,
    `${people[1]?.uuid},200,`,
    `${people[2]?.username},300,restricted`,
    'nobody.atall,5,',
  ];
  const page = await signIn(wide, '/import/credit');
  await drop(page, `${run}.csv`, ...file);
  expect(await page.getByLabel('Name of this run').inputValue()).toBe(run);
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByText('Enter a name for this run and a reason.').waitFor();
  await page.getByLabel('Reason').fill('Summer bonus');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByText('3 lines give L$\u00a0600, 0 lines were given already, 1 cannot be given').waitFor();
  await page.getByText('L$\u00a040 → L$\u00a0240').waitFor();
  await freeOfBarriers(page);
  // The service gives the credit of the first line, but no answer to any call reaches the page.
  const [first] = people;
  let isCut = true;
  await page.route('**/increment-*credit', async (route) => {
    if (!isCut) return route.fallback();
    if (route.request().url().includes(`/${first?.uuid}/`)) await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Give L$\u00a0600' }).click();
  await page.getByRole('alert').getByText('Stopped.').waitFor();
  isCut = false;
  await page.reload();

  await drop(page, `${run}.csv`, ...file);
  await page.getByLabel('Reason').fill('Summer bonus');
  const noted = async () => (await call('GET', `/customers/${people[0]?.uuid}/credit/history`)).data.length;
  await expect.poll(noted, { timeout: 60_000 }).toBe(1);
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByText(/lines? gives? L\$\u00a0\d+, \d lines? (was|were) given already/).waitFor();
  await page.getByRole('button', { name: /^Give L\$/ }).click();
  await page.getByText(/^\d of 4 lines (?:was|were) given\..* 1 failed: see below\.$/).waitFor();
  for (const [place, wanted] of [
    [0, { credit: 100, restrictedCredit: 0 }],
    [1, { credit: 240, restrictedCredit: 0 }],
    [2, { credit: 0, restrictedCredit: 300 }],
  ] as const)
    expect(await call('GET', `/customers/${people[place]?.uuid}/credit`)).toMatchObject(wanted);
  forgive(/ERR_FAILED|status of 404/);
});

test('imports categories, renames one by its id, and names the column that was meant', async () => {
  const own = randomUUID().slice(0, 8);
  const known = await call('POST', '/categories', { name: `Hats ${own}` });
  const page = await signIn(wide, '/import/categories');
  await drop(page, 'categories.csv', 'nam', `Caps ${own}`);
  await page.getByRole('alert').getByText('there is no column "nam". Did you mean name?').waitFor();
  await drop(page, 'categories.csv', 'id,name', `${known.id},Warm hats ${own}`, `,Caps ${own}`, `,Caps ${own}`);

  expect(await outcomes(page)).toEqual([
    `2 Warm hats ${own}: Changes`,
    `3 Caps ${own}: New`,
    `4 Caps ${own}: Cannot be imported`,
  ]);
  await page.getByRole('button', { name: 'Import the other 2 lines' }).click();
  await page.getByText('2 of 3 lines were imported. 1 failed: see below.').waitFor();
  expect(await call('GET', `/categories/${known.id}`)).toMatchObject({ name: `Warm hats ${own}` });
});

test('refuses more lines than it takes, and shows the command', async () => {
  const page = await signIn(wide, '/import/products');
  await drop(page, 'many.csv', 'name,price', ...Array.from({ length: 2001 }, (_, i) => `Product ${i},1`));

  await page.getByText('This file has 2,001 rows, and the desk takes 2,000.').waitFor();
  await page.getByText('npx store import products products.csv --dry-run').waitFor();
});
