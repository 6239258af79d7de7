import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, now } from '../../lib/clock.ts';
import { eventList } from '../../lib/events/events.ts';
import { customerKey } from '../../lib/store/customers.ts';
import { productKey } from '../../lib/store/memberships.ts';
import { viewEvents } from '../../local/views.ts';
import { creditEvents, eventRow } from '../support/event-rows.ts';
import { startForTests } from '../support/local-service.ts';
import { putAll } from '../support/seed.ts';

/** The console's data over HTTP, and its protection. test/browser/ looks at the pages themselves. */

let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  service = await startForTests();
});
afterAll(() => service.stop());

const get = async (path: string) => {
  const response = await fetch(service.baseUrl + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const json = async (path: string) => JSON.parse((await get(path)).text);

/** Follows the live events. `until` waits for some of them, answers the text so far, and throws where the stream ends before. */
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
  '/',
  '/docs',
  '/pages/console.js',
  '/openapi.json',
  '/asyncapi.json',
  '/pages/openapi.js',
  '/_dev/service',
];

test.each(pages)('%s answers 127.0.0.1 and localhost, and no other name of this machine', async (path) => {
  const { port } = new URL(service.baseUrl);

  const statuses = await Promise.all(
    [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `rebound.example:${port}`,
      '127.0.0.1.example',
      'localhost.example:80',
    ].map((host) => send('GET', path, { host })),
  );

  expect(statuses).toEqual([200, 200, 403, 403, 403]);
});

test('another site can change and read nothing', async () => {
  const { host } = new URL(service.baseUrl);
  const sweep = (headers: Record<string, string>) => send('POST', '/_dev/sweep', { host, ...headers });

  const statuses = [
    await sweep({ origin: 'https://evil.example' }),
    await sweep({ origin: 'null' }),
    await sweep({ origin: `http://${host}` }),
    await sweep({}),
  ];
  const { headers } = await get('/_dev/service');

  expect(statuses).toEqual([403, 403, 200, 200]);
  expect(headers.get('access-control-allow-origin')).toBe(null);
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
});

test('pages load and run only files of this service', async () => {
  for (const path of ['/', '/docs']) {
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

test('answers HEAD of the desk as it answers GET, without the text', async () => {
  const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(`${service.baseUrl}/desk`, { method })));

  expect(head?.status).toBe(200);
  expect(head?.headers.get('content-security-policy')).toBe(get?.headers.get('content-security-policy'));
  expect(await head?.text()).toBe('');
});

test('shows a customer’s credit with every lot, in the order of spending', async () => {
  const { username, types } = await json('/_dev/credit?customer=Vera%20Vendor');

  expect(username).toBe('vera.vendor');
  expect(types).toMatchObject([
    {
      type: 'regular',
      balance: 950,
      unlotted: 500,
      notShown: 0,
      lots: [
        { amount: 200, remaining: 150, state: 'open' },
        { amount: 300, remaining: 300, state: 'open' },
      ],
    },
    { type: 'restricted', balance: 1000, unlotted: 0, lots: [{ amount: 1000, state: 'open' }] },
  ]);
});

test('400s for a malformed name and 404s for an unknown customer', async () => {
  expect((await get('/_dev/credit?customer=%7C')).status).toBe(400);
  expect((await get('/_dev/credit?customer=nobodyknown')).status).toBe(404);
});

test('finds customers by a part of their name, those with the most credit first', async () => {
  const all = await json('/_dev/customers');
  const found = await json('/_dev/customers?search=NOV');

  expect(all.customers[0]).toMatchObject({ username: 'vera.vendor', credit: 950, restrictedCredit: 1000 });
  expect(found.customers).toMatchObject([{ username: 'nova' }]);
});

/** The members of a sale that no test here looks at. */
const otherFields = {
  ...{ state: 'completed' as const, refusal: null, base: 5, total: 5, credit: 0, restrictedCredit: 0 },
  ...{ discount: { source: 'none' as const, percent: 0, couponId: null }, paid: 5, refund: 0, change: 0, shares: [] },
  ...{ deliveryId: null, at: '2026-01-01T00:00:00.000Z', refundedAt: null, refundReference: null, reference: null },
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
    { ...productKey(store, product), name: 'Oak chair' },
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
  const text = await until((some) => /event: clock\ndata: .*"aheadSeconds":60/.test(some));

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
