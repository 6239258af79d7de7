import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { startForTests } from '../../../test/support/local-service.ts';
import { StoreProblem, storeClient } from '../client.ts';
import { clientFiles } from '../generate.ts';
import { startScript } from './script.ts';

const root = new URL('../../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const service = await startForTests({ demo: false });
afterAll(() => service.stop());

const client = (baseUrl = service.baseUrl) => storeClient({ baseUrl, apiKey: service.keys.all });

test('types and methods match docs/openapi.json: if not, run npm run openapi', async () => {
  const files = await clientFiles(JSON.parse(textOf('docs/openapi.json')));

  expect(Object.keys(files)).toEqual(['types.ts', 'operations.ts']);
  for (const [name, text] of Object.entries(files)) expect(textOf(`apps/client/${name}`)).toBe(text);
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
  for (const name of ['Walked', 'Walked on']) await store.post('/v1/categories', { body: { name } });
  const whole = await store.get('/v1/products', { query: { search: 'walked' } });

  const walked = await Array.fromAsync(store.rows('/v1/products', { query: { search: 'walked', limit: 2 } }));
  const categories = await Array.fromAsync(store.rows('/v1/categories'));
  const first = await store.rows('/v1/products', { query: { limit: 1 } }).next();

  expect(walked).toEqual(whole.data);
  expect(walked).toHaveLength(5);
  expect(categories).toEqual((await store.get('/v1/categories')).data);
  expect(categories.length).toBeGreaterThanOrEqual(2);
  expect(first.done).toBe(false);
});

test('a list gives its first page, its rows, and its pages', async () => {
  const store = client();
  for (const n of [1, 2, 3, 4, 5]) await store.products.create({ name: `Paged ${n}`, price: n });
  const query = { search: 'paged', limit: 2 };
  const whole = await store.products.list({ search: 'paged' });

  const first = await store.products.list(query);
  const rows = await Array.fromAsync(store.products.list(query));
  const pages = await Array.fromAsync(store.products.list(query).pages());

  expect(whole.data).toHaveLength(5);
  expect(first.data).toEqual(whole.data.slice(0, 2));
  expect(rows).toEqual(whole.data);
  expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 1]);
});

test('withResponse tells status, request id and headers, whose ETag guards a change', async () => {
  const store = client();
  const { data, ...about } = await store.categories.create({ name: 'Tagged' }).withResponse();
  const read = await store.categories.get(data.id).withResponse();
  const ifMatch = read.headers.get('ETag') ?? '';
  await store.categories.update(data.id, { name: 'Renamed' }, { ifMatch });

  const late = await store.categories
    .update(data.id, { name: 'Too late' }, { ifMatch })
    .catch((error: unknown) => error);

  expect(about).toMatchObject({ status: 201, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(about.headers.get('Location')).toBe(`/v1/categories/${data.id}`);
  expect(late).toBeInstanceOf(StoreProblem);
  expect(late).toMatchObject({ status: 412 });
  expect(await store.categories.get(data.id)).toMatchObject({ name: 'Renamed' });
});

test('a failure of withResponse, or of a list, is handled once', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  const store = client();

  await expect(store.products.get('00000003-dede-4ede-8ede-999999999999').withResponse()).rejects.toThrow('404');
  await expect(Array.fromAsync(store.products.list({ limit: -1 }))).rejects.toThrow('400');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);

  expect(unhandled).toEqual([]);
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
