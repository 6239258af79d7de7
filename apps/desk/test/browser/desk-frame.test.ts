import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { freeOfBarriers, phone, useDesk, wide } from './desk.ts';

const { service, call, signIn } = useDesk();

const settled = (page: Page): Promise<void> => page.locator('main:not(:has(.waiting, [aria-busy=true]))').waitFor();

const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate((hash) => location.assign(hash), `#${path}`);
  await page.locator('main h1').waitFor();
  await settled(page);
};

/** The words in the cells of the lists on a page, each with the number of lines that it stands on. */
const wordsInCells = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main td')].flatMap((cell) => {
      const found: { word: string; lines: number }[] = [];
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        for (const { 0: word, index } of (text.nodeValue ?? '').matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          found.push({ word, lines: new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size });
        }
      }
      return found;
    }),
  );

test('the focus returns to the button of a dialog, however it is closed', async () => {
  const page = await signIn(wide, '/coupons');
  const button = page.getByRole('button', { name: 'New coupon' });
  const dialog = page.getByRole('dialog');

  for (const close of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Cancel' }).click(),
    () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
  ]) {
    await button.click();
    await dialog.waitFor();
    await close();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  }
});

test('no word of a name breaks in a list', async () => {
  const page = await signIn({ viewport: { width: 1280, height: 900 } });
  const words: { word: string; lines: number }[] = [];

  for (const path of ['/coupons', '/sales', '/customers', '/vendors', '/products', '/payouts', '/deliveries']) {
    await goTo(page, path);
    await page.locator('main td').first().waitFor();
    words.push(...(await wordsInCells(page)));
  }

  expect(words.map(({ word }) => word)).toEqual(
    expect.arrayContaining(['WELCOME10', 'PartnerPaused', 'vendor.lsl', 'rufus.stonecutter', 'partner.builder']),
  );
  expect(words.filter(({ lines }) => lines > 1)).toEqual([]);
});

const noTools = async (page: Page): Promise<void> => {
  const pressed = page.locator(':is(nav, aside, button, a.button, input[type=checkbox])').filter({ visible: true });
  expect(await pressed.allInnerTexts(), page.url()).toEqual([]);
};

test('paper gets the page alone, in the colours of light, with its heads and unbroken rows', async () => {
  const page = await signIn(wide);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });

  for (const path of ['/', '/sales', '/customers/vera.vendor', '/products', '/coupons', '/reports', '/settings']) {
    await goTo(page, path);
    await noTools(page);
  }
  const lines = Array.from({ length: 60 }, (_, index) => `Printed ${index}`);
  await goTo(page, '/import/categories');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'many.csv', mimeType: 'text/csv', buffer: Buffer.from(['name', ...lines].join('\n')) });
  await page.locator('tbody tr').nth(59).waitFor();
  await noTools(page);

  const looks = await page.evaluate(() => {
    const look = (selector: string) => getComputedStyle(document.querySelector(selector) as Element);
    return [
      look('body').colorScheme,
      look('body').backgroundColor,
      look('thead').display,
      look('th').position,
      look('tr').breakInside,
    ];
  });
  expect(looks).toEqual(['light', 'rgb(255, 255, 255)', 'table-header-group', 'static', 'avoid']);
  const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g) ?? [];
  expect(pages.length).toBeGreaterThan(1);
});

test('the line above a printed list says the store, its filters and the time; it prints all rows, with their names', async () => {
  const { data } = await call('GET', '/sales?state=completed&limit=1000');
  const page = await signIn(wide, '/sales?from=2020-01-02&state=completed');
  await page.getByText(`${data.length} sales`).waitFor();
  await settled(page);
  expect([data.length > 25, await page.locator('tbody tr').count()]).toEqual([true, 25]);

  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));

  const said = await page.locator('.printed').filter({ visible: true }).allInnerTexts();
  expect(said[0]).toMatch(/^Demo Store · State: Completed · From: 2020-01-02 · Printed .*\d/);
  expect(said).toHaveLength(1);
  expect(await page.locator('tbody tr').count()).toBe(data.length);
});

