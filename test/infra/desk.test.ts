import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundleDesk } from '../../infra/desk.ts';
import { answerDesk, customerPage, type DeskFiles, isTextureUrl } from '../../lib/http/desk.ts';
import { codeOf } from '../support/houses.ts';
import { apiOf, functionArn, type Resource, templateOf } from '../support/stack.ts';

const asShipped = templateOf();

const deskMethods = (settings: Record<string, string> = {}) =>
  apiOf(settings).operations.filter(({ id }) => /^desk/.test(id));

test('serves the desk to everybody, by a function that may touch nothing', () => {
  const [id] = asShipped.functionOf('desk');

  const methods = deskMethods();
  const [, { Properties: role }] = asShipped.ofType('AWS::IAM::Role').find(([name]) => name.startsWith('desk')) as [
    string,
    Resource,
  ];

  expect(methods.map(({ method, hasAuthorizer, needsUsageKey }) => [method, hasAuthorizer, needsUsageKey])).toEqual([
    ['GET', false, false],
    ['HEAD', false, false],
    ['GET', false, false],
    ['HEAD', false, false],
    ['GET', false, false],
    ['HEAD', false, false],
  ]);
  for (const { integration } of methods) expect(integration.uri).toContain(functionArn(id));
  expect(
    role.Policies.flatMap(({ PolicyDocument }: Resource) => PolicyDocument.Statement.map(({ Sid }: Resource) => Sid)),
  ).toEqual(['Log']);
});

