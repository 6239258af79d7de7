import { beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  act,
  call,
  createCategory,
  createProduct,
  get,
  hasResidents,
  nilUuid,
  resident,
  settled,
  target,
  unique,
  unknownName,
  unknownUuid,
  walk,
} from './target.ts';

/** The list of products with its filters, and deliveries. Residents 45 and 46. */

/** A word that only this run's products have. */
const mark = unique('mark').replaceAll(/\W/g, '');
const named = (rows: { name: string }[]): string[] => rows.map(({ name }) => name.replace(` ${mark}`, '')).sort();
const expected = 9;
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
  await make('told', { description: `A chair\nof velvet-${mark}` });
  category = (await createCategory()).id;
  await call('POST', `/v1/categories/${category}/products/${bloggable.id}`);
  // On AWS the index of the search follows the table.
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

test('product filter rule 2: listed and bloggable keep those of which the flag is so', async () => {
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

test.each(['', '?search=', '?search=%20%09%20', '?search=+'])(
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

test('silent 24, silent 25: search follows a change of name, description and active', async () => {
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

describe('deliver', () => {
  const deliver = (id: string, body: unknown) => call('POST', `/v1/products/${id}/actions/deliver`, body);
  const path = (id: string) => `/v1/products/${id}/actions/deliver`;

  test('statuses 3: a recipient who is malformed or nobody is 400', async () => {
    const { id } = await createProduct();

    for (const recipientIdentifier of ['a..b', unknownName, unknownUuid, nilUuid, 5, null])
      expectProblem(await deliver(id, { recipientIdentifier }), 400, path(id));
  });

  test('defaults 10: the recipient is needed', async () => {
    const { id } = await createProduct();

    expectProblem(await deliver(id, { message: 'Hi' }), 400, path(id), [
      expect.stringMatching(/^recipientIdentifier is required/),
    ]);
  });

  test('deliver rule 1, silent 44: an inactive or unknown product is 404, for an unknown recipient too', async () => {
    const { id } = await createProduct({ active: false });

    for (const product of [id, unknownUuid])
      for (const recipientIdentifier of [resident(45).uuid, unknownName])
        expectProblem(await deliver(product, { recipientIdentifier }), 404, path(product));
  });

  describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
    test('deliver rule 2, lists 10, resource DeliverProductRequest: queued is answered at once, with the note that was sent or ""', async () => {
      const { id } = await createProduct();

      const bare = await deliver(id, { recipientIdentifier: ` ${resident(45).username.toUpperCase()} ` });
      const note = await deliver(id, { recipientIdentifier: resident(45).uuid, message: ' Enjoy!\n\t🎁 ' });

      expect(bare.body).toMatchObject({ queued: true, message: '', recipientUuid: resident(45).uuid });
      expect(note.body).toMatchObject({ queued: true, message: 'Enjoy!\n\t🎁' });
    });

    test('text 23: a message has at most 1023 bytes of UTF-8, emoji included', async () => {
      const { id } = await createProduct();
      const send = (message: unknown) => deliver(id, { recipientIdentifier: resident(45).uuid, message });

      for (const fits of ['x'.repeat(1023), `${'🎁'.repeat(255)}xxx`]) expect((await send(fits)).status).toBe(200);
      for (const wrong of ['x'.repeat(1024), '🎁'.repeat(256), 'a\u0000b', 'a\u0007b', '\ud800', 5, null])
        expectProblem(await send(wrong), 400, path(id), [expect.stringMatching(/^message must be at most 1023 bytes/)]);
    });

    test('lists 6: a product is delivered to somebody who is banned', async () => {
      const { id } = await createProduct();
      await act(resident(46).uuid, 'ban');

      expect((await deliver(id, { recipientIdentifier: resident(46).uuid })).body.queued).toBe(true);
    });

    test('silent 46: a delivery that is asked for twice under one Idempotency-Key is queued once', async () => {
      const { id } = await createProduct();
      const body = { recipientIdentifier: resident(45).uuid };
      const headers = { 'Idempotency-Key': unique('key').replace(' ', '-') };
      const send = () => call('POST', path(id), body, { headers });

      const answers = [await send(), await send()];

      expect(answers.map(({ status, body: answer }) => [status, answer.queued])).toEqual(Array(2).fill([200, true]));
      expect(answers[1]?.headers.get('idempotent-replayed')).toBe('true');
    });

    describe.runIf(target.local)('on the local service, whose dispenser shows what it gave', () => {
      test('lists 9: what is answered as queued arrives once', async () => {
        const { id } = await createProduct({ item: 'Lamp' });
        const message = unique('For you');
        await deliver(id, { recipientIdentifier: resident(45).uuid, message });

        const gifts = async () =>
          (await get('/_dev/inbox')).body.deliveries.filter((gift: { message: string }) => gift.message === message);

        await expect.poll(gifts, { timeout: 20_000 }).toMatchObject([{ item: 'Lamp', recipient: resident(45).uuid }]);
      });
    });
  });
});
