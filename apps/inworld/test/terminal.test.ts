import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownedWrite } from '../../../lib/avatars/owned.ts';
import { timestamp } from '../../../lib/clock.ts';
import { ownedKey } from '../../../lib/table/keys.ts';
import { write } from '../../../lib/table/table.ts';
import { volume } from '../../../test/support/volume.ts';
import { openShop, owner, placeTerminal, type Shop } from './shop.ts';

/** The shipped terminal serves customers through the local service over HTTP. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.end());

const avatar = (place: number): string => shop.local.residents[place]?.uuid ?? '';

const place = () => placeTerminal(shop);

/** A product that the avatar owns. Answers its id. */
const own = async (who: string, product: object): Promise<string> => {
  const { id } = await shop.call('POST', '/v1/products', { price: 10, ...product });
  await write(ownedWrite(ownedKey(shop.store, who, id), undefined, [timestamp(Date.now())]));
  return id;
};

const count = volume(40, 200);
const grant = (who: string, credit: number, transfer = false) =>
  shop.call('POST', `/v1/customers/${who}/actions/grant-gift-card`, { credit, transfer });

const redeemCard = async (who: string, credit: number) => {
  const { id } = await grant(who, credit);
  await shop.call('POST', `/v1/giftcards/${id}/actions/redeem`, { identifier: who });
};

test('says above itself whose it is, and reads no more of the service than its key allows', async () => {
  const { object, net, world } = await place();

  expect(object.body.seen.text).toBe('Demo Store\nTouch for your credit, gift cards, coupons and products');
  expect(net.requests).toEqual(['GET /v1/store']);
  expect([world.log.errors, world.log.messages]).toEqual([[], []]);
});

test('tells a customer their credit of both kinds, and what expires next', async () => {
  const { use, hears } = await place();
  const path = `/v1/customers/${avatar(0)}/actions`;
  await shop.call('POST', `${path}/increment-credit`, { delta: 100 });
  await shop.call('POST', `${path}/increment-credit`, { delta: 30, expiresAt: '2099-03-01T00:00:00Z' });
  await shop.call('POST', `${path}/increment-credit`, { delta: 20, expiresAt: '2099-02-01T00:00:00Z' });

  await use(avatar(0), 'Balance');
  await hears(avatar(0), 'Your store credit: L$ 150 (L$ 20 of it until 2099-02-01).');
  await shop.call('POST', `${path}/increment-restricted-credit`, { delta: 5, expiresAt: '2099-01-01T00:00:00Z' });
  await use(avatar(0), 'Balance');

  await hears(
    avatar(0),
    'Your store credit: L$ 150 (L$ 20 of it until 2099-02-01), and for what you buy for yourself: L$ 5 (L$ 5 of it until 2099-01-01).',
  );
});

test('redeems a gift card once, in any case of its letters, and says what is wrong with another', async () => {
  const { use, hears, choose } = await place();
  const [who, other] = [avatar(1), avatar(2)];
  const [own, foreign] = [await grant(who, 70), await grant(other, 10)];

  await use(who, 'Gift card');
  await choose('Copy the number', 'my card');
  await choose('36 letters', ` ${own.id.toUpperCase()}\n`);
  await hears(who, 'The card is redeemed. Your store credit is L$ 70 now.');
  await use(who, 'Gift card');
  await choose('Copy the number', own.id);
  await hears(who, 'has been redeemed already');
  await use(who, 'Gift card');
  await choose('Copy the number', foreign.id);
  await hears(who, "is another avatar's");
  await use(who, 'Gift card');
  await choose('Copy the number', owner);

  await hears(who, 'There is no gift card of that number. Please copy all of it');
});

test('says and does nothing of what another avatar asked before', async () => {
  const { use, hears, choose, net, world } = await place();
  const [customer, stranger] = [avatar(34), avatar(35)];
  await shop.call('POST', `/v1/customers/${customer}/actions/increment-credit`, { delta: 1311 });
  const card = await grant(customer, 5);
  await use(customer, 'Balance');
  await hears(customer, 'Your store credit: L$ 1311');

  await use(stranger, 'Coupon');
  await choose('Write the code', 'Again');
  await hears(stranger, 'There is no coupon of that code.');
  await use(customer, 'Gift card');
  await choose('Copy the number', card.id);
  await hears(customer, 'The card is redeemed.');
  net.requests.length = 0;
  await use(stranger, 'Gift card');
  await choose('Copy the number', 'Again');
  await choose('That is no number of a gift card', 'Again');

  expect(net.requests).toEqual([]);
  expect(world.log.said.filter(({ to, text }) => to === stranger && text.includes('credit'))).toEqual([]);
});

