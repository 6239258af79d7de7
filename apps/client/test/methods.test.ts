import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Outcome, storeClient } from '../client.ts';
import { answering, startScript } from './script.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, looked at member by member.
const document: any = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));

interface Sent {
  method: string;
  url: string;
  body: unknown;
  headers: Headers;
}

/** A client whose requests are kept and not sent. */
const recorder = () => {
  const sent: Sent[] = [];
  const store = storeClient({
    baseUrl: 'https://example.org/prod/v1',
    apiKey: 'any',
    fetch: async (input, init) => {
      sent.push({
        method: init?.method ?? '',
        url: String(input),
        body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
        headers: new Headers(init?.headers),
      });
      return new Response('{ "data": [], "pagination": { "nextCursor": null } }', { headers: { ETag: '"1"' } });
    },
  });
  return { store, sent };
};

const operations = Object.entries<Record<string, { [name: string]: unknown }>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

test('every operation of the document is a method that sends its request', async () => {
  const { store, sent } = recorder();

  for (const { operation, path } of operations) {
    const [group = '', name = ''] = String(operation['x-client-method']).split('.');
    const values = [...path.matchAll(/\{\w+\}/g)].map((_, n) => `a b/${n}`);
    const rest = operation.requestBody
      ? { made: 'up' }
      : path.startsWith('/v1/categories/{')
        ? undefined
        : { limit: 2 };
    const methods = (store as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>)[
      group
    ];
    await methods?.[name]?.(...values, ...(rest ? [rest] : []));
  }

  expect(operations.length).toBeGreaterThanOrEqual(62);
  expect(sent.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual(
    operations.map(({ method, path }) => {
      let n = 0;
      return `${method} https://example.org/prod${path.replace(/\{\w+\}/g, () => `a%20b%2F${n++}`)}`;
    }),
  );
  for (const [n, { operation, path }] of operations.entries()) {
    expect(sent[n]?.body, path).toEqual(operation.requestBody ? { made: 'up' } : undefined);
    const parameters = (operation.parameters as { in?: string }[]).filter((parameter) => parameter.in === 'query');
    expect(sent[n]?.url.endsWith('?limit=2'), path).toBe(parameters.length > 0);
  }
});

test('options come last: a key of a POST, a tag of a PUT', async () => {
  const { store, sent } = recorder();

  await store.customers.unban('ada', { idempotencyKey: 'mine' });
  await store.coupons.update('1', {} as never, { ifMatch: '"7"' });
  await store.categories.delete('1', { ifMatch: '"8"' });

  expect(sent.map(({ headers }) => [headers.get('Idempotency-Key'), headers.get('If-Match')])).toEqual([
    ['mine', null],
    [null, '"7"'],
    [null, '"8"'],
  ]);
});

test.each(['', '.', '..', undefined])('refuses %j as a value of a path, and sends nothing', async (value) => {
  const { store, sent } = recorder();

  await expect(store.categories.delete(value as string)).rejects.toThrow(/^id must be a text/);
  await expect(store.delete('/v1/categories/{id}', { path: { id: value as string } })).rejects.toBeInstanceOf(
    TypeError,
  );

  expect(sent).toEqual([]);
});

test('hooks see each attempt, may add headers, and end the call by throwing', async () => {
  const seen: (Outcome & { path: string; attempt: number })[] = [];
  const ids = { 'X-Request-Id': 'an-id' };
  const options = {
    onRequest: ({ headers, attempt }: { headers: Headers; attempt: number }) =>
      headers.set('Idempotency-Key', `try-${attempt}`),
    onResponse: (outcome: Outcome & { path: string; attempt: number }) => void seen.push(outcome),
  };
  const { asked, at, close } = await startScript(
    options,
    answering(503, {}, { 'Retry-After': '0', ...ids }),
    (response) => response.destroy(),
    answering(200, { credit: 5 }, ids),
  );
  const bad = storeClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'any',
    onRequest: () => {
      throw new Error('No trace.');
    },
  });

  await at.customers.unban('ada');
  close();

  expect(asked.map(({ key }) => key)).toEqual(['try-1', 'try-2', 'try-3']);
  expect(seen).toMatchObject([
    { attempt: 1, status: 503, requestId: 'an-id', path: '/v1/customers/{identifier}/actions/unban', error: undefined },
    { attempt: 2, status: undefined, requestId: undefined, error: expect.any(Error) },
    { attempt: 3, status: 200, requestId: 'an-id', millis: expect.any(Number) },
  ]);
  await expect(bad.store.get()).rejects.toThrow('No trace.');
});
