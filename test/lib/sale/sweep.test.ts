import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { claimDelivery, completeDelivery } from '../../../lib/delivery/deliveries.ts';
import { decodeMessage } from '../../../lib/delivery/message.ts';
import { createStore, deleteStore } from '../../../lib/operator/stores.ts';
import type { Sale } from '../../../lib/routes/sales.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { getSale } from '../../../lib/sale/sales.ts';
import { sendUnsent } from '../../../lib/sale/sweep.ts';
import { orderOf } from '../../../lib/sale/unsent.ts';
import { saleKey } from '../../../lib/table/keys.ts';
import { update } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { unitsOf } from '../../support/budgets-whole.ts';
import { newCustomer } from '../../support/credit-seed.ts';
import { freshTable, setClock } from '../../support/service.ts';
import { buy, newProduct } from './sales.ts';

/**
 * The sweep orders the delivery of each completed sale, whatever came between. Nothing reads the stream here, and the
 * queue is a list of what was sent; with `isDown` it takes nothing.
 */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let store: string;
let productId: string;
let sent: string[];
let isDown: boolean;
/** The workers are so fast that each message has its record at once. */
let isWorked: boolean;

const work = async (body: string): Promise<void> => {
  const order = decodeMessage(body);
  if (order?.kind !== 'deliver') throw new Error(`This is no order: ${body}`);
  const { claimed, delivery } = await claimDelivery(order, 0);
  if (claimed) await completeDelivery(delivery);
};