test('turns all of a customer’s own cards into credit at one press, once, and leaves those of others', async () => {
  const { use, hears, choose, net, until, world } = await place();
  const [who, other] = [avatar(30), avatar(31)];
  for (const credit of [70, 30]) await grant(who, credit, credit === 30);
  const foreign = await grant(other, 10, true);
  const text = 'All gift cards that are yours become store credit of yours, those too that you could give away.';

  await use(who, 'My cards');
  await choose(text, 'Close');
  net.loses = true;
  await use(who, 'My cards');
  await choose(text, 'Redeem');
  await until(() => world.log.dialogs.some((one) => one.text.includes('does not answer')));
  net.loses = false;
  await choose('The store does not answer.', 'Again');
  await hears(who, 'Gift cards redeemed: 2, L$ 100. Your store credit is L$ 100 now.');
  await use(who, 'My cards');
  await choose(text, 'Redeem');

  await hears(who, 'You have no gift card to redeem.');
  expect(await shop.call('GET', `/v1/giftcards/${foreign.id}`)).toMatchObject({ redeemed: false });
});

test('says that a customer has more cards than are redeemed at once', async () => {
  const { use, hears, choose } = await place();
  for (let n = 0; n < 21; n++) await grant(avatar(32), 1);

  await use(avatar(32), 'My cards');
  await choose('All gift cards', 'Redeem');
  await hears(avatar(32), 'Gift cards redeemed: 20, L$ 20. Your store credit is L$ 20 now. You have more of them');
  await use(avatar(32), 'My cards');
  await choose('All gift cards', 'Redeem');

  await hears(avatar(32), 'Gift cards redeemed: 1, L$ 1. Your store credit is L$ 21 now.');
});

test('says which discount a customer has for what they spent, and what is missing to the next', async () => {
  const { use, hears } = await place();
  const tiers = [
    { from: 100, percent: 5 },
    { from: 1000, percent: 7.5 },
  ];
  const { id } = await shop.call('POST', '/v1/products', { name: 'Lamp', price: 150 });
  const sale = { id: randomUUID(), productId: id, buyerIdentifier: avatar(33), paid: 150 };
  await shop.call('POST', '/v1/sales', sale);

  await use(avatar(33), 'My discount');
  await hears(avatar(33), 'In the last year you spent L$ 150 here. This store gives no discount for that.');
  await shop.call('PUT', '/v1/store/rules', { tiers });
  await use(avatar(33), 'My discount');
  await hears(avatar(33), 'L$ 150 here. You get 5 % off. L$ 850 more, and you get 7.5 % off.');
  await use(avatar(34), 'My discount');
  await hears(avatar(34), 'L$ 0 here. L$ 100 more, and you get 5 % off.');
  await shop.call('PUT', '/v1/store/rules', { tiers: tiers.slice(0, 1) });
  await use(avatar(33), 'My discount');

  await hears(avatar(33), 'L$ 150 here. You get 5 % off.');
  await shop.call('PUT', '/v1/store/rules', {});
});

