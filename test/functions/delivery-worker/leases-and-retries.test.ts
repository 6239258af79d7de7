import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { source } from '../../../lib/clock.ts';
import { claimDelivery, getDelivery } from '../../../lib/delivery/deliveries.ts';
import { findDispenser, registerDispenser } from '../../../lib/delivery/dispensers.ts';
import { encodeMessage } from '../../../lib/delivery/message.ts';
import { anOrder, batchOf, contextWith, serve } from '../../support/deliveries.ts';
import { setClock } from '../../support/service.ts';
import { failed, startWorking, succeeded } from './working.ts';

const day = 86_400_000;
const { now, random } = source;

afterEach(() => Object.assign(source, { now, random }));

const { store, dispenserThat, work } = startWorking();

test.each([302, 401, 408, 429, 500, 503])('tries again later when the dispenser answers %i', async (status) => {
  const { url } = await dispenserThat(status);
  const order = anOrder(store());

  const result = await work(order);

  expect(result).toEqual(failed);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'queued', attempts: 1 });
  expect((await findDispenser(store()))?.url).toBe(url);
});

test('grows the pause between attempts, and lets the delivery wait after eight in a row', async () => {
  await dispenserThat(500);
  const order = anOrder(store());
  const sqs = mockClient(SQSClient).resolves({});
  onTestFinished(() => sqs.restore());
  source.random = () => 0.5;

  for (let attempt = 1; attempt <= 8; attempt++) await work(order);

  // Where the machine is slow, the worker looks for further messages while it waits.
  const pauses = sqs
    .commandCalls(ChangeMessageVisibilityCommand)
    .map(({ args: [{ input }] }) => input.VisibilityTimeout);
  expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900]);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'waiting', attempts: 8 });
});

test('leaves a delivery to the worker with its lease, and takes it over once the lease has ended', async () => {
  const { bodies } = await dispenserThat(200);
  const order = anOrder(store());
  const at = Date.now();
  setClock(at);
  await claimDelivery(order, 50_000);

  setClock(at + 49_999);
  const during = await work(order);
  const callsDuring = bodies.length;
  setClock(at + 50_000);
  const after = await work(order);

  expect([during, callsDuring]).toEqual([failed, 0]);
  expect([after, bodies.length]).toEqual([succeeded, 1]);
});

test('keeps a message if a later attempt has overtaken its own', async () => {
  const order = anOrder(store());
  const url = await serve(async (_, response) => {
    setClock(Date.now() + 60_000);
    await claimDelivery(order, 50_000);
    response.writeHead(422).end();
  });
  await registerDispenser(store(), { url, region: '', items: [], keyId: 'KeyOfTests01' });

  const result = await work(order);

  expect(result).toEqual(failed);
  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'queued', attempts: 2 });
});

test('gives up a delivery after 14 days, and not before', async () => {
  const { bodies } = await dispenserThat(200);
  const at = Date.now();
  setClock(at);
  const [kept, lapsed] = [anOrder(store()), anOrder(store())];

  setClock(at + 14 * day - 1);
  await work(kept);
  setClock(at + 14 * day);
  await work(lapsed);

  expect(await getDelivery(store(), kept.id)).toMatchObject({ state: 'delivered' });
  expect(await getDelivery(store(), lapsed.id)).toMatchObject({
    state: 'failed',
    lastError: expect.stringMatching(/14 days/),
  });
  expect(bodies).toHaveLength(1);
});

test('returns messages to the queue for which no time is left', async () => {
  const { bodies } = await dispenserThat(200);

  const result = await handler(batchOf(encodeMessage(anOrder(store()))), contextWith(10_000));

  expect(result).toEqual(failed);
  expect(bodies).toEqual([]);
});
