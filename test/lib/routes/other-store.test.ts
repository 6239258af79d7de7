import { expect, test } from 'vitest';
import type { Route } from '../../../lib/routes/route.ts';
import { exampleOf, queryOf, routesOfKeys as routes } from '../../support/example-requests.ts';
import { type Kind, kindOf, type OneOfEach, seedOneOfEach } from '../../support/one-of-each.ts';
import { jsonSchema } from '../../support/requests.ts';
import { ada, bob, cleo, seedResidents, unknownUuid } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

/**
 * A key gets the same answer for another store's row as for a row that does not exist, after as many calls to the table
 * (so that the time reveals nothing), and nothing is written. The cases come from the route table, so a new endpoint is
 * covered at once.
 */

/** Makes one row of each kind. */
const own = (call: typeof service.call, code = 'Theirs', customer = bob.uuid): Promise<OneOfEach> =>
  seedOneOfEach(call, { code, owner: ada.uuid, customer });

const service = await startTestService();
await seedResidents();
const mine = await own(service.call);
const theirs = await own(service.callOther);
// A second row in each of their lists, so that the lists have cursors.
await own(service.callOther, 'More of theirs', cleo.uuid);

/** One body for every endpoint, since endpoints ignore unknown fields. */
const anyBody = {
  code: 'New code',
  name: 'New name',
  price: 1,
  credit: 1,
  delta: 1,
  identifier: bob.uuid,
  ownerIdentifier: ada.uuid,
  buyerIdentifier: bob.uuid,
  recipientIdentifier: bob.uuid,
  url: 'http://127.0.0.1:1/',
  events: ['store.closed'],
  result: 'paid',
  amount: 1,
  transactionId: unknownUuid,
  expiration: null,
  usesPerCustomer: 1,
};

/** The kinds of the ids in a path, in order: `coupon` for `/v1/coupons/{id}`. */
const kindsOf = ({ path }: Route): Kind[] =>
  [...path.matchAll(/\/(\w+)\/\{(?:id|productId|keyId)\}/g)].map(
    ([, segment]) => kindOf[segment as keyof typeof kindOf],
  );

interface Case {
  name: string;
  row: Route;
  /** The request with `foreign` in the place of one id. All other ids belong to the caller's store. */
  request: (foreign: string) => { path: string; body?: object };
  foreign: () => string;
}

/** Every id of every path. */
const pathCases: Case[] = routes.flatMap((row) =>
  kindsOf(row).map((kind, place, kinds) => ({
    name: `${row.method} ${row.path} with the other store's ${kind}`,
    row,
    foreign: () => theirs[kind],
    request: (foreign: string) => {
      const ids = kinds.map((each, index) => (index === place ? foreign : mine[each]));
      const named = row.path.replace('{identifier}', bob.uuid);
      const path = named.replace(/\{(?:id|productId|keyId)\}/g, () => ids.shift() ?? '');
      return { path, ...(row.body && { body: anyBody }) };
    },
  })),
);

/** The fields and parameters that hold an id, by their names. */
const kindsByName: Record<string, Kind> = {
  couponId: 'coupon',
  productId: 'product',
  product: 'product',
  demoId: 'product',
  giftCardId: 'giftcard',
  category: 'category',
  categoryId: 'category',
};

const namesIn = (schema: Route['body']): string[] =>
  Object.keys((schema && jsonSchema(schema).properties) ?? {}).filter((name) => name in kindsByName);

const kindCalled = (name: string): Kind => kindsByName[name] as Kind;

// Even a refused sale is kept. test/functions/sales/create-sale.test.ts shows that the refusal is the same as for an
// unknown product.
const keepsRefused = (row: Route): boolean => row.id === 'sales/create-sale';

/** Every id of every body. */
const bodyCases: Case[] = routes
  .filter((row) => !keepsRefused(row))
  .flatMap((row) =>
    namesIn(row.body).map((name) => ({
      name: `${row.id} with the other store's ${kindCalled(name)} as ${name}`,
      row,
      foreign: () => theirs[kindCalled(name)],
      request: (foreign: string) => {
        const { path, body } = exampleOf(row, mine, 'New code');
        // Only scope 1, a single product, makes the endpoint read the product.
        const scope = name === 'productId' && 'scope' in (body ?? {}) && { scope: 1 };
        return { path, body: { ...body, ...scope, [name]: foreign } };
      },
    })),
  );

