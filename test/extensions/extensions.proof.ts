import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Route } from '../../lib/routes/route.ts';
import { expectProblem } from '../contract/shapes.ts';
import { createProduct, resident, target, unknownUuid } from '../contract/target.ts';
import { cleanUpAll } from '../support/at-end.ts';
import { endsItsKey, exampleOf, routesInOrder } from '../support/example-requests.ts';
import { type OneOfEach, seedOverHttp } from '../support/one-of-each.ts';
import { ada, bob } from '../support/residents.ts';
import { eventually, loopbackUrl, pass, read, seen, send, startOnLoopback } from './client.ts';
import { testLater } from './later.ts';

/**
 * Every endpoint beyond the contract, over HTTP alone. The rows of the route table say what is called, so a new one is
 * called too. Uses residents 38 and 39.
 */

// A deployment lends this suite its keys: it ends none of them.
const extensions = routesInOrder.filter((row) => row.extension && !endsItsKey(row));
const rowsWith = (has: (row: Route) => boolean = () => true) =>
  extensions.filter(has).map((row) => [row.id, row] as const);

let rows: OneOfEach;
const unknownKey = 'unknownKey00';
let soldAt = 0;
const url = loopbackUrl(1);

/** A request that succeeds. Its address of a dispenser or webhook is one that this deployment may call. */
const requestOf = (row: Route): { path: string; body?: object } => {
  const { path, body: example } = exampleOf(row, rows, randomUUID());
  // On a deployment a key that makes keys needs an end.
  const body = row.id === 'keys/issue-key' ? { name: 'New', preset: 'shop' } : example;
  return { path, ...(body && { body: 'url' in body ? { ...body, url } : body }) };
};

const sell = (fields: object = {}, key = target.key) => {
  const sale = { id: randomUUID(), productId: rows.product, buyerIdentifier: bob.uuid, paid: 10, ...fields };
  return send('POST', '/v1/sales', sale, { key });
};

afterAll(cleanUpAll);
beforeAll(async () => {
  // Both stores are told of the avatars of the example requests, by names that nobody has.
  for (const { uuid } of [ada, bob])
    for (const key of [target.key, target.otherKey])
      await send('PUT', `/v1/residents/${uuid}`, { username: `x${uuid.slice(0, 8)}.extensions` }, { key });
  const gone = await startOnLoopback((_, response) => response.writeHead(404).end());
  await send('PUT', '/v1/dispenser', { url: gone });
  const seeded = await seedOverHttp(send, { code: randomUUID(), owner: ada.uuid, customer: bob.uuid });
  rows = { ...seeded, webhook: '', delivery: '', sale: '', payout: '', vendor: randomUUID(), key: '', revocable: '' };
  for (const uuid of [rows.vendor, randomUUID()])
    await send('PUT', `/v1/vendors/${uuid}`, { name: 'Vendor', region: 'Here', productId: rows.product });
  const { body: sale } = await sell({ paid: 30 });
  const { body: webhook } = await send('POST', '/v1/webhooks', { url, events: ['store.opened'] });
  const newKey = async () => (await send('POST', '/v1/keys', { name: 'Seeded', preset: 'shop' })).body.id;
  rows = { ...rows, sale: sale.id, delivery: sale.deliveryId, webhook: webhook.id };
  rows = { ...rows, key: await newKey(), revocable: await newKey() };
  // A delivery shows from its first attempt on, and waits then, since its dispenser is gone.
  await eventually(
    () => read(`/v1/deliveries/${rows.delivery}`),
    ({ state }) => state === 'waiting',
  );
  rows = { ...rows, payout: await claimShare() };
});

/** Sells a product that bob and another share in, and claims a part of it. */
const claimShare = async (): Promise<string> => {
  const profitShares = [bob, ada].map(({ uuid }) => ({ userUuid: uuid, percent: 50 }));
  await sell({ productId: (await createProduct({ price: 10, profitShares })).id });
  const isOwed = async () =>
    (await send('GET', '/v1/payees?owed=true&limit=1000')).body.data as { residentUuid: string }[];
  await eventually(isOwed, (payees) => payees.some(({ residentUuid }) => residentUuid === bob.uuid));
  const { payout } = (await send('POST', '/v1/payouts/actions/claim', { hold: 0, limit: 1 })).body;
  if (!payout) throw new Error('The store pays nobody: run store payouts begin.');
  return payout.id;
};

test.each(rowsWith())('%s refuses a request without a key, and a key without its scope', async (_, row) => {
  const { path, body } = requestOf(row);

  const nobody = await send(row.method, path, body, { key: '' });
  const narrow = await send(row.method, path, body, { key: target.narrowKey });

  const [place = ''] = path.split('?');
  expectProblem(nobody, 401, place);
  if (row.scope === null || row.scope === 'products:read') return expect(narrow.status).toBe(row.status);
  expectProblem(narrow, 403, place);
  expect(narrow.body.detail).toContain(row.scope);
});

