import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { now, timestamp } from '../../../../lib/clock.ts';
import { movedBy, newPayee } from '../../../../lib/payout/payees.ts';
import { categoryKey, payeeKey } from '../../../../lib/table/keys.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { payoutRows } from '../../../../test/support/payout-rows.ts';
import { cleo } from '../../../../test/support/residents.ts';
import { putAll } from '../../../../test/support/seed.ts';
import { importText } from '../../../cli/test/support/import-files.ts';
import { money } from '../../format.ts';
import { useDesk, wide } from './desk.ts';

/** A store with more of each thing than the service answers at once, which is a thousand. */

const { call, signIn } = useDesk();

const uuid = (n: number): string => `abcdef00-7e57-4000-8000-${String(n).padStart(12, '0')}`;
const times = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const storeId = async (): Promise<string> => (await call('GET', '/store')).id;

/** All rows of a list, as the service answers them. */
const everyRow = async (path: string) => {
  const found: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const { data, pagination } = await call('GET', `${path}limit=1000${cursor}`);
    found.push(...data);
    if (pagination.nextCursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(pagination.nextCursor)}`;
  }
};

/** Presses the first Export, and answers the lines of the file, without the line of its columns. */
const exported = async (page: Page): Promise<string[]> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).first().click(),
  ]);
  return readFileSync(await file.path(), 'utf8')
    .split('\r\n')
    .slice(1, -1);
};

test('the sum of what is owed counts everybody, shows the most, and exports all', async () => {
  const store = await storeId();
  const at = timestamp(now() - 3_600_000);
  const payees = times(5500, (n) =>
    movedBy(newPayee(payeeKey(store, uuid(n)), `many${n}.tester`), { owed: 10 + n }, at),
  );
  await putAll([...payees, ...payoutRows(store, cleo, times(1200, uuid), 'a key')]);
  const all = await everyRow('/payees?owed=true&');
  const owed = all.reduce((sum, row) => sum + Number(row.owed), 0);

  const page = await signIn(wide, '/payouts');

  await page.getByText('You owe').waitFor();
  expect(await page.locator('dl.facts').first().textContent()).toContain(money(owed));
  await page.getByText(`The 100 of ${all.length.toLocaleString('en')} who are owed most.`).waitFor();
  await page.getByText('The newest 100 of 1,2').waitFor();
  const table = page.getByRole('table', { name: 'Who is owed L$' });
  expect(await table.locator('tbody tr').count()).toBe(100);
  expect(await table.locator('tbody tr').first().textContent()).toContain(money(5509));
  expect(await exported(page)).toHaveLength(all.length);
});

test('products can be narrowed by every category', async () => {
  const store = await storeId();
  await putAll(
    times(1500, (n) => ({ ...categoryKey(store, uuid(n)), id: uuid(n), name: `Kind ${n}`, productCount: 0 })),
  );
  const all = await everyRow('/categories?');

  const page = await signIn(wide, '/products');

  await page.getByRole('combobox', { name: 'Category' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Category' }).locator('option').count()).toBe(1 + all.length);
});

test('an export reads the names of buyers from the list of customers, not one by one', async () => {
  const store = await storeId();
  const dir = tempDir();
  const at = timestamp(now() - 3_600_000);
  const { id: product } = await call('POST', '/products', { name: 'Sold a lot', price: 5 });
  const sale = (n: number): string => `${n},completed,${product},${uuid(n)},5,5,5,none,0,0,${at}`;
  const columns = 'id,state,product,buyer,base,total,paid,discount.source,discount.percent,coupon.ownerProfit,at';
  await importText(
    store,
    dir,
    'residents.csv',
    `uuid,username\n${times(1200, (n) => `${uuid(n)},many${n}.tester`).join('\n')}`,
  );
  await importText(store, dir, 'sales.csv', `${columns}\n${times(1200, sale).join('\n')}`);
  const page = await signIn(wide, `/sales?product=${product}`);
  await page.getByRole('link', { name: 'many1' }).first().waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));

  const lines = await exported(page);

  expect(lines).toHaveLength(1200);
  expect(lines.filter((line) => !/,Sold a lot,many\d+\.tester,/.test(line))).toEqual([]);
  expect(asked.length).toBeLessThan(20);
});
