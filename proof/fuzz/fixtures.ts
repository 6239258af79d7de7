import { ok } from 'node:assert/strict';
import { newKey } from '../../lib/keys.ts';
import { putResident } from '../../lib/operator/residents.ts';
import { createStore } from '../../lib/operator/stores.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { endsItsKey, queryOf, routesOfKeys } from '../../test/support/example-requests.ts';
import { seedOneOfEach } from '../../test/support/one-of-each.ts';
import { type FuzzRequest, fixtureCount, strangers } from '../../test/support/requests.ts';
import { ada, bob, cleo, seedResidents } from '../../test/support/residents.ts';
import type { Call, startTestService } from '../../test/support/service.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

const seedRows = async (call: Call, prefix: string): Promise<Record<string, string>> => {
  const values: Record<string, string> = {};
  await call('POST', `/v1/customers/${cleo.uuid}/actions/ban`);
  for (let number = 0; number < (prefix ? 3 : fixtureCount); number++) {
    const suffix = prefix ? '' : number;
    const code = `Code ${number}`;
    values[`code${suffix}`] = code;
    const seed = { code, owner: ada.uuid, customer: bob.uuid, active: number % 4 > 0 };
    for (const [kind, id] of Object.entries(await seedOneOfEach(call, seed))) values[prefix + kind + suffix] = id;
  }
  return values;
};

const swapCase = (text: string): string =>
  text.replace(/[A-Za-z]/g, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));

/**
 * Makes a store with rows of every kind, and another store with one row of each. Returns a function that fills in their
 * ids.
 */
export const newFixtures = async (service: Service) => {
  await seedResidents();
  for (const stranger of strangers) await putResident(stranger);
  const [store, theirs] = [await createStore('Fuzz'), await createStore('Other')];
  const key = await service.keyWith(scopes, store.id);
  const theirKey = await service.keyWith(scopes, theirs.id);
  const values: Record<string, string> = {
    key,
    endedkey: await service.keyWith(scopes, store.id),
    otherkey: theirKey,
    othercasekey: swapCase(key),
    unknownkey: newKey('test').text,
    ...(await seedRows(service.callAs(theirKey), 'their')),
    ...(await seedRows(service.callAs(key), '')),
  };
  /** A cursor for each list of the key's store. */
  const cursorsOf = async (apiKey: string): Promise<Map<string, string>> => {
    const cursors = new Map<string, string>();
    for (const row of routesOfKeys.filter(({ query }) => 'cursor' in query.shape)) {
      const { id, path } = row;
      const webhook = values[apiKey === key ? 'webhook0' : 'theirwebhook'] ?? '';
      const named = path.replace('{identifier}', path.includes('owner') ? ada.uuid : bob.uuid);
      const target = `${named.replace('{id}', webhook)}${queryOf(row)}limit=1`;
      const { nextCursor } = (await service.callAs(apiKey)('GET', target)).body.pagination;
      ok(nextCursor, `${id} has a second page`);
      cursors.set(id, nextCursor);
    }
    return cursors;
  };
  const cursors = { cursor: await cursorsOf(key), theircursor: await cursorsOf(theirKey) };

  const valueFor = (name: string, row: string): string | undefined =>
    cursors[name as keyof typeof cursors]?.get(row) ??
    values[name === 'key' && endsItsKey({ id: row }) ? 'endedkey' : name];
  const fillText = (text: string, row: string): string =>
    text.replace(/~(\w+)~/g, (all, name) => valueFor(name, row) ?? all);

  const fillAll = (request: FuzzRequest): FuzzRequest => ({
    ...request,
    target: fillText(request.target, request.row),
    headers: request.headers.map(([name, value]) => [name, fillText(value, request.row)]),
    ...(request.body !== undefined && { body: fillText(request.body, request.row) }),
    // A path may name nothing besides. No key reads the lists of a customer's page.
    ...(request.target.includes('~theircursor~') &&
      cursors.theircursor.has(request.row) &&
      !request.expect && { expect: request.mutation.startsWith('path ') ? [400, 404] : [400] }),
  });
  return { store: store.id, fill: fillAll };
};
