import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { newId, now, timestamp } from '../../../../lib/clock.ts';
import { encodeMessage } from '../../../../lib/delivery/message.ts';
import { freeOfBarriers, phone, useDesk } from './desk.ts';

/** The pages for developers, which the local service adds to the desk. */

const { service, open, forgive, call } = useDesk();

beforeAll(() => {
  // A short time-out, so that the test does not wait long for a silent dispenser.
  process.env.DISPENSER_TIMEOUT_MILLIS = '400';
  // A note is shown as long as there is one.
  process.env.DELIVERY_NOTES = 'kept';
});

/** Sends a request, of any status. */
const send = (method: string, path: string, body?: object | string, headers: Record<string, string> = {}) =>
  fetch(`${service().baseUrl}/v1${path}`, {
    method,
    headers: { 'X-API-Key': service().keys.all, ...headers },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

const openPage = async (path = '/requests', size = {}): Promise<Page> => {
  const page = await open(`/desk#${path}`, size);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
};

const list = (page: Page, name: RegExp) => page.getByRole('list', { name });
const row = (page: Page, name: RegExp, text: string) => list(page, name).locator('> li', { hasText: text }).first();
const request = (page: Page, text: string) => row(page, /^Requests/, text);
const delivery = (page: Page, text: string) => page.getByRole('table').getByRole('row', { name: text }).first();

const resident = (index: number) => service().residents[index] as { uuid: string; username: string };
const fireflies = async (): Promise<string> => (await call('GET', '/products?search=Fireflies')).data[0].id;
const deliver = async (to: { uuid: string }, fields = {}) =>
  call('POST', `/products/${await fireflies()}/actions/deliver`, { recipientIdentifier: to.uuid, ...fields });

test('the root address leads to the desk, which opens the demo store', async () => {
  const page = await open('/');

  await page.getByRole('button', { name: 'Open Demo Store' }).waitFor();

  expect(page.url()).toBe(`${service().baseUrl}/desk`);
});

test('the page of requests needs no key in the address, and shows a request live with its cost and problem', async () => {
  const page = await openPage();

  await send('GET', '/products?limit=0&search=live');

  const shown = request(page, 'search=live');
  expect(await shown.locator('.fold').innerText()).toMatch(
    /400\s+GET\s+\/v1\/products[\s\S]*\d+ ms · 0 calls, 0 units · all scopes/,
  );
  await shown.locator('.fold').click();
  await shown.getByText('Limit must be between 1 and 1000.', { exact: true }).waitFor();
  expect(page.url()).toBe(`${service().baseUrl}/desk#/requests`);
});

test('shows the base URL without /v1, as the client takes it', async () => {
  const page = await openPage();

  const call = page.getByRole('region', { name: 'Call it' });

  expect(await call.locator('dd code').first().innerText()).toBe(service().baseUrl);
});

test('filters requests by path, key and status, and keeps the filters in the address', async () => {
  await send('GET', '/categories?limit=7');
  await send('GET', '/categories?limit=-7');
  await send('GET', '/categories?limit=8', undefined, { 'X-API-Key': service().keys['categories:read'] });
  await send('GET', '/categories?limit=9', undefined, { 'X-API-Key': service().keys['coupons:read'] });
  await send('GET', '/categories?limit=10', undefined, { 'X-API-Key': 'none' });
  const page = await openPage();
  const shown = async () => (await page.locator('.fold .path').allInnerTexts()).filter((url) => url.includes('limit='));
  const limits = (urls: readonly string[]) => urls.map((url) => url.replace('/v1/categories?limit=', ''));

  await page.getByLabel('Path contains').fill('/CATEGORIES?');
  await page.keyboard.press('Enter');
  await expect.poll(async () => limits(await shown())).toEqual(['10', '9', '8', '-7', '7']);
  await page.getByLabel('Status').selectOption('Only problems');
  await expect.poll(async () => limits(await shown())).toEqual(['10', '9', '-7']);
  // The name of a key that lacks the scope is known too.
  await page.locator('.filter', { hasText: /^Key/ }).locator('select').selectOption('coupons:read');
  await expect.poll(async () => limits(await shown())).toEqual(['9']);
  await page.locator('.filter', { hasText: /^Key/ }).locator('select').selectOption('malformed key');
  await expect.poll(async () => limits(await shown())).toEqual(['10']);
  await page.reload();
  await expect.poll(async () => limits(await shown())).toEqual(['10']);
  await page.getByLabel('Status').selectOption('5xx');
  await page.getByText('No request fits these filters.').waitFor();
});

test('shows request headers without secrets, and flags fields that the endpoint ignores', async () => {
  const name = resident(10).username;
  await send(
    'POST',
    `/customers/${name}/actions/increment-credit?dry=1`,
    { delta: 5, reasn: 'slip' },
    {
      'X-Trace': 'mine',
      Authorization: 'Bearer secret-of-somebody',
    },
  );
  const page = await openPage();

  const shown = request(page, `${name}/actions`);
  await shown.getByText('2 fields ignored').waitFor();
  await shown.locator('.fold').click();

  const fact = (title: string) => shown.locator('dl > div', { hasText: title }).last().locator('dd').innerText();
  expect(await shown.locator('.notice code').allInnerTexts()).toEqual(['?dry', 'reasn']);
  expect([await fact('x-trace'), await fact('x-api-key'), await fact('authorization')]).toEqual([
    'mine',
    'hidden',
    'hidden',
  ]);
  expect(await shown.locator('dl > div', { hasText: /^Key/ }).innerText()).toContain('all scopes');
  const text = await page.content();
  expect(text).not.toContain('secret-of-somebody');
});

/** Runs a copied command. Returns the answer. */
const run = async (command: string) => {
  const env = { ...process.env, API_KEY: service().keys['credits:write'] };
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`], { env });
  return JSON.parse(stdout);
};

test('copies a request as a curl command that sends the same again, whatever is in it', async () => {
  const name = `It's "$(id)" \`id\` \\ [x]{y} 🎁`;
  const made = await (await send('POST', '/categories?a[]={1..9}', { name }, { 'If-None-Match': `'` })).json();
  const page = await openPage();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const shown = request(page, '/v1/categories?a[]');
  await shown.locator('.fold').click();

  await shown.getByRole('button', { name: 'Copy as curl' }).click();
  await shown.getByRole('button', { name: 'Copied' }).waitFor();

  const answer = await run(await page.evaluate(() => navigator.clipboard.readText()));
  expect(answer).toEqual({ ...made, id: expect.any(String) });
  expect(answer.id).not.toBe(made.id);
});

test('sends a request again with its own key, with a new Idempotency-Key, and opens the new one', async () => {
  const name = resident(11).username;
  const increment = `/customers/${name}/actions/increment-credit`;
  await send(
    'POST',
    increment,
    { delta: 40 },
    { 'Idempotency-Key': 'once', 'X-API-Key': service().keys['credits:write'] },
  );
  const page = await openPage();
  const shown = request(page, increment);
  await shown.locator('.fold').click();
  await shown.getByText('The request has another key than this page').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await shown.getByRole('button', { name: 'Copy as curl' }).click();
  await shown.getByRole('button', { name: 'Copied' }).waitFor();
  // With an unchanged Idempotency-Key, the command repeats the request and changes nothing.
  const repeated = await run(await page.evaluate(() => navigator.clipboard.readText()));

  await shown.getByRole('button', { name: 'Send again' }).click();

  await page.getByText('Sent again, answered 200. It had a new Idempotency-Key').waitFor();
  await page.locator('.opened').nth(1).waitFor();
  const [newer, older] = await Promise.all(
    [0, 1].map((index) =>
      page.locator('.opened').nth(index).locator('div', { hasText: 'idempotency-key' }).innerText(),
    ),
  );
  expect(older).toContain('once');
  expect(newer).not.toContain('once');
  expect(repeated).toMatchObject({ username: name, credit: 40 });
  expect(await call('GET', `/customers/${name}/credit`)).toMatchObject({ credit: 80 });
});

test('a long list of requests is one stop of the Tab key, in which arrow keys move', async () => {
  for (let index = 0; index < 60; index++) await send('GET', `/categories?limit=${100 + index}&long`);
  const page = await openPage('/requests?path=%26long');
  const rows = page.locator('.is-developer > section .fold');
  await expect.poll(() => rows.count()).toBe(50);
  await rows.first().focus();
  const focused = () => page.evaluate(() => document.activeElement?.querySelector('.path')?.textContent);

  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
  expect(await focused()).toContain('limit=158');
  await page.keyboard.press('End');
  expect(await focused()).toContain('limit=110');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Show 10 more');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+Tab');

  expect(await focused()).toContain('limit=110');
  await expect.poll(() => rows.count()).toBe(60);
});

