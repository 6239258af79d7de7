import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { now } from '../../../lib/clock.ts';
import { getDelivery } from '../../../lib/delivery/deliveries.ts';
import { registerDispenser } from '../../../lib/delivery/dispensers.ts';
import { anOrder, serve } from '../../support/deliveries.ts';
import { setClock } from '../../support/service.ts';
import { startWorking, succeeded } from './working.ts';

const { store, work } = startWorking();

/** A box that registers with a key, and gives what is signed with the secret that it was last told. */
const startBox = async () => {
  const asked: number[] = [];
  let secret = '';
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [signature = ''] = body.split('\n');
    const wanted = createHmac('sha256', secret)
      .update(body.slice(signature.length + 1))
      .digest('base64');
    asked.push(signature === wanted ? 200 : 401);
    response.writeHead(asked.at(-1) ?? 500).end();
  });
  /** Without `hears` the answer with the secret is lost. */
  const register = async (keyId: string, { hears = true } = {}): Promise<void> => {
    const told = await registerDispenser(store(), { url, region: '', items: [], keyId });
    if (hears) ({ secret } = told);
  };
  return { asked, register };
};

test('a box that missed the answer with its new secret is served with the old one, in one attempt', async () => {
  const box = await startBox();
  await box.register('first');
  await box.register('second', { hears: false });
  const order = anOrder(store());

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect(box.asked).toEqual([401, 200]);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'delivered', attempts: 1 });
});

test('after 15 minutes the old secret signs nothing; the delivery is kept until the box has learnt the new one', async () => {
  const start = now();
  onTestFinished(() => setClock(start));
  const box = await startBox();
  await box.register('first');
  await box.register('second', { hears: false });
  setClock(now() + 15 * 60_000);
  const order = anOrder(store());

  await work(order);
  const refused = await getDelivery(store(), order.id);
  await box.register('second');
  await work(order);

  expect(refused).toMatchObject({ state: 'queued', lastError: 'The dispenser answered 401' });
  expect(box.asked).toEqual([401, 200]);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'delivered' });
});

test('of two boxes that register in turn with two keys, the one that is called knows the secret each time', async () => {
  const [one, other] = [await startBox(), await startBox()];

  for (const [box, keyId] of [
    [one, 'first'],
    [other, 'second'],
    [one, 'first'],
    [other, 'second'],
  ] as const) {
    await box.register(keyId);
    await work(anOrder(store()));
  }

  expect([one.asked, other.asked]).toEqual([
    [200, 200],
    [200, 200],
  ]);
});
