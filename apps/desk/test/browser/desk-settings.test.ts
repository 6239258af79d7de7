import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { useDesk, wide } from './desk.ts';

const { service, call, open, signIn, resident } = useDesk();

test('ends the key that signed in, for every program that has it, and signs out', async () => {
  const store = await call('GET', '/store');
  const name = `Old till ${randomUUID().slice(0, 8)}`;
  const { text: key } = await issueKey({ store: store.id, name, scopes: ['sales:read'], stage: 'test' });
  const page = await signIn(wide, '/settings', key);
  await page.getByText('What it may do: 1 scope').click();
  await page.getByText('sales:read', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Close the store' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Import products' }).count()).toBe(0);

  await page.getByRole('button', { name: 'End this key' }).click();
  await page.getByRole('dialog').getByText(name).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'End this key' }).click();

  await page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
  // The service's authorizer may remember the key for another minute.
  const again = await fetch(`${service().baseUrl}/v1/store/key/actions/end`, {
    method: 'POST',
    headers: { 'X-API-Key': key },
  });
  expect([204, 401]).toContain(again.status);
});

test('shows times in the zone that was chosen, and keeps it on this device', async () => {
  const { id } = await call('POST', '/products', { name: 'Clock', item: 'Clock', price: 1 });
  const sale = { id: randomUUID(), productId: id, buyerIdentifier: resident().username, paid: 1 };
  const { at } = await call('POST', '/sales', sale);
  const inZone = (timeZone: string): string =>
    new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(at));
  const page = await open(`/desk#key=${service().keys.all}`, { ...wide, locale: 'en-US', timezoneId: 'Asia/Tokyo' });
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  const goTo = async (path: string, shown: string) => {
    await page.evaluate((hash) => location.assign(hash), `#${path}`);
    await page.getByText(shown).first().waitFor();
  };
  await goTo(`/sales/${sale.id}`, inZone('Asia/Tokyo'));

  for (const [choice, zone] of [
    ['UTC', 'UTC'],
    ['Second Life time', 'America/Los_Angeles'],
  ] as const) {
    await goTo('/settings', 'Show times in');
    const loaded = page.waitForEvent('load');
    await page.getByLabel('Show times in').selectOption({ label: choice });
    await loaded;
    await goTo(`/sales/${sale.id}`, inZone(zone));
  }
});
