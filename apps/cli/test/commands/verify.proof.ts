import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createStore } from '../../../../lib/operator/stores.ts';
import { scopes } from '../../../../lib/routes/scopes.ts';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { listStores } from '../../../../lib/store/stores.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { playSteps } from '../../books/verify.ts';
import { startForCli } from '../support/cli.ts';

let service: Awaited<ReturnType<typeof startForCli>>;
beforeAll(async () => {
  service = await startForCli({ demo: false });
});

test('uses a store of its own from its keys to its webhooks, and leaves nothing behind', async () => {
  const before = await listStores();

  const { code, rows, stderr } = await service.run('verify', '--json');

  expect(rows.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(code).toBe(0);
  expect(stderr).toContain('Everything works.');
  expect(await listStores()).toEqual(before);
  expect(JSON.stringify(rows)).not.toMatch(/sis_test_|whsec_/);
});

type Override = { status: number; body?: object } | undefined;

/** The service behind a proxy that answers some calls itself. `seen` counts the earlier calls of the same line. */
const behind = async (override: (line: string, seen: number) => Override): Promise<string> => {
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const line = `${method} ${url.split('?')[0]}`;
    const seen = counts.get(line) ?? 0;
    counts.set(line, seen + 1);
    const own = override(line, seen);
    if (own) {
      const type = { 'content-type': 'application/json', 'x-request-id': 'the-request' };
      response.writeHead(own.status, type).end(own.body ? JSON.stringify(own.body) : '{}');
      return;
    }
    const sent = Object.entries(headers).filter(([name]) => /^(?:x-api-key|idempotency-key|if-match)$/.test(name));
    const init = { method, headers: sent as [string, string][], ...(body && { body }) };
    const answer = await fetch(service.baseUrl + url, init);
    response.writeHead(answer.status, [...answer.headers].filter(([name]) => name !== 'content-length').flat());
    response.end(await answer.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const on =
  (line: RegExp, status: number, body?: object) =>
  (called: string): Override =>
    line.test(called) ? { status, ...(body && { body }) } : undefined;

test.each([
  ['a key that may do more than its scopes', on(/POST .*categories$/, 201, {}), 'keys', '201 instead of 403', 'deploy'],
  ['a role that lacks a right', on(/POST .*sales$/, 500), 'sale', '500 instead', 'logged of the-request'],
  ['a throttled table', on(/POST .*increment-credit$/, 503), 'credit', '503 instead', 'throttled'],
  ['a firewall in the way', on(/POST .*coupons$/, 403), 'coupons', '403 instead', 'firewall'],
  ['limits that are too low', on(/POST .*products$/, 429), 'catalogue', '429 instead', 'limits'],
  ['an earlier version', on(/POST .*redeem$/, 404), 'gift cards', '404 instead', 'deploy again'],
  ['a stream that nobody reads', on(/GET .*history$/, 200, { data: [] }), 'history', 'did not come', 'stream'],
  ['a worker that stands still', on(/GET .*deliveries$/, 200, { data: [] }), 'delivery', 'did not come', 'worker'],
  ['credit that a refund loses', on(/GET .*credit$/, 200, { credit: 0 }), 'refund', 'leaves 0', 'Deploy'],
  [
    'a sale that is made twice',
    (line: string, seen: number): Override =>
      line === 'POST /v1/sales' && seen === 1 ? { status: 201, body: { deliveryId: 'another' } } : undefined,
    'sale',
    'made a second sale',
    'Deploy',
  ],
] as const)('tells of %s', async (_, override, check, detail, fix) => {
  const { id: store } = await createStore('Verified');
  const issue = async (some: typeof scopes | readonly ['products:read']) =>
    (await issueKey({ store, name: 'verify', scopes: some, stage: 'test' })).text;
  const keys = { all: await issue(scopes), reader: await issue(['products:read']) };
  // The table knows this avatar: a look-up that a busy machine gives up would say that nobody does.
  const { uuid: avatar } = await newResident();
  const baseUrl = await behind(override);
  const trial = { baseUrl, publicUrl: baseUrl, keys, avatar, patienceMillis: 2_000 };

  const findings = await playSteps(trial, () => {});

  const [first] = findings.filter(({ state }) => state === 'fail');
  expect(first).toMatchObject({ check, detail: expect.stringContaining(detail), fix: expect.stringContaining(fix) });
});
