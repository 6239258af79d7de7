import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { presets } from '../../../../lib/routes/key-presets.ts';
import { issueKey, listKeys } from '../../../../lib/store/issued-keys.ts';
import { freeOfBarriers, phone, pressInMore, useDesk, wide } from './desk.ts';

const { service, open, forgive, signIn, resident } = useDesk();

/** A store with an invitation to an owner's key, as the launch leaves it. */
const launched = async () => {
  const { id: store } = await createStore('Fresh Shop');
  const invitedUntil = new Date(Date.now() + 7 * 86_400_000).toISOString();
  const expiresAt = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const fields = { store, name: 'owner', scopes: presets.all.scopes, stage: 'test', expiresAt, invitedUntil } as const;
  const { text } = await issueKey(fields);
  return { store, link: `/desk#invitation=${text}` };
};

type Page = Awaited<ReturnType<typeof open>>;

const headed = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

const accept = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Accept' }).click();
  const key = await page.locator('code').innerText();
  await freeOfBarriers(page);
  await page.getByRole('button', { name: 'Open the desk' }).click();
  await headed(page, 'Home');
  return key.replaceAll(/\s/g, '');
};

const toTeam = async (page: Page): Promise<void> => {
  await page.evaluate(() => location.assign('#/team'));
  await headed(page, 'Team and keys');
  await page.getByRole('heading', { level: 2, name: 'People' }).waitFor();
};

const statusOf = async (key: string, method: string, path: string, body?: object): Promise<number> =>
  (
    await fetch(service().baseUrl + path, {
      method,
      headers: { 'X-API-Key': key },
      ...(body && { body: JSON.stringify(body) }),
    })
  ).status;

