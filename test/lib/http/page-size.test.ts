import { expect, test } from 'vitest';
import { createProduct, listProducts } from '../../../lib/catalogue/products.ts';
import { page } from '../../../lib/lists/page.ts';
import type { Source } from '../../../lib/lists/source.ts';
import { productWith } from '../../support/rows.ts';
import { freshTable } from '../../support/service.ts';

/** The size of a page. Lambda limits an answer to 6 MB, and escapes its body once more. */

const pageOf = <T extends object>(rows: T[]) => {
  const source: Source<T> = async ({ limit }) => rows.slice(0, limit);
  return page({ limit: 1000, owner: 'test' }, source, () => '');
};

test('attributes of the indexes do not count towards the size of a page', async () => {
  await freshTable();
  const description = 'x'.repeat(4000);
  await createProduct('S', productWith({ name: 'Long', description }));
  const [product] = await listProducts('S', {})({ descending: false });

  expect(product?.description).toBe(description);
  expect(JSON.stringify(product).length).toBeLessThan(description.length + 1000);
});

test('a page of almost 5 MB is not cut short', async () => {
  const rows = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(4900) }));

  expect((await pageOf(rows)).data).toHaveLength(1000);
});

test('quotes and backslashes count with their escapes', async () => {
  const rows = Array.from({ length: 1000 }, () => ({ text: '"\\'.repeat(1200) }));

  const { data, pagination } = await pageOf(rows);

  expect(JSON.stringify({ body: JSON.stringify(data) }).length).toBeLessThan(5_100_000);
  expect(data.length).toBeGreaterThan(500);
  expect(pagination.nextCursor).not.toBeNull();
});
