import { beforeAll, expect, test } from 'vitest';
import { createProduct, getProduct } from '../../../lib/catalogue/products.ts';
import { loaded } from '../../../lib/lists/source.ts';
import { partition } from '../../../lib/table/keys.ts';
import { getMany } from '../../../lib/table/table.ts';
import { unknownUuid } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { freshTable } from '../../support/service.ts';

beforeAll(freshTable);

test('returns the item of a repeated key once, and nothing for a key without an item', async () => {
  const { id } = await createProduct('store', productWith());
  const key = { pk: partition('store', 'PRODUCT'), sk: id };

  const items = await getMany<{ pk: string; sk: string }>([key, { ...key }, { ...key, sk: unknownUuid }]);

  expect(items.map(({ sk }) => sk)).toEqual([id]);
  expect((await getProduct('store', id)).id).toBe(id);
});

test('reads a full page of 1,000 and the row behind it in one round', async () => {
  const asked: (number | undefined)[] = [];
  const keys = async ({ limit = 0 }) => {
    asked.push(limit);
    return Array.from({ length: limit }, (_, i) => String(i));
  };
  const source = loaded(
    keys,
    (key) => key,
    async (rows) => rows,
  );

  const rows = await source({ descending: false, limit: 1001 });

  expect(rows.length).toBe(1001);
  expect(asked).toEqual([1001]);
});

test('reads on for dropped rows, up to the end of the list', async () => {
  const all = Array.from({ length: 500 }, (_, i) => String(i).padStart(3, '0'));
  const source = loaded(
    async ({ from, limit }) => all.filter((key) => !from || key > from.position).slice(0, limit),
    (key) => key,
    async (rows) => rows.filter((key) => key.endsWith('9')),
  );

  expect((await source({ descending: false, limit: 7 })).length).toBe(7);
  expect((await source({ descending: false, limit: 60 })).length).toBe(50);
});

test('reads few more rows if few are dropped, and in strides that grow to 1,000 if all are', async () => {
  const asked: number[] = [];
  const all = Array.from({ length: 5_000 }, (_, i) => String(i).padStart(4, '0'));
  const sourceOf = (passes: (key: string) => boolean) =>
    loaded(
      async ({ from, limit = 0 }) => {
        asked.push(limit);
        return all.filter((key) => !from || key > from.position).slice(0, limit);
      },
      (key) => key,
      async (rows) => rows.filter(passes),
    );

  const most = await sourceOf((key) => !key.endsWith('9'))({ descending: false, limit: 41 });
  const none = await sourceOf(() => false)({ descending: false, limit: 41 });
  const first = await sourceOf((key) => key < '0040')({ descending: false, limit: 41 });

  expect([most.length, none.length, first.length]).toEqual([41, 0, 40]);
  expect(asked.slice(0, 2)).toEqual([41, 7]);
  expect(asked.slice(2, 10)).toEqual([41, 82, 164, 328, 656, 1000, 1000, 1000]);
  // The strides start at 2 and double until the list ends.
  expect(asked.slice(11)).toEqual([41, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000, 1000]);
});
