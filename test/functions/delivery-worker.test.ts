import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../functions/delivery-worker.ts';
import { source } from '../../lib/clock.ts';
import { resolver } from '../../lib/delivery/address.ts';
import { encodeMessage, type Order } from '../../lib/delivery/message.ts';
import { getDelivery } from '../../lib/store/deliveries.ts';
import { takeUp } from '../../lib/store/delivery-attempts.ts';
import { listWaits } from '../../lib/store/delivery-waits.ts';
import { findDispenser, registerDispenser } from '../../lib/store/dispensers.ts';
import { anOrder, batchOf, contextWith, received, serve, startTestQueue } from '../support/deliveries.ts';
import { freshTable, setClock, wholeTable } from '../support/service.ts';

const day = 86_400_000;
const { now } = source;
const { lookup } = resolver;

let queue: { url: string; deadLetterUrl: string };
let store: string;
let stores = 0;
beforeAll(async () => {
  queue = await startTestQueue();
  await freshTable();
});
beforeEach(() => {
  store = `Store${stores++}`;
  process.env.DISPENSER_LOOPBACK = 'allowed';
  process.env.DISPENSER_TIMEOUT_MILLIS = '300';
});
afterEach(() => {
  source.now = now;
  resolver.lookup = lookup;
  delete process.env.DISPENSER_LOOPBACK;
  vi.restoreAllMocks();
});

/** A dispenser that answers with `status`, registered for the store. */
const dispenserThat = async (answer: number | (() => number)) => {
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.writeHead(typeof answer === 'number' ? answer : answer()).end('said the script');
  });
  const { secret } = await registerDispenser(store, { url, region: '', items: [] });
  return { url, secret, bodies };
};

const work = (...orders: Order[]) => handler(batchOf(...orders.map(encodeMessage)), contextWith(120_000));
const succeeded = { batchItemFailures: [] };
const failed = { batchItemFailures: [{ itemIdentifier: 'm0' }] };

test.each([200, 204])('records a delivery as delivered when the dispenser answers %i', async (status) => {
  await dispenserThat(status);
  const order = anOrder(store, { message: '🎁' });

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect(await getDelivery(store, order.id)).toMatchObject({
    state: 'delivered',
    attempts: 1,
    message: '🎁',
    deliveredAt: expect.any(String),
  });
});

test.each([400, 401, 422])(
  'records a delivery as failed, with what the script said, when it answers %i',
  async (status) => {
    await dispenserThat(status);
    const order = anOrder(store);

    const result = await work(order);

    expect(result).toEqual(succeeded);
    const lastError = `The dispenser answered ${status}: said the script`;
    expect(await getDelivery(store, order.id)).toMatchObject({ state: 'failed', lastError });
  },
);

test.each([302, 408, 429, 500, 503])('tries again later when the dispenser answers %i', async (status) => {
  const { url } = await dispenserThat(status);
  const order = anOrder(store);

  const result = await work(order);

  expect(result).toEqual(failed);
  expect(await getDelivery(store, order.id)).toMatchObject({ state: 'queued', attempts: 1 });
  expect((await findDispenser(store))?.url).toBe(url);
});

test.each([404, 410])('forgets the address and lets the delivery wait when it answers %i', async (status) => {
  await dispenserThat(status);
  const order = anOrder(store);

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect((await findDispenser(store))?.url).toBeUndefined();
  expect(await getDelivery(store, order.id)).toMatchObject({ state: 'waiting' });
  expect((await listWaits(store, 10)).map((wait) => wait.order)).toEqual([order]);
});

test('keeps an address that was registered while the old one was being called', async () => {
  const { url } = await dispenserThat(404);
  const fresh = { url: `${url}/new`, region: '', items: [] };
  const lost = await serve(async (_, response) => {
    await registerDispenser(store, fresh);
    response.writeHead(404).end();
  });
  await registerDispenser(store, { ...fresh, url: lost });
  const order = anOrder(store);

  const result = await work(order);

  expect(result).toEqual(failed);
  expect((await findDispenser(store))?.url).toBe(fresh.url);
  expect(await getDelivery(store, order.id)).toMatchObject({ state: 'queued' });
  expect(await listWaits(store, 10)).toEqual([]);
});

test('lets a delivery wait while the store has no dispenser, and calls nobody', async () => {
  const order = anOrder(store);

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect(await getDelivery(store, order.id)).toMatchObject({
    state: 'waiting',
    lastError: 'The store has no dispenser yet.',
  });
});

test('grows the pause between attempts, and lets the delivery wait after eight in a row', async () => {
  await dispenserThat(500);
  const order = anOrder(store);
  const send = vi.spyOn(SQSClient.prototype, 'send').mockImplementation(async () => ({}));
  source.random = () => 0.5;

  for (let attempt = 1; attempt <= 8; attempt++) await work(order);

  const pauses = send.mock.calls.map(([{ input }]) => (input as { VisibilityTimeout: number }).VisibilityTimeout);
  expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900]);
  expect(await getDelivery(store, order.id)).toMatchObject({ state: 'waiting', attempts: 8 });
});

