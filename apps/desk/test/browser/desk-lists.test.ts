import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { categoryKey } from '../../../../lib/table/keys.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { putAll } from '../../../../test/support/seed.ts';
import { importText } from '../../../cli/test/support/import-files.ts';
import type { SaleResponse } from '../../../client/client.ts';
import { earnedBy } from '../../../shared/earnings.ts';
import { money } from '../../format.ts';
import { freeOfBarriers, phone, pressInMore, screens, useDesk, wide } from './desk.ts';

/** Lists in a store of its own: 1,201 products, three of each price, and 2,001 categories. */

const { service, call, signIn, forgive } = useDesk();

const times = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const uuid = (n: number): string => `abcdef00-7e57-4000-8000-${String(n).padStart(12, '0')}`;

/** The products of the store, each with another place in the order of the API than in that of prices. */
const products = times(1201, (n) => ({ id: uuid((n * 7) % 1201), name: `Ware ${n}`, price: 10 * Math.floor(n / 3) }));

let key: string;
beforeAll(async () => {
  const store = (await createStore('Lists')).id;
  key = (
    await issueKey({
      store,
      name: 'Lists',
      scopes: ['products:read', 'products:write', 'categories:read'],
      stage: 'test',
    })
  ).text;
  const lines = products.map(({ id, name, price }) => `${id},${name},${price}`);
  await importText(store, tempDir(), 'products.csv', ['id,name,price', ...lines, ''].join('\n'));
  await putAll(
    times(2001, (n) => ({ ...categoryKey(store, uuid(n)), id: uuid(n), name: `Kind ${n}`, productCount: 0 })),
  );
});

const settled = (page: Page): Promise<void> => page.locator('main:not(:has(.waiting, [aria-busy=true]))').waitFor();
const names = (page: Page): Promise<string[]> => page.locator('.table tbody .name a').allInnerTexts();
const foot = (page: Page) => page.locator('.table tfoot');
const head = (page: Page, name: string) => page.getByRole('columnheader', { name }).getByRole('button');

const namesBy = (compare: (a: (typeof products)[number], b: (typeof products)[number]) => number): string[] =>
  [...products].sort((a, b) => compare(a, b) || (a.id < b.id ? -1 : 1)).map(({ name }) => name);

test('1,201 products are sorted by price, both ways, equal prices by id, and the address keeps the order', async () => {
  const page = await signIn(wide, '/products', key);
  await foot(page).getByText('1,201 in all').waitFor();
  await page.getByText('1 – 50 of 1,201').waitFor();
  expect(await page.getByRole('columnheader', { name: 'Price' }).getAttribute('aria-sort')).toBe('none');

  await head(page, 'Price').click();
  await page.getByText('Sorted by price, largest first.').waitFor({ state: 'attached' });
  const falling = namesBy((a, b) => b.price - a.price);
  await expect.poll(() => names(page)).toEqual(falling.slice(0, 50));
  expect(await page.getByRole('columnheader', { name: 'Price' }).getAttribute('aria-sort')).toBe('descending');
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByText('51 – 100 of 1,201').waitFor();
  expect(await names(page)).toEqual(falling.slice(50, 100));

  await head(page, 'Price').focus();
  await page.keyboard.press('Enter');
  await page.getByText('Sorted by price, smallest first.').waitFor({ state: 'attached' });
  const rising = namesBy((a, b) => a.price - b.price);
  await expect.poll(() => names(page)).toEqual(rising.slice(0, 50));
  expect(page.url()).toContain('sort=price');
  await page.reload();
  await foot(page).getByText('1,201 in all').waitFor();
  expect(await names(page)).toEqual(rising.slice(0, 50));
  await page.goBack();
  await expect.poll(() => names(page)).toEqual(falling.slice(50, 100));
});

test('names sort by the numbers in them, and a list of 2,001 rows keeps plain heads and says why', async () => {
  const page = await signIn(wide, '/products?sort=name', key);
  await foot(page).getByText('1,201 in all').waitFor();
  expect(await names(page)).toEqual(times(50, (n) => `Ware ${n}`));
  let calls = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v1/categories')) calls += 1;
  });

  await page.evaluate(() => location.assign('#/categories?sort=-name'));

  await foot(page).getByText('Narrow the list to sort it.').waitFor();
  expect(await page.locator('th button').count()).toBe(0);
  expect(await page.locator('.table tbody tr').count()).toBe(50);
  // The first page, and twice a thousand. Nobody asks for the rest.
  expect(calls).toBe(3);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'Back' }).waitFor();
  await page.getByRole('link', { name: 'Kind 50', exact: true }).waitFor();
});

