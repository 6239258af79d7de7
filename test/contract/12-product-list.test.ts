import { beforeAll, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { call, createCategory, createProduct, get, settled, unique, unknownUuid, walk } from './target.ts';

/** The list of products with its filters. */

/** A word that occurs only in the products of this run. */
const mark = unique('mark').replaceAll(/\W/g, '');

const named = (rows: { name: string }[]): string[] => rows.map(({ name }) => name.replace(` ${mark}`, '')).sort();

const expected = 10;

const search = async (term: string, query = ''): Promise<string[]> =>
  named(await walk(`/v1/products?search=${encodeURIComponent(term)}${query}`));

let category: string;

beforeAll(async () => {
  const item = 'Thing';
  const make = (name: string, fields: object = {}) => createProduct({ name: `${name} ${mark}`, item, ...fields });
  await make('plain', { description: '' });
  await make('hidden', { listed: false });
  const bloggable = await make('blog', { bloggable: true });
  await make('hidden blog', { listed: false, bloggable: true });
  await make('inactive', { active: false });
  await make('100%_off');
  await make('1000 off');
  await make('ÉTÉ Ünïcode Σίσυφος');
  await make('ﬁne ｗide');
  await make('Red\u200bDress');
  await make('told', { description: `A chair\nof velvet-${mark}` });
  category = (await createCategory()).id;
  await call('POST', `/v1/categories/${category}/products/${bloggable.id}`);
  // On AWS the search index follows the table with a delay.
  await settled(
    () => search(mark),
    (rows) => rows.length === expected,
  );
});

test('endpoint rule 5: the list holds active products only', async () => {
  expect(await search(mark)).not.toContain('inactive');
  expect(await search(mark)).toHaveLength(expected);
  expect((await walk('/v1/products')).every(({ active }) => active)).toBe(true);
});

test('product filter rule 2: listed and bloggable keep the products with that value', async () => {
  expect(await search(mark, '&listed=false')).toEqual(['hidden', 'hidden blog']);
  expect(await search(mark, '&bloggable=true')).toEqual(['blog', 'hidden blog']);
  expect(await search(mark, '&listed=true')).toHaveLength(expected - 2);
  expect(await search(mark, '&bloggable=false')).toHaveLength(expected - 2);
});

test('product filter rule 1: filters combine with AND', async () => {
  expect(await search(mark, '&listed=false&bloggable=true')).toEqual(['hidden blog']);
  expect(await search(mark, `&category=${category}&bloggable=true`)).toEqual(['blog']);
  expect(await search(mark, `&category=${category}&bloggable=false`)).toEqual([]);
  expect(await search('velvet', `&category=${category}`)).toEqual([]);
});

test('product filter rule 3: category is the id of a category, not its name', async () => {
  expect(named(await walk(`/v1/products?category=${category.toUpperCase()}`))).toEqual(['blog']);
  expectProblem(await get('/v1/products?category=Seating'), 400, '/v1/products', ['category must be a UUID.']);
});

test('catalogue 19: an unknown category is an empty list', async () => {
  const { body } = await get(`/v1/products?category=${unknownUuid}`);

  expect(body).toEqual({ data: [], pagination: { nextCursor: null, previousCursor: null, limit: 100 } });
});

test.each([
  ['product filter rule 4', 'a part of a name', `lai*n ${mark}`, []],
  ['product filter rule 4', 'a part of a name', `LAIN ${mark}`, ['plain']],
  ['product filter rule 4', 'a part of a description', `VELVET-${mark}`, ['told']],
  ['product filter rule 4', 'across a line end', `chair\nof`, 400],
  ['product filter rule 5', 'a percent sign', `100% ${mark}`, []],
  ['product filter rule 5', 'a percent sign', `%_off ${mark}`, ['100%_off']],
  ['product filter rule 5', 'an underscore', `_off ${mark}`, ['100%_off']],
  ['product filter rule 5', 'a percent sign alone', `%${mark}`, []],
  ['catalogue 13', 'surrounding blanks', `  ${mark}  `, expected],
  ['catalogue 13', 'a name without its invisible characters', `RedDress`, ['Red\u200bDress']],
  ['catalogue 13', 'a name with other invisible characters', `\u2060r\u200bed\u00address ${mark}`, ['Red\u200bDress']],
  ['catalogue 13', 'other case of letters with accents', `été ünïcode`, ['ÉTÉ Ünïcode Σίσυφος']],
  ['catalogue 13', 'a decomposed letter', `e\u0301te\u0301 u\u0308n`, ['ÉTÉ Ünïcode Σίσυφος']],
  ['catalogue 13', 'both forms of sigma', `ΣΊΣΥΦΟΣ ${mark}`, ['ÉTÉ Ünïcode Σίσυφος']],
  ['catalogue 13', 'ligatures and wide letters', `fine wide`, ['ﬁne ｗide']],
  ['catalogue 13', 'a letter without its accent is another', `ete ünïcode`, []],
  ['catalogue 13', 'characters of regular expressions', `.*${mark}`, []],
])('%s: search by %s (%j)', async (_, __, term, found) => {
  if (found === 400)
    return expectProblem(await get(`/v1/products?search=${encodeURIComponent(term)}`), 400, '/v1/products');
  const rows = await search(term);
  expect(typeof found === 'number' ? rows.length : rows).toEqual(found);
});

test.each(['?search=', '?search=%20%09%20', '?search=+', '?search=%E2%80%8B%20%E2%80%8D'])(
  'product filter rule 6: "%s" applies no filter',
  async (query) => {
    const all = await walk('/v1/products');

    expect(await walk(`/v1/products${query}`)).toEqual(all);
  },
);

test('catalogue 14: a search has at most 100 characters', async () => {
  expect((await get(`/v1/products?search=${'🎁'.repeat(1)}${'x'.repeat(99)}`)).status).toBe(200);
  expectProblem(await get(`/v1/products?search=${'x'.repeat(101)}`), 400, '/v1/products', [
    expect.stringMatching(/^search /),
  ]);
});

test('catalogue 20: a character that grows most is found as it is written, beside letters of any case', async () => {
  const grown = await createProduct({ name: `Grown ${mark}`, item: 'x', description: `${'\ufdfa'.repeat(400)} GROWN` });
  const little = await createProduct({ name: `Peace \ufdfa be with ${mark}`, item: 'x' });

  const found = async (term: string) =>
    (await walk(`/v1/products?search=${encodeURIComponent(term)}`)).map(({ id }) => id);

  await settled(
    () => found('\ufdfa gRown'),
    (ids) => ids.length > 0,
  );
  expect(await found('\ufdfa gRown')).toEqual([grown.id]);
  expect(await found(`peace \ufdfa BE with ${mark}`)).toEqual([little.id]);
  expect((await found('\ufdfa')).sort()).toEqual([grown.id, little.id].sort());
  for (const { id } of [grown, little])
    await call('PUT', `/v1/products/${id}`, { name: 'Chair', price: 1, active: false });
});

test('silent 24, silent 25: a search sees a changed name, description and active', async () => {
  const word = unique('word').replaceAll(/\W/g, '');
  const { id } = await createProduct({ name: `Before ${word}` });
  const becomes = async (count: number) =>
    expect(
      await settled(
        () => search(word),
        (rows) => rows.length === count,
      ),
    ).toHaveLength(count);
  await becomes(1);
  await call('PUT', `/v1/products/${id}`, { name: 'After', price: 1 });
  await becomes(0);
  await call('PUT', `/v1/products/${id}`, { name: 'After', price: 1, description: word });
  await becomes(1);
  await call('PUT', `/v1/products/${id}`, { name: 'After', price: 1, description: word, active: false });
  await becomes(0);
});
