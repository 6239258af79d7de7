import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { bundleDesk } from '../../infra/desk.ts';
import { type Resource, templateOf } from '../support/stack.ts';

const asShipped = templateOf();

const deskMethods = ({ ofType }: ReturnType<typeof templateOf>): Resource[] =>
  ofType('AWS::ApiGateway::Method')
    .map(([, { Properties }]) => Properties)
    .filter(({ OperationName }) => /^desk/.test(OperationName));

test('serves the desk to everybody, by a function that may touch nothing', () => {
  const [id] = asShipped.functionOf('desk');

  const methods = deskMethods(asShipped);
  const [, { Properties: role }] = asShipped.ofType('AWS::IAM::Role').find(([name]) => name.startsWith('desk')) as [
    string,
    Resource,
  ];

  expect(
    methods.map(({ HttpMethod, AuthorizationType, ApiKeyRequired }) => [HttpMethod, AuthorizationType, ApiKeyRequired]),
  ).toEqual([
    ['GET', 'NONE', undefined],
    ['HEAD', 'NONE', undefined],
    ['GET', 'NONE', undefined],
    ['HEAD', 'NONE', undefined],
  ]);
  for (const { Integration } of methods) expect(JSON.stringify(Integration.Uri)).toContain(id);
  expect(
    role.Policies.flatMap(({ PolicyDocument }: Resource) => PolicyDocument.Statement.map(({ Sid }: Resource) => Sid)),
  ).toEqual(['Log']);
});

test('leaves the desk out where a setting says so, and opens no path of it in the firewall', () => {
  const without = templateOf({ desk: 'false', firewall: 'true' });

  expect(deskMethods(without)).toEqual([]);
  expect(without.outputs).not.toHaveProperty('DeskUrl');
  expect(JSON.stringify(without.ofType('AWS::WAFv2::WebACL'))).not.toContain('desk');
});

test('lets the desk through the firewall without a key, and no other path', () => {
  const [[, acl]] = templateOf({ firewall: 'true' }).ofType('AWS::WAFv2::WebACL') as [[string, Resource]];
  const statements: Resource[] = acl.Properties.Rules.find(({ Name }: Resource) => Name === 'key').Statement
    .AndStatement.Statements;

  const paths = statements
    .map(({ NotStatement }) => NotStatement.Statement.RegexMatchStatement)
    .find(({ FieldToMatch }) => FieldToMatch.UriPath);

  const open = new RegExp(paths.RegexString);
  for (const path of [
    '/desk',
    '/prod/desk',
    '/prod/desk/main-ABC123.js',
    '/desk/desk-ABC.css',
    '/prod/desk/openapi.json',
  ])
    expect(path).toMatch(open);
  for (const path of ['/prod/v1/desk', '/v1/desk', '/other/desk', '/desk/', '/desk/a/b', '/prod/v1/store'])
    expect(path).not.toMatch(open);
});

const directory = mkdtempSync(join(tmpdir(), 'desk-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('answers the page anew each time, its files for ever, both under a strict policy, and nothing else', async () => {
  const files = await bundleDesk();
  writeFileSync(join(directory, 'desk.json'), JSON.stringify(files));
  process.env.LAMBDA_TASK_ROOT = directory;
  const { handler } = await import('../../functions/desk.ts');
  const script = Object.keys(files).find((name) => name.startsWith('main-')) as string;

  const [page, file, none, inherited] = await Promise.all(
    [null, { file: script }, { file: 'other.js' }, { file: 'constructor' }].map((pathParameters) =>
      handler({ httpMethod: 'GET', pathParameters }),
    ),
  );
  const head = await handler({ httpMethod: 'HEAD', pathParameters: null });

  expect(page?.body).toContain(`src="desk/${script}"`);
  expect(page?.headers).toMatchObject({ 'Cache-Control': 'no-cache', 'Content-Type': 'text/html; charset=utf-8' });
  expect(file?.headers).toMatchObject({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Type': 'text/javascript; charset=utf-8',
  });
  for (const answer of [page, file])
    expect(answer?.headers).toMatchObject({
      'Content-Security-Policy': expect.stringMatching(
        /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/,
      ),
      'Strict-Transport-Security': expect.any(String),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
  expect([none?.statusCode, inherited?.statusCode]).toEqual([404, 404]);
  expect(head).toEqual({ ...page, body: '' });
});

test('answers the OpenAPI document at a fixed address, with the address of the service in servers and samples', async () => {
  writeFileSync(join(directory, 'desk.json'), JSON.stringify(await bundleDesk()));
  process.env.LAMBDA_TASK_ROOT = directory;
  const { handler } = await import('../../functions/desk.ts');
  const requestContext = { domainName: 'abc.example.com', path: '/prod/desk/openapi.json' };
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const [{ url }] = document.servers;

  const answer = await handler({ httpMethod: 'GET', pathParameters: { file: 'openapi.json' }, requestContext });

  expect(answer.headers).toMatchObject({
    'Cache-Control': 'no-cache',
    'Content-Type': 'application/json; charset=utf-8',
  });
  expect(JSON.parse(answer.body).servers).toEqual([{ url: 'https://abc.example.com/prod' }]);
  expect(answer.body).toContain("'https://abc.example.com/prod/v1/products?");
  expect(answer.body).not.toContain('127.0.0.1');
  expect(JSON.parse(answer.body.replaceAll('https://abc.example.com/prod', url))).toEqual({
    ...document,
    servers: [{ url }],
  });
});

test('parses the OpenAPI document for its first request only', async () => {
  writeFileSync(join(directory, 'desk.json'), JSON.stringify(await bundleDesk()));
  process.env.LAMBDA_TASK_ROOT = directory;
  const { handler } = await import('../../functions/desk.ts');
  const bodyAt = async (domainName: string): Promise<string> => {
    const requestContext = { domainName, path: '/desk/openapi.json' };
    return (await handler({ httpMethod: 'GET', pathParameters: { file: 'openapi.json' }, requestContext })).body;
  };
  const first = await bodyAt('first.example.com');
  const parse = vi.spyOn(JSON, 'parse');

  const second = await bodyAt('second.example.com');

  const parsed = parse.mock.calls.length;
  parse.mockRestore();
  expect(parsed).toBe(0);
  expect(second).toBe(first.replaceAll('first.example.com', 'second.example.com'));
});

test('is small: page, style sheet and scripts of the first view are less than 100 KB even where nothing compresses them', async () => {
  const files = await bundleDesk();

  const first = ['', ...Object.keys(files).filter((name) => name !== '' && files['']?.includes(`desk/${name}`))];
  const imported = first.flatMap((name) => files[name]?.match(/(?<=from"\.\/|import"\.\/)[^"]+/g) ?? []);
  const bytes = first.reduce((sum, name) => sum + Buffer.byteLength(files[name] ?? ''), 0);
  expect(first.length).toBeGreaterThan(2);
  expect(first).toEqual(expect.arrayContaining(imported));
  // API Gateway compresses nothing, since it would compress every endpoint's answers then.
  expect(bytes).toBeLessThan(100_000);
  // The policy forbids inline scripts, inline styles and evaluated text.
  expect(files['']).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
});

test('leaves the pages for developers and their tools to the local service', async () => {
  const [deployed, local] = await Promise.all([bundleDesk(), bundleDesk('local')]);

  expect(Object.values(deployed).join()).not.toMatch(/_dev|EventSource|API_KEY/);
  expect(Object.values(local).join()).toContain('/_dev/');
});
