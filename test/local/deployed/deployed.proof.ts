import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { issueKey } from '../../../cli/deployment/api-keys.ts';
import { createStore } from '../../../cli/deployment/stores.ts';
import { scopes } from '../../../lib/routes/route.ts';
import { startDeployment } from '../../../local/deployed/deployment.ts';
import type { FunctionFacts } from '../../../local/deployed/environment.ts';
import type { Statement } from '../../../local/deployed/roles.ts';
import { dir, expectSuitesPass, synthesise } from './suites.ts';

/** The template and the bundles as they are deployed. */

const asShipped = join(dir, 'cdk.out');
let printed = '';
beforeAll(async () => {
  printed = await synthesise(asShipped, {});
}, 300_000);

test(
  'the suites of the contract and of the extensions pass against the template and the bundles',
  {
    timeout: 900_000,
  },
  () => expectSuitesPass(asShipped, printed, {}),
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
