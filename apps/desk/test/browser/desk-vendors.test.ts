import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, pressInMore, pressTwice, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident, service } = useDesk();

const aProduct = () =>
  call('POST', '/products', { name: `Lamp ${randomUUID().slice(0, 8)}`, item: 'Lamp', price: 300, active: true });

const register = (productId: string, name: string, uuid: string = randomUUID()) =>
  call('PUT', `/vendors/${uuid}`, {
    name,
    region: 'Reed Bay',
    position: '<1, 2, 3>',
    script: 'vendor.lsl 9',
    productId,
  });

const vendorsOf = async (productId: string): Promise<{ uuid: string }[]> =>
  (await call('GET', `/vendors?product=${productId}&limit=1000`)).data;

/** Waits until the days have a vendor's sale. */
const sold = (uuid: string) =>
  expect.poll(async () => (await call('GET', `/store/days?vendor=${uuid}`)).data.length, { timeout: 60_000 }).toBe(1);

describe.each(screens)('on a %s', (_, size) => {
  test('lists vendors with region, version, product and sales, and changes the product of those that are chosen', async () => {
    const [before, after] = [await aProduct(), await aProduct()];
    const corner = `Corner ${randomUUID().slice(0, 8)}`;
    const { uuid } = await register(before.id, corner);
    await register(before.id, 'Other vendor');
    const sale = { id: randomUUID(), productId: before.id, buyerIdentifier: resident().username, paid: 300 };
    await call('POST', '/sales', { ...sale, vendorUuid: uuid });
    await sold(uuid);
    const page = await signIn(size, '/vendors');
    await page.getByRole('combobox', { name: 'Product' }).fill(before.name.slice(0, 8));
    await page.getByRole('option', { name: before.name }).click();
    const row = page.getByRole('row', { name: corner });
    await row.getByText('L$\u00a0300 (1)').waitFor();
    for (const text of ['Reed Bay', 'vendor.lsl 9', before.name, 'Active']) await row.getByText(text).first().waitFor();
    await freeOfBarriers(page);

    await page.getByRole('checkbox', { name: `Choose ${corner}, Reed Bay` }).check();
    await page.getByText('1 vendor is chosen.').waitFor();
    await page.getByRole('button', { name: 'Change the product' }).click();
    await page.getByRole('dialog').getByRole('combobox').fill(after.name.toUpperCase());
    await freeOfBarriers(page);
    await pressTwice(page.getByRole('button', { name: 'Change it' }));

    await page.getByText(`1 vendor sells ${after.name} now.`).waitFor();
    expect(await vendorsOf(after.id)).toMatchObject([{ uuid }]);
    expect(await vendorsOf(before.id)).toMatchObject([{ name: 'Other vendor' }]);
  });

  test('a vendor has a page with its sales by day, which a sale leads to, and can be forgotten', async () => {
    const product = await aProduct();
    const { uuid } = await register(product.id, 'Pier vendor');
    const id = randomUUID();
    const sale = { id, productId: product.id, buyerIdentifier: resident().username, paid: 300, vendorUuid: uuid };
    await call('POST', '/sales', sale);
    await sold(uuid);
    const page = await signIn(size, `/sales/${id}`);
    await page.getByRole('link', { name: 'Pier vendor' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pier vendor' }).waitFor();
    await page.getByRole('figure', { name: 'Sales' }).getByText('L$\u00a0300').first().waitFor();
    await freeOfBarriers(page);

    await page.getByRole('button', { name: 'Change the product' }).click();
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByText('1 vendor sells nothing now.').waitFor();
    await page.getByText('Sells nothing', { exact: true }).waitFor();
    await freeOfBarriers(page);
    await pressInMore(page, 'Forget');
    await page.getByRole('button', { name: 'Forget it' }).click();

    await page.getByText('Forgot Pier vendor.').waitFor();
    expect(
      (await call('GET', '/vendors?limit=1000')).data.map((vendor: { uuid: string }) => vendor.uuid),
    ).not.toContain(uuid);
  });
});

test('changes the product of sixty vendors at once, more than a page has', async () => {
  const [before, after] = [await aProduct(), await aProduct()];
  for (let index = 0; index < 60; index++) await register(before.id, `Vendor ${index}`);
  const page = await signIn(wide, `/vendors?product=${before.id}`);
  await page.getByRole('table', { name: 'Vendors of the store' }).waitFor();
  // The filter reads the product's name beside the list.
  await expect.poll(() => page.getByRole('combobox', { name: 'Product' }).inputValue()).toBe(before.name);

  await page.getByRole('checkbox', { name: 'All on this page' }).check();
  await page.getByRole('button', { name: 'Choose all' }).click();
  await page.getByText('60 vendors are chosen.').waitFor();
  await page.getByRole('button', { name: 'Change the product' }).click();
  await page.getByRole('dialog').getByRole('combobox').fill(after.name.slice(0, 9));
  await page.getByRole('option', { name: after.name }).click();
  await page.getByRole('button', { name: 'Change it' }).click();

  await page.getByText(`60 vendors sell ${after.name} now.`).waitFor();
  expect(await vendorsOf(after.id)).toHaveLength(60);
  await page.getByText('No vendor fits these filters.').waitFor();
});

test('Home names the lost vendors and leads to them; a key that only reads chooses none', async () => {
  const page = await signIn(wide);
  await page.getByText('1 vendor has not been heard from for 30 hours.').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'not been heard from' })
    .getByRole('link', { name: 'Show' })
    .click();
  const row = page.getByRole('row', { name: 'Old vendor' });
  await row.getByText('Lost').waitFor();
  expect(await page.locator('tbody tr').count()).toBe(1);
  await row.getByRole('link', { name: 'Old vendor' }).click();
  await page.getByText('It has not been heard from for 30 hours').waitFor();
  await freeOfBarriers(page);

  const reader = await signIn(wide, '/vendors?state=lost', service().keys['vendors:read']);
  await reader.getByRole('row', { name: 'Old vendor' }).waitFor();

  expect(await reader.getByRole('checkbox').count()).toBe(0);
  expect(await reader.locator('main :is(button, a.button)').allInnerTexts()).toEqual(['', 'Export CSV', 'Columns']);
  await reader.getByRole('button', { name: 'More: Old vendor' }).click();
  expect(await reader.locator('.menu').innerText()).toMatch(/^Open\s+Copy id$/);
});
