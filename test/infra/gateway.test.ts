import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { afterAll, expect, test } from 'vitest';
import { gatewayAnswers } from '../../infra/gateway-answers.ts';
import { details, notFound } from '../../lib/problem.ts';
import { routes } from '../../lib/routes/routes.ts';
import type { AnswerFacts } from '../../local/deployed/document.ts';
import { createGateway, type GatewayOptions } from '../../local/gateway/gateway.ts';
import { apiOf } from '../support/stack.ts';

/** Compares the deployed gateway, as the template describes it, with the local one. */

const { answers, authorizer: deployedAuthorizer, operations } = apiOf();

/** The answer of the deployed gateway, with its variables replaced. */
const deployed = (type: string, path: string) => {
  const { statusCode, responseParameters = {}, responseTemplates } = answers.get(type) as AnswerFacts;
  const headers = Object.entries(responseParameters).map(([name, value]) => [
    name.replace('gatewayresponse.header.', '').toLowerCase(),
    value.startsWith("'") ? value.slice(1, -1) : value,
  ]);
  return {
    status: Number(statusCode),
    headers: Object.fromEntries(headers),
    body: JSON.parse(
      (responseTemplates['application/json'] as string)
        .replace('$context.path', path)
        .replace('$context.authorizer.lack', 'the scope coupons:read'),
    ),
  };
};

/** The decision of the authorizer for the next requests. It counts its calls. */
let decide: () => 'Allow' | 'Deny';
let asked = 0;
const authorizer = async ({ methodArn }: { methodArn: string }): Promise<APIGatewayAuthorizerResult> => {
  asked += 1;
  const Statement = [{ Action: 'execute-api:Invoke', Effect: decide(), Resource: methodArn.replace(/[^/]+$/, '*') }];
  const policyDocument = { Version: '2012-10-17', Statement };
  return {
    principalId: 'key',
    policyDocument,
    context: { lack: 'the scope coupons:read' },
    ...(usageKey && { usageIdentifierKey: usageKey }),
  };
};
let usageKey: string | undefined = 'a store';

