import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCategory, deleteCategory, getCategory, listMembers } from '../../../../lib/catalogue/categories.ts';
import { addMember, maxSorted, memberKey, removeMember } from '../../../../lib/catalogue/memberships.ts';
import { createProduct, listProducts, updateProduct } from '../../../../lib/catalogue/products.ts';
import { source } from '../../../../lib/clock.ts';
import { productImporter } from '../../../../lib/operator/imports/products.ts';
import { writeRows } from '../../../../lib/operator/imports/rows.ts';
import { sortMemberships } from '../../../../lib/operator/sort-memberships.ts';
import type { ProductFields } from '../../../../lib/routes/products.ts';
import { productKey } from '../../../../lib/table/keys.ts';
import { put, remove, update } from '../../../../lib/table/language.ts';
import { get, write } from '../../../../lib/table/table.ts';
import { intercept, type TableCall } from '../../../../test/support/faults.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { checkCategories } from '../../kinds/categories.ts';
import { checkMemberships } from '../../kinds/memberships.ts';

/** Memberships are listed under their product's flags. Here the flags change while something else is under way. */

let service: Awaited<ReturnType<typeof startTestService>>;
let store: string;
let stop = () => {};
beforeAll(async () => {
  service = await startTestService();
  // Without jitter, retries do not wait.
  source.random = () => 0;
});
beforeEach(() => {
  store = randomUUID();
});
afterEach(() => stop());

const newProduct = async (fields: Partial<ProductFields> = {}): Promise<string> =>
  (await createProduct(store, productWith(fields))).id;
const newCategory = async (): Promise<string> => (await createCategory(store, { name: 'C' })).id;
const newCategories = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, newCategory));

const listed = async (category: string, filter: { listed?: boolean; bloggable?: boolean } = {}): Promise<string[]> =>
  (await listProducts(store, { ...filter, category })({ descending: false })).map(({ id }) => id);
const countOf = async (category: string): Promise<number> => (await getCategory(store, category)).productCount;

const faults = async (): Promise<string[]> => {
  const found: string[] = [];
  const listener = { onFault: (fault: string) => found.push(fault), onChecked: () => {} };
  await checkMemberships(store, listener);
  await checkCategories(store, listener);
  return found;
};

/** Runs `work` once, right before the first transaction. */
const beforeTransaction = (work: () => Promise<unknown>, isIt = (_: TableCall) => true): void => {
  let done = false;
  stop = intercept(async (call, send) => {
    if (!done && call.operation === 'TransactWriteItems' && isIt(call)) {
      done = true;
      await work();
    }
    return send();
  });
};

const hidden = productWith({ listed: false });
const forBloggers = productWith({ bloggable: true });

/** Makes a product and its memberships look like those in a table from before memberships had flags. */
const makeOld = async (product: string, categories: readonly string[]): Promise<void> => {
  const item = await get<never>(productKey(store, product));
  for (const category of categories) {
    await write(remove(memberKey(store, category, product, item as never)));
    await write(put({ ...productKey(store, product), pk: memberKey(store, category, product, item as never).pk }));
  }
  const set = { sorted: undefined, sortedIn: undefined, unsorted: undefined };
  await write(update(productKey(store, product), { set }));
};

test('a removal that a change of flags overtakes removes the product all the same', async () => {
  const [category, product] = [await newCategory(), await newProduct({ bloggable: true })];
  await addMember(store, category, product);
  // The first transaction tries the usual flags. The second follows a read of the product.
  let transactions = 0;
  beforeTransaction(
    () => updateProduct(store, product, hidden),
    () => ++transactions === 2,
  );

  await removeMember(store, category, product);

  expect([await listed(category), await countOf(category), await faults()]).toEqual([[], 0, []]);
});

test('an addition that a change of flags overtakes stands under the new flags', async () => {
  const [category, product] = [await newCategory(), await newProduct()];
  beforeTransaction(() => updateProduct(store, product, hidden));

  await addMember(store, category, product);

  expect([await listed(category, { listed: false }), await countOf(category)]).toEqual([[product], 1]);
  expect(await faults()).toEqual([]);
});

test.each<[string, (product: string, a: string, b: string) => Promise<unknown>, boolean, boolean]>([
  ['a removal', (product, a) => removeMember(store, a, product), false, false],
  ['an addition', (product, _, b) => addMember(store, b, product), true, true],
  ['the deletion of a category', (_, a) => deleteCategory(store, a), false, false],
])('a change of flags that %s overtakes moves what is there', async (_, meanwhile, inA, inB) => {
  const [[a = '', b = ''], product] = [await newCategories(2), await newProduct()];
  await addMember(store, a, product);
  beforeTransaction(() => meanwhile(product, a, b));

  const answer = await updateProduct(store, product, hidden);

  expect(answer).toMatchObject({ id: product, listed: false });
  expect([await listed(a, { listed: false }), await listed(b, { listed: false })]).toEqual([
    inA ? [product] : [],
    inB ? [product] : [],
  ]);
  expect([await listed(a, { listed: true }), await listed(b, { listed: true })]).toEqual([[], []]);
  expect(await faults()).toEqual([]);
});

