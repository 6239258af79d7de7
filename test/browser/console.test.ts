import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { encodeMessage } from '../../lib/delivery/message.ts';
import { startForTests } from '../support/local-service.ts';
import { barriers, useBrowser } from './browser.ts';

let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  service = await startForTests();
  // A short time-out, so that the test does not wait long for a silent dispenser.
  process.env.DISPENSER_TIMEOUT_MILLIS = '400';
  // A note is shown as long as there is one.
  process.env.DELIVERY_NOTES = 'kept';
});
afterAll(() => service.stop());

const { open, forgive } = useBrowser(() => service.baseUrl);

/** Calls the API. Returns the body. */
const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { 'X-API-Key': service.keys.all },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
};

const openConsole = async (): Promise<Page> => {
  const page = await open('/');
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
};

const row = (page: Page, list: string, text: string) => page.locator(`#${list} > li`, { hasText: text }).first();

const resident = (index: number) => service.residents[index] as { uuid: string; username: string };

test('shows a request live with its cost, and its problem in the details', async () => {
  const page = await openConsole();

  await call('GET', '/v1/products?limit=0&search=live');

  const request = row(page, 'requests-list', 'search=live');
  await request.waitFor();
  expect(await request.locator('summary').innerText()).toMatch(
    /400\s+GET\s+\/v1\/products[\s\S]*\d+ ms · 0 calls, 0 units/,
  );
  await request.locator('summary').click();
  await request.getByText('Limit must be between 1 and 1000.', { exact: true }).waitFor();
});

test('shows the base URL without /v1, as the client takes it', async () => {
  const page = await openConsole();

  await page.locator('#call-facts dd', { hasText: service.baseUrl }).waitFor();

  expect(await page.locator('#call-facts code').first().innerText()).toBe(service.baseUrl);
});

test('shows earlier requests, or only the problems', async () => {
  await call('GET', '/v1/categories?limit=7');
  await call('GET', '/v1/categories?limit=-7');

  const page = await openConsole();
  await page.getByLabel('Only problems').check();

  await row(page, 'requests-list', 'limit=-7').waitFor();
  await row(page, 'requests-list', 'limit=7').waitFor({ state: 'hidden' });
});

test('shows a delivery, and one that the dispenser did not confirm', async () => {
  const page = await openConsole();
  const { data } = await call('GET', '/v1/products?search=Fireflies');
  const deliver = (to: string) =>
    call('POST', `/v1/products/${data[0].id}/actions/deliver`, { recipientIdentifier: to, message: 'Enjoy!' });

  await deliver(resident(0).uuid);
  await row(page, 'deliveries-list', `Fireflies in a jar to ${resident(0).username}`)
    .getByText('delivered')
    .waitFor();
  await page.getByText('Forgetful').click();
  await page.getByText('It gives the item but does not say so.').waitFor();
  await deliver(resident(1).uuid);

  const silent = row(page, 'deliveries-list', resident(1).username);
  await silent.getByText('The avatar has it, but the dispenser did not say so.').waitFor();
  await page.getByText('Normal', { exact: true }).click();
  await silent.getByText('delivered').waitFor();
});

test('shows a drained lot, and one that expires when the clock moves', async () => {
  const { username } = resident(2);
  const change = (delta: number, minutes?: number) =>
    call('POST', `/v1/customers/${username}/actions/increment-credit`, {
      delta,
      ...(minutes && { expiresAt: timestamp(now() + minutes * 60_000) }),
    });
  await change(40, 20);
  await change(300, 50);
  const page = await openConsole();
  await page.getByLabel('Customer’s name or avatar UUID').fill(username);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  const held = page.locator('.held.is-regular');
  await held.getByText('340 L$ in 2 open lots').waitFor();

  await change(-100);
  await held.getByText('240 L$ in 1 open lot').waitFor();
  await held.getByText(/^drained \d+ seconds? ago/).waitFor();
  await page.getByRole('button', { name: '+1 hour' }).click();

  await page.getByText('The sweep closed 1 lot: 240 L$ expired.').waitFor();
  await held.getByText('0 L$ in 0 open lots').waitFor();
  await held.getByText(/^240 expired/).waitFor();
  await page.getByText('1 hour ahead').waitFor();
});

