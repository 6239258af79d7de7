import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { findKey } from '../../../../lib/store/api-keys.ts';
import { startForCli } from '../../../cli/test/support/cli.ts';
import { useBrowser } from './browser.ts';
import { freeOfBarriers } from './desk.ts';

/** Links that sign in at the desk: how their key arrives, is kept, and ends. */

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli();
  await createStore('Stranger', 'StrangersSto');
});
const { open, forgive } = useBrowser(() => service.baseUrl);

const demo = 'Demo Store';

/** The link that `store desk` prints, as it leads from the address of the service. */
const newLink = async (store = demo) => {
  const { rows } = await service.run('desk', '--store', store, '--json');
  const { link, name } = rows[0];
  const { hash } = new URL(link);
  const key = hash.replace('#key=', '');
  return { path: `/desk${hash}`, hash, key, id: key.slice(9, 21), name };
};

const home = (page: Page) => page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
const signInPage = (page: Page) => page.getByRole('heading', { level: 1, name: 'Sign in to the desk' }).waitFor();
const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click();
/** Opens a link in the tab, as a person does who pastes it there. */
const openHere = (page: Page, hash: string) => page.evaluate((to) => location.assign(to), hash);
const keptIn = (page: Page) =>
  page.evaluate(() => ({ session: { ...sessionStorage }, local: { ...localStorage } }) as Record<string, object>);

/** Signs in with a key that this device remembers. */
const remembering = async (key = service.service.keys.all): Promise<Page> => {
  const page = await open('/desk');
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('Remember me on this device').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await home(page);
  return page;
};

/** Every address that the tab goes back to. */
const goneBack = async (page: Page): Promise<string[]> => {
  const seen = [page.url()];
  for (let steps = 0; steps < 4; steps++) {
    await page.goBack().catch(() => null);
    seen.push(page.url());
  }
  return seen;
};

test('a link that is opened in the tab of the sign-in page signs in there, and its key is in no address that one goes back to', async () => {
  const page = await open('/desk');
  await signInPage(page);
  const { hash, key } = await newLink();

  await openHere(page, hash);

  await home(page);
  expect(page.url()).toBe(`${service.baseUrl}/desk`);
  expect(await keptIn(page)).toMatchObject({ session: { 'desk.key': key }, local: {} });
  expect((await goneBack(page)).filter((address) => address.includes('sis_'))).toEqual([]);
});

test('a link to the same store takes the place of the tab’s key where somebody is signed in, and the page stays', async () => {
  const page = await open((await newLink()).path);
  await home(page);
  await openHere(page, '#/customers');
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  const { hash, name } = await newLink();

  await openHere(page, hash);

  await page.getByTitle(name).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  expect(page.url()).toBe(`${service.baseUrl}/desk#/customers`);
});

test('the key leaves the address before the desk asks the service for anything', async () => {
  const { hash } = await newLink();
  const page = await open('/desk');
  await signInPage(page);
  const addresses: string[] = [];
  page.on('request', (request) => request.url().includes('/v1/') && addresses.push(page.url()));

  await openHere(page, hash);
  await home(page);

  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.filter((address) => address.includes('key='))).toEqual([]);
});

test('signing out ends the key of a link for ever, and leaves nothing', async () => {
  const { path, id, key } = await newLink();
  const page = await open(path);
  await home(page);
  await page.getByText('Signing out ends this key.').waitFor();
  await freeOfBarriers(page);

  await signOut(page);

  await signInPage(page);
  expect(await keptIn(page)).toEqual({ session: {}, local: {} });
  expect(await page.evaluate(() => [location.hash, history.state])).toEqual(['', null]);
  expect(await findKey(id)).toMatchObject({ status: 'revoked' });
  const log = await service.run('log', '--store', demo, '--limit', '1', '--json');
  expect(log.rows).toMatchObject([{ action: 'key.ended', by: `key ${id}` }]);
  await service.advance(61);
  expect((await service.call('GET', '/v1/store', key)).status).toBe(401);
});

test('signing out ends no key that was pasted, nor one of a link that somebody made of their own key', async () => {
  const { key, id } = await newLink();
  const pasted = await remembering(key);
  await signOut(pasted);
  await signInPage(pasted);
  const own = await open(`/desk#key=${service.service.keys.all}`);
  await home(own);
  expect(await own.getByText('Signing out ends this key.').count()).toBe(0);

  await signOut(own);

  await signInPage(own);
  expect((await findKey(id))?.status).toBe('active');
  expect((await findKey(service.service.keys.all.slice(9, 21)))?.status).toBe('active');
});

