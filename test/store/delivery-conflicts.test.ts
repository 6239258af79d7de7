import { beforeAll, expect, test } from 'vitest';
import { source } from '../../lib/clock.ts';
import { completeDelivery, letGo, takeUp } from '../../lib/delivery/attempts.ts';
import { getDelivery } from '../../lib/delivery/deliveries.ts';
import { anOrder } from '../support/deliveries.ts';
import { conflict, intercept } from '../support/faults.ts';
import { startTestService } from '../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
  // Retries need not wait for a writer who is not really there.
  source.random = () => 0;
});

test("a delivery's attempts are taken up and ended although another writer is at its record at first", async () => {
  const order = anOrder(service.store);
  let calls = 0;
  const stop = intercept(async (call, send) => {
    if (calls++ % 2 === 0) throw conflict(call);
    return send();
  });

  const first = await takeUp(order, 1000);
  const isLetGo = await letGo(first.delivery, 'no answer');
  const second = await takeUp(order, 1000);
  await completeDelivery(second.delivery);
  stop();

  expect([first.taken, isLetGo, second.taken]).toEqual([true, true, true]);
  expect(await getDelivery(service.store, order.id)).toMatchObject({ state: 'delivered', attempts: 2 });
});
