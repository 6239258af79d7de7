import { expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import { claimDelivery, completeDelivery, getDelivery, releaseDelivery } from '../../../lib/delivery/deliveries.ts';
import { anOrder } from '../../support/deliveries.ts';
import { conflict, intercept } from '../../support/faults.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
// Without jitter, retries do not wait.
source.random = () => 0;

test('claims and ends the attempts of a delivery after conflicts with another writer', async () => {
  const order = anOrder(service.store);
  let calls = 0;
  const stop = intercept(async (call, send) => {
    if (calls++ % 2 === 0) throw conflict(call);
    return send();
  });

  const first = await claimDelivery(order, 1000);
  const isReleased = await releaseDelivery(first.delivery, 'no answer');
  const second = await claimDelivery(order, 1000);
  await completeDelivery(second.delivery);
  stop();

  expect([first.claimed, isReleased, second.claimed]).toEqual([true, true, true]);
  expect(await getDelivery(service.store, order.id)).toMatchObject({ state: 'delivered', attempts: 2 });
});
