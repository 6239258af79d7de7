import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { listLots } from '../../../../lib/credit/lots.ts';
import { claimDelivery, failDelivery } from '../../../../lib/delivery/deliveries.ts';
import { putGiftCard } from '../../../../lib/store/gift-cards.ts';
import { createProduct } from '../../../../lib/store/products.ts';
import { recordPurchase } from '../../../../lib/store/spend.ts';
import { anOrder } from '../../../../test/support/deliveries.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { newResident, unknownUuid } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { startForCli } from '../support/cli.ts';

const demo = 'DemoStore001';
const on = ['--store', demo];

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli({ demo: false });
});

const run = (...args: string[]) => service.run(...args, ...on);

/** Runs a command while the log takes no row. */
const runUnlogged = async (...args: string[]) => {
  const stop = intercept(async ({ input }, send) => {
    if (!JSON.stringify(input).includes('LOG#')) return send();
    throw Object.assign(new Error('The log is full.'), { $fault: 'client' });
  });
  const ran = await run(...args);
  stop();
  return ran;
};

const logged = async () => (await run('log', '--limit', '1', '--json')).rows[0];

const aCard = async (owner: { uuid: string; username: string }, fields = {}) =>
  putGiftCard(demo, owner, { credit: 250, texture: null, transfer: false, active: true, ...fields });

const buy = async (buyer: { uuid: string; username: string }, name: string, fields = {}): Promise<string> => {
  const product = await createProduct(demo, productWith({ name, item: name, ...fields }));
  const at = '2026-01-31T12:00:00.000Z';
  await recordPurchase(demo, { id: randomUUID(), buyer, productId: product.id, price: 5, at });
  return product.id;
};

test('redeems a gift card for its owner, with expiry, reason and reference, and logs who did it', async () => {
  const owner = await newResident();
  const { id } = await aCard(owner);
  const args = ['giftcards', 'redeem', id.toUpperCase(), '--for', owner.username];
  const why = ['--expires', '30d', '--reason', 'Lost card', '--reference', 'T-17'];

  const before = await run('giftcards', 'show', id);
  const unlogged = await runUnlogged(...args);
  const redeemed = await run(...args, ...why, '--json');
  const log = await logged();
  const after = await run('giftcards', 'show', id, '--json');
  const again = await run(...args);

  expect(before.stdout).toMatch(new RegExp(`${id} +${owner.username} +250 +active +its owner`));
  expect(unlogged).toMatchObject({ code: 1, stdout: '' });
  const card = { id, ownerUuid: owner.uuid, ownerUsername: owner.username, credit: 0, redeemed: true, active: true };
  expect(redeemed).toMatchObject({ code: 0, rows: [{ giftCard: card, credit: { credit: 250, restrictedCredit: 0 } }] });
  const [lot, ...others] = await listLots(demo, owner.uuid);
  expect([lot, others]).toMatchObject([{ amount: 250, createdBy: expect.stringMatching(/^operator /) }, []]);
  const { body } = await service.call('GET', `/v1/customers/${owner.uuid}/credit`, service.service.keys.all);
  expect(body.credit).toBe(250);
  expect(log).toMatchObject({
    action: 'giftcard.redeemed',
    store: demo,
    details: { giftCard: id, for: owner.uuid, expiresAt: lot?.expiresAt },
  });
  expect(after.rows).toEqual([{ ...card, transfer: false, texture: null, purchased: false }]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('The card has been redeemed already.') });
  await expect
    .poll(async () => (await run('credit', 'history', owner.uuid, '--json')).rows, { timeout: 20_000 })
    .toMatchObject([
      { kind: 'redeem', amount: 250, reason: 'Lost card', reference: 'T-17', giftCardId: id, keyId: null },
    ]);
});