/** A vendor that registers is known then, so that no store lacks it. */
const byId = ({ id, path }: Route): boolean =>
  /\{(?:id|productId|keyId)\}|\/vendors\/\{uuid\}/.test(path) && id !== 'vendors/register-vendor';

test.each(rowsWith(byId))('%s 404s for an id that no store or another one has', async (_, row) => {
  const { path, body } = requestOf(row);
  const unknown = Object.values(rows).reduce(
    (text, id) => text.replaceAll(id, id.length === 12 ? unknownKey : unknownUuid),
    path,
  );

  const nobodys = await send(row.method, unknown, body);
  const mine = await send(row.method, path, body, { key: target.otherKey });

  expectProblem(nobodys, 404, unknown);
  // The other store has no such product either, which its answer names first.
  expectProblem(mine, row.id === 'vendors/set-vendor-product' ? 400 : 404, path);
});

test.each(rowsWith((row) => !byId(row)))('%s shows another store nothing of this one', async (id, row) => {
  const { path, body } = requestOf(row);

  const { status, body: answer } = await send(row.method, path, body, { key: target.otherKey });

  // The other store sells no such product, owes nobody anything, and has changed no credit.
  const refused = { 'sales/create-quote': 404, 'payouts/pay-payee': 400, 'customers/undo-credit-change': 400 }[id];
  expect(status).toBe(refused ?? row.status);
  // The other store's refused sales name the product that it does not have.
  const text = JSON.stringify(answer).replaceAll(/"productId":"[^"]*"/g, '');
  // An object may stand for a vendor in both.
  const others = Object.values(rows).filter((one) => one !== rows.vendor);
  expect(others.filter((one) => text.includes(one))).toEqual([]);
});

const fieldsOf = ({ body }: Route): string[] => Object.keys((body as z.ZodObject | undefined)?.shape ?? {});

test.each(rowsWith(({ body }) => body !== undefined))('%s 400s for a body without one right field', async (_, row) => {
  const wrong = Object.fromEntries(fieldsOf(row).map((name) => [name, [{ wrong: 1 }]]));

  const { status, body } = await send(row.method, requestOf(row).path, wrong);

  expect(status).toBe(400);
  for (const name of fieldsOf(row)) expect(body.errors).toContainEqual(expect.stringContaining(name));
});

/** A resident who is unknown gives an empty list, and so does a thing of the journal. */
const filtersByResident = ['buyer', 'recipient', 'payee', 'subject'];
const parametersOf = ({ query }: Route): string[] =>
  Object.keys(query.shape).filter((name) => !filtersByResident.includes(name));

test.each(rowsWith((row) => parametersOf(row).length > 0))(
  '%s 400s for each parameter that is none',
  async (_, row) => {
    const [path = ''] = requestOf(row).path.split('?');

    for (const name of parametersOf(row)) expectProblem(await send('GET', `${path}?${name}=none-such`), 400, path);
  },
);

describe('refuses', () => {
  const sellFor = (fields: object) => sell({ buyerIdentifier: ada.uuid, ...fields });
  const product = async (fields: object): Promise<string> => (await createProduct(fields)).id;

  test.each([
    ['unknown-resident', async () => ({ buyerIdentifier: 'nobody.anywhere' })],
    ['unknown-product', async () => ({ productId: unknownUuid })],
    ['quote', async () => ({ quote: 'made-up' })],
    ['inactive', async () => ({ productId: await product({ active: false }) })],
    ['sold-out', async () => ({ productId: await product({ limited: true, availableAmount: 0 }) })],
    ['underpaid', async () => ({ paid: 1 })],
  ])('a sale as %s, with all that was paid to give back', async (refusal, fields) => {
    const { status, body } = await sellFor(await fields());

    expect([status, body.state, body.refusal, body.refund]).toEqual([201, 'refused', refusal, body.paid]);
    expectProblem(
      await send('POST', `/v1/sales/${body.id}/actions/refund`),
      400,
      `/v1/sales/${body.id}/actions/refund`,
    );
  });

  test('a sale as closed and as banned, and another sale under an id', async () => {
    const banned = resident(38).uuid;
    const first = await sellFor({ id: randomUUID() });

    await send('POST', '/v1/store/actions/close', { reason: 'Stocktaking' });
    const closed = await sellFor({});
    await send('POST', '/v1/store/actions/open');
    await send('POST', `/v1/customers/${banned}/actions/ban`);
    const refused = await sellFor({ buyerIdentifier: banned });
    const other = await sellFor({ id: first.body.id, paid: 11 });

    expect([closed, refused].map(({ body }) => body.refusal)).toEqual(['closed', 'banned']);
    expect([first.status, other.status]).toEqual([201, 422]);
  });

  test.each([
    ['an address outside the virtual world', 'PUT', '/v1/dispenser', { url: 'https://example.com/' }],
    ['an address that is not public', 'POST', '/v1/webhooks', { url: 'https://10.0.0.1/', events: ['store.opened'] }],
    ['an event that is none', 'POST', '/v1/webhooks', { url, events: ['*'] }],
    ['a last event that is not there', 'GET', `/v1/events?after=${unknownUuid}`, undefined],
    ['days that end before they begin', 'GET', '/v1/store/days?from=2026-02-02&to=2026-02-01', undefined],
    [
      'a name that is the operator’s resident’s',
      'PUT',
      `/v1/residents/${ada.uuid}`,
      { username: resident(39).username },
    ],
  ])('%s', async (_, method, path, body) => {
    const { status } = await send(method, path, body);

    expect(status).toBe(400);
  });

  test('to give a product again that the customer does not own, or was given just now', async () => {
    const again = (uuid: string) => send('POST', `/v1/customers/${uuid}/products/${rows.product}/actions/redeliver`);

    await sell();
    expect([(await again(resident(38).uuid)).status, (await again(bob.uuid)).status]).toEqual([400, 400]);
  });
});

