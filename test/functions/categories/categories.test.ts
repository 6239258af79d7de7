import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { db, tableName } from '../../../lib/table/client.ts';
import { partition } from '../../../lib/table/keys.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

const service = await startTestService();

const newCategory = async (): Promise<string> => (await service.call('POST', '/v1/categories', { name: 'C' })).body.id;
const newProduct = async (): Promise<string> =>
  (await service.call('POST', '/v1/products', { name: 'P', price: 1 })).body.id;
const countOf = async (id: string): Promise<number> =>
  (await service.call('GET', `/v1/categories/${id}`)).body.productCount;

test('the count is exact under concurrent adds and removes of the same and of different products', async () => {
  const id = await newCategory();
  const products = await Promise.all(Array.from({ length: 10 }, newProduct));
  const send = (method: string, product = ''): Promise<number> =>
    service.call(method, `/v1/categories/${id}/products/${product}`).then(({ status }) => status);

  const same = await Promise.all(Array.from({ length: 20 }, () => send('POST', products[0])));
  const afterSame = await countOf(id);
  const mixed = await Promise.all([
    ...products.slice(1).map((product) => send('POST', product)),
    ...Array.from({ length: 10 }, () => send('DELETE', products[0])),
  ]);

  expect(new Set([...same, ...mixed])).toEqual(new Set([204]));
  expect([afterSame, await countOf(id)]).toEqual([1, 9]);
});

test('add costs one call and 6 units, remove one call and 4, as budgeted', async () => {
  const [id, product] = [await newCategory(), await newProduct()];

  const add = await service.call('POST', `/v1/categories/${id}/products/${product}`);
  const remove = await service.call('DELETE', `/v1/categories/${id}/products/${product}`);

  expect(add.cost).toEqual({ calls: 1, steps: 1, units: 6 });
  expect(remove.cost).toEqual({ calls: 1, steps: 1, units: 4 });
});

test('a category with 3,000 products is deleted with its memberships', async () => {
  const id = await newCategory();
  const members = Array.from({ length: 3000 }, (_, i) => ({
    PutRequest: { Item: { pk: partition(service.store, 'MEMBER', id), sk: String(i).padStart(36, '0') } },
  }));
  for (let i = 0; i < members.length; i += 25)
    await db.send(new BatchWriteCommand({ RequestItems: { [tableName()]: members.slice(i, i + 25) } }));

  expect((await service.call('DELETE', `/v1/categories/${id}`)).status).toBe(204);

  expect((await wholeTable()).filter(({ pk }) => String(pk).includes(id))).toEqual([]);
  expect((await service.call('DELETE', `/v1/categories/${id}`)).status).toBe(404);
});

test('concurrent adds and a delete leave nothing that a reader can see', async () => {
  const id = await newCategory();
  const products = await Promise.all(Array.from({ length: 10 }, newProduct));

  const [, ...adds] = await Promise.all([
    service.call('DELETE', `/v1/categories/${id}`),
    ...products.map((product) => service.call('POST', `/v1/categories/${id}/products/${product}`)),
  ]);

  expect(adds.every(({ status }) => status === 204 || status === 404)).toBe(true);
  expect((await service.call('GET', `/v1/products?category=${id}`)).body.data).toEqual([]);
  expect((await service.call('GET', `/v1/categories/${id}`)).status).toBe(404);
});