test('a list whose reading fails stays plain and says nothing of it, and one that is left is read no further', async () => {
  const page = await signIn(wide, '/', key);
  await page.route('**/v1/products?*limit=1000*', (route) =>
    route.fulfill({ status: 429, headers: { 'Retry-After': '0' }, json: { title: 'Too many', status: 429 } }),
  );
  forgive(/status of 429/);

  await page.evaluate(() => location.assign('#/products?sort=-price'));

  await page.locator('.table tbody tr').nth(49).waitFor();
  await expect.poll(() => foot(page).count()).toBe(0);
  expect([await page.locator('th button').count(), await page.getByRole('alert').count()]).toEqual([0, 0]);

  await page.unroute('**/v1/products?*limit=1000*');
  await page.evaluate(() => location.assign('#/categories'));
  await foot(page).getByText('Narrow the list to sort it.').waitFor();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  let calls = 0;
  await page.route('**/v1/products?*limit=1000*', async (route) => {
    calls += 1;
    await left;
    await route.continue().catch(() => undefined);
  });
  await page.evaluate(() => location.assign('#/products'));
  await expect.poll(() => calls).toBe(1);
  await page.evaluate(() => location.assign('#/categories'));
  leave();
  await foot(page).getByText('Narrow the list to sort it.').waitFor();
  expect(calls).toBe(1);
});

test('the sums of the foot are those of all rows over the API, on each page of the list', async () => {
  const { data }: { data: SaleResponse[] } = await call('GET', '/sales?limit=1000');
  expect(data.length).toBeGreaterThan(25);
  const sum = (of: (sale: SaleResponse) => number): string => money(data.reduce((all, sale) => all + of(sale), 0));
  const expected = [
    sum(({ credit, restrictedCredit }) => credit + restrictedCredit),
    sum((sale) => earnedBy(sale).paid - earnedBy(sale).refunded),
    sum((sale) => earnedBy(sale).shares + earnedBy(sale).commissions),
    sum((sale) => earnedBy(sale).yours),
  ];
  const page = await signIn(wide, '/sales?sort=-yours');
  const sums = () => foot(page).locator('td.is-number').allInnerTexts();

  await foot(page)
    .getByText(/^\d+ sales, \d+ refund/)
    .waitFor();

  expect(await sums()).toEqual(expected);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByText(`26 – ${Math.min(50, data.length)} of ${data.length}`).waitFor();
  expect(await sums()).toEqual(expected);
});

describe.each(screens)('on a %s', (_, size) => {
  test('a row has one menu and no other button; Enter opens it, arrows move, Escape gives the focus back', async () => {
    const page = await signIn(size);
    for (const path of ['/sales', '/coupons', '/products', '/customers', '/categories', '/vendors', '/payouts']) {
      await page.evaluate((hash) => location.assign(hash), `#${path}`);
      const rows = page.locator('.table tbody tr');
      await rows
        .getByRole('button', { name: /^More: / })
        .first()
        .waitFor();
      await settled(page);
      const others = await rows.locator(':is(button, .button):not(.more > button)').allInnerTexts();
      expect(others, path).toEqual([]);
      expect(
        Math.max(...(await rows.evaluateAll((all) => all.map((row) => row.querySelectorAll('.more').length)))),
      ).toBe(1);

      const more = rows.getByRole('button', { name: /^More: / }).last();
      await more.focus();
      await page.keyboard.press('Enter');
      const items = page.locator('.menu > li > *');
      const focused = () => items.evaluateAll((all) => (all as (Element | null)[]).indexOf(document.activeElement));
      await expect.poll(focused).toBe(0);
      await freeOfBarriers(page);
      await page.keyboard.press('ArrowUp');
      expect(await focused()).toBe((await items.count()) - 1);
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toBe(0);
      for (const item of await items.all())
        expect(
          await item.evaluate((one) => {
            const { left, top, width, height } = one.getBoundingClientRect();
            return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
          }),
          path,
        ).toBe(true);
      await page.keyboard.press('Escape');
      await page.locator('.menu').waitFor({ state: 'detached' });
      expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);
    }
  });

  test('a column that is hidden stays hidden on this device, and nothing is wider than the screen', async () => {
    const page = await signIn(size, '/customers');
    const column = page.locator('.table tbody td[data-heading="Discount"]');
    await column.first().waitFor({ state: 'attached' });
    const columns = page.getByRole('button', { name: 'Columns' });
    await columns.click();
    await freeOfBarriers(page);

    await page.getByRole('checkbox', { name: 'Discount' }).uncheck();
    await page.keyboard.press('Escape');
    await page.reload();

    await page.locator('.table tbody tr').first().waitFor();
    expect(await column.count()).toBe(0);
    await columns.click();
    await page.getByRole('checkbox', { name: 'Discount' }).check();
    await column.first().waitFor({ state: 'attached' });
  });
});

