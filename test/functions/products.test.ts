import { beforeAll, expect, test } from 'vitest';
import { putResident } from '../../lib/store/residents.ts';
import { setClock, startTestService, wholeTable } from '../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const ada = { uuid: 'aaaaaaaa-0000-0000-0000-000000000001', username: 'ada.lovelace' };
const bob = { uuid: 'aaaaaaaa-0000-0000-0000-000000000002', username: 'bob' };

beforeAll(async () => {
  setClock(Date.parse('2027-06-01T00:00:00.000Z'));
  service = await startTestService();
  await putResident(ada, ['countess']);
  await putResident(bob);
});

const create = (body: object) => service.call('POST', '/v1/products', body);

const defaults = {
  id: expect.any(String),
  name: 'Chair',
  price: 10,
  activePrice: 10,
  image: '00000000-0000-0000-0000-000000000000',
  bloggable: false,
  active: true,
  blockCredits: false,
  item: 'Chair',
  limited: false,
  availableAmount: 0,
  permissions: { copy: true, modify: false, transfer: false },
  discount: { value: 0, type: 0, startDate: null, endDate: null },
  description: '',
  demoId: null,
  mpListing: 0,
  profitShares: [],
};

test('201s with every default, and the same by its Location', async () => {
  const { status, headers, body } = await create({ name: 'Chair', price: 10 });

  expect([status, body]).toEqual([201, defaults]);
  expect((await service.call('GET', headers.get('location') ?? '')).body).toEqual(body);
});

test('what only the service may set is ignored', async () => {
  const id = '11111111-1111-1111-1111-111111111111';

  const { body } = await create({ name: 'Chair', price: 10, id, mpListing: 7, activePrice: 1 });

  expect(body).toEqual(defaults);
  expect(body.id).not.toBe(id);
});

test('PUT replaces every field; what is left out gets its default', async () => {
  const full = {
    name: 'Sofa',
    price: 90,
    image: 'AAAAAAAA-1111-1111-1111-111111111111',
    listed: false,
    bloggable: true,
    permissions: { copy: false, transfer: true },
    discount: { value: 30, type: 1, startDate: '2027-01-01T00:00:00+01:00' },
    availableAmount: 3,
    limited: true,
    item: 'sofa v2',
    blockCredits: true,
    description: 'Soft.\nVery.',
    profitShares: [
      { username: 'Countess', percent: 40.5 },
      { userUuid: bob.uuid.toUpperCase(), percent: 59.5 },
    ],
    active: false,
  };
  const { id } = (await create(full)).body;

  const before = await service.call('GET', `/v1/products/${id}`);
  const after = await service.call('PUT', `/v1/products/${id}`, { name: 'Chair', price: 10 });

  expect(before.body).toMatchObject({
    image: full.image.toLowerCase(),
    permissions: { copy: false, modify: false, transfer: true },
    discount: { value: 30, type: 1, startDate: '2026-12-31T23:00:00.000Z', endDate: null },
    activePrice: 60,
    item: 'sofa v2',
    active: false,
    profitShares: [
      { userUuid: ada.uuid, percent: 40.5 },
      { userUuid: bob.uuid, percent: 59.5 },
    ],
  });
  expect(after.body).toEqual({ ...defaults, id });
});

test('a demo is another product of the store', async () => {
  const demo = (await create({ name: 'Demo', price: 0 })).body.id;
  const { id } = (await create({ name: 'Chair', price: 1, demoId: demo })).body;
  const foreign = (await service.callOther('POST', '/v1/products', { name: 'Foreign', price: 0 })).body.id;
  const message = 'demoId must be the id of another product of the store, or null.';

  for (const demoId of [id, foreign, '00000000-0000-0000-0000-000000000000'])
    expect((await service.call('PUT', `/v1/products/${id}`, { name: 'Chair', price: 1, demoId })).body.errors).toEqual([
      message,
    ]);
});

const name100 = 'x'.repeat(255);

