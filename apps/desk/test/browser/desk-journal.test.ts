import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { freeOfBarriers, phone, useDesk, wide } from './desk.ts';

const { service, call, signIn, resident } = useDesk();

type Page = Awaited<ReturnType<typeof signIn>>;

const headed = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

/** A person with a key of their own, and their calls. */
const person = async (name: string) => {
  const { id, key } = await call('POST', '/keys', { name, preset: 'manager' });
  const as = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${service().baseUrl}/v1${path}`, {
      method,
      headers: { 'X-API-Key': key },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status, `${method} ${path}`).toBeLessThan(300);
    return response.status === 204 ? undefined : response.json();
  };
  return { id, as };
};

/** Two people at work. */
const work = async () => {
  const [rosa, tom] = [await person('Rosa'), await person('Tom')];
  const bench = { name: 'Oak bench', item: 'Oak bench', price: 300 };
  const { id } = await rosa.as('POST', '/products', bench);
  for (const [who, price] of [
    [rosa, 320],
    [rosa, 340],
    [tom, 410],
  ] as const)
    await who.as('PUT', `/products/${id}`, { ...bench, price });
  const { uuid, username } = resident();
  await rosa.as('POST', `/customers/${uuid}/actions/increment-credit`, { delta: 5 });
  await tom.as('POST', `/customers/${uuid}/actions/ban`, { reason: 'pushed people off the pier' });
  const coupon = { code: 'HARVEST', discount: 10, ownerProfit: 0, active: true, bloggersSync: false };
  const made = await rosa.as('POST', '/coupons', { ...coupon, ownerIdentifier: uuid });
  await tom.as('PUT', `/coupons/${made.id}`, { ...coupon, discount: 25 });
  await tom.as('PUT', '/store/rules', { groupDiscount: 5 });
  const card = await rosa.as('POST', `/customers/${uuid}/actions/grant-gift-card`, { credit: 700 });
  return { rosa, tom, product: id, coupon: made.id, card: card.id, uuid, username };
};

let done: Awaited<ReturnType<typeof work>> | undefined;
const workOnce = async () => {
  done ??= await work();
  return done;
};

/** Opens the journal as soon as it has the last act. */
const openJournal = async (page: Page, query = ''): Promise<void> => {
  await expect
    .poll(async () => (await call('GET', '/journal?kind=giftcard.granted')).data.length, { timeout: 60_000 })
    .toBeGreaterThan(0);
  await page.evaluate((hash) => location.assign(hash), `#/journal${query}`);
  await headed(page, 'Journal');
  await page.getByRole('heading', { level: 2, name: 'Today' }).waitFor();
};

const pressLinkInMore = async (page: Page, name: string, of: string): Promise<void> => {
  await page.getByRole('button', { name: `More: ${of}`, exact: true }).click();
  await page.locator('main').getByRole('link', { name, exact: true }).click();
};

const entry = (page: Page, words: string) => page.locator('.entry', { hasText: words });

test.each([
  ['phone', phone],
  ['desk', wide],
] as const)('on a %s the owner sees who did what, filters by person and thing, and comes back', async (_, size) => {
  const { rosa, username } = await workOnce();
  const page = await signIn(size);
  await openJournal(page);
  const price = entry(page, 'Tom changed the price of Oak bench');
  await price.getByText('L$ 340 → L$ 410').waitFor();
  await entry(page, 'Rosa made the product Oak bench').waitFor();
  await entry(page, 'Tom changed the discount of the coupon HARVEST').getByText('10 % → 25 %').waitFor();
  await entry(page, 'Tom changed prices and bonus').getByText('Discount of the group: 0 % → 5 %').waitFor();
  await entry(page, `Tom banned ${username}`).waitFor();
  await entry(page, `Rosa gave credit to ${username}`).getByText('+L$ 5').waitFor();
  expect(await page.getByText('pushed people off').count()).toBe(0);
  await freeOfBarriers(page);

  // By person.
  await page.getByLabel('Who').selectOption({ label: 'Rosa' });
  await price.waitFor({ state: 'detached' });
  await entry(page, 'Rosa changed the price of Oak bench').first().waitFor();
  expect(await page.locator('.entry', { hasText: 'Tom' }).count()).toBe(0);
  expect(page.url()).toContain(`who=${rosa.id}`);

  // By kind of thing, and to a product and back.
  await page.getByLabel('What').selectOption({ label: 'Products' });
  await entry(page, `gave credit to ${username}`).waitFor({ state: 'detached' });
  expect(await page.locator('.entry').count()).toBe(3);
  await entry(page, 'made the product').getByRole('link', { name: 'Oak bench' }).click();
  await headed(page, 'Oak bench');
  await page.goBack();
  await headed(page, 'Journal');
  await entry(page, 'Rosa made the product').waitFor();
  expect(await page.locator('.entry').count()).toBe(3);

  // Nobody but the service's own keys imports anything.
  await page.getByLabel('What').selectOption({ label: 'Imports by the command' });
  await page.getByText('No change fits these filters.').waitFor();
  await freeOfBarriers(page);
  await page.getByRole('link', { name: 'Show all changes' }).click();
  await price.waitFor();
  expect(await page.getByLabel('Who').inputValue()).toBe('');
});

