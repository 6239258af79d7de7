import { expect, test } from 'vitest';
import type { Route } from '../../lib/routes/route.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { startTestQueue } from '../support/deliveries.ts';
import {
  exampleOf,
  needsItsKey,
  queryOf,
  routesOfKeys as routes,
  routesInOrder,
  seedExamples,
} from '../support/example-requests.ts';
import { ada, bob, cleo, seedResidents } from '../support/residents.ts';
import { startTestService, wholeTable } from '../support/service.ts';

/**
 * Tries to reach one store from another. test/lib/routes/other-store.test.ts tries it by ids; these tests try other
 * ways.
 */

process.env.DISPENSER_LOOPBACK = 'allowed';
await startTestQueue();
const service = await startTestService();
await seedResidents();
let mine = await seedExamples(service.call);
const theirs = await seedExamples(service.callOther);
await seedExamples(service.call, 'Second');
await service.call('POST', `/v1/customers/${cleo.uuid}/actions/ban`);

const posts = routes.filter(({ method }) => method === 'POST').map((row) => [row.id, row] as const);

test.each(posts)('%s: one Idempotency-Key in two stores is two keys', async (id, row) => {
  const key = { 'Idempotency-Key': `shared ${id}`.replaceAll(' ', '-') };
  const own = exampleOf(row, mine, `New ${id}`);
  const other = exampleOf(row, theirs, `New ${id}`);
  const call = needsItsKey(row) ? service.call : service.callAs(await service.keyWith(scopes));
  const otherKey = await service.keyWith(scopes, service.otherStore);
  const callOther = needsItsKey(row) ? service.callOther : service.callAs(otherKey);

  const first = await call(row.method, own.path, own.body, key);
  const second = await callOther(row.method, other.path, other.body, key);
  const again = await callOther(row.method, other.path, other.body, key);

  expect([first.status, second.status, again.status]).toEqual([row.status, row.status, row.status]);
  const replayed = [first, second, again].map(({ headers }) => headers.get('idempotent-replayed'));
  expect(replayed).toEqual([null, null, 'true']);
  expect(again.body).toEqual(second.body);
});

test('no request of one store changes another store’s rows or answers about the same residents', async () => {
  mine = await seedExamples(service.call, 'Not asked for before');
  const bobs = `/v1/customers/${bob.uuid}`;
  const own = await seedExamples(service.call, 'Own');
  const expiresAt = '2099-01-01T00:00:00Z';
  await service.callOther('PUT', bobs, { discount: 77, newsSubscriber: true });
  for (const call of [service.call, service.callOther])
    for (const action of ['set-credit', 'set-restricted-credit'])
      await call('POST', `${bobs}/actions/${action}`, { credit: 50, expiresAt });
  await service.callOther('POST', `${bobs}/actions/ban`, { reason: 'Theirs' });
  await service.callOther('POST', `${bobs}/actions/apply-coupon`, { couponId: theirs.coupon, scope: 0 });
  await service.callOther('PUT', '/v1/dispenser', { url: 'http://127.0.0.1:1/theirs' });
  const call = service.callAs(await service.keyWith(scopes));
  const isMine = (pk: string, store: unknown): boolean =>
    pk.startsWith(service.store) ||
    pk === `STORE#${service.store}` ||
    (/^(?:KEY|PAGE|LOG)#/.test(pk) && store === service.store);
  const notMine = async () => (await wholeTable()).filter(({ pk, store }) => !isMine(String(pk), store));
  const seen = async () => {
    const answers: Record<string, unknown> = {};
    for (const row of routes.filter((one) => one.method === 'GET'))
      answers[row.id] = (await service.callOther('GET', exampleOf(row, theirs, '').path)).body;
    return answers;
  };
  const [items, answers] = [await notMine(), await seen()];

  for (const row of routesInOrder) {
    const { path, body } = exampleOf(row, own, `Beside ${row.id}`);
    const asked = needsItsKey(row) ? service.call : call;
    expect((await asked(row.method, path, body)).status, row.id).toBe(row.status);
    expect(await notMine(), row.id).toEqual(items);
  }

  expect(await seen()).toEqual(answers);
});

const lists = routes.filter(({ query }) => 'cursor' in query.shape);
const listPath = (row: Route): string =>
  row.path.replace('{identifier}', row.path.includes('owner') ? ada.uuid : bob.uuid).replace('{id}', mine.webhook) +
  queryOf(row);

test('a cursor works only in the list that made it, also within one store', async () => {
  for (const from of lists) {
    const { nextCursor } = (await service.call('GET', `${listPath(from)}limit=1`)).body.pagination;
    expect(nextCursor, from.id).toEqual(expect.any(String));
    for (const to of lists) {
      const answer = await service.call('GET', `${listPath(to)}limit=1&cursor=${nextCursor}`);
      if (to === from) expect(answer.status, from.id).toBe(200);
      else expect(answer.body.errors, `${from.id} in ${to.id}`).toEqual(['Cursor is invalid.']);
    }
  }
});
