import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { source } from '../../../lib/clock.ts';
import { registerDispenser } from '../../../lib/delivery/dispensers.ts';
import { batchOf, contextWith, failQueue, received, serve, startTestQueue } from '../../support/deliveries.ts';
import { intercept, throttled } from '../../support/faults.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';

/** A delivery that is ordered with an Idempotency-Key is given once, although the queue takes no part in the record. */

let queueUrl: string;
let product: string;
let recipientIdentifier: string;
let key: string;
let given: string[];
let stop = () => {};
let now = Date.parse('2027-03-01T00:00:00.000Z');

const wait = (millis: number): void => {
  now += millis;
  setClock(now);
};

wait(0);
// Without jitter, retries do not wait.
source.random = () => 0;
({ url: queueUrl } = await startTestQueue());
const service = await startTestService();
process.env.DISPENSER_LOOPBACK = 'allowed';
const url = await serve(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  given.push(body.split('\n')[3] ?? '');
  response.end();
});
await registerDispenser(service.store, { url, region: '', items: [], keyId: 'KeyOfTests01' });
beforeEach(async () => {
  [key, given] = [randomUUID(), []];
  product = (await service.call('POST', '/v1/products', { name: 'Lamp', price: 5 })).body.id;
  recipientIdentifier = (await newResident()).uuid;
});
afterEach(() => {
  stop();
  vi.restoreAllMocks();
});

const deliver = async (message = ''): Promise<number> => {
  const path = `/v1/products/${product}/actions/deliver`;
  return (await service.call('POST', path, { recipientIdentifier, message }, { 'Idempotency-Key': key })).status;
};

const setActive = (active: boolean) =>
  service.call('PUT', `/v1/products/${product}`, { name: 'Lamp', price: 5, active });

/** Has the worker handle every message. Returns how many there were. */
const workOff = async (): Promise<number> => {
  let count = 0;
  for (let some = await received(queueUrl); some.length > 0; some = await received(queueUrl)) {
    count += some.length;
    await handler(batchOf(...some), contextWith(120_000));
  }
  return count;
};

test('a delivery is given once although the queue’s answer was lost and the request is sent again', async () => {
  failQueue(true);

  const statuses = [await deliver(), await deliver(), await deliver()];

  expect(statuses).toEqual([503, 200, 200]);
  expect([await workOff(), given.length]).toEqual([2, 1]);
});

test('every answer to a delivery with a key names the same Delivery-Id, the kept answer too', async () => {
  failQueue(true);
  const path = `/v1/products/${product}/actions/deliver`;
  const send = () => service.call('POST', path, { recipientIdentifier }, { 'Idempotency-Key': key });

  const [lost, repeated, kept] = [await send(), await send(), await send()];

  expect([lost.status, kept.headers.get('idempotent-replayed')]).toEqual([503, 'true']);
  const [first = '', ...others] = await received(queueUrl);
  expect(others).toHaveLength(1);
  const { id } = JSON.parse(first);
  expect([lost, repeated, kept].map(({ headers }) => headers.get('delivery-id'))).toEqual([null, id, id]);
});

test('422s for another request with the key of a delivery that the queue did not confirm', async () => {
  failQueue(true);

  const statuses = [await deliver(), await deliver('Enjoy!')];

  expect(statuses).toEqual([503, 422]);
  expect(await workOff()).toBe(1);
});

test('a repeat that is refused does not make the next one a new delivery', async () => {
  failQueue(true);

  const unconfirmed = await deliver();
  await setActive(false);
  const refused = await deliver();
  await setActive(true);
  const repeated = await deliver();

  expect([unconfirmed, refused, repeated]).toEqual([503, 404, 200]);
  expect([await workOff(), given.length]).toEqual([2, 1]);
});

test('a delivery is given once although its record could not be completed and the request is sent again', async () => {
  stop = intercept(async (call, send) => {
    if (call.isWrite && JSON.stringify(call.input).includes('"done"')) throw throttled();
    return send();
  });
  const first = await deliver();
  stop();

  wait(41_000);
  const second = await deliver();

  expect([first, second]).toEqual([200, 200]);
  expect([await workOff(), given.length]).toEqual([2, 1]);
});

test('of two repeats at once one orders the delivery again, and the other waits for it', async () => {
  failQueue(true);
  await deliver();

  const statuses = await Promise.all([deliver(), deliver()]);

  expect(statuses).toContain(200);
  for (const status of statuses) expect([200, 409]).toContain(status);
  await workOff();
  expect(given).toHaveLength(1);
});

test('a refused delivery keeps no record, and the same key orders anew after 24 hours', async () => {
  await setActive(false);
  const refused = await deliver();
  await setActive(true);
  const corrected = await deliver('Enjoy!');
  wait(24 * 3_600_000);
  const later = await deliver();

  expect([refused, corrected, later]).toEqual([404, 200, 200]);
  await workOff();
  expect(new Set(given).size).toBe(2);
});