test('a change of flags sees an addition even if the product looks as it did before', async () => {
  const [[a = '', b = ''], product] = [await newCategories(2), await newProduct()];
  for (const category of [a, b]) await addMember(store, category, product);
  await removeMember(store, b, product);
  // Two changes count the memberships. Then the addition restores the count and the set of categories.
  beforeTransaction(async () => {
    await updateProduct(store, product, forBloggers);
    await updateProduct(store, product, productWith());
    await addMember(store, b, product);
  });

  await updateProduct(store, product, hidden);

  expect([await listed(a, { listed: false }), await listed(b, { listed: false })]).toEqual([[product], [product]]);
  expect(await faults()).toEqual([]);
});

test('a change of flags obeys If-Match, whether it has memberships to move or not', async () => {
  store = service.store;
  const [category, product] = [await newCategory(), await newProduct()];
  await addMember(store, category, product);
  const path = `/v1/products/${product}`;
  const body = { name: 'Chair', price: 100, listed: false };
  const stale = (await service.call('GET', path)).headers.get('etag') ?? '';
  await updateProduct(store, product, productWith({ price: 7 }));
  const current = (await service.call('GET', path)).headers.get('etag') ?? '';

  const refused = await service.call('PUT', path, body, { 'If-Match': stale });
  beforeTransaction(() => updateProduct(store, product, forBloggers));
  const overtaken = await service.call('PUT', path, body, { 'If-Match': current });
  stop();
  const latest = (await service.call('GET', path)).headers.get('etag') ?? '';
  const done = await service.call('PUT', path, body, { 'If-Match': latest });

  expect([refused.status, overtaken.status, done.status]).toEqual([412, 412, 200]);
  expect(await listed(category, { listed: false })).toEqual([product]);
});

test('a product in more categories than a transaction holds is found by every filter, at one unit for a change', async () => {
  store = service.store;
  const [categories, product] = [await newCategories(maxSorted + 7), await newProduct()];

  for (const category of categories) await addMember(store, category, product);
  for (const category of categories) await addMember(store, category, product);
  await updateProduct(store, product, hidden);

  for (const category of categories) {
    expect(await listed(category, { listed: false })).toEqual([product]);
    expect(await listed(category, { listed: true })).toEqual([]);
    expect(await countOf(category)).toBe(1);
  }
  expect(await faults()).toEqual([]);
  const body = { name: 'Chair', price: 7, listed: false };
  expect((await service.call('PUT', `/v1/products/${product}`, body)).cost).toEqual({ calls: 1, steps: 1, units: 1 });
  for (const category of categories) await removeMember(store, category, product);
  expect(await Promise.all(categories.map(countOf))).toEqual(categories.map(() => 0));
  expect(await faults()).toEqual([]);
});

test('an addition with an Idempotency-Key fits into one transaction when it unsorts the most memberships', async () => {
  store = service.store;
  const [categories, product] = [await newCategories(maxSorted + 1), await newProduct()];
  for (const category of categories.slice(1)) await addMember(store, category, product);

  const { status } = await service.call('POST', `/v1/categories/${categories[0]}/products/${product}`, undefined, {
    'Idempotency-Key': 'the-last-one',
  });

  expect([status, await faults()]).toEqual([204, []]);
  expect(await listed(categories[0] as string, { listed: true })).toEqual([product]);
});

test('removals make room: a product that comes and goes stays sorted', async () => {
  const [[a = '', b = ''], product] = [await newCategories(2), await newProduct()];
  await addMember(store, b, product);

  for (let i = 0; i < maxSorted + 3; i++) {
    await addMember(store, a, product);
    await removeMember(store, a, product);
  }
  await addMember(store, a, product);

  expect((await listMembers(store, a)({ descending: false })).map(({ sk }) => sk)).toEqual([`on10#${product}`]);
  expect([await countOf(a), await countOf(b), await faults()]).toEqual([1, 1, []]);
});