const closing: (() => void)[] = [];
const startGateway = async (options: Partial<GatewayOptions>): Promise<string> => {
  const server = createGateway({
    routes,
    handlerOf: async () => async () => ({ statusCode: 200, body: '{}' }),
    authorizer,
    authorizerTtlSeconds: 60,
    rate: 1000,
    burst: 1000,
    ...options,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const url = await startGateway({});
afterAll(() => {
  for (const close of closing) close();
});

const local = async (path: string, { key = 'a key', base = url, method = 'GET' } = {}) => {
  const headers = key === '' ? {} : { 'X-API-Key': key };
  const response = await fetch(base + path, { method, headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

const expectSame = (answer: Awaited<ReturnType<typeof local>>, type: string, path: string): void => {
  const { status, headers, body } = deployed(type, path);
  const { 'x-request-id': requestId, ...others } = headers;
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual(body);
  expect(requestId).toBe('context.requestId');
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect(Object.fromEntries(Object.keys(others).map((name) => [name, answer.headers.get(name)]))).toEqual(others);
};

test('the deployed gateway has every answer of the list but the one that nobody can change', () => {
  const changeable = Object.keys(gatewayAnswers).filter((type) => type !== 'REQUEST_TOO_LARGE');

  expect([...answers.keys()].sort()).toEqual(changeable.sort());
});

test('every answer is problem+json with exactly four members, and none is kept by a cache', () => {
  for (const type of answers.keys()) {
    const { headers, body, status } = deployed(type, '/v1/x');
    expect(headers, type).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'context.requestId',
    });
    expect(body, type).toEqual({ status, title: expect.any(String), detail: expect.any(String), instance: '/v1/x' });
    expect(headers['retry-after'] !== undefined, type).toBe(status === 429 || status === 503);
  }
});

test('only the answer about a scope has a variable, which the authorizer sets, and none shows anything of the request but its path', () => {
  const variables = [...answers].flatMap(([type, { responseTemplates, responseParameters }]) =>
    [...JSON.stringify([responseTemplates, responseParameters]).matchAll(/(?:\$|method\.|context)[\w.$]+/g)]
      .map(([name]) => name)
      .filter((name) => !['$context.path', 'context.requestId'].includes(name))
      .map((name) => `${type} ${name}`),
  );

  expect(variables).toEqual(['ACCESS_DENIED $context.authorizer.lack']);
});

test('both answer an unknown path, and a known one with an unsupported method, alike, and not as a missing thing', async () => {
  expectSame(await local('/v1/nothing'), 'MISSING_AUTHENTICATION_TOKEN', '/v1/nothing');
  expectSame(await local('/v1/coupons', { method: 'DELETE' }), 'MISSING_AUTHENTICATION_TOKEN', '/v1/coupons');
  expect(gatewayAnswers.MISSING_AUTHENTICATION_TOKEN.detail).not.toBe(notFound().message);
});

test('both answer a request without a key alike, and ask no authorizer', async () => {
  asked = 0;

  const answer = await local('/v1/coupons', { key: '' });

  expectSame(answer, 'UNAUTHORIZED', '/v1/coupons');
  expect(asked).toBe(0);
});

test('both answer a refused key, one without the scope, and a broken authorizer alike', async () => {
  decide = () => {
    throw new Error('Unauthorized');
  };
  const refused = await local('/v1/coupons', { key: 'refused' });
  decide = () => 'Deny';
  const denied = await local('/v1/coupons', { key: 'denied' });
  decide = () => {
    throw new Error('The table is away.');
  };
  const broken = await local('/v1/coupons', { key: 'broken' });

  expectSame(refused, 'UNAUTHORIZED', '/v1/coupons');
  expectSame(denied, 'ACCESS_DENIED', '/v1/coupons');
  expect(denied.body.detail).toBe('The API key lacks the scope coupons:read, which this endpoint needs.');
  // API Gateway's name for an authorizer that throws, times out or is throttled.
  expectSame(broken, 'AUTHORIZER_CONFIGURATION_ERROR', '/v1/coupons');
});

test('both answer a function that is throttled or crashes alike', async () => {
  decide = () => 'Allow';
  const base = await startGateway({
    handlerOf: async () => async () => {
      throw new Error('Rate Exceeded.');
    },
  });

  const answer = await local('/v1/coupons', { base });

  expectSame(answer, 'INTEGRATION_FAILURE', '/v1/coupons');
});

test('503s with Retry-After where the request may be sent again, and says that nothing changed only where that is known', () => {
  const [authorizer, integration] = ['AUTHORIZER_CONFIGURATION_ERROR', 'INTEGRATION_FAILURE'].map((type) =>
    deployed(type, '/v1/x'),
  );

  for (const answer of [authorizer, integration])
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  // No endpoint's function was called.
  expect(authorizer?.body.detail).toBe(details.unavailable);
  // A function that was throttled did nothing, but one that crashed may have; and a GET never changes anything.
  expect(integration?.body.detail).not.toMatch(/nothing was changed/i);
  expect(integration?.body.detail).toMatch(
    /^The service did not complete the request: send it again\. If it was to change something, /,
  );
});

test('both answer too many requests alike', async () => {
  decide = () => 'Allow';
  const base = await startGateway({ rate: 0.001, burst: 1 });

  await local('/v1/coupons', { base });
  const answer = await local('/v1/coupons', { base });

  expectSame(answer, 'THROTTLED', '/v1/coupons');
});

test('both leave the rest of an endpoint’s rate to other stores when one has used its share, by calls to any endpoint', async () => {
  decide = () => 'Allow';
  const storeLimit = { rate: 0.001, burst: 2 };
  const base = await startGateway({ rate: 0.001, burst: 4, storeLimit, authorizerTtlSeconds: 0 });
  const statusesOf = async (store: string): Promise<number[]> => {
    usageKey = store;
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await local('/v1/coupons', { base })).status);
    return statuses;
  };

  const statuses = [await statusesOf('one'), await statusesOf('two'), await statusesOf('three')];
  const elsewhere: number[] = [];
  for (const store of ['one', 'four']) {
    usageKey = store;
    elsewhere.push((await local('/v1/products', { base })).status);
  }

  usageKey = 'a store';
  expect(statuses).toEqual([
    [200, 200, 429],
    [200, 200, 429],
    [429, 429, 429],
  ]);
  expect(elsewhere).toEqual([429, 200]);
});

test('requests without a key use up an endpoint’s rate where no firewall stops them', async () => {
  const base = await startGateway({ rate: 0.001, burst: 2 });

  const refused = [await local('/v1/coupons', { base, key: '' }), await local('/v1/coupons', { base, key: '' })];
  const allowed = await local('/v1/coupons', { base });

  expect([...refused, allowed].map(({ status }) => status)).toEqual([401, 401, 429]);
});

test('both refuse a call for which the authorizer names no usage key', async () => {
  decide = () => 'Allow';
  usageKey = undefined;

  const answer = await local('/v1/coupons', { key: 'without a store' });

  usageKey = 'a store';
  expectSame(answer, 'INVALID_API_KEY', '/v1/coupons');
});

test('both keep an answer of the authorizer for one key, method and resource path', async () => {
  decide = () => 'Allow';
  asked = 0;

  // Each of the next three differs from the first in one of the three parts. The last differs in none.
  await local('/v1/coupons/1', { key: 'one' });
  await local('/v1/coupons/1', { key: 'two' });
  await local('/v1/coupons/1', { key: 'one', method: 'PUT' });
  await local('/v1/products/1', { key: 'one' });
  await local('/v1/coupons/2', { key: 'one' });

  expect(asked).toBe(4);
  expect(deployedAuthorizer).toMatchObject({
    type: 'request',
    identitySource: 'method.request.header.X-API-Key, context.httpMethod, context.resourcePath',
    authorizerResultTtlInSeconds: 60,
  });
});

test('both know the same paths and methods', async () => {
  decide = () => 'Allow';

  const known = await Promise.all(
    routes.map(async ({ method, path }) => (await local(path.replace(/\{[^}]+\}/g, 'x'), { method })).status),
  );

  // test/infra/desk.test.ts checks the desk's methods.
  const deskMethods = 6;
  expect(new Set(known)).toEqual(new Set([200]));
  expect(operations).toHaveLength(routes.length + deskMethods);
});
