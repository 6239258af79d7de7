import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { workerAccess } from '../../../infra/permissions.ts';
import { claimRedelivery, leaveUnconfirmed, noteDelivered } from '../../../lib/avatars/owned.ts';
import { recordPurchase } from '../../../lib/avatars/spend.ts';
import { newId, timestamp } from '../../../lib/clock.ts';
import { registerDispenser } from '../../../lib/delivery/dispensers.ts';
import { ownedKey } from '../../../lib/table/keys.ts';
import { asFunction } from '../../support/access.ts';
import { batchOf, contextWith, failQueue, received, serve, startTestQueue } from '../../support/deliveries.ts';
import { answerLost, holdReads, intercept, notSent } from '../../support/faults.ts';
import { newResident, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

let queueUrl: string;
let owner: Awaited<ReturnType<typeof newResident>>;
let product: string;
let stop = () => {};
let now = Date.parse('2027-04-01T00:00:00.000Z');

const wait = (millis: number): void => {
  now += millis;
  setClock(now);
};

const newProduct = async (fields = {}): Promise<string> =>
  (await service.call('POST', '/v1/products', { name: 'Lamp', price: 5, ...fields })).body.id;

const buy = (productId: string, at = timestamp(now), price = 5) =>
  recordPurchase(service.store, { id: randomUUID(), buyer: owner, productId, price, at });

const redeliver = (productId = product, body: object | undefined = undefined, headers = {}, who = owner.uuid) =>
  service.call('POST', `/v1/customers/${who}/products/${productId}/actions/redeliver`, body, headers);

const sell = async (productId = product, { to = owner, paid = 5 } = {}) =>
  (
    await service.call('POST', '/v1/sales', {
      ...{ id: randomUUID(), productId, buyerIdentifier: owner.uuid, recipientIdentifier: to.uuid, paid },
    })
  ).body;

const owned = async (): Promise<Record<string, unknown>[]> =>
  (await service.call('GET', `/v1/customers/${owner.uuid}/products`)).body.data;

/** Has the worker handle every message, under its role. Returns the ids of the deliveries. */
const workOff = async (): Promise<string[]> => {
  const ids: string[] = [];
  for (let some = await received(queueUrl); some.length > 0; some = await received(queueUrl)) {
    ids.push(...some.map((text) => JSON.parse(text).id));
    await asFunction('delivery-worker', workerAccess, () => handler(batchOf(...some), contextWith(120_000)));
  }
  return ids;
};

wait(0);
({ url: queueUrl } = await startTestQueue());
const service = await startTestService();
process.env.DISPENSER_LOOPBACK = 'allowed';
const url = await serve((_, response) => response.end());
await registerDispenser(service.store, { url, region: '', items: [], keyId: 'KeyOfTests01' });
beforeEach(async () => {
  wait(3_600_000);
  owner = await newResident();
  product = await newProduct();
  await buy(product);
});
afterEach(async () => {
  stop();
  vi.restoreAllMocks();
  while ((await received(queueUrl)).length > 0);
});

test('lists each owned product once, with how often and when first it was bought, in pages both ways', async () => {
  const [earlier, at] = [timestamp(now - 86_400_000), timestamp(now)];
  const others = [await newProduct({ name: 'Chair', active: false }), newId()];
  for (const id of others) await buy(id);
  await buy(product, earlier);
  await buy(product, at, 0);

  const rows = await walkList(service.call, `/v1/customers/${owner.username}/products`, 2);

  const one = { quantity: 1, boughtAt: at, lastDeliveredAt: null };
  expect(rows).toEqual(
    [
      { ...one, productId: product, name: 'Lamp', quantity: 3, boughtAt: earlier },
      { ...one, productId: others[0], name: 'Chair' },
      { ...one, productId: others[1], name: '' },
    ].sort((a, b) => (String(a.productId) < String(b.productId) ? -1 : 1)),
  );
});

test('counts every one of many purchases at once', async () => {
  await Promise.all(Array.from({ length: 8 }, () => buy(product, timestamp(now), 0)));

  expect(await owned()).toMatchObject([{ productId: product, quantity: 9 }]);
});

test('200s as deliver does, names the delivery, and says when it was last given', async () => {
  const { status, body, headers } = await redeliver(product, { message: ' Again! ' });
  const before = await owned();
  wait(1000);
  const worked = await workOff();

  expect([status, body]).toEqual([
    200,
    {
      productId: product,
      recipientUuid: owner.uuid,
      recipientUsername: owner.username,
      queued: true,
      message: 'Again!',
    },
  ]);
  expect(worked).toEqual([headers.get('delivery-id')]);
  expect([before[0]?.lastDeliveredAt, (await owned())[0]?.lastDeliveredAt]).toEqual([null, timestamp(now)]);
});

test('says when it was last given, also where deliveries are noted out of order', async () => {
  const note = async (at: number) => {
    setClock(at);
    await noteDelivered(service.store, owner.uuid, product);
    return (await owned())[0]?.lastDeliveredAt;
  };

  const noted = [await note(now), await note(now + 1000), await note(now + 500)];

  expect(noted).toEqual([now, now + 1000, now + 1000].map(timestamp));
});

test('a delivery to somebody who does not own the product makes nobody its owner', async () => {
  const { uuid } = await newResident();
  await service.call('POST', `/v1/products/${product}/actions/deliver`, { recipientIdentifier: uuid });

  expect(await workOff()).toHaveLength(1);
  expect((await service.call('GET', `/v1/customers/${uuid}/products`)).body.data).toEqual([]);
});

test('200s for a product that is not sold any more', async () => {
  const retired = await newProduct({ active: false });
  await buy(retired);

  expect((await redeliver(retired)).status).toBe(200);
});

test('404s for an unknown product or resident, 400s for who does not own it and for one without copies, and queues nothing', async () => {
  const [notOwned, single] = [await newProduct(), await newProduct({ permissions: { copy: false } })];
  await buy(single);

  const answers = [
    await redeliver(newId()),
    await redeliver(product, undefined, {}, unknownUuid),
    await redeliver(product, undefined, {}, 'a..b'),
    await redeliver(notOwned),
    await redeliver(single),
    await redeliver(product, { message: 'a\u0007b' }),
    await service.callOther('POST', `/v1/customers/${owner.uuid}/products/${product}/actions/redeliver`),
  ];

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 400, 400, 400, 404]);
  expect(answers[3]?.body.errors).toEqual(['The customer does not own the product.']);
  expect(answers[4]?.body.errors).toEqual(['The customer may not have copies of the product.']);
  expect(await received(queueUrl)).toEqual([]);
});

