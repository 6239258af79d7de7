import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, phone, screens, useDesk, wide } from './desk.ts';

const { signIn, call, forgive } = useDesk();

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });

const headed = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** The form of a new product, half filled. */
const halfFilled = async (size: typeof phone): Promise<Page> => {
  const page = await signIn(size, '/products');
  await headed(page, 'Products');
  await page.getByRole('link', { name: 'New product' }).click();
  await headed(page, 'New product');
  await page.getByLabel('Name').fill('Half a lamp');
  return page;
};

describe.each(screens)('on a %s', (_, size) => {
  test('asks before a page with a half filled form is left, keeps what was entered, and leaves where one wants', async () => {
    const page = await halfFilled(size);
    const leave = async () => {
      if (size === phone) await page.getByRole('button', { name: 'More pages' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Coupons' }).click();
      await question(page).waitFor();
    };

    await leave();
    await freeOfBarriers(page);
    await expect.poll(() => page.url()).toContain('#/products/new');
    await page.keyboard.press('Enter');
    await question(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Half a lamp');
    await headed(page, 'New product');
    await leave();
    await question(page).getByRole('button', { name: 'Leave' }).click();

    await headed(page, 'Coupons');
    expect(page.url()).toContain('#/coupons');
  });
});

test('asks before the button Back leaves an entered form, and the page before is shown then', async () => {
  const page = await halfFilled(wide);

  await page.goBack();
  await question(page).getByRole('button', { name: 'Stay here' }).click();
  expect(await page.getByLabel('Name').inputValue()).toBe('Half a lamp');
  await page.goBack();
  await question(page).getByRole('button', { name: 'Leave' }).click();

  await headed(page, 'Products');
  await page.goForward();
  await headed(page, 'New product');
});

test('asks before the tab is closed or somebody signs out, until the form is empty again', async () => {
  const page = await halfFilled(wide);
  let asked = 0;
  page.on('dialog', (dialog) => {
    asked += 1;
    return dialog.type() === 'beforeunload' ? dialog.dismiss() : dialog.accept();
  });

  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked).toBe(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await question(page).getByRole('button', { name: 'Stay here' }).click();
  await headed(page, 'New product');
  await page.getByLabel('Name').fill('');
  await page.close({ runBeforeUnload: true });

  await expect.poll(() => page.isClosed()).toBe(true);
  expect(asked).toBe(1);
});

test('asks nothing about a form in which nothing was entered, although the service has refused it', async () => {
  const page = await signIn(wide, '/products/new');
  await page.getByRole('button', { name: 'Create product' }).click();
  await page.locator('.field .error').first().waitFor();

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sales' }).click();

  await headed(page, 'Sales');
  expect(await question(page).count()).toBe(0);
  forgive(/status of 400/);
});

test('asks nothing once the form is saved', async () => {
  const page = await halfFilled(wide);
  await page.getByLabel('Price in L$').fill('5');
  await page.getByRole('button', { name: 'Create product' }).click();
  await headed(page, 'Half a lamp');

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sales' }).click();

  await headed(page, 'Sales');
  expect(await question(page).count()).toBe(0);
  expect((await call('GET', '/products?search=Half%20a%20lamp')).data).toHaveLength(1);
});
