import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useDesk, wide } from './desk.ts';

/** One sale of 680 with others' 34 and 408, one of 300, and one of 250 that was refunded: each place says the same. */

const { service, signIn, resident } = useDesk();

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${service().baseUrl}/v1${path}`, {
    method,
    headers: { 'X-API-Key': service().otherStore.key },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
};

/** A product of this price, and a sale of it to the buyer. */
const offer = async (price: number, buyer: string, profitShares: object[] = []) => {
  const { id } = await call('POST', '/products', { name: `For ${price}`, price, profitShares });
  return { product: id, sale: () => ({ id: randomUUID(), productId: id, buyerIdentifier: buyer, paid: price }) };
};

/** The sums of the store's days. */
const summed = async (): Promise<number[]> => {
  const { data } = await call('GET', '/store/days');
  return ['paid', 'refunded', 'shares', 'commissions'].map((name) =>
    data.reduce((sum: number, day: Record<string, number>) => sum + (day[name] ?? 0), 0),
  );
};

/** The lines of the file that a list hands out. */
const fileOf = async (page: Page): Promise<string[][]> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).last().click(),
  ]);
  const text = await readFile(await file.path(), 'utf8');
  return text
    .trim()
    .split('\r\n')
    .map((line) => line.replace('\ufeff', '').split(','));
};

test('Home, Reports, Sales and their files say paid 1,230, given back 250, shares 408, commissions 34, yours 538', async () => {
  const [buyer, maker, owner] = [resident().uuid, resident().uuid, resident().uuid];
  const bench = await offer(680, buyer, [{ userUuid: maker, percent: 60 }]);
  const terms = { code: `own${Date.now()}`, ownerIdentifier: owner, discount: 0, ownerProfit: 5 };
  const coupon = await call('POST', '/coupons', terms);
  await call('POST', `/customers/${buyer}/actions/apply-coupon`, {
    ...{ couponId: coupon.id, scope: 1, productId: bench.product, expiresInHours: 1 },
  });
  await call('POST', '/sales', bench.sale());
  await call('POST', '/sales', (await offer(300, buyer)).sale());
  const refunded = await call('POST', '/sales', (await offer(250, buyer)).sale());
  await call('POST', `/sales/${refunded.id}/actions/refund`);
  await expect.poll(summed, { timeout: 20_000 }).toEqual([1230, 250, 408, 34]);
  const page = await signIn(wide, '/', service().otherStore.key);

  for (const text of ['L$\u00a0538', 'L$\u00a01,230', 'L$\u00a0250', 'L$\u00a0442'])
    await page.getByText(text).first().waitFor();

  await page.evaluate(() => location.assign('#/reports'));
  const months = page.getByRole('table', { name: 'Month by month' });
  await months.waitFor();
  expect((await months.getByRole('row').nth(1).getByRole('cell').allTextContents()).slice(1, 7)).toEqual(
    ['3', '1,230', '250', '408', '34', '538'].map((number, index) => (index === 0 ? number : `L$\u00a0${number}`)),
  );

  await page.evaluate(() => location.assign('#/sales'));
  await page.getByRole('table').getByText('For 680').waitFor();
  const foot = page.getByRole('table').locator('tfoot');
  await foot.getByText('3 sales, 1 refund').waitFor();
  // Without credit: received, to others, yours.
  expect(await foot.locator('td.is-number').allInnerTexts()).toEqual(
    ['0', '980', '442', '538'].map((amount) => `L$\u00a0${amount}`),
  );
  const [heads = [], ...rows] = await fileOf(page);
  const sumOf = (name: string): number => rows.reduce((sum, row) => sum + Number(row[heads.indexOf(name)]), 0);
  expect(
    Object.fromEntries(['Paid', 'Given back', 'Shares', 'Commissions', 'Yours'].map((name) => [name, sumOf(name)])),
  ).toEqual({ Paid: 1230, 'Given back': 250, Shares: 408, Commissions: 34, Yours: 538 });
});
