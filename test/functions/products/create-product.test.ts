import { beforeAll, describe, expect, test } from 'vitest';
import { nilUuid } from '../../../lib/identifier.ts';
import { createProduct } from '../../../lib/store/products.ts';
import { putResident } from '../../../lib/store/residents.ts';
import { productWith, unknownId } from '../../support/rows.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

const ada = { uuid: 'a0b1c2d3-ffff-0fff-ffff-abcdef012345', username: 'ada' };
const bob = { uuid: 'b0b1c2d3-ffff-0fff-ffff-abcdef012345', username: 'bob.linden' };

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
  await putResident(ada);
  await putResident(bob);
});

test('201s with every default, and its Location', async () => {
  const { status, headers, body } = await service.call('POST', '/v1/products', { name: ' Chair ', price: 100 });

  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Chair',
    price: 100,
    activePrice: 100,
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
  });
  expect(headers.get('location')).toBe(`/v1/products/${body.id}`);
  expect((await service.call('GET', `/v1/products/${body.id}`)).body).toEqual(body);
});

test('201s with users of profit shares by name and by UUID', async () => {
  const profitShares = [
    { username: 'Bob Linden', userUuid: bob.uuid.toUpperCase(), percent: 33.3 },
    { username: 'ADA', percent: 66.7 },
  ];

  const { status, body } = await service.call('POST', '/v1/products', { name: 'Duet', price: 1, profitShares });

  expect(status).toBe(201);
  expect(body.profitShares).toEqual([
    { userUuid: bob.uuid, percent: 33.3 },
    { userUuid: ada.uuid, percent: 66.7 },
  ]);
});

test('never takes id, mpListing or activePrice from the request', async () => {
  const sent = { id: unknownId, mpListing: 7, activePrice: 3, pk: 'x', sk: 'y', flags: 'z' };

  const { status, body } = await service.call('POST', '/v1/products', { name: 'Chair', price: 100, ...sent });

  expect(status).toBe(201);
  expect(body).toMatchObject({ mpListing: 0, activePrice: 100 });
  expect(body.id).not.toBe(unknownId);
  expect(body).not.toHaveProperty('listed');
});

test('takes a demo that is a product of the store', async () => {
  const demo = await createProduct(service.store, productWith());

  const { status, body } = await service.call('POST', '/v1/products', { name: 'Full', price: 1, demoId: demo.id });

  expect(status).toBe(201);
  expect(body.demoId).toBe(demo.id);
});

describe('400s and writes nothing', () => {
  const discount = (fields: object) => ({ discount: fields });
  const shares = (...profitShares: unknown[]) => ({ profitShares });
  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a name of 256 characters', { name: 'x'.repeat(256), item: 'x' }, 'name'],
    ['no price', { price: undefined }, 'price'],
    ['a price as text', { price: '1' }, 'price'],
    ['a negative price', { price: -1 }, 'price'],
    ['a price over the largest integer', { price: 2_147_483_648 }, 'price'],
    ['an image that is no UUID', { image: 'x' }, 'image'],
    ['a name that is no item name, without an item', { name: 'Été' }, 'item'],
    ['an item with a bar', { item: 'a|b' }, 'item'],
    ['an item of 64 characters', { item: 'x'.repeat(64) }, 'item'],
    ['a description of 4097 characters', { description: 'x'.repeat(4097) }, 'description'],
    ['an unknown discount type', discount({ value: 1, type: 3 }), 'discount.type'],
    ['a percentage over 100', discount({ value: 101, type: 0 }), 'discount.value'],
    ['a flat amount with a fraction', discount({ value: 1.5, type: 1 }), 'discount.value'],
    ['a negative override', discount({ value: -1, type: 2 }), 'discount.value'],
    [
      'a discount that ends when it starts',
      discount({ value: 1, startDate: '2030-01-01T00:00:00Z', endDate: '2030-01-01T01:00:00+01:00' }),
      'discount.endDate',
    ],
    ['a local time', discount({ value: 1, startDate: '2030-01-01T00:00:00' }), 'discount.startDate'],
    ['a share of 0', shares({ username: 'ada', percent: 0 }), 'profitShares[0].percent'],
    ['a share of nobody', shares({ percent: 5 }), 'profitShares[0]'],
    ['a share of an unknown resident', shares({ username: 'nobody', percent: 5 }), 'profitShares[0]'],
    ['a share of two residents', shares({ username: 'ada', userUuid: bob.uuid, percent: 5 }), 'profitShares[0]'],
    [
      'two shares of one user',
      shares({ username: 'ada', percent: 5 }, { userUuid: ada.uuid, percent: 5 }),
      'profitShares[1]',
    ],
    [
      'shares over 100 together',
      shares({ username: 'ada', percent: 60 }, { userUuid: bob.uuid, percent: 40.1 }),
      'profitShares must add up',
    ],
    [
      'a share whose percent is an object',
      shares({ username: 'ada', percent: { valueOf: 1, toString: 1 } }),
      'profitShares[0].percent',
    ],
    ['permissions that are no object', { permissions: 1 }, 'permissions'],
    ['an unknown demo', { demoId: unknownId }, 'demoId'],
  ])('for %s', async (_, fields, message) => {
    const before = await wholeTable();

    const { status, body } = await service.call('POST', '/v1/products', { name: 'Chair', price: 1, ...fields });

    expect(status).toBe(400);
    expect(body.errors.length).toBe(1);
    expect(body.errors[0]).toContain(message);
    expect(await wholeTable()).toEqual(before);
  });

  test('for a demo of another store', async () => {
    const demo = await createProduct(service.otherStore, productWith());

    const { status } = await service.call('POST', '/v1/products', { name: 'Full', price: 1, demoId: demo.id });

    expect(status).toBe(400);
  });
});