test('a day without a terminal: from the launch’s invitation to a stolen key', async () => {
  const { store, link } = await launched();
  const page = await open(link, wide);
  await page.getByText('Fresh Shop invites owner to its desk.').waitFor();
  expect(page.url()).not.toContain('invitation');
  await freeOfBarriers(page);
  const owner = await accept(page);
  const dialog = page.getByRole('dialog');

  // Invites a manager, who can invite nobody.
  await toTeam(page);
  await freeOfBarriers(page);
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await dialog.getByLabel('Their name').fill('Rosa');
  await dialog.getByLabel('They may').selectOption({ label: 'Manager' });
  await freeOfBarriers(page);
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  const invitation = new URL(await dialog.locator('code').innerText());
  await freeOfBarriers(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText(/Invited until/).waitFor();
  const managers = await open(`/desk${invitation.hash}`, phone);
  await managers.getByText('Fresh Shop invites Rosa to its desk.').waitFor();
  await managers
    .locator('.card .lines > div', { hasText: 'Accept it before' })
    .getByText(/\d{4}, \d/)
    .waitFor();
  await freeOfBarriers(managers);
  const manager = await accept(managers);
  await toTeam(managers);
  await managers.getByText('Only an owner invites people').waitFor();
  await freeOfBarriers(managers);
  expect(
    await managers
      .getByRole('main')
      .getByRole('button', { name: /Invite|New key/ })
      .count(),
  ).toBe(0);
  await managers.getByRole('button', { name: 'More: Rosa' }).click();
  expect(await managers.locator('.menu').innerText()).toBe('Show what they did');
  await managers.keyboard.press('Escape');
  expect(await statusOf(manager, 'POST', '/v1/keys', { name: 'x', preset: 'shop' })).toBe(403);
  // The customer's page tells who gave credit, by name.
  const { uuid, username } = resident();
  const gift = `/v1/customers/${uuid}/actions/increment-credit`;
  expect(await statusOf(manager, 'POST', gift, { delta: 5 })).toBe(200);
  await page.evaluate((hash) => location.assign(hash), `#/customers/${uuid}`);
  await headed(page, username);
  await page.getByText('by Rosa').waitFor();
  await toTeam(page);
  // The link works once.
  forgive(/status of 400 .*\/key\/invitation$/);
  const again = await open(`/desk${invitation.hash}`, wide);
  await again.getByText(/was used already/).waitFor();

  // Issues a vendor's key into a notecard, and renews it while sales go on.
  await page.getByRole('button', { name: 'New key for an object' }).click();
  await dialog.getByLabel('Name of the object').fill('Gallery vendor');
  await dialog.getByRole('button', { name: 'Make the key' }).click();
  const notecard = await dialog.locator('code').innerText();
  const keyIn = (text: string): string => /key = (\S+)/.exec(text)?.[1] ?? '';
  expect(notecard).toContain(`service = ${service().baseUrl}`);
  await freeOfBarriers(page);
  await dialog.getByRole('button', { name: 'Done' }).click();
  const product = await (
    await fetch(`${service().baseUrl}/v1/products`, {
      method: 'POST',
      headers: { 'X-API-Key': owner },
      body: JSON.stringify({ name: 'Chair', item: 'Chair', price: 10 }),
    })
  ).json();
  const sell = (key: string): Promise<number> => {
    const sale = { id: randomUUID(), productId: product.id, buyerIdentifier: resident().uuid, paid: 10 };
    return statusOf(key, 'POST', '/v1/sales', sale);
  };
  expect(await sell(keyIn(notecard))).toBe(201);
  await pressInMore(page, 'Renew', 'Gallery vendor');
  await freeOfBarriers(page);
  await dialog.getByRole('button', { name: 'Renew' }).click();
  await page.getByRole('heading', { name: 'Key of Gallery vendor' }).waitFor();
  const renewed = await dialog.locator('code').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(keyIn(renewed)).not.toBe(keyIn(notecard));
  expect([await sell(keyIn(notecard)), await sell(keyIn(renewed))]).toEqual([201, 201]);
  await page.getByText('Being replaced').waitFor();

  // Somebody has stolen an owner's key, and made keys with it.
  const expiresAt = new Date(Date.now() + 6 * 86_400_000).toISOString();
  const fields = { store, name: 'Stolen laptop', scopes: presets.all.scopes, stage: 'test', expiresAt } as const;
  const stolen = await issueKey(fields);
  const make = async (key: string, name: string): Promise<{ id: string; key: string }> => {
    const body = { name, preset: 'all' };
    const headers = { 'X-API-Key': key };
    return (
      await fetch(`${service().baseUrl}/v1/keys`, { method: 'POST', headers, body: JSON.stringify(body) })
    ).json();
  };
  const child = await make(stolen.text, 'Quiet one');
  const grandchild = await make(child.key, 'Quieter one');
  const began = Date.now();
  await page.reload();
  await toTeam(page);
  await page.getByText(/^The key of Stolen laptop ends in [56] days\./).waitFor();
  await pressInMore(page, 'Revoke', 'Stolen laptop');
  await dialog.getByLabel(/Quiet one/).waitFor();
  expect(await dialog.getByLabel(/Quieter one/).isChecked()).toBe(true);
  await freeOfBarriers(page);
  // Made after the list was read: nobody could tick it.
  const late = await make(grandchild.key, 'Latest one');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Revoked 4 keys.').waitFor();
  expect(Date.now() - began).toBeLessThan(60_000);
  const states = new Map((await listKeys(store)).map((key) => [key.id, key.status]));
  expect([stolen.key.id, child.id, grandchild.id, late.id].map((id) => states.get(id))).toEqual(
    Array(4).fill('revoked'),
  );
  expect(await statusOf(late.key, 'POST', '/v1/keys', { name: 'x', preset: 'shop' })).toBe(401);

  // Nobody locks themselves out.
  await page.getByRole('button', { name: 'More: owner' }).click();
  await page.getByRole('button', { name: 'Rename', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Revoke', exact: true }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Show .* that ended/ }).click();
  await page.getByText('Stolen laptop', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await headed(page, 'Sign in to the desk');
  // A person's own key stays, since no link holds it.
  expect(await statusOf(owner, 'GET', '/v1/store')).toBe(200);
});

test('an object is set up with a key that the desk makes, and renaming oneself shows at once', async () => {
  const page = await signIn(wide, '/setup/cashier');
  await page.getByLabel('Name of the object').fill('Till upstairs');
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText('The key is in the notecard below').waitFor();
  const [, key = ''] = /key = (sis_test_\S+)/.exec(await page.locator('pre').first().innerText()) ?? [];
  expect(await statusOf(key, 'GET', '/v1/store')).toBe(200);
  expect(await statusOf(key, 'GET', '/v1/products')).toBe(403);
  await freeOfBarriers(page);

  await toTeam(page);
  await pressInMore(page, 'Rename', 'Till upstairs');
  await page.getByRole('dialog').getByLabel('Name').fill('Till in the cellar');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is called Till in the cellar now.').waitFor();
  await page.getByText('Till in the cellar', { exact: true }).waitFor();
});

test('a link that does not work says so', async () => {
  const { link } = await launched();
  forgive(/status of 401 .*\/key\/invitation$/);
  const wrong = await open(`${link.slice(0, -1)}${link.endsWith('x') ? 'y' : 'x'}`, phone);
  await wrong.getByText('This invitation does not work').waitFor();
  await freeOfBarriers(wrong);
});
