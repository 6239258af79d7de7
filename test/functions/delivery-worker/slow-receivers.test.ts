import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { newId, now, timestamp } from '../../../lib/clock.ts';
import { encodeMessage } from '../../../lib/delivery/message.ts';
import { queueEvents } from '../../../lib/events/send.ts';
import { type EventOrder, pingType } from '../../../lib/events/sendings.ts';
import { createWebhook } from '../../../lib/events/webhooks.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { batchFrom, batchOf, contextWith, messagesOn, received, serve } from '../../support/deliveries.ts';
import { startWorking, succeeded } from './working.ts';

const { queue } = startWorking();

/** A receiver that answers each message when `until` is over, and a maker of tests of its webhook. */
const receiver = async (until: () => Promise<unknown> = async () => undefined) => {
  const got: string[] = [];
  const url = await serve(async (request, response) => {
    got.push(String(request.headers['webhook-id']));
    await until();
    response.writeHead(204).end();
  });
  const store = (await createStore('Shop')).id;
  const webhook = (
    await createWebhook(store, { url, events: ['store.closed'], description: '', format: 'standard' }, [])
  ).id;
  const order = (): EventOrder => ({
    ...{ store, webhook, event: newId(), type: pingType, notedAt: timestamp(now()) },
  });
  return { got, order };
};

const bodyOf = (order: EventOrder): string => encodeMessage({ kind: 'event', ...order });

test('a worker that waits for a receiver takes the messages of others from the queue, and deletes them', async () => {
  const other = await receiver();
  // It answers only when the other receiver has its event, which waits on the queue.
  const slow = await receiver(async () => {
    while (other.got.length < 2 || (await messagesOn(queue().url)) > 0) await sleep(20);
  });
  const orders = [other.order(), other.order()];
  await queueEvents(orders);

  const outcome = await handler(batchOf(bodyOf(slow.order())), contextWith(120_000));

  expect(outcome).toEqual(succeeded);
  expect(slow.got).toHaveLength(1);
  expect(other.got.sort()).toEqual(orders.map(({ event }) => event).sort());
});

test('a receiver that keeps a batch waiting gets no other message from the same worker, but gets it later, by the slow lane', async () => {
  vi.stubEnv('WEBHOOK_SLOW_MILLIS', '500');
  let answer = (): void => {};
  const answers = new Promise<void>((resolve) => (answer = resolve));
  const slow = await receiver(() => answers);
  const other = await receiver();
  const [first, second] = [slow.order(), slow.order()];

  const waiting = handler(batchOf(bodyOf(first)), contextWith(120_000));
  while (slow.got.length === 0) await sleep(20);
  // So long that its webhook is noted as slow.
  await sleep(600);
  const put = await handler(batchOf(bodyOf(second), bodyOf(other.order())), contextWith(120_000));
  const gotSoFar = [...slow.got];
  // Otherwise its answer would pause it.
  vi.stubEnv('WEBHOOK_SLOW_MILLIS', '60000');
  answer();
  await waiting;
  const again = await handler(batchOf(bodyOf(second)), contextWith(120_000));
  const moved = await received(queue().slowUrl);
  const last = await handler(batchFrom(queue().slowUrl, moved), contextWith(120_000));

  vi.unstubAllEnvs();
  expect(put).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] });
  expect(gotSoFar).toEqual([first.event]);
  expect(other.got).toHaveLength(1);
  expect([again, moved, last]).toEqual([succeeded, [bodyOf(second)], succeeded]);
  expect(slow.got).toEqual([first.event, second.event]);
});
