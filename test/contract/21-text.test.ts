import { expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import { call, createCategory, createProduct, inHours } from './target.ts';

/** Text, numbers and times. Resident 55. */

const refused = async (fields: object): Promise<void> =>
  expectProblem(await call('POST', '/v1/products', { name: 'Chair', price: 1, ...fields }), 400, '/v1/products', [
    expect.any(String),
  ]);

test.each(['1', 1.5, -1, 2_147_483_648, 1e300, true, [1], {}])(
  'text 12, text 13: the whole number %j is 400',
  async (value) => {
    await refused({ price: value });
    await refused({ availableAmount: value });
  },
);

test('text 12: the largest whole number is 2 147 483 647, and 1.0 and 1e2 are whole', async () => {
  expect((await createProduct({ price: 2_147_483_647 })).price).toBe(2_147_483_647);
  const { body } = await call('POST', '/v1/products', '{"name":"Chair","price":1e2,"availableAmount":1.0}');
  expect(body).toMatchObject({ price: 100, availableAmount: 1 });
});

test.each(['true', 1, 0, 'yes', []])('text 13: the flag %j is 400', async (value) => {
  await refused({ bloggable: value });
});

const startOf = async (startDate: string) =>
  (await createProduct({ discount: { value: 1, startDate } })).discount.startDate;

test.each([
  ['text 15', '2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['text 15', '2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
  ['text 15', '2030-01-01T00:30:00+01:00', '2029-12-31T23:30:00.000Z'],
  ['text 15', '2030-01-31T12:00:00-05:30', '2030-01-31T17:30:00.000Z'],
  ['text 15', '2032-02-29T00:00:00Z', '2032-02-29T00:00:00.000Z'],
  ['text 15', '20300131T120000Z', '2030-01-31T12:00:00.000Z'],
  ['text 15', '2030-031T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['text 15', '2030-W05-4T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['silent 4', '2030-01-31T12:00:00+02', '2030-01-31T10:00:00.000Z'],
  ['silent 4', '2030-01-31T12:00:00+0200', '2030-01-31T10:00:00.000Z'],
  ['silent 4', '2030-01-31T12:00Z', '2030-01-31T12:00:00.000Z'],
  ['silent 4', '2030-01-31T12Z', '2030-01-31T12:00:00.000Z'],
  ['silent 4', '2030-01-31T24:00Z', '2030-02-01T00:00:00.000Z'],
  ['silent 5', '2030-01-31T12:00:00.123987Z', '2030-01-31T12:00:00.123Z'],
  ['silent 5', '2030-01-31T23:59:59.9999999Z', '2030-01-31T23:59:59.999Z'],
  ['silent 6', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['silent 6', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s: the time %s is answered as %s', async (_, sent, answered) => {
  expect(await startOf(sent)).toBe(answered);
});

test.each([
  ['text 15', '2030-01-31T12:00:00'],
  ['text 15', '2030-01-31'],
  ['text 15', '2030-01-31 12:00:00Z'],
  ['text 15', ' 2030-01-31T12:00:00Z'],
  ['text 15', '31.01.2030'],
  ['text 15', '1900000000'],
  ['silent 6', '0001-01-01T00:00:00+01:00'],
  ['silent 6', '9999-12-31T23:59:59-01:00'],
  ['silent 6', '10000-01-01T00:00:00Z'],
  ['silent 7', '2030-02-30T00:00:00Z'],
  ['silent 7', '2031-02-29T00:00:00Z'],
  ['silent 7', '2030-06-30T23:59:60Z'],
  ['silent 7', '2027-366T00:00:00Z'],
])('%s: the time %s is 400', async (_, startDate) => {
  await refused({ discount: { value: 1, startDate } });
});

test('catalogue 2: an ended discount does not count', async () => {
  const product = await createProduct({
    price: 10,
    discount: { value: 5, type: 1, startDate: inHours(-1), endDate: inHours(-1 / 60) },
  });

  expect(product.activePrice).toBe(10);
});

test('text 19, silent 1: names have 1 to 255 characters, and an emoji counts as one', async () => {
  const item = 'Thing';

  expect((await createCategory('🎁'.repeat(255))).name).toBe('🎁'.repeat(255));
  expect((await createProduct({ name: '🎁'.repeat(255), item })).name).toBe('🎁'.repeat(255));
  for (const name of ['x'.repeat(256), '', ' \t ', '🎁'.repeat(256)]) {
    expect((await call('POST', '/v1/categories', { name })).status).toBe(400);
    await refused({ name, item });
  }
});

test('text 20: a description has at most 4096 characters', async () => {
  const longest = `${'é'.repeat(4094)}\n.`;

  expect((await createProduct({ description: longest })).description).toBe(longest);
  await refused({ description: 'x'.repeat(4097) });
});

test('text 24: trims surrounding blanks', async () => {
  expect((await createCategory(' \u00a0 Seats \t')).name).toBe('Seats');
  expect((await createProduct({ description: '\n two  blanks \n' })).description).toBe('two  blanks');
});

test('text 30: text of blanks and invisible characters alone is empty', async () => {
  for (const name of ['\u200b', ' \u200d\u00a0\ufeff', '\u2060\u00ad', '\u{e0067}\u{e007f}']) {
    expect((await call('POST', '/v1/categories', { name })).status).toBe(400);
    await refused({ name, item: 'Thing' });
  }
  expect((await createProduct({ description: '\u200b' })).description).toBe('');
});

test('text 30: invisible characters are trimmed, and stay within a text', async () => {
  const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';

  expect((await createCategory('\u202a Seats\u200b\u202c')).name).toBe('Seats');
  for (const name of ['Family 👨\u200d👩\u200d👧', `Made in ${england}`, 'Red\u200bDress'])
    expect((await createCategory(name)).name).toBe(name);
});

test('text 25: control characters are refused; a description may hold tabs and line ends', async () => {
  const fits = 'a\tb\r\nc';
  expect((await createProduct({ description: fits })).description).toBe(fits);

  for (const control of ['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u009f']) {
    await refused({ description: `a${control}b` });
    await refused({ name: `a${control}b`, item: 'Thing' });
  }
  for (const control of ['\t', '\n', '\r']) await refused({ name: `a${control}b`, item: 'Thing' });
});

test('silent 2: a lone surrogate is refused', async () => {
  for (const lone of ['"\\ud800"', '"a\\udc00b"'])
    expect((await call('POST', '/v1/categories', `{"name":${lone}}`)).status).toBe(400);
  expect((await call('POST', '/v1/categories', '{"name":"\\ud83c\\udf81"}')).body.name).toBe('🎁');
});

test('silent 3: a percentage under 0.000000001 counts as 0', async () => {
  expect((await createProduct({ discount: { value: 1e-10 } })).discount.value).toBe(0);
});
