import { beforeEach, expect, test } from 'vitest';
import { takesIfMatch } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { scopes } from '../../lib/routes/scopes.ts';
import { startTestQueue } from '../support/deliveries.ts';
import { exampleOf, routesInOrder, seedExamples } from '../support/example-requests.ts';
import { ada, newResident, seedResidents, unknownUuid } from '../support/residents.ts';
import { type Call, setClock, startTestService, wholeTable } from '../support/service.ts';

/** ETags, and If-Match on PUT and DELETE. */

const start = Date.parse('2027-06-15T12:00:00.000Z');

setClock(start);
const service = await startTestService();
await startTestQueue();
process.env.DISPENSER_LOOPBACK = 'allowed';
await seedResidents();
beforeEach(() => setClock(start));

const sendBy =
  (call: Call) =>
  async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await call(method, path, body, headers);
    return { ...answer, etag: answer.headers.get('etag') };
  };
const send: ReturnType<typeof sendBy> = (...request) => sendBy(service.call)(...request);
/** Makes the rows of the example requests, and sends with a key of its own, since one of the requests ends the key. */
const seededSender = async (code: string) => {
  const call = service.callAs(await service.keyWith(scopes));
  return { rows: await seedExamples(call, code), sendAll: sendBy(call) };
};
const etagOf = async (path: string): Promise<string> => (await send('GET', path)).etag ?? '';
const put = (path: string, body: object, ifMatch: string) => send('PUT', path, body, { 'If-Match': ifMatch });

const created = async (path: string, body: object): Promise<{ path: string; etag: string | null }> => {
  const { body: made, etag } = await send('POST', path, body);
  const place = path.includes('gift-card') ? '/v1/giftcards' : path;
  return { path: `${place}/${made.id}`, etag };
};

let codes = 0;
const newCode = (): string => `Code ${++codes}`;

interface Resource {
  kind: string;
  make: () => Promise<{ path: string; etag: string | null }>;
  /** Bodies of PUTs. Each changes the resource. */
  edits: () => object[];
}

const card = async () =>
  created(`/v1/customers/${(await newResident()).uuid}/actions/grant-gift-card`, { credit: 5, transfer: true });

const customer = async () => {
  const path = `/v1/customers/${(await newResident()).uuid}`;
  return { path, etag: await etagOf(path) };
};

const knownCustomer = async () => {
  const { path } = await customer();
  return { path, etag: (await send('PUT', path, { newsSubscriber: true })).etag };
};

const resources: Resource[] = [
  {
    kind: 'coupon',
    make: () => created('/v1/coupons', { code: newCode(), ownerIdentifier: ada.uuid, discount: 0.1 }),
    edits: () => [{ code: newCode(), discount: 33.3 }, { code: newCode() }],
  },
  {
    kind: 'product',
    make: () =>
      created('/v1/products', {
        name: 'Chair é 😀',
        item: 'Chair',
        price: 100,
        discount: { type: 0, value: 12.5, endDate: '2030-01-01T00:00:00+02:00' },
        profitShares: [{ username: ada.username, percent: 0.3 }],
      }),
    edits: () => [
      { name: 'Table', price: 3 },
      { name: 'Table', price: 3, active: false },
    ],
  },
  { kind: 'gift card', make: card, edits: () => [{ credit: 7 }, { credit: 7, active: false }] },
  {
    kind: 'category',
    make: () => created('/v1/categories', { name: 'Seats' }),
    edits: () => [{ name: 'Chairs' }, { name: 'Sofas' }],
  },
  { kind: 'customer', make: knownCustomer, edits: () => [{ discount: 5 }, { newsSubscriber: false }] },
  {
    kind: 'customer whom the store never touched',
    make: customer,
    edits: () => [{ discount: 5 }, { newsSubscriber: true }],
  },
];

test.each(resources)(
  'GET, POST and PUT of a $kind answer one ETag for one state, and another for another',
  async ({ make, edits }) => {
    const { path, etag } = await make();
    const tags = [etag];
    expect(await etagOf(path)).toBe(etag);

    for (const edit of edits()) {
      tags.push((await send('PUT', path, edit)).etag);
      expect(await etagOf(path)).toBe(tags.at(-1));
    }

    expect(new Set(tags).size).toBe(tags.length);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{22}"$/);
  },
);

