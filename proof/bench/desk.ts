import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { SaleResponse } from '../../apps/client/client.ts';
import { executablePath, flags } from '../../apps/desk/test/browser/chromium.ts';
import { getSale, listedAs } from '../../lib/sale/sales.ts';
import { tableName } from '../../lib/table/client.ts';
import { demoStore } from '../../local/start/stores.ts';
import { startInFolder } from '../../test/support/engine.ts';
import { startForTests } from '../../test/support/local-service.ts';
import { putAll } from '../../test/support/seed.ts';
import { idOf } from '../../test/support/seeded-store.ts';
import { customersOf } from './sales.ts';
import { median, report, rounded } from './support.ts';

const store = demoStore.id;
/** Every tenth sale is to the same buyer. */
const often = 10;

/** Copies of one sale, to other buyers, over the last three weeks. */
async function* manySales({ id, buyerUuid }: SaleResponse, sales: number): AsyncGenerator<object> {
  const model = await getSale(store, id);
  const between = (21 * 86_400_000) / sales;
  for (let number = 0; number < sales; number++) {
    const buyer = number % often === 0 && buyerUuid !== null ? buyerUuid : idOf(number * 7);
    const at = new Date(Date.now() - number * between).toISOString();
    const copy = { ...model, sk: idOf(500_000 + number), at, buyerUuid: buyer, recipientUuid: buyer };
    yield { ...copy, ...listedAs(store, copy) };
  }
}

/** Ends the table's stream, which makes each of the engine's writes three times as long. */
const dropStream = async (): Promise<void> => {
  const client = new DynamoDBClient({});
  const StreamSpecification = { StreamEnabled: false };
  await client.send(new UpdateTableCommand({ TableName: tableName(), StreamSpecification }));
  client.destroy();
};

/** Goes to a page of the desk by its menu, and returns the milliseconds until the page is complete. */
const timeOf = (page: Page, hash: string): Promise<number> =>
  page.evaluate(async (to) => {
    const main = (): Element => document.querySelector('main') as Element;
    const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const until = async (isThere: () => boolean): Promise<void> => {
      const last = performance.now() + 30_000;
      while (!isThere()) {
        if (performance.now() > last) throw new Error(`${to} is not whole after 30 seconds.`);
        await next();
      }
    };
    location.hash = '#/nowhere';
    await until(() => !main().querySelector('h1'));
    const started = performance.now();
    location.hash = to;
    await until(
      () =>
        main().querySelector('h1') !== null &&
        !main().querySelector('.waiting, [aria-busy=true]') &&
        // A name that is still being read.
        !/(^|\s)…(\s|$)/.test(main().textContent ?? ''),
    );
    return performance.now() - started;
  }, hash);

/** Times from opening the link that signs in: until the first heading, and until the page is complete. */
const firstView = async (page: Page, link: string): Promise<Record<string, number>> => {
  const started = performance.now();
  await page.goto(link);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const heading = performance.now() - started;
  await page.locator('.chart').first().waitFor();
  await page.locator('main:not(:has(.waiting, [aria-busy=true]))').waitFor();
  return { 'First view: heading': heading, 'First view: whole': performance.now() - started };
};

/** The milliseconds from the first of three letters in the search until a name is suggested. */
const suggestion = async (page: Page): Promise<number> => {
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').focus();
  const started = performance.now();
  await page.keyboard.type('ver');
  await dialog.getByRole('option', { name: 'vera.vendor', exact: true }).waitFor();
  const millis = performance.now() - started;
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return millis;
};

/** The pages of the desk that are measured, by their names. */
const pagesOf = ({ id, buyerUuid, productId }: SaleResponse, category: string): Record<string, string> => ({
  Home: '/',
  Customers: '/customers',
  'Customers, news subscribers': '/customers?news=yes',
  'Customers who spent more than L$ 5,000': '/customers?spent=5000',
  'One customer': `/customers/${buyerUuid}`,
  Sales: '/sales',
  'Sales, refunded': '/sales?state=refunded',
  'Sales of a buyer': `/sales?buyer=${buyerUuid}`,
  'Sales of a product': `/sales?product=${productId}`,
  'One sale': `/sales/${id}`,
  Deliveries: '/deliveries',
  Products: '/products',
  'Products, a search': '/products?search=oak',
  'One product': `/products/${productId}`,
  Categories: '/categories',
  'One category': `/categories/${category}`,
  Coupons: '/coupons',
  'Gift cards of a customer': `/giftcards?owner=${buyerUuid}`,
  Events: '/journal/events',
});

/** Opens all pages in rounds, each in a new context with an empty cache. The first round warms up. */
const timesOf = async (browser: Browser, link: string, pages: Record<string, string>, rounds: number) => {
  const times: Record<string, number[]> = {};
  for (let round = -1; round < rounds; round++) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const found = await firstView(page, link);
    found['`vera.vendor` for `ver`'] = await suggestion(page);
    for (const [name, path] of Object.entries(pages)) found[name] = await timeOf(page, `#${path}`);
    await page.close();
    if (round < 0) continue;
    for (const [name, millis] of Object.entries(found)) times[name] = [...(times[name] ?? []), millis];
  }
  return times;
};

/**
 * Measures how soon each page of the local service's desk shows everything in Chromium, with the names of buyers and
 * products: first in its demo store, then with many more customers and sales in it. Times are milliseconds.
 */
export const deskTimes = async (options: { rounds: number; customers: number; sales: number }) => {
  const stopEngine = await startInFolder();
  const service = await startForTests();
  const browser = await chromium.launch({ executablePath, args: flags });
  try {
    const call = async (path: string) => {
      const headers = { 'X-API-Key': service.keys.all };
      return (await (await fetch(`${service.baseUrl}/v1${path}`, { headers })).json()).data;
    };
    const [sale]: SaleResponse[] = await call('/sales?state=completed&limit=1');
    const [category]: { id: string }[] = await call('/categories?limit=1');
    if (!sale || !category) throw new Error('The demo store has no completed sale or no category.');
    const link = `${service.baseUrl}/desk#key=${service.keys.all}`;
    const measure = () => timesOf(browser, link, pagesOf(sale, category.id), options.rounds);
    const demo = await measure();
    // Other work makes history and the sums of days, and no page waits for it.
    await service.stopHistory();
    await dropStream();
    await putAll(customersOf(store, options.customers, sale.productId));
    await putAll(await Array.fromAsync(manySales(sale, options.sales)));
    const large = await measure();
    const inMillis = (times: number[] = []) => [rounded(median(times), 0), rounded(Math.max(...times), 0)] as const;
    return Object.entries(demo).map(([page, times]) => {
      const [[ofDemo, demoLongest], [ofLarge, largeLongest]] = [inMillis(times), inMillis(large[page])];
      return { page, demo: ofDemo, demoLongest, large: ofLarge, largeLongest };
    });
  } finally {
    await browser.close();
    await service.stop();
    await stopEngine();
  }
};

export const measureDesk = async (options: Parameters<typeof deskTimes>[0]): Promise<void> =>
  report('desk', await deskTimes(options));