test('calls nobody for a message of a delivery that was made or has failed', async () => {
  const statuses = [200, 422];
  const { bodies } = await dispenserThat(() => statuses.shift() ?? 500);
  const [made, refused] = [anOrder(store), anOrder(store)];
  await work(made, refused);

  const result = await work(made, refused, made, refused);

  expect(result).toEqual(succeeded);
  expect(bodies).toHaveLength(2);
});

test('leaves a delivery to the worker that has it, and takes it over once its lease has lapsed', async () => {
  const { bodies } = await dispenserThat(200);
  const order = anOrder(store);
  const at = Date.now();
  setClock(at);
  await takeUp(order, 50_000);

  setClock(at + 49_999);
  const during = await work(order);
  const callsDuring = bodies.length;
  setClock(at + 50_000);
  const after = await work(order);

  expect([during, callsDuring]).toEqual([failed, 0]);
  expect([after, bodies.length]).toEqual([succeeded, 1]);
});

test('keeps a message whose attempt was overtaken by a later one', async () => {
  const order = anOrder(store);
  const url = await serve(async (_, response) => {
    setClock(Date.now() + 60_000);
    await takeUp(order, 50_000);
    response.writeHead(422).end();
  });
  await registerDispenser(store, { url, region: '', items: [] });

  const result = await work(order);

  expect(result).toEqual(failed);
  expect(await getDelivery(store, order.id)).toMatchObject({ state: 'queued', attempts: 2 });
});

test('gives up a delivery after 14 days, and not before', async () => {
  const { bodies } = await dispenserThat(200);
  const at = Date.now();
  setClock(at);
  const [kept, lapsed] = [anOrder(store), anOrder(store)];

  setClock(at + 14 * day - 1);
  await work(kept);
  setClock(at + 14 * day);
  await work(lapsed);

  expect(await getDelivery(store, kept.id)).toMatchObject({ state: 'delivered' });
  expect(await getDelivery(store, lapsed.id)).toMatchObject({
    state: 'failed',
    lastError: expect.stringMatching(/14 days/),
  });
  expect(bodies).toHaveLength(1);
});

test.each([
  ['text that is no JSON', 'nonsense'],
  ['JSON of somebody else', '{"kind":"order","store":"x"}'],
  ['an order without its item', encodeMessage(anOrder('x', { item: '' }))],
])('sends %s to the dead letters, not round in circles', async (_, body) => {
  const before = await wholeTable();

  const result = await handler(batchOf(body), contextWith(120_000));

  expect(result).toEqual(succeeded);
  expect(await received(queue.deadLetterUrl)).toEqual([body]);
  expect(await wholeTable()).toEqual(before);
});

test('reports only what failed of a batch', async () => {
  await dispenserThat(200);
  const without = anOrder('StoreWithout');
  const orders = [anOrder(store), anOrder(store)].map(encodeMessage);
  vi.spyOn(SQSClient.prototype, 'send').mockRejectedValue(new Error('the queue is down'));

  const result = await handler(batchOf(...orders, 'nonsense', encodeMessage(without)), contextWith(120_000));

  expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm2' }] });
});

test('leaves for later what there is no time for', async () => {
  const { bodies } = await dispenserThat(200);

  const result = await handler(batchOf(encodeMessage(anOrder(store))), contextWith(10_000));

  expect(result).toEqual(failed);
  expect(bodies).toEqual([]);
});

test('refuses an address whose name leads into the private network by the time of the call, and lets the delivery wait', async () => {
  const url = 'https://simhost-1.agni.secondlife.io:12043/cap/1';
  await registerDispenser(store, { url, region: '', items: [] });
  resolver.lookup = async () => [{ address: '169.254.169.254' }];
  const order = anOrder(store);

  const result = await work(order);

  expect(result).toEqual(succeeded);
  expect(await getDelivery(store, order.id)).toMatchObject({
    state: 'waiting',
    lastError: 'The address was refused: its host does not lead to public addresses',
  });
});

test('hands waiting deliveries over, however many, and each is given', async () => {
  const orders = Array.from({ length: 205 }, () => anOrder(store));
  for (const order of orders) await work(order);
  const { bodies } = await dispenserThat(200);

  const seen: string[] = [encodeMessage({ kind: 'hand-over', store })];
  for (let body = seen.shift(); body !== undefined; body = seen.shift()) {
    await handler(batchOf(body), contextWith(120_000));
    for (let more = await received(queue.url); more.length > 0; more = await received(queue.url)) seen.push(...more);
  }

  expect(new Set(bodies.map((body) => body.split('\n')[3])).size).toBe(205);
  expect(await listWaits(store, 10)).toEqual([]);
});