test('redeems only a transferable card for another, and says why not otherwise', async () => {
  const [owner, other] = [await newResident(), await newResident()];
  const own = await aCard(owner);
  const free = await aCard(owner, { transfer: true });
  const redeem = (id: string, ...args: string[]) => run('giftcards', 'redeem', id, ...args);

  const refused = await redeem(own.id, '--for', other.uuid);
  const given = await redeem(free.id, '--for', other.uuid);
  const unknown = await redeem(unknownUuid, '--for', owner.uuid);
  const nobody = await redeem(own.id, '--for', 'no body');
  const wrong = await Promise.all([
    redeem('my card', '--for', owner.uuid),
    redeem(own.id),
    redeem(own.id, '--for', owner.uuid, '--expires', 'soon'),
    redeem(own.id, '--for', owner.uuid, '--reference', 'x'.repeat(101)),
    run('giftcards', 'show', unknownUuid),
  ]);

  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('must name the owner of the card') });
  expect(given.stdout).toMatch(new RegExp(`${free.id} +redeemed +250 +0`));
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining(`has no gift card ${unknownUuid}.`) });
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no resident no.body') });
  expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 1]);
  for (const [index, words] of ['UUID', '--for', 'such as 90d', 'at most 100', 'has no gift card'].entries())
    expect(wrong[index]?.stderr).toContain(words);
  expect((await run('giftcards', 'show', own.id, '--json')).rows).toMatchObject([{ credit: 250, redeemed: false }]);
});

test('lists what a customer owns, and delivers it again once a minute, with a row in the log', async () => {
  const owner = await newResident();
  const ids = [await buy(owner, 'First lamp'), await buy(owner, 'Second lamp', { active: false })];
  const args = ['customer', 'redeliver', owner.username, ids[1] ?? ''];

  const none = await run('customer', 'products', 'nova.newcomer');
  const one = await run('customer', 'products', owner.username, '--limit', '1');
  const all = await run('customer', 'products', owner.uuid, '--json');
  const unlogged = await runUnlogged(...args);
  const ordered = await run(...args, '--message', 'Here it is again.', '--json');
  const log = await logged();
  const again = await run(...args);

  expect(none.code).toBe(1);
  expect(one.stdout).toMatch(/ (First|Second) lamp +1 +2026-01-31 12:00Z +-\n$/);
  expect(one.stderr).toContain('There are more: see them with --limit 10.');
  expect(all.rows.map(({ productId, name }) => [productId, name])).toEqual([
    [ids[0], 'First lamp'],
    [ids[1], 'Second lamp'],
  ]);
  expect(unlogged).toMatchObject({ code: 1, stdout: '' });
  expect(ordered).toMatchObject({
    code: 0,
    rows: [{ productId: ids[1], recipientUuid: owner.uuid, queued: true, message: 'Here it is again.' }],
  });
  const [{ deliveryId }] = ordered.rows;
  expect(ordered.stderr).toContain(`store deliveries show ${deliveryId}`);
  expect(log).toMatchObject({
    action: 'product.redelivered',
    store: demo,
    details: { product: ids[1], to: owner.uuid },
  });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('less than 60 seconds ago') });
  await expect
    .poll(async () => (await run('deliveries', 'show', deliveryId, '--json')).rows[0]?.state, { timeout: 20_000 })
    .toBe('delivered');
});

test('refuses to deliver again what they do not own, may not copy or the store does not have', async () => {
  const owner = await newResident();
  const [single, stranger] = [
    await buy(owner, 'Single lamp', { permissions: { copy: false, modify: false, transfer: true } }),
    (await createProduct(demo, productWith())).id,
  ];
  const redeliver = (...args: string[]) => run('customer', 'redeliver', owner.uuid, ...args);

  const ran = [
    await redeliver(single),
    await redeliver(stranger),
    await redeliver(unknownUuid),
    await redeliver('lamp'),
    await redeliver(single, '--message', '\u0007'),
  ];

  expect(ran.map(({ code }) => code)).toEqual([1, 1, 1, 2, 2]);
  const words = ['may not have copies', 'does not own', `has no product ${unknownUuid}.`, 'UUID', '1023 bytes'];
  for (const [index, word] of words.entries()) expect(ran[index]?.stderr).toContain(word);
});

test('shows one delivery with its last error, and says where there is no record of it', async () => {
  const order = anOrder(demo);
  await failDelivery((await claimDelivery(order, 1000)).delivery, 'no such item');

  const shown = await run('deliveries', 'show', order.id.toUpperCase());
  const json = await run('deliveries', 'show', order.id, '--json');
  const unknown = await run('deliveries', 'show', unknownUuid);

  expect(shown.stdout).toMatch(/failed +1 +Lamp, ada +no such item/);
  expect(json.rows).toMatchObject([{ id: order.id, state: 'failed', attempts: 1 }]);
  expect(json.rows[0]).not.toHaveProperty('ranked');
  expect(unknown).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`no delivery ${unknownUuid}.`),
  });
});
