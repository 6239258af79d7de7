import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { createCategory, findCategory } from '../../../lib/catalogue/categories.ts';
import { addMember } from '../../../lib/catalogue/memberships.ts';
import { createProduct } from '../../../lib/catalogue/products.ts';
import { source } from '../../../lib/clock.ts';
import { messagesOn, startTestQueue } from '../../support/deliveries.ts';
import { answerLost, conflict, intercept, outcomeOf, type TableCall, throttled } from '../../support/faults.ts';
import { newResident } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { startTestService } from '../../support/service.ts';

/** The table's answer is lost once. The retry must not take its own first attempt for another request. */

let stop = () => {};
const service = await startTestService();
// Without jitter, retries do not wait.
source.random = () => 0;
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

test('204s for the deletion of a category whose answer was lost, not 404', async () => {
  const { id } = await createCategory(service.store, { name: 'Seating' });
  loseAnswerOf(about(id));

  expect((await service.call('DELETE', `/v1/categories/${id}`)).status).toBe(204);
});

test('204s for the deletion of a category even if its memberships cannot be removed', async () => {
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

test('answers a request that changes nothing although the answer to the completion of its record is lost', async () => {
  const { id } = await createCategory(service.store, { name: 'Seating' });
  const product = await createProduct(service.store, productWith());
  await addMember(service.store, id, product.id);
  loseAnswerOf(about('"done"'));

  const add = `/v1/categories/${id}/products/${product.id}`;
  const answer = await service.call('POST', add, undefined, { 'Idempotency-Key': randomUUID() });

  expect(answer.status).toBe(204);
});

test('queues a delivery once although the record of its request cannot be completed', async () => {
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

test('a repeated request waits for the transaction that completes its record', async () => {
  let refused = 0;
  stop = intercept(async (call, send) => {
    if (call.operation === 'PutItem' && about('leaseUntil')(call) && refused++ < 2) throw conflict(call);
    return send();
  });

  const answer = await service.call('POST', '/v1/categories', { name: 'Seating' }, { 'Idempotency-Key': 'seat' });

  expect([answer.status, refused]).toEqual([201, 3]);
});

test('a revoke whose answer was lost is answered as revoked, and a later application stays', async () => {
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

test('says of a creation that may have been made that this is not known', async () => {
  let sent = 0;
  stop = intercept(async (call, send) => {
    if (!about('Perhaps')(call)) return send();
    sent += 1;
    if (sent > 1) throw throttled();
    await send();
    throw answerLost();
  });

  const answer = await service.call('POST', '/v1/categories', { name: 'Perhaps' });

  expect(outcomeOf(answer)).toBe('unknown');
});

/** Writes that are one update each. */
const singleWrites: [
  string,
  (id: { category: string; product: string; card: string; uuid: string }) => [string, string, object],
][] = [
  ['a category', ({ category }) => ['PUT', `/v1/categories/${category}`, { name: 'New' }]],
  ['a product', ({ product }) => ['PUT', `/v1/products/${product}`, { name: 'New', price: 2 }]],
  ['a gift card', ({ card }) => ['PUT', `/v1/giftcards/${card}`, { credit: 2 }]],
  ['a card that is disabled', ({ card }) => ['POST', `/v1/giftcards/${card}/actions/disable`, {}]],
  ['a customer', ({ uuid }) => ['PUT', `/v1/customers/${uuid}`, { discount: 2 }]],
  ['a ban', ({ uuid }) => ['POST', `/v1/customers/${uuid}/actions/ban`, {}]],
];

test.each(singleWrites)(
  'says of a write of %s that may have been made that this is not known',
  async (_, requestOf) => {
    const { uuid } = await newResident();
    const made = async (path: string, body: object) => (await service.call('POST', path, body)).body.id;
    const request = requestOf({
      uuid,
      category: await made('/v1/categories', { name: 'Seating' }),
      product: await made('/v1/products', { name: 'Chair', price: 1 }),
      card: await made(`/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 1 }),
    });
    let sent = 0;
    stop = intercept(async (call, send) => {
      if (call.operation !== 'UpdateItem') return send();
      sent += 1;
      if (sent > 1) throw throttled();
      await send();
      throw answerLost();
    });

    expect(outcomeOf(await service.call(...request))).toBe('unknown');
  },
);

test('a keyed disable answers the card as it was stored, whatever was written beside it', async () => {
  const { uuid } = await newResident();
  const card = (await service.call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 1 })).body;
  const path = `/v1/giftcards/${card.id}`;
  let isRead = false;
  stop = intercept(async (call, send) => {
    const answer = await send();
    if (call.operation === 'GetItem' && JSON.stringify(call.input).includes(card.id) && !isRead) {
      isRead = true;
      await service.call('PUT', path, { credit: 80, transfer: true });
    }
    return answer;
  });

  const disabled = await service.call('POST', `${path}/actions/disable`, undefined, { 'Idempotency-Key': 'card' });

  expect(disabled.body).toEqual({ ...card, credit: 80, transfer: true, active: false });
  expect((await service.call('GET', path)).body).toEqual(disabled.body);
});
