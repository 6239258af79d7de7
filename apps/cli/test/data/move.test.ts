import { beforeAll, expect, test } from 'vitest';
import { listLots } from '../../../../lib/credit/lots.ts';
import { setClock, startTestService } from '../../../../test/support/service.ts';
import { importFile } from '../../data/import.ts';
import { kindOf } from '../support/kinds.ts';

/** A merchant imports the five files of another system (docs/operate/examples) into a new store. */

const { store, call } = await startTestService();

const [iris, selene, tobias] = [1, 2, 3].map((number) => `3b5f6a20-0d1c-4c7e-9a41-00000000000${number}`) as [
  string,
  string,
  string,
];

const get = async (path: string) => {
  const { status, body } = await call('GET', path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

beforeAll(async () => {
  setClock(Date.parse('2026-03-01T12:00:00Z'));
  for (const name of ['residents', 'products', 'purchases', 'credit', 'coupons']) {
    const path = new URL(`../../../../docs/operate/examples/${name}.csv`, import.meta.url).pathname;
    const report = await importFile(kindOf(name), store, path);
    expect(report).toMatchObject({ imported: true, created: report.rows, rejected: 0 });
  }
});

test('residents are found by their names, including old ones', async () => {
  for (const name of ['Selene%20Star', 'luna', 'luna.star', selene])
    expect(await get(`/v1/customers/${name}`)).toMatchObject({ uuid: selene, username: 'selene.star' });
});

test('spend over all time and the last year, and owned products, follow from the sales', async () => {
  expect(await get('/v1/customers/iris.moore/spend')).toMatchObject({ sum: 690, lastYearSum: 240, totalOwned: 2 });
  expect(await get('/v1/customers/luna/spend')).toMatchObject({ sum: 405, lastYearSum: 405, totalOwned: 1 });
  expect(await get('/v1/customers/tobias/spend')).toMatchObject({ sum: 90, lastYearSum: 0, totalOwned: 1 });
  expect((await get('/v1/customers?spentMoreThan=404')).data).toMatchObject([{ uuid: selene }, { uuid: iris }]);
});

test('balances are the remaining lots and the unlotted credit; lots expire when they did before', async () => {
  expect(await get('/v1/customers/iris.moore/credit')).toMatchObject({ credit: 750, restrictedCredit: 75 });
  expect(await get('/v1/customers/selene.star/credit')).toMatchObject({ credit: 120, restrictedCredit: 0 });
  expect(
    (await listLots(store, iris)).map(({ expiresAt, amount, remaining }) => [expiresAt, amount, remaining]),
  ).toEqual([
    ['2029-06-30T00:00:00.000Z', 100, 100],
    ['2030-01-31T22:00:00.000Z', 200, 150],
    ['2031-01-01T00:00:00.000Z', 75, 75],
  ]);

  setClock(Date.parse('2029-06-30T00:00:00Z'));
  const { body } = await call('POST', `/v1/customers/${iris}/actions/increment-credit`, { delta: -160 });

  expect(body).toMatchObject({ credit: 490 });
  setClock(Date.parse('2026-03-01T12:00:00Z'));
});

test('products have their prices, shares, demo and texts; inactive ones are found, but not listed', async () => {
  const { data } = await get('/v1/products');

  const chair = data.find(({ name }: { name: string }) => name === 'Oak chair');
  expect(data).toHaveLength(3);
  expect(chair).toMatchObject({
    price: 450,
    activePrice: 405,
    description: 'Turned legs.\nCopy, no transfer.',
    profitShares: [{ userUuid: selene, percent: 25 }],
    demoId: data.find(({ name }: { name: string }) => name === 'Oak chair (demo)').id,
    item: 'Oak chair',
  });
  expect(await get(`/v1/products/${chair.id}`)).toEqual(chair);
});

test('coupons keep owner, limit and expiry, and can be applied or not as before', async () => {
  const { data } = await get('/v1/coupons');
  const byCode = Object.fromEntries(data.map((coupon: { code: string }) => [coupon.code, coupon]));

  expect(byCode.SPRING26).toMatchObject({
    couponOwnerUsername: 'selene.star',
    usesPerCustomer: 1,
    expiration: '2030-05-31T00:00:00.000Z',
    ownerProfit: 5,
  });
  expect(byCode.Tobias10).toMatchObject({ usesPerCustomer: 0, expiration: '9999-12-31T23:59:59.999Z' });
  const apply = (code: string) => call('POST', `/v1/customers/${tobias}/actions/apply-coupon`, { code, scope: 0 });
  expect((await apply('spring26')).body).toMatchObject({ discount: 15 });
  expect((await apply('old')).status).toBe(400);
});
