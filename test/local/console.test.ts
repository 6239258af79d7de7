import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startForTests } from '../support/local-service.ts';

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

test('the events begin with earlier requests and go on live', async () => {
  await fetch(`${service.baseUrl}/v1/products?limit=1`);
  const stream = await fetch(`${service.baseUrl}/_dev/events`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) text += (await reader?.read())?.value ?? '';
  };

  await until(/event: hello\ndata: .*limit=1.*\n\n/);
  await fetch(`${service.baseUrl}/v1/products?limit=2`);
  await until(/event: requests\ndata: .*limit=2.*\n\n/);
  await fetch(`${service.baseUrl}/_dev/clock`, { method: 'POST', body: '{"advanceSeconds": 60}' });
  await until(/event: clock\ndata: .*"aheadSeconds":60/);

  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  expect(text).not.toContain(service.keys.all);
  expect(text.match(/limit=1"/g)).toHaveLength(1);
  await reader?.cancel();
});

test('a flood of requests reaches the page in a few events', async () => {
  const stream = await fetch(`${service.baseUrl}/_dev/events`);
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();

  await Promise.all(Array.from({ length: 300 }, (_, i) => fetch(`${service.baseUrl}/v1/none?flood=${i}`)));
  await fetch(`${service.baseUrl}/v1/none?last`);
  let text = '';
  while (!text.includes('?last')) text += (await reader?.read())?.value ?? '';

  // Each event holds the requests of a tenth of a second.
  const events = text.split('event: requests').length - 1;
  expect(events).toBeLessThan(150);
  await reader?.cancel();
});
