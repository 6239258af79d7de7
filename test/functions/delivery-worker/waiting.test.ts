import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { resolver } from '../../../lib/delivery/address.ts';
import { getDelivery, listWaits } from '../../../lib/delivery/deliveries.ts';
import { findDispenser, registerDispenser } from '../../../lib/delivery/dispensers.ts';
import { encodeMessage } from '../../../lib/delivery/message.ts';
import { register } from '../../../lib/delivery/register.ts';
import { anOrder, batchOf, contextWith, received, serve } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { failed, startWorking, succeeded } from './working.ts';

const { lookup } = resolver;

afterEach(() => {
  resolver.lookup = lookup;
});

const { queue, store, dispenserThat, work } = startWorking();

/** Registers a dispenser beside a delivery that begins to wait: before the items of that transaction can be seen. */
const registerBeforeWaitShows = (url: string): void => {
  const stop = intercept(async (call, send) => {
    const text = JSON.stringify(call.input);
    const answer = await send();
    if (call.operation === 'Query' && text.includes('#DELIVERY#waiting')) answer.output.Items = [];
    if (call.operation === 'TransactWriteItems' && text.includes('#DELIVERY#waiting')) {
      await register(store(), { url, region: '', items: [], keyId: 'KeyOfTests01' });
      stop();
    }
    return answer;
  });
};

test('a delivery does not wait for the next registration when a dispenser registers as it begins to wait', async () => {
  await dispenserThat(410);
  const fresh = await serve((_, response) => response.end());
  const order = anOrder(store());
  registerBeforeWaitShows(fresh);

  const results = [await work(order), await work(order)];

  expect(results).toEqual([failed, succeeded]);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'delivered' });
  expect(await listWaits(store(), 10)).toEqual([]);
});

test('a dispenser that registers during the last attempt in a row gets the delivery at once', async () => {
  const fresh = await serve((_, response) => response.end());
  let calls = 0;
  const lost = await serve(async (_, response) => {
    calls += 1;
    if (calls === 8) await register(store(), { url: fresh, region: '', items: [], keyId: 'KeyOfTests01' });
    response.writeHead(500).end();
  });
  await registerDispenser(store(), { url: lost, region: '', items: [], keyId: 'KeyOfTests01' });
  const order = anOrder(store());

  const results = [];
  for (let attempt = 1; attempt <= 9; attempt++) results.push(await work(order));

  expect(calls).toBe(8);
  expect(results).toEqual([...Array.from({ length: 8 }, () => failed), succeeded]);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'delivered' });
  expect(await listWaits(store(), 10)).toEqual([]);
});

test.each([404, 410])('forgets the address and lets the delivery wait when it answers %i', async (status) => {
  await dispenserThat(status);
  const order = anOrder(store());

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect((await findDispenser(store()))?.url).toBeUndefined();
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'waiting' });
  expect((await listWaits(store(), 10)).map((wait) => wait.order)).toEqual([order]);
});

test('keeps an address that was registered while the old one was being called', async () => {
  const { url } = await dispenserThat(404);
  const fresh = { url: `${url}/new`, region: '', items: [], keyId: 'KeyOfTests01' };
  const lost = await serve(async (_, response) => {
    await registerDispenser(store(), fresh);
    response.writeHead(404).end();
  });
  await registerDispenser(store(), { ...fresh, url: lost });
  const order = anOrder(store());

  const result = await work(order);

  expect(result).toEqual(failed);
  expect((await findDispenser(store()))?.url).toBe(fresh.url);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'queued' });
  expect(await listWaits(store(), 10)).toEqual([]);
});

test('lets a delivery wait while the store has no dispenser, and makes no call', async () => {
  const order = anOrder(store());

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect(await getDelivery(store(), order.id)).toMatchObject({
    state: 'waiting',
    lastError: 'The store has no dispenser yet.',
  });
});

test('refuses an address whose name leads into the private network by the time of the call, and lets the delivery wait', async () => {
  const url = 'https://simhost-1.agni.secondlife.io:12043/cap/1';
  await registerDispenser(store(), { url, region: '', items: [], keyId: 'KeyOfTests01' });
  resolver.lookup = async () => [{ address: '169.254.169.254' }];
  const order = anOrder(store());

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect(await getDelivery(store(), order.id)).toMatchObject({
    state: 'waiting',
    lastError: 'The address was refused: its host does not lead to public addresses',
  });
});

test('keeps waiting deliveries if the queue refuses one of a batch', async () => {
  const order = anOrder(store());
  await work(order);
  const refusal = { Id: '0', Code: 'InternalError', SenderFault: false };
  const sqs = mockClient(SQSClient)
    .on(SendMessageBatchCommand)
    .resolves({ Successful: [], Failed: [refusal] });
  onTestFinished(() => sqs.restore());

  const result = await handler(batchOf(encodeMessage({ kind: 'hand-over', store: store() })), contextWith(120_000));

  expect(result).toEqual(failed);
  expect((await listWaits(store(), 10)).map((wait) => wait.order)).toEqual([order]);
});

test('hands any number of waiting deliveries over, and each is given', async () => {
  const orders = Array.from({ length: 205 }, () => anOrder(store()));
  for (const order of orders) await work(order);
  const { bodies } = await dispenserThat(200);

  const seen: string[] = [encodeMessage({ kind: 'hand-over', store: store() })];
  for (let body = seen.shift(); body !== undefined; body = seen.shift()) {
    // A queue brings back a message that the worker could not handle.
    if ((await handler(batchOf(body), contextWith(120_000))).batchItemFailures.length > 0) seen.push(body);
    for (let more = await received(queue().url); more.length > 0; more = await received(queue().url))
      seen.push(...more);
  }

  expect(new Set(bodies.map((body) => body.split('\n')[3])).size).toBe(205);
  expect(await listWaits(store(), 10)).toEqual([]);
});
