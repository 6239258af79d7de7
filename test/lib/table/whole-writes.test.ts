import { afterEach, expect, test } from 'vitest';
import { source } from '../../../lib/clock.ts';
import { claimDelivery, failDelivery } from '../../../lib/delivery/deliveries.ts';
import { sharedKey } from '../../../lib/table/keys.ts';
import { metered, newMeter } from '../../../lib/table/meter.ts';
import { get } from '../../../lib/table/table.ts';
import { newCustomer } from '../../support/credit-seed.ts';
import { anOrder } from '../../support/deliveries.ts';
import { answerLost, intercept, notSent, throttled } from '../../support/faults.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

/** A request that gets 503 has written nothing, for each write that the table may refuse first. */

let stop = () => {};
const service = await startTestService();
source.random = () => 0;
const fields = { code: 'HELLO', ownerIdentifier: await newCustomer() };
const coupon = (await service.call('POST', '/v1/coupons', fields)).body.id;
afterEach(() => stop());

/** Makes the table throttle every write from number `first` on. */
const refuseFrom = (first: number): void => {
  let writes = 0;
  stop = intercept(async ({ isWrite }, send) => {
    if (!isWrite) return send();
    writes += 1;
    if (writes >= first) throw throttled();
    return send();
  });
};

const firsts: [what: string, method: string, path: string, body: () => object | undefined][] = [
  ['a discount', 'PUT', '', () => ({ discount: 5, newsSubscriber: true })],
  ['a ban', 'POST', '/actions/ban', () => ({ reason: 'spam' })],
  ['the lifting of a ban', 'POST', '/actions/unban', () => undefined],
  ['a gift card', 'POST', '/actions/grant-gift-card', () => ({ credit: 5 })],
  ['a coupon', 'POST', '/actions/apply-coupon', () => ({ couponId: coupon, scope: 0 })],
  ['credit', 'POST', '/actions/increment-credit', () => ({ delta: 5 })],
];

test.each(firsts)('%s for a resident without a record in the store is atomic', async (_, ...request) => {
  const [method, path, body] = request;
  for (const first of [1, 2, 3]) {
    const uuid = await newCustomer();
    const before = await wholeTable();
    refuseFrom(first);

    const { status } = await service.call(method, `/v1/customers/${uuid}${path}`, body());
    stop();

    if (status === 503) expect(await wholeTable()).toEqual(before);
    else expect([status, first > 1]).toEqual([200, true]);
  }
});

test('a keyed request to disable a gift card writes the card and its record together', async () => {
  const uuid = await newCustomer();
  const card = (await service.call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 5 })).body;
  const writes: string[] = [];
  stop = intercept(async ({ operation, isWrite }, send) => {
    if (isWrite) writes.push(operation);
    return send();
  });

  const path = `/v1/giftcards/${card.id}/actions/disable`;
  const disabled = await service.call('POST', path, undefined, { 'Idempotency-Key': 'disable' });

  expect(disabled.body).toEqual({ ...card, active: false });
  expect(writes).toEqual(['PutItem', 'TransactWriteItems']);
});

test('a call is not retried once its request has been answered', async () => {
  const meter = newMeter();
  let sent = 0;
  stop = intercept(async () => {
    sent += 1;
    meter.isOver = true;
    throw notSent();
  });

  const reading = metered(meter, () => get(sharedKey('STORE', service.store)));

  await expect(reading).rejects.toThrow('answered already');
  expect(sent).toBe(1);
});

test('a delivery whose failure was recorded is failed although the answer was lost', async () => {
  const { delivery } = await claimDelivery(anOrder(service.store), 1000);
  let lost = false;
  stop = intercept(async (_, send) => {
    const answer = await send();
    if (lost) return answer;
    lost = true;
    throw answerLost();
  });

  expect(await failDelivery(delivery, 'The script refused it.')).toBe(true);
  expect(await failDelivery({ ...delivery, attempts: 7 }, 'Another attempt.')).toBe(false);
});
