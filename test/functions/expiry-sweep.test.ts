import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as sweep } from '../../functions/expiry-sweep.ts';
import { newId, timestamp } from '../../lib/clock.ts';
import { findLastSweep, sweep as sweepAll } from '../../lib/credit/sweep.ts';
import { claimDelivery } from '../../lib/delivery/deliveries.ts';
import { decodeMessage, type Order } from '../../lib/delivery/message.ts';
import type { EventOrder } from '../../lib/events/sendings.ts';
import { claimSending } from '../../lib/events/sendings.ts';
import { dueList } from '../../lib/events/webhooks.ts';
import { putResident } from '../../lib/operator/residents.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { sendUnsent, unsentSales } from '../../lib/sale/sweep.ts';
import { update } from '../../lib/table/language.ts';
import { write } from '../../lib/table/table.ts';
import { buy, newProduct } from '../lib/sale/sales.ts';
import { creditOf, customerWithLots, newCustomer } from '../support/credit-seed.ts';
import { received, serveRaw, startTestQueue } from '../support/deliveries.ts';
import { intercept } from '../support/faults.ts';
import { logLines } from '../support/log.ts';
import { newResident } from '../support/residents.ts';
import { freshTable, setClock } from '../support/service.ts';

/** Each part of the sweep goes on by itself: a queue that hangs keeps no credit from expiring. */

const start = Date.parse('2028-02-29T12:00:00.000Z');

let connections = 0;
let store: string;
let holder: string;

const queues = await startTestQueue();
// It takes the connection, and never answers.
const hanging = await serveRaw(() => {
  connections += 1;
});
beforeEach(async () => {
  setClock(start);
  await freshTable();
  connections = 0;
  logLines.length = 0;
  store = (await createStore('Till')).id;
  holder = await customerWithLots(store, [{ amount: 10, expiresAt: timestamp(start + 1000) }], 5);
});
afterEach(() => {
  Object.assign(process.env, { DELIVERY_QUEUE_URL: queues.url, SLOW_QUEUE_URL: queues.slowUrl });
  vi.restoreAllMocks();
});

/** Makes sales whose delivery nothing has ordered, and makes them old enough for the sweep. */
const makeUnsent = async (count: number): Promise<void> => {
  const [productId, buyer] = [await newProduct(store), await newCustomer()];
  for (let number = 0; number < count; number++) await buy(store, { productId, buyer, paid: 1000 });
  setClock(start + 60_000);
};

/** The sweep as Lambda runs it, whose time passes. */
const run = (): Promise<unknown> => {
  const end = performance.now() + 55_000;
  const context = { awsRequestId: newId(), getRemainingTimeInMillis: () => end - performance.now() };
  return sweep({}, context as Context);
};

const unsent = async (): Promise<number> => (await Array.fromAsync(unsentSales())).flat().length;

/** Workers begin all deliveries that are on the queue. */
const beginAll = async (): Promise<void> => {
  for (let bodies = await received(queues.url); bodies.length > 0; bodies = await received(queues.url))
    for (const body of bodies) await claimDelivery(decodeMessage(body) as Order, 0);
};

const balance = async (): Promise<number | undefined> => (await creditOf(store, holder)).item.credit;

type Send = (command: SendMessageBatchCommand) => Promise<unknown>;

/** Has `answer` answer each call of the queue; `send` asks the queue itself. */
const answerCalls = (answer: (command: SendMessageBatchCommand, send: Send) => Promise<unknown>): void => {
  const { send } = SQSClient.prototype;
  // biome-ignore lint/suspicious/noExplicitAny: `send` has an overload for each command.
  vi.spyOn(SQSClient.prototype, 'send').mockImplementation(function (this: SQSClient, ...[command, ...more]: any[]) {
    return answer(command, (other) => (send as (...all: unknown[]) => Promise<unknown>).call(this, other, ...more));
  });
};

