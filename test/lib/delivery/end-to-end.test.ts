import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { listDeliveries, listWaits } from '../../../lib/delivery/deliveries.ts';
import { decodeMessage, type QueueMessage } from '../../../lib/delivery/message.ts';
import { sendMessages } from '../../../lib/delivery/queue.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { deliveryStates } from '../../../lib/routes/deliveries.ts';
import { db, dbOnce } from '../../../lib/table/client.ts';
import { startPoller, type Worker } from '../../../local/engines/poller.ts';
import { startDispenser } from '../../../local/start/dispenser.ts';
import { atEnd } from '../../support/at-end.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { startTestService } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';

const ada = { uuid: 'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb', username: 'ada' };
const count = volume(60, 200);

let queueUrl: string;
Object.assign(process.env, {
  DISPENSER_LOOPBACK: 'allowed',
  DISPENSER_TIMEOUT_MILLIS: '250',
  DELIVERY_RETRY_SECONDS: '0',
});
({ url: queueUrl } = await startTestQueue());
const service = await startTestService();
await putResident(ada);

/** A run of the worker that dies at its `callsLeft`-th call of the table, before or after the call takes effect. */
interface Run {
  callsLeft: number;
  takesEffect: boolean;
  dead: boolean;
}
const runs = new AsyncLocalStorage<Run>();
for (const client of [db, dbOnce])
  client.middlewareStack.add(
    (next) => async (args) => {
      const run = runs.getStore();
      if (!run) return next(args);
      run.callsLeft -= 1;
      if (!run.dead && run.callsLeft > 0) return next(args);
      if (!run.dead && run.takesEffect) await next(args);
      run.dead = true;
      throw new Error('the worker was killed');
    },
    { step: 'initialize', name: 'killer' },
  );

/** A dead worker takes no further messages either. */
const { send } = SQSClient.prototype;
SQSClient.prototype.send = function (this: SQSClient, ...args: unknown[]) {
  if (runs.getStore()?.dead) return Promise.reject(new Error('the worker was killed'));
  return Reflect.apply(send, this, args);
};
atEnd(() => {
  SQSClient.prototype.send = send;
});

/** Removes all messages from the queue. */
const drain = async (): Promise<QueueMessage[]> => {
  const client = new SQSClient({});
  const all: QueueMessage[] = [];
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) break;
    all.push(...Messages.flatMap(({ Body = '' }) => decodeMessage(Body) ?? []));
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
  client.destroy();
  return all;
};

// It ends as soon as the last item is given: the time is for a busy machine.
const patience = 240_000;

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

test(`gives each of ${count} items exactly once while workers die, messages repeat and the dispenser moves (SEED=${seed})`, {
  timeout: patience + 30_000,
}, async () => {
  const rolls = fc.sample(fc.nat(), { seed, numRuns: 20_000 });
  const below = (limit: number): number => (rolls.pop() ?? 0) % limit;
  const dispenser = await startDispenser(
    async (url) => (await service.call('PUT', '/v1/dispenser', { url, region: 'Ahern' })).body.secret,
  );
  onTestFinished(() => dispenser.stop());
  const { id } = (await service.call('POST', '/v1/products', { name: 'Lamp', price: 1 })).body;
  for (let i = 0; i < count; i++)
    await service.call('POST', `/v1/products/${id}/actions/deliver`, {
      recipientIdentifier: 'ada',
      message: `#${i} 🎁`,
    });
  const orders = await drain();
  expect(orders).toHaveLength(count);
  const copies = orders.flatMap((order) => Array.from({ length: 1 + below(3) }, () => order));
  const shuffled = copies.map((order) => ({ order, at: below(1e6) })).sort((a, b) => a.at - b.at);
  await sendMessages(
    service.store,
    shuffled.map(({ order }) => order),
  );
  let killed = 0;
  let started = 0;
  const mortal: Worker = (event, context) => {
    // Every other worker dies. There are few workers, since each takes further messages itself.
    const callsLeft = started++ % 2 === 0 ? 1 + below(30) : 1e9;
    const run: Run = { callsLeft, takesEffect: below(2) === 0, dead: false };
    return runs.run(run, async () => {
      const result = await handler(event, context);
      if (run.dead) killed += 1;
      if (run.dead) throw new Error('the worker was killed');
      return result;
    });
  };
  // Workers also take messages from the queue themselves. The messages of a dead worker come back by the queue's own
  // attribute.
  const client = new SQSClient({});
  await client.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout: '1' } }));
  client.destroy();
  const poller = startPoller({ queueUrl, worker: mortal, concurrency: 4 });
  onTestFinished(() => poller.stop());
  const delivered = async (): Promise<number> =>
    (await listDeliveries(service.store, 'delivered')({ descending: false })).length;

  // The dispenser is not registered, then slow, then silent, then gone, then back at another address.
  await sleep(500);
  await dispenser.behave({ mode: 'slow', millis: 20 });
  await dispenser.registerAgain();
  while (dispenser.inbox().length < count / 4) await sleep(10);
  await dispenser.behave({ mode: 'forgetful' });
  await sleep(1500);
  await dispenser.behave({ mode: 'lost' });
  await sleep(1500);
  const before = await delivered();
  await dispenser.behave({ mode: 'normal' });
  const deadline = Date.now() + patience;
  while (((await delivered()) < count || (await listWaits(service.store, 1)).length > 0) && Date.now() < deadline) {
    await sleep(500);
    // The script registers every hour.
    await dispenser.registerAgain();
  }

  const gifts = dispenser.inbox();
  expect(before).toBeLessThan(count);
  expect(killed).toBeGreaterThan(0);
  expect(gifts.map(({ message }) => message).sort()).toEqual(orders.map((_, i) => `#${i} 🎁`).sort());
  expect(await delivered()).toBe(count);
  for (const state of deliveryStates.filter((one) => one !== 'delivered'))
    expect(await listDeliveries(service.store, state)({ descending: false })).toEqual([]);
  expect(Math.max(...gifts.map(({ attempts }) => attempts))).toBeGreaterThan(1);
  expect(await listWaits(service.store, 1)).toEqual([]);
});
