import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newId, now, timestamp } from '../../../../lib/clock.ts';
import { claimDelivery, failDelivery } from '../../../../lib/delivery/deliveries.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { freeOfBarriers, phone, pressInMore, pressTwice, screens, search, useDesk, wide } from './desk.ts';

type Coupon = { code: string };

const { service, open, forgive, call, signIn, resident } = useDesk();

const aProduct = (more: object = {}) =>
  call('POST', '/products', { name: `Lamp ${randomUUID().slice(0, 8)}`, item: 'Lamp', price: 650, ...more });

const sell = (productId: string, buyerIdentifier: string, more: object = {}) =>
  call('POST', '/sales', { id: randomUUID(), productId, buyerIdentifier, paid: 650, ...more });

/** A delivery that has failed. */
const aFailure = async (item: string): Promise<{ uuid: string; username: string }> => {
  const recipient = resident();
  const made = await claimDelivery(
    {
      kind: 'deliver',
      store: 'DemoStore001',
      productId: randomUUID(),
      item,
      message: '',
      recipientUuid: recipient.uuid,
      recipientUsername: recipient.username,
      id: newId(),
      createdAt: timestamp(now()),
    },
    0,
  );
  if (made.claimed) await failDelivery(made.delivery, 'no such item');
  return recipient;
};

const headed = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

/** The text of the file that a press of the button saves. */
const exported = async (page: Page): Promise<string> => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  return readFile(await file.path(), 'utf8');
};

