import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { now } from '../../../lib/clock.ts';
import {
  claimDelivery,
  type Delivery,
  deliveryAnswer,
  getDelivery,
  listWaits,
} from '../../../lib/delivery/deliveries.ts';
import { findDispenser, registerDispenser, removalOf } from '../../../lib/delivery/dispensers.ts';
import { decodeMessage, type Order } from '../../../lib/delivery/message.ts';
import { retryDelivery } from '../../../lib/delivery/order.ts';
import { register } from '../../../lib/delivery/register.ts';
import { transact } from '../../../lib/table/table.ts';
import { anOrder, batchOf, contextWith, received, serve } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { setClock } from '../../support/service.ts';
import { startWorking } from './working.ts';

const { queue, store, work } = startWorking();
const keyId = 'KeyOfTests01';

/** A box that answers as its `status` says, and counts the requests. */
const startBox = async (name: string, status: number, priority = 0) => {
  const box = { name, status, asked: 0, url: '' };
  box.url = await serve((_, response) => {
    box.asked += 1;
    response.writeHead(box.status).end();
  });
  const again = (path = '') =>
    register(store(), { name, priority, url: `${box.url}/${path}`, region: '', items: [], keyId });
  await again();
  return Object.assign(box, { again });
};

/** Registers an address at which nobody listens. */
const registerNobody = async (name: string, priority = 0) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  server.close();
  await registerDispenser(store(), { name, priority, url, region: '', items: [], keyId });
};

/** Lets the worker have the message as often as it comes back at once, and everything that is on the queue. */
const workUntilQuiet = async (order: Order): Promise<Delivery> => {
  for (let turn = 0; turn < 12; turn++) {
    await work(order);
    if ((await getDelivery(store(), order.id)).state !== 'queued') break;
  }
  return getDelivery(store(), order.id);
};
const workOnQueue = async (): Promise<void> => {
  for (let bodies = await received(queue().url); bodies.length > 0; bodies = await received(queue().url))
    for (const body of bodies) {
      const message = decodeMessage(body);
      if (message?.kind === 'deliver') await workUntilQuiet(message);
      else await handler(batchOf(body), contextWith(120_000));
    }
};
const stateOf = async ({ id }: Order) => (await getDelivery(store(), id)).state;
const remove = (name: string) => transact(removalOf(store(), name));

test('asks the boxes by priority, then by name, until one has the item, and counts the requests', async () => {
  const boxes = [await startBox('b', 404, 1), await startBox('a', 422, 1), await startBox('z', 422, 0)];
  boxes.push(await startBox('c', 200, 1));
  const order = anOrder(store());

  const delivery = await workUntilQuiet(order);

  expect(boxes.map(({ asked }) => asked)).toEqual([1, 1, 1, 1]);
  expect(deliveryAnswer(delivery)).toMatchObject({ state: 'delivered', attempts: 4, lastError: null });
  expect(delivery.box).toBe('c');
});

test('fails only once every box has said that it does not have the item, lost ones too', async () => {
  const [here, gone] = [await startBox('a', 422), await startBox('b', 404)];
  const order = anOrder(store());

  const waits = await workUntilQuiet(order);
  gone.status = 403;
  await gone.again('new');
  await workOnQueue();

  expect(deliveryAnswer(waits)).toMatchObject({ state: 'waiting', attempts: 2 });
  expect([here.asked, gone.asked]).toEqual([1, 2]);
  expect(await getDelivery(store(), order.id)).toMatchObject({
    state: 'failed',
    lastError: 'The dispenser answered 403',
  });
});

test('a retry of one that has failed asks all in their order', async () => {
  const [one, other] = [await startBox('a', 422), await startBox('b', 422)];
  const order = anOrder(store());
  const failed = await workUntilQuiet(order);
  other.status = 200;

  await retryDelivery(store(), order.id);
  await workOnQueue();

  expect(failed.state).toBe('failed');
  expect([one.asked, other.asked, await stateOf(order)]).toEqual([2, 2, 'delivered']);
});

test.each([408, 429, 500, 302])(
  'stays with a box that answered %i, waits while it is lost, and no other is asked',
  async (status) => {
    const [own, other] = [await startBox('a', status), await startBox('b', 200)];
    const order = anOrder(store());
    await work(order);
    own.status = 410;
    const waits = await workUntilQuiet(order);
    await other.again('new');
    await workOnQueue();
    const still = await stateOf(order);
    own.status = 200;
    await own.again('new');
    await workOnQueue();

    expect([waits.state, waits.box, still]).toEqual(['waiting', 'a', 'waiting']);
    expect([other.asked, await stateOf(order)]).toEqual([0, 'delivered']);
  },
);

test('where the box that may have given it does not have it then, the delivery has failed', async () => {
  const [own, other] = [await startBox('a', 500), await startBox('b', 200)];
  const order = anOrder(store());
  await work(order);
  own.status = 422;

  const failed = await workUntilQuiet(order);
  await retryDelivery(store(), order.id);
  await workOnQueue();

  expect(failed.state).toBe('failed');
  expect([own.asked, other.asked, await stateOf(order)]).toEqual([3, 1, 'delivered']);
});

