import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { freeOfBarriers, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident } = useDesk();

// The stream's consumer notes the names of a store that was just made.
beforeAll(async () => {
  const known = async () => expect((await call('GET', '/names?prefix=ver')).data).not.toEqual([]);
  await vi.waitFor(known, { timeout: 60_000, interval: 100 });
});

test('typing three letters of a name reads at most two units until it is suggested', async () => {
  const page = await signIn(wide);
  await page.keyboard.press('/');
  await page.keyboard.type('ver');
  await page.getByRole('option', { name: 'vera.vendor' }).waitFor();

  await page.evaluate(() => location.assign('#/requests'));
  await page.getByLabel(/own requests/).check();
  // With the desk's own limit, rather than the test's.
  const asked = page.getByRole('list', { name: /^Requests/ }).locator('> li', { hasText: '/v1/names?prefix=ve' });
  await asked.filter({ hasText: 'limit=8' }).first().waitFor();
  const rows = await asked.filter({ hasText: 'limit=8' }).allInnerTexts();
  const units = rows.map((row) => Number(/ ([\d.]+) units?\b/.exec(row)?.[1]));
  expect(units.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(2);
});

describe.each(screens)('on a %s', (_, size) => {
  test('suggests customers while one types, and opens them with the keys alone', async () => {
    const page = await signIn(size);
    await page.keyboard.press('/');
    await page.keyboard.type('ver');
    const option = page.getByRole('option', { name: 'vera.vendor' });
    await option.waitFor();
    expect(await page.locator('.find kbd').isVisible()).toBe(false);
    await freeOfBarriers(page);

    await page.keyboard.press('ArrowDown');
    expect(await option.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'vera.vendor' }).waitFor();
    await page.getByRole('listbox', { name: 'Customers' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Find a customer' }).fill('Vera V');
    await page.getByRole('option', { name: 'vera.vendor' }).click();
    await page.getByRole('heading', { level: 1, name: 'vera.vendor' }).waitFor();
  });

  test('an inactive product is found again by its filter', async () => {
    const name = `Season ${randomUUID().slice(0, 6)}`;
    await call('POST', '/products', { name, item: 'Season', price: 5, active: false });
    const page = await signIn(size, '/products');
    await page.getByRole('table', { name: 'Products of the store' }).waitFor();
    expect(await page.getByRole('link', { name }).count()).toBe(0);

    await page.getByRole('combobox', { name: 'Sold' }).selectOption('no');
    await page.getByRole('link', { name }).waitFor();
    await freeOfBarriers(page);
    await page.reload();

    await page.getByRole('link', { name }).waitFor();
  });
});

test('a form’s box for a person suggests names, and Escape closes them and not the dialog', async () => {
  const page = await signIn(wide, '/giftcards');
  await page.getByRole('button', { name: 'Give a gift card' }).click();
  const box = page.getByRole('dialog').getByRole('combobox').first();
  await box.fill('vera');
  await page.getByRole('option', { name: 'vera.vendor' }).waitFor();
  await freeOfBarriers(page);
  await box.press('Escape');
  await page.getByRole('listbox', { name: 'Customers' }).waitFor({ state: 'detached' });
  await box.fill('ver');
  await page.getByRole('option', { name: 'vera.vendor' }).waitFor();
  await box.press('ArrowDown');
  await box.press('Enter');

  expect(await box.inputValue()).toBe('vera.vendor');
  expect(await page.getByRole('dialog').count()).toBe(1);
});

test('a button below open suggestions is pressed at the first click', async () => {
  const page = await signIn(wide, '/coupons');
  await page
    .getByRole('button', { name: /^Apply:/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Customer: name or UUID').fill('vera.vendor');
  await page.getByRole('option', { name: 'vera.vendor' }).waitFor();

  // A finger stays down for a while, in which the desk draws.
  await dialog.getByRole('button', { name: 'Apply' }).click({ delay: 200 });

  await page.getByText(/^Applied .* to vera\.vendor\./).waitFor();
});

test('takes names as people copy them: in the search, in a filter and in a form', async () => {
  const page = await signIn(wide);
  const { uuid } = await call('GET', '/customers/vera.vendor');

  for (const copied of [
    'Vera the Vendor (vera.vendor)',
    `secondlife:///app/agent/${uuid}/about`,
    'Vera\u00a0 Vendor',
  ]) {
    await page.evaluate(() => location.assign('#/'));
    await page.getByRole('heading', { level: 1, name: 'vera.vendor' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Find a customer' }).fill(copied);
    await page.getByRole('combobox', { name: 'Find a customer' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'vera.vendor' }).waitFor();
  }
  await page.evaluate(() => location.assign('#/giftcards'));
  await page.getByRole('button', { name: 'Give a gift card' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').first().fill('Vera (vera.vendor)');
  await dialog.locator('input[name=credit]').fill('5');
  await dialog.locator('button[type=submit]').click();
  await page
    .getByText(/vera\.vendor/)
    .first()
    .waitFor();
  await dialog.waitFor({ state: 'detached' });
});

test('a list of sales is narrowed by days, which stay in the address', async () => {
  const { username } = resident();
  const { id } = await call('POST', '/products', { name: 'Dated', item: 'Dated', price: 5 });
  await call('POST', '/sales', { id: randomUUID(), productId: id, buyerIdentifier: username, paid: 5 });
  const page = await signIn(wide, `/sales?buyer=${username}`);
  await page.getByRole('link', { name: 'Dated' }).waitFor();
  const day = (ahead: number) => {
    const at = new Date(Date.now() + ahead * 86_400_000);
    return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
  };

  await page.getByLabel('From').fill(day(0));
  await page.getByLabel('To', { exact: true }).fill(day(0));
  await page.waitForFunction(() => location.hash.includes('to='));
  await page.getByRole('link', { name: 'Dated' }).waitFor();
  await page.getByLabel('To', { exact: true }).fill(day(-1));
  await page.getByLabel('From').fill(day(-2));

  await page.getByText('No sale fits these filters.').waitFor();
  expect(page.url()).toContain(`from=${day(-2)}`);
});