test('leaves the desk out where a setting says so, and opens no path of it in the firewall', () => {
  const settings = { desk: 'false', firewall: 'true' };
  const without = templateOf(settings);

  expect(deskMethods(settings)).toEqual([]);
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
  for (const path of ['/desk', '/prod/desk', '/prod/desk/main-ABC123.js', '/desk/desk-ABC.css', '/me', '/prod/me'])
    expect(path).toMatch(open);
  const closed = ['/prod/v1/desk', '/v1/desk', '/other/desk', '/desk/', '/desk/a/b', '/prod/v1/store', '/v1/me'];
  for (const path of [...closed, '/prod/v1/me', '/prod/me/', '/me/a', '/desk/me/a', '/other/me'])
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

  const get = (pathParameters: { file: string } | null, resource = '/desk') =>
    handler({ httpMethod: 'GET', resource, pathParameters });
  const [page, customers, file, none, inherited, below] = await Promise.all([
    get(null),
    get(null, '/me'),
    get({ file: script }),
    get({ file: 'other.js' }),
    get({ file: 'constructor' }),
    get({ file: 'me' }),
  ]);
  const head = await handler({ httpMethod: 'HEAD', resource: '/desk', pathParameters: null });

  expect(page?.body).toContain(`src="desk/${script}"`);
  for (const one of [page, customers])
    expect(one?.headers).toMatchObject({ 'Cache-Control': 'no-cache', 'Content-Type': 'text/html; charset=utf-8' });
  expect(file?.headers).toMatchObject({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Type': 'text/javascript; charset=utf-8',
  });
  expect(customers?.headers).toEqual(page?.headers);
  for (const answer of [page, file])
    expect(answer?.headers).toMatchObject({
      'Content-Security-Policy': expect.stringMatching(
        /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/,
      ),
      'Strict-Transport-Security': expect.any(String),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
  expect([none?.statusCode, inherited?.statusCode, below?.statusCode]).toEqual([404, 404, 404]);
  expect(head).toEqual({ ...page, body: '' });
});

test('allows pictures of the texture service that a setting names, and of no other origin', async () => {
  const textureUrl = 'https://textures.example.com:8443/a/{uuid}.png?size=256';
  const [, { Properties: named }] = templateOf({ textureUrl }).functionOf('desk') as unknown as [string, Resource];
  const files = await bundleDesk();
  const policyOf = (name: string): string =>
    String(answerDesk(files, name).headers['Content-Security-Policy' as never]);

  const without = [answerDesk(files, '').body, policyOf(''), answerDesk(files, customerPage).body];
  process.env.TEXTURE_URL = textureUrl;
  const allowed = [answerDesk(files, '').body, policyOf(''), answerDesk(files, customerPage).body];
  delete process.env.TEXTURE_URL;

  expect(named.Environment?.Variables).toMatchObject({ TEXTURE_URL: textureUrl });
  expect(without[0]).toContain('<meta name="textures" content="">');
  expect(without[1]).toContain('; img-src data:; ');
  expect(allowed[0]).toContain(`<meta name="textures" content="${textureUrl}">`);
  expect(allowed[1]).toContain('; img-src data: https://textures.example.com:8443; ');
  expect(without[2]).toContain('<meta name="textures" content="">');
  expect(allowed[2]).toContain(`<meta name="textures" content="${textureUrl}">`);
});

test.each([
  ['https://textures.example.com/{uuid}', true],
  ['https://textures.example.com/t?id={uuid}&size=2', true],
  ['http://textures.example.com/{uuid}', false],
  ['https://textures.example.com/', false],
  ['https://{uuid}.example.com/', false],
  ['https://textures.example.com/{uuid}"><script>', false],
  ["https://textures.example.com; script-src 'unsafe-inline'/{uuid}", false],
  ['https://user@textures.example.com/{uuid}', false],
  ['https://a..b:99999/{uuid}', false],
])('%s is the address of a texture service: %s', (address, isGood) => {
  expect(isTextureUrl(address)).toBe(isGood);
});

test('asks no other address for a new version, unless the setting names one', async () => {
  const [silent, asking] = await Promise.all([bundleDesk(), bundleDesk('deployed', 'https://example.org/LATEST')]);
  const settings = { releases: 'https://example.org/some/LATEST' };
  const variablesOf = ({ functionOf }: typeof asShipped) => functionOf('desk')[1].Properties.Environment?.Variables;

  expect(Object.values(silent).join()).not.toContain('LATEST');
  expect(Object.values(asking).join()).toContain('https://example.org/LATEST');
  expect(variablesOf(asShipped)).not.toHaveProperty('RELEASES_ORIGIN');
  expect(variablesOf(templateOf(settings))).toMatchObject({ RELEASES_ORIGIN: 'https://example.org' });
  expect(answerDesk(asking, '', 'https://example.org').headers).toMatchObject({
    'Content-Security-Policy': expect.stringContaining("connect-src 'self' https://example.org;"),
  });
});

/** A gateway's calls, a function's start and line, and traffic, in dollars (docs/operate/costs.md). */
const dollarsOf = (calls: number, bytes: number): number => calls * (3.5e-6 + 0.72e-6) + (bytes / 1e9) * 0.09;

test('bounds what everybody together can load of the desk, to less than two dollars an hour', async () => {
  const files = Object.values(await bundleDesk()).map((text) => Buffer.byteLength(text));
  const settings: Resource[] = asShipped.only('AWS::ApiGateway::Stage').MethodSettings;

  const ofDesk = settings.filter(({ ResourcePath }) => /^\/~1(?:desk|me)/.test(ResourcePath));

  expect(ofDesk.map(({ HttpMethod, ResourcePath }) => `${HttpMethod} ${ResourcePath}`).sort()).toEqual([
    'GET /~1desk',
    'GET /~1desk~1{file}',
    'GET /~1me',
    'HEAD /~1desk',
    'HEAD /~1desk~1{file}',
    'HEAD /~1me',
  ]);
  for (const one of ofDesk) {
    const [ThrottlingRateLimit, ThrottlingBurstLimit] = one.ResourcePath === '/~1me' ? [10, 50] : [20, 100];
    expect(one).toMatchObject({ ThrottlingRateLimit, ThrottlingBurstLimit, DataTraceEnabled: false });
  }
  const calls = ofDesk.reduce((sum: number, { ThrottlingRateLimit }: Resource) => sum + 3600 * ThrottlingRateLimit, 0);
  const perHour = dollarsOf(calls, 20 * 3600 * Math.max(...files));
  expect(perHour).toBeLessThan(2);
});

test('leaves room for the first view of ten people at once', async () => {
  const files = await bundleDesk();
  const named = Object.keys(files).filter((name) => name !== '' && files['']?.includes(`desk/${name}`));

  const { ThrottlingBurstLimit } = asShipped
    .only('AWS::ApiGateway::Stage')
    .MethodSettings.find(({ ResourcePath }: Resource) => ResourcePath === '/~1desk~1{file}');

  // Beside the files that the page names, the next page that somebody opens takes a script or two.
  expect(10 * (named.length + 2)).toBeLessThanOrEqual(ThrottlingBurstLimit);
});

test('holds nothing large: the OpenAPI document is not among its files, and none has 60 KB', async () => {
  const files = await bundleDesk();

  expect(files).not.toHaveProperty(['openapi.json']);
  for (const [name, text] of Object.entries(files)) expect(Buffer.byteLength(text), name).toBeLessThan(60_000);
});

/** The names of the files that a file loads at once, with its own. */
const loadedWith = (files: DeskFiles, name: string, found = new Set<string>()): Set<string> => {
  if (found.has(name)) return found;
  found.add(name);
  const named = ['', customerPage].includes(name)
    ? /(?<=(?:src|href)="desk\/)[^"]+\.(?:js|css)/g
    : /(?<=from"\.\/|import"\.\/)[^"]+/g;
  for (const [other] of files[name]?.matchAll(named) ?? []) loadedWith(files, other, found);
  return found;
};

const bytesOf = (files: DeskFiles, names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + Buffer.byteLength(files[name] ?? ''), 0);

test('is small: page, style sheet and scripts of the first view are less than 130 KB even where nothing compresses them', async () => {
  const files = await bundleDesk();

  const named = ['', ...Object.keys(files).filter((name) => name !== '' && files['']?.includes(`desk/${name}`))];
  const first = loadedWith(files, '');
  expect(first.size).toBeGreaterThan(2);
  expect(named).toEqual(expect.arrayContaining([...first]));
  // API Gateway compresses the large ones alone, and those only for browsers that ask for it.
  expect(bytesOf(files, first)).toBeLessThan(130_000);
  // The policy forbids inline scripts, inline styles and evaluated text.
  expect(files['']).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
});

/** The names of the files that a file imports while it runs. */
const importedBy = (files: DeskFiles, name: string): string[] => files[name]?.match(/(?<=import\("\.\/)[^"]+/g) ?? [];

/** The name of a file without the hash of its content. */
const plain = (name: string): string => name.replace(/-\w+\.js$/, '');

/** The parts that these pages do not load as they open. Every other part counts as opened with its page. */
const laterParts: Record<string, readonly string[]> = {
  // They come with a press.
  category: ['many', 'product-file'],
  customers: ['many'],
  import: ['import-plan'],
  products: ['many', 'product-file'],
  sales: ['sale'],
  // Only a row about a key needs the presets, and these pages show none.
  coupons: ['held-preset'],
  customer: ['customer-dialogs', 'customer-own-page', 'held-preset'],
  product: ['sell', 'held-preset'],
  // The page shows one of these scripts for people to copy.
  setup: ['dispenser', 'vendor', 'shelf', 'terminal', 'cashier'],
};

test('loads at most 40 KB more for the first opening of any page, and less than 8 KB for Boxes', async () => {
  const files = await bundleDesk();
  const first = loadedWith(files, '');
  const opened = [...first].flatMap((name) => importedBy(files, name));
  const unused = new Set(Object.entries(laterParts).flatMap(([page, parts]) => parts.map((part) => `${page} ${part}`)));
  const further = (page: string): number => {
    const found = loadedWith(files, page, new Set(first));
    // The set grows while it is read.
    for (const name of found) {
      if (first.has(name)) continue;
      for (const part of importedBy(files, name)) {
        unused.delete(`${plain(page)} ${plain(part)}`);
        if (!laterParts[plain(page)]?.includes(plain(part))) loadedWith(files, part, found);
      }
    }
    return bytesOf(files, found) - bytesOf(files, first);
  };

  expect(opened.length).toBeGreaterThan(20);
  for (const name of opened) expect.soft(further(name), name).toBeLessThanOrEqual(40_000);
  expect([...unused]).toEqual([]);
  expect(further(String(opened.find((name) => name.startsWith('boxes-'))))).toBeLessThan(8000);
});

test('is less than 600 KB in all its files', async () => {
  const files = await bundleDesk();
  const customers = loadedWith(files, customerPage);

  expect(
    bytesOf(
      files,
      Object.keys(files).filter((name) => !customers.has(name)),
    ),
  ).toBeLessThan(600_000);
});

test('the customer’s page is less than 60 KB in all its files, of which none is the desk’s', async () => {
  const files = await bundleDesk();
  const own = loadedWith(files, customerPage);

  expect([...own]).toEqual([
    customerPage,
    expect.stringMatching(/^page-\w+\.css$/),
    expect.stringMatching(/^page-\w+\.js$/),
  ]);
  expect(Object.keys(files).filter((name) => name.startsWith('page-'))).toHaveLength(2);
  expect([...loadedWith(files, '')].filter((name) => own.has(name))).toEqual([]);
  expect(bytesOf(files, own)).toBeLessThan(60_000);
  expect(files[customerPage]).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
  // Nothing but an address in a namespace of XML leads elsewhere.
  expect([...own].flatMap((name) => files[name]?.match(/\bhttps?:\/\/(?!www\.w3\.org)[^"'\s]*/g) ?? [])).toEqual([]);
});

test('carries the licence of each package that it is made with, for everybody to read', async () => {
  const sources = [
    ...codeOf('apps/desk', 'apps/page'),
    ...codeOf('apps/client').filter((file) => /\/(?:client|operations|types)\.ts$/.test(file)),
  ].map((file) => readFileSync(file, 'utf8'));
  const imported = sources.flatMap((text) =>
    [...text.matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)/g)].map(([, name]) => name),
  );
  const files = await bundleDesk();
  const answer = answerDesk(files, 'notices.txt');

  expect(imported).toEqual(expect.arrayContaining(['preact', 'lucide']));
  for (const name of new Set(imported)) {
    const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
    expect(['MIT', 'ISC']).toContain(license);
    expect(answer.body).toContain(`\n${name} ${version} (${license})\n`);
    expect(answer.body).toContain(readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim());
  }
  expect(answer.headers).toMatchObject({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' });
  expect(Object.values(files).join()).toContain('desk/notices.txt');
});

test('leaves the pages for developers, and the tools, to the local service', async () => {
  const [deployed, local] = await Promise.all([bundleDesk(), bundleDesk('local')]);

  expect(Object.values(deployed).join()).not.toMatch(/_dev|EventSource|API_KEY/);
  expect(Object.values(local).join()).toContain('/_dev/');
});