test('400s within 60 seconds of another redelivery, and 200s after them', async () => {
  const other = await newProduct();
  await buy(other);

  const first = await redeliver();
  wait(59_999);
  const [soon, ofOther] = [await redeliver(), await redeliver(other)];
  wait(1);
  const later = await redeliver();

  expect([first, soon, ofOther, later].map(({ status }) => status)).toEqual([200, 400, 200, 200]);
  expect(await received(queueUrl)).toHaveLength(3);
});

test('400s within 60 seconds of a delivery that another request ordered and the worker has tried', async () => {
  await service.call('POST', `/v1/products/${product}/actions/deliver`, { recipientIdentifier: owner.uuid });
  await workOff();

  wait(59_999);
  const other = await newProduct();
  await buy(other);
  const [soon, ofOther] = [await redeliver(), await redeliver(other)];
  wait(1);

  expect([soon, ofOther, await redeliver()].map(({ status }) => status)).toEqual([400, 200, 200]);
});

test('400s within 60 seconds of a sale to the customer, whose delivery nothing has tried yet', async () => {
  const [gifted, other, friend] = [await newProduct(), await newProduct(), await newResident()];
  for (const id of [gifted, other]) await buy(id);
  const sold = [await sell(), await sell(gifted, { to: friend }), await sell(other, { paid: 0 })];

  const soon = [await redeliver(), await redeliver(gifted, undefined, {}, friend.uuid)];
  const [gift, refused] = [await redeliver(gifted), await redeliver(other)];
  wait(59_999);
  soon.push(await redeliver(), await redeliver(gifted, undefined, {}, friend.uuid));
  wait(1);
  const later = [await redeliver(), await redeliver(gifted, undefined, {}, friend.uuid)];

  expect(sold.map(({ state }) => state)).toEqual(['completed', 'completed', 'refused']);
  expect(soon.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(soon[0]?.body.errors).toEqual([
    'The product was sent to this customer less than 60 seconds ago. It can be sent again in 60 seconds.',
  ]);
  expect(soon[2]?.body.errors[0]).toMatch(/ in 1 second\.$/);
  expect([gift, refused, ...later].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('a sale that is refunded keeps its minute, where the customer owns the product still', async () => {
  const { id } = await sell();
  wait(10_000);
  await service.call('POST', `/v1/sales/${id}/actions/refund`);

  const soon = await redeliver();
  wait(50_000);

  expect([soon.status, (await redeliver()).status]).toEqual([400, 200]);
});

test('a sale that began earlier and ends later than another takes nothing from the other’s minute', async () => {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  stop = intercept(async ({ operation }, send) => {
    if (operation === 'TransactWriteItems' && !isHeld) {
      isHeld = true;
      begun.resolve();
      await end.promise;
    }
    return send();
  });
  const slow = sell();
  await begun.promise;
  wait(10_000);
  const quick = await sell();
  end.resolve();

  expect([quick.state, (await slow).state]).toEqual(['completed', 'completed']);
  wait(50_000);
  expect((await redeliver()).status).toBe(400);
});

test('a sale that comes between look and claim of a redelivery has its minute', async () => {
  const keys = Array.from({ length: 16 }, () => ({ 'Idempotency-Key': randomUUID() }));
  let sold: Promise<{ state: string }> | undefined;
  stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'UpdateItem' && JSON.stringify(input).includes('#OWNED#')) {
      sold ??= sell();
      await sold;
    }
    return send();
  });

  const answers = await Promise.all(keys.map((key) => redeliver(product, undefined, key)));

  expect((await sold)?.state).toBe('completed');
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  expect(await received(queueUrl)).toEqual([]);
});

test('a redelivery that was claimed before a sale goes on when it is sent again with its Idempotency-Key', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  failQueue(false);
  const first = await redeliver(product, undefined, headers);
  await sell();

  const again = await redeliver(product, undefined, headers);
  wait(1000);
  const repeated = await redeliver(product, undefined, headers);

  expect([first, again, repeated].map(({ status }) => status)).toEqual([503, 200, 200]);
  expect(repeated.headers.get('delivery-id')).toBe(again.headers.get('delivery-id'));
  expect((await redeliver()).status).toBe(400);
});