test('a product, a coupon and a customer show their own changes, and a gift card keeps its id out of the address', async () => {
  const { product, coupon, card, uuid, username } = await workOnce();
  const page = await signIn(wide);
  await openJournal(page);

  await entry(page, 'Rosa gave a gift card to').getByRole('link', { name: 'a gift card' }).click();
  await headed(page, 'Gift cards');
  await page.getByText(card).waitFor();
  expect(page.url()).not.toContain(card);

  await page.evaluate((hash) => location.assign(hash), `#/products/${product}`);
  await headed(page, 'Oak bench');
  const changes = page.getByRole('region', { name: 'Changes' });
  await changes.getByText('L$ 340 → L$ 410').waitFor();
  expect(await changes.locator('.entry').count()).toBe(3);
  await freeOfBarriers(page);
  // A change at the desk is there without loading the page again.
  await page.getByLabel('Price in L$').fill('450');
  await page.getByRole('button', { name: 'Save' }).click();
  await changes.getByText('You changed the price of').waitFor();
  await changes.getByRole('link', { name: 'All changes' }).click();
  await page.getByText('Only changes of Oak bench are shown.').waitFor();
  await page.locator('.entry').nth(4).waitFor();
  expect(await page.locator('.entry').count()).toBe(5);
  await freeOfBarriers(page);

  await page.evaluate(() => location.assign('#/coupons'));
  await headed(page, 'Coupons');
  await pressLinkInMore(page, 'Show its changes', 'HARVEST');
  await changes.getByText('10 % → 25 %').waitFor();
  expect(page.url()).toContain(coupon);
  await freeOfBarriers(page);

  await page.evaluate((hash) => location.assign(hash), `#/customers/${uuid}`);
  await headed(page, username);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.locator('.entry', { hasText: 'Banned' }).getByText('by Tom').waitFor();
  // The events tell of the same ban.
  expect(await timeline.getByText('Banned', { exact: true }).count()).toBe(1);
  expect(await timeline.locator('.entry', { hasText: '+L$ 5' }).count()).toBe(1);
  await page.getByRole('link', { name: 'Who changed what' }).click();
  await page.getByText(`Only changes of ${username} are shown.`).waitFor();
});

test('Team shows what somebody did, and the file has it without secrets', async () => {
  const { card, username } = await workOnce();
  const page = await signIn(wide);
  await openJournal(page);
  await page.evaluate(() => location.assign('#/team'));
  await headed(page, 'Team and keys');
  await pressLinkInMore(page, 'Show what they did', 'Tom');
  await headed(page, 'Journal');
  await entry(page, 'Tom changed prices and bonus').waitFor();
  expect(await page.getByLabel('Who').locator('option:checked').innerText()).toBe('Tom');
  expect(await page.locator('.entry', { hasText: 'Rosa' }).count()).toBe(0);

  await page.getByLabel('Who').selectOption({ label: 'Everybody' });
  await entry(page, 'Rosa made the product Oak bench').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = readFileSync(await (await saved).path(), 'utf8');
  expect(file.split('\r\n')[0]).toBe('\ufeffWhen,Who,What,Field,Before,After');
  expect(file).toMatch(/,Tom,changed the price of Oak bench,Price,L\$.340,L\$.410\r\n/);
  expect(file).toContain(`,Tom,banned ${username},,,`);
  for (const secret of [card, ...Object.values(service().keys)]) expect(file).not.toContain(secret);
});

test('a key that reads no journal has Events in its menu, and no journal anywhere', async () => {
  const { product } = await workOnce();
  const scopes = ['events:read', 'products:read', 'keys:read'];
  const { key } = await call('POST', '/keys', { name: 'Reader', scopes });
  const page = await signIn(wide, '/journal', key);

  await page.getByText('The key that you signed in with does not open this page.').waitFor();
  const menu = page.getByRole('navigation', { name: 'Pages' });
  expect(await menu.getByRole('link', { name: 'Journal' }).count()).toBe(0);
  await menu.getByRole('link', { name: 'Events' }).click();
  await headed(page, 'Events');
  await page.evaluate((hash) => location.assign(hash), `#/products/${product}`);
  await headed(page, 'Oak bench');
  expect(await page.getByRole('heading', { name: 'Changes' }).count()).toBe(0);
});
