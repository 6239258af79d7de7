import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { listDeliveries } from '../../../lib/delivery/deliveries.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { deliveryStates } from '../../../lib/routes/deliveries.ts';
import { startPoller } from '../../../local/engines/poller.ts';
import { startDispenser } from '../../../local/start/dispenser.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { startTestService } from '../../support/service.ts';

let queueUrl: string;
Object.assign(process.env, { DISPENSER_LOOPBACK: 'allowed', DELIVERY_RETRY_SECONDS: '0' });
({ url: queueUrl } = await startTestQueue());
const service = await startTestService();
await putResident({ uuid: 'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb', username: 'ada' });

/**
 * A box with a key of its own, so that it gets another secret after each registration of the other. It hears it late.
 */
const startBox = async () => {
  const call = service.callAs(await service.keyWith(['dispenser:register']));
  const box = await startDispenser(async (url) => {
    const { secret } = (await call('PUT', '/v1/dispenser', { url })).body;
    await sleep(50);
    return secret;
  });
  onTestFinished(() => box.stop());
  return box;
};

test('gives each of 20 items exactly once while two boxes with two keys register in turn', async () => {
  const count = 20;
  const boxes = await Promise.all([startBox(), startBox()]);
  const poller = startPoller({ queueUrl, worker: handler, concurrency: 4, visibilitySeconds: 5 });
  onTestFinished(() => poller.stop());
  const { id } = (await service.call('POST', '/v1/products', { name: 'Lamp', price: 1 })).body;
  const stateOf = async (state: (typeof deliveryStates)[number]): Promise<number> =>
    (await listDeliveries(service.store, state)({ descending: false })).length;

  for (let i = 0; i < count; i++) {
    const registered = boxes[i % 2]?.registerAgain();
    // The service has the new secret by then, and the box does not.
    await sleep(20);
    await service.call('POST', `/v1/products/${id}/actions/deliver`, { recipientIdentifier: 'ada', message: `#${i}` });
    await registered;
  }
  const deadline = Date.now() + 20_000;
  for (let i = 0; (await stateOf('delivered')) < count && Date.now() < deadline; i++) {
    await sleep(400);
    await boxes[i % 2]?.registerAgain();
  }

  const given = boxes.map((box) => box.inbox().map(({ message }) => message));
  expect(given.flat().sort()).toEqual(Array.from({ length: count }, (_, i) => `#${i}`).sort());
  expect(given.map(({ length }) => length > 0)).toEqual([true, true]);
  expect(await Promise.all(deliveryStates.map(stateOf))).toEqual([0, 0, count, 0]);
});
