import { describe, expect, test } from 'vitest';
import { scopes } from '../../../../lib/routes/scopes.ts';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { freeOfBarriers, screens, useDesk } from './desk.ts';

const { service, call, signIn, resident, forgive } = useDesk();

/** A key of the demo store that may do all. */
const newKey = async (): Promise<string> => {
  const { id: store } = await call('GET', '/store');
  return (await issueKey({ store, name: 'helper', scopes, stage: 'test' })).text;
};

/** Ends a key, as its holder can. */
const end = (key: string) =>
  fetch(`${service().baseUrl}/v1/store/key/actions/end`, { method: 'POST', headers: { 'X-API-Key': key } });

describe.each(screens)('on a %s', (_, size) => {
  test('a key that ends while somebody works leads to the sign-in, and back to all that was entered', async () => {
    forgive(/status of 401/);
    const { username } = resident();
    const key = await newKey();
    const page = await signIn(size, `/customers/${username}`, key);
    await page.getByRole('button', { name: 'Give or take credit' }).click();
    await page.getByLabel('Amount in L$').fill('70');
    await page.getByLabel('Reason').fill('A long story');
    await end(key);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give L/ })
      .click();

    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByText('Your sign-in has ended. What you entered stays here.').waitFor();
    await freeOfBarriers(page);
    await again.getByLabel('API key').fill(`${key.slice(0, -6)}wrong0`);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByText('This key does not work: it may have expired').waitFor();
    await again.getByLabel('API key').fill(service().otherStore.key);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByText(/^This key opens /).waitFor();
    await again.getByLabel('API key').fill(service().keys.all);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });

    await page.getByText('Your sign-in has ended.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Reason').inputValue()).toBe('A long story');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Give L/ })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await call('GET', `/customers/${username}/credit`)).toMatchObject({ credit: 70 });
  });
});

test('a page that could not be read shows itself once somebody has signed in again', async () => {
  forgive(/status of 401/);
  const key = await newKey();
  const page = await signIn(screens[0]?.[1] ?? { viewport: { width: 390, height: 844 } }, '/', key);
  await end(key);
  await page.evaluate(() => location.assign('#/categories'));
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await again.getByLabel('API key').fill(service().keys.all);
  await again.getByRole('button', { name: 'Sign in' }).click();

  await page.getByRole('table').waitFor();
});

test('Escape and × ask before they close a dialog with entries, and close one without', async () => {
  const { username } = resident();
  const page = await signIn({ viewport: { width: 1440, height: 900 } }, `/customers/${username}`);
  const open = page.getByRole('button', { name: 'Give or take credit' });
  const dialog = page.getByRole('dialog');
  await open.click();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await open.click();
  await page.getByLabel('Reason').fill('Not to be lost');
  await page.keyboard.press('Escape');
  await dialog.getByText('What you have entered here is not saved.').waitFor();
  await freeOfBarriers(page);
  await dialog.getByRole('button', { name: 'Stay here' }).click();
  expect(await page.getByLabel('Reason').inputValue()).toBe('Not to be lost');
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await dialog.getByRole('button', { name: 'Close without saving' }).click();

  await dialog.waitFor({ state: 'detached' });
});
