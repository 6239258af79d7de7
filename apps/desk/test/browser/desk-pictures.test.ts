import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { freeOfBarriers, useDesk, wide } from './desk.ts';

const { call, signIn, forgive } = useDesk();

afterEach(() => {
  delete process.env.TEXTURE_URL;
});

/** One green pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('shows pictures of products where a texture service is set, and two letters where one cannot be loaded', async () => {
  const [good, lost] = [randomUUID(), randomUUID()];
  const name = `Picture ${good.slice(0, 8)}`;
  const { id } = await call('POST', '/products', { name, item: 'Picture', price: 5, image: good });
  await call('POST', '/products', { name: `${name} lost`, item: 'Picture', price: 5, image: lost });
  await call('POST', '/products', { name: `${name} none`, item: 'Picture', price: 5 });
  process.env.TEXTURE_URL = 'https://textures.example.com/{uuid}.png';
  const page = await signIn(wide);
  const asked: string[] = [];
  await page.route('https://textures.example.com/**', (route) => {
    asked.push(route.request().url());
    const isGood = route.request().url() === `https://textures.example.com/${good}.png`;
    return isGood ? route.fulfill({ contentType: 'image/png', body: picture }) : route.fulfill({ status: 404 });
  });

  await page.evaluate((search) => location.assign(`#/products?search=${search}`), encodeURIComponent(name));

  await page.getByRole('link', { name, exact: true }).waitFor();
  await expect.poll(() => page.locator('img.picture').count()).toBe(1);
  expect(await page.locator('span.picture').count()).toBe(2);
  expect(
    await page
      .locator('span.picture')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one, '::before').content)),
  ).toEqual(['"Pi"', '"Pi"']);
  expect(await page.locator('img.picture').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  await freeOfBarriers(page);
  await page.getByRole('link', { name, exact: true }).click();
  await page.locator('img.picture.is-large').waitFor();
  expect(new URL(page.url()).hash).toBe(`#/products/${id}`);
  expect(new Set(asked)).toEqual(new Set([good, lost].map((texture) => `https://textures.example.com/${texture}.png`)));
  forgive(/status of 404/);
});

test('asks no other service for pictures where none is set', async () => {
  const name = `Plain ${randomUUID().slice(0, 8)}`;
  const { id } = await call('POST', '/products', { name, item: 'Plain', price: 5, image: randomUUID() });
  const page = await signIn(wide, `/products/${id}`);

  await page.getByRole('heading', { level: 1, name }).waitFor();

  expect(await page.locator('.heading .picture').getAttribute('data-letters')).toBe('Pl');
  expect(await page.locator('img').count()).toBe(0);
});