test.each([
  [{ price: 1 }, 'name is required'],
  [{ name: 'a' }, 'price is required'],
  [{ name: name100, price: 1 }, 'item is required here'],
  [{ name: 'Stühle', price: 1 }, 'item is required here'],
  [{ name: 'a|b', price: 1 }, 'item is required here'],
  [{ name: 'a', price: 1, item: 'a|b' }, 'item must be 1 to 63 printable ASCII'],
  [{ name: 'a', price: '1' }, 'price must be a whole number'],
  [{ name: 'a', price: 1.5 }, 'price must be a whole number'],
  [{ name: 'a', price: 2_147_483_648 }, 'price must be a whole number'],
  [{ name: 'a', price: 1, discount: { type: 3 } }, 'discount.type must be 0'],
  [{ name: 'a', price: 1, discount: { value: 101 } }, 'discount.value must be'],
  [{ name: 'a', price: 1, discount: { type: 1, value: 1.5 } }, 'discount.value must be'],
  [
    { name: 'a', price: 1, discount: { startDate: '2027-01-01T00:00:00Z', endDate: '2027-01-01T00:00:00Z' } },
    'discount.endDate must be later than startDate',
  ],
  [
    { name: 'a', price: 1, profitShares: [{ username: 'ada', percent: 1 }] },
    'profitShares[0] names a resident who does not exist',
  ],
  [
    { name: 'a', price: 1, profitShares: [{ username: '?', percent: 1 }] },
    'profitShares[0].username must be a username',
  ],
  [{ name: 'a', price: 1, profitShares: [{ percent: 1 }] }, 'profitShares[0] must name its user'],
  [{ name: 'a', price: 1, profitShares: [{ username: 'bob', percent: 0 }] }, 'profitShares[0].percent must be'],
  [
    {
      name: 'a',
      price: 1,
      profitShares: [
        { username: 'bob', percent: 60 },
        { username: 'countess', percent: 41 },
      ],
    },
    'profitShares must add up',
  ],
  [
    {
      name: 'a',
      price: 1,
      profitShares: [
        { username: 'bob', percent: 1 },
        { userUuid: bob.uuid, percent: 1 },
      ],
    },
    'profitShares[1] names a user who has a share already',
  ],
  [
    { name: 'a', price: 1, profitShares: [{ username: 'bob', userUuid: ada.uuid, percent: 1 }] },
    'profitShares[0] names two different residents',
  ],
])('row %#: 400s and writes nothing', async (body, message) => {
  const before = await wholeTable();

  const answer = await create(body);

  expect(answer.status).toBe(400);
  expect(answer.body.errors).toHaveLength(1);
  expect(answer.body.errors[0]).toContain(message);
  expect(await wholeTable()).toEqual(before);
});

test('search is literal, caseless, over name and description, and never across the two', async () => {
  const names = ['100%_off', 'Éclair', 'plain', 'ΟΔΟΣ'];
  for (const name of names)
    await create({ name, price: 1, item: 'x', description: name === 'plain' ? 'with\u00a0TEXT' : '' });
  const found = async (search: string): Promise<string[]> => {
    const { body } = await service.callAs(service.key)('GET', `/v1/products?search=${encodeURIComponent(search)}`);
    return body.data.map(({ name }: { name: string }) => name).filter((name: string) => names.includes(name));
  };

  expect(await found('%_')).toEqual(['100%_off']);
  expect(await found('%')).toEqual(['100%_off']);
  expect(await found('0_')).toEqual([]);
  expect(await found('éCL')).toEqual(['Éclair']);
  expect(await found('e\u0301cl')).toEqual(['Éclair']);
  expect(await found('with text')).toEqual(['plain']);
  expect(await found('plainwith')).toEqual([]);
  expect(await found('οδοσ')).toEqual(['ΟΔΟΣ']);
  expect((await found('   ')).sort()).toEqual([...names].sort());
  expect((await service.call('GET', `/v1/products?search=${'x'.repeat(101)}`)).status).toBe(400);
});

test('inactive products are found by id, and in no list', async () => {
  const { id } = (await create({ name: 'Unsold', price: 1, active: false })).body;

  expect((await service.call('GET', `/v1/products/${id}`)).status).toBe(200);
  expect((await service.call('GET', '/v1/products?search=unsold')).body.data).toEqual([]);
  await service.call('PUT', `/v1/products/${id}`, { name: 'Unsold', price: 1 });
  expect((await service.call('GET', '/v1/products?search=unsold')).body.data).toHaveLength(1);
});

test('a category that is unknown or deleted filters everything out', async () => {
  const { id: product } = (await create({ name: 'Lamp', price: 1 })).body;
  const { id } = (await service.call('POST', '/v1/categories', { name: 'Light' })).body;
  await service.call('POST', `/v1/categories/${id}/products/${product}`);
  const within = await service.call('GET', `/v1/products?category=${id.toUpperCase()}`);
  await service.call('DELETE', `/v1/categories/${id}`);

  expect(within.body.data.map((row: { id: string }) => row.id)).toEqual([product]);
  expect((await service.call('GET', `/v1/products?category=${id}`)).body.data).toEqual([]);
  expect((await service.call('GET', `/v1/products?category=${product}`)).body.data).toEqual([]);
});
