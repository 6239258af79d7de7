import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShop, type Shop } from './shop.ts';

/** Many vendors of one store register with the local service over HTTP, and hear of changes from it. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.end());

test('200 copies of one vendor without a product are listed within a minute, and 50 show the product that they get', async () => {
  const { object, world, net, clock, until } = await shop.place('vendor');
  const registered = () => new Set(net.requests.filter((one) => one.startsWith('PUT /v1/vendors/'))).size;
  await until(() => registered() === 1);
  const begun = clock.now();
  const copies = Array.from({ length: 199 }, () => world.copy(object)).flat();
  await until(() => registered() === 200);
  const listedAfter = clock.now() - begun;
  const { data: listed } = await shop.call('GET', '/v1/vendors?limit=1000');
  const { id } = await shop.call('POST', '/v1/products', { name: 'Lamp', price: 70 });

  const changed = copies.slice(0, 50);
  const sell = (vendor: string) => shop.call('PUT', `/v1/vendors/${vendor}/product`, { productId: id });
  await Promise.all(changed.map(({ body }) => sell(body.id)));
  const showing = () => [object, ...copies].filter(({ body }) => body.seen.text === 'Lamp\nIt is not for sale now.');
  await until(() => showing().length >= 50);

  expect(listed).toHaveLength(200);
  expect(listedAfter).toBeLessThan(60_000);
  expect(showing()).toEqual(changed);
  expect(world.log.errors).toEqual([]);
});
