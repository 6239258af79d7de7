import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeEach, expect, test } from 'vitest';
import {
  claimDelivery,
  completeDelivery,
  type Delivery,
  failDelivery,
  getDelivery,
  letWait,
  listDeliveries,
  positionOfDelivery,
  type WaitingRow,
} from '../../../lib/delivery/deliveries.ts';
import { encodeMessage } from '../../../lib/delivery/message.ts';
import { retryDelivery } from '../../../lib/delivery/order.ts';
import { sendToDeadLetters } from '../../../lib/delivery/queue.ts';
import { listDeadLetters, redriveDeadLetters } from '../../../lib/operator/dead-letters.ts';
import { get } from '../../../lib/table/table.ts';
import { anOrder, startTestQueue } from '../../support/deliveries.ts';
import { freshTable, setClock } from '../../support/service.ts';

const day = 86_400_000;

// On disk, as with npm start, since the queue server has a bug there that must not hide dead letters.
const dir = mkdtempSync(join(tmpdir(), 'sis-queue-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let store: string;
let stores = 0;
const queue = await startTestQueue(dir);
await freshTable();
beforeEach(() => {
  delete process.env.DELIVERY_NOTES;
  delete process.env.DELIVERY_RECORD_DAYS;
  store = `Store${stores++}`;
});

/** As `store deliveries retry` does. */
const sendAgain = (of: string, id: string) => retryDelivery(of, id, { hanging: true });

const begun = async (fields = {}) => (await claimDelivery(anOrder(store, fields), 1000)).delivery;

const onQueue = async (): Promise<string[]> => {
  const client = new SQSClient({});
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: queue.url, MaxNumberOfMessages: 10, VisibilityTimeout: 60 }),
  );
  client.destroy();
  return Messages.map(({ Body = '' }) => Body);
};

test('lists the deliveries of each state, oldest first, page by page', async () => {
  const [newer, older, made, refused, waits] = await Promise.all([
    begun({ createdAt: '2030-01-02T00:00:00.000Z' }),
    begun({ createdAt: '2030-01-01T00:00:00.000Z' }),
    begun(),
    begun(),
    begun(),
  ]);
  await completeDelivery(made);
  await failDelivery(refused, 'no such item');
  await letWait(waits, 'nobody there');

  const ids = async (state: 'queued' | 'waiting' | 'delivered' | 'failed') =>
    (await listDeliveries(store, state)({ descending: false })).map(({ id }) => id);
  const from = { position: positionOfDelivery(older), inclusive: false };
  const secondPage = await listDeliveries(store, 'queued')({ descending: false, from, limit: 1 });

  expect(await ids('queued')).toEqual([older.id, newer.id]);
  expect(secondPage.map(({ id }) => id)).toEqual([newer.id]);
  expect(await ids('delivered')).toEqual([made.id]);
  expect(await ids('failed')).toEqual([refused.id]);
  expect(await ids('waiting')).toEqual([waits.id]);
});

test('sends a failed delivery again, with another 14 days', async () => {
  const at = Date.parse('2031-01-01T00:00:00.000Z');
  setClock(at);
  const order = anOrder(store, { message: '🎁' });
  const { delivery } = await claimDelivery(order, 1000);
  await failDelivery(delivery, 'no such item');

  setClock(at + 20 * day);
  await sendAgain(store, order.id);

  expect(await onQueue()).toEqual([encodeMessage(order)]);
  expect(await getDelivery(store, order.id)).toMatchObject({ state: 'queued', expiresAt: '2031-02-04T00:00:00.000Z' });
  expect((await claimDelivery(order, 1000)).claimed).toBe(true);
});

test('refuses to send a delivery again that was made, is unknown, or belongs to another store', async () => {
  const made = await begun();
  await completeDelivery(made);

  await expect(sendAgain(store, made.id)).rejects.toMatchObject({ status: 400 });
  await expect(sendAgain(store, anOrder(store).id)).rejects.toMatchObject({ status: 404 });
  await expect(sendAgain('Another', made.id)).rejects.toMatchObject({ status: 404 });
  expect(await onQueue()).toEqual([]);
});

test('a note goes when its delivery was made, unless the setting keeps it', async () => {
  const [made, kept, refused] = await Promise.all(['one', 'two', 'three'].map((message) => begun({ message })));
  await completeDelivery(made as Delivery);
  process.env.DELIVERY_NOTES = 'kept';
  await completeDelivery(kept as Delivery);
  await failDelivery(refused as Delivery, 'no such item');

  const notes = [made, kept, refused].map(async (one) => (await getDelivery(store, String(one?.id))).message);

  expect(await Promise.all(notes)).toEqual([undefined, 'two', 'three']);
});

test('the table deletes a record 90 days after its last attempt, or after another time', async () => {
  const at = Date.parse('2031-01-01T00:00:00.000Z');
  setClock(at);
  const [made, waits] = [await begun(), await begun()];
  setClock(at + day);
  await completeDelivery(made);
  const wait = await letWait(waits, 'nobody there');
  const ends = async () => [made, waits].map(async ({ id }) => (await getDelivery(store, id)).ttl);
  const before = await Promise.all(await ends());
  process.env.DELIVERY_RECORD_DAYS = '30';
  await sendAgain(store, waits.id);
  await onQueue();

  expect(before).toEqual([at + 91 * day, at + 91 * day].map((millis) => millis / 1000));
  expect((await getDelivery(store, waits.id)).ttl).toBe((at + 31 * day) / 1000);
  expect(await get<{ ttl: number }>(wait as WaitingRow)).toMatchObject({ ttl: (at + 91 * day) / 1000 });
});

test('an attempt that a later one has overtaken changes nothing, unless its item was given', async () => {
  const order = anOrder(store);
  setClock(Date.parse('2030-01-01T00:00:00.000Z'));
  const { delivery: first } = await claimDelivery(order, 1000);
  setClock(Date.parse('2030-01-01T00:00:02.000Z'));
  await claimDelivery(order, 1000);

  await failDelivery(first, 'late');
  await letWait(first, 'late');
  const afterLate = await getDelivery(store, order.id);
  await completeDelivery(first);

  expect(afterLate).toMatchObject({ state: 'queued', attempts: 2 });
  expect((await getDelivery(store, order.id)).state).toBe('delivered');
});

test('lists the dead letters, and puts only the readable ones on the queue again', async () => {
  const order = anOrder(store);
  await sendToDeadLetters(encodeMessage(order));
  await sendToDeadLetters('nonsense');

  const listed = await listDeadLetters();
  const again = await listDeadLetters();
  const count = await redriveDeadLetters();

  expect(listed.map(({ body, readable }) => ({ body, readable }))).toEqual(
    expect.arrayContaining([
      { body: encodeMessage(order), readable: true },
      { body: 'nonsense', readable: false },
    ]),
  );
  expect(again).toHaveLength(2);
  expect((await listDeadLetters()).map(({ body }) => body)).toEqual(['nonsense']);
  expect(count).toBe(1);
  expect(await onQueue()).toEqual([encodeMessage(order)]);
});
