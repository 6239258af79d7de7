import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handler as work } from '../../../functions/delivery-worker.ts';
import { workerAccess } from '../../../infra/permissions.ts';
import { now, source, timestamp } from '../../../lib/clock.ts';
import { encodeMessage, type VendorChange } from '../../../lib/delivery/message.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { startPoller } from '../../../local/engines/poller.ts';
import { asFunction } from '../../support/access.ts';
import { batchOf, contextWith, received, serve, startTestQueue } from '../../support/deliveries.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { type Call, setClock, startTestService } from '../../support/service.ts';

let store: string;
let call: Call;
let queueUrl: string;
let url: string;
/** The calls that vendors got: when, at which path, and with which body. */
let calls: { at: number; path: string; body: string }[];

beforeEach(async () => {
  source.now = Date.now;
  queueUrl = (await startTestQueue()).vendorUrl;
  const service = await startTestService();
  await keepHistory();
  process.env.DISPENSER_LOOPBACK = 'allowed';
  store = (await createStore('Vendors')).id;
  call = service.callAs(await service.keyWith(scopes, store));
  calls = [];
  url = await serve(async (request, response) => {
    const at = Date.now();
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push({ at, path: request.url ?? '', body });
    response.end('ok');
  });
});
afterEach(() => {
  delete process.env.DISPENSER_LOOPBACK;
});

const worker: typeof work = (event, context) => asFunction('delivery-worker', workerAccess, () => work(event, context));
const product = async (fields: object = {}): Promise<string> =>
  (await call('POST', '/v1/products', { name: 'Chair', price: 100, ...fields })).body.id;
const change = (id: string, fields: object) =>
  call('PUT', `/v1/products/${id}`, { name: 'Chair', price: 100, ...fields });
const register = async (fields: object): Promise<string> => {
  const uuid = randomUUID();
  await call('PUT', `/v1/vendors/${uuid}`, { name: 'Vendor', region: 'Here', url: `${url}/${uuid}`, ...fields });
  return uuid;
};
const setProduct = (uuid: string, productId: string | null) =>
  call('PUT', `/v1/vendors/${uuid}/product`, { productId });

/** The messages that the changes so far have put on the queue of the vendors. */
const ordered = async (): Promise<Record<string, string>[]> => {
  await catchUp();
  return (await received(queueUrl)).map((body) => JSON.parse(body));
};

/** Has the worker handle a message; answers whether it must come back. */
const tell = async (message: Omit<VendorChange, 'kind' | 'store'>): Promise<boolean> => {
  const body = encodeMessage({ kind: 'vendor-changed', store, ...message });
  return (await worker(batchOf(body), contextWith(60_000))).batchItemFailures.length > 0;
};

test('a change of what vendors show is ordered to be told, and no other', async () => {
  const id = await product({ limited: true, availableAmount: 2 });
  const vendor = await register({ productId: id });
  const limited = (availableAmount: number, fields: object = {}) =>
    change(id, { limited: true, availableAmount, ...fields });
  await ordered();
  const kinds = async (work: () => Promise<unknown>) => {
    await work();
    return (await ordered()).map(({ kind, store: of, product: changed, vendor: told }) => {
      expect([of, changed ?? id, told ?? vendor]).toEqual([store, id, vendor]);
      return kind;
    });
  };
  const discount = { value: 10, type: 0, startDate: timestamp(now() + 60_000), endDate: null };

  expect(await kinds(() => limited(1))).toEqual([]);
  expect(await kinds(() => limited(1, { description: 'New', blockCredits: true }))).toEqual([]);
  expect(await kinds(() => limited(0))).toEqual(['product-changed']);
  expect(await kinds(() => limited(5))).toEqual(['product-changed']);
  expect(await kinds(() => limited(5, { discount }))).toEqual(['product-changed']);
  expect(await kinds(() => limited(5, { active: false }))).toEqual(['product-changed']);
  expect(await kinds(() => register({ productId: id }))).toEqual([]);
  expect(await kinds(() => setProduct(vendor, id))).toEqual([]);
  expect(await kinds(() => setProduct(vendor, null))).toEqual(['vendor-changed']);
  expect(
    await kinds(() => call('PUT', `/v1/vendors/${vendor}`, { name: 'V', region: 'R', productId: id, picked: true })),
  ).toEqual([]);
});

test('a vendor is not told within ten seconds of the last call, nor of a change that was made before that', async () => {
  const start = Date.parse('2027-05-10T12:00:00.000Z');
  setClock(start);
  const vendor = await register({});
  const later = (millis: number): string => timestamp(start + millis);

  expect([await tell({ vendor, at: later(0) }), calls.length]).toEqual([false, 1]);
  expect([await tell({ vendor, at: later(0) }), calls.length]).toEqual([false, 1]);
  setClock(start + 10_000);
  expect([await tell({ vendor, at: later(3000) }), calls.length]).toEqual([true, 1]);
  setClock(start + 10_250);
  expect([await tell({ vendor, at: later(3000) }), calls.length]).toEqual([false, 2]);
  expect([await tell({ vendor, at: later(9000) }), calls.length]).toEqual([false, 2]);
  expect(calls.every(({ body, path }) => body === 'SIS1-CHANGED' && path === `/${vendor}`)).toBe(true);
});

test('two messages at once make one call, and a vendor that is lost, deleted or without an address none', async () => {
  const start = Date.parse('2027-05-10T12:00:00.000Z');
  setClock(start);
  const [vendor, silent, lost, gone] = [
    await register({}),
    await register({ url: null }),
    await register({}),
    await register({}),
  ];
  await call('DELETE', `/v1/vendors/${gone}`);
  const at = timestamp(start);

  await Promise.all([tell({ vendor, at }), tell({ vendor, at })]);
  for (const one of [silent, gone]) expect(await tell({ vendor: one, at })).toBe(false);
  setClock(start + 30 * 3_600_000);
  expect(await tell({ vendor: lost, at })).toBe(false);

  expect(calls.map(({ path }) => path)).toEqual([`/${vendor}`]);
});

test('all vendors of a product are told within seconds, at most 20 in one, and again at the end of ten', async () => {
  const id = await product();
  const vendors = await Promise.all(Array.from({ length: 30 }, () => register({ productId: id })));
  await register({ productId: await product() });
  await catchUp();
  const pollers = [startPoller({ queueUrl, worker })];
  const until = async (count: number) => {
    for (const end = Date.now() + 30_000; calls.length < count && Date.now() < end; ) await sleep(50);
  };

  await change(id, { price: 101 });
  await catchUp();
  await until(30);
  const first = calls.splice(0);
  for (const price of [102, 103]) {
    await change(id, { price });
    await catchUp();
  }
  await until(30);
  await sleep(500);
  await Promise.all(pollers.map(({ stop }) => stop()));

  const pathsOf = (some: typeof calls) => some.map(({ path }) => path.slice(1)).sort();
  expect(pathsOf(first)).toEqual(vendors.toSorted());
  expect(pathsOf(calls)).toEqual(vendors.toSorted());
  const times = [...first, ...calls].map(({ at }) => at).sort((a, b) => a - b);
  for (const [index, at] of times.entries())
    expect((times[index + 20] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThan(900);
  for (const { path, at } of first)
    expect((calls.find((one) => one.path === path)?.at ?? 0) - at).toBeGreaterThan(9900);
}, 90_000);
