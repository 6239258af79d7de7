import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { routes } from '../../../lib/routes/routes.ts';
import { startForTests } from '../../../test/support/local-service.ts';
import { document } from '../document.ts';
import { operationTexts } from '../operation-texts.ts';
import { examplePath, type Recordings, recordExamples, stopClock, wrongExamples } from '../record.ts';
import type { Response } from '../types.ts';
import { schemaChecker } from './schema-check.ts';

/**
 * Records the examples again, as `npm run openapi` does, and compares them with docs/openapi.json.
 */

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const about = { baseUrl: 'http://127.0.0.1:4000', version };
const openapi = document(routes, about);
const faultsOf = schemaChecker(openapi);
const operationOf = ({ path, method }: (typeof routes)[number]) => openapi.paths[path]?.[method.toLowerCase()];

stopClock();
const service = await startForTests();
const { baseUrl, keys, stopHistory } = service;
const recordings = await recordExamples(routes, { baseUrl, key: keys.all, endedKey: keys['store:write'], stopHistory });
afterAll(() => service.stop());

const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { 'X-API-Key': service.keys.all ?? '', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};

test('docs/openapi.json is current: if not, run npm run openapi', () => {
  const written = readFileSync('docs/openapi.json', 'utf8');
  const current = document(routes, { ...about, recordings });

  expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(current)));
  expect(written).toBe(`${JSON.stringify(current, null, 2)}\n`);
});

test.each(routes)('$id answers its example with success and in the form of its schemas', (row) => {
  const { status, headers, body } = recordings[row.id] ?? {};
  const operation = operationOf(row);
  const described = operation?.responses[row.status] as Response;
  const answered = described.content?.['application/json'];
  const sent = operation?.requestBody?.content['application/json'];

  expect(status, JSON.stringify(body)).toBe(row.status);
  if (sent) expect(faultsOf(sent.schema, operationTexts[row.id]?.request)).toEqual([]);
  expect(answered ? faultsOf(answered.schema, body) : body).toEqual(answered && []);
  for (const name of Object.keys(described.headers))
    expect(headers?.has(name), name).toBe(name !== 'Idempotent-Replayed');
});

test('npm run openapi refuses examples that are answered with another status than their row has', () => {
  const [{ id, method, path }] = routes.filter((row) => row.path === '/v1/store') as [(typeof routes)[number]];
  const other = Object.keys(operationTexts).find((each) => operationTexts[each]?.refused !== undefined) ?? '';
  const lacking = { ...recordings[id], status: 404, body: { title: 'Not Found' } } as Recordings[string];
  const taken = { ...recordings[other], refused: { status: 201 } } as Recordings[string];

  expect(wrongExamples(routes, recordings)).toEqual([]);
  expect(wrongExamples(routes, { ...recordings, [id]: lacking, [other]: taken }).toSorted()).toEqual(
    [
      `${id}: ${method} ${path} was answered 404, not 200: {"title":"Not Found"}`,
      `${other}: the example in \`refused\` must be answered with 400, but was answered: {"status":201}`,
    ].toSorted(),
  );
});

const refusing = routes.filter(({ id }) => operationTexts[id]?.refused !== undefined);

test.each(refusing)('$id refuses its example of a 400', ({ id, path }) => {
  const problem = recordings[id]?.refused as { status: number; errors: string[] };

  expect(problem.status, path).toBe(400);
  expect(problem.errors.length).toBeGreaterThan(0);
  expect(faultsOf({ $ref: '#/components/schemas/Problem' }, problem)).toEqual([]);
});

test('every operation with a body has an example of it', () => {
  const lacking = routes.filter(
    (row) => examplePath(row).includes('{') || (row.body && operationTexts[row.id]?.request === undefined),
  );

  expect(lacking.map(({ id }) => id)).toEqual([]);
});

test('the examples of parameters fit their schemas', () => {
  for (const row of routes)
    for (const parameter of operationOf(row)?.parameters ?? [])
      if ('schema' in parameter && parameter.example !== undefined)
        expect(faultsOf(parameter.schema, parameter.example), `${row.id} ${parameter.name}`).toEqual([]);
});

const increment = '/v1/customers/vera.vendor/actions/increment-credit';

/** Requests that get the problems of the examples. */
const refusals: Record<string, () => ReturnType<typeof call>> = {
  BadRequest: () => call('GET', '/v1/products?limit=0&listed=maybe'),
  Unauthorized: () => call('GET', '/v1/products', undefined, { 'X-API-Key': 'unknown' }),
  Forbidden: () => call('GET', '/v1/products', undefined, { 'X-API-Key': service.keys['categories:read'] ?? '' }),
  NotFound: () => call('GET', '/v1/products/00000003-dede-4ede-8ede-999999999999'),
  PreconditionFailed: () =>
    call('PUT', '/v1/categories/00000007-dede-4ede-8ede-000000000004', { name: 'Spring' }, { 'If-Match': '"earlier"' }),
  ContentTooLarge: () => call('POST', '/v1/products', 'x'.repeat(10 * 1024 * 1024 + 1)),
  IdempotencyMismatch: async () => {
    await call('POST', increment, { delta: 1 }, { 'Idempotency-Key': 'twice' });
    return call('POST', increment, { delta: 2 }, { 'Idempotency-Key': 'twice' });
  },
};

/** Problems that no single request causes. The code that answers them makes their examples. */
const notAskedFor = {
  IdempotencyConflict: 'needs a request that is still running',
  TooManyRequests: 'needs thousands of requests at once',
  InternalServerError: 'needs a bug or an outage',
  ServiceUnavailable: 'needs a table that is busy',
  GatewayTimeout: 'needs a function that takes longer than 29 seconds',
};

test.each(Object.entries(openapi.components.responses))('the problem %s matches its example', async (name, problem) => {
  const { schema, example } = problem.content?.['application/problem+json'] ?? { schema: {} };
  const answer = await refusals[name]?.();

  expect(faultsOf(schema, example)).toEqual([]);
  expect(answer === undefined).toBe(name in notAskedFor);
  if (answer) expect(answer.body).toEqual(example);
});