test('the memberships of an old table are found, added once, moved and removed as before, and a repair sorts them', async () => {
  const [categories, product, other] = [await newCategories(3), await newProduct(), await newProduct(hidden)];
  const [a = '', b = '', c = ''] = categories;
  for (const category of [a, b]) for (const one of [product, other]) await addMember(store, category, one);
  for (const one of [product, other]) await makeOld(one, [a, b]);

  expect(await listed(a)).toEqual([product, other].sort());
  expect([await listed(a, { listed: true }), await listed(a, { listed: false })]).toEqual([[product], [other]]);
  for (const category of [a, c]) await addMember(store, category, product);
  await updateProduct(store, product, forBloggers);
  await removeMember(store, b, other);
  expect([await listed(c, { bloggable: true }), await listed(a, { bloggable: false })]).toEqual([[product], [other]]);
  expect([await countOf(a), await countOf(b), await countOf(c), await faults()]).toEqual([2, 1, 1, []]);

  expect(await sortMemberships(store, () => {})).toEqual({ changed: 2, left: 0 });

  expect((await listMembers(store, a)({ descending: false })).map(({ sk }) => sk)).toEqual([
    `on00#${other}`,
    `on11#${product}`,
  ]);
  expect(await sortMemberships(store, () => {})).toEqual({ changed: 0, left: 0 });
  expect([await countOf(a), await countOf(b), await countOf(c), await faults()]).toEqual([2, 1, 1, []]);
  await updateProduct(store, product, hidden);
  expect(await listed(c, { listed: false })).toEqual([product]);
});

test('a repair that an addition to an old product overtakes sorts that one too', async () => {
  const [[a = '', b = ''], product] = [await newCategories(2), await newProduct()];
  await addMember(store, a, product);
  await makeOld(product, [a]);
  beforeTransaction(() => addMember(store, b, product));

  expect(await sortMemberships(store, () => {})).toEqual({ changed: 1, left: 0 });

  await addMember(store, b, product);
  expect([await listed(b, { listed: true }), await countOf(b), await faults()]).toEqual([[product], 1, []]);
});

test('the audit names a stale, a doubled and an unknown membership, and a repair mends them', async () => {
  const [[a = '', b = ''], product] = [await newCategories(2), await newProduct()];
  await addMember(store, a, product);
  const flags = { active: true, bloggable: false, sorted: 0 };
  const [right, stale] = [true, false].map((isListed) => memberKey(store, a, product, { ...flags, listed: isListed }));
  await write(put(stale as never));
  await write(update({ pk: `${store}#CATEGORY`, sk: a }, { add: { productCount: 1 } }));
  await write(put({ ...(right as { sk: string }), pk: memberKey(store, b, product, { ...flags, listed: true }).pk }));
  await write(update({ pk: `${store}#CATEGORY`, sk: b }, { add: { productCount: 1 } }));

  expect(await faults()).toEqual(
    expect.arrayContaining([
      `category ${a}: the product ${product} stands there as not listed, not bloggable, but is listed, not bloggable.`,
      `category ${b}: the product ${product} is in it, but does not say so.`,
    ]),
  );
  expect(await faults()).toHaveLength(2);

  expect(await sortMemberships(store, () => {})).toEqual({ changed: 1, left: 0 });

  expect([await countOf(a), await countOf(b), await faults()]).toEqual([1, 1, []]);
  await updateProduct(store, product, hidden);
  expect(await listed(b, { listed: false })).toEqual([product]);
});

test('an import that changes flags moves the memberships, and one that changes categories keeps them sorted', async () => {
  const [a = '', b = ''] = await newCategories(2);
  const [product = '', leaving = '', full = ''] = [await newProduct(), await newProduct(), await newProduct()];
  for (const one of [product, leaving]) await addMember(store, a, one);
  const others = await newCategories(maxSorted);
  for (const category of others) await addMember(store, category, full);
  const setting = { store, residents: new Map() };
  const rows = [
    { line: 1, fields: { id: product, name: 'Chair', price: 5, listed: false, categories: [a, b] } },
    { line: 2, fields: { id: leaving, name: 'Chair', price: 5, listed: false, categories: [b] } },
    { line: 3, fields: { id: full, name: 'Chair', price: 5, categories: [...others, b] } },
  ];

  const groups = await writeRows(productImporter(), rows, setting);
  const repeated = await writeRows(productImporter(), rows, setting);

  expect([groups, repeated].map((all) => all.map(({ outcome }) => outcome))).toEqual([
    ['changed', 'changed', 'changed'],
    ['unchanged', 'unchanged', 'unchanged'],
  ]);
  expect([await listed(a, { listed: true }), await listed(a, { listed: false })]).toEqual([[], [product]]);
  expect([await listed(b, { listed: true }), await listed(b, { listed: false })]).toEqual([
    [full],
    [product, leaving].sort(),
  ]);
  expect([await countOf(a), await countOf(b), await faults()]).toEqual([1, 3, []]);
});

test('a cursor from before a change of flags leads on, since it is the id of a product', async () => {
  store = service.store;
  const [category, products] = [
    await newCategory(),
    [await newProduct(), await newProduct(), await newProduct()].sort(),
  ];
  for (const product of products) await addMember(store, category, product);
  const path = `/v1/products?category=${category}&limit=1`;
  const { body } = await service.call('GET', path);
  await updateProduct(store, products[1] as string, hidden);

  const { status, body: next } = await service.call('GET', `${path}&cursor=${body.pagination.nextCursor}`);

  expect([status, next.data.map(({ id }: { id: string }) => id)]).toEqual([200, [products[1]]]);
});