test('these rows answer an ETag, and no other', async () => {
  const { rows, sendAll } = await seededSender('Tagged');
  const tagged: string[] = [];

  for (const row of routesInOrder) {
    const { path, body } = exampleOf(row, rows, `Tagged ${row.id}`);
    const answer = await sendAll(row.method, path, body);
    expect(answer.status, row.id).toBe(row.status);
    if (answer.etag !== null) tagged.push(row.id);
  }

  expect(tagged.sort()).toEqual([
    'categories/create-category',
    'categories/get-category',
    'categories/update-category',
    'coupons/create-coupon',
    'coupons/get-coupon',
    'coupons/update-coupon',
    'customers/get-customer',
    'customers/update-customer',
    'finding/limit-coupon',
    'gift-cards/disable-gift-card',
    'gift-cards/get-gift-card',
    'gift-cards/grant-gift-card',
    'gift-cards/update-gift-card',
    'products/create-product',
    'products/get-product',
    'products/update-product',
  ]);
});

test('If-Match is ignored by every row but PUT and DELETE of a resource with an ETag', async () => {
  const { rows, sendAll } = await seededSender('Ignored');
  const refusing: string[] = [];

  for (const row of routesInOrder) {
    const { path, body } = exampleOf(row, rows, `Ignored ${row.id}`);
    const answer = await sendAll(row.method, path, body, { 'If-Match': '"another"' });
    if (answer.status === 412) refusing.push(row.id);
    else expect(answer.status, row.id).toBe(row.status);
  }

  expect(refusing.sort()).toEqual([
    'categories/delete-category',
    'categories/update-category',
    'coupons/update-coupon',
    'customers/update-customer',
    'finding/limit-coupon',
    'gift-cards/update-gift-card',
    'products/update-product',
  ]);
});

test.each(resources)(
  '200s for a PUT of a $kind with its current ETag, and 412s once it is not current any more',
  async ({ make, edits }) => {
    const { path, etag } = await make();
    const [first = {}, second = {}] = edits();

    const one = await put(path, first, etag ?? '');
    const before = await wholeTable();
    const other = await put(path, second, etag ?? '');

    expect([one.status, other.status]).toEqual([200, 412]);
    expect(one.etag).not.toBe(etag);
    expect(await wholeTable()).toEqual(before);
    expect(other.body).toEqual({
      status: 412,
      title: 'Precondition Failed',
      detail: 'If-Match names another state than the current one: read the resource again, and send its new ETag.',
      instance: path,
    });
    expect(other.etag).toBeNull();
    expect((await put(path, second, one.etag ?? '')).status).toBe(200);
  },
);

test.each(resources)('a $kind is replaced once by twenty editors who read the same state', async ({ make, edits }) => {
  const { path, etag } = await make();
  const bodies = Array.from({ length: 10 }, edits).flat();

  const answers = await Promise.all(bodies.map((body) => put(path, body, etag ?? '')));

  const winners = answers.filter(({ status }) => status === 200);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
  expect((await send('GET', path)).body).toEqual(winners[0]?.body);
});

test('of editors and deleters of one category who read the same state, exactly one wins', async () => {
  for (let round = 0; round < 5; round++) {
    const { path, etag } = await created('/v1/categories', { name: 'Seats' });
    const [edit, removal] = [() => put(path, { name: 'Chairs' }, etag ?? ''), () => remove(path, etag ?? '')];

    const answers = await Promise.all([edit(), removal(), edit(), removal()]);

    // After a deletion the others find nothing.
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    expect(statuses.filter((status) => ![200, 204, 404, 412].includes(status))).toEqual([]);
  }
});

const remove = (path: string, ifMatch: string) => send('DELETE', path, undefined, { 'If-Match': ifMatch });

