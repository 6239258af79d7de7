import { beforeAll, expect, test } from 'vitest';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

test('201s with the category and its Location', async () => {
  const { status, headers, body } = await service.call('POST', '/v1/categories', { name: '  Chairs ' });

  expect(status).toBe(201);
  expect(body).toEqual({ id: expect.any(String), name: 'Chairs', productCount: 0 });
  expect(headers.get('location')).toBe(`/v1/categories/${body.id}`);
  expect((await service.call('GET', `/v1/categories/${body.id}`)).body).toEqual(body);
});

test('400s for a missing name and writes nothing', async () => {
  const before = await wholeTable();

  const { status, body } = await service.call('POST', '/v1/categories', { title: 'Chairs' });

  expect(status).toBe(400);
  expect(body.errors).toEqual(['name is required: it must be text of 1 to 255 characters without control characters.']);
  expect(await wholeTable()).toEqual(before);
});