test('shows the desk’s own requests only where asked', async () => {
  const page = await open(`/desk#key=${service().keys.all}`);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.evaluate(() => location.assign('#/customers'));
  await page.getByRole('table').waitFor();
  await page.evaluate(() => location.assign('#/requests'));
  await page.getByText('Live', { exact: true }).waitFor();
  await expect.poll(() => page.getByText(/own requests \([1-9]/).count()).toBe(1);
  expect(await request(page, '/v1/customers?').count()).toBe(0);

  await page.getByLabel(/own requests/).check();

  await request(page, '/v1/customers?').waitFor();
});

test('shows a delivery, and one that the dispenser did not confirm', async () => {
  const page = await openPage('/faults');

  await deliver(resident(0), { message: 'Enjoy!' });
  const given = delivery(page, resident(0).username);
  await given.getByText('Delivered').waitFor();
  await given.getByText('Enjoy!').waitFor();
  await page.getByText('Forgetful').click();
  await page.getByText('It gives the item but does not say so.').waitFor();
  await deliver(resident(1));

  const silent = delivery(page, resident(1).username);
  await silent.getByText('The avatar has it, but the dispenser did not say so.').waitFor();
  await page.getByText('Normal', { exact: true }).click();
  await silent.getByText('Delivered').waitFor();
});

test('shows a drained lot, and one that expires when the clock moves', async () => {
  const { username } = resident(2);
  const change = (delta: number, minutes?: number) =>
    call('POST', `/customers/${username}/actions/increment-credit`, {
      delta,
      ...(minutes && { expiresAt: timestamp(now() + minutes * 60_000) }),
    });
  await change(40, 20);
  await change(300, 50);
  const page = await openPage('/clock');
  await page.getByLabel('Customer’s name or avatar UUID').fill(username);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  const held = page.getByRole('region', { name: 'Regular credit' });
  await held.getByText('L$ 340 in 2 open lots').waitFor();

  await change(-100);
  await held.getByText('L$ 240 in 1 open lot').waitFor();
  await held.getByText(/^drained \d+ seconds? ago/).waitFor();
  await page.getByRole('button', { name: '+1 hour' }).click();

  await page.getByText('The sweep closed 1 lot: L$ 240 expired.').waitFor();
  await held.getByText('L$ 0 in 0 open lots').waitFor();
  await held.getByText(/^L\$\s240 expired/).waitFor();
  await page.getByText('1 hour ahead').waitFor();
});

test('puts readable dead letters back on the queue, and keeps the others', async () => {
  const order = encodeMessage({
    kind: 'deliver',
    store: 'DemoStore001',
    id: newId(),
    productId: await fireflies(),
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
  const page = await openPage('/faults');
  await page.locator('#dead-count', { hasText: '2 messages' }).waitFor();

  await page.getByRole('button', { name: 'Put back on the queue' }).click();

  await page.getByText('1 message put back on the queue.').waitFor();
  await delivery(page, 'From the dead').getByText('Delivered').waitFor();
  await page.locator('#dead-count', { hasText: '1 message' }).waitFor();
  await row(page, /^Dead letters/, 'nonsense')
    .getByText('unreadable')
    .waitFor();
});

test('works with the keyboard alone, and shows the focus', async () => {
  await send('GET', '/products?limit=0&search=keyboard');
  const page = await openPage('/clock');
  const focused = () =>
    page.evaluate(() => {
      const active = document.activeElement as HTMLElement;
      const shown = active.matches('[type=radio]') ? (active.nextElementSibling as HTMLElement) : active;
      // The page itself takes the focus when the address changes.
      if (active.matches('body, main')) return { text: '', outline: '' };
      const name = active.getAttribute('name') ?? '';
      return { text: `${active.innerText || shown.innerText} ${name}`, outline: getComputedStyle(shown).outlineStyle };
    });
  const unmarked: string[] = [];
  /** Presses Tab until the element with this text has the focus. */
  const tabTo = async (text: string): Promise<void> => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      const now = await focused();
      if (now.outline === 'none' && now.text.trim() !== '') unmarked.push(now.text);
      if (now.text.includes(text)) return;
    }
    throw new Error(`The keyboard does not lead to ${text}.`);
  };

  await tabTo('Skip to the page');
  await tabTo('+1 hour');
  await page.keyboard.press('Enter');
  await page.getByText('Moved +1 hour.').waitFor();
  await tabTo('customer');
  await page.keyboard.type('nova');
  await page.keyboard.press('Enter');
  await page.locator('.identity', { hasText: 'nova' }).waitFor();
  await tabTo('Requests');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  await request(page, 'search=keyboard').waitFor();
  await tabTo('path');
  await page.keyboard.type('keyboard');
  await page.keyboard.press('Enter');
  await tabTo('search=keyboard');
  await page.keyboard.press('Enter');
  await request(page, 'search=keyboard').getByText('Limit must be between 1 and 1000.', { exact: true }).waitFor();
  await tabTo('Faults');
  await page.keyboard.press('Enter');
  await tabTo('Normal');
  await page.keyboard.press('ArrowRight');
  await page.getByText('It takes 2 seconds for each item.').waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByText('It gives each item and says so.').waitFor();

  expect(unmarked).toEqual([]);
});

test('a row keeps its focus and stays open while new rows arrive', async () => {
  const page = await openPage();
  await send('GET', '/categories?limit=1&stays');
  const first = request(page, '&stays');
  await first.locator('.fold').focus();
  await page.keyboard.press('Enter');

  await send('GET', '/categories?limit=2&newer');
  await request(page, '&newer').waitFor();

  expect(await page.locator('.fold:focus').innerText()).toContain('&stays');
  await first.getByRole('button', { name: 'Copy as curl' }).waitFor();
});

test('shows an event live, with whom it is about and its data folded out', async () => {
  const page = await openPage();
  const { username } = resident(7);
  const ban = (name: string) => call('POST', `/customers/${name}/actions/ban`);
  const event = (text: string) => row(page, /^Events/, text);
  await ban(username);
  const first = event(username);
  await first.getByText('customer.banned').waitFor();
  await first.locator('.fold').focus();
  await page.keyboard.press('Enter');

  await ban(resident(8).username);
  await event(resident(8).username).waitFor();

  expect(
    await list(page, /^Events/)
      .locator('> li')
      .first()
      .innerText(),
  ).toContain(resident(8).username);
  expect(await page.locator('.fold:focus').innerText()).toContain(username);
  expect(await first.getByLabel('Data').innerText()).toContain('"isBanned": true');
});

test('opens every store of the machine, also one that is made here, and leaves nothing of the one before', async () => {
  const page = await openPage();
  const names = () => page.getByLabel('Store', { exact: true }).locator('option').allInnerTexts();
  await expect.poll(names).toEqual(['Demo Store', 'Other Store', 'New store…']);

  await page.getByLabel('Store', { exact: true }).selectOption('New store…');
  await page.getByLabel('Name').fill('<b>My own</b>');
  await page.getByRole('button', { name: 'Create it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await expect.poll(names).toContain('<b>My own</b>');
  await page.evaluate(() => location.assign('#/customers'));
  await page.getByText('There are no customers yet.').waitFor();
  await page.getByLabel('Store', { exact: true }).selectOption('Other Store');
  await page.getByTitle('all scopes').waitFor();
  const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Open <b>My own</b>' }).click();
  await page.getByTitle('desk on this machine').waitFor();

  expect(JSON.parse(kept)).toEqual({ 'desk.key': service().otherStore.key });
  expect(page.url()).toBe(`${service().baseUrl}/desk#/`);
  expect(await page.locator('option b').count()).toBe(0);
});

test('shows every name as text', async () => {
  const hostile = '<img src=x onerror="document.title=1">';
  const page = await openPage();
  const product = await call('POST', '/products', { name: hostile, item: hostile, price: 1 });
  await send(
    'GET',
    `/products?limit=0&search=${encodeURIComponent(hostile)}&${encodeURIComponent(hostile)}=1`,
    undefined,
    {
      'X-Trace': hostile,
    },
  );
  await send('POST', '/coupons', { [hostile]: hostile });
  await send('GET', `/customers/${encodeURIComponent(hostile)}`);

  const first = request(page, 'search=%3Cimg');
  await first.locator('.fold').click();
  await first.locator('dd', { hasText: hostile }).first().waitFor();
  await first.locator('.notice code', { hasText: `?${hostile}` }).waitFor();
  await call('PUT', `/products/${product.id}`, { ...product, limited: true, availableAmount: 0 });
  const soldOut = row(page, /^Events/, 'product.sold_out');
  await soldOut.locator('b', { hasText: hostile }).waitFor();
  expect(await page.locator('main :is(img, script)').count()).toBe(0);
  await page.evaluate(() => location.assign('#/faults'));
  await page.getByRole('heading', { level: 1, name: 'Faults' }).waitFor();
  await call('POST', `/products/${product.id}/actions/deliver`, {
    recipientIdentifier: resident(4).uuid,
    message: '<script>document.title = 2</script>',
  });
  await delivery(page, '<script>').getByText('Delivered').waitFor();
  expect(await page.locator('main :is(img, script)').count()).toBe(0);
  await page.evaluate(() => location.assign('#/clock'));
  await page.getByLabel('Customer’s name or avatar UUID').fill(hostile);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();

  forgive(/status of 40[04]/);
  expect(await page.locator('main :is(img, script)').count()).toBe(0);
  expect(await page.title()).toBe('Clock and credit · Demo Store');
});

test('survives an address with a broken escape, and keeps the customer', async () => {
  const page = await openPage('/clock?customer=%');

  await page.getByRole('alert').waitFor();
  await page.getByLabel('Customer’s name or avatar UUID').fill('Nova');
  await page.keyboard.press('Enter');
  await page.locator('.identity', { hasText: 'nova' }).waitFor();
  await page.reload();
  await page.locator('.identity', { hasText: 'nova' }).waitFor();

  forgive(/status of 40[04]/);
});

test.each([
  ['phone', phone],
  ['desk', { viewport: { width: 1280, height: 900 } }],
] as const)('is accessible in light and dark mode, and needs no sideways scrolling: %s', async (_, size) => {
  await send('GET', '/customers/nobodyknown?extra');
  const page = await openPage('/requests', size);
  await request(page, 'nobodyknown').locator('.fold').click();
  await list(page, /^Events/)
    .locator('.fold')
    .first()
    .click();
  await freeOfBarriers(page);
  for (const [path, text] of [
    ['/clock', 'Regular credit'],
    ['/faults', 'Latest deliveries'],
  ] as const) {
    await page.evaluate((hash) => location.assign(hash), `#${path}`);
    await page.getByText(text).first().waitFor();
    await freeOfBarriers(page);
  }
  const out = await open('/desk', size);
  await out.getByRole('button', { name: 'Open Demo Store' }).waitFor();
  await freeOfBarriers(out);
});

test('suggests a customer for a part of the name, those with the most credit first', async () => {
  for (let index = 0; index < 60; index++)
    await call('POST', `/customers/${resident(index).username}/actions/increment-credit`, { delta: 10 });

  const page = await openPage('/clock');

  const offered = page.locator('#customers option');
  await expect.poll(() => offered.count()).toBeGreaterThan(60);
  expect(await offered.first().getAttribute('value')).toBe('vera.vendor');
  // The browser filters them by what is typed.
  expect(await page.locator('#customers option[value=nova]').count()).toBe(1);
  expect(await page.getByLabel('Customer’s name or avatar UUID').getAttribute('list')).toBe('customers');
});
