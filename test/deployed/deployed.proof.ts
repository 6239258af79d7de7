import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { issueKey } from '../../cli/api-keys.ts';
import { putResident } from '../../cli/residents.ts';
import { createStore } from '../../cli/stores.ts';
import { scopes } from '../../lib/routes/route.ts';
import { startDeployment } from '../../local/deployed/deployment.ts';
import type { BusEvent, Use } from '../../local/deployed/engines.ts';
import type { FunctionFacts } from '../../local/deployed/functions.ts';
import type { Statement } from '../../local/deployed/roles.ts';
import { everythingOn } from '../support/stack.ts';

/** The template and the bundles as they are deployed, with rates that no test reaches. */

const dir = mkdtempSync(join(tmpdir(), 'sis-deployed-'));
const { PATH = '', HOME = '' } = process.env;

const run = async (command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const child = spawn(command, args, { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return output;
};

const asShipped = join(dir, 'as shipped');
const synthesise = (output: string, settings: Record<string, string>): Promise<string> => {
  const rates = { readRate: '10000', writeRate: '10000', listRate: '10000', storeShare: '100' };
  const context = Object.entries({ ...rates, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return run('npm', ['run', 'synth', '--', '-o', output, ...context]);
};

type Started = Awaited<ReturnType<typeof startDeployment>>;

beforeAll(async () => {
  await synthesise(asShipped, {});
}, 300_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const residents = Array.from({ length: 40 }, (_, index) => ({
  uuid: `5e51de27-0000-4000-8000-${String(index).padStart(12, '0')}`,
  username: `resident${index}.deployed`,
}));

/** Runs a suite that knows nothing but HTTP, with two stores of its own. Answers how many of its tests passed, and what failed. */
const runSuite = async (deployment: Started, project: string, config: string) => {
  const [store, other] = [await createStore(project), await createStore('Other')];
  const keyOf = async (id: string, of: readonly (typeof scopes)[number][]): Promise<string> =>
    (await issueKey({ store: id, name: 'suite', scopes: of, stage: 'live' })).text;

  const report = join(dir, `${project}.json`);
  const args = ['run', '--config', config, '--project', project, '--reporter=json', `--outputFile=${report}`];
  const output = await run('vitest', args, {
    CONTRACT_BASE_URL: deployment.baseUrl,
    CONTRACT_KEY: await keyOf(store.id, scopes),
    CONTRACT_READ_KEY: await keyOf(store.id, ['products:read']),
    CONTRACT_OTHER_KEY: await keyOf(other.id, scopes),
    CONTRACT_RESIDENTS: residents.map(({ username }) => username).join(','),
    CONTRACT_LOOPBACK: 'https://loopback-{port}.agni.secondlife.io',
  });

  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(
    ({ assertionResults }: { assertionResults: Record<string, string | string[]>[] }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.[0]}`),
  );
  return { passed: Number(numPassedTests), failed, output };
};

const templates: [string, Record<string, string>][] = [
  ['as shipped', {}],
  ['with all that is sold', everythingOn],
];

test.each(templates)(
  'the suites of the contract and of the extensions pass against the template and the bundles, %s',
  {
    timeout: 900_000,
  },
  async (name, settings) => {
    const output = join(dir, name);
    const printed = output === asShipped ? '' : await synthesise(output, settings);
    const uses: Use[] = [];
    const busEvents: BusEvent[] = [];
    /** The errors that functions logged, which say why one answered 500. An authorizer ends each 401 with one. */
    const errors: string[] = [];
    const deployment = await startDeployment({
      template: output,
      port: 0,
      concurrency: 1000,
      onUse: (use) => uses.push(use),
      onBusEvent: (event) => busEvents.push(event),
      onLine: (label, line) => {
        if (/"level":"ERROR"|Error/.test(line) && !line.includes('Unauthorized')) errors.push(`${label}: ${line}`);
      },
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${printed}`);
    });
    onTestFinished(() => deployment.stop());
    for (const resident of residents) await putResident(resident);

    // The second one waits for a minute, in which the first one works.
    const [contract, extensions] = await Promise.all([
      runSuite(deployment, 'contract', 'vitest.config.ts'),
      runSuite(deployment, 'extensions', 'vitest.proof.config.ts'),
    ]);

    const logged = errors.join('\n');
    expect(contract.failed, `${contract.output}\n${logged}`).toEqual([]);
    expect(extensions.failed, `${extensions.output}\n${logged}`).toEqual([]);
    expect(contract.passed).toBeGreaterThan(690);
    expect(extensions.passed).toBeGreaterThan(120);
    expect(uses.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
    const [origin = ''] = settings.corsOrigins?.split(',') ?? [];
    const preflight = await fetch(`${deployment.baseUrl}/v1/sales`, { method: 'OPTIONS', headers: { Origin: origin } });
    expect(preflight.headers.get('access-control-allow-origin') ?? '').toBe(origin);
    const buses = new Set(busEvents.map(({ EventBusName }) => EventBusName));
    expect([...buses]).toEqual('eventBus' in settings ? [settings.eventBus] : []);
  },
);

/** Starts the template once more, and answers a GET with the key of a new store. */
const startAnother = async (options: Partial<Parameters<typeof startDeployment>[0]>) => {
  const another = await startDeployment({ template: asShipped, port: 0, concurrency: 10, ...options });
  const { id } = await createStore('Another');
  const { text } = await issueKey({ store: id, name: 'suite', scopes, stage: 'live' });
  const get = (path: string) => fetch(another.baseUrl + path, { headers: { 'X-API-Key': text } });
  // Its consumer reads the stream from its beginning, which holds up the first calls.
  const isReady = async () => (await get('/v1/coupons/owner/nobody.anywhere')).status;
  await expect.poll(isReady, { timeout: 60_000 }).toBe(404);
  return { get, tableName: another.table.name, stop: another.stop };
};

test('503s for calls above the account’s concurrency', async () => {
  const { get, stop } = await startAnother({ concurrency: 1 });
  onTestFinished(stop);

  const answers = await Promise.all(Array.from({ length: 20 }, () => get('/v1/coupons')));

  const statuses = answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`);
  expect(new Set(statuses.filter((one) => one !== '200 null'))).toEqual(new Set(['503 1']));
});

const changed = (facts: FunctionFacts, change: (statement: Statement) => Partial<Statement>): FunctionFacts => ({
  ...facts,
  statements: facts.statements.map((statement) => ({ ...statement, ...change(statement) })),
});

/** A fault in each of three functions. */
const faults: Record<string, (facts: FunctionFacts) => FunctionFacts> = {
  'categories-list-categories': ({ environment: { TABLE_NAME: _, ...environment }, ...facts }) => ({
    ...facts,
    environment,
  }),
  'coupons-list-coupons': (facts) =>
    changed(facts, ({ Action }) => ({ Action: [Action].flat().filter((one) => one !== 'dynamodb:Query') })),
  'products-list-products': (facts) =>
    changed(facts, ({ Resource }) => ({ Resource: [Resource].flat().filter((one) => !/index/.test(one)) })),
};

test('a fault of the template shows: a variable that is missing, an action or an index that a role lacks', async () => {
  const refused: string[] = [];
  const { get, tableName, stop } = await startAnother({
    onUse: ({ action, resource, isAllowed }) => {
      if (!isAllowed) refused.push(`${action} on ${resource.replace(/^.*:table\//, '')}`);
    },
    change: (facts) => faults[facts.label]?.(facts) ?? facts,
  });
  onTestFinished(stop);

  const missing = await get('/v1/categories');
  const action = await get('/v1/coupons');
  const index = await get('/v1/products?active=true');

  expect(missing.status).toBeGreaterThanOrEqual(500);
  expect([action.status, index.status]).toEqual([500, 500]);
  expect([...new Set(refused)].map((one) => one.replace(tableName, 'the table'))).toEqual([
    'dynamodb:Query on store-integration-service',
    'dynamodb:Query on the table',
    'dynamodb:Query on the table/index/byFlags',
  ]);
});
