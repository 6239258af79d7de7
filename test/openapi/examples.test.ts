import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolver } from '../../lib/delivery/address.ts';
import { routes } from '../../lib/routes/routes.ts';
import { document } from '../../reference/document.ts';
import { operationTexts } from '../../reference/operation-texts.ts';
import type { Response } from '../../reference/types.ts';
import { lasting } from '../support/lasting.ts';
import { startForTests } from '../support/local-service.ts';
import { exampleRequests } from './example-request.ts';
import { schemaChecker } from './schema-check.ts';

/** Sends every example of the document to the local service with its demo data, and compares what it answers. */

const openapi = document(routes, { baseUrl: 'http://127.0.0.1:4000', version: '0.1.0' });
const faultsOf = schemaChecker(openapi);

let service: Awaited<ReturnType<typeof startForTests>>;
const lookup = resolver.lookup;
beforeAll(async () => {
  service = await startForTests();
  // Names of the virtual world are looked up without a network.
  resolver.lookup = async (host) => (host.endsWith('.agni.secondlife.io') ? [{ address: '54.0.0.1' }] : lookup(host));
});
afterAll(() => {
  resolver.lookup = lookup;
  return service.stop();
});

const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { 'X-API-Key': service.keys.all ?? '', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};

/** Waits until the local dispenser has given what was delivered. */
const arrived = async (): Promise<void> => {
  while ((await call('GET', '/_dev/inbox')).body.deliveries.length === 0) await setTimeout(20);
};

// Reads come before writes. The dispenser comes last: from then on it is at an address which leads nowhere.
const place = (method: string, path: string): number => (path === '/v1/dispenser' ? 2 : method === 'GET' ? 0 : 1);
const requests = exampleRequests(openapi)
  .sort((a, b) => place(a.method, a.path) - place(b.method, b.path))
  .map((request) => ({ ...request, name: request.operation.operationId }));

const refused = Object.entries(operationTexts).flatMap(([id, text]) => {
  const row = routes.find((one) => one.id === id);
  const request = requests.find(
    ({ name }) => row && openapi.paths[row.path]?.[row.method.toLowerCase()]?.operationId === name,
  );
  return text.refused && request ? [{ ...request, body: text.refused.request }] : [];
});

// These come before all, since they change nothing.
test.each(refused)(
  '$name refuses what its example of a 400 says, with its messages',
  async ({ operation, method, path, body }) => {
    const problem = operation.responses['400'] as Response;
    const { schema, example } = problem.content?.['application/problem+json'] ?? { schema: {} };

    const answer = await call(method, path, body);

    expect(answer.body).toEqual(example);
    expect(faultsOf(schema, example)).toEqual([]);
  },
);

test.each(requests)('$name answers as its example says', async ({ operation, method, path, body }) => {
  const [[status, described] = []] = Object.entries(operation.responses);
  const { content, headers } = described as Response;
  const expected = content?.['application/json'];
  const sent = operation.requestBody?.content['application/json'];
  if (path === '/v1/dispenser') await arrived();

  const answer = await call(method, path, body);

  expect(answer.status, JSON.stringify(answer.body)).toBe(Number(status));
  expect(lasting(answer.body)).toEqual(lasting(expected?.example));
  if (sent) expect(faultsOf(sent.schema, sent.example)).toEqual([]);
  if (expected) {
    expect(faultsOf(expected.schema, expected.example)).toEqual([]);
    expect(faultsOf(expected.schema, answer.body)).toEqual([]);
  }
  for (const name of Object.keys(headers)) expect(answer.headers.has(name), name).toBe(name !== 'Idempotent-Replayed');
});

test('every operation has an example of what it takes and answers', () => {
  const lacking = requests.filter(({ operation, path }) => {
    const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
      part && 'content' in part && part.content ? Object.values(part.content) : [],
    );
    return path.includes('undefined') || contents.some(({ example }) => example === undefined);
  });

  expect(requests).toHaveLength(routes.length);
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

test('the examples of parameters fit their schemas', () => {
  for (const { operation, name } of requests)
    for (const parameter of operation.parameters)
      if ('schema' in parameter && parameter.example !== undefined)
        expect(faultsOf(parameter.schema, parameter.example), `${name} ${parameter.name}`).toEqual([]);
});

const increment = '/v1/customers/vera.vendor/actions/increment-credit';

/** Requests that are refused as the problems' examples say. */
const refusals: Record<string, () => ReturnType<typeof call>> = {
  BadRequest: () => call('GET', '/v1/products?limit=0&listed=maybe'),
  Unauthorized: () => call('GET', '/v1/products', undefined, { 'X-API-Key': 'unknown' }),
  Forbidden: () => call('GET', '/v1/products', undefined, { 'X-API-Key': service.keys['categories:read'] ?? '' }),
  NotFound: () => call('GET', '/v1/products/00000003-dede-4ede-8ede-999999999999'),
  ContentTooLarge: () => call('POST', '/v1/products', 'x'.repeat(10 * 1024 * 1024 + 1)),
  IdempotencyMismatch: async () => {
    await call('POST', increment, { delta: 1 }, { 'Idempotency-Key': 'twice' });
    return call('POST', increment, { delta: 2 }, { 'Idempotency-Key': 'twice' });
  },
};

/** Problems that no single request brings about. Their examples are made by the code that answers them. */
const notAskedFor = {
  IdempotencyConflict: 'needs a request that is still running',
  TooManyRequests: 'needs thousands of requests at once',
  InternalServerError: 'needs a bug or an outage',
  ServiceUnavailable: 'needs a table that is busy',
  GatewayTimeout: 'needs a function that takes longer than 29 seconds',
};

test.each(Object.entries(openapi.components.responses))(
  'the problem %s is as its example says',
  async (name, problem) => {
    const { schema, example } = problem.content?.['application/problem+json'] ?? { schema: {} };
    const answer = await refusals[name]?.();

    expect(faultsOf(schema, example)).toEqual([]);
    expect(answer === undefined).toBe(name in notAskedFor);
    if (answer) expect(answer.body).toEqual(example);
  },
);