describe.each(screens)('on a %s', (_, size) => {
  test('refunds a sale once, and says before and after how many L$ are to be paid back inworld', async () => {
    const { username } = resident();
    const product = await aProduct();
    await call('POST', `/customers/${username}/actions/increment-credit`, { delta: 100 });
    const sale = await sell(product.id, username, { paid: 600, useCredit: true, reference: '=1+1' });
    const page = await signIn(size, `/sales?buyer=${username}&state=completed`);
    const row = page.getByRole('row', { name: product.name });
    await row.getByRole('link', { name: username }).waitFor();
    await freeOfBarriers(page);
    expect(await exported(page)).toContain(`,650,0,650,100,550,0,0,0,550,'=1+1\r\n`);

    await row.getByRole('link').first().click();
    await headed(page, 'Sale');
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    await freeOfBarriers(page);
    if (size === wide) {
      const boxOf = (name: string) => page.locator('.card', { has: page.getByRole('heading', { name }) }).boundingBox();
      const [facts, prices, delivery] = [await boxOf('What was sold'), await boxOf('Prices'), await boxOf('Delivery')];
      expect(prices?.height).toBeGreaterThan(facts?.height ?? 0);
      expect((delivery?.y ?? 0) - (facts?.y ?? 0) - (facts?.height ?? 0)).toBeLessThan(30);
    }
    await page.getByRole('button', { name: 'Refund' }).click();
    await page.getByText('You pay L$\u00a0550 back to the buyer inworld.').waitFor();
    await page.getByText('L$\u00a0100 of store credit goes back.').waitFor();
    await page.getByLabel('Reason').fill('Wrong colour');
    await page.getByLabel('Reference').fill('T-81');
    await freeOfBarriers(page);
    await pressTwice(page.getByRole('dialog').getByRole('button', { name: 'Refund' }));

    await page.getByText('Refunded. Pay L$\u00a0550 back to the buyer inworld.').waitFor();
    await page.getByText('Refunded. Pay L$\u00a0550 back to the buyer inworld, unless you already have.').waitFor();
    const lines = page.locator('.lines > div');
    await lines
      .filter({ has: page.getByText('Refund', { exact: true }) })
      .getByText('L$\u00a0550')
      .waitFor();
    expect(await page.getByRole('button', { name: 'Refund' }).count()).toBe(0);
    await freeOfBarriers(page);
    expect(await call('GET', `/sales/${sale.id}`)).toMatchObject({ state: 'refunded', refundReference: 'T-81' });
    expect(await call('GET', `/customers/${username}/credit`)).toMatchObject({ credit: 100 });
  });

  test('makes a coupon, applies it at a product, takes it back, and edits it', async () => {
    const { username } = resident();
    const product = await aProduct();
    const code = `Spring${randomUUID().slice(0, 6)}`;
    const page = await signIn(size, '/coupons');
    await page.getByRole('table', { name: 'Coupons of the store' }).waitFor();
    await freeOfBarriers(page);

    await page.getByRole('button', { name: 'New coupon' }).click();
    await page.getByLabel('Code').fill(code);
    await page.getByLabel('Discount in percent').fill('120');
    await page.getByLabel('Owner').waitFor({ state: 'hidden' });
    await page.getByText('0 %, owned by').click();
    await page.getByLabel('Commission in percent').fill('5');
    expect(await page.getByLabel('Owner').inputValue()).toBe('');
    await page.getByLabel('Owner').fill(username);
    await page.getByRole('button', { name: 'Create coupon' }).click();
    await page.locator('.field .error', { hasText: 'Enter a number from 0 to 100.' }).waitFor();
    await freeOfBarriers(page);
    await page.getByLabel('Discount in percent').fill('12.5');
    await page.getByRole('button', { name: 'Create coupon' }).click();
    await page.getByText(`Made the coupon ${code}.`).waitFor();
    // On a phone the sentence covers the button.
    await page.getByRole('button', { name: 'Close', exact: true }).click();

    await page.getByRole('button', { name: 'New coupon' }).click();
    await page.getByText(`0 %, owned by ${username}`).waitFor();
    await freeOfBarriers(page);
    await page.getByLabel('Code').fill(`Plain${code}`);
    await page.getByLabel('Discount in percent').fill('10');
    await page.getByRole('dialog').getByText('Limits').click();
    await page.getByLabel('Last day').fill('2031-12-24');
    await page.getByLabel('Uses each').fill('2');
    await page.getByText('until 2031-12-24, 2 uses each').waitFor();
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'Create coupon' }).click();
    await page.getByText(`Made the coupon Plain${code}.`).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const plain = (await call('GET', '/coupons?limit=1000')).data.find((one: Coupon) => one.code === `Plain${code}`);
    expect(plain).toMatchObject({ couponOwnerUsername: username, ownerProfit: 0, discount: 10, usesPerCustomer: 2 });
    expect(plain.expiration).toMatch(/^2031-12-2/);

    await pressInMore(page, 'Apply', code);
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Customer: name or UUID').fill(username);
    await page.getByLabel('Only for the product').fill(product.name);
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    const applying = page.getByText(`Applied ${code} to ${username}.`);
    expect(await applying.innerText()).toMatch(/It ends (?:in 24 hours|tomorrow)\.$/);
    const [applied] = (await call('GET', `/customers/${username}/coupons`)).data;
    expect(applied).toMatchObject({ code, discount: 12.5, scope: 'product', productId: product.id });

    await pressInMore(page, 'Take back', code);
    await page.getByLabel('Customer: name or UUID').fill(username);
    await page.getByLabel('Only for the product').fill(product.id);
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click();
    await page.getByText(`Took ${code} back from ${username}.`).waitFor();
    expect((await call('GET', `/customers/${username}/coupons`)).data).toEqual([]);

    await pressInMore(page, 'Edit', code);
    await page.getByLabel('Discount in percent').fill('20');
    await page.getByLabel('Active: it can be applied').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Saved ${code}.`).waitFor();
    const { data } = await call('GET', '/coupons?limit=1000&active=false');
    expect(data.find((coupon: Coupon) => coupon.code === code)).toMatchObject({ discount: 20 });
    forgive(/status of 40[04]/);
  });

  test('grants a gift card, redeems it for its owner, and disables another', async () => {
    const { username } = resident();
    const page = await signIn(size, '/giftcards');
    await page.getByText('Enter a customer to see their gift cards').waitFor();
    await freeOfBarriers(page);
    const menuOf = (credit: string) => page.getByRole('button', { name: `More: card of L$\u00a0${credit}` });
    const press = async (credit: string, action: string) => {
      await menuOf(credit).click();
      await page.getByRole('button', { name: action, exact: true }).click();
    };
    const grant = async (credit: string) => {
      await page.getByRole('button', { name: 'Give a gift card' }).click();
      await page.getByRole('dialog').getByLabel('Customer: name or UUID').fill(username);
      await page.getByLabel('Amount in L$').fill(credit);
      await pressTwice(page.getByRole('button', { name: 'Give the card' }));
      await page.getByText(`Gave ${username} a gift card of L$\u00a0${credit}.`).waitFor();
      await menuOf(credit).waitFor();
    };

    await grant('250');
    await grant('40');
    await press('250', 'Redeem');
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'Redeem the card' }).click();
    await page.getByText(`Redeemed L$\u00a0250 for ${username}, who has L$\u00a0250 now.`).waitFor();
    await page.getByRole('row', { name: /^L\$.250.*Redeemed/ }).waitFor();
    await press('40', 'Disable');
    await page.getByText(/^Nobody can redeem it any more: /).waitFor();
    await freeOfBarriers(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await press('40', 'Disable');
    await page.getByRole('button', { name: 'Disable it for good' }).click();
    await page.getByText('Disabled the card of L$\u00a040.').waitFor();
    await page.getByRole('cell', { name: 'Disabled' }).waitFor();
    await freeOfBarriers(page);

    const { data } = await call('GET', `/customers/${username}/giftcards`);
    expect(data).toHaveLength(2);
    expect(await call('GET', `/customers/${username}/credit`)).toMatchObject({ credit: 250 });
    const before = page.url();
    await page.getByLabel('Id of a card').fill(data[0].id);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: data[0].id, exact: true }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    // The id of a card is its money, and addresses stay in the browser's history.
    expect(page.url()).toBe(before);
    expect(before).not.toContain(data[0].id);
    await page.getByLabel('Customer: name or UUID').fill(username);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: data[1].id, exact: true }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(2);

    // The tab forgets what it has redeemed, and reads it in the history.
    await page.reload();
    await page.getByRole('row', { name: /^L\$.250.*Redeemed/ }).waitFor();
    await page.getByRole('link', { name: username }).first().click();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^L\$.250.*Redeemed$/ })
      .waitFor();
  });

  test('makes a product with a preview of its price, and changes the price while somebody else does', async () => {
    const name = `Coat ${randomUUID().slice(0, 8)}`;
    const page = await signIn(size, '/products');
    await page.getByRole('table', { name: 'Products of the store' }).waitFor();
    await freeOfBarriers(page);
    await page.getByRole('link', { name: 'New product' }).click();
    await headed(page, 'New product');
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Price in L$').fill('333');
    await page.getByRole('radio', { name: 'Percent off' }).check();
    await page.getByLabel('Discount in percent').fill('50');
    await page.getByText('Buyers pay L$\u00a0167 now.').waitFor();
    await page.getByRole('radio', { name: 'L$ off' }).check();
    await page.getByText('Buyers pay L$\u00a0283 now.').waitFor();
    await page.getByLabel('Listed').uncheck();
    const copies = page.getByLabel('Copies left to sell');
    expect(await copies.isVisible()).toBe(false);
    await page.getByLabel('Limited edition').check();
    await copies.fill('3');
    await page.getByLabel('Limited edition').uncheck();
    expect(await copies.isVisible()).toBe(true);
    await copies.fill('0');
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'Create product' }).click();
    await page.getByText(`Made ${name}.`).waitFor();
    await headed(page, name);
    const { data } = await call('GET', `/products?listed=false&search=${encodeURIComponent(name)}`);
    const [made] = data;
    expect(made).toMatchObject({ price: 333, activePrice: 283 });

    await page.getByLabel('Price in L$').fill('500');
    const { activePrice: _, id, mpListing: __, ...others } = made;
    await call('PUT', `/products/${id}`, { ...others, listed: false, price: 400, description: 'Warm' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Somebody changed this meanwhile' }).waitFor();
    const price = page.locator('.conflict.card .lines', { hasText: /^Price/ });
    expect(await price.innerText()).toMatch(/L\$\u00a0400.*L\$\u00a0500/s);
    await page.locator('.conflict .lines', { hasText: 'Warm' }).getByText('not changed by you').waitFor();
    await freeOfBarriers(page);
    expect(await call('GET', `/products/${id}`)).toMatchObject({ price: 400 });
    await page.getByRole('button', { name: 'Save my changes' }).click();
    await page.getByText(`Saved ${name}. It costs L$\u00a0450 now.`).waitFor();
    expect(await call('GET', `/products/${id}`)).toMatchObject({ price: 500, description: 'Warm' });

    await page.getByLabel('Price in L$').fill('450');
    await call('PUT', `/products/${id}`, { ...others, listed: false, price: 700 });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Keep what was saved' }).click();
    await expect.poll(() => page.getByLabel('Price in L$').inputValue()).toBe('700');
    expect(await call('GET', `/products/${id}`)).toMatchObject({ price: 700 });
    expect((await call('GET', `/products?listed=false&search=${encodeURIComponent(name)}`)).data).toHaveLength(1);
    forgive(/status of 412/);
  });

  test('makes a category, puts a product in and takes it out, renames it and deletes it', async () => {
    const product = await aProduct();
    const name = `Lights ${randomUUID().slice(0, 8)}`;
    const page = await signIn(size, '/categories');
    await page.getByRole('button', { name: 'New category' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'New category' }).click();
    await page.getByText(`Made the category ${name}.`).waitFor();
    await freeOfBarriers(page);
    const { data } = await call('GET', '/categories?limit=1000');
    const { id } = data.find((category: { name: string }) => category.name === name);

    await page.evaluate((path) => location.assign(path), `#/categories/${id}`);
    await headed(page, name);
    await page.getByText('No active product is in this category.').waitFor();
    await page.getByRole('button', { name: 'Add a product' }).click();
    await page.getByRole('dialog').getByRole('combobox').fill('no such product');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('No product is called no such product. Pick one from the list.').waitFor();
    await page.getByRole('dialog').getByRole('combobox').fill(product.name.toUpperCase());
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(`Added ${product.name} to ${name}.`).waitFor();
    await page.getByRole('link', { name: product.name }).waitFor();
    await freeOfBarriers(page);
    await pressInMore(page, 'Take out', product.name);
    await page.getByText(`Took ${product.name} out of ${name}.`).waitFor();
    expect(await call('GET', `/categories/${id}`)).toMatchObject({ productCount: 0 });

    await pressInMore(page, 'Rename');
    await page.getByLabel('Name', { exact: true }).fill('Old lights');
    await page.getByRole('button', { name: 'Save' }).click();
    await headed(page, 'Old lights');
    await pressInMore(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted the category Old lights.').waitFor();
    await headed(page, 'Categories');
    forgive(/status of 404/);
  });

  test('tries all failed deliveries again', async () => {
    const recipients = [await aFailure('Lost lamp'), await aFailure('Lost chair')];
    const page = await signIn(size, '/deliveries?state=failed');
    await page.getByRole('cell', { name: 'Lost chair' }).first().waitFor();
    await freeOfBarriers(page);

    await pressTwice(page.getByRole('button', { name: 'Try all failed again' }));

    // The demo store has failures of its own.
    await page.getByText(/^Trying \d+ deliveries again\.$/).waitFor();
    for (const { uuid } of recipients)
      await expect
        .poll(async () => (await call('GET', `/deliveries?recipient=${uuid}`)).data[0].state, { timeout: 60_000 })
        .toBe('delivered');
  });

  test('shows the events of a type, the newest first, and new ones while the page is open', async () => {
    const { username } = resident();
    const page = await signIn(size, '/journal/events?type=customer.banned');
    await page.getByText('Live', { exact: true }).waitFor();
    await freeOfBarriers(page);

    await call('POST', `/customers/${username}/actions/increment-credit`, { delta: 1 });
    await call('POST', `/customers/${username}/actions/ban`);
    const noted = async () => (await fetch(`${service().baseUrl}/_dev/store-events`)).text();
    await expect.poll(noted, { timeout: 60_000 }).toMatch(new RegExp(`"type":"customer.banned"[^}]*"${username}"`));
    // The API lists an event 10 seconds after it was noted.
    await fetch(`${service().baseUrl}/_dev/clock`, { method: 'POST', body: JSON.stringify({ advanceSeconds: 11 }) });
    await page.getByRole('link', { name: username }).waitFor();

    expect(await page.getByRole('row').nth(1).innerText()).toContain(username);
    expect(await exported(page)).toContain(`customer.banned,`);
    await page.locator('.filters select').selectOption('All events');
    await page.getByRole('row', { name: 'Credit changed' }).first().waitFor();
    await freeOfBarriers(page);
  });
});

