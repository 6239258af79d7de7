import { request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { productItem } from '../../../lib/catalogue/products.ts';
import { newId, now } from '../../../lib/clock.ts';
import { eventList } from '../../../lib/events/events.ts';
import { revokeKey } from '../../../lib/store/api-keys.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import type { ServiceFile } from '../../../local/start/state.ts';
import { keysOfDesk } from '../../../local/start/stores.ts';
import { viewEvents } from '../../../local/start/views.ts';
import { creditEvents, eventRow } from '../../support/event-rows.ts';
import { startForTests } from '../../support/local-service.ts';
import { productWith } from '../../support/rows.ts';
import { putAll } from '../../support/seed.ts';

/** The data of the developers' pages over HTTP, and their protection. apps/desk/test/browser/ looks at the pages. */

const service = await startForTests({ demo: false });
afterAll(() => service.stop());

const get = async (path: string) => {
  const response = await fetch(service.baseUrl + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const json = async (path: string) => JSON.parse((await get(path)).text);

/**
 * Follows the live events. `until` waits for some of them, answers the text so far, and throws if the stream ends
 * before.
 */
const followEvents = async () => {
  const { headers, body } = await fetch(`${service.baseUrl}/_dev/events`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (isThere: (text: string) => boolean): Promise<string> => {
    while (!isThere(text)) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) throw new Error('The events have ended.');
      text += chunk.value;
    }
    return text;
  };
  return { headers, until, stop: () => reader?.cancel() };
};

/** Sends a request with any Host, which fetch does not allow. */
const send = (method: string, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(service.baseUrl);
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });

const pages = [
  '/desk',
  '/me',
  '/docs',
  '/pages/reference.js',
  '/openapi.json',
  '/pages/openapi.js',
  '/_dev/service',
  '/_dev/stores',
];
const hosts = (port: string) => [
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  `rebound.example:${port}`,
  '127.0.0.1.example',
  'localhost.example:80',
];

test.each(pages)('%s answers 127.0.0.1 and localhost, and no other name of this machine', async (path) => {
  const { port } = new URL(service.baseUrl);

  const statuses = await Promise.all(hosts(port).map((host) => send('GET', path, { host })));

  expect(statuses).toEqual([200, 200, 403, 403, 403]);
});

test('the root address leads to the desk, for the same names of this machine alone', async () => {
  const { port } = new URL(service.baseUrl);

  const statuses = await Promise.all(hosts(port).map((host) => send('GET', '/', { host })));
  const { headers } = await fetch(service.baseUrl, { redirect: 'manual' });

  expect(statuses).toEqual([302, 302, 403, 403, 403]);
  expect(headers.get('location')).toBe('/desk');
});

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(`${service.baseUrl}/_dev/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers,
  });
  return { status: response.status, body: await response.json() };
};

const storeOf = async (key: string) =>
  (await fetch(`${service.baseUrl}/v1/store`, { headers: { 'X-API-Key': key } })).json();

test('gives this machine’s own pages a key for each of its stores, the same one each time, and other sites none', async () => {
  const { port, host } = new URL(service.baseUrl);
  const { body: mine } = await post('stores', { name: 'My own' });
  const [first, second] = await Promise.all([1, 2].map(() => post('sign-in', { store: mine.id })));
  const demo = await post('sign-in', {});

  const refused = await Promise.all([
    ...hosts(port).map((name) => send('POST', '/_dev/sign-in', { host: name, origin: `http://${name}` })),
    ...['https://evil.example', 'null', `https://${host}`].map((origin) =>
      send('POST', '/_dev/sign-in', { host, origin }),
    ),
    send('GET', '/_dev/sign-in', { host }),
  ]);

  expect(await storeOf(first?.body.key)).toMatchObject({ id: mine.id, key: { name: 'desk on this machine' } });
  expect(second?.body.key).toBe(first?.body.key);
  expect(demo.body.key).toBe(service.keys.all);
  expect(refused).toEqual([200, 200, 403, 403, 403, 403, 403, 403, 404]);
  expect((await json('/_dev/stores')).stores).toContainEqual({ id: mine.id, name: 'My own' });
  expect((await post('sign-in', { store: 'NoSuchStore0' })).status).toBe(404);
  expect((await post('stores', { name: ' ' })).status).toBe(400);
});

test('issues one key where two pages ask for the same store at once', async () => {
  const { body: store } = await post('stores', { name: 'Twice' });
  const known = { ...service, store: { id: 'DemoStore001' }, deskKeys: {} } as unknown as ServiceFile;
  const keyOf = keysOfDesk(known, () => {});

  const [first, second] = await Promise.all([keyOf(store.id), keyOf(store.id)]);

  expect(second).toBe(first);
});

