import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoreProblem, storeClient } from '../../client/client.ts';
import { clientTypes } from '../../client/generate.ts';
import { startForTests } from '../support/local-service.ts';
import { startScript } from './script.ts';

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  service = await startForTests();
});
afterAll(() => service.stop());

const client = (baseUrl = service.baseUrl) => storeClient({ baseUrl, apiKey: service.keys.all });

test('the types match docs/openapi.json: if not, run npm run openapi', async () => {
  const document = JSON.parse(textOf('docs/openapi.json'));

  expect(textOf('client/types.ts')).toBe(await clientTypes(document));
});

test('the example of docs/guides/client.md runs unchanged', async () => {
  const [, example = ''] = /```ts\n(.*?)```/s.exec(textOf('docs/guides/client.md')) ?? [];

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--no-warnings', '--eval', example],
    { cwd: root, env: { STORE_URL: service.baseUrl, STORE_KEY: service.keys.all } },
  );

  expect(stdout).toMatch(/^\w+ has L\$ \d+\.\n/);
  expect(stdout).toMatch(/^.+: L\$ \d+$/m);
  expect(stdout).toMatch(/\n400 \[ 'delta must not remove more than the customer holds, which is \d+\.' \]\n$/);
});

test('makes every kind of call: a body, a path that needs encoding, a query, an answer without a body', async () => {
  const store = client(`${service.baseUrl}/`);
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

test('a base URL with /v1 at its end, or a slash, means the same', async () => {
  const expected = await client().get('/v1/categories');

  for (const end of ['/', '/v1', '/v1/', '//'])
    expect(await client(service.baseUrl + end).get('/v1/categories')).toEqual(expected);
});

test('rows walks all pages with the filters, and stops when the caller stops', async () => {
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

test('a failure is a StoreProblem with all members of the answer', async () => {
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

test('a failure that is not problem+json is a StoreProblem too', async () => {
  const { at, close } = await startScript({}, (response) => response.writeHead(404).end('<html>'));

  const failure = await at.get('/v1/products').catch((error: unknown) => error);
  close();

  expect(failure).toMatchObject({ status: 404, title: 'Error', instance: '/v1/products', errors: [] });
});