test('a merchant’s first ten minutes: from /desk to sales in the demo and in an own store, on a phone and without a terminal', async () => {
  const { username } = resident();
  const name = `Reed lamp ${randomUUID().slice(0, 8)}`;
  const page = await open('/desk', phone);
  await page.getByRole('button', { name: 'Open Demo Store' }).click();
  const menu = async (to: string) => {
    await page.getByRole('button', { name: 'More pages' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: to }).click();
    await headed(page, to);
  };
  const dialog = page.getByRole('dialog');
  await page.locator('.chart').waitFor();

  // A stranger gets credit.
  await search(page, username);
  // Customers whose names begin with theirs stand before them.
  await page.getByRole('option', { name: `Open ${username} by name`, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: username, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Give or take credit' }).click();
  await page.getByLabel('Amount in L$').fill('100');
  await page.getByRole('button', { name: 'Give L$\u00a0100' }).click();
  await page.getByText(`Gave L$\u00a0100 to ${username}`).waitFor();

  await menu('Products');
  const newProduct = async () => {
    await page.getByRole('link', { name: 'New product' }).click();
    await headed(page, 'New product');
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Price in L$').fill('400');
    await page.getByRole('button', { name: 'Create product' }).click();
    await headed(page, name);
  };
  await newProduct();

  await menu('Coupons');
  await page.getByRole('button', { name: 'New coupon' }).click();
  await page.getByLabel('Code').fill(name);
  await page.getByLabel('Discount in percent').fill('25');
  await page.getByText('0 %, owned by').click();
  await page.getByLabel('Owner').fill(username);
  await page.getByRole('button', { name: 'Create coupon' }).click();
  await page.getByText(`Made the coupon ${name}.`).waitFor();
  await pressInMore(page, 'Apply', name);
  await page.getByLabel('Customer: name or UUID').fill(username);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(`Applied ${name} to ${username}.`).waitFor();

  await menu('Gift cards');
  await page.getByRole('button', { name: 'Give a gift card' }).click();
  await dialog.getByLabel('Customer: name or UUID').fill(username);
  await page.getByLabel('Amount in L$').fill('50');
  await page.getByRole('button', { name: 'Give the card' }).click();
  await page.getByText(`Gave ${username} a gift card of L$\u00a050.`).waitFor();

  // And buys, with the coupon and the credit.
  await menu('Products');
  await page.getByLabel('Name or description').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `More: ${name}`, exact: true }).click();
  await page.locator('main').getByRole('link', { name: 'Sell', exact: true }).click();
  await dialog.getByRole('heading', { name: `Sell ${name}` }).waitFor();
  await freeOfBarriers(page);
  await page.getByRole('button', { name: 'Show the price' }).click();
  await page.locator('.field .error', { hasText: 'Enter a name such as ada.lovelace' }).waitFor();
  await page.getByLabel('Buyer: name or UUID').fill(username);
  await page.getByLabel('Store credit pays first').check();
  await page.getByRole('button', { name: 'Show the price' }).click();
  await dialog.getByText('Discount of a coupon, 25 %').waitFor();
  await freeOfBarriers(page);
  await pressTwice(page.getByRole('button', { name: 'L$\u00a0200 was paid: sell' }));

  await headed(page, 'Sale');
  await page.getByText(`Sold ${name}.`).waitFor();
  // It looks again until the delivery has been made.
  await page.locator('section', { hasText: 'Delivery' }).getByText('Delivered').waitFor();
  const { data } = await call('GET', `/sales?buyer=${username}`);
  expect(data).toMatchObject([{ state: 'completed', base: 400, total: 300, credit: 100, paid: 200 }]);
  expect(await call('GET', `/customers/${username}/credit`)).toMatchObject({ credit: 0 });

  // The same in a new store, which is still empty.
  const own = `Reeds of ${username}`;
  await page.getByRole('button', { name: 'More pages' }).click();
  await page.getByLabel('Store', { exact: true }).selectOption('New store…');
  await dialog.getByLabel('Name').fill(own);
  await dialog.getByRole('button', { name: 'Create it' }).click();
  await page.getByRole('heading', { name: 'Your first day' }).waitFor();
  expect(await page.getByLabel('Store', { exact: true }).locator('option:checked').innerText()).toBe(own);
  await freeOfBarriers(page);
  await menu('Products');
  await newProduct();
  await page.getByRole('button', { name: 'Sell', exact: true }).click();
  await page.getByLabel('Buyer: name or UUID').fill(username);
  await page.getByRole('button', { name: 'Show the price' }).click();
  await page.getByRole('button', { name: 'L$\u00a0400 was paid: sell' }).click();
  await headed(page, 'Sale');
  await page.locator('section', { hasText: 'Delivery' }).getByText('Delivered').waitFor();
  await page.getByRole('link', { name: username }).click();
  await headed(page, username);
  expect((await call('GET', `/sales?buyer=${username}`)).data).toHaveLength(1);
  forgive(/status of 40[04]/);
});