test('issues another key for a store whose key was revoked', async () => {
  const { body: store } = await post('stores', { name: 'Revoked' });
  const { body: old } = await post('sign-in', { store: store.id });
  await revokeKey((await storeOf(old.key)).key.id);

  const { body } = await post('sign-in', { store: store.id });

  expect(body.key).not.toBe(old.key);
  expect(await storeOf(body.key)).toMatchObject({ id: store.id });
});

test('another site can change and read nothing', async () => {
  const { host } = new URL(service.baseUrl);
  const sweep = (headers: Record<string, string>) => send('POST', '/_dev/sweep', { host, ...headers });

  const statuses = [
    await sweep({ origin: 'https://evil.example' }),
    await sweep({ origin: 'null' }),
    // A browser may leave the origin out, and still tells that another site sends.
    await sweep({ 'sec-fetch-site': 'cross-site' }),
    await sweep({ 'sec-fetch-site': 'same-site' }),
    await sweep({ 'sec-fetch-site': 'same-origin' }),
    await sweep({ 'sec-fetch-site': 'none' }),
    await sweep({ origin: `http://${host}` }),
    await sweep({}),
  ];
  const { headers } = await get('/_dev/service');

  expect(statuses).toEqual([403, 403, 403, 403, 200, 200, 200, 200]);
  expect(headers.get('access-control-allow-origin')).toBe(null);
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
});

test('pages load and run only files of this service', async () => {
  for (const path of ['/docs']) {
    const { headers, text } = await get(path);

    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(text).not.toMatch(/https?:\/\/|<script>|style=| on\w+=/);
    for (const [, file] of text.matchAll(/(?:src|href)="(pages\/[^"]+)"/g))
      expect([file, (await get(`/${file}`)).status]).toEqual([file, 200]);
  }
});

test('404s for a file that belongs to no page', async () => {
  for (const path of ['/pages/', '/pages/tsconfig.json', '/pages/../pages.ts', '/pages/%2e%2e/pages.ts', '/docs/'])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});

test.each(['/desk', '/me'])('answers HEAD of %s as it answers GET, without the text', async (path) => {
  const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(service.baseUrl + path, { method })));

  expect(head?.status).toBe(200);
  expect(head?.headers.get('content-security-policy')).toBe(get?.headers.get('content-security-policy'));
  expect(await head?.text()).toBe('');
});

/** Sends a request, and answers it as the page shows it. */
const shownAfter = async (path: string, init: RequestInit) => {
  const { headers } = await fetch(service.baseUrl + path, init);
  const { until, stop } = await followEvents();
  const text = await until((some) => /event: hello\ndata: .*\n\n/.test(some));
  await stop();
  const { requests } = JSON.parse(/event: hello\ndata: (.*)\n/.exec(text)?.[1] ?? '');
  const id = headers.get('x-request-id');
  return requests.find((request: { id: string }) => request.id === id);
};

test('keeps a request with its headers but for secrets, the name of its key, and the fields that it wasted', async () => {
  const key = service.keys['coupons:read'];

  const shown = await shownAfter('/v1/coupons?dry', {
    method: 'POST',
    headers: { 'X-API-Key': key, Cookie: 'a=secret', 'X-Trace': 'mine' },
    body: '{"code": "X", "discont": 5}',
  });

  expect(shown).toMatchObject({
    status: 403,
    key: { name: 'coupons:read', store: 'DemoStore001' },
    hidden: ['x-api-key', 'cookie'],
    ignored: ['?dry', 'discont'],
    body: '{"code": "X", "discont": 5}',
  });
  expect(shown.headers).toContainEqual(['x-trace', 'mine']);
  expect(JSON.stringify(shown)).not.toMatch(new RegExp(`secret|${key}`));
});

test('sends a kept request again whole, and refuses one whose body was not kept', async () => {
  const path = '/v1/categories';
  const headers = { 'X-API-Key': service.keys.all, 'Idempotency-Key': 'replayed' };
  const kept = await shownAfter(path, { method: 'POST', headers, body: '{"name": "Twice"}' });
  const long = await shownAfter(path, { method: 'POST', headers, body: `{"name": "${'x'.repeat(70_000)}"}` });

  const again = await post('replay', { id: kept.id });
  const never = await post('replay', { id: long.id });
  const unknown = await post('replay', { id: newId() });

  expect(again).toMatchObject({ status: 200, body: { status: 201, isNewKey: true } });
  expect(again.body.id).not.toBe(kept.id);
  const { data } = await (await fetch(`${service.baseUrl}${path}?limit=1000`, { headers })).json();
  expect(data.filter(({ name }: { name: string }) => name === 'Twice')).toHaveLength(2);
  expect([never.status, unknown.status]).toEqual([400, 400]);
  expect(long.body).toBe(undefined);
});

