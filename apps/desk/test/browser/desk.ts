import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { startForTests } from '../../../../test/support/local-service.ts';
import { oneInTurn } from '../../../../test/support/volume.ts';
import { barriers, useBrowser } from './browser.ts';

export const phone = { viewport: { width: 390, height: 844 } };
export const wide = { viewport: { width: 1440, height: 900 } };
/** Most tests of the desk run on both. .ci/run takes them in turn. */
export const screens = oneInTurn([
  ['phone', phone],
  ['desk', wide],
] as const);

/**
 * A delivery is visible from its first attempt on, a moment after its sale. The page of the sale may look before that.
 */
const deliveryNotBegun = /status of 404 .*\/v1\/deliveries\/[0-9a-f-]{36}$/;

/** A local service with its demo store, and a browser at its desk. */
export const useDesk = () => {
  let started: Awaited<ReturnType<typeof startForTests>>;
  beforeAll(async () => {
    started = await startForTests();
  });
  afterAll(() => started.stop());
  const service = () => started;
  const { open, forgive } = useBrowser(() => started.baseUrl, [deliveryNotBegun]);

  /** Calls the API with the key of all scopes. Returns the body. After a sale it waits for the delivery. */
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${started.baseUrl}/v1${path}`, {
      method,
      headers: { 'X-API-Key': started.keys.all },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const answer = response.status === 204 ? undefined : await response.json();
    // A delivery is made a moment after its sale. Until then, the page of the sale gets a 404.
    if (method === 'POST' && path === '/sales' && answer.deliveryId)
      await vi.waitFor(() => call('GET', `/deliveries/${answer.deliveryId}`), 20_000);
    return answer;
  };

  /** Signs in with the link that `store desk` and `npm start` print. */
  const signIn = async (size: typeof phone, path = '/', key = started.keys.all): Promise<Page> => {
    const page = await open(`/desk#key=${key}`, size);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (path !== '/') await page.evaluate((hash) => location.assign(hash), `#${path}`);
    return page;
  };

  let used = 0;
  /** A resident that nobody else uses, and who is not a customer yet. */
  const resident = () => {
    used += 1;
    return started.residents[used] as { uuid: string; username: string };
  };

  return { service, open, forgive, call, signIn, resident };
};

/** Bars that stay in sight while the page moves below them: a link that lies half below one counts as too small. */
const placeBars = (page: Page, position: 'static' | ''): Promise<void> =>
  page.evaluate((place) => {
    for (const bar of document.querySelectorAll<HTMLElement>(
      '.top, .tabs, .save, .choice, .table :is(th, tfoot, tfoot td)',
    ))
      bar.style.position = place;
  }, position);

/** Expects no violation in either theme, and nothing wider than the screen. */
export const freeOfBarriers = async (page: Page): Promise<void> => {
  await placeBars(page, 'static');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await barriers(page, 'body')).toEqual([]);
  }
  await placeBars(page, '');
  const { scrollWidth, innerWidth } = await page.evaluate(() => ({
    scrollWidth: document.documentElement.scrollWidth,
    innerWidth: globalThis.innerWidth,
  }));
  expect(scrollWidth).toBeLessThanOrEqual(innerWidth);
};

/** Opens the search by its keys, and types in it. */
export const search = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').fill(text);
};

/**
 * Presses a button twice in one moment. A double click would look for the button again, which the first press may end.
 */
export const pressTwice = (button: Locator): Promise<void> =>
  button.evaluate((one: HTMLElement) => {
    for (const detail of [1, 2])
      one.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail }));
  });

/** Presses a button in the menu of a row that `of` names, else one that a phone has in its menu: all but the first. */
export const pressInMore = async (page: Page, button: string, of?: string): Promise<void> => {
  const more = of === undefined ? 'More' : `More: ${of}`;
  if (of !== undefined || page.viewportSize()?.width === phone.viewport.width)
    await page.getByRole('button', { name: more, exact: true }).click();
  await page.locator('main').getByRole('button', { name: button, exact: true }).click();
};
