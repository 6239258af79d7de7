import { expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { bob, newResident, unknownUuid } from '../../support/residents.ts';
import { setClock } from '../../support/service.ts';
import { hour, startApplying } from './applying.ts';

const { service, clock, make, apply } = startApplying();

const list = (customer: string, query = '') =>
  service().call('GET', `/v1/customers/${encodeURIComponent(customer)}/coupons${query}`);

const newProduct = async (): Promise<string> =>
  (await service().call('POST', '/v1/products', { name: 'Chair', price: 10 })).body.id;

/** Makes a customer with a coupon that is applied to this many products and, last, to the whole store. */
const withApplications = async (productCount: number) => {
  const { username } = await newResident();
  const coupon = await make();
  const products: string[] = [];
  for (let made = 0; made < productCount; made++) products.push(await newProduct());
  for (const productId of products) await apply({ couponId: coupon.id, scope: 1, productId }, username);
  await apply({ couponId: coupon.id, scope: 0 }, username);
  return { username, coupon, products: products.sort() };
};

test('answers the application to the whole store first, then those to products in the order of their ids, each as apply answered it', async () => {
  const { username, uuid } = await newResident();
  const [store, product] = [await make({ discount: 30 }), await make()];
  const products = [await newProduct(), await newProduct()].sort();
  const applied = [];
  for (const productId of products.toReversed())
    applied.unshift(await apply({ couponId: product.id, scope: 1, productId }, username));
  applied.unshift(await apply({ couponId: store.id, scope: 0, expiresInHours: 2 }, username));

  const { status, body } = await list(uuid);

  expect(status).toBe(200);
  expect(body.data).toEqual(
    applied.map(({ body: { replaced, ...answer } }) => {
      expect(replaced).toBe(false);
      return answer;
    }),
  );
  expect(body.data.map(({ productId }: { productId?: string }) => productId)).toEqual([undefined, ...products]);
  expect(body.pagination).toEqual({ nextCursor: null, previousCursor: null, limit: 100 });
});

test('leaves out lapsed applications, and coupons that are inactive or expired', async () => {
  const { username } = await newResident();
  const [lapsing, switchedOff, expiring, counting] = [
    await make(),
    await make(),
    await make({}, { expiration: timestamp(clock() + 3 * hour) }),
    await make(),
  ];
  const applyTo = async (couponId: string, expiresInHours: number) =>
    apply({ couponId, scope: 1, productId: await newProduct(), expiresInHours }, username);
  await applyTo(lapsing.id, 3);
  await applyTo(switchedOff.id, 10);
  await applyTo(expiring.id, 10);
  await applyTo(counting.id, 10);
  const codes = async () => (await list(username)).body.data.map(({ code }: { code: string }) => code);
  const before = await codes();
  await service().call('PUT', `/v1/coupons/${switchedOff.id}`, { code: switchedOff.code, active: false });

  setClock(clock() + 3 * hour - 1);
  const justBefore = await codes();
  setClock(clock() + 3 * hour);
  const at = await codes();

  expect(before).toHaveLength(4);
  expect(justBefore.sort()).toEqual([lapsing.code, expiring.code, counting.code].sort());
  expect(at).toEqual([counting.code]);
});

test.each([1, 2, 3])('pages of %i lead from the first application to the last, and back', async (limit) => {
  const { username, products } = await withApplications(4);
  const forth: (string | undefined)[][] = [];
  const back: (string | undefined)[][] = [];
  const read = async (cursor: string | null) => {
    const { body } = await list(username, `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
    return { ids: body.data.map(({ productId }: { productId?: string }) => productId), ...body.pagination };
  };

  let page = await read(null);
  forth.push(page.ids);
  while (page.nextCursor) {
    page = await read(page.nextCursor);
    forth.push(page.ids);
  }
  while (page.previousCursor) {
    page = await read(page.previousCursor);
    back.unshift(page.ids);
  }

  expect(forth.flat()).toEqual([undefined, ...products]);
  expect(forth.every(({ length }) => length <= limit)).toBe(true);
  expect(back).toEqual(forth.slice(0, -1));
});

test('404s for an unknown resident, 400s for a malformed identifier', async () => {
  const answers = [await list('nobody'), await list(unknownUuid), await list('a..b')];

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 400]);
});

test('answers an empty list for a resident without applications, and refuses the cursor of another', async () => {
  const { username } = await newResident();
  const { username: other } = await withApplications(1);
  const { nextCursor } = (await list(other, '?limit=1')).body.pagination;

  expect((await list(username)).body.data).toEqual([]);
  expect((await list(bob.uuid, `?cursor=${nextCursor}`)).body.errors).toEqual(['Cursor is invalid.']);
});

test('takes two calls and three units, by UUID, for a coupon with two applications', async () => {
  const { username, coupon } = await withApplications(1);
  const { customerUuid } = (await list(username)).body.data[0];

  const { body, cost } = await list(customerUuid);

  expect(body.data.map(({ couponId }: { couponId: string }) => couponId)).toEqual([coupon.id, coupon.id]);
  expect([cost?.steps, cost?.units]).toEqual([2, 3]);
});
