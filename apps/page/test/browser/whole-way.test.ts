import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordPurchase } from '../../../../lib/avatars/spend.ts';
import { useBrowser } from '../../../desk/test/browser/browser.ts';
import { phone } from '../../../desk/test/browser/desk.ts';
import { openShop, placeTerminal, type Shop } from '../../../inworld/test/shop.ts';
import { en } from '../../words/en.ts';

/** From a touch of the shipped terminal in a made-up world to the page in a browser, and out of it. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.end());
const { open, forgive } = useBrowser(() => shop.local.baseUrl);

test('a touch, the link, Redeem, Send again, Sign out; and the link that is pressed once more', async () => {
  const { call, local } = shop;
  const [{ uuid, username } = { uuid: '', username: '' }] = local.residents;
  await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 30 });
  await call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 500, transfer: false });
  const { id: productId } = await call('POST', '/v1/products', { name: 'Fireflies in a jar', price: 60 });
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const { id: store } = await call('GET', '/v1/store');
  await recordPurchase(store, { id: randomUUID(), buyer: { uuid, username }, productId, price: 60, at });
  const { use, until, world } = await placeTerminal(shop);

  await use(uuid, 'My page');
  await until(() => world.log.pages.length > 0);
  const [address = '', code = ''] = world.log.pages[0]?.url.split('/me') ?? [];
  expect(address).toBe('https://service.example');
  const page = await open(`/me${code}`, phone);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const says = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const isTitled = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  await press(en.door.open);
  await isTitled(en.credit.yours(username));
  await press(en.cards.redeemOf('L$\u00a0500'));
  await page.getByRole('dialog').getByRole('button', { name: en.cards.redeem }).click();
  await says(en.cards.redeemed('L$\u00a0500'));
  await press(en.products.sendOf('Fireflies in a jar'));
  await says(en.products.sent('Fireflies in a jar'));
  await press(en.foot.signOut);
  await isTitled(en.door.left.title);

  expect((await call('GET', `/v1/customers/${uuid}/credit`)).credit).toBe(530);
  const { data } = await call('GET', `/v1/deliveries?recipient=${uuid}`);
  expect(data).toMatchObject([{ productId, recipientUuid: uuid }]);
  forgive(/status of 400/);
  await page.goto(`${local.baseUrl}/me${code}`);
  await press(en.door.open);
  await isTitled(en.door.used.title);
});