test('says which key works on where its end gets no answer, once, and has forgotten it all the same', async () => {
  const { path, id, name } = await newLink();
  const page = await open(path);
  await home(page);
  await page.context().route('**/key/actions/end', (route) => route.abort());

  await signOut(page);

  await page.getByText(`npx store key revoke "${name}"`).waitFor();
  await freeOfBarriers(page);
  expect(await keptIn(page)).toEqual({ session: {}, local: {} });
  expect((await findKey(id))?.status).toBe('active');
  await page.reload();
  await signInPage(page);
  expect(await page.getByText('npx store key revoke').count()).toBe(0);
  forgive(/ERR_FAILED/);
});

test('a key that has ended already signs out as any other', async () => {
  const { path, name } = await newLink();
  const page = await open(path);
  await home(page);
  // All of the page is read before the key ends: else the page asks for another one.
  await page.getByRole('region', { name: 'Last sales' }).getByRole('listitem').first().waitFor();
  await page.waitForLoadState('networkidle');
  await service.run('key', 'revoke', name, '--store', demo);
  await service.advance(61);

  await signOut(page);

  await signInPage(page);
  expect(await page.getByText('npx store key revoke').count()).toBe(0);
  forgive(/status of 401/);
});

test.each(['#key=%', '#key=%E2%82%AC', '#key=', '#key=nonsense'])('%s is told to be no key', async (hash) => {
  const page = await open(`/desk${hash}`);

  await page.getByText('This key does not work: it may have expired').waitFor();

  expect(page.url()).toBe(`${service.baseUrl}/desk`);
  forgive(/status of 401/);
});

test('a stranger’s link signs nobody out of a key that is remembered: it asks first, and names both stores', async () => {
  const first = await remembering();
  const second = await first.context().newPage();
  const { path, hash } = await newLink('Stranger');
  await openHere(first, hash);
  await second.goto(service.baseUrl + path);

  for (const page of [first, second]) {
    await page.getByRole('heading', { level: 1, name: 'Which store?' }).waitFor();
    await page.getByText(`This link opens Stranger. You are signed in at ${demo}.`).waitFor();
    await freeOfBarriers(page);
    await page.getByRole('button', { name: `Stay at ${demo}` }).click();
    await home(page);
    const own = { 'desk.key': service.service.keys.all };
    expect(await keptIn(page)).toEqual({ local: own, session: own });
  }
});

test('the other store opens where one chooses it, in this tab alone', async () => {
  const page = await remembering();
  const { hash, key } = await newLink('Stranger');
  await openHere(page, hash);

  await page.getByRole('button', { name: 'Open Stranger' }).click();

  await home(page);
  expect(await keptIn(page)).toEqual({
    local: { 'desk.key': service.service.keys.all },
    session: { 'desk.key': key, 'desk.link': 'yes' },
  });
  const next = await page.context().newPage();
  await next.goto(`${service.baseUrl}/desk`);
  await home(next);
  expect((await keptIn(next)).session).toEqual({ 'desk.key': service.service.keys.all });
});

test('a link whose key has ended leaves the remembered key as it is, and leads back to its store', async () => {
  const { path, name } = await newLink('Stranger');
  await service.run('key', 'revoke', name, '--store', 'Stranger');
  await service.advance(61);
  const page = await remembering().then((first) => first.context().newPage());

  await page.goto(service.baseUrl + path);
  await page.getByText('This key does not work: it may have expired').waitFor();
  await freeOfBarriers(page);
  await page.getByRole('button', { name: `Go on at ${demo}` }).click();

  await home(page);
  forgive(/status of 401/);
});

test('a link takes the place of a remembered key that has ended', async () => {
  const { key, name } = await newLink('Stranger');
  const page = await remembering(key);
  await service.run('key', 'revoke', name, '--store', 'Stranger');
  await service.advance(61);

  await openHere(page, (await newLink()).hash);

  await home(page);
  forgive(/status of 401/);
});

test('the licences of the desk’s packages open from the sign-in page and from every other', async () => {
  const page = await open('/desk');
  const read = async () => {
    await page.getByRole('link', { name: 'Licenses' }).click();
    await page.getByText('The MIT License').waitFor();
    await page.goBack();
  };

  await read();
  await openHere(page, (await newLink()).hash);
  await home(page);
  await read();

  await home(page);
});
