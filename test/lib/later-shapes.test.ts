import { beforeEach, describe, expect, test } from 'vitest';
import { handler as worker } from '../../functions/delivery-worker.ts';
import { handler as sweep } from '../../functions/expiry-sweep.ts';
import { handler as consumer } from '../../functions/stream-consumer.ts';
import { findCustomerItem, updateCustomer } from '../../lib/avatars/customers.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { findLastSweep } from '../../lib/credit/sweep.ts';
import { findDelivery, listWaits } from '../../lib/delivery/deliveries.ts';
import { registerDispenser } from '../../lib/delivery/dispensers.ts';
import { encodeMessage } from '../../lib/delivery/message.ts';
import { retryDelivery } from '../../lib/delivery/order.ts';
import { sendMessages } from '../../lib/delivery/queue.ts';
import { claimSending, type EventOrder, type Sending } from '../../lib/events/sendings.ts';
import { dueList } from '../../lib/events/webhooks.ts';
import { listDeadLetters, redriveDeadLetters } from '../../lib/operator/dead-letters.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { listedAs } from '../../lib/sale/sales.ts';
import { knownShape, LaterShape } from '../../lib/shape.ts';
import { partition } from '../../lib/table/keys.ts';
import { put, update } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import { get, write } from '../../lib/table/table.ts';
import { customerWithLots } from '../support/credit-seed.ts';
import { anOrder, batchOf, contextWith, received, serve, startTestQueue } from '../support/deliveries.ts';
import { logLines } from '../support/log.ts';
import { freshTable, wholeTable } from '../support/service.ts';
import { recordOf, shardBatch } from '../support/stream-records.ts';

/** Things in the shape of a later version, as an earlier version meets them while the later one replaces it. */

const shape = knownShape + 1;
const failed = { batchItemFailures: [{ itemIdentifier: 'm0' }] };

let store: string;
const queues = await startTestQueue();
await freshTable();
beforeEach(async () => {
  ({ id: store } = await createStore('Test'));
});

const work = (...bodies: string[]) => worker(batchOf(...bodies), contextWith(120_000));
const runSweep = () => sweep({}, { ...contextWith(60_000), awsRequestId: 'test' });
const rowOf = async ({ pk, sk }: Key) => (await wholeTable(pk)).find((row) => row.sk === sk);
/** Gives an item that is there the shape of a later version. */
const raise = async (key: Key, more: object = {}) => {
  await write(update(key, { set: { shape, ...more } }));
  return rowOf(key);
};

describe('a message', () => {
  test.each([
    ['of a kind that is not known', { kind: 'swap', store: 'x', id: 'y' }],
    ['of a known kind', { ...anOrder('x'), item: { name: 'Lamp' } }],
    ['that could be read', anOrder('x')],
  ])('%s stays on the queue', async (_, message) => {
    const before = await wholeTable();

    const result = await work(JSON.stringify({ ...message, shape }));

    expect(result).toEqual(failed);
    expect(await received(queues.deadLetterUrl)).toEqual([]);
    expect(await wholeTable()).toEqual(before);
    expect(logLines.at(-1)).toMatchObject({ level: 'WARN', delivery: 'of a later version' });
  });

  test('among the dead letters stays there when an earlier command sends them again', async () => {
    process.env.DELIVERY_QUEUE_URL = queues.deadLetterUrl;
    await sendMessages(store, [{ ...anOrder(store), shape } as never]);
    process.env.DELIVERY_QUEUE_URL = queues.url;

    const sent = await redriveDeadLetters();
    await expect.poll(() => listDeadLetters(), { timeout: 10_000 }).toMatchObject([{ readable: false }]);

    expect([sent, await received(queues.url)]).toEqual([0, []]);
  });
});

describe('a field of a message that is not known goes along', () => {
  test('where a delivery waits and is handed over, and where it is tried again', async () => {
    const order = { ...anOrder(store), gift: { wrap: 'red' } };
    await work(encodeMessage(order));

    expect(await listWaits(store, 10)).toMatchObject([{ order: { gift: { wrap: 'red' } } }]);
    await work(encodeMessage({ kind: 'hand-over', store }));
    const [handedOver = ''] = await received(queues.url);
    await work(encodeMessage(order));
    await retryDelivery(store, order.id);
    const [retried = ''] = await received(queues.url);

    expect([handedOver, retried].map((body) => JSON.parse(body))).toEqual([order, order]);
  });

  test('where an event is tried again by the sweep', async () => {
    const [webhook, event] = [newId(), newId()];
    const order: EventOrder = { store, webhook, event, type: 'store.closed', notedAt: timestamp(now()) };
    const { sending } = await claimSending({ ...order, batch: 7 } as EventOrder, 0);
    await write(update(sending, { set: { dues: dueList, due: timestamp(now()), leaseUntil: '' } }));

    await runSweep();

    expect((await received(queues.slowUrl)).map((body) => JSON.parse(body))).toEqual([
      { kind: 'event', ...order, batch: 7 },
    ]);
  });
});