test('tells the last changes of credit in words, and of one with many lots the change alone', async () => {
  const { use, net, until, world } = await place();
  const who = avatar(35);
  const path = `/v1/customers/${who}`;
  const day = new Date().toISOString().slice(0, 10);
  const history = async (rows: number) => {
    while ((await shop.call('GET', `${path}/credit/history`)).data.length < rows) await setTimeout(20);
    world.log.said.length = 0;
    await use(who, 'History');
    await until(() => world.log.said.length > 0);
    return world.log.said[0]?.text;
  };
  const none = await history(0);
  for (let n = 1; n <= 30; n++)
    await shop.call('POST', `${path}/actions/increment-credit`, {
      delta: 1,
      expiresAt: `2099-01-${String(n).padStart(2, '0')}T00:00:00Z`,
    });
  await shop.call('POST', `${path}/actions/set-credit`, { credit: 10 });
  const many = await history(31);
  await shop.call('POST', `${path}/actions/increment-restricted-credit`, { delta: 5 });
  await redeemCard(who, 30);
  await shop.call('POST', `${path}/actions/increment-credit`, { delta: -40 });
  const three = await history(34);

  expect(none).toBe('Your store credit: nothing has changed it yet.');
  expect(many).toBe(`Your store credit:\n${day}  L$ 20 less: changed by the store. Then L$ 10.`);
  expect(three).toBe(
    `Your store credit:\n${day}  L$ 40 less: changed by the store. Then L$ 0.` +
      `\n${day}  L$ 30 more: you redeemed a gift card. Then L$ 40.` +
      `\n${day}  L$ 5 more: changed by the store. Then L$ 5 for what you buy for yourself.`,
  );
  expect(net.longest).toBeGreaterThan(2048);
});

test('applies a coupon, and says what is wrong with its code', async () => {
  const { use, hears, choose } = await place();
  const who = avatar(3);
  const coupon = { code: 'Spring', discount: 25, ownerIdentifier: avatar(4) };
  await shop.call('POST', '/v1/coupons', coupon);
  await shop.call('POST', '/v1/coupons', { ...coupon, code: 'Gone', active: false });

  await use(who, 'Coupon');
  await choose('the code', '');
  await choose('1 to 64 letters', ' spring ');
  await hears(who, 'The coupon Spring takes 25 % off what you buy within 24 hours.');
  await use(who, 'Coupon');
  await choose('the code', 'gone');
  await hears(who, 'not valid any more');
  await use(who, 'Coupon');
  await choose('the code', 'No "such" \\ code');

  await hears(who, 'There is no coupon of that code.');
});

test('sends again what a customer owns, and says why it sends something not', async () => {
  const { use, hears, choose, until, world } = await place();
  const who = avatar(5);
  await use(who, 'My products');
  await hears(who, 'You have bought nothing');
  const ids = [
    await own(who, { name: 'Lamp' }),
    await own(who, { name: 'Single', permissions: { copy: false, transfer: true } }),
  ].sort();

  await use(who, 'My products');
  await until(() => world.log.dialogs.some(({ text }) => text.includes('sent to you again')));
  const [{ text = '', buttons = [] } = {}] = world.log.dialogs;
  const button = (name: string): string => new RegExp(`(\\d)  ${name}`).exec(text)?.[1] ?? '';
  await choose('sent to you again', button('Lamp'));
  await hears(who, 'It is on its way to you.');
  await use(who, 'My products');
  await choose('sent to you again', button('Lamp'));
  await hears(who, 'Please wait a minute');
  await use(who, 'My products');
  await choose('sent to you again', button('Single'));
  await hears(who, 'may not be copied, so it comes only once');

  expect(buttons).toEqual(['1', '2', 'Close']);
  expect(ids).toHaveLength(2);
});

test('leads through any number of products with names of 63 characters, within every limit and its memory', async () => {
  const { use, choose, until, world, object, net, hears } = await place();
  const who = avatar(6);
  const name = (place: number): string => `${String(place).padStart(3, '0')} ${'é'.repeat(59)}`;
  for (let at = 0; at < count; at += 20)
    await Promise.all(Array.from({ length: 20 }, (_, i) => own(who, { name: name(at + i), item: 'Lamp' })));
  const seen = new Set<string>();
  const shown = () => world.log.dialogs.at(-1);

  await use(who, 'My products');
  for (let page = 0; page < count / 5; page++) {
    await until(() => shown() !== undefined);
    for (const [, found = ''] of shown()?.text.matchAll(/\d {2}(\d{3})/g) ?? []) seen.add(found);
    const hasMore = shown()?.buttons.includes('More');
    await choose('sent to you again', hasMore ? 'More' : 'Back');
  }
  await choose('sent to you again', '5');
  await hears(who, 'It is on its way to you.');
  object.script.begin();

  expect(object.body.linksetData.size).toBe(0);
  expect(seen.size).toBe(count);
  expect(net.longest).toBeLessThanOrEqual(2048);
  expect(world.log.errors).toEqual([]);
  expect(object.script.memory().peak).toBeLessThan(62_000);
});

