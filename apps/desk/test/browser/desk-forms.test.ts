import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { freeOfBarriers, phone, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident, forgive } = useDesk();

afterEach(() => {
  delete process.env.TEXTURE_URL;
});

const aProduct = (more: object = {}) =>
  call('POST', '/products', { name: `Lamp ${randomUUID().slice(0, 8)}`, item: 'Lamp', price: 300, ...more });

/** True if something lies over the middle of a box. */
const isCovered = (box: Locator): Promise<boolean> =>
  box.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2) !== element;
  });

const save = (page: Page): Locator => page.getByRole('button', { name: 'Save', exact: true });

describe.each(screens)('on a %s', (_, size) => {
  test('the bar of a product counts what is not saved, stays in sight, covers no box, and discards', async () => {
    const { id } = await aProduct();
    const page = await signIn(size, `/products/${id}`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Another lamp');
    await page.getByText('1 change is not saved').waitFor();
    await page.getByLabel('Listed').uncheck();
    await page.getByText('2 changes are not saved').waitFor();
    await freeOfBarriers(page);

    await page.evaluate(() => scrollTo(0, 0));
    expect((await save(page).boundingBox())?.y).toBeLessThan(size.viewport.height);
    // The last box of the form, when the focus comes to it.
    await page.getByLabel('Limited edition').focus();
    expect(await isCovered(page.getByLabel('Limited edition'))).toBe(false);
    await name.fill((await call('GET', `/products/${id}`)).name);
    await page.getByText('1 change is not saved').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();

    await page.getByText('not saved').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Listed').isChecked()).toBe(true);
    expect(await page.locator('form[data-unsaved]').count()).toBe(0);
  });

  test('shares are a person and a percentage each, say what is kept, and more than 100 % is said at once', async () => {
    const [old, other] = [resident(), resident()];
    const { id } = await aProduct({
      price: 333,
      discount: { type: 0, value: 50 },
      profitShares: [{ username: old.username, percent: 12.5 }],
    });
    const page = await signIn(size, `/products/${id}`);
    // Of L$ 167: 20.875 is rounded down.
    await page.getByText('Of each L$\u00a0167 you keep L$\u00a0147.').waitFor();
    await page.getByRole('link', { name: old.username }).waitFor();
    await page.getByRole('button', { name: 'Add a person' }).click();
    await page.keyboard.type(other.username);
    await page.getByLabel('Share 2 in percent').fill('90');
    await page.getByRole('alert').getByText('Together they get 102.5 %').waitFor();
    await freeOfBarriers(page);
    await page.getByLabel('Share 2 in percent').fill('5');
    await page.getByText('Of each L$\u00a0167 you keep L$\u00a0139.').waitFor();
    await page.getByText('1 change is not saved').waitFor();
    await save(page).click();
    await page.getByText(/^Saved Lamp/).waitFor();

    expect((await call('GET', `/products/${id}`)).profitShares).toEqual([
      { userUuid: old.uuid, percent: 12.5 },
      { userUuid: other.uuid, percent: 5 },
    ]);
    await page.getByRole('button', { name: 'Take person 1 out' }).click();
    await save(page).click();
    await expect.poll(async () => (await call('GET', `/products/${id}`)).profitShares.length).toBe(1);
  });
});

test('a price that falls by 80 % or more, or to nothing, is asked about before it is saved', async () => {
  const { id } = await aProduct();
  const page = await signIn(wide, `/products/${id}`);
  const priceOf = async () => (await call('GET', `/products/${id}`)).price;
  const question = page.getByRole('dialog');
  const setPrice = async (price: string) => {
    await page.getByLabel('Price in L$').fill(price);
    await save(page).click();
  };

  await setPrice('3');
  await question.getByRole('heading', { name: 'Is L$\u00a03 the right price?' }).waitFor();
  await question.getByText('It costs L$\u00a0300 now, so that is 99 % less.').waitFor();
  await freeOfBarriers(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('1 change is not saved').waitFor();
  expect(await priceOf()).toBe(300);
  await save(page).click();
  await question.getByRole('button', { name: 'Save L$\u00a03' }).click();
  await expect.poll(priceOf).toBe(3);
  await page.getByText('not saved').waitFor({ state: 'detached' });
  await setPrice('1');
  await expect.poll(priceOf).toBe(1);
  await page.getByText('not saved').waitFor({ state: 'detached' });
  await setPrice('0');
  await question.getByText('100 % less').waitFor();
  await page.keyboard.press('Escape');
  await setPrice('200');
  await expect.poll(priceOf).toBe(200);
  await page.getByText('not saved').waitFor({ state: 'detached' });
  await setPrice('40');
  await question.getByText('80 % less').waitFor();
  expect(await priceOf()).toBe(200);
});

test('the kind of discount is a row of buttons, the rare fields say their values, and a fault in them opens them', async () => {
  const { id } = await aProduct({ discount: { type: 1, value: 100 } });
  const page = await signIn(wide, `/products/${id}`);
  await page.getByText('Lamp · copy, no modify, no transfer').click();
  expect(await page.getByRole('radio', { name: 'L$ off' }).isChecked()).toBe(true);
  expect(await page.getByLabel('Discount in L$').inputValue()).toBe('100');

  await page.getByRole('radio', { name: 'L$ off' }).press('ArrowRight');
  await page.getByLabel('Discounted price in L$').waitFor();
  await page.getByText('Buyers pay L$\u00a0100 now.').waitFor();
  await page.getByRole('radio', { name: 'None' }).check();
  await page.getByText('Buyers pay L$\u00a0300 now, without a discount.').waitFor();
  expect(await page.getByLabel('Discount begins').isVisible()).toBe(false);
  await page.getByLabel('Item in the box').fill('a|b');
  await page.getByText('a|b · copy').click();
  await save(page).click();
  await page.getByText('without accents and without |').waitFor();
  await freeOfBarriers(page);
  await page.getByLabel('Item in the box').fill('');
  await save(page).click();

  await expect.poll(async () => (await call('GET', `/products/${id}`)).discount).toMatchObject({ type: 0, value: 0 });
  forgive(/status of 400/);
});

test('a texture shows as soon as it is entered, or the form says that it cannot', async () => {
  const { id } = await aProduct();
  const [good, lost] = [randomUUID(), randomUUID()];
  const plain = await signIn(phone, `/products/${id}`);
  await plain.getByLabel('Texture (optional)', { exact: true }).fill(good);
  await plain.getByText('this deployment names no texture service').waitFor();
  await freeOfBarriers(plain);

  process.env.TEXTURE_URL = 'https://textures.example.com/{uuid}.png';
  const page = await signIn(wide);
  await page.route('https://textures.example.com/**', (route) =>
    route.request().url().includes(good)
      ? route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' })
      : route.fulfill({ status: 404 }),
  );
  await page.evaluate((path) => location.assign(path), `#/products/${id}`);
  await page.getByLabel('Texture (optional)', { exact: true }).fill(lost);
  await page.getByText('This texture cannot be shown').waitFor();
  await page.getByLabel('Texture (optional)', { exact: true }).fill(good);

  await page.locator(`.whole-picture img[src*="${good}"]`).waitFor();
  expect(await page.getByText('This texture cannot be shown').count()).toBe(0);
  forgive(/status of 404/);
});

test('a coupon whose limits are refused is made, and the desk says that it has none', async () => {
  const code = `Limit${randomUUID().slice(0, 6)}`;
  const page = await signIn(wide, '/coupons');
  await page.getByRole('button', { name: 'New coupon' }).click();
  await page.getByLabel('Code').fill(code);
  await page.getByLabel('Discount in percent').fill('5');
  await page.getByRole('dialog').getByText('Limits').click();
  await page.getByLabel('Uses each').fill('-3');
  await page.getByRole('button', { name: 'Create coupon' }).click();

  await page.getByText(`Made the coupon ${code}, but without its limits.`).waitFor();

  expect((await call('GET', '/coupons?limit=1000')).data).toContainEqual(
    expect.objectContaining({ code, usesPerCustomer: 0 }),
  );
  forgive(/status of 400/);
});

test('the first change on a phone brings the bar of the rules, and the box in which one types stays in sight', async () => {
  await call('PUT', '/store/rules', { groupDiscount: 0, tiers: [], bonus: { percent: 0, groupPercent: 0 } });
  const page = await signIn(phone, '/rules');
  const box = page.getByLabel('Days until it expires');
  await box.evaluate((element: HTMLElement) => {
    scrollBy(0, element.getBoundingClientRect().bottom + 66 - innerHeight);
    element.focus({ preventScroll: true });
  });
  expect(await isCovered(box)).toBe(false);

  await page.keyboard.type('5');
  await page.getByText('1 change is not saved').waitFor();
  expect(await isCovered(box)).toBe(false);
  await freeOfBarriers(page);
  await page.getByRole('button', { name: 'Discard' }).click();

  await expect.poll(() => box.inputValue()).toBe('');
});

test('the preview of the rules stays beside the form', async () => {
  const page = await signIn({ viewport: { width: 1440, height: 500 } }, '/rules');
  const preview = page.getByRole('region', { name: 'What a buyer sees' });
  await preview.waitFor();

  await page.evaluate(() => scrollTo(0, 300));

  expect((await preview.boundingBox())?.y).toBeGreaterThan(50);
  await page.getByRole('region', { name: 'Discounts' }).waitFor();
  await page.getByRole('region', { name: 'Bonus' }).waitFor();
});