test('puts readable dead letters back on the queue, and keeps the others', async () => {
  const { data } = await call('GET', '/v1/products?search=Fireflies');
  const order = encodeMessage({
    kind: 'deliver',
    store: 'DemoStore001',
    id: newId(),
    productId: data[0].id,
    recipientUuid: resident(3).uuid,
    recipientUsername: resident(3).username,
    item: 'From the dead',
    message: '',
    createdAt: timestamp(now()),
  });
  const queue = new SQSClient({});
  for (const MessageBody of [order, 'nonsense'])
    await queue.send(
      new SendMessageCommand({ QueueUrl: process.env.DELIVERY_DLQ_URL, MessageBody, MessageGroupId: 'x' }),
    );
  queue.destroy();
  const page = await openConsole();
  await page.locator('#dead-count', { hasText: '2 messages' }).waitFor();

  await page.getByRole('button', { name: 'Put back on the queue' }).click();

  await page.getByText('1 message put back on the queue.').waitFor();
  await row(page, 'deliveries-list', 'From the dead').getByText('delivered').waitFor();
  await page.locator('#dead-count', { hasText: '1 message' }).waitFor();
  await row(page, 'dead-list', 'nonsense').getByText('unreadable').waitFor();
});

test('works with the keyboard alone, and shows the focus', async () => {
  await call('GET', '/v1/products?limit=0&search=keyboard');
  const page = await openConsole();
  const focused = () =>
    page.evaluate(() => {
      const active = document.activeElement as HTMLElement;
      const shown = active.matches('[type=radio]') ? (active.nextElementSibling as HTMLElement) : active;
      return {
        text: `${active.innerText || shown.innerText} #${active.id}`,
        outline: getComputedStyle(shown).outlineStyle,
      };
    });
  const unmarked: string[] = [];
  /** Presses Tab until the element with this text has the focus. */
  const tabTo = async (text: string): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const now = await focused();
      if (now.outline === 'none') unmarked.push(now.text);
      if (now.text.includes(text)) return;
    }
    throw new Error(`The keyboard does not lead to ${text}.`);
  };

  await tabTo('Skip to the requests');
  await tabTo('+1 hour');
  await page.keyboard.press('Enter');
  await page.getByText('Moved +1 hour.').waitFor();
  await tabTo('search=keyboard');
  await page.keyboard.press('Enter');
  await row(page, 'requests-list', 'search=keyboard')
    .getByText('Limit must be between 1 and 1000.', { exact: true })
    .waitFor();
  await tabTo('#customer');
  await page.keyboard.type('nova');
  await page.keyboard.press('Enter');
  await page.locator('.who', { hasText: 'nova' }).waitFor();
  await tabTo('Normal');
  await page.keyboard.press('ArrowRight');
  await page.getByText('It takes 2 seconds for each item.').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByText('It gives each item and says so.').waitFor();

  expect(unmarked).toEqual([]);
});

test('a row keeps its focus and stays open while new rows arrive', async () => {
  const page = await openConsole();
  const { data } = await call('GET', '/v1/products?search=Fireflies');
  const deliver = (to: string) =>
    call('POST', `/v1/products/${data[0].id}/actions/deliver`, { recipientIdentifier: to });
  await deliver(resident(5).uuid);
  const first = row(page, 'deliveries-list', resident(5).username);
  await first.getByText('delivered').waitFor();
  await first.locator('summary').focus();
  await page.keyboard.press('Enter');

  await deliver(resident(6).uuid);
  await row(page, 'deliveries-list', resident(6).username).getByText('delivered').waitFor();

  expect(await page.locator('summary:focus').innerText()).toContain(resident(5).username);
  await first.getByText('Confirmed').waitFor();
});