test('says beside each field of a product what is wrong, in words of the form', async () => {
  const page = await signIn(wide, '/products/new');
  await page.getByLabel('Name').fill('Coat');
  await page.getByLabel('Price in L$').fill('5');
  await page.getByRole('radio', { name: 'Percent off' }).check();
  await page.getByLabel('Discount begins').fill('2030-12-26T10:00');
  await page.getByLabel('Discount ends').fill('2030-12-24T10:00');
  for (const [place, name, percent] of [
    [1, 'ada.lovelace', '10'],
    [2, 'bob', '150'],
  ] as const) {
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.getByLabel(`Person ${place}`, { exact: true }).fill(name);
    await page.getByLabel(`Share ${place} in percent`).fill(percent);
  }
  const send = () => page.getByRole('button', { name: 'Create product' }).click();
  const errors = () => page.locator('.field .error').allTextContents();

  await send();
  await page.getByText('Enter an end that is after the beginning.').waitFor();
  expect(await errors()).toEqual([
    'Enter an end that is after the beginning.',
    'Enter a percentage over 0, up to 100.',
  ]);
  await page.getByLabel('Discount ends').fill('2030-12-28T10:00');
  await page.getByRole('button', { name: 'Take person 2 out' }).click();
  await page.getByLabel('Person 1', { exact: true }).fill('nobody.here');
  await send();
  await page.getByText('Nobody is known by this name.').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('profitShares[0]');

  expect(await errors()).toHaveLength(1);
  forgive(/status of 400/);
});

