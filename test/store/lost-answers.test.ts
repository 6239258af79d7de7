import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { source } from '../../lib/clock.ts';
import { addMember, createCategory, findCategory } from '../../lib/store/categories.ts';
import { createProduct } from '../../lib/store/products.ts';
import { answerLost, intercept, type TableCall, throttled } from '../support/faults.ts';
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
  stop = intercept(async ({ operation }, send) => {
    if (operation === 'BatchWriteItem') throw throttled();
    return send();
  });

  expect((await service.call('DELETE', `/v1/categories/${id}`)).status).toBe(204);

  expect(await findCategory(service.store, id)).toBeUndefined();
});

test('a request that changes nothing is answered although the completion of its record is not heard of', async () => {
  const { id } = await createCategory(service.store, { name: 'Seating' });
  const product = await createProduct(service.store, productWith());
  await addMember(service.store, id, product.id);
  loseAnswerOf(about(':done'));

  const add = `/v1/categories/${id}/products/${product.id}`;
  const answer = await service.call('POST', add, undefined, { 'Idempotency-Key': randomUUID() });

  expect(answer.status).toBe(204);
});
