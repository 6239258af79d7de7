import { expect, test } from 'vitest';
import { freeOfBarriers, pressInMore, screens, useDesk } from './desk.ts';

const { service, call, signIn, resident } = useDesk();

const statusOf = async (key: string, method: string, path: string): Promise<number> =>
  (await fetch(service().baseUrl + path, { method, headers: { 'X-API-Key': key } })).status;

test.each(screens)('makes the link of a customer’s own page for somebody who wrote in: %s', async (_, size) => {
  const { uuid, username } = resident();
  await call('POST', `/customers/${uuid}/actions/increment-credit`, { delta: 250 });
  const page = await signIn(size, `/customers/${uuid}`);
  await page.getByRole('heading', { level: 1, name: username }).waitFor();
  const dialog = page.getByRole('dialog', { name: `The page of ${username}` });

  await pressInMore(page, 'Their own page');
  await dialog.getByText('Whoever opens the link first').waitFor();
  await freeOfBarriers(page);
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  const link = await dialog.locator('code').innerText();
  await freeOfBarriers(page);

  const [address, code = ''] = link.split('#code=');
  expect(address).toBe(`${service().baseUrl}/me`);
  expect(await dialog.getByRole('link', { name: 'Look at it yourself' }).getAttribute('href')).toBe(link);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('body').innerText()).not.toContain(code);
  expect(await statusOf(code, 'POST', '/v1/me/actions/begin')).toBe(200);
  expect(await statusOf(code, 'POST', '/v1/me/actions/begin')).toBe(400);
});