test('shows an event live, with whom it is about and its data folded out', async () => {
  const page = await openConsole();
  const { username } = resident(7);
  const ban = (name: string) => call('POST', `/v1/customers/${name}/actions/ban`);
  await ban(username);
  const first = row(page, 'events-list', username);
  await first.getByText('customer.banned').waitFor();
  await first.locator('summary').focus();
  await page.keyboard.press('Enter');

  await ban(resident(8).username);
  await row(page, 'events-list', resident(8).username).waitFor();

  expect(await page.locator('#events-list > li').first().innerText()).toContain(resident(8).username);
  expect(await page.locator('summary:focus').innerText()).toContain(username);
  expect(await first.getByLabel('Data').innerText()).toContain('"isBanned": true');
});

test('shows every name as text', async () => {
  const hostile = '<img src=x onerror="document.title=1">';
  const page = await openConsole();
  const product = await call('POST', '/v1/products', { name: hostile, item: hostile, price: 1 });
  await call('POST', `/v1/products/${product.id}/actions/deliver`, {
    recipientIdentifier: resident(4).uuid,
    message: '<script>document.title = 2</script>',
  });
  await call('GET', `/v1/products?limit=0&search=${encodeURIComponent(hostile)}&${encodeURIComponent(hostile)}=1`);
  await call('GET', `/v1/customers/${encodeURIComponent(hostile)}`);

  const request = row(page, 'requests-list', 'search=%3Cimg');
  await request.locator('summary').click();
  await request.locator('dd', { hasText: hostile }).waitFor();
  await call('PUT', `/v1/products/${product.id}`, { ...product, limited: true, availableAmount: 0 });
  const soldOut = row(page, 'events-list', 'product.sold_out');
  await soldOut.locator('b', { hasText: hostile }).waitFor();
  const delivery = row(page, 'deliveries-list', hostile);
  await delivery.locator('summary').click();
  await delivery.locator('dd', { hasText: '<script>' }).waitFor();
  await page.getByLabel('Customer’s name or avatar UUID').fill(hostile);
  await page.keyboard.press('Enter');
  await page.getByText('Give a resident’s name').waitFor();

  forgive(/status of 400/);
  expect(await page.locator('main :is(img, script)').count()).toBe(0);
  expect(await page.title()).toBe('Console · Store Integration Service');
});

test('survives an address with a broken escape', async () => {
  const page = await open('/#customer=%');

  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('Give a resident’s name').waitFor();
  await page.getByLabel('Customer’s name or avatar UUID').fill('Nova');
  await page.keyboard.press('Enter');
  await page.locator('.who', { hasText: 'nova' }).waitFor();
  await page.reload();
  await page.locator('.who', { hasText: 'nova' }).waitFor();

  forgive(/status of 400/);
});

test('is accessible in light and dark mode, and needs no sideways scrolling on a phone', async () => {
  await call('GET', '/v1/customers/nobodyknown');
  const page = await open('/', { viewport: { width: 390, height: 844 } });
  await page.locator('.held').first().waitFor();
  await row(page, 'requests-list', 'nobodyknown').locator('summary').click();

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await barriers(page, 'body')).toEqual([]);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('suggests a customer for a part of the name', async () => {
  for (let index = 0; index < 60; index++)
    await call('POST', `/v1/customers/${resident(index).username}/actions/increment-credit`, { delta: 10 });
  const page = await openConsole();
  const offered = page.locator('#customers option');
  await page.locator('#customer').focus();
  await expect.poll(() => offered.count()).toBe(50);
  expect(await page.locator('#customers option[value=nova]').count()).toBe(0);

  await page.locator('#customer').pressSequentially('nov');

  await page.locator('#customers option[value=nova]').waitFor({ state: 'attached' });
  await expect.poll(() => offered.count()).toBe(1);
  await page.locator('#customer').fill('nobody');
  await expect.poll(() => offered.count()).toBe(0);
  expect(await page.getByText('No customer yet').count()).toBe(0);
});
