import { expect, test } from 'vitest';
import { type Scope, scopes } from '../../lib/routes/scopes.ts';
import { startTestQueue } from '../support/deliveries.ts';
import { endsItsKey, exampleOf, onceOnly, routesOfKeys as routes, seedExamples } from '../support/example-requests.ts';
import { randomFrom } from '../support/faults.ts';
import { seedResidents } from '../support/residents.ts';
import { startTestService } from '../support/service.ts';
import { volume } from '../support/volume.ts';
import { requestTag, watchWrites } from '../support/writes.ts';

/** Calls every endpoint with every scope, while the gateway caches the authorizer's answers as on AWS. */

/** `SCOPES_SEED` replays an order of requests. */
const seed = Number(process.env.SCOPES_SEED ?? Date.now() % 2 ** 31);

process.env.DISPENSER_LOOPBACK = 'allowed';
await startTestQueue();
const service = await startTestService({ authorizerTtlSeconds: 3600 });
await seedResidents();
const rows = await seedExamples(service.call);
const writtenBy = watchWrites();

const shuffled = <T>(values: T[]): T[] => {
  const random = randomFrom(seed);
  return values
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
};

let count = 0;

/** Sends the row's request with a key. Returns true if it was let through. A refused request must do nothing. */
const isLetThrough = async (row: (typeof routes)[number], key: string): Promise<boolean> => {
  const tag = String(++count);
  const { path, body } = exampleOf(row, rows, `Code ${tag}`);
  const answer = await service.callAs(key)(row.method, path, body, { [requestTag]: tag });
  const written = writtenBy(tag);
  if (answer.status !== 403) {
    // The endpoint itself answers 404 for rows that an earlier request has deleted, and 400 for what it does only once:
    // it redeems a card, for example.
    expect(
      [row.status, 404, ...(onceOnly.includes(row.id) ? [400] : [])],
      `${row.id}: ${JSON.stringify(answer.body)}`,
    ).toContain(answer.status);
    return true;
  }
  expect(answer.cost, 'its function is not called').toBeUndefined();
  expect(written).toEqual([]);
  expect(answer.body).toEqual({
    status: 403,
    title: 'Forbidden',
    detail: `The API key lacks the scope ${row.scope}, which this endpoint needs.`,
    instance: path.split('?')[0],
  });
  return false;
};

const withScopes = async (name: string, of: readonly Scope[]) => ({ name, of, key: await service.keyWith(of) });

test(`every endpoint accepts exactly the keys with its scope, and one without a scope any live key, in any order of requests (SCOPES_SEED=${seed})`, {
  // Each row with each scope, twice.
  timeout: routes.length * scopes.length * 200,
}, async () => {
  const keys = await Promise.all([
    ...scopes.map((scope) => withScopes(scope, [scope])),
    withScopes('none', []),
    withScopes('all', scopes),
  ]);
  const pairs = keys.flatMap((key) => routes.map((row) => ({ ...key, row })));

  // The second time every answer of the authorizer comes from the cache.
  const again = shuffled(pairs).slice(0, volume(40, pairs.length));
  for (const { name, of, key: shared, row } of [...shuffled(pairs), ...again]) {
    const key = endsItsKey(row) ? await service.keyWith(of) : shared;
    expect(await isLetThrough(row, key), `${name} on ${row.id}`).toBe(
      row.scope === null || (of as readonly string[]).includes(row.scope),
    );
  }
});

test('403s for a key without the endpoint’s scope but with all others', async () => {
  for (const scope of scopes) {
    const key = await service.keyWith(scopes.filter((each) => each !== scope));
    for (const row of routes.filter((each) => each.scope === scope))
      expect(await isLetThrough(row, key), `${row.id} without ${scope}`).toBe(false);
  }
});

test('a cached answer of the authorizer for one store’s key never serves another store’s key', async () => {
  const own = await service.call('GET', `/v1/products/${rows.product}`);
  const other = await service.callOther('GET', `/v1/products/${rows.product}`);
  const again = await service.call('GET', `/v1/products/${rows.product}`);

  expect([own.status, other.status, again.status]).toEqual([200, 404, 200]);
});

test('reading the store and the end of the key itself take any live key, and nothing else does', () => {
  expect(routes.filter(({ scope }) => scope === null).map(({ id }) => id)).toEqual([
    'own-key/end-key',
    'store/get-store',
    'rules/get-rules',
  ]);
});