test('lists fit 320, 375, 768, 1024 and 1280 pixels, with heads that sort or a choice of the order', async () => {
  const page = await signIn(wide, '/sales');
  for (const width of [320, 375, 768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['/sales', '/products', '/customers', '/vendors', '/coupons']) {
      await page.evaluate((hash) => location.assign(hash), `#${path}`);
      await page.locator('.table tfoot').waitFor();
      await settled(page);
      const { scrollWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth }));
      expect(scrollWidth, `${path} at ${width}`).toBeLessThanOrEqual(width);
      await page
        .getByRole('combobox', { name: 'Sort' })
        .or(page.locator('th .sort'))
        .filter({ visible: true })
        .first()
        .waitFor();
    }
  }
});

test('one press of a key leads past the rows of a long list, to its tools', async () => {
  const page = await signIn(wide, '/products');
  await page.getByRole('table', { name: 'Products of the store' }).waitFor();
  await page.getByLabel('Category').focus();
  await page.keyboard.press('Tab');
  const skip = page.getByRole('button', { name: 'Skip the rows' });
  expect(await skip.evaluate((button) => button.getBoundingClientRect().top)).toBeGreaterThan(0);
  await freeOfBarriers(page);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');

  const tool = await page.evaluate(() => document.activeElement?.closest('nav')?.getAttribute('aria-label'));
  expect(tool).toBe('Pages of the list');
});

test('the plot of Sales has the sums of the list under its filters', async () => {
  const page = await signIn(wide, '/sales?state=completed');
  const yours = foot(page).locator('td').nth(-2);
  await expect.poll(() => yours.innerText()).toMatch(/^L\$/);
  await page
    .locator('.legend')
    .getByText(await yours.innerText(), { exact: true })
    .waitFor();

  const { data } = await call('GET', '/sales?state=completed&limit=1000');
  const { productId } = data[0];
  await page.evaluate((hash) => location.assign(hash), `#/sales?state=completed&product=${productId}`);

  const few = data.filter((sale: { productId: string }) => sale.productId === productId).length;
  await foot(page)
    .getByText(few === 1 ? '1 sale' : `${few} sales`, { exact: true })
    .waitFor();
  await page
    .locator('.legend')
    .getByText(await yours.innerText(), { exact: true })
    .waitFor();
});

test('a row that an act takes away gives the focus to the one that follows', async () => {
  const category = await call('POST', '/categories', { name: `Few ${Date.now()}` });
  const { data } = await call('GET', '/products?limit=3');
  for (const { id } of data) await call('POST', `/categories/${category.id}/products/${id}`);
  const page = await signIn(wide, `/categories/${category.id}`);
  await foot(page).getByText('3 in all').waitFor();
  const [, second = '', third = ''] = await names(page);

  await pressInMore(page, 'Take out', second);

  await foot(page).getByText('2 in all').waitFor();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(`More: ${third}`);
});

test('a coupon is disabled and enabled in its row, without any other change', async () => {
  const owner = service().residents[0]?.username;
  const code = `Turned${Date.now()}`;
  const { id } = await call('POST', '/coupons', { code, ownerIdentifier: owner, discount: 12.5, ownerProfit: 3 });
  const page = await signIn(phone, '/coupons');

  for (const [action, active] of [
    ['Disable', false],
    ['Enable', true],
  ] as const) {
    await pressInMore(page, action, code);
    await page.getByText(`${action}d ${code}: it can`).waitFor();
    expect(await call('GET', `/coupons/${id}`)).toMatchObject({ active, discount: 12.5, ownerProfit: 3 });
    await page
      .getByRole('row', { name: code })
      .getByText(active ? 'Active' : 'Inactive')
      .waitFor();
  }
});
