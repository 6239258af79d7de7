import { expect, test } from 'vitest';
import { timestamp } from '../../../../lib/clock.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { sendUnsent } from '../../../../lib/sale/sweep.ts';
import { buy, newProduct } from '../../../../test/lib/sale/sales.ts';
import { newCustomer } from '../../../../test/support/credit-seed.ts';
import { startTestQueue } from '../../../../test/support/deliveries.ts';
import { freshTable, setClock } from '../../../../test/support/service.ts';
import { checkUnsent } from '../../books/doctor-deployment.ts';

/** The doctor's look at sales whose delivery was not ordered. Nothing reads the stream here. */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const minute = 60_000;

test('says how many sales have no order of their delivery and since when, until a sweep orders them', async () => {
  await startTestQueue();
  await freshTable();
  setClock(start);
  const { id: store } = await createStore('Till');
  const sale = { productId: await newProduct(store), paid: 1000 };
  for (const millis of [0, minute]) {
    setClock(start + millis);
    await buy(store, { ...sale, buyer: await newCustomer() });
  }
  const refused = await buy(store, { ...sale, paid: 0, buyer: await newCustomer() });
  const looks = [];
  for (const minutes of [1.9, 2, 5, 10.1]) {
    setClock(start + minutes * minute);
    looks.push((await checkUnsent())[0]);
  }

  const { ordered } = await sendUnsent();
  const after = await checkUnsent();

  expect(refused.state).toBe('refused');
  expect(looks.map((look) => look?.state)).toEqual(['ok', 'warn', 'warn', 'fail']);
  expect(looks.map((look) => look?.detail.split(' ').slice(0, 2).join(' ')).slice(1)).toEqual([
    '1 sale',
    '2 sales',
    '2 sales',
  ]);
  expect(looks[2]?.detail).toContain(`the oldest made 5 minutes ago (${timestamp(start)})`);
  expect(looks[2]?.fix).toContain('store sweep');
  expect(ordered).toBe(2);
  expect(after).toEqual([{ check: 'sales', state: 'ok', detail: 'the deliveries of all sales are ordered' }]);
});
