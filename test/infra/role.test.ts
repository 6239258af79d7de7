import { expect, test } from 'vitest';
import {
  accessOf,
  authorizerPermissions,
  consumerAccess,
  exportAccess,
  lookUpAccess,
  permissions,
  sweepAccess,
  togetherOf,
  workerAccess,
} from '../../infra/permissions.ts';
import { createCategory, listCategories, listMembers } from '../../lib/catalogue/categories.ts';
import { putResident } from '../../lib/operator/residents.ts';
import { functionFile, type Kind, type Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { partition, sharedKey } from '../../lib/table/keys.ts';
import { allows, asFunction } from '../support/access.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();

/** Runs a function under a role that may read and write these kinds. */
const asMadeUp = <T>(reads: Kind[], writes: Kind[], work: () => T): T => asFunction('made-up', { reads, writes }, work);

test('refuses a write of a kind that the row only reads', async () => {
  const write = asMadeUp(['CATEGORY'], [], () => createCategory('s', { name: 'Chairs' }));

  await expect(write).rejects.toThrow('made-up does not allow PutItem on s#CATEGORY');
});

test('refuses a query of a kind that the row does not name', async () => {
  const range = { descending: false };

  const read = asMadeUp(['CATEGORY'], [], async () => {
    await listCategories('s')(range);
    await listMembers('s', 'c')(range);
  });

  await expect(read).rejects.toThrow('made-up does not allow Query on s#MEMBER#c');
});

test('refuses a transaction of which one item is of a kind that the row does not write', async () => {
  const write = asMadeUp([], ['RESIDENT'], () =>
    putResident({ uuid: '11111111-1111-1111-1111-111111111111', username: 'ada' }),
  );

  await expect(write).rejects.toThrow('made-up does not allow PutItem on NAME#ada');
});

test('refuses to make a role of a function that has no line in infra/table-uses.json, and says who writes it', () => {
  const row = { ...(routes[0] as Route), id: 'chairs/get-chair' };

  expect(() => accessOf(row)).toThrow('no line for chairs/get-chair. Run npm run openapi');
});

test('one function can make a key, and none deletes one', () => {
  const others = { consumerAccess, exportAccess, lookUpAccess, sweepAccess, workerAccess };
  const roles = [
    ...Object.entries(Object.groupBy(routes, functionFile)).map(
      ([entry, rows = []]) => [entry, permissions(accessOf(togetherOf(rows)))] as const,
    ),
    ...Object.entries(others).map(([name, access]) => [name, permissions(access)] as const),
    ['authorizer', authorizerPermissions] as const,
  ];
  const may = (...actions: string[]) =>
    roles
      .filter(([, permitted]) =>
        actions.some((action) => allows(permitted, { action, partitions: [sharedKey('KEY', 'x').pk] })),
      )
      .map(([name]) => name);

  expect(may('PutItem', 'BatchWriteItem')).toEqual(['keys']);
  expect(may('DeleteItem')).toEqual([]);
});

test('refuses a request without a key, or with a key of another kind', () => {
  const permitted = permissions({ reads: ['PRODUCT'], writes: [] });

  const outcomes = [[], ['s#PRODUCT'], ['s#PRODUCT', 's#COUPON']].map((partitions) =>
    allows(permitted, { action: 'BatchGetItem', partitions }),
  );

  expect(outcomes).toEqual([false, true, false]);
});

test('distinguishes every kind from every other, in the table and in its indexes', () => {
  const shared: Kind[] = ['STORE', 'KEY', 'PAGE', 'RESIDENT', 'NAME', 'LOG'];
  const kinds = [...new Set(routes.flatMap(({ reads, writes }) => [...reads, ...writes]))];
  const partitionsOf = (kind: Kind): string[] =>
    shared.includes(kind) ? [sharedKey(kind, 'x').pk] : [partition('Store1', kind), partition('Store1', kind, 'x')];

  for (const kind of kinds)
    for (const other of kinds)
      for (const key of partitionsOf(other))
        expect(
          allows(permissions({ reads: [kind], writes: [] }), { action: 'Query', partitions: [key] }),
          `${kind} ${key}`,
        ).toBe(kind === other);
});

test('allows every command of the functions of products and categories', async () => {
  const { call } = service;
  await putResident({ uuid: '22222222-2222-2222-2222-222222222222', username: 'grace' });
  const share = { username: 'grace', percent: 10 };
  const demo = await call('POST', '/v1/products', { name: 'Demo', price: 0 });
  const body = { name: 'Chair', price: 5, profitShares: [share], demoId: demo.body.id };

  const product = await call('POST', '/v1/products', body);
  const category = await call('POST', '/v1/categories', { name: 'Chairs' });
  const of = `/v1/categories/${category.body.id}`;
  const member = `${of}/products/${product.body.id}`;
  const statuses = [
    product,
    category,
    await call('PUT', `/v1/products/${product.body.id}`, { ...body, name: 'Stool' }),
    await call('GET', `/v1/products/${product.body.id}`),
    await call('GET', '/v1/products?listed=true'),
    await call('GET', '/v1/products?search=stool'),
    await call('POST', member),
    await call('GET', `/v1/products?category=${category.body.id}`),
    await call('DELETE', member),
    await call('DELETE', member),
    await call('POST', member),
    await call('GET', of),
    await call('GET', '/v1/categories'),
    await call('PUT', of, { name: 'Seats' }),
    await call('DELETE', of),
  ].map(({ status }) => status);

  expect(statuses).toEqual([201, 201, 200, 200, 200, 200, 204, 200, 204, 204, 204, 200, 200, 200, 204]);
});

test('allows the sweep, and no other function, to note that it ran', () => {
  const use = { action: 'PutItem', partitions: [sharedKey('SWEEP', 'last').pk] };

  const [sweep, ...others] = [sweepAccess, ...routes.map(accessOf)].map((access) => allows(permissions(access), use));

  expect(sweep).toBe(true);
  expect(others).not.toContain(true);
});
