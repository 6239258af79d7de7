import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { scopes } from '../../../../lib/routes/scopes.ts';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { freeOfBarriers, screens, useDesk, wide } from './desk.ts';

const { service, signIn, resident } = useDesk();

const tool = async (name: string, body: object) =>
  (await fetch(`${service().baseUrl}/_dev/${name}`, { method: 'POST', body: JSON.stringify(body) })).json();

/** A key for a store, as the desk's own dialog would have made it. */
const newStoreKey = async (): Promise<string> =>
  (await tool('sign-in', { store: (await tool('stores', { name: 'Fresh' })).id })).key;

const step = (page: Page, title: string) =>
  page
    .getByRole('region', { name: 'Your first day' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: title }) });

describe.each(screens)('on a %s', (_, size) => {
  test('a new store lists its first steps with their state, until each is done or somebody hides them', async () => {
    const page = await signIn(size, '/', await newStoreKey());
    await step(page, 'Make a product').getByText('To do').waitFor();
    await step(page, 'Set up the box').getByText('Done').waitFor();
    await step(page, 'Set up a vendor').getByText('To do').waitFor();
    await step(page, 'Make a test sale').getByText('Make a product first.').waitFor();
    await step(page, 'Bring a second person').getByRole('link', { name: 'Team and keys' }).waitFor();
    await page.getByText('Nothing needs you right now.').waitFor();
    expect(await page.locator('.chart').count()).toBe(0);
    await freeOfBarriers(page);

    await step(page, 'Make a product').getByRole('link', { name: 'New product' }).click();
    await page.getByLabel('Name').fill('First lamp');
    await page.getByLabel('Price in L$').fill('0');
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.getByRole('heading', { level: 1, name: 'First lamp' }).waitFor();
    await page.evaluate(() => location.assign('#/'));
    await step(page, 'Make a product').getByText('Done').waitFor();
    await step(page, 'Make a test sale').getByRole('link', { name: 'Sell by hand' }).click();
    await page.getByLabel('Buyer: name or UUID').fill(resident().username);
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sell' }).click();
    await page.locator('section', { hasText: 'Delivery' }).getByText('Delivered').waitFor();

    await page.evaluate(() => location.assign('#/'));
    await page
      .locator('.chart', { hasText: /^Sales in / })
      .getByText('Nothing yet')
      .waitFor();
    await step(page, 'Make a test sale').getByText('Done').waitFor();
    await step(page, 'Set up a vendor').getByText('To do').waitFor();
    await step(page, 'Set up a vendor').getByText('It needs Second Life and can wait').waitFor();
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'Hide these steps' }).click();
    await page.getByRole('heading', { name: 'Your first day' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.chart').first().waitFor();
    expect(await page.getByRole('heading', { name: 'Your first day' }).count()).toBe(0);
  });

  test('a store without a box is told so, and copies its notecard, with a key that works, and its script', async () => {
    const store = await createStore('Boxless');
    const { text: key } = await issueKey({ store: store.id, name: 'all', scopes, stage: 'test' });
    const page = await signIn(size, '/', key);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (button: string, said: string) => {
      await page.getByRole('button', { name: button }).click();
      await page.getByText(said).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await step(page, 'Set up the box').getByText('To do').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'No box yet' })
      .getByRole('link', { name: 'Set up a box' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Set up a box' }).waitFor();

    expect(await copied('Copy notecard', 'Notecard copied.')).toBe(
      `# Box: Boxless\nservice = ${service().baseUrl}\nkey = \n`,
    );
    expect(await copied('Copy script', 'Script copied.')).toBe(readFileSync('apps/inworld/dispenser.lsl', 'utf8'));
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText(/key = sis_test_/).waitFor();
    await freeOfBarriers(page);
    const made = /key = (\S+)/.exec(await copied('Copy notecard', 'Notecard copied.'))?.[1] ?? '';

    const answer = await fetch(`${service().baseUrl}/v1/store`, { headers: { 'X-API-Key': made } });
    expect(await answer.json()).toMatchObject({ id: store.id, key: { scopes: ['dispenser:register'] } });
  });
});

test('the first steps go by themselves once the last of them is done', async () => {
  const key = await newStoreKey();
  const as = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${service().baseUrl}/v1${path}`, {
      method,
      headers: { 'X-API-Key': key },
      body: JSON.stringify(body),
    });
    return answer.json();
  };
  const { id: productId } = await as('POST', '/products', { name: 'Lamp', item: 'Lamp', price: 0 });
  await as('POST', '/sales', { id: randomUUID(), productId, buyerIdentifier: resident().username, paid: 0 });
  const page = await signIn(wide, '/', key);
  await step(page, 'Set up a vendor').getByText('To do').waitFor();

  await as('PUT', `/vendors/${randomUUID()}`, { name: 'Stall', region: 'Sage', productId });
  await page.reload();

  await page.locator('.chart').first().waitFor();
  expect(await page.getByRole('heading', { name: 'Your first day' }).count()).toBe(0);
});

test('a vendor’s notecard has the product that is picked by name, and each object has its script', async () => {
  const page = await signIn(wide, '/setup/vendor');
  await page.getByRole('combobox', { name: /^The product that it sells/ }).fill('Willow');
  await page
    .getByRole('option', { name: /Willow/ })
    .first()
    .click();
  await page.getByText(/product = [0-9a-f-]{36}/).waitFor();
  for (const name of ['Shelf', 'Terminal', 'Cashier', 'Box']) {
    await page.getByRole('main').getByRole('link', { name }).click();
    await page.getByText(`# ${name}: `).waitFor();
    await page.getByRole('button', { name: 'Copy script' }).waitFor();
    await freeOfBarriers(page);
  }
});

test('empty pages say what to do next', async () => {
  const page = await signIn(wide, '/', await newStoreKey());

  for (const [path, words] of [
    ['/products', 'There is no product yet. Press New product'],
    ['/coupons', 'There is no coupon yet. Press New coupon'],
    ['/categories', 'There are no categories yet. Press New category'],
    ['/sales', 'Nothing was sold yet. Open a product and press Sell'],
    ['/deliveries', 'Nothing was delivered yet.'],
    ['/customers', 'find anybody by name at the top'],
    ['/vendors', 'No vendor has registered yet. Set up an object'],
  ] as const) {
    await page.evaluate((hash) => location.assign(hash), `#${path}`);
    await page.locator('.empty', { hasText: words }).waitFor();
    await freeOfBarriers(page);
  }
});
