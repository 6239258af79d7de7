import { describe, expect, test } from 'vitest';
import { createCategory, deleteCategory } from '../../../lib/catalogue/categories.ts';
import { addMember } from '../../../lib/catalogue/memberships.ts';
import { createProduct } from '../../../lib/catalogue/products.ts';
import { unknownUuid } from '../../support/residents.ts';
import { productWith } from '../../support/rows.ts';
import { startTestService } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';
import { walkList } from '../../support/walk.ts';

const either = [false, true];
const made: { id: string; name: string; listed: boolean; bloggable: boolean; inCategory: boolean }[] = [];

const service = await startTestService();
const category = (await createCategory(service.store, { name: 'Some' })).id;
// 24 products in every combination of flags, category and name. Several have the same name.
for (let i = 0; i < 3; i++)
  for (const listed of either)
    for (const bloggable of either)
      for (const inCategory of either) {
        const name = i === 1 ? 'Éclair 100%_off' : 'Chair';
        const { id } = await createProduct(service.store, productWith({ name, listed, bloggable }));
        if (inCategory) await addMember(service.store, category, id);
        made.push({ id, name, listed, bloggable, inCategory });
      }
const inactive = await createProduct(service.store, productWith({ active: false }));
await addMember(service.store, category, inactive.id);
await createProduct(service.otherStore, productWith());

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

const combinations = ['', 'false', 'true'].flatMap((listed) =>
  ['', 'false', 'true'].flatMap((bloggable) =>
    either.flatMap((byCategory) => ['', '%25_'].map((search) => ({ listed, bloggable, byCategory, search }))),
  ),
);

test.each(combinations)(
  'walks every match once, forward and back: %j',
  async ({ listed, bloggable, byCategory, search }) => {
    const query = [
      listed && `listed=${listed}`,
      bloggable && `bloggable=${bloggable}`,
      byCategory && `category=${category.toUpperCase()}`,
      search && `search=${search}`,
    ];
    const expected = made
      .filter((row) => !listed || row.listed === (listed === 'true'))
      .filter((row) => !bloggable || row.bloggable === (bloggable === 'true'))
      .filter((row) => !byCategory || row.inCategory)
      .filter((row) => !search || row.name.includes('%_'))
      .map(({ id }) => id)
      .sort();
    const { length } = expected;
    const limits = [...volume([], [1]), length - 1, length, length + 1, Math.ceil(length / 3)];

    for (const limit of new Set(limits.map((value) => Math.max(value, 1)))) {
      const data = await walkList<{ id: string }>(
        service.call,
        `/v1/products?${query.filter(Boolean).join('&')}`,
        limit,
      );
      expect(idsOf({ data })).toEqual(expected);
    }
  },
);

test('lists the inactive products instead, with the other filters, and each in one list only', async () => {
  const place = (await createCategory(service.store, { name: 'Of seasons' })).id;
  const make = async (fields: object) => {
    const body = { name: 'Snow lamp', price: 5, item: 'Lamp', ...fields };
    const { id } = (await service.call('POST', '/v1/products', body)).body;
    await addMember(service.store, place, id);
    return { id, set: (more: object) => service.call('PUT', `/v1/products/${id}`, { ...body, ...more }) };
  };
  const [plain, hidden, blogged] = [await make({}), await make({ listed: false }), await make({ bloggable: true })];
  const of = async (query: string) =>
    idsOf((await service.call('GET', `/v1/products?category=${place}&${query}`)).body);
  const everywhere = async (query: string) =>
    idsOf((await service.call('GET', `/v1/products?limit=1000&${query}`)).body).filter((id) =>
      [plain.id, hidden.id, blogged.id].includes(id),
    );
  expect(await of('active=false')).toEqual([]);

  for (const one of [plain, hidden, blogged]) await one.set({ active: false });
  await hidden.set({ active: false, listed: false });
  await blogged.set({ active: false, bloggable: true });

  for (const listed of [of, everywhere]) {
    expect(await listed('active=false')).toEqual([plain.id, hidden.id, blogged.id]);
    expect(await listed('active=false&listed=true&bloggable=false')).toEqual([plain.id]);
    expect(await listed('active=false&listed=false')).toEqual([hidden.id]);
    expect(await listed('active=false&bloggable=true&search=SNOW')).toEqual([blogged.id]);
    expect(await listed('active=false&search=sand')).toEqual([]);
    expect(await listed('')).toEqual([]);
    expect(await listed('active=true')).toEqual([]);
  }
  await plain.set({});
  expect([await everywhere('active=false'), await everywhere('active=true&search=snow')]).toEqual([
    [hidden.id, blogged.id],
    [plain.id],
  ]);
  await plain.set({ active: false });
  expect((await service.call('GET', '/v1/products?active=off')).body.errors).toEqual(['active must be true or false.']);
});

describe('search', () => {
  test('finds a description, and matches nothing across name and description', async () => {
    const fields = { name: 'Unique', description: 'Wonder', active: true };
    const { id } = await createProduct(service.otherStore, productWith(fields));
    const search = async (term: string) =>
      idsOf((await service.callOther('GET', `/v1/products?search=${term}`)).body).includes(id);

    expect(await search('WONDER')).toBe(true);
    expect(await search('uniquewonder')).toBe(false);
  });
});

test('an unknown category, another store’s and a deleted one are empty lists', async () => {
  const other = await createCategory(service.otherStore, { name: 'Other' });
  const gone = await createCategory(service.store, { name: 'Gone' });
  await addMember(service.store, gone.id, made[0]?.id ?? '');
  await deleteCategory(service.store, gone.id);

  for (const id of [unknownUuid, other.id, gone.id]) {
    const { status, body } = await service.call('GET', `/v1/products?category=${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ data: [], pagination: { nextCursor: null, previousCursor: null, limit: 100 } });
  }
});
