import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { dayName } from '../../format.ts';
import { isoDay, monthBefore } from '../../sums.ts';
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
    await page.locator('.chart').nth(3).waitFor();
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

  test('Home tells what was earned today and this month, what is owed and held, the last sales, and the best sellers', async () => {
    const name = `Newest ${randomUUID().slice(0, 6)}`;
    const username = service().residents.at(-1)?.username ?? '';
    const { id } = await call('POST', '/products', { name, item: 'Newest', price: 95_000 });
    const today = async () => (await call('GET', '/store/days')).data.at(-1);
    const before = await today();
    await call('POST', '/sales', { id: randomUUID(), productId: id, buyerIdentifier: username, paid: 95_000 });
    await expect.poll(async () => (await today()).paid, { timeout: 60_000 }).not.toBe(before?.paid);
    const { paid, refunded, shares, commissions, sales, credit, restrictedCredit } = await today();
    const payees: { owed: number }[] = (await call('GET', '/payees?owed=true')).data;
    const owed = payees.reduce((sum, payee) => sum + payee.owed, 0);
    const inMoney = (amount: number) => `L$\u00a0${amount.toLocaleString('en')}`;
    const page = await signIn(size);
    const figure = (title: RegExp) => page.locator('.figures > div').filter({ has: page.getByText(title) });

    const ofToday = figure(/^Today \(UTC\)$/);
    await ofToday.getByText(inMoney(paid - refunded - shares - commissions), { exact: true }).waitFor();
    await ofToday.getByText(sales === 1 ? '1 sale' : `${sales} sales`, { exact: true }).waitFor();
    await ofToday.getByText(/^Yesterday( at this time)?: L\$/).waitFor();
    await figure(/^Yours in [A-Z][a-z]+$/)
      .getByText(/^Of L\$\s[\d,]+ that buyers paid$/)
      .waitFor();
    await figure(/^You owe$/)
      .getByText(inMoney(owed), { exact: true })
      .waitFor();
    await figure(/^Credit that customers hold$/)
      .getByText(inMoney(credit + restrictedCredit), { exact: true })
      .waitFor();
    const owing = page.getByRole('region', { name: 'What you owe' });
    await owing.getByText(inMoney(owed), { exact: true }).waitFor();
    expect(await owing.getByRole('listitem').count()).toBe(Math.min(payees.length, 5));
    for (const title of ['Last sales', 'Best sellers'])
      await page.getByRole('region', { name: title }).getByRole('link', { name }).waitFor();
    await page.getByRole('region', { name: 'Last sales' }).getByRole('link', { name: username }).first().waitFor();
    await freeOfBarriers(page);
  });

  test('a plot is one stop of the keyboard: arrows, Home and End choose a day, whose numbers are said', async () => {
    const page = await signIn(size);
    const [month, before] = [isoDay(Date.now()).slice(0, 7), monthBefore(isoDay(Date.now())).slice(0, 7)];
    const none = { refunds: 0, refunded: 0, shares: 0, commissions: 0, credit: 0, restrictedCredit: 0, sales: 1 };
    const data = [
      { ...none, day: `${before}-01`, paid: 700 },
      { ...none, day: `${month}-01`, paid: 1000, refunded: 300, shares: 200, commissions: 50 },
    ];
    await page.route(/\/v1\/store\/days\?/, (route) => route.fulfill({ json: { data } }));
    await page.reload();
    const plot = page.getByRole('application');
    const said = page.locator('.chart [aria-live=polite]');
    await plot.focus();

    await page.keyboard.press('Home');
    const first = new RegExp(
      `^${dayName(`${month}-01`)}: Yours L\\$\\s450, Shares and commissions L\\$\\s250, Given back L\\$\\s300, Yours in [A-Z][a-z]+ L\\$\\s700$`,
    );
    await expect.poll(() => said.textContent()).toMatch(first);
    await page.keyboard.press('ArrowLeft');
    expect(await said.textContent()).toMatch(first);
    await page.keyboard.press('End');
    await expect.poll(() => said.textContent()).toContain(`${dayName(isoDay(Date.now()))}: Yours`);
    await page.keyboard.press('Tab');
    await expect.poll(() => said.textContent()).toBe('');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Show the numbers');

    // The line of the month before has no room on a phone; the table has its numbers.
    expect(await page.locator('.plot path').count()).toBe(size === wide ? 1 : 0);
    await page.keyboard.press('Enter');
    await page
      .getByRole('row')
      .filter({ hasText: dayName(`${month}-01`) })
      .getByText('L$\u00a0700')
      .waitFor();
    await freeOfBarriers(page);
  });
});

test('Home draws the hours of today where the newest sales are all of today’s', async () => {
  const page = await signIn(wide);
  const day = isoDay(Date.now());
  const [sale] = (await call('GET', '/sales?state=completed&limit=1')).data;
  const sold = { ...sale, at: `${day}T00:00:00.000Z`, paid: 500, change: 0, refund: 0, shares: [] };
  const pagination = { nextCursor: null, previousCursor: null };
  const sums = { refunds: 0, paid: 500, refunded: 0, shares: 0, commissions: 0, credit: 0, restrictedCredit: 0 };
  const answerWith = async (sales: number) => {
    await page.unrouteAll();
    await page.route(/\/v1\/store\/days\?/, (route) => route.fulfill({ json: { data: [{ ...sums, day, sales }] } }));
    await page.route(/\/v1\/sales\?/, (route) => route.fulfill({ json: { data: [sold], pagination } }));
    await page.reload();
    await page.getByText('Today (UTC)').waitFor();
  };

  await answerWith(1);
  const [line, figure] = await Promise.all(
    ['.spark', '.figure:has(.spark) b'].map((part) => page.locator(part).boundingBox()),
  );
  await answerWith(2);

  expect(line?.x).toBeGreaterThan((figure?.x ?? 0) + (figure?.width ?? 0));
  expect(await page.locator('.spark').count()).toBe(0);
});

test('a key without payouts sees on Home nothing of what the store owes', async () => {
  const page = await signIn(wide, '/', service().keys['sales:read']);
  await page.getByRole('region', { name: 'Last sales' }).waitFor();

  expect(await page.locator('.figures > div').count()).toBe(3);
  expect(await page.getByText('owe', { exact: false }).count()).toBe(0);
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
  await page.evaluate(() => location.assign('#/customers'));
  await page.getByRole('heading', { level: 1, name: 'Customers', exact: true }).waitFor();
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

test('the first page takes at most 140 KB to load, with the local additions and its answers', async () => {
  const page = await open(`/desk#key=${service().keys.all}`, wide);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

  const bytes = await page.evaluate(() =>
    performance
      .getEntries()
      .filter((entry): entry is PerformanceResourceTiming => 'encodedBodySize' in entry)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );

  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(140_000);
});
