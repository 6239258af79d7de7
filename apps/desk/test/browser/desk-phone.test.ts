import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { freeOfBarriers, phone, useDesk, wide } from './desk.ts';

const { call, signIn, resident } = useDesk();

const boxOf = async (of: Locator) => {
  const box = await of.boundingBox();
  if (!box) throw new Error('It is not shown.');
  return { ...box, middle: box.y + box.height / 2, end: box.y + box.height };
};

test('a row of a list is two lines on a phone: the main facts, and the rest as a note', async () => {
  const page = await signIn(phone, '/customers');
  const row = page.getByRole('row', { name: 'vera.vendor' });
  await row.waitFor();

  const [name, credit, note] = await Promise.all(
    [row.getByRole('link'), row.locator('.is-fact').first(), row.getByText('Yes').or(row.getByText('No'))].map(boxOf),
  );

  expect(Math.abs((name?.middle ?? 0) - (credit?.middle ?? 99))).toBeLessThan(8);
  expect(note?.y).toBeGreaterThanOrEqual(name?.end ?? 999);
  expect((await boxOf(row)).height).toBeLessThan(78);
  await page.setViewportSize(wide.viewport);
  await page.getByRole('columnheader', { name: 'Discount' }).waitFor();
});

test('a phone has all but the first action in one menu, which the keyboard works too', async () => {
  const { username } = resident();
  await call('POST', `/customers/${username}/actions/increment-credit`, { delta: 1 });
  const page = await signIn(phone, `/customers/${username}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  await button('More').waitFor();
  expect([await button('Ban').count(), await button('More').getAttribute('aria-expanded')]).toEqual([0, 'false']);

  await button('More').focus();
  await page.keyboard.press('Enter');
  await button('Ban').waitFor();
  expect(await button('More').getAttribute('aria-expanded')).toBe('true');
  await freeOfBarriers(page);
  expect(await focused()).toBe('Give a gift card');
  for (const [key, text] of [
    ['ArrowUp', 'Ban'],
    ['ArrowDown', 'Give a gift card'],
    ['Tab', 'Apply a coupon'],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused(), key).toBe(text);
  }
  await page.keyboard.press('Escape');
  await button('Ban').waitFor({ state: 'detached' });
  expect(await focused()).toBe('More');

  await page.keyboard.press('Enter');
  await button('Ban').focus();
  await page.keyboard.press('Tab');
  await button('Ban').waitFor({ state: 'detached' });

  await button('More').click();
  await button('Ban').click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('More');
  await page.setViewportSize(wide.viewport);
  await button('Ban').waitFor();
  expect(await button('More').count()).toBe(0);
});
