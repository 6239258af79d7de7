import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { routes } from '../../../lib/routes/routes.ts';
import { createGateway } from '../../../local/gateway/gateway.ts';
import { sendRaw } from '../../support/raw-http.ts';

/** Malformed or incomplete HTTP, which Node itself would answer without a body, or not at all. */

let called = 0;
const server = createGateway({
  routes,
  handlerOf: async () => async () => {
    called += 1;
    return { statusCode: 200, headers: {}, body: '{}' };
  },
  authorizer: async ({ methodArn }) => ({
    principalId: 'k',
    usageIdentifierKey: 'a store',
    policyDocument: { Version: '2012-10-17', Statement: [{ Action: 'x', Effect: 'Allow', Resource: methodArn }] },
  }),
  authorizerTtlSeconds: 0,
  rate: 1e6,
  burst: 1e6,
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const port = (server.address() as AddressInfo).port;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const head = 'Host: localhost\r\nX-API-Key: k\r\nConnection: close\r\n';
const post = `POST /v1/categories HTTP/1.1\r\n${head}`;

test.each([
  ['text that is no request', 'hello\r\n\r\n'],
  ['a method that does not exist', `BREW /v1/categories HTTP/1.1\r\n${head}\r\n`],
  ['a control character in the path', `GET /v1/\u001b HTTP/1.1\r\n${head}\r\n`],
  ['a letter beyond ASCII in the path', `GET /v1/é HTTP/1.1\r\n${head}\r\n`],
  ['a header with a bare line end', `GET /v1/categories HTTP/1.1\r\n${head}A: b\nc\r\n\r\n`],
  ['a header that is too long', `GET /v1/categories HTTP/1.1\r\n${head}A: ${'x'.repeat(300_000)}\r\n\r\n`],
  ['a path that is too long', `GET /v1/${'x'.repeat(300_000)} HTTP/1.1\r\n${head}\r\n`],
  ['no Host', 'GET /v1/categories HTTP/1.1\r\nX-API-Key: k\r\nConnection: close\r\n\r\n'],
  ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ['a length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a chunk that is none', `${post}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n`],
  ['a tunnel', `CONNECT example.org:443 HTTP/1.1\r\n${head}\r\n`],
])('400s as problem+json for %s, and calls no function', async (_, text) => {
  called = 0;

  const answer = await sendRaw(port, Buffer.from(text, 'utf8'));

  expect(answer?.status).toBe(400);
  expect(answer?.headers.get('content-type')).toEqual(['application/problem+json']);
  expect(answer?.headers.get('cache-control')).toEqual(['no-store']);
  expect(answer?.headers.get('x-content-type-options')).toEqual(['nosniff']);
  expect(answer?.headers.get('x-request-id')?.[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.parse(answer?.body ?? '')).toEqual({
    status: 400,
    title: 'Bad Request',
    detail: 'The request is malformed.',
    instance: expect.any(String),
  });
  expect(called).toBe(0);
});

test('400s for a body that ends too early, calls no function and logs nothing', async () => {
  const error = vi.spyOn(console, 'error');
  called = 0;

  const answer = await sendRaw(port, Buffer.from(`${post}Content-Length: 9\r\n\r\n{}`), { halfClosed: true });

  expect([answer?.status, called]).toEqual([400, 0]);
  expect(error).not.toHaveBeenCalled();
});

test('ignores an unknown expectation', async () => {
  const answer = await sendRaw(
    port,
    Buffer.from(`GET /v1/categories HTTP/1.1\r\n${head}Expect: the-impossible\r\n\r\n`),
  );

  expect(answer?.status).toBe(200);
});