test('412s for the deletion of a category that has changed, 204s with its current ETag, then 404s', async () => {
  const { path, etag } = await created('/v1/categories', { name: 'Seats' });
  const product = await created('/v1/products', { name: 'Chair', price: 1 });
  await send('POST', `${path}${product.path.replace('/v1', '')}`);
  const before = await wholeTable();

  const early = await remove(path, etag ?? '');
  const unwritten = await wholeTable();
  const now = await etagOf(path);
  const done = await remove(path, now);
  const late = await remove(path, now);

  expect([early.status, done.status, late.status]).toEqual([412, 204, 404]);
  expect(unwritten).toEqual(before);
  expect(done.etag).toBeNull();
});

const chair = { name: 'Chair', price: 1 };

test.each([
  ['the current ETag', (etag: string) => etag, 200],
  ['a list that holds it', (etag: string) => `"a", W/"b" ,${etag}`, 200],
  ['a list with empty elements', (etag: string) => ` , ,${etag},\t,`, 200],
  ['a list with a comma in a tag', (etag: string) => `"a,b",${etag}`, 200],
  ['*', () => '*', 200],
  ['* with blanks', () => ' * ', 200],
  ['another ETag', () => '"another"', 412],
  ['the empty tag', () => '""', 412],
  ['a tag of other characters', () => '"\xe9!#~"', 412],
  ['the current ETag as a weak one', (etag: string) => `W/${etag}`, 412],
  ['the current ETag within another', (etag: string) => `"${etag.slice(1, -1)}x"`, 412],
  ['the current ETag with case changed', (etag: string) => swapped(etag), 412],
  ['nothing', () => '', 400],
  ['only commas', () => ', ,', 400],
  ['a tag without quotes', (etag: string) => etag.slice(1, -1), 400],
  ['a tag with one quote', (etag: string) => etag.slice(1), 400],
  ['a tag with single quotes', () => "'a'", 400],
  ['a blank within a tag', () => '"a b"', 400],
  ['tags without a comma', (etag: string) => `"a"${etag}`, 400],
  ['a tag and other text', (etag: string) => `${etag} x`, 400],
  ['* in a list', (etag: string) => `${etag}, *`, 400],
  ['* twice', () => '*, *', 400],
  ['* in quotes and outside', () => '"*"*', 400],
  ['a small w', (etag: string) => `w/${etag}`, 400],
  ['a weak mark alone', () => 'W/', 400],
  ['a blank after the weak mark', (etag: string) => `W/ ${etag}`, 400],
])('If-Match: %s', async (_, textOf, status) => {
  const { path, etag } = await created('/v1/products', chair);

  const answer = await put(path, { ...chair, price: 2 }, textOf(etag ?? ''));

  expect(answer.status).toBe(status);
  expect((await send('GET', path)).body.price).toBe(status === 200 ? 2 : 1);
  if (status === 400)
    expect(answer.body.errors).toEqual([
      'If-Match must be * or a list of ETags in double quotes, as answers have them.',
    ]);
});

/** A tag with another case of its letters. */
const swapped = (etag: string): string =>
  [...etag].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join('');

test('the tags of several If-Match headers are one list', async () => {
  const { path, etag } = await created('/v1/products', chair);
  const headers = new Headers([
    ['If-Match', '"another"'],
    ['If-Match', etag ?? ''],
    ['X-API-Key', service.key],
  ]);

  const answer = await fetch(service.baseUrl + path, { method: 'PUT', headers, body: JSON.stringify(chair) });

  expect(answer.status).toBe(200);
});

test.each(['*', '"another"'])('404s for what does not exist, with If-Match: %s', async (ifMatch) => {
  const edits: [string, object][] = [
    [`/v1/coupons/${unknownUuid}`, { code: newCode() }],
    [`/v1/products/${unknownUuid}`, chair],
    [`/v1/giftcards/${unknownUuid}`, {}],
    [`/v1/categories/${unknownUuid}`, { name: 'Seats' }],
    [`/v1/customers/${unknownUuid}`, { discount: 5 }],
    [`/v1/customers/${unknownUuid}`, {}],
    ['/v1/customers/no.body', { discount: 5 }],
  ];

  for (const [path, body] of edits) expect((await put(path, body, ifMatch)).status, path).toBe(404);
  expect((await remove(`/v1/categories/${unknownUuid}`, ifMatch)).status).toBe(404);
});

