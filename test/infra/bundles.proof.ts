import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizerRows, bundle, bundleDir, entries } from '../../infra/bundle.ts';
import tableUses from '../../infra/table-uses.json' with { type: 'json' };
import { usesInBundles } from '../../infra/table-uses.ts';
import { logSink } from '../../lib/log.ts';
import { functionFile, type Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';

// The cache finds a file by its path, and the bundles are somewhere else each time.
delete process.env.NODE_COMPILE_CACHE;
const outDir = mkdtempSync(join(tmpdir(), 'bundles-'));
let outputs: Metafile['outputs'];

beforeAll(async () => {
  const { metafile } = await bundle(outDir, entries());
  outputs = metafile.outputs;
});
afterAll(() => rmSync(outDir, { recursive: true, force: true }));

const fileOf = (entry: string): string => join(bundleDir(outDir, entry), 'index.cjs');
const root = join(import.meta.dirname, '../..');

test('has one file for each entry, of at most 410 KB', () => {
  expect(
    Object.keys(outputs)
      .map((file) => resolve(root, file))
      .sort(),
  ).toEqual(entries().map(fileOf).sort());
  for (const entry of entries()) expect(statSync(fileOf(entry)).size, entry).toBeLessThanOrEqual(410_000);
});

test('holds no locale but zod’s default English, no source maps, and no code that only tests use', () => {
  for (const [file, { inputs }] of Object.entries(outputs)) {
    const used = Object.keys(inputs).filter((input) => (inputs[input]?.bytesInOutput ?? 0) > 0);
    const locales = used.filter((input) => input.includes('/locales/'));
    expect(
      locales.filter((input) => !input.endsWith('/locales/en.js')),
      file,
    ).toEqual([]);
    expect(
      used.filter((input) => /source-map|credential-provider-(ini|sso|process)|^(test|local|apps)\//.test(input)),
    ).toEqual([]);
  }
});

test('gives an endpoint its own row alone', () => {
  const lines = (text: string) => text.match(/\b(?:GET|POST|PUT|DELETE) \/v1\/[^"'`]*/g);

  for (const { id, method, path } of routes)
    expect(lines(readFileSync(fileOf(id), 'utf8')), id).toEqual([`${method} ${path}`]);
  // The rules of a coupon's choice are those of apply and revoke.
  expect(readFileSync(fileOf('coupons/list-coupons'), 'utf8')).not.toContain('(single product)');
});

test('has code for the actions and indexes that its role allows, and for no others', () => {
  expect(Object.fromEntries(usesInBundles(outDir)), 'run npm run openapi, and read what it changes').toEqual(tableUses);
  expect(routes.map(functionFile).filter((entry) => !(entry in tableUses))).toEqual([]);
});

test('holds no text of a field', () => {
  interface Described {
    description?: string;
  }
  const {
    components,
    paths,
  }: {
    components: { schemas: Record<string, { properties?: Record<string, Described> }> };
    paths: Record<string, Record<string, { parameters: Described[] }>>;
  } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const described = [
    ...Object.entries(components.schemas).flatMap(([name, { properties }]) =>
      name === 'Problem' ? [] : Object.values(properties ?? {}),
    ),
    ...Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ parameters }) => parameters)),
  ];
  const texts = new Set(described.flatMap(({ description }) => description ?? []));

  for (const entry of entries()) {
    // esbuild escapes quotes and every character outside ASCII.
    const bundled = readFileSync(fileOf(entry), 'utf8')
      .replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\(['"`])/g, '$1');
    expect(
      [...texts].filter((text) => bundled.includes(text)),
      entry,
    ).toEqual([]);
  }
  expect(texts.size).toBeGreaterThan(100);
});

test('holds no conversion to JSON Schema', () => {
  for (const entry of entries()) expect(readFileSync(fileOf(entry), 'utf8'), entry).not.toContain('draft-2020-12');
});

test('refuses a request as the source of its function does', async () => {
  // A row that takes nothing has nothing to refuse but a store that is gone.
  const takesNothing = ({ params, query, body }: Route): boolean =>
    !body && Object.keys({ ...params.shape, ...query.shape }).length === 0;
  const eventOf = (row: Route) => ({
    pathParameters: Object.fromEntries(Object.keys(row.params.shape).map((name) => [name, 'a..b'])),
    multiValueQueryStringParameters: { limit: ['0'], from: ['soon'] },
    body: '{"scope":7,"reason":7,"credit":"7","expiresAt":"soon","discount":{"type":9},"profitShares":[{"percent":0}],"minimum":0,"groupDiscount":-1}',
    requestContext: {
      requestId: 'r',
      path: row.path,
      authorizer: { store: 's', keyId: 'k', ...(takesNothing(row) && { storeGone: 'true' }) },
    },
  });
  const calls = routes.map((row) => [fileOf(row.id), eventOf(row)]);
  const script = `
    const answers = [];
    const answerAll = async () => {
      for (const [file, event] of ${JSON.stringify(calls)}) answers.push(await require(file).handler(event, {}));
      console.log(JSON.stringify(answers));
    };
    answerAll();`;

  const said = execFileSync(process.execPath, ['-e', script], { env: { ...process.env, TABLE_NAME: 'none' } });
  const bundled = JSON.parse(said.toString().trim().split('\n').at(-1) ?? '');

  logSink.write = () => {};
  for (const [index, row] of routes.entries()) {
    const { handler } = await import(new URL(`../../functions/${row.id}.ts`, import.meta.url).href);
    expect(bundled[index], row.id).toEqual(await handler(eventOf(row), {}));
    // A row of a customer's page looks at the page first, and there is no table.
    expect(row.share === 'pages' ? [500] : [400, 404], row.id).toContain(bundled[index].statusCode);
  }
});

test('holds the SDK, so that no bundle depends on Lambda’s own version', () => {
  for (const [file, { imports }] of Object.entries(outputs))
    expect(
      imports.filter(({ path }) => path.startsWith('@aws-sdk')),
      file,
    ).toEqual([]);
});

test('gives the authorizer the scopes of all rows, and none of their schemas', () => {
  const [, output] = Object.entries(outputs).find(([file]) => file.endsWith('/authorizer/index.cjs')) ?? [];

  const text = readFileSync(fileOf('authorizer'), 'utf8');

  expect(Object.keys(output?.inputs ?? {}).filter((input) => /\/zod\/|lib\/routes/.test(input))).toEqual([
    'authorizer-rows:../lib/routes/routes.ts',
  ]);
  expect(authorizerRows).toEqual(
    routes.map(({ method, path, scope, byInvitation, byPageCode }) =>
      JSON.parse(JSON.stringify({ method, path, scope, byInvitation, byPageCode })),
    ),
  );
  for (const { method, path, scope, byInvitation, byPageCode } of routes) {
    const more = `${byInvitation ? ',byInvitation:!0' : ''}${byPageCode ? ',byPageCode:!0' : ''}`;
    expect(text).toContain(`{method:"${method}",path:"${path}",scope:${JSON.stringify(scope)}${more}}`);
  }
});

test('a bundle answers when loaded as on Lambda, with the credentials of the environment', () => {
  const script = `
    const { handler } = require(${JSON.stringify(fileOf('categories/list-categories'))});
    const requestContext = { requestId: 'r', path: '/v1/categories', authorizer: { store: 's', keyId: 'k' } };
    handler({ requestContext }, {}).then(({ statusCode, body }) => console.log(statusCode + body));`;
  const run = (env: NodeJS.ProcessEnv): string =>
    execFileSync(process.execPath, ['-e', script], {
      env: { ...process.env, ...env, TABLE_NAME: 'no-such-table' },
    }).toString();

  const [withCredentials, without] = [run({}), run({ AWS_ACCESS_KEY_ID: '' })];

  // With credentials the engine reports the missing table; without them the SDK makes no call.
  expect(withCredentials).toContain('ResourceNotFoundException');
  expect(without).toContain('The environment holds no AWS credentials.');
});
