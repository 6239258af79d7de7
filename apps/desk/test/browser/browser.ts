import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { executablePath, flags } from './chromium.ts';

/**
 * One Chromium for a test file. `open` returns a new page in its own context, which blocks every address but `allowed`.
 * An error on a page, a breach of its content policy and a blocked request each fail the test, except for `expected`
 * ones, which need not happen.
 */
export const useBrowser = (allowed: () => string, expected: readonly RegExp[] = []) => {
  let browser: Awaited<ReturnType<typeof chromium.launch>>;
  let faults: string[] = [];
  let forgiven: RegExp[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: flags });
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    const found = faults.filter((fault) => ![...expected, ...forgiven].some((pattern) => pattern.test(fault)));
    faults = [];
    forgiven = [];
    expect(found).toEqual([]);
  });

  return {
    open: async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      // Shorter than a test's limit, so that the error names the missing element.
      context.setDefaultTimeout(60_000);
      await context.route('**', (route) => {
        const url = route.request().url();
        if (url.startsWith(allowed()) || url.startsWith('data:')) return route.continue();
        faults.push(`blocked ${url}`);
        return route.abort();
      });
      await context.addInitScript(() =>
        addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
          console.error(`The policy forbids ${effectiveDirective} ${blockedURI}`),
        ),
      );
      const page = await context.newPage();
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) faults.push(`${message.text()} ${message.location().url}`);
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      await page.goto(allowed() + path);
      return page;
    },
    /** Names the faults that the test causes on purpose, also faults that Chromium reports after the last line. */
    forgive: (pattern: RegExp): void => {
      forgiven.push(pattern);
    },
  };
};

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations of WCAG 2.2 AA and of best practice on a page, or only those with some impacts. */
export const barriers = async (page: Page, root: string, impacts?: string[]): Promise<string[]> => {
  // A page keeps it until the page is loaded again. Sending it takes longer than a check.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const found = await page.evaluate(
    async ([selector, only]) => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe };
      const { violations } = await checker.run(selector, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        // The name of a button contains its visible words.
        rules: { 'label-content-name-mismatch': { enabled: true } },
        // It would put copies of the style sheets into the page, which the content policy forbids.
        preload: false,
      });
      const counted = violations.filter(({ impact }) => !only || only.includes(impact ?? ''));
      return counted.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
    },
    [root, impacts] as const,
  );
  return found;
};
