import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientOptions, StoreProblem, storeClient } from '../../lib/client/client.ts';
import { clientTypes } from '../../lib/client/generate.ts';
import { pauseMillis } from '../../lib/client/retry.ts';
import { startForTests } from '../support/local-service.ts';

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  service = await startForTests();
});
afterAll(() => service.stop());

const client = (options: Partial<ClientOptions> = {}) =>
  storeClient({ baseUrl: service.baseUrl, apiKey: service.keys.all, ...options });

const incrementCredit = '/v1/customers/{identifier}/actions/increment-credit';
const untouched = (): string => service.residents[0]?.username ?? '';
const credit = async (): Promise<number> =>
  (await client().get('/v1/customers/{identifier}/credit', { path: { identifier: untouched() } })).credit;

type Answering = (response: ServerResponse) => void;

/** Serves these answers in turn, the last one for ever; notes what was asked. */
const startScript = async (options: Partial<ClientOptions>, ...answers: Answering[]) => {
  const asked: { method: string | undefined; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    asked.push({ method: request.method, key: request.headers['idempotency-key'] as string | undefined });
    (answers[asked.length - 1] ?? answers.at(-1))?.(response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const at = client({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...options });
  return { asked, at, close };
};

const answering =
  (status: number, body?: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end(body && JSON.stringify(body));
  };

test('the types are those of docs/openapi.json: if not, run npm run openapi', async () => {
  const document = JSON.parse(textOf('docs/openapi.json'));

  expect(textOf('lib/client/types.ts')).toBe(await clientTypes(document));
});

test('the example of docs/client.md runs as it stands', async () => {
  const [, example = ''] = /```ts\n(.*?)```/s.exec(textOf('docs/client.md')) ?? [];

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--no-warnings', '--eval', example],
    { cwd: root, env: { STORE_URL: service.baseUrl, STORE_KEY: service.keys.all } },
  );

  expect(stdout).toMatch(/^\w+ has L\$ \d+\.\n/);
  expect(stdout).toMatch(/^.+: L\$ \d+$/m);
  expect(stdout).toMatch(/\n400 \[ 'delta must not remove more than the customer holds, which is \d+\.' \]\n$/);
});

test('every kind of call: a body, a path that needs encoding, a query, and an answer without a body', async () => {
  const store = client({ baseUrl: `${service.baseUrl}/` });
  const product = await store.post('/v1/products', { body: { name: 'Client chair', price: 30 } });
  const category = await store.post('/v1/categories', { body: { name: 'Client' } });
  const path = { id: category.id, productId: product.id };

  const added = await store.post('/v1/categories/{id}/products/{productId}', { path });
  const renamed = await store.put('/v1/categories/{id}', { path, body: { name: 'Client’s own' } });
  const found = await store.get('/v1/products', { query: { search: 'client', category: category.id, limit: 5 } });
  const vera = await store.get('/v1/customers/{identifier}', { path: { identifier: ' Vera Vendor ' } });
  await store.delete('/v1/categories/{id}', { path });

  expect(added).toBeUndefined();
  expect(renamed).toEqual({ id: category.id, name: 'Client’s own', productCount: 1 });
  expect(found.data).toEqual([product]);
  expect(vera.username).toBe('vera.vendor');
});

test('rows walks all pages, filters included, and stops asking where the caller stops', async () => {
  const store = client();
  for (let n = 0; n < 5; n++) await store.post('/v1/products', { body: { name: `Walked ${n}`, price: n } });
  const whole = await store.get('/v1/products', { query: { search: 'walked' } });

  const walked = await Array.fromAsync(store.rows('/v1/products', { query: { search: 'walked', limit: 2 } }));
  const categories = await Array.fromAsync(store.rows('/v1/categories'));
  const first = await store.rows('/v1/products', { query: { limit: 1 } }).next();

  expect(walked).toEqual(whole.data);
  expect(walked).toHaveLength(5);
  expect(categories).toEqual((await store.get('/v1/categories')).data);
  expect(first.done).toBe(false);
});

test('a failure is a StoreProblem with everything that the service said', async () => {
  const failure = await client()
    .post('/v1/products', { body: { name: '', price: -1 } })
    .catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(StoreProblem);
  expect(failure).toMatchObject({
    name: 'StoreProblem',
    status: 400,
    title: 'Bad Request',
    instance: '/v1/products',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const { detail, errors, message } = failure as StoreProblem;
  expect(errors).toHaveLength(2);
  expect(detail).toBe(errors.join(' '));
  expect(message).toBe(`400 /v1/products: ${detail}`);
});

test('an answer that is no problem+json is a StoreProblem all the same', async () => {
  const { at, close } = await startScript({}, (response) => response.writeHead(404).end('<html>'));

  const failure = await at.get('/v1/products').catch((error: unknown) => error);
  close();

  expect(failure).toMatchObject({ status: 404, title: 'Error', instance: '/v1/products', errors: [] });
});

test('what fails in passing is sent again, a POST with the same Idempotency-Key, until it is answered', async () => {
  const { asked, at, close } = await startScript(
    {},
    answering(503, {}, { 'Retry-After': '0' }),
    (response) => response.destroy(),
    answering(429, {}, { 'Retry-After': '1' }),
    answering(409, {}),
    answering(200, { credit: 5 }),
  );
  const started = performance.now();

  const answer = await at.post(incrementCredit, { path: { identifier: 'ada' }, body: { delta: 5 } });
  close();

  expect(answer).toEqual({ credit: 5 });
  expect(asked).toHaveLength(5);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  expect(asked[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  // What Retry-After asks is the least, whatever else is going on here.
  expect(performance.now() - started).toBeGreaterThanOrEqual(1000);
});

test('what is wrong is not sent again, nor what the service wants to wait for longer than a minute', async () => {
  for (const answer of [answering(400), answering(401), answering(500), answering(503, {}, { 'Retry-After': '61' })]) {
    const { asked, at, close } = await startScript({}, answer);

    await expect(at.get('/v1/products')).rejects.toBeInstanceOf(StoreProblem);
    close();

    expect(asked).toEqual([{ method: 'GET', key: undefined }]);
  }
});

test('it gives up after so many attempts: with the last problem, or with what fetch threw', async () => {
  const busy = await startScript({ attempts: 2 }, answering(503));
  const gone = await startScript({ attempts: 2 }, (response) => response.destroy());

  await expect(busy.at.get('/v1/products')).rejects.toMatchObject({ status: 503 });
  await expect(gone.at.get('/v1/products')).rejects.toThrow('fetch failed');
  busy.close();
  gone.close();

  expect([busy.asked.length, gone.asked.length]).toEqual([2, 2]);
});

test('an answer that was lost is not lost money: it is changed once', async () => {
  let lost = 0;
  const losing: typeof fetch = async (address, init) => {
    const response = await fetch(address, init);
    if (init?.method !== 'POST' || lost++ > 0) return response;
    await response.text();
    throw new TypeError('terminated');
  };
  const before = await credit();

  const answer = await client({ fetch: losing }).post(incrementCredit, {
    path: { identifier: untouched() },
    body: { delta: 7 },
  });

  expect(lost).toBe(2);
  expect(answer.credit).toBe(before + 7);
  expect(await credit()).toBe(before + 7);
});

test('two calls are two changes, unless the caller names them as one', async () => {
  const give = { path: { identifier: untouched() }, body: { delta: 3 } };
  const before = await credit();

  await client().post(incrementCredit, give);
  await client().post(incrementCredit, give);
  await client().post(incrementCredit, { ...give, idempotencyKey: 'order-1' });
  await client().post(incrementCredit, { ...give, idempotencyKey: 'order-1' });

  expect(await credit()).toBe(before + 9);
});

test('a signal ends a call while it runs and while it pauses', async () => {
  const hanging = await startScript({}, () => {});
  const busy = await startScript({}, answering(503, {}, { 'Retry-After': '60' }));
  const failures = await Promise.all(
    [hanging, busy].map(async ({ at }) => {
      const abort = new AbortController();
      const failure = at.get('/v1/products', { signal: abort.signal }).catch((error: unknown) => error);
      setTimeout(() => abort.abort(new Error('enough')), 100);
      return failure;
    }),
  );
  hanging.close();
  busy.close();

  expect(failures).toEqual([new Error('enough'), new Error('enough')]);
  expect([hanging.asked.length, busy.asked.length]).toEqual([1, 1]);
});

test('an attempt that takes too long is given up and made again', async () => {
  const { asked, at, close } = await startScript({ timeoutMillis: 200 }, () => {}, answering(200, { credit: 1 }));

  const answer = await at.get('/v1/customers/{identifier}/credit', { path: { identifier: 'ada' } });
  close();

  expect(answer).toEqual({ credit: 1 });
  expect(asked).toHaveLength(2);
});

test('pauses grow, hold chance, and are never shorter than Retry-After', () => {
  const at = Date.parse('2027-01-01T00:00:00Z');
  const pauses = [1, 2, 3, 4].map((attempt) => pauseMillis(attempt, null, at) ?? 0);

  for (const [index, millis] of pauses.entries()) {
    expect(millis).toBeGreaterThanOrEqual(125 * 2 ** index);
    expect(millis).toBeLessThan(250 * 2 ** index);
  }
  expect(pauseMillis(1, '3', at)).toBe(3000);
  expect(pauseMillis(1, 'Fri, 01 Jan 2027 00:00:05 GMT', at)).toBe(5000);
  expect(pauseMillis(1, 'Fri, 01 Jan 2021 00:00:05 GMT', at)).toBeLessThan(250);
  expect(pauseMillis(1, 'soon', at)).toBeLessThan(250);
  expect(pauseMillis(30, '60', at)).toBe(60_000);
  expect(pauseMillis(1, '61', at)).toBeUndefined();
});