beforeEach(async () => {
  setClock(start);
  await freshTable();
  store = (await createStore('Till')).id;
  productId = await newProduct(store);
  [sent, isDown, isWorked] = [[], false, true];
  // biome-ignore lint/suspicious/noExplicitAny: `send` has an overload for each command.
  vi.spyOn(SQSClient.prototype, 'send').mockImplementation(async ({ input }: any) => {
    if (isDown) throw new Error('The queue is down.');
    for (const { MessageBody } of input.Entries) {
      sent.push(decodeMessage(MessageBody)?.kind === 'deliver' ? JSON.parse(MessageBody).saleId : MessageBody);
      if (isWorked) await work(MessageBody);
    }
    return {};
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const sellAt = async (millis: number): Promise<Sale> => {
  setClock(millis);
  return buy(store, { productId, buyer: await newCustomer(), paid: 1000 });
};

const sweepAt = async (millis: number): ReturnType<typeof sendUnsent> => {
  setClock(millis);
  return sendUnsent();
};

/** Sweeps as often as `every` says. */
const sweepFrom = async (from: number, to: number, every: number): Promise<void> => {
  for (let at = from; at <= to; at += every) await sweepAt(at);
};

/** Takes a sale out of the list, as an index that is behind does not have it yet; answers what puts it in. */
const notShown = async ({ id }: Sale): Promise<() => Promise<unknown>> => {
  const { ranked } = await getSale(store, id);
  await write(update(saleKey(store, id), { set: { ranked: undefined } }));
  return () => write(update(saleKey(store, id), { set: { ranked } }));
};

const isOrdered = ({ id }: Sale): boolean => sent.includes(id);

test('a sale without a stream is ordered after half a minute, once', async () => {
  const sale = await sellAt(start);

  await sweepAt(start + 29_999);
  expect(isOrdered(sale)).toBe(false);
  expect(await sweepAt(start + 30_000)).toEqual({ ordered: 1, failed: 0 });
  await sweepFrom(start + minute, start + 40 * minute, minute);

  expect(sent).toEqual([sale.id]);
});

test('a sale that shows in the list ten minutes late is ordered within minutes', async () => {
  const late = await sellAt(start);
  const show = await notShown(late);
  // Later sales, which the sweep sees, take it past the late one.
  for (let at = start + minute; at < start + 10 * minute; at += 3 * minute) await sellAt(at);
  await sweepFrom(start + minute, start + 10 * minute, minute);
  const before = isOrdered(late);
  await show();

  await sweepFrom(start + 10 * minute, start + 17 * minute, minute);

  expect([before, isOrdered(late)]).toEqual([false, true]);
});

test('a sale that shows in the list a week late is ordered within a day', async () => {
  const late = await sellAt(start);
  const show = await notShown(late);
  await sellAt(start + hour);
  await sweepFrom(start + hour, start + 7 * day, 6 * hour);
  const before = isOrdered(late);
  await show();

  await sweepFrom(start + 7 * day + minute, start + 8 * day + minute, 4 * hour);

  expect([before, isOrdered(late)]).toEqual([false, true]);
});

test('sales of two days in which the queue took nothing are all ordered when it takes messages again', async () => {
  isDown = true;
  const sales: Sale[] = [];
  for (let at = start; at < start + 2 * day; at += 8 * hour) {
    sales.push(await sellAt(at), await sellAt(at + 1));
    for (const later of [minute, 20 * minute, 5 * hour])
      expect(await sweepAt(at + later)).toMatchObject({ ordered: 0, failed: expect.any(Number) });
  }
  isDown = false;

  // The next look through all sales of two weeks would come a minute later.
  await sweepAt(start + 2 * day);

  expect(sent.toSorted()).toEqual(sales.map(({ id }) => id).toSorted());
});

test('a message that was lost is sent again at the second look, and once a day for two weeks', async () => {
  isWorked = false;
  const sale = await sellAt(start);

  const days: number[] = [];
  for (let at = start + minute; at < start + 20 * day; at += 12 * hour) {
    await sweepAt(at);
    await sweepAt(at + 20 * minute);
    days.push(sent.length);
  }

  expect(days[0]).toBe(2);
  expect(days.at(-1)).toBeGreaterThanOrEqual(14);
  expect(days.at(-1)).toBeLessThanOrEqual(17);
  expect(new Set(sent)).toEqual(new Set([sale.id]));
});

test('nothing is ordered of sales that were refunded, refused or delivered, or of a store that is gone', async () => {
  const [refunded, delivered] = [await sellAt(start), await sellAt(start)];
  await buy(store, { productId, buyer: await newCustomer(), paid: 0 });
  await refundSale(store, refunded.id, { by: 'test' });
  const { claimed, delivery } = await claimDelivery(orderOf(await getSale(store, delivered.id)), 0);
  if (claimed) await completeDelivery(delivery);
  const gone = (await createStore('Gone')).id;
  await buy(gone, { productId: await newProduct(gone), buyer: await newCustomer(), paid: 1000 });
  await deleteStore(gone);

  await sweepFrom(start + minute, start + 2 * day, 8 * hour);

  expect(sent).toEqual([]);
});

test('a long list is gone through in pages, over several sweeps where one has no time for it', async () => {
  isDown = true;
  const sales: Sale[] = [];
  for (let number = 0; number < 30; number++) sales.push(await sellAt(start + number));
  isDown = false;
  setClock(start + hour);

  const swept = [];
  for (let sweep = 0; sweep < 6; sweep++) {
    let asked = 0;
    swept.push((await sendUnsent(() => ++asked <= 3)).ordered);
  }

  expect(swept.reduce((sum, one) => sum + one, 0)).toBe(30);
  expect(Math.max(...swept)).toBeLessThan(30);
  expect(sent.toSorted()).toEqual(sales.map(({ id }) => id).toSorted());
});

test('a look at sixty sales that have their deliveries takes seven read units, and two for the store', async () => {
  for (let number = 0; number < 60; number++) {
    const { id } = await sellAt(start + number);
    const { delivery } = await claimDelivery(orderOf(await getSale(store, id)), 0);
    await completeDelivery(delivery);
  }
  setClock(start + minute);

  const first = await unitsOf(() => sendUnsent());
  setClock(start + 2 * minute);
  const again = await unitsOf(() => sendUnsent());

  expect(sent).toEqual([]);
  expect(first.reads).toBeLessThanOrEqual(9);
  expect(first.writes).toBe(1);
  expect(again).toEqual({ writes: 0, reads: 2.5 });
});
