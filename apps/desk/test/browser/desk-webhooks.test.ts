import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freeOfBarriers, phone, pressInMore, pressTwice, screens, useDesk, wide } from './desk.ts';

const { call, signIn, resident, forgive } = useDesk();

/** A program that hears of events, and what it was told. */
let server: Server;
let told: string[] = [];
let status = 204;
let url = '';
beforeAll(async () => {
  server = createServer(async (request, response) => {
    told.push(await text(request));
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  server.close();
});
beforeEach(async () => {
  told = [];
  status = 204;
  for (const { id } of (await call('GET', '/webhooks')).data) await call('DELETE', `/webhooks/${id}`);
});

/** Counts presses from now on. The second press of a double one does not count. */
const countPresses = (page: Page) =>
  page.evaluate(() => {
    const { dataset } = document.documentElement;
    const count = ({ detail }: MouseEvent): void => {
      if (detail === 1) dataset.presses = String(Number(dataset.presses ?? 0) + 1);
    };
    addEventListener('click', count, true);
  });
const presses = async (page: Page): Promise<number> => Number(await page.locator('html').getAttribute('data-presses'));

describe.each(screens)('on a %s', (_, size) => {
  test('a Discord channel hears a test within five presses, and each event that is ticked', async () => {
    const page = await signIn(size);
    await countPresses(page);
    if (size === phone) await page.getByRole('button', { name: 'More pages' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('There is no webhook yet. Press Discord message').waitFor();
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'Discord message' }).click();
    await page.getByLabel('Address of the webhook of the channel').fill(url);
    await freeOfBarriers(page);
    await pressTwice(page.getByRole('dialog').getByRole('button', { name: 'Discord message' }));
    await page.getByText('The channel hears of these events now.').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();

    await page.getByText(/^The test has arrived at 127\.0\.0\.1/).waitFor();
    await freeOfBarriers(page);
    expect(await presses(page)).toBe(size === phone ? 5 : 4);
    expect(told).toHaveLength(1);
    expect(JSON.parse(told[0] ?? '')).toMatchObject({ allowed_mentions: { parse: [] } });
    expect((await call('GET', '/webhooks')).data).toMatchObject([
      {
        url,
        format: 'discord',
        state: 'active',
        events: expect.arrayContaining(['sale.completed', 'delivery.failed']),
      },
    ]);
    const { id } = await call('POST', '/products', { name: 'Heard lamp', item: 'Lamp', price: 5 });
    await call('POST', '/sales', { id: randomUUID(), productId: id, buyerIdentifier: resident().username, paid: 5 });
    await expect.poll(() => told.join(), { timeout: 15_000 }).toContain('A product was sold.');
  });

  test('a program has a secret that is shown once, is edited, told when a test fails, and ended', async () => {
    const page = await signIn(size, '/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('ftp://shop');
    for (const event of ['Sale', 'Sale refunded']) await dialog.getByLabel(event, { exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByRole('alert').getByText('Choose one event or more.').waitFor();
    await freeOfBarriers(page);
    await dialog.getByLabel('Address').fill(url);
    await dialog.getByLabel('Name (optional)').fill('Book-keeping');
    await dialog.getByLabel('Customer banned').check();
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'I have it' }).click();
    expect((await call('GET', '/webhooks')).data).toMatchObject([{ url, events: ['customer.banned'] }]);

    status = 500;
    await pressInMore(page, 'Send a test', 'Book-keeping');
    await page.getByText(/^The test has not arrived: /).waitFor();
    await page.getByRole('link', { name: 'Book-keeping' }).click();
    await page.getByRole('heading', { level: 1, name: 'Book-keeping' }).waitFor();
    await page.getByRole('row', { name: /Test.*Waiting/ }).waitFor();
    await freeOfBarriers(page);
    await page.goBack();
    await pressInMore(page, 'Edit', 'Book-keeping');
    await page.getByLabel('Active: events are sent').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved the webhook.').waitFor();
    expect((await call('GET', '/webhooks')).data).toMatchObject([{ state: 'disabled', events: ['customer.banned'] }]);
    await pressInMore(page, 'New secret', 'Book-keeping');
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.keyboard.press('Escape');
    await pressInMore(page, 'End', 'Book-keeping');
    await page.getByRole('button', { name: 'End it' }).click();

    await page.getByText('The webhook has ended.').waitFor();
    expect((await call('GET', '/webhooks')).data).toEqual([]);
    forgive(/status of 400/);
  });

  test('lists the boxes with their names, priorities and states', async () => {
    const page = await signIn(size, '/boxes');
    const row = page.getByRole('row', { name: 'main' });
    await row.getByText('Loopback').waitFor();
    await row.getByText('Active').waitFor();
    await page.getByText('npx store dispenser remove NAME').waitFor();

    await freeOfBarriers(page);
  });

  test('a coupon gets a last day and a number of uses, which the list shows, and loses them', async () => {
    const code = `Summer${randomUUID().slice(0, 6)}`;
    await call('POST', '/coupons', { code, ownerIdentifier: resident().username, discount: 10 });
    const find = async () =>
      (await call('GET', '/coupons?limit=1000')).data.find((one: { code: string }) => one.code === code);
    const page = await signIn(size, '/coupons');
    const limit = () => pressInMore(page, 'Limits', code);
    await limit();
    await page.getByLabel('Last day (optional)').fill('2031-05-04');
    await page.getByLabel('Uses each (optional)').fill('2');
    await freeOfBarriers(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Saved the limits of ${code}.`).waitFor();
    expect(await find()).toMatchObject({
      usesPerCustomer: 2,
      expiration: new Date('2031-05-04T23:59:59').toISOString(),
    });
    await page.getByRole('row', { name: code }).getByText('2031').waitFor();

    // The coupon itself is edited between two edits of its limits, and neither is refused.
    await pressInMore(page, 'Edit', code);
    await page.getByLabel('Discount in percent').fill('15');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Saved ${code}.`).waitFor();
    await limit();
    await page.getByLabel('Last day (optional)').fill('');
    await page.getByRole('button', { name: 'Save' }).click();

    await expect.poll(async () => (await find()).expiration, { timeout: 10_000 }).toMatch(/^9999/);
    expect(await find()).toMatchObject({ usesPerCustomer: 2, discount: 15 });
  });
});

test('a choice between both values is offered where somebody else has limited the coupon meanwhile', async () => {
  const code = `Autumn${randomUUID().slice(0, 6)}`;
  const { id } = await call('POST', '/coupons', { code, ownerIdentifier: resident().username, discount: 10 });
  const page = await signIn(wide, '/coupons');
  await pressInMore(page, 'Limits', code);
  await page.getByLabel('Uses each (optional)').fill('3');
  await call('PUT', `/coupons/${id}/limits`, { expiration: null, usesPerCustomer: 9 });

  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Somebody changed this meanwhile' }).waitFor();
  await freeOfBarriers(page);
  await page.getByRole('button', { name: 'Save my changes' }).click();

  await page.getByText(`Saved the limits of ${code}.`).waitFor();
  expect(await call('GET', `/coupons/${id}`)).toMatchObject({ usesPerCustomer: 3 });
  forgive(/status of 412/);
});