test('only a retry asks others than the box that may have given it, and only while that one is lost or removed', async () => {
  const [own, other] = [await startBox('a', 500), await startBox('b', 200)];
  const [lost, removed] = [anOrder(store()), anOrder(store())];
  for (const order of [lost, removed]) await work(order);
  own.status = 404;
  for (const order of [lost, removed]) await workUntilQuiet(order);
  await retryDelivery(store(), lost.id);
  await workOnQueue();
  await remove('a');
  await other.again('new');
  await workOnQueue();
  const unretried = await stateOf(removed);
  await retryDelivery(store(), removed.id);
  await workOnQueue();

  expect(unretried).toBe('waiting');
  expect([other.asked, await stateOf(lost), await stateOf(removed)]).toEqual([2, 'delivered', 'delivered']);
});

test('a retry asks the box that may have given it first while it is registered', async () => {
  const [own, other] = [await startBox('z', 500), await startBox('a', 422)];
  const order = anOrder(store());
  for (let attempt = 1; attempt <= 9; attempt++) await work(order);
  const waits = await stateOf(order);
  own.status = 200;
  await retryDelivery(store(), order.id);
  await workOnQueue();

  expect([waits, other.asked, await stateOf(order)]).toEqual(['waiting', 1, 'delivered']);
});

test('a box that refuses the signature is asked again, and no other', async () => {
  const [own, other] = [await startBox('a', 401), await startBox('b', 200)];
  const order = anOrder(store());
  await work(order);
  own.status = 200;

  await workUntilQuiet(order);

  expect([own.asked, other.asked, await stateOf(order)]).toEqual([2, 0, 'delivered']);
});

test('a box that refuses the signature may be lost then, and the next one is asked', async () => {
  const [own, other] = [await startBox('a', 401), await startBox('b', 200)];
  const order = anOrder(store());
  await work(order);
  own.status = 404;

  await workUntilQuiet(order);

  expect([own.asked, other.asked, await stateOf(order)]).toEqual([2, 1, 'delivered']);
});

test('where no connection is made the next box is asked; the box stays registered, and is noted as unreachable', async () => {
  await registerNobody('a');
  const other = await startBox('b', 200);
  const order = anOrder(store());

  const delivery = await workUntilQuiet(order);

  const { url, unreachable } = (await findDispenser(store(), 'a')) ?? {};
  expect(deliveryAnswer(delivery)).toMatchObject({ state: 'delivered', attempts: 2 });
  expect([other.asked, unreachable?.url === url]).toEqual([1, true]);
});

test('waits while a registered box cannot be reached and the others do not have the item, and tries again by itself', async () => {
  await registerNobody('a');
  await startBox('b', 422);
  const order = anOrder(store());

  const results = [await work(order), await work(order), await work(order)];

  expect(results.map(({ batchItemFailures }) => batchItemFailures.length)).toEqual([1, 1, 1]);
  const delivery = await getDelivery(store(), order.id);
  expect(deliveryAnswer(delivery)).toMatchObject({ state: 'waiting', attempts: 3, lastError: 'ECONNREFUSED' });
});

test('with one box a connection that is not made is tried again as ever', async () => {
  await registerNobody('main');
  const order = anOrder(store());

  await work(order);

  expect(await getDelivery(store(), order.id)).toMatchObject({ state: 'queued', lastError: 'ECONNREFUSED' });
  expect((await getDelivery(store(), order.id)).box).toBeUndefined();
});

test('judges deliveries that waited for a removed box alone at the next registration, and at a retry', async () => {
  const [kept, gone] = [await startBox('a', 422), await startBox('b', 404)];
  const [one, other] = [anOrder(store()), anOrder(store())];
  for (const order of [one, other]) await workUntilQuiet(order);
  await remove('b');
  await retryDelivery(store(), one.id);
  await workOnQueue();
  const states = [await stateOf(one), await stateOf(other)];
  await kept.again('new');
  await workOnQueue();

  expect(states).toEqual(['failed', 'waiting']);
  expect([gone.asked, await stateOf(other)]).toEqual([1, 'failed']);
  expect(await listWaits(store(), 10)).toEqual([]);
});

test('a store without a box counts no request', async () => {
  const order = anOrder(store());

  await work(order);

  expect(deliveryAnswer(await getDelivery(store(), order.id))).toMatchObject({ state: 'waiting', attempts: 0 });
});

test('a box that registers while the last one answers that it does not have the item is asked', async () => {
  const late = { asked: 0 };
  const fresh = await serve((_, response) => {
    late.asked += 1;
    response.end();
  });
  const url = await serve(async (_, response) => {
    await register(store(), { name: 'late', url: fresh, region: '', items: [], keyId });
    response.writeHead(422).end();
  });
  await registerDispenser(store(), { url, region: '', items: [], keyId });
  const order = anOrder(store());

  await workUntilQuiet(order);

  expect([late.asked, await stateOf(order)]).toEqual([1, 'delivered']);
});

test('a worker that dies while it asks leaves the delivery to that box, though others come first', async () => {
  const [other, own] = [await startBox('a', 200), await startBox('b', 200)];
  const order = anOrder(store());
  await claimDelivery(order, 0, () => 'b');

  await workUntilQuiet(order);

  expect([own.asked, other.asked, await stateOf(order)]).toEqual([1, 0, 'delivered']);
});

test('a worker that stood still after its claim asks nobody', async () => {
  const box = await startBox('a', 200);
  const order = anOrder(store());
  const stop = intercept(async ({ isWrite }, send) => {
    const answer = await send();
    if (isWrite) setClock(now() + 60_000);
    return answer;
  });

  await work(order);
  stop();
  const asked = box.asked;
  await workUntilQuiet(order);

  expect([asked, box.asked, await stateOf(order)]).toEqual([0, 1, 'delivered']);
});
