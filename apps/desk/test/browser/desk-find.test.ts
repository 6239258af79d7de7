import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { freeOfBarriers, screens, search, useDesk, wide } from './desk.ts';

const { call, forgive, service, signIn, resident } = useDesk();

// The stream's consumer notes the names of a store that was just made.
beforeAll(async () => {
  const known = async () => expect((await call('GET', '/names?prefix=ver')).data).not.toEqual([]);
  await vi.waitFor(known, { timeout: 60_000, interval: 100 });
});

test('typing three letters of a name reads at most two units until it is suggested', async () => {
  const page = await signIn(wide);
  await page.keyboard.press('/');
  await page.keyboard.type('ver');
  await page.getByRole('option', { name: 'vera.vendor', exact: true }).waitFor();
  await page.keyboard.press('Escape');

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
  test('the search finds a customer by either half of the name, opens it by the keys alone, and gives the focus back', async () => {
    const page = await signIn(size);
    const list = page.getByRole('listbox', { name: 'Found' });
    const chosen = list.getByRole('option', { selected: true });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('frost');
    await list.getByRole('group', { name: 'Customers' }).getByRole('option', { name: 'mina.frostwood' }).waitFor();
    await freeOfBarriers(page);
    await page.keyboard.press('ArrowDown');
    // The heads of groups are no stops.
    await chosen.getByText('Give credit to mina.frostwood').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'mina.frostwood' }).waitFor();

    await page.evaluate(() => location.assign('#/products'));
    const box = page.getByLabel('Name or description');
    await box.fill('lamp');
    await page.keyboard.press('Control+k');
    await list.getByRole('group', { name: 'Last opened' }).getByRole('option', { name: 'mina.frostwood' }).waitFor();
    await freeOfBarriers(page);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(await box.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Search customers' }).click();
    await page.keyboard.type('Vera V');
    await page.getByRole('option', { name: 'vera.vendor', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'vera.vendor' }).waitFor();
  });

  test('what can be done opens the form of its page, for the one who is found or asked for', async () => {
    const page = await signIn(size);
    const dialog = (name: string) => page.getByRole('dialog', { name });
    await search(page, 'vera.vendor');
    await page.getByRole('option', { name: 'Give credit to vera.vendor' }).click();
    await dialog('Give or take credit: vera.vendor').waitFor();
    await page.keyboard.press('Escape');
    // The address has forgotten the form, so the same choice opens it again.
    await expect.poll(() => page.url()).not.toContain('do=');
    await search(page, 'give');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Give credit: For which customer?' }).fill('vera.vendor');
    await page.keyboard.press('Enter');
    await dialog('Give or take credit: vera.vendor').waitFor();
    await page.keyboard.press('Escape');

    await search(page, 'send ag');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'vera.vendor' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Send again');
    await search(page, 'fireflies');
    await page.getByRole('option', { name: 'Sell' }).click();
    await dialog('Sell').waitFor();
    await page.keyboard.press('Escape');
    await search(page, 'new prod');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New product' }).waitFor();
    await search(page, 'close');
    await page.keyboard.press('Enter');
    await dialog('Close the store').getByLabel('Reason').waitFor();
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
    await search(page, name);
    await page.getByRole('option', { name }).getByText('Inactive').waitFor();
    expect(await page.getByRole('option', { name: 'Sell' }).count()).toBe(0);
  });
});

test('the search finds a sale and a gift card by UUID, which stays out of the address, and opens a tab beside this one', async () => {
  const { username, uuid } = resident();
  const product = await call('POST', '/products', { name: 'Found lamp', item: 'Lamp', price: 5 });
  const id = randomUUID();
  await call('POST', '/sales', { id, productId: product.id, buyerIdentifier: username, paid: 5 });
  const card = await call('POST', `/customers/${username}/actions/grant-gift-card`, { credit: 70 });
  const page = await signIn(wide);

  await search(page, card.id);
  await page.getByRole('option', { name: 'Gift card' }).getByText(`L$\u00a070 · ${username}`).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^L\$.70/ }).waitFor();
  expect(page.url()).toContain(`owner=${uuid}`);
  expect(page.url()).not.toContain(card.id);
  await search(page, id);
  await page.getByRole('option', { name: 'Sale' }).waitFor();
  const [tab] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')]);

  await tab.getByRole('heading', { level: 1, name: 'Sale' }).waitFor();
  expect(await page.getByRole('dialog', { name: 'Search' }).count()).toBe(1);
  await search(tab, 'nobody.here');
  await tab.getByRole('option', { name: 'Open nobody.here by name' }).waitFor();
  await tab.getByText('No customer’s name begins with nobody.here.').waitFor();
  await freeOfBarriers(tab);
  await tab.keyboard.press('Enter');
  await tab.getByRole('heading', { level: 1, name: 'Nobody is known as nobody.here' }).waitFor();
  forgive(/status of 404/);
});

test.each(['429', 'no answer'])(
  'where the service answers the search with %s, pages and actions can be used',
  async (how) => {
    const page = await signIn(wide);
    await page.route(/\/v1\/(?:names|products|customers)\?/, (route) =>
      how === '429' ? route.fulfill({ status: 429, headers: { 'Retry-After': '0' }, body: '{}' }) : route.abort(),
    );

    await search(page, 'product');
    await page.getByText('Customers and products cannot be searched now.').waitFor();
    await freeOfBarriers(page);
    await page.getByRole('group', { name: 'Do' }).getByRole('option', { name: 'New product' }).waitFor();
    await page.getByRole('group', { name: 'Pages' }).getByRole('option', { name: 'Products' }).waitFor();
    await page.unrouteAll();
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
    forgive(/status of 429|ERR_FAILED/);
  },
);

test('the search offers what the key’s scopes allow alone', async () => {
  const page = await signIn(wide, '/', service().keys['deliveries:read']);
  const options = page.getByRole('listbox', { name: 'Found' }).getByRole('option');

  await search(page, 'e');
  await options.first().waitFor();
  await search(page, 'e');

  expect((await options.allInnerTexts()).map((text) => text.trim())).toEqual(['Home', 'Boxes', 'Deliveries', 'Store']);
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
    .getByRole('button', { name: /^More:/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
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
    await search(page, copied);
    await page.keyboard.press('Enter');
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
  forgive(/status of 404/);
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
