import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShop, type Shop } from './shop.ts';

/** Boxes with two names in two regions deliver for one local service over HTTP. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.end());

test('when the region of the first box dies, the second goes on within two minutes, and nothing is given twice', async () => {
  const item = 'Lamp';
  const { id: productId } = await shop.call('POST', '/v1/products', { name: item, price: 70, item });
  const first = await shop.place('dispenser', [], undefined, [item]);
  await first.until(() => first.object.body.seen.text.includes('ready'));
  const second = await shop.place('dispenser', ['name = second', 'priority = 1'], undefined, [item]);
  await second.until(() => second.object.body.seen.text.includes('ready'));
  const order = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++)
      await shop.call('POST', `/v1/products/${productId}/actions/deliver`, {
        recipientIdentifier: shop.local.residents[n % 3]?.username,
      });
  };
  const given = ({ world }: typeof first) => world.log.given.length;
  /** The box gives what is missing, and the service hears of this many items in all. */
  const areDelivered = async (box: typeof first, give: number, count: number, step?: number) => {
    await box.until(() => given(box) === give, step);
    // The last item's answer is still on its way.
    box.clock.advance(5);
    const states = async () => {
      const { data } = await shop.call('GET', '/v1/deliveries?limit=100');
      return data.map(({ state }: Record<string, string>) => state);
    };
    await expect.poll(states, { timeout: 20_000 }).toEqual(Array(count).fill('delivered'));
  };
  await order(10);
  await areDelivered(first, 10, 10);

  first.object.take();
  const died = second.clock.now();
  await order(20);
  // The service asks the second box in real time. The region's clock goes in small steps, so that it stays close to
  // that.
  await areDelivered(second, 20, 30, 0.1);
  const seconds = (second.clock.now() - died) / 1000;

  expect(seconds).toBeLessThan(120);
  expect([given(first), given(second)]).toEqual([10, 20]);
  expect([...first.world.log.errors, ...second.world.log.errors]).toEqual([]);
});