/** The members of a sale that no test here looks at. */
const otherFields = {
  ...{ state: 'completed' as const, refusal: null, base: 5, total: 5, credit: 0, restrictedCredit: 0 },
  ...{ discount: { source: 'none' as const, percent: 0, couponId: null }, paid: 5, refund: 0, change: 0, shares: [] },
  ...{
    deliveryId: null,
    at: '2026-01-01T00:00:00.000Z',
    refundedAt: null,
    refundReference: null,
    payOut: false,
    vendorUuid: null,
    changePaid: null,
    bonus: 0,
    reference: null,
  },
};

test('the view of events has the store’s last 50, newest first, with whom and what each is about, and marks samples', async () => {
  const [store, other, buyer, stranger, product] = ['ViewedStore0', 'HiddenStore0', newId(), newId(), newId()];
  const ago = (seconds: number) => now() - seconds * 1000;
  const sale = (id: string, buyerUuid: string) => ({
    ...{ id, productId: product, buyerUuid, recipientUuid: buyerUuid, ...otherFields },
  });
  const closing = eventRow(other, {
    type: 'store.closed',
    data: { id: other, name: 'Hidden', open: false },
    notedAt: ago(2),
  });
  const sample = eventRow(store, {
    type: 'store.closed',
    data: { id: store, name: 'Viewed', open: false },
    notedAt: ago(3),
  });
  await putAll([
    { ...customerKey(store, buyer), username: 'the.buyer' },
    productItem(store, productWith({ name: 'Oak chair' }), { id: product }),
    ...creditEvents(store, buyer, 60, ago(10)),
    { ...creditEvents(store, buyer, 1, ago(1))[0], ttl: Math.floor(ago(1) / 1000) },
    eventRow(store, { type: 'sale.completed', data: sale(newId(), buyer), notedAt: ago(5) }),
    eventRow(store, { type: 'sale.refused', data: sale(newId(), stranger), notedAt: ago(4) }),
    { ...sample, sample: true, ranked: eventList(store, 'sample') },
    closing,
  ]);

  const { events } = await viewEvents(store);

  expect(events.slice(0, 5)).toMatchObject([
    { type: 'store.closed', sample: true, who: undefined, what: 'Viewed' },
    { type: 'sale.refused', sample: false, who: stranger, what: 'Oak chair' },
    { type: 'sale.completed', sample: false, who: 'the.buyer', what: 'Oak chair' },
    { type: 'credit.changed', who: 'ada', what: undefined, data: { sequence: 60 } },
    { type: 'credit.changed', who: 'ada', what: undefined, data: { sequence: 59 } },
  ]);
  // Of the newest 50, one has ended.
  expect(events).toHaveLength(49);
});

test('a change of the demo store is told live and then among its events; one of another store is not', async () => {
  const { until, stop } = await followEvents();
  const act = (key: string, name: string) =>
    fetch(`${service.baseUrl}/v1/customers/${name}/actions/ban`, { method: 'POST', headers: { 'X-API-Key': key } });
  const [mine, theirs] = service.residents.slice(-2).map(({ username }) => username) as [string, string];
  await act(service.otherStore.key, theirs);
  await act(service.keys.all, mine);

  let shown: { type: string; who?: string }[] = [];
  for (let told = 1; !shown.some(({ who }) => who === mine); told++) {
    await until((text) => text.split('event: events\n').length > told);
    shown = (await json('/_dev/store-events')).events;
  }

  expect(shown.find(({ who }) => who === mine)).toMatchObject({ type: 'customer.banned' });
  expect(shown.filter(({ who }) => who === theirs)).toEqual([]);
  await stop();
});

test('the events begin with earlier requests and go on live', async () => {
  await fetch(`${service.baseUrl}/v1/products?limit=1`);
  const { headers, until, stop } = await followEvents();

  await until((text) => /event: hello\ndata: .*limit=1.*\n\n/.test(text));
  await fetch(`${service.baseUrl}/v1/products?limit=2`);
  await until((text) => /event: requests\ndata: .*limit=2.*\n\n/.test(text));
  await fetch(`${service.baseUrl}/_dev/clock`, { method: 'POST', body: '{"advanceSeconds": 60}' });
  const text = await until((some) => /event: clock\ndata: .*"aheadMillis":600\d\d\b/.test(some));

  expect(headers.get('content-type')).toBe('text/event-stream');
  expect(text).not.toContain(service.keys.all);
  expect(text.match(/limit=1"/g)).toHaveLength(1);
  await stop();
});

test('a flood of requests reaches the page in a few events', async () => {
  const { until, stop } = await followEvents();

  await Promise.all(Array.from({ length: 300 }, (_, i) => fetch(`${service.baseUrl}/v1/none?flood=${i}`)));
  await fetch(`${service.baseUrl}/v1/none?last`);
  const text = await until((some) => some.includes('?last'));

  // Each event holds the requests of a tenth of a second.
  const events = text.split('event: requests').length - 1;
  expect(events).toBeLessThan(150);
  await stop();
});