test('a page is of one avatar: its code begins it once, and its token opens nothing else', async () => {
  const open = (customer: string) => send('POST', `/v1/customers/${customer}/actions/open-page`);
  expect((await open('nobody.anywhere')).status).toBe(404);
  const key: string = (await open(bob.uuid)).body.code;

  const begun = await send('POST', '/v1/me/actions/begin', undefined, { key });
  const again = await send('POST', '/v1/me/actions/begin', undefined, { key });
  const own = { key: begun.body.token as string };
  const me = await send('GET', '/v1/me', undefined, own);
  const others = await Promise.all(['/v1/store', '/v1/customers'].map((path) => send('GET', path, undefined, own)));
  const ended = await send('POST', '/v1/me/actions/end', undefined, own);
  const after = await send('GET', '/v1/me', undefined, own);

  expect([begun.status, again.status, me.status, me.body.uuid]).toEqual([200, 400, 200, bob.uuid]);
  expect(others.map(({ status }) => status)).toEqual([403, 403]);
  expect([ended.status, after.status]).toEqual([204, 401]);
});

/** Fields that make a request a different one. Each POST with a body has at least one of them. */
const another = { reason: 'B', reference: 'B', message: 'B', description: 'B', useCredit: true };

const answersAndRepeats = async (row: Route): Promise<void> => {
  const { path, body } = requestOf(row);
  const headers = row.method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {};

  const answer = await send(row.method, path, body, { headers });

  expect([answer.status, answer.body?.errors]).toEqual([row.status, undefined]);
  if (row.response) expect(z.strictObject(row.response.shape).safeParse(answer.body).error).toBeUndefined();
  else expect(answer.body).toBeUndefined();
  expect(answer.headers.has('location')).toBe(row.status === 201);
  if (row.method !== 'POST') return;
  const again = await send(row.method, path, body, { headers });
  expect([again.status, again.body]).toEqual([answer.status, answer.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  if (!row.body) return;
  const other = await send(row.method, path, { ...body, ...another }, { headers });
  expect([other.status, other.body.title]).toEqual([422, 'Unprocessable Content']);
};

const needsPause = ({ id }: Route): boolean => id === 'products/redeliver-product';

test.each(rowsWith((row) => !needsPause(row)))(
  '%s answers exactly its fields, and the same to a request that is sent again',
  async (id, row) => {
    await answersAndRepeats(row);
    if (id === 'sales/create-sale') soldAt = performance.now();
  },
);

describe('behind the gateway', testLater);

test.each(rowsWith(needsPause))('%s answers so a minute after the sale', async (_, row) => {
  await pass(Math.max(62 - (performance.now() - soldAt) / 1000, 0));

  await answersAndRepeats(row);
});

test('every endpoint beyond the contract has answered its success, 401, 403 and a refusal of its own', () => {
  const missing = extensions.flatMap((row) => {
    const statuses = seen.get(row.id) ?? new Set();
    // The narrow key may read products.
    const mayRefuse = row.scope !== null && row.scope !== 'products:read';
    const expected = [row.status, 401, ...(mayRefuse ? [403] : [])];
    const lacks = expected.filter((status) => !statuses.has(status));
    const refuses = row.problems.length === 0 || row.problems.some((status) => statuses.has(status));
    return lacks.length > 0 || !refuses ? [`${row.id} ${lacks.join(' ')}${refuses ? '' : ' no refusal'}`] : [];
  });

  expect(missing).toEqual([]);
});