test('of many redeliveries at once one is queued, and the others free their keys', async () => {
  const keys = Array.from({ length: 16 }, () => ({ 'Idempotency-Key': randomUUID() }));
  stop = holdReads(keys.length, '#OWNED#');

  const answers = await Promise.all(keys.map((key) => redeliver(product, undefined, key)));
  const others = await Promise.all(keys.map((key) => redeliver(randomUUID(), undefined, key)));

  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(keys.length - 1).fill(400)]);
  expect(others.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 200 ? 422 : 404)));
  expect(await received(queueUrl)).toHaveLength(1);
});

test.each([true, false])('after a 503 the next request orders the same delivery (message sent: %s)', async (isSent) => {
  failQueue(isSent);

  const unconfirmed = await redeliver();
  const repeated = await redeliver();
  const third = await redeliver();

  expect([unconfirmed, repeated, third].map(({ status }) => status)).toEqual([503, 200, 400]);
  const ids = new Set(await workOff());
  expect([...ids]).toEqual([repeated.headers.get('delivery-id')]);
});

test('the delivery that is ordered after a 503 holds others off for a minute of its own', async () => {
  failQueue(false);
  const answers = [await redeliver()];
  for (const seconds of [50, 59, 1]) {
    wait(1000 * seconds);
    answers.push(await redeliver());
  }

  expect(answers.map(({ status }) => status)).toEqual([503, 200, 400, 200]);
});

test('a note that the queue did not confirm an earlier redelivery leaves a later one’s mark', async () => {
  const key = ownedKey(service.store, owner.uuid, product);
  const earlier = await claimRedelivery(
    key,
    { id: newId(), use: () => () => {} },
    { refuseOwner: () => {}, lastOrderAt: undefined },
  );
  wait(60_000);
  const { status } = await redeliver();

  await leaveUnconfirmed(key, earlier);

  expect([status, (await redeliver()).status]).toEqual([200, 400]);
});

test('with an Idempotency-Key a redelivery keeps the id that it took over, though nothing confirmed or noted it', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  failQueue(true);
  const first = await redeliver();
  failQueue(true);
  let writes = 0;
  stop = intercept(async ({ isWrite, input }, send) => {
    if (isWrite && JSON.stringify(input).includes('#OWNED#') && writes++ > 0) throw notSent();
    return send();
  });

  const unconfirmed = await redeliver(product, undefined, headers);
  stop();
  wait(61_000);
  const repeated = await redeliver(product, undefined, headers);

  expect([first, unconfirmed, repeated].map(({ status }) => status)).toEqual([503, 503, 200]);
  expect(writes).toBeGreaterThan(1);
  expect(new Set(await workOff())).toEqual(new Set([repeated.headers.get('delivery-id')]));
});

test('a redelivery that is refused leaves its Idempotency-Key to another request', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  await redeliver();
  const refused = await redeliver(product, { message: 'Now' }, headers);
  wait(60_000);
  const another = await redeliver(product, { message: 'Later' }, headers);

  expect([refused.status, another.status]).toEqual([400, 200]);
});

test('with an Idempotency-Key a redelivery that took effect is answered again, and queued under one id', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  stop = intercept(async (call, send) => {
    if (call.isWrite && JSON.stringify(call.input).includes('"done"')) throw answerLost();
    return send();
  });
  const first = await redeliver(product, undefined, headers);
  stop();
  await workOff();

  wait(41_000);
  const again = await redeliver(product, undefined, headers);

  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers.get('delivery-id')).toBe(first.headers.get('delivery-id'));
});

test('a mark whose write was answered late is the request’s own', async () => {
  let lost = false;
  stop = intercept(async (call, send) => {
    const answer = await send();
    if (call.isWrite && !lost && JSON.stringify(call.input).includes('#OWNED#')) {
      lost = true;
      throw answerLost();
    }
    return answer;
  });

  const { status } = await redeliver();

  expect([lost, status]).toEqual([true, 200]);
  expect(await received(queueUrl)).toHaveLength(1);
});