test('asks for a page that is too long for it again, product by product', async () => {
  const { use, choose, until, world, hears, net } = await place();
  const who = avatar(7);
  for (let i = 0; i < 5; i++) await own(who, { name: `${i}${'ü'.repeat(254)}`, item: 'Lamp' });

  await use(who, 'My products');
  await until(() => world.log.dialogs.length > 0);
  expect(world.log.dialogs[0]?.buttons).toEqual(['1', 'More', 'Close']);
  await choose('sent to you again', '1');
  await hears(who, 'It is on its way to you.');

  expect(net.requests.filter((request) => request.endsWith('/products'))).toHaveLength(2);
  expect(world.log.errors).toEqual([]);
});

test('a request without an answer is repeated at a button, and made once', async () => {
  const { use, choose, hears, net, until, world } = await place();
  const who = avatar(8);
  const { id } = await grant(who, 40);

  net.loses = true;
  await use(who, 'Gift card');
  await choose('Copy the number', id);
  await until(() => world.log.dialogs.some(({ text }) => text.includes('does not answer')));
  net.loses = false;
  await choose('The store does not answer. Please wait half a minute, and press Again.', 'Again');

  await hears(who, 'The card is redeemed. Your store credit is L$ 40 now.');
});

test('has memory for as many avatars as it serves at once, each before a page of products', async () => {
  const { use, world, object, until } = await place();
  const many = Array.from({ length: 6 }, (_, i) => avatar(i + 20));
  for (const who of many)
    await Promise.all(Array.from({ length: 6 }, (_, i) => own(who, { name: `${i} ${'y'.repeat(61)}`, item: 'Lamp' })));

  for (const who of many) {
    await use(who, 'My products');
    await until(() => world.log.dialogs.some(({ to }) => to === who));
  }

  expect([object.body.linksetData.size, world.log.errors]).toEqual([6, []]);
  expect(object.script.memory().peak).toBeLessThan(62_000);
});

test('serves several avatars at once, each with their own menu, and has an end to both', async () => {
  const { use, hears, object, clock, world, until } = await place();
  const many = Array.from({ length: 7 }, (_, i) => avatar(i + 10));
  const [first = '', , , , , , seventh = ''] = many;

  for (const who of many) object.touch(who);
  await hears(seventh, 'Others use this terminal now.');
  await until(() => world.log.dialogs.length === 6);
  const [stale] = world.log.dialogs;
  world.log.dialogs.at(-1)?.answer('Balance');
  await hears(many[5] ?? '', 'Your store credit');
  clock.advance(130);
  stale?.answer('Balance');
  await hears(first, 'This menu is over. Please touch the terminal again.');
  await use(seventh, 'Balance');

  await hears(seventh, 'Your store credit');
});

test('forgets its menus when the region restarts, and serves again', async () => {
  const { use, hears, object, world, until } = await place();
  object.touch(avatar(0));
  await until(() => world.log.dialogs.length > 0);

  world.restart();
  world.log.dialogs[0]?.answer('Balance');
  await hears(avatar(0), 'This menu is over');
  await use(avatar(0), 'Balance');

  await hears(avatar(0), 'Your store credit');
});

test('says to an avatar whom nobody knows what to do', async () => {
  const { use, hears } = await place();

  await use(owner, 'Balance');

  await hears(owner, 'The store does not know you yet. Buy something first, or ask its owner.');
});

test('a service that refuses without a known reason is quoted', async () => {
  const { use, hears, net } = await place();

  net.status = 422;
  await use(avatar(0), 'Balance');

  await hears(avatar(0), 'The store refuses this. Please ask its owner, and tell these words: Oh.');
});

test('a key that is revoked while it serves: the avatar is told to wait, and the owner what to do', async () => {
  const { use, hears, net, isTold, object, until } = await place();

  net.status = 415;
  await use(avatar(0), 'Balance');
  await hears(avatar(0), 'its owner is told');
  await isTold('Terminal: the service refuses the key, or is busy.');
  object.touch(avatar(0));
  await hears(avatar(0), 'This terminal is not ready.');
  net.status = 0;

  await until(() => object.body.seen.text.includes('Touch for'));
});
