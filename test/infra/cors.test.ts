import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { areCorsOrigins } from '../../infra/cors.ts';
import { readSettings } from '../../infra/settings.ts';
import { functionFile as servingOf } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { createGateway } from '../../local/gateway/gateway.ts';
import { apiOf, type Resource, templateOf } from '../support/stack.ts';

const [one, two] = ['https://shop.example.com', 'https://www.example.com:8443'];

const preflightOf = (settings: Record<string, unknown>): Resource | undefined =>
  apiOf(settings).operations.find(({ method }) => method === 'OPTIONS');

const gatewayHeaders = (settings: Record<string, unknown>): Set<string | undefined> =>
  new Set(
    [...apiOf(settings).answers.values()].map(
      ({ responseParameters }) => responseParameters?.['gatewayresponse.header.Access-Control-Allow-Origin'],
    ),
  );

const environments = (settings: Record<string, unknown>): (string | undefined)[] =>
  routes.map((row) => templateOf(settings).functionOf(servingOf(row))[1].Properties.Environment.Variables.CORS_ORIGINS);

test('without the setting there is no preflight, no header and no path beside the endpoints’', () => {
  expect(preflightOf({})).toBeUndefined();
  expect(gatewayHeaders({})).toEqual(new Set([undefined]));
  expect(new Set(environments({}))).toEqual(new Set([undefined]));
  expect(JSON.stringify(templateOf({}).all)).not.toMatch(/proxy\+|Access-Control/);
});

test.each(['*', one])('with %s, preflight, gateway and endpoints allow it', (corsOrigins) => {
  const method = preflightOf({ corsOrigins });

  const response = method.integration.responses.default;
  expect(method).toMatchObject({ hasAuthorizer: false, needsUsageKey: false, integration: { type: 'mock' } });
  expect(method.integration.requestTemplates).toEqual({ 'application/json': '{"statusCode":204}' });
  expect(response).toEqual({
    statusCode: '204',
    responseParameters: {
      'method.response.header.Cache-Control': "'no-store'",
      'method.response.header.Strict-Transport-Security': "'max-age=31536000'",
      'method.response.header.X-Content-Type-Options': "'nosniff'",
      'method.response.header.Access-Control-Allow-Methods': "'GET, POST, PUT, DELETE'",
      'method.response.header.Access-Control-Allow-Headers': "'X-API-Key, Content-Type, Idempotency-Key, If-Match'",
      'method.response.header.Access-Control-Max-Age': "'7200'",
      'method.response.header.Access-Control-Allow-Origin': `'${corsOrigins}'`,
    },
  });
  // A header of the integration that the method does not declare could not be set.
  const declared = apiOf({ corsOrigins }).document.paths['/{proxy+}'].options.responses['204'].headers;
  expect(Object.keys(declared).map((name) => `method.response.header.${name}`)).toEqual(
    Object.keys(response.responseParameters),
  );
  expect(gatewayHeaders({ corsOrigins })).toEqual(new Set([`'${corsOrigins}'`]));
  expect(new Set(environments({ corsOrigins }))).toEqual(new Set([corsOrigins]));
});

test('with several origins the preflight allows that of the request, compared as a whole, and the gateway’s answers none', () => {
  const corsOrigins = `${one},${two}`;

  const response = preflightOf({ corsOrigins }).integration.responses.default;

  expect(response.responseTemplates['application/json']).toBe(
    [
      '#set($origin = $input.params().header.get("Origin"))',
      '#if(!$origin)#set($origin = $input.params().header.get("origin"))#end',
      `#if($origin == "${one}" || $origin == "${two}")`,
      '#set($context.responseOverride.header.Access-Control-Allow-Origin = $origin)',
      '#end',
    ].join('\n'),
  );
  expect(response.responseParameters).toMatchObject({ 'method.response.header.Vary': "'Origin'" });
  expect(JSON.stringify(response.responseParameters)).not.toContain('Access-Control-Allow-Origin');
  expect(gatewayHeaders({ corsOrigins })).toEqual(new Set([undefined]));
});

test('the preflight is on the path that stands for all others', () => {
  expect(preflightOf({ corsOrigins: one }).path).toBe('/{proxy+}');
});

