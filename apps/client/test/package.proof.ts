import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/files.ts';
import { startForTests } from '../../../test/support/local-service.ts';
import type { OpenApiDocument } from '../../reference/types.ts';

/** The package, as somebody else's project installs and uses it. */

const root = join(import.meta.dirname, '../../..');
const project = tempDir();
const name = 'store-integration-client';
const installed = join(project, 'node_modules', name);

const [, guideExample = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(root, 'docs/guides/client.md'), 'utf8')) ?? [];

/** The samples of the reference. */
const { paths } = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as OpenApiDocument;
const samples = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap((operation) => operation['x-codeSamples'].filter(({ lang }) => lang === 'TypeScript'))
  .map(({ source }) => source);

/** Right calls, and wrong ones that must not compile. */
const uses = `
import { type Answered, type EventData, type Listed, type ProductResponse, type StoreClient, storeClient, verifyWebhook } from '${name}';

export const made = async (store: StoreClient): Promise<void> => {
  const page = await store.products.list({ limit: 2 });
  const listed: Listed<typeof page> = store.products.list();
  const product: Answered<ProductResponse> = store.products.create({ name: 'Chair', price: 30 });
  const nothing: undefined = await store.categories.addProduct('id', (await product).id, { idempotencyKey: 'a' });
  const { requestId }: { requestId: string | undefined } = await listed.withResponse();
  const byPath: { name: string } = await store.get('/v1/products/{id}', { path: { id: requestId ?? '' } });
  const paid: EventData<'sale.completed'>['paid'] = 5;
  console.log(nothing, byPath, paid, page.pagination.nextCursor, verifyWebhook, storeClient);
  // @ts-expect-error a field that is not in the contract
  store.customers.incrementCredit('ada', { amount: 5 });
  // @ts-expect-error a value of the path is missing
  store.customers.incrementCredit({ delta: 5 });
  // @ts-expect-error a body is missing
  store.customers.incrementCredit('ada');
  // @ts-expect-error no operation
  store.customers.erase('ada');
};
`;

let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  service = await startForTests();
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  execFileSync(process.execPath, [join(root, 'apps/client/pack.ts')], { cwd: project, stdio: 'pipe' });
  const [tarball = ''] = readdirSync(project).filter((file) => file.endsWith('.tgz'));
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], {
    cwd: project,
    stdio: 'pipe',
  });
  mkdirSync(join(project, 'built'));
});
afterAll(() => service.stop());

/** This Node.js and the other ones on the machine, by version. */
const nodes = Object.fromEntries(
  [process.execPath, ...(process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'node'))].flatMap(
    (path) => {
      const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
      return status === 0 && Number(/\d+/.exec(stdout)) >= 20 ? [[stdout.trim(), path]] : [];
    },
  ),
);

const compile = (): string => {
  // The project has no types of Node.js, and the example reads its settings from the environment.
  writeFileSync(
    join(project, 'environment.d.ts'),
    'declare const process: { env: Record<string, string | undefined> };',
  );
  writeFileSync(join(project, 'example.ts'), guideExample);
  writeFileSync(join(project, 'uses.ts'), uses);
  for (const [n, source] of samples.entries()) writeFileSync(join(project, `sample-${n}.ts`), source);
  writeFileSync(join(project, 'tsconfig.json'), '{ "compilerOptions": { "outDir": "built" } }');
  return spawnSync(join(root, 'node_modules/.bin/tsc'), { cwd: project, encoding: 'utf8' }).stdout;
};

const runExample = async (node: string, file: string): Promise<string> => {
  const env = { STORE_URL: `${service.baseUrl}/v1`, STORE_KEY: service.keys.all };
  const { stdout } = await promisify(execFile)(node, ['--no-warnings', file], { cwd: project, env });
  return stdout;
};

const printed =
  /^\w+ has L\$ \d+\.\n(.+: L\$ \d+\n)+400 \[ 'delta must not remove more than the customer holds, which is \d+\.' \] [0-9a-f-]{36}\n$/;

test('is one file of JavaScript and one of types, without dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json']);
  expect(readdirSync(join(project, 'node_modules')).filter((file) => !file.startsWith('.'))).toEqual([name]);
  expect(manifest).not.toHaveProperty('dependencies');
  expect(readFileSync(join(installed, 'index.js'), 'utf8')).not.toMatch(/^import|\bimport\(|require\(/m);
});

test('compiles with the default settings of tsc and without types of Node.js, and refuses wrong calls', () => {
  expect(samples.length).toBeGreaterThanOrEqual(62);
  expect(compile()).toBe('');
});

test(`runs the example of docs/guides/client.md on Node.js ${Object.keys(nodes).join(' and ')}`, async () => {
  compile();
  writeFileSync(join(project, 'main.mjs'), guideExample);

  for (const node of Object.values(nodes))
    for (const file of ['main.mjs', 'built/example.js']) expect(await runExample(node, file), file).toMatch(printed);
});

test('exports to types what it exports to programs', async () => {
  const values = readFileSync(join(installed, 'index.d.ts'), 'utf8').matchAll(
    /^export declare (?:const|class) (\w+)/gm,
  );

  const program = await import(join(installed, 'index.js'));

  expect([...values].map(([, value]) => value).sort()).toEqual(Object.keys(program).sort());
});

test('is usable as a folder of sources', async () => {
  const folder = guideExample.replace(name, join(root, 'apps/client/client.ts'));
  writeFileSync(join(project, 'folder.ts'), folder);

  expect(await runExample(process.execPath, 'folder.ts')).toMatch(printed);
});
