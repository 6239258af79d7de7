import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startForTests } from '../../../../test/support/local-service.ts';
import { barriers, useBrowser } from './browser.ts';

const operation = (page: Page, method: string, path: string) =>
  page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });

describe('at /docs of the local service', () => {
  let service: Awaited<ReturnType<typeof startForTests>>;
  beforeAll(async () => {
    service = await startForTests();
  });
  afterAll(() => service.stop());
  const { open } = useBrowser(() => service.baseUrl);

  test('"try it" creates a category with the demo key and calls only this service', async () => {
    const page = await open('/docs');
    const create = operation(page, 'post', '/v1/categories');
    await create.getByRole('button').first().click();
    await create.locator('textarea').fill('{"name": "Made by hand"}');

    await create.getByRole('button', { name: 'Execute' }).click();

    await create.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
    const response = await fetch(`${service.baseUrl}/v1/categories?limit=100`, {
      headers: { 'X-API-Key': service.keys.all },
    });
    expect((await response.json()).data).toContainEqual(expect.objectContaining({ name: 'Made by hand' }));
  });

  test('an operation fits a screen, has samples in four languages, and leaves its problems to one section', async () => {
    const page = await open('/docs');

    for (const [method, path] of [
      ['post', '/v1/products'],
      ['post', '/v1/customers/{identifier}/actions/apply-coupon'],
      ['get', '/v1/events'],
    ] as const) {
      const shown = operation(page, method, path);
      await shown.getByRole('button').first().click();
      await shown.getByRole('button', { name: 'Execute' }).waitFor();
      await shown.locator('.responses-table .example').waitFor();
      expect(await shown.evaluate((block) => block.getBoundingClientRect().height), path).toBeLessThanOrEqual(900);
      expect(await shown.locator('.samples button').allInnerTexts()).toEqual(['curl', 'TypeScript', 'Python', 'LSL']);
      await shown.getByRole('button', { name: 'Python' }).click();
      expect(await shown.locator('.samples pre').innerText()).toContain(`${service.baseUrl}/v1/`);
      expect(await shown.locator('.responses-table').getByText('problem+json').count()).toBe(0);
      expect(await shown.locator('.refusals a').allInnerTexts()).toContain('401');
    }
    await page.locator('.refusals a', { hasText: '429' }).first().click();

    expect(await page.locator('#problem-429').innerText()).toContain('429 Too Many Requests');
    expect(await page.locator('.errors-wrapper').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Requests' }).getAttribute('href')).toBe('/desk#/requests');
    expect(await barriers(page, 'body', ['critical'])).toEqual([]);
  });

  test('shows every operation and every message to a webhook on a phone without sideways scrolling', async () => {
    const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    const page = await open('/docs', { viewport: { width: 390, height: 844 } });
    await operation(page, 'get', '/v1/products').getByRole('button').first().click();
    await page.getByRole('button', { name: 'Execute' }).waitFor();

    const shown = await page.locator('.opblock').evaluateAll((blocks) =>
      blocks.map((block) => {
        const method = block.querySelector('.opblock-summary-method')?.textContent?.toLowerCase();
        return `${method} ${block.querySelector('.opblock-summary-path')?.getAttribute('data-path')}`;
      }),
    );

    const items: Record<string, object> = { ...document.paths, ...document.webhooks };
    const documented = Object.entries(items).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((key) => ['get', 'put', 'post', 'delete'].includes(key))
        .map((method) => `${method} ${path}`),
    );
    expect(documented.length).toBeGreaterThanOrEqual(35);
    expect(shown.sort()).toEqual(documented.sort());
    expect(await page.evaluate(() => window.document.documentElement.scrollWidth)).toBe(390);
    expect(await barriers(page, '.bar')).toEqual([]);
  });
});

describe('as files of npm run docs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'sis-docs-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const build = new URL('../../../../local/pages/build-docs.ts', import.meta.url).pathname;
  const { open } = useBrowser(() => pathToFileURL(dir).href);

  test('opens from a disk, names the deployed address, and offers no calls', async () => {
    execFileSync(process.execPath, [build, '--base-url', 'https://api.example.net/prod/', '--out', dir]);

    const page = await open('/index.html');
    await operation(page, 'get', '/v1/products').getByRole('button').first().click();

    await page.locator('.opblock-body').waitFor();
    expect(await page.locator('.servers').innerText()).toContain('https://api.example.net/prod');
    expect(await page.locator('.samples pre').innerText()).toContain("'https://api.example.net/prod/v1/products?");
    expect(await page.locator('.errors-wrapper').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Execute|Try it out|Authorize/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /^(?:Desk|Requests)$/ }).count()).toBe(0);
    expect(readdirSync(dir)).toContain('openapi.json');
  });

  test('refuses a malformed address with advice', () => {
    const { status, stderr } = spawnSync(process.execPath, [build, '--base-url', 'example', '--out', dir]);

    expect(status).toBe(1);
    expect(stderr.toString()).toContain('It must be an address such as https://api.example.org.');
  });
});
