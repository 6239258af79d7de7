import { describe, expect, test } from 'vitest';
import { expectProblem, listOf, shapes } from './shapes.ts';
import { call, createCategory, createProduct, get, hasResidents, inHours, resident, unique } from './target.ts';

/** The resources of products, deliveries and categories, and the envelope of lists. Residents 3 and 4. */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(3).uuid;
  const owner = resident(4).uuid;

  test('resource ProductDeliveryResponse: has exactly these fields', async () => {
    const { id } = await createProduct();

    const answer = await call('POST', `/v1/products/${id}/actions/deliver`, {
      recipientIdentifier: customer,
      message: 'Enjoy',
    });

    expect(shapes.ProductDeliveryResponse.parse(answer.body)).toEqual({
      productId: id,
      recipientUuid: customer,
      recipientUsername: resident(3).username,
      queued: true,
      message: 'Enjoy',
    });
  });

  test('resource ProductUpsertRequest: takes the user of a profit share by username or UUID', async () => {
    const profitShares = [
      { username: resident(3).username, percent: 60 },
      { userUuid: owner, percent: 40 },
    ];

    const product = await createProduct({ profitShares });

    expect(product.profitShares).toEqual([
      { userUuid: customer, percent: 60 },
      { userUuid: owner, percent: 40 },
    ]);
  });
});

test('resource ProductResponse: has exactly these fields, without `listed`', async () => {
  const product = await createProduct({ listed: false });

  shapes.ProductResponse.parse(product);
  expect(product).not.toHaveProperty('listed');
});

test('resource ProductUpsertRequest: keeps every field as sent', async () => {
  const demo = await createProduct();
  const fields = {
    name: unique('Armchair'),
    price: 450,
    image: 'abcdef00-0000-0000-0000-000000000001',
    bloggable: true,
    permissions: { copy: false, modify: true, transfer: true },
    discount: { value: 10, type: 1, startDate: inHours(-1), endDate: inHours(1) },
    availableAmount: 3,
    limited: true,
    item: 'Armchair (boxed)',
    blockCredits: true,
    description: 'Two lines\nand a tab\t.',
    demoId: demo.id,
    active: false,
  };

  const created = await createProduct(fields);
  const { body } = await call('PUT', `/v1/products/${demo.id}`, { ...fields, demoId: created.id });

  expect(created).toMatchObject({ ...fields, activePrice: 440 });
  expect(body).toMatchObject({ ...fields, demoId: created.id });
});

test('resource CategoryResponse: has exactly these fields', async () => {
  expect(shapes.CategoryResponse.parse(await createCategory('Seats'))).toMatchObject({
    name: 'Seats',
    productCount: 0,
  });
});

test.each([undefined, {}, { name: '' }, { name: 5 }])('resource CreateCategoryRequest: %j is refused', async (body) => {
  expectProblem(await call('POST', '/v1/categories', body), 400, '/v1/categories');
});

test('resource ListEnvelope: is `data` and `pagination` with nextCursor, previousCursor and limit', async () => {
  const { body } = await get('/v1/categories');

  expect(listOf(shapes.CategoryResponse).parse(body).pagination.limit).toBe(100);
});