test('the firewall lets a preflight pass, which has no key, and a page reads its answers', () => {
  const [[, acl]] = templateOf({ corsOrigins: one, firewall: 'true' }).ofType('AWS::WAFv2::WebACL') as [
    [string, Resource],
  ];
  const ruleOf = (name: string) => acl.Properties.Rules.find(({ Name }: Resource) => Name === name);

  const [noKey, noPreflight] = ruleOf('key').Statement.AndStatement.Statements;
  expect(noKey.NotStatement.Statement.RegexMatchStatement.FieldToMatch).toEqual({
    SingleHeader: { Name: 'x-api-key' },
  });
  expect(noPreflight.NotStatement.Statement.ByteMatchStatement).toMatchObject({
    FieldToMatch: { Method: {} },
    PositionalConstraint: 'EXACTLY',
    SearchString: 'OPTIONS',
  });
  for (const rule of ['key', 'rate'])
    expect(ruleOf(rule).Action.Block.CustomResponse.ResponseHeaders).toContainEqual({
      Name: 'Access-Control-Allow-Origin',
      Value: one,
    });
});

test.each([
  ['*', true],
  [one, true],
  [`${one},${two}`, true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3000,http://[::1]:3000', true],
  [Array.from({ length: 20 }, (_, number) => `https://${number}.example.com`).join(','), true],
  [Array.from({ length: 21 }, (_, number) => `https://${number}.example.com`).join(','), false],
  ['', false],
  ['null', false],
  ['shop.example.com', false],
  [`${one}/`, false],
  [`${one}/page`, false],
  [`${one}:443`, false],
  ['https://Shop.example.com', false],
  ['https://*.example.com', false],
  [`${one}, ${two}`, false],
  [`${one},*`, false],
  ['*,*', false],
  ['http://shop.example.com', false],
  ['https://user@shop.example.com', false],
  ['ftp://shop.example.com', false],
  [`${one}'`, false],
  ['https://a"b.example.com', false],
])('takes %j as corsOrigins: %j', (corsOrigins, taken) => {
  expect(areCorsOrigins(corsOrigins)).toBe(taken);
  const read = () => readSettings({ firewall: 'false', corsOrigins }).corsOrigins;
  if (taken) expect(read()).toBe(corsOrigins);
  else expect(read).toThrow(/corsOrigins must be \* or at most 20 origins.* such as https:\/\/shop\.example\.com/);
});

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** Asks a local gateway with these origins. */
const local = async (cors: string | undefined, path: string, init: RequestInit): Promise<Response> => {
  const server = createGateway({
    routes,
    handlerOf: async () => async () => ({ statusCode: 200, body: '{}' }),
    authorizer: () => Promise.reject(new Error('Unauthorized')),
    authorizerTtlSeconds: 0,
    rate: 100,
    burst: 100,
    cors,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);
};

const asked = (origin: string): RequestInit => ({ method: 'OPTIONS', headers: { Origin: origin } });

test.each(['*', one, `${one},${two}`])(
  'the local gateway answers preflights for %s as the deployed one',
  async (cors) => {
    const { responseParameters } = preflightOf({ corsOrigins: cors }).integration.responses.default;
    const fixed = Object.entries<string>(responseParameters).map(([name, value]) => [
      name.replace('method.response.header.', '').toLowerCase(),
      value.slice(1, -1),
    ]);

    for (const path of ['/v1/products', '/v1/nothing', '/x/y/z']) {
      const answer = await local(cors, path, asked(one));
      expect([answer.status, await answer.text()]).toEqual([204, '']);
      expect(Object.fromEntries(answer.headers)).toMatchObject(Object.fromEntries(fixed));
      expect(answer.headers.get('access-control-allow-origin')).toBe(cors === '*' ? '*' : one);
    }
  },
);

test('of several origins each is allowed, and no other', async () => {
  const allowed = async (origin: string) =>
    (await local(`${one},${two}`, '/v1/products', asked(origin))).headers.get('access-control-allow-origin');

  expect(await allowed(two)).toBe(two);
  for (const other of ['https://evil.example.com', 'https://shopxexample.com', `${one}.evil.com`, 'null', '*'])
    expect(await allowed(other), other).toBeNull();
});

test('the gateway’s own answers allow the only origin, and without the setting OPTIONS is an unknown route', async () => {
  const refused = await local(one, '/v1/products', { headers: { 'X-API-Key': 'x', Origin: one } });
  const ofSeveral = await local(`${one},${two}`, '/v1/products', { headers: { 'X-API-Key': 'x', Origin: one } });
  const off = await local(undefined, '/v1/products', asked(one));

  const readable = (answer: Response) => answer.headers.get('access-control-allow-origin');
  expect([refused.status, readable(refused)]).toEqual([401, one]);
  expect(refused.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  expect([ofSeveral.status, readable(ofSeveral)]).toEqual([401, null]);
  expect([off.status, readable(off)]).toEqual([404, null]);
});