describe('while the queue takes connections and never answers', () => {
  test('a due lot is closed at once, and the sweep ends after one call for all unsent sales', async () => {
    await makeUnsent(16);
    process.env.DELIVERY_QUEUE_URL = `${hanging}/000000000000/deliveries`;

    const failing = expect(run()).rejects.toThrow('Sales whose delivery could not be ordered');
    await expect.poll(balance, { timeout: 3500 }).toBe(5);
    await failing;

    expect(connections).toBe(1);
    expect(await findLastSweep()).toMatchObject({ lots: 1, amount: 10, failed: 0, finished: true });
    expect(await unsent()).toBe(16);
    expect(logLines.filter((line) => 'unsent' in line)).not.toEqual([]);
  }, 15_000);

  test('events that are due hold up nothing either, and the sweep fails when all else is done', async () => {
    const order: EventOrder = {
      store,
      webhook: newId(),
      event: newId(),
      type: 'store.closed',
      notedAt: timestamp(start),
    };
    const { sending } = await claimSending(order, 0);
    await write(update(sending, { set: { dues: dueList, due: timestamp(start), leaseUntil: '' } }));
    await makeUnsent(1);
    process.env.SLOW_QUEUE_URL = `${hanging}/000000000000/slow`;

    await expect(run()).rejects.toThrow(/abort/i);

    expect([await balance(), await unsent()]).toEqual([5, 0]);
    expect(await findLastSweep()).toMatchObject({ lots: 1, amount: 10 });
    expect(logLines.at(-1)).toMatchObject({ level: 'ERROR', sweep: { lots: 1 } });
  }, 15_000);
});

test.each(['RENAMED', 'SALE#completed', 'WEBHOOK#DUE'])(
  'a part of the sweep that cannot read %s keeps no other from its work',
  async (list) => {
    await makeUnsent(2);
    const stop = intercept(({ input }, send) => {
      if (JSON.stringify(input).includes(list)) throw new Error('Broken.');
      return send();
    });

    await expect(run()).rejects.toThrow('Broken.');
    stop();

    expect(await balance()).toBe(5);
    expect(await unsent()).toBe(list === 'SALE#completed' ? 2 : 0);
    expect(await findLastSweep()).toMatchObject({ lots: 1, at: timestamp(start + 60_000) });
  },
);

test('the sweep fails where it cannot close the lots of one customer, when those of all others are closed', async () => {
  const broken = await customerWithLots(store, [{ amount: 10, expiresAt: timestamp(start + 1000) }]);
  setClock(start + 60_000);
  const stop = intercept(({ isWrite, input }, send) => {
    if (isWrite && JSON.stringify(input).includes(broken)) throw new Error('Broken.');
    return send();
  });

  await expect(run()).rejects.toThrow('Customers or residents who could not be swept: 1.');
  stop();

  expect(await balance()).toBe(5);
  expect(await findLastSweep()).toMatchObject({ lots: 1, failed: 1 });
});

describe('unsent sales', () => {
  test('are ordered in batches of ten messages', async () => {
    await makeUnsent(23);
    const sizes: number[] = [];
    answerCalls((command, send) => {
      sizes.push(command.input.Entries?.length ?? 0);
      return send(command);
    });

    const { ordered } = await sendUnsent();

    expect([ordered, await unsent()]).toEqual([23, 0]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    expect(sizes.length).toBeLessThan(12);
  });

  test('are left to the next sweep where the time is up between two batches', async () => {
    await makeUnsent(23);
    let asked = 0;

    const { ordered } = await sendUnsent(() => ++asked <= 3);

    expect(ordered).toBeGreaterThan(0);
    expect(ordered).toBeLessThanOrEqual(20);
    expect(await unsent()).toBe(23 - ordered);
  });

  test('of which the queue refuses one are ordered but for that one', async () => {
    await makeUnsent(16);
    let calls = 0;
    answerCalls(async (command, send) => {
      if (++calls > 1) return send(command);
      const [, ...Entries] = command.input.Entries ?? [];
      if (Entries.length > 0) await send(new SendMessageBatchCommand({ ...command.input, Entries }));
      return { Failed: [{ Id: '0', Code: 'InternalError', SenderFault: false }] };
    });

    const failing = run();

    await expect(failing).rejects.toThrow('Sales whose delivery could not be ordered: 1.');
    await beginAll();
    expect(await unsent()).toBe(1);
    expect(logLines.filter((line) => 'unsent' in line)).toMatchObject([{ level: 'ERROR' }]);
    expect(await sendUnsent()).toEqual({ ordered: 1, failed: 0 });
  });
});

test('renames take ten seconds at the most, and the rest is left to the next sweep', async () => {
  for (let number = 0; number < 15; number++) {
    const { uuid } = await newResident();
    await putResident({ uuid, username: `renamed${number}.resident` });
  }
  setClock(start + 60_000);
  let millis = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (millis += 6000));

  const { report } = await sweepAll('test');

  expect(report).toMatchObject({ lots: 1, finished: false });
  expect(report.renamed).toBe(10);
});
