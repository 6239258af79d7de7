import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type LocalDispenser, startDispenser } from '../../../local/start/dispenser.ts';
import type { ServiceFile } from '../../../local/start/state.ts';
import { startProcess } from '../../support/local-service.ts';

/** A service that is killed between a sale and its delivery. The dispenser is apart from it, and outlives it. */

const parent = mkdtempSync(join(tmpdir(), 'killed-sale-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** Loaded into the service's process, it lets no call reach the table's stream. */
const withoutStream = `
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
const { request } = http;
http.request = (...args) => {
  const target = args.map((arg) => arg?.headers?.['X-Amz-Target']).find(Boolean) ?? '';
  if (target.startsWith('DynamoDBStreams')) throw new Error('no stream');
  return request(...args);
};
syncBuiltinESMExports();
`;
const cut = `--import data:text/javascript,${encodeURIComponent(withoutStream)}`;

let dir: string;
let dispenser: LocalDispenser | undefined;
let running: ReturnType<typeof startProcess> | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(parent, 'data-'));
});
afterEach(async () => {
  await running?.stop();
  await dispenser?.stop();
});

const start = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, TABLE_NAME: __, NODE_OPTIONS: ___, ...rest } = process.env;
  running = startProcess(dir, ['--no-demo'], { ...rest, ...env });
  await running.until(/Ctrl-C ends it/);
};

const kill = async (): Promise<void> => {
  running?.child.kill('SIGKILL');
  if (running) await once(running.child, 'exit');
  running = undefined;
};

const call = async (method: string, path: string, body?: object) => {
  const { baseUrl, keys }: ServiceFile = JSON.parse(readFileSync(join(dir, 'service.json'), 'utf8'));
  const headers = { 'X-API-Key': keys.all };
  const response = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  // biome-ignore lint/suspicious/noExplicitAny: answers of several endpoints.
  return { status: response.status, body: (await response.json()) as any };
};

const place = async (): Promise<void> => {
  dispenser = await startDispenser(async (url) => {
    const registration = { url, region: 'Elsewhere', items: [] };
    return (await call('PUT', '/v1/dispenser', registration)).body.secret;
  });
  await dispenser.registerAgain();
};

const sellOne = async (item: string) => {
  const product = (await call('POST', '/v1/products', { name: item, price: 10 })).body.id;
  const sale = { id: randomUUID(), productId: product, buyerIdentifier: 'ada.lovelace', paid: 10 };
  return call('POST', '/v1/sales', sale);
};

const giftsOf = (item: string) => dispenser?.inbox().filter((gift) => gift.item === item) ?? [];

/** Waits until the service has noted that it gave the item. */
const delivered = async (id: string): Promise<object> => {
  for (;;) {
    const { status, body } = await call('GET', `/v1/deliveries/${id}`);
    if (status === 200 && body.state === 'delivered') return body;
    await sleep(50);
  }
};

test('a sale that was killed right after its answer is delivered once by the stream of the next start', async () => {
  await start();
  await place();
  const sold = await sellOne('Lamp');
  await kill();
  const givenBefore = giftsOf('Lamp').length;

  await start();
  const delivery = await delivered(sold.body.deliveryId);
  await delivered((await sellOne('Vase')).body.deliveryId);

  expect([sold.status, sold.body.state, givenBefore]).toEqual([201, 'completed', 0]);
  expect(delivery).toMatchObject({ saleId: sold.body.id, attempts: 1 });
  expect(giftsOf('Lamp').map(({ deliveryId, attempts }) => [deliveryId, attempts])).toEqual([
    [sold.body.deliveryId, 1],
  ]);
});

test('without a stream the sweep delivers it, once though the stream comes back and orders it again', async () => {
  await start({ NODE_OPTIONS: cut });
  await place();
  // The next start has the true time again, so the sale is too young for a sweep, however long the start takes.
  await call('POST', '/_dev/clock', { advanceSeconds: 120 });
  const sold = await sellOne('Lamp');
  await kill();
  await start({ NODE_OPTIONS: cut });
  const early = await call('POST', '/_dev/sweep', {});
  const givenBefore = giftsOf('Lamp').length;
  await call('POST', '/_dev/clock', { advanceSeconds: 160 });

  const swept = await call('POST', '/_dev/sweep', {});
  const delivery = await delivered(sold.body.deliveryId);
  await kill();
  await start();
  await delivered((await sellOne('Vase')).body.deliveryId);

  expect([early.status, givenBefore, swept.status]).toEqual([200, 0, 200]);
  expect(delivery).toMatchObject({ saleId: sold.body.id, attempts: 1 });
  expect(await call('GET', `/v1/deliveries/${sold.body.deliveryId}`)).toMatchObject({ body: { attempts: 1 } });
  expect(giftsOf('Lamp').map(({ deliveryId, attempts }) => [deliveryId, attempts])).toEqual([
    [sold.body.deliveryId, 1],
  ]);
});
