import { randomUUID } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, onTestFinished, test } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { getDelivery } from '../../../lib/delivery/deliveries.ts';
import { encodeMessage, type Order } from '../../../lib/delivery/message.ts';
import { deleteStore } from '../../../lib/operator/stores.ts';
import { saleKey } from '../../../lib/table/keys.ts';
import { put } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';

import { anOrder, batchOf, contextWith, received } from '../../support/deliveries.ts';
import { wholeTable } from '../../support/service.ts';
import { startWorking, succeeded } from './working.ts';

const { queue, store, dispenserThat, work } = startWorking();

test.each([200, 204])('records a delivery as delivered when the dispenser answers %i', async (status) => {
  const { bodies } = await dispenserThat(status);
  const order = anOrder(store(), { message: '🎁' });

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect(await getDelivery(store(), order.id)).toMatchObject({
    state: 'delivered',
    attempts: 1,
    deliveredAt: expect.any(String),
  });
  expect(bodies.map((body) => body.split('\n').at(-1))).toEqual(['🎁']);
  expect(await getDelivery(store(), order.id)).not.toHaveProperty('message');
});

test.each([
  ['begins with the giver', '', 'This is a gift from secondlife:///app/agent/@/about.'],
  ['has the note of the sale below it', 'Enjoy', 'This is a gift from secondlife:///app/agent/@/about.\nEnjoy'],
  ['is the sale’s alone where both are too long', 'x'.repeat(1023), 'x'.repeat(1023)],
])('the note of a gift %s, and that of a purchase for oneself is the sale’s', async (_, message, note) => {
  const { bodies } = await dispenserThat(200);
  const [buyer, friend] = [randomUUID(), randomUUID()];
  const sold = async (recipientUuid: string): Promise<Order> => {
    const order = anOrder(store(), { message, saleId: randomUUID() });
    await write(put({ ...saleKey(store(), order.saleId ?? ''), state: 'completed', buyerUuid: buyer, recipientUuid }));
    return order;
  };

  await work(await sold(friend), await sold(buyer));

  const notes = bodies.map((body) => body.split('\n').slice(7).join('\n'));
  expect(notes).toEqual([note.replace('@', buyer), message]);
});

test.each([400, 403, 422])(
  'records a delivery as failed, with the script’s text, when it answers %i',
  async (status) => {
    await dispenserThat(status);
    const order = anOrder(store());

    const result = await work(order);

    expect(result).toEqual(succeeded);
    const lastError = `The dispenser answered ${status}: said the script`;
    expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'failed', lastError });
  },
);

test('makes no call for a message of a delivery that was made or has failed', async () => {
  const statuses = [200, 422];
  const { bodies } = await dispenserThat(() => statuses.shift() ?? 500);
  const [made, refused] = [anOrder(store()), anOrder(store())];
  await work(made, refused);

  const result = await work(made, refused, made, refused);

  expect(result).toEqual(succeeded);
  expect(bodies).toHaveLength(2);
});

test.each([
  ['text that is no JSON', 'nonsense'],
  ['JSON of somebody else', '{"kind":"order","store":"x"}'],
  ['an order without its item', encodeMessage(anOrder('x', { item: '' }))],
])('sends %s to the dead letters, not round in circles', async (_, body) => {
  const before = await wholeTable();

  const result = await handler(batchOf(body), contextWith(120_000));

  expect(result).toEqual(succeeded);
  expect(await received(queue().deadLetterUrl)).toEqual([body]);
  expect(await wholeTable()).toEqual(before);
});

test('drops a message of a deleted store, and writes nothing', async () => {
  const { bodies } = await dispenserThat(200);
  await deleteStore(store());
  const before = await wholeTable();

  const result = await work(anOrder(store()), anOrder('never there'));

  expect(result).toEqual(succeeded);
  expect(bodies).toEqual([]);
  expect(await wholeTable()).toEqual(before);
});

test('reports only the failed messages of a batch', async () => {
  await dispenserThat(200);
  const without = anOrder('StoreWithout');
  const orders = [anOrder(store()), anOrder(store())].map(encodeMessage);
  const queueThatIsDown = mockClient(SQSClient).rejects('the queue is down');
  onTestFinished(() => queueThatIsDown.restore());

  const result = await handler(batchOf(...orders, 'nonsense', encodeMessage(without)), contextWith(120_000));

  expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm2' }] });
});