test('a sale prints as a receipt for its buyer', async () => {
  const { data } = await call('GET', '/sales?state=completed&limit=1000');
  const { id } = data.find(
    ({ shares, credit }: { shares: unknown[]; credit: number }) => shares.length > 0 && credit > 0,
  );
  const page = await signIn(wide, `/sales/${id}`);
  await page.getByRole('heading', { name: 'Delivery' }).waitFor();
  await settled(page);
  expect(await page.locator('.lines dt').allInnerTexts()).toContain('Yours');

  await page.emulateMedia({ media: 'print' });

  const names = await page.locator('.lines dt').filter({ visible: true }).allInnerTexts();
  expect(names).toEqual(
    expect.arrayContaining(['Product', 'Buyer', 'Price', 'Total', 'Paid with credit', 'The buyer paid']),
  );
  expect(names).toContain('Reference');
  expect(names.filter((name) => /Yours|share|Commission|Attempts/.test(name))).toEqual([]);
});

describe('on a phone', () => {
  const linksIn = async (page: Page, name: string): Promise<string[]> =>
    page.getByRole('navigation', { name, exact: true }).getByRole('link').allInnerTexts();

  test('four pages are tabs, and More lists the pages of the key, in groups that are not empty', async () => {
    const page = await signIn(phone);
    const more = page.getByRole('button', { name: 'More pages' });
    expect(await linksIn(page, 'Shortcuts')).toEqual(['Home', 'Sales', 'Customers', 'Products']);
    expect(await more.getAttribute('aria-expanded')).toBe('false');

    await more.click();

    const menu = page.getByRole('navigation', { name: 'Pages', exact: true });
    expect(await menu.getByRole('heading').allInnerTexts()).toEqual([
      'Sell',
      'Customers',
      'Inworld',
      'Money',
      'Settings',
    ]);
    expect(await linksIn(page, 'Pages')).toHaveLength(17);
    await freeOfBarriers(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Home');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);
    await more.click();
    await menu.getByRole('link', { name: 'Payouts' }).click();
    await page.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor();
    await menu.waitFor({ state: 'hidden' });

    for (const leave of [
      () => page.getByRole('navigation', { name: 'Shortcuts' }).getByRole('link', { name: 'Home' }).click(),
      () => page.setViewportSize(wide.viewport),
    ]) {
      await goTo(page, '/');
      await more.click();
      await page.locator('.content[inert]').waitFor();
      await leave();
      await page.locator('.content:not([inert])').waitFor();
    }

    const few = await signIn(phone, '/', service().keys['deliveries:read']);
    expect(await linksIn(few, 'Shortcuts')).toEqual(['Home', 'Boxes', 'Deliveries', 'Store']);
    await few.getByRole('button', { name: 'More pages' }).click();
    expect(await linksIn(few, 'Pages')).toEqual(['Home', 'Boxes', 'Deliveries', 'Store']);
    const own = few.getByRole('navigation', { name: 'Pages', exact: true });
    expect(await own.getByRole('heading').allInnerTexts()).toEqual(['Inworld', 'Settings']);
  });

  test('boxes have letters of 16 pixels, and the tabs cover neither the last row nor the last button', async () => {
    const page = await signIn(phone);
    for (const path of ['/products', '/sales', '/products/new', '/rules', '/customers/vera.vendor', '/settings']) {
      await goTo(page, path);

      const letters = await page
        .locator(':is(input:not([type=checkbox], [type=radio]), select, textarea)')
        .evaluateAll((boxes) => boxes.map((box) => Number.parseFloat(getComputedStyle(box).fontSize)));
      // Names arrive after their rows, and make some of them higher.
      const covered = () =>
        page.evaluate(() => {
          scrollTo(0, document.body.scrollHeight);
          const ends = [...document.querySelectorAll('main :is(tr, .button, .card)')].map(
            (one) => one.getBoundingClientRect().bottom,
          );
          return Math.max(...ends) - (document.querySelector('.tabs')?.getBoundingClientRect().top ?? 0);
        });

      expect(Math.min(...letters), path).toBeGreaterThanOrEqual(16);
      await expect.poll(covered, { message: path }).toBeLessThanOrEqual(0);
    }
  });
});
