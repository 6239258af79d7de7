import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { startDeployment } from '../../../local/deployed/deployment.ts';
import type { FunctionFacts } from '../../../local/deployed/environment.ts';
import type { Statement } from '../../../local/deployed/roles.ts';
import { startQueue } from '../../../local/engines/queue.ts';
import { atEnd } from '../../support/at-end.ts';
import { dir, expectSuitesPass, residents, synthesise } from './suites.ts';

/** The template and the bundles as they are deployed. */

const asShipped = join(dir, 'cdk.out');
let printed = '';
beforeAll(async () => {
  // Otherwise the queue of the first deployment, which all of a process use, ends with it.
  const queue = await startQueue();
  process.env.AWS_ENDPOINT_URL_SQS = queue.endpoint;
  atEnd(queue.stop);
  printed = await synthesise(asShipped, {});
}, 300_000);

/** Starts the template for one test, and answers a GET with the key of a new store. */
const startAnother = async (options: Partial<Parameters<typeof startDeployment>[0]>) => {
  const another = await startDeployment({ template: asShipped, port: 0, concurrency: 10, ...options });
  const { id } = await createStore('Another');
  const { text } = await issueKey({ store: id, name: 'suite', scopes, stage: 'live' });
  const call = (path: string, init: RequestInit = {}) =>
    fetch(another.baseUrl + path, { ...init, headers: { 'X-API-Key': text, 'Content-Type': 'application/json' } });
  const get = (path: string) => call(path);
  const post = (path: string, body: object) => call(path, { method: 'POST', body: JSON.stringify(body) });
  // Its consumer reads the stream from its beginning, which holds up the first calls.
  const isReady = async () => (await get('/v1/coupons/owner/nobody.anywhere')).status;
  await expect.poll(isReady, { timeout: 60_000 }).toBe(404);
  return { get, post, tableName: another.table.name, stop: another.stop };
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

// The earlier tests leave few records in the stream, which each deployment reads from its beginning.
test(
  'the suites of the contract and of the extensions pass against the template and the bundles',
  {
    timeout: 900_000,
  },
  () => expectSuitesPass(asShipped, printed, {}),
);

test('16 callers buy 500 copies of one limited product, where transactions conflict, without a 503', async () => {
  const { get, post, stop } = await startAnother({ concurrency: 100, holdMillis: 15 });
  onTestFinished(stop);
  await Promise.all(residents.map((one) => putResident(one)));
  const sellAll = async (count: number, product: object) => {
    const { id } = await (await post('/v1/products', { name: 'Lamp', price: 5, ...product })).json();
    const statuses: number[] = [];
    let sold = 0;
    const buy = async (buyerIdentifier: string) => {
      while (sold++ < count) {
        const sale = { id: randomUUID(), productId: id, buyerIdentifier, paid: 5 };
        statuses.push((await post('/v1/sales', sale)).status);
      }
    };
    const began = performance.now();
    await Promise.all(residents.slice(0, 16).map(({ uuid }) => buy(uuid)));
    const perSecond = ((count * 1000) / (performance.now() - began)).toFixed(0);
    const { availableAmount } = await (await get(`/v1/products/${id}`)).json();
    return { statuses: [...new Set(statuses)], availableAmount, perSecond };
  };

  const limited = await sellAll(500, { limited: true, availableAmount: 800 });
  const unlimited = await sellAll(100, {});

  console.log(`${limited.perSecond} sales a second of a limited product, ${unlimited.perSecond} of an unlimited one`);
  expect(limited).toMatchObject({ statuses: [201], availableAmount: 300 });
  expect(unlimited.statuses).toEqual([201]);
});
