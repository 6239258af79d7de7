import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceFile } from '../../../../local/start/state.ts';
import { startProcess } from '../../../../test/support/local-service.ts';
import { useBrowser } from './browser.ts';

/** A shop's page reads products in a real browser, from another origin than the service's. */

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Serves an empty page. Returns its port, which makes its origin. */
const startShop = async (): Promise<number> => {
  const html = { 'Content-Type': 'text/html' };
  const server = createServer((_, response) => response.writeHead(200, html).end('<link rel="icon" href="data:,">'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

const startService = async (...options: string[]): Promise<ServiceFile> => {
  const dir = join(tmpdir(), `sis-test-${randomUUID()}`);
  const started = startProcess(dir, ['--memory', ...options], { ...process.env, TABLE_NAME: `test-${randomUUID()}` });
  await started.until(/Ctrl-C ends it/);
  stops.push(async () => {
    await started.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return JSON.parse(readFileSync(join(dir, 'service.json'), 'utf8'));
};

let shop: number;
let other: number;
let open: ServiceFile;
let closed: ServiceFile;

beforeAll(async () => {
  [shop, other] = [await startShop(), await startShop()];
  open = await startService('--cors', `http://127.0.0.1:${shop}`);
  closed = await startService();
});

const browser = useBrowser(() => 'http://127.0.0.1:');

interface Sent {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Lets a page on this port call the service. Answers what the page sees: an answer, or its error. */
const seenFrom = async (
  port: number,
  { baseUrl, keys }: ServiceFile,
  { path = '/v1/products?limit=1', ...init }: Sent = {},
) => {
  const page = await browser.open(`${port}/`);
  const sent = { ...init, headers: { 'X-API-Key': keys['products:read'], ...init.headers } };
  return page.evaluate(
    async ([url, how]) => {
      try {
        const answer = await fetch(url, how);
        const { headers } = answer;
        const named = ['ETag', 'X-Request-Id', 'Location', 'Idempotent-Replayed', 'Cache-Control'];
        const readable = named.filter((name) => headers.has(name));
        return { status: answer.status, body: await answer.json(), readable };
      } catch (error) {
        return String(error);
      }
    },
    [baseUrl + path, sent] as const,
  );
};

const refused = 'TypeError: Failed to fetch';

test('a page of the allowed origin reads products with a key that only reads them', async () => {
  const seen = await seenFrom(shop, open);

  expect(seen).toMatchObject({ status: 200, body: { data: [{ name: expect.any(String) }] } });
});

test('it reads the exposed headers, refusals of endpoints and of the gateway, and may send every header of the API', async () => {
  const body = JSON.stringify({ name: 'Chairs' });
  const headers = { 'X-API-Key': open.keys.all, 'Content-Type': 'application/json' };
  const post = { path: '/v1/categories', method: 'POST', headers: { ...headers, 'Idempotency-Key': 'once' }, body };

  const made = await seenFrom(shop, open, post);
  const again = await seenFrom(shop, open, post);
  const { id } = (made as { body: { id: string } }).body;
  const changed = await seenFrom(shop, open, {
    path: `/v1/categories/${id}`,
    method: 'PUT',
    headers: { ...headers, 'If-Match': '"another"' },
    body,
  });
  const bad = await seenFrom(shop, open, { path: '/v1/products?limit=0' });
  const unauthorized = await seenFrom(shop, open, { headers: { 'X-API-Key': 'x' } });

  expect(made).toMatchObject({ status: 201, readable: ['ETag', 'X-Request-Id', 'Location', 'Cache-Control'] });
  expect(again).toMatchObject({ status: 201, body: { id }, readable: expect.arrayContaining(['Idempotent-Replayed']) });
  expect(changed).toMatchObject({ status: 412 });
  expect(bad).toMatchObject({ status: 400, body: { errors: ['Limit must be between 1 and 1000.'] } });
  expect(unauthorized).toMatchObject({ status: 401, readable: ['X-Request-Id', 'Cache-Control'] });
  browser.forgive(/status of 4/);
});

test('a page of another origin is refused, and so is every page without the setting', async () => {
  expect(await seenFrom(other, open)).toBe(refused);
  expect(await seenFrom(shop, closed)).toBe(refused);
  browser.forgive(/blocked by CORS policy|ERR_FAILED/);
});