describe('an item', () => {
  test('is not read for an answer, nor changed', async () => {
    const uuid = await customerWithLots(store, [], 100);
    const key = { pk: partition(store, 'CUSTOMER'), sk: uuid };
    const before = await raise(key, { loan: 5 });

    await expect(get(key)).rejects.toThrow(LaterShape);
    await expect(updateCustomer(store, { uuid } as never, { discount: 5 })).rejects.toThrow(LaterShape);
    for (const command of [{ kind: 'increment', delta: 1 } as const, { kind: 'set', credit: 7 } as const])
      await expect(changeCredit(store, { uuid } as never, 'regular', command, { by: 'test' })).rejects.toMatchObject({
        status: 503,
      });

    expect(await rowOf(key)).toEqual(before);
  });

  test('that records a delivery is not claimed, and its message stays on the queue', async () => {
    const calls: unknown[] = [];
    const url = await serve((request, response) => {
      calls.push(request.url);
      response.end();
    });
    process.env.DISPENSER_LOOPBACK = 'allowed';
    await registerDispenser(store, { url, region: '', items: [], keyId: 'KeyOfTests01' });
    const order = anOrder(store);
    await write(put({ pk: partition(store, 'DELIVERY'), sk: order.id, state: 'queued', leaseUntil: '', shape }));

    const result = await work(encodeMessage(order));

    expect([result, calls]).toEqual([failed, []]);
    await expect(findDelivery(store, order.id)).rejects.toThrow(LaterShape);
  });

  test('that records the sending of an event is not claimed', async () => {
    const order: EventOrder = {
      ...{ store, webhook: newId(), event: newId(), type: 'store.closed', notedAt: timestamp(now()) },
    };
    const { sending } = await claimSending(order, 0);
    const before = await raise(sending, { leaseUntil: '' });

    await expect(claimSending(order, 1000)).rejects.toThrow(LaterShape);

    expect(await rowOf(sending)).toEqual(before);
  });

  test('that the sweep finds due stays due', async () => {
    const at = timestamp(now() - 60_000);
    const due: Sending & { shape: number } = {
      ...{ pk: partition(store, 'WEBHOOK', newId()), sk: `${at}#x`, webhook: 'w', event: 'e', type: 'store.closed' },
      ...{ notedAt: at, state: 'pending', attempts: 1, dues: dueList, due: at, ttl: 1_900_000_000, shape },
    };
    const id = newId();
    const listed = listedAs(store, { sk: id, at, state: 'completed', productId: newId(), buyerUuid: null });
    const sale = { pk: partition(store, 'SALE'), sk: id, at, ...listed, deliveryId: newId(), shape };
    for (const item of [due, sale]) await write(put(item));

    await expect(runSweep()).rejects.toThrow('Sales whose delivery could not be ordered: 1.');

    expect([await rowOf(due), await rowOf(sale)]).toEqual([due, sale]);
    expect([...(await received(queues.url)), ...(await received(queues.slowUrl))]).toEqual([]);
  });

  test('that holds the rest of a large change is left to be carried out', async () => {
    const lot = { amount: 10, expiresAt: timestamp(now() + 3_600_000) };
    const uuid = await customerWithLots(store, [lot]);
    const key = { pk: partition(store, 'CUSTOMER'), sk: uuid };
    const pending = { id: 'p', how: 'merged', shape };
    await write(update(key, { set: { pending, due: timestamp(now() - 1000) } }));
    const before = await rowOf(key);
    const command = { kind: 'increment', delta: -5 } as const;

    await expect(changeCredit(store, { uuid } as never, 'regular', command, { by: 'test' })).rejects.toMatchObject({
      status: 503,
    });
    await expect(runSweep()).rejects.toThrow('could not be');

    expect(await findLastSweep()).toMatchObject({ failed: 1 });
    expect(await rowOf(key)).toEqual(before);
    expect(await findCustomerItem(store, uuid)).toMatchObject({ pending });
  });
});

describe('a record of the stream', () => {
  const at = timestamp(now());
  const shapes = {
    'in a later shape': { shape },
    'of a kind of change that is not known': { lastChange: { k: 'swa', t: Date.parse(at), y: 'r' }, creditVersion: 1 },
  };
  const customer = (more: object) => ({ pk: partition(store, 'CUSTOMER'), sk: newId(), username: 'ada', ...more });
  const consume = (ageMillis: number, more: object) => {
    const record = recordOf(undefined, customer(more));
    Object.assign(record.dynamodb ?? {}, { ApproximateCreationDateTime: (now() - ageMillis) / 1000 });
    return consumer(shardBatch([record]));
  };

  test.each(Object.entries(shapes))('%s comes back for a quarter of an hour', async (_, more) => {
    const result = await consume(14 * 60_000, more);

    expect(result.batchItemFailures).toEqual([{ itemIdentifier: expect.stringMatching(/^\d+$/) }]);
    expect(await received(queues.historyFailuresUrl)).toEqual([]);
  });

  test.each(Object.entries(shapes))('%s is then set aside, and holds up no other', async (_, more) => {
    const result = await consume(16 * 60_000, more);

    expect(result.batchItemFailures).toEqual([]);
    const [aside = ''] = await received(queues.historyFailuresUrl);
    expect(JSON.parse(aside)).toMatchObject({ dynamodb: { NewImage: { username: { S: 'ada' } } } });
  });
});
