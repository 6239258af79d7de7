import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { source } from '../../lib/clock.ts';
import { addMember, createCategory, findCategory } from '../../lib/store/categories.ts';
import { createProduct } from '../../lib/store/products.ts';
import { messagesOn, startTestQueue } from '../support/deliveries.ts';
import { answerLost, conflict, intercept, type TableCall, throttled } from '../support/faults.ts';
import { newResident } from '../support/residents.ts';
import { productWith } from '../support/rows.ts';
import { startTestService } from '../support/service.ts';

/** Answers of the table that are lost once: what is sent again must not take its own work for another's. */

let service: Awaited<ReturnType<typeof startTestService>>;
let stop = () => {};
beforeAll(async () => {
  service = await startTestService();
  // Retries need not wait for a table that is not really busy.
  source.random = () => 0;
});
afterEach(() => stop());

const loseAnswerOf = (isIt: (call: TableCall) => boolean): void => {
  let lost = false;
  stop = intercept(async (call, send) => {
    const answer = await send();
    if (lost || !isIt(call)) return answer;
    lost = true;
    throw answerLost();
  });
};

const about = (text: string) => (call: TableCall) => call.isWrite && JSON.stringify(call.input).includes(text);

test('a category whose deletion is not heard of is answered as deleted, not as unknown', async () => {
  const { id } = await createCategory(service.store, { name: 'Seating' });
  loseAnswerOf(about(id));

  expect((await service.call('DELETE', `/v1/categories/${id}`)).status).toBe(204);
});

test('a category is deleted, and said to be, even if its memberships cannot be cleared away', async () => {
  const { id } = await createCategory(service.store, { name: 'Seating' });
  const product = await createProduct(service.store, productWith());
  await addMember(service.store, id, product.id);
  stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'TransactWriteItems' && JSON.stringify(input).includes('#MEMBER')) throw throttled();
    return send();
  });

  expect((await service.call('DELETE', `/v1/categories/${id}`)).status).toBe(204);

  expect(await findCategory(service.store, id)).toBeUndefined();
});

test('a request that changes nothing is answered although the completion of its record is not heard of', async () => {
  const { id } = await createCategory(service.store, { name: 'Seating' });
  const product = await createProduct(service.store, productWith());
  await addMember(service.store, id, product.id);
  loseAnswerOf(about('"done"'));

  const add = `/v1/categories/${id}/products/${product.id}`;
  const answer = await service.call('POST', add, undefined, { 'Idempotency-Key': randomUUID() });

  expect(answer.status).toBe(204);
});

test('a delivery is queued once, although the record of its request cannot be completed', async () => {
  const { url } = await startTestQueue();
  const { id } = await createProduct(service.store, productWith());
  const { uuid } = await newResident();
  stop = intercept(async (call, send) => {
    if (about('"done"')(call)) throw throttled();
    return send();
  });
  const deliver = () =>
    service.call(
      'POST',
      `/v1/products/${id}/actions/deliver`,
      { recipientIdentifier: uuid },
      { 'Idempotency-Key': 'gift' },
    );

  const statuses = [(await deliver()).status, (await deliver()).status];

  expect(statuses).toEqual([200, 409]);
  expect(await messagesOn(url)).toBe(1);
});

test('a repeated request waits for the transaction that is completing its record', async () => {
  let refused = 0;
  stop = intercept(async (call, send) => {
    if (call.operation === 'PutItem' && about('leaseUntil')(call) && refused++ < 2) throw conflict(call);
    return send();
  });

  const answer = await service.call('POST', '/v1/categories', { name: 'Seating' }, { 'Idempotency-Key': 'seat' });

  expect([answer.status, refused]).toEqual([201, 3]);
});

test('a coupon whose revocation is not heard of is answered as revoked, and what is applied since stays', async () => {
  const { uuid } = await newResident();
  const fields = { code: 'LOST', ownerIdentifier: uuid };
  const couponId = (await service.call('POST', '/v1/coupons', fields)).body.id;
  const act = (action: string) =>
    service.call('POST', `/v1/customers/${uuid}/actions/${action}`, { couponId, scope: 0 });
  await act('apply-coupon');
  let late: (() => Promise<unknown>) | undefined;
  let lost = false;
  stop = intercept(async (call, send) => {
    const answer = await send();
    if (lost || !/Delete/.test(`${call.operation} ${JSON.stringify(call.input)}`)) return answer;
    [lost, late] = [true, send];
    throw answerLost();
  });

  const revoked = await act('revoke-coupon');
  await act('apply-coupon');
  await late?.();

  expect(revoked.body).toEqual({ revoked: true });
  expect((await act('apply-coupon')).body.replaced).toBe(true);
});

test('503 is not said of a creation that may have been made', async () => {
  let sent = 0;
  stop = intercept(async (call, send) => {
    if (!about('Perhaps')(call)) return send();
    sent += 1;
    if (sent > 1) throw throttled();
    await send();
    throw answerLost();
  });

  const answer = await service.call('POST', '/v1/categories', { name: 'Perhaps' });

  expect(answer.status).toBe(500);
});
