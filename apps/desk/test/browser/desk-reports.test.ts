import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { monthName } from '../../format.ts';
import { monthBefore } from '../../sums.ts';
import { freeOfBarriers, screens, useDesk, wide } from './desk.ts';

const { service, call, open, signIn, resident } = useDesk();

/** Answers a page's reads of sales with pages of a thousand, without end. The page with the cursor waits for `go`. */
const endlessSales = async (page: Page, sale: object, cursor: string) => {
  const held = Promise.withResolvers<void>();
  const asked: string[] = [];
  await page.route(/\/v1\/sales\?.*limit=1000/, async (route) => {
    const at = new URL(route.request().url()).searchParams.get('cursor') ?? '0';
    asked.push(at);
    if (at === cursor) await held.promise;
    const pagination = { nextCursor: String(Number(at) + 1), previousCursor: null };
    // A page that was left no longer waits for it.
    await route.fulfill({ json: { data: Array(1000).fill(sale), pagination } }).catch(() => undefined);
  });
  return { asked, go: held.resolve };
};

describe.each(screens)('on a %s', (_, size) => {
  test('shows what was earned month by month, and the best products and buyers of a month, as files too', async () => {
    const name = `Best ${randomUUID().slice(0, 6)}`;
    const { username } = resident();
    const { id } = await call('POST', '/products', { name, item: 'Best', price: 90_000 });
    await call('POST', '/sales', { id: randomUUID(), productId: id, buyerIdentifier: username, paid: 90_010 });
    const page = await signIn(size, '/reports');
    const products = page.getByRole('table', { name: /^Best products/ });
    await products.getByRole('link', { name }).waitFor();
    await page
      .getByRole('table', { name: /^Best buyers/ })
      .getByRole('link', { name: username })
      .waitFor();
    await page.getByRole('table', { name: 'Month by month' }).waitFor();
    await freeOfBarriers(page);

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('navigation', { name: /^Best products/ })
        .getByRole('button', { name: 'Export CSV' })
        .click(),
    ]);
    expect(await readFile(await file.path(), 'utf8')).toContain(`${name},1,90000,0,0,90000,0\r\n`);
    await page.getByRole('combobox', { name: 'Month' }).selectOption({ index: 11 });

    await page.getByText('Nothing was sold in this month.').first().waitFor();
    expect(page.url()).toContain('month=');
  });

  test('Home tells what was sold today and this month beside the span before, the last sales, and the best sellers', async () => {
    const name = `Newest ${randomUUID().slice(0, 6)}`;
    const username = service().residents.at(-1)?.username ?? '';
    const { id } = await call('POST', '/products', { name, item: 'Newest', price: 95_000 });
    const today = async () => (await call('GET', '/store/days')).data.at(-1);
    const before = await today();
    await call('POST', '/sales', { id: randomUUID(), productId: id, buyerIdentifier: username, paid: 95_000 });
    await expect.poll(async () => (await today()).paid, { timeout: 60_000 }).not.toBe(before?.paid);
    const { paid, refunded, shares, commissions, sales } = await today();
    const yours = paid - refunded - shares - commissions;
    const page = await signIn(size);
    const fact = page.locator('.facts > div', { hasText: 'Today (UTC)' });
    const lastMonth = monthName(monthBefore(new Date().toISOString()).slice(0, 7));

    await fact.getByText(`L$\u00a0${yours.toLocaleString('en')} yours`).waitFor();
    await fact
      .getByText(`L$\u00a0${paid.toLocaleString('en')} paid in ${sales} ${sales === 1 ? 'sale' : 'sales'}`)
      .waitFor();

    await fact.getByText(/^Yesterday: L\$/).waitFor();
    await page
      .locator('.facts')
      .getByText(new RegExp(`^${lastMonth}: L\\$`))
      .waitFor();
    for (const title of ['Last sales', 'Best sellers'])
      await page.getByRole('region', { name: title }).getByRole('link', { name }).waitFor();
    await page.getByRole('region', { name: 'Last sales' }).getByRole('link', { name: username }).first().waitFor();
    await freeOfBarriers(page);
  });
});

test('tells how many sales of how many are read, stops where one leaves, and names the command for more than it reads', async () => {
  const { uuid, username } = resident();
  const { id } = await call('POST', '/products', { name: 'Sold often', item: 'Often', price: 10 });
  await call('POST', `/customers/${username}/actions/increment-credit`, { delta: 1 });
  const month = new Date().toISOString().slice(0, 7);
  const page = await signIn(wide);
  const day = { day: `${month}-01`, sales: 25_000, refunds: 0, paid: 0, refunded: 0, shares: 0, commissions: 0 };
  await page.route(/\/v1\/store\/days\?/, (route) => route.fulfill({ json: { data: [day] } }));
  const parts = { shares: [{ kind: 'share', amount: 3 }], state: 'completed' };
  const sale = { productId: id, buyerUuid: uuid, paid: 12, change: 2, refund: 2, bonus: 1, ...parts };
  const left = await endlessSales(page, sale, '1');
  await page.evaluate(() => location.assign('#/reports'));
  await page.getByText('Reading sales: 1,000 of about 20,000. Leave the page to stop.').waitFor();
  await page.evaluate(() => location.assign('#/sales'));
  await page.getByRole('heading', { level: 1, name: 'Sales', exact: true }).waitFor();
  left.go();
  await page.getByRole('table').waitFor();
  expect(left.asked).toEqual(['0', '1']);

  await page.unroute(/\/v1\/sales\?.*limit=1000/);
  const read = await endlessSales(page, sale, '19');
  await page.evaluate(() => location.assign('#/reports'));
  await page.getByText('Reading sales: 19,000 of about 20,000.').waitFor();
  await freeOfBarriers(page);
  read.go();

  await page.getByText('Only the newest 20,000 sales of the month are counted here.').waitFor();
  await page.getByText(`npx store report --month ${month}`, { exact: true }).waitFor();
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Sold often' }) });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/20,000\s+L\$\s200,000\s+L\$\s60,000\s+L\$\s140,000\s+L\$\s20,000/);
  expect(read.asked).toHaveLength(21);
  await freeOfBarriers(page);
});

test('the first page takes at most 130 KB to load', async () => {
  const page = await open(`/desk#key=${service().keys.all}`, wide);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

  const bytes = await page.evaluate(() =>
    performance
      .getEntries()
      .filter((entry): entry is PerformanceResourceTiming => 'encodedBodySize' in entry)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );

  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(130_000);
});