test('a fault of the body comes before a wrong ETag', async () => {
  const [coupon, product] = [await resources[0]?.make(), await created('/v1/products', chair)];
  const taken = newCode();
  await created('/v1/coupons', { code: taken, ownerIdentifier: ada.uuid });
  const edits: [string | undefined, object][] = [
    [coupon?.path, {}],
    [coupon?.path, { code: taken }],
    [product.path, { ...chair, price: -1 }],
    [product.path, { ...chair, demoId: unknownUuid }],
    [product.path, { ...chair, profitShares: [{ username: 'no.body', percent: 5 }] }],
    [(await customer()).path, { discount: 101 }],
    [(await card()).path, { credit: -1 }],
  ];
  const before = await wholeTable();

  for (const [path = '', body] of edits) {
    const answer = await put(path, body, '"another"');
    expect([answer.status, JSON.stringify(answer.body.errors)], path).toEqual([
      400,
      expect.not.stringContaining('If-'),
    ]);
  }

  expect(await wholeTable()).toEqual(before);
  const both = await put(product.path, { ...chair, price: -1 }, 'another');
  expect(both.body.errors).toHaveLength(2);
});

test('a customer has one ETag by whatever name, and another after a change of credit or a ban', async () => {
  const { uuid, username } = await newResident({ username: 'tag.tester' }, ['former.tester']);
  const spellings = [uuid, uuid.toUpperCase(), username, 'Tag%20Tester', 'former.tester'];
  const tags = await Promise.all(spellings.map((spelling) => etagOf(`/v1/customers/${spelling}`)));

  const [first = ''] = tags;
  await send('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 5 });
  const afterCredit = await put(`/v1/customers/${username}`, { discount: 5 }, first);
  const second = await etagOf(`/v1/customers/${uuid}`);
  await send('POST', `/v1/customers/${uuid}/actions/ban`);
  const afterBan = await put(`/v1/customers/${uuid}`, { discount: 5 }, second);

  expect(new Set(tags).size).toBe(1);
  expect([afterCredit.status, afterBan.status]).toEqual([412, 412]);
});

test('a PUT of a customer without fields looks at If-Match too, and writes nothing', async () => {
  const { path, etag } = await customer();
  const before = await wholeTable();

  const [right, wrong] = [await put(path, {}, etag ?? ''), await put(path, {}, '"another"')];

  expect([right.status, right.etag, wrong.status]).toEqual([200, etag, 412]);
  expect(await wholeTable()).toEqual(before);
});

test('a product has another ETag from the moment on when its discount begins', async () => {
  const discount = { type: 2, value: 5, startDate: '2027-06-15T13:00:00Z', endDate: null };
  const { path, etag } = await created('/v1/products', { ...chair, price: 100, discount });

  setClock(start + 3_600_000 - 1);
  const before = await etagOf(path);
  setClock(start + 3_600_000);
  const late = await put(path, chair, etag ?? '');
  const fresh = await put(path, chair, await etagOf(path));

  expect(before).toBe(etag);
  expect([late.status, fresh.status]).toEqual([412, 200]);
});

test('an answer that is given again has the ETag of then', async () => {
  const headers = { 'Idempotency-Key': 'tagged' };
  const first = await send('POST', '/v1/products', chair, headers);
  const path = `/v1/products/${first.body.id}`;
  await send('PUT', path, { ...chair, price: 2 });

  const again = await send('POST', '/v1/products', chair, headers);

  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.etag).toBe(first.etag);
  expect((await put(path, chair, again.etag ?? '')).status).toBe(412);
});

test('another store’s resource is 404, whatever If-Match says', async () => {
  const { path, etag } = await created('/v1/products', chair);

  for (const ifMatch of ['*', etag ?? '', '"another"'])
    expect((await service.callOther('PUT', path, chair, { 'If-Match': ifMatch })).status).toBe(404);
});

test('every PUT of the contract, and every DELETE of a whole resource, takes If-Match', () => {
  const changing = routes.filter(
    ({ method, path }) => method === 'PUT' || (method === 'DELETE' && path.endsWith('/{id}')),
  );

  expect(changing.filter((row) => !row.extension && !takesIfMatch(row))).toEqual([]);
});
