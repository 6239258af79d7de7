import { beforeAll, expect, test } from 'vitest';
import { nilUuid } from '../../../lib/identifier.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { ada, bob } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

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
  image: nilUuid,
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

test('PUT replaces every field; a missing one gets its default', async () => {
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

test.each([
  [
    { name: 'a', price: 1, profitShares: [{ username: 'ada', percent: 1 }] },
    'profitShares[0] names a resident who does not exist',
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
  [{ name: 'a', price: 1, demoId: nilUuid }, 'demoId must be the id of another product of the store, or null'],
])('row %#: 400s and writes nothing', async (body, message) => {
  const before = await wholeTable();

  const answer = await create(body);

  expect(answer.status).toBe(400);
  expect(answer.body.errors).toHaveLength(1);
  expect(answer.body.errors[0]).toContain(message);
  expect(await wholeTable()).toEqual(before);
});
