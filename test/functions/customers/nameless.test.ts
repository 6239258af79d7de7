import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Route } from '../../../lib/routes/route.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { startTestService } from '../../support/service.ts';

/** A customer that a sale has made from a UUID, and whose name nobody has told. */

await startTestQueue();
const service = await startTestService();
const make = async (fields: object) => (await service.call('POST', '/v1/products', { price: 5, ...fields })).body.id;
const lamp = await make({ name: 'Lamp' });
const card = await make({ name: 'Card' });
await service.call('PUT', `/v1/products/${card}/giftcard`, { credit: 500 });

/** Sells to an avatar about whom nothing but the UUID is known. */
const sellTo = async (buyerIdentifier: string, productId = lamp) =>
  service.call('POST', '/v1/sales', { id: randomUUID(), productId, buyerIdentifier, paid: 5 });

const buyer = randomUUID();
for (const product of [lamp, card]) await sellTo(buyer, product);

const rows: readonly Route[] = routes;
const reads = rows.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/customers/{identifier}'));

test.each(reads.map(({ path }) => path))(
  '200s for GET %s, and 404s for an avatar who has bought nothing',
  async (path) => {
    for (const [uuid, status] of [
      [buyer, 200],
      [randomUUID(), 404],
    ] as const) {
      const address = path.replace('{identifier}', uuid);
      expect({ address, status: (await service.call('GET', address)).status }).toEqual({ address, status });
    }
  },
);

test('has the card and the product that were bought, under the UUID for a name', async () => {
  const cards = await service.call('GET', `/v1/customers/${buyer}/giftcards`);
  const owned = await service.call('GET', `/v1/customers/${buyer}/products`);

  expect(cards.body.data).toMatchObject([{ credit: 500 }]);
  expect(owned.body.data.map(({ productId }: { productId: string }) => productId)).toContain(lamp);
  expect((await service.call('GET', `/v1/customers/${buyer}`)).body.username).toBe(buyer);
});

test('can be banned, given a card and a delivery, own a coupon, apply one, redeem their card and have a product again', async () => {
  const customer = `/v1/customers/${buyer}`;
  const [{ id: cardId }] = (await service.call('GET', `${customer}/giftcards`)).body.data;
  const calls: [string, object?][] = [
    [`${customer}/actions/ban`],
    [`${customer}/actions/unban`],
    [`${customer}/actions/grant-gift-card`, { credit: 5 }],
    ['/v1/coupons', { code: 'Theirs', ownerIdentifier: buyer, discount: 5 }],
    [`${customer}/actions/apply-coupon`, { scope: 0, code: 'Theirs' }],
    [`${customer}/actions/revoke-coupon`, { scope: 0, code: 'Theirs' }],
    [`/v1/giftcards/${cardId}/actions/redeem`, { identifier: buyer }],
    [`/v1/products/${lamp}/actions/deliver`, { recipientIdentifier: buyer }],
  ];

  const answers = [];
  for (const [path, body] of calls) answers.push([path, (await service.call('POST', path, body)).status]);

  expect(answers.filter(([, status]) => Number(status) >= 300)).toEqual([]);
});