test('says in words why the service refuses to sell, and sells nothing', async () => {
  const { username } = resident();
  const product = await aProduct({ limited: true, availableAmount: 0 });
  const page = await signIn(wide, `/products/${product.id}`);
  await page.getByRole('button', { name: 'Sell', exact: true }).click();
  await page.getByLabel('Buyer: name or UUID').fill(username);

  await page.getByRole('button', { name: 'Show the price' }).click();

  await page.getByRole('dialog').getByRole('alert').getByText('No copy is left.').waitFor();
  await freeOfBarriers(page);
  expect((await call('GET', `/sales?buyer=${username}`)).data).toEqual([]);
});

test('has no barriers in dialogs, empty lists, refusals and errors', async () => {
  const { username } = resident();
  await call('POST', `/customers/${username}/actions/increment-credit`, { delta: 1 });
  const category = await call('POST', '/categories', { name: `Empty ${randomUUID().slice(0, 8)}` });
  const code = `State${randomUUID().slice(0, 6)}`;
  const coupon = await call('POST', '/coupons', { code, ownerIdentifier: username });
  const page = await signIn(phone);
  const dialog = page.getByRole('dialog');
  const go = async (path: string, shown: string) => {
    await page.evaluate((hash) => location.assign(hash), `#${path}`);
    await page.locator('main').getByText(shown).first().waitFor();
    await freeOfBarriers(page);
  };
  const press = async (button: string) => {
    await page.locator('main').getByRole('button', { name: button, exact: true }).click();
    await looks();
  };
  const choose = async (button: string, of?: string) => {
    await pressInMore(page, button, of);
    await looks();
  };
  const looks = async () => {
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    await freeOfBarriers(page);
  };
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };

  await go('/settings', 'This key');
  await press('Close the store');
  await close();
  await press('End this key');
  await close();
  await page.getByRole('button', { name: 'More pages' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Customers' }).waitFor();
  await freeOfBarriers(page);
  await go('/nowhere', 'There is no such page.');
  await go('/customers?spent=999999999', 'No customer fits these filters.');
  await go('/customers/no.body', 'Nobody is known as no.body.');
  await go('/sales?cursor=none', 'cursor');
  await go(`/sales?buyer=${username}`, 'No sale fits these filters.');
  await go(`/sales/${randomUUID()}`, 'Try again');
  await go('/products?search=nosuchproduct', 'No product fits these filters.');
  await go(`/categories/${category.id}`, 'No active product is in this category.');
  await press('Add a product');
  await close();
  for (const button of ['Rename', 'Delete']) {
    await choose(button);
    await close();
  }
  await go(`/customers/${username}`, 'Owns nothing yet.');
  for (const button of ['Give a gift card', 'Apply a coupon', 'Change the discount']) {
    await choose(button);
    await close();
  }
  await go('/coupons', code);
  for (const button of ['Take back', 'Edit']) {
    await choose(button, code);
    if (button.startsWith('Take')) await close();
  }
  await page.getByLabel('Discount in percent').fill('7');
  await call('PUT', `/coupons/${coupon.id}`, { code, discount: 8, active: true });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByRole('heading', { name: 'Somebody changed this meanwhile' }).waitFor();
  await freeOfBarriers(page);
  await page.goto(`${service().baseUrl}/desk#/giftcards`);
  forgive(/status of 4(00|04|12)/);
});

test('a key that only reads sees no button that would change something, and no page that it does not open', async () => {
  const product = await aProduct();
  const sale = await sell(product.id, resident().username);
  const doors: [scope: string, path: string, heading: string, menu: string][] = [
    ['customers:read', '/customers', 'Customers', 'Customers'],
    ['sales:read', '/', 'Home', 'Sales'],
    ['sales:read', `/sales/${sale.id}`, 'Sale', 'Sales'],
    ['products:read', '/products', 'Products', 'Products'],
    ['products:read', `/products/${product.id}`, product.name, 'Products'],
    ['coupons:read', '/coupons', 'Coupons', 'Coupons'],
    ['giftcards:read', '/giftcards', 'Gift cards', 'Gift cards'],
    ['categories:read', '/categories', 'Categories', 'Categories'],
    ['deliveries:read', '/deliveries?state=failed', 'Deliveries', 'Deliveries'],
    ['deliveries:read', '/boxes', 'Boxes', 'Deliveries'],
    ['vendors:read', '/vendors', 'Vendors', 'Vendors'],
    ['events:read', '/journal/events', 'Events', 'Events'],
    ['journal:read', '/journal', 'Journal', 'Journal'],
  ];

  for (const [scope, path, heading, own] of doors) {
    const page = await signIn(wide, path, service().keys[scope as keyof ReturnType<typeof service>['keys']]);
    await headed(page, heading);
    await page.locator('main:not(:has(.waiting, [aria-busy=true]))').waitFor();

    for (const more of (await page.getByRole('button', { name: /^More: / }).all()).slice(0, 1)) {
      await more.click();
      expect((await page.locator('.menu').innerText()).replace(/\b(?:Open|Sales|Copy id)\b/g, '').trim()).toBe('');
      await page.keyboard.press('Escape');
      await page.locator('.menu').waitFor({ state: 'detached' });
    }
    const buttons = await page.locator('main :is(button:not(.sort), a.button)').allInnerTexts();
    const menu = await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link').allInnerTexts();

    expect(
      buttons.filter(
        (text) =>
          !['', 'Columns', 'Copy id', 'Export CSV', 'Next', 'Back', 'Show', 'Show older', 'Skip the rows'].includes(
            text,
          ),
      ),
    ).toEqual([]);
    // Reports are made of sales, boxes make deliveries, and Store tells each key what it may do.
    const beside: Record<string, string> = { Sales: 'Reports', Deliveries: 'Boxes' };
    expect(menu.sort()).toEqual(['Home', own, ...(beside[own] ? [beside[own]] : []), 'Store'].sort());
    await page.context().close();
  }
});

test('shows every name and code as text, those of the store, the key, dialogs and messages too', async () => {
  const hostile = '<img src=x onerror="document.title=1">{{7*7}}';
  const { username } = resident();
  const product = await aProduct({ name: hostile, item: hostile, description: '<script>document.title = 2</script>' });
  const sale = await sell(product.id, username, { reference: hostile });
  const category = await call('POST', '/categories', { name: hostile });
  await call('POST', `/categories/${category.id}/products/${product.id}`);
  await call('POST', '/coupons', { code: hostile, ownerIdentifier: username });
  const vendor = randomUUID();
  await call('PUT', `/vendors/${vendor}`, { name: hostile, region: hostile, productId: product.id });
  const page = await signIn(wide);
  const isText = async () => expect(await page.locator(':is(body, .toasts) :is(img, script)').count()).toBe(0);

  for (const path of [
    '/sales',
    `/sales/${sale.id}`,
    '/products?search=onerror',
    `/products/${product.id}`,
    '/categories',
    `/categories/${category.id}`,
    '/coupons',
    '/journal/events?type=sale.completed',
    '/deliveries',
    '/vendors',
    `/vendors/${vendor}`,
  ]) {
    await page.evaluate((hash) => location.assign(hash), `#${path}`);
    await page.locator('main').getByText(hostile).filter({ visible: true }).first().waitFor();
    await isText();
  }
  await page.evaluate((hash) => location.assign(hash), `#/categories/${category.id}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByText(hostile).first().waitFor();
  await isText();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.locator('.toasts').getByText(hostile).waitFor();
  await isText();

  const other = await createStore(hostile);
  const { text: key } = await issueKey({ store: other.id, name: hostile, scopes: ['sales:read'], stage: 'test' });
  const theirs = await signIn(wide, '/', key);
  await theirs.getByText(`Key: ${hostile}`).waitFor();
  expect(await theirs.getByLabel('Store', { exact: true }).locator('option:checked').innerText()).toBe(hostile);
  expect(await theirs.locator('body :is(img, script)').count()).toBe(0);
});

test('warns of the end of a key in its last hour, and not before', async () => {
  const store = (await createStore('Keys')).id;
  const home = async (minutes: number) => {
    const expiresAt = timestamp(now() + minutes * 60_000);
    const { text } = await issueKey({ store, name: 'Shift', scopes: ['sales:read'], stage: 'test', expiresAt });
    return signIn(wide, '/', text);
  };

  const [early, late] = [await home(12 * 60), await home(30)];

  await early.getByText('Nothing needs you right now.').waitFor();
  await late.getByText(/^Your key ends in/).waitFor();
});

test('a list keeps its filters and its place when one comes back to it', async () => {
  const { username } = resident();
  const product = await aProduct();
  for (let index = 0; index < 27; index++) await sell(product.id, username);
  const page = await signIn(wide, `/sales?buyer=${username}`);

  await page.getByRole('link', { name: 'Next' }).click();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await headed(page, 'Sale');
  await page.goBack();

  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
  expect(await page.getByLabel('Buyer: name or UUID').inputValue()).toBe(username);
});

test('these pages fit every width from 390 to 2,560 pixels', async () => {
  const { username } = resident();
  const product = await aProduct({ name: 'W'.repeat(200) });
  const sale = await sell(product.id, username, { reference: 'R'.repeat(100) });
  await call('POST', `/customers/${username}/actions/grant-gift-card`, { credit: 5 });
  const page = await signIn(wide);

  for (const path of [
    '/sales',
    `/sales/${sale.id}`,
    '/deliveries',
    '/products?search=WWW',
    `/products/${product.id}`,
    '/categories',
    '/coupons',
    `/giftcards?owner=${username}`,
    '/journal/events',
    '/vendors',
    '/boxes',
    '/webhooks',
    '/rules',
    '/setup/vendor',
  ]) {
    await page.evaluate((hash) => location.assign(hash), `#${path}`);
    await page.locator('main :is(.table, .lines, .form, .steps)').first().waitFor();
    for (const width of [390, 600, 768, 900, 1100, 1440, 1920, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `${path} ${width}`).toBeLessThanOrEqual(
        width,
      );
    }
  }
});