/** Every id of every query. */
const queryCases: Case[] = routes.flatMap((row) =>
  namesIn(row.query).map((name) => ({
    name: `${row.method} ${row.path} with the other store's ${kindCalled(name)} as ${name}`,
    row,
    foreign: () => theirs[kindCalled(name)],
    request: (foreign: string) => ({ path: `${exampleOf(row, mine, '').path}?${name}=${foreign}` }),
  })),
);

test.each([...pathCases, ...bodyCases, ...queryCases])(
  '$name answers as for an id that does not exist',
  async ({ row, request, foreign }) => {
    const ask = async (id: string) => {
      const { path, body } = request(id);
      const answer = await service.call(row.method, path, body);
      const { instance, ...rest } = answer.body;
      const { calls, units } = answer.cost ?? {};
      return { status: answer.status, body: rest, type: answer.headers.get('content-type'), calls, units };
    };
    const before = await wholeTable();

    const unknown = await ask(row.path.includes('{keyId}') ? 'unknownKey00' : unknownUuid);
    const answered = await ask(foreign());

    expect(answered).toEqual(unknown);
    expect(answered.status).toBeLessThan(500);
    expect(answered.calls).toBeGreaterThan(0);
    expect(await wholeTable()).toEqual(before);
  },
);

test('has a case for every id of every path, body and query', () => {
  const ids = routes.flatMap(({ path }) => path.match(/\{(?!identifier|uuid)\w+\}/g) ?? []);

  expect(pathCases).toHaveLength(ids.length);
  expect(bodyCases.map(({ name }) => name).sort()).toEqual(
    expect.arrayContaining([
      "coupons/apply-coupon with the other store's coupon as couponId",
      "coupons/apply-coupon with the other store's product as productId",
      "coupons/revoke-coupon with the other store's coupon as couponId",
      "coupons/revoke-coupon with the other store's product as productId",
      "products/create-product with the other store's product as demoId",
      "products/update-product with the other store's product as demoId",
    ]),
  );
  expect(queryCases.length).toBeGreaterThan(0);
});

test('applies and revokes nothing by a code or an owner that only the other store has', async () => {
  await service.callOther('POST', '/v1/coupons', { code: 'Only theirs', ownerIdentifier: bob.uuid });
  const path = (action: string) => `/v1/customers/${bob.uuid}/actions/${action}-coupon`;
  const before = await wholeTable();

  const answers = [];
  for (const action of ['apply', 'revoke'])
    for (const choice of [{ code: 'Only theirs' }, { code: 'Nobody’s' }, { couponOwnerUuid: bob.uuid }])
      answers.push(await service.call('POST', path(action), { ...choice, scope: 0 }));

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(answers[0]?.cost?.calls).toBe(answers[1]?.cost?.calls);
  expect(answers[3]?.cost?.calls).toBe(answers[4]?.cost?.calls);
  expect(await wholeTable()).toEqual(before);
});

test('lists nothing of the other store', async () => {
  const lists = routes.filter(
    ({ query, path }) => 'cursor' in query.shape && path !== '/v1/coupons/owner/{identifier}',
  );
  const foreign = new Set([...Object.values(theirs)]);

  for (const row of lists) {
    const path = row.path.replace('{identifier}', bob.uuid).replace('{id}', mine.webhook);
    const { body } = await service.call('GET', path + queryOf(row));
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(ids.filter((id: string) => foreign.has(id))).toEqual([]);
  }
  expect((await service.call('GET', `/v1/coupons/owner/${bob.uuid}`)).body.data).toEqual([]);
});

test('refuses the other store’s cursor in every list', async () => {
  await service.callOther('POST', `/v1/customers/${bob.uuid}/actions/grant-gift-card`, { credit: 5 });

  for (const row of routes.filter(({ query }) => 'cursor' in query.shape)) {
    const { path } = row;
    const filled = path.replace('{identifier}', path.includes('owner') ? ada.uuid : bob.uuid);
    const theirPath = filled.replace('{id}', theirs.webhook);
    const { nextCursor } = (await service.callOther('GET', `${theirPath}${queryOf(row)}limit=1`)).body.pagination;
    const ourPath = filled.replace('{id}', mine.webhook);
    const { body } = await service.call('GET', `${ourPath}${queryOf(row)}limit=1&cursor=${nextCursor}`);

    expect(nextCursor).toEqual(expect.any(String));
    expect(body.errors).toEqual(['Cursor is invalid.']);
  }
});
