import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../../lib/lists/page.ts';
import type { DeliveryAnswer } from '../../../../lib/routes/deliveries.ts';
import { atEnd } from '../../../../test/support/at-end.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { startProcess } from '../../../../test/support/local-service.ts';
import { runStore } from '../support/cli.ts';

/** A new version for many owners, sent by processes that are killed. SEND_OWNERS gives their number. */

const owners = Number(process.env.SEND_OWNERS ?? 90);
const timeout = 600_000;
const dir = tempDir();
const dataDir = join(dir, 'service');
const launcher = new URL('../../../../store', import.meta.url).pathname;
const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
const env = { PATH, HOME, NODE_COMPILE_CACHE };
const uuidOf = (n: number): string => `${String(n).padStart(8, '0')}-0bad-4000-8000-000000000000`;
const people = Array.from({ length: owners }, (_, n) => uuidOf(n));

/** Calls the service. Answers the body. */
let call: <T>(method: string, path: string, body?: object) => Promise<T>;
let product: string;

const deliveries = async (): Promise<DeliveryAnswer[]> => {
  const all: DeliveryAnswer[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page<DeliveryAnswer> = await call('GET', `/v1/deliveries?limit=1000${cursor && `&cursor=${cursor}`}`);
    all.push(...page.data);
    cursor = page.pagination.nextCursor;
  }
  return all;
};

/** The deliveries that no sale ordered. */
const sent = async (): Promise<DeliveryAnswer[]> => (await deliveries()).filter(({ saleId }) => saleId === null);

beforeAll(async () => {
  const limits = ['--rate', '1000000', '--burst', '1000000'];
  const service = startProcess(dataDir, ['--no-demo', ...limits], { ...env, TABLE_NAME: `send-${randomUUID()}` });
  atEnd(async () => void (await service.stop()));
  await service.until(/Ctrl-C ends it/);
  const { baseUrl, keys } = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8'));
  call = async (method, path, body) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { 'X-API-Key': keys.all },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const permissions = { copy: true, modify: false, transfer: false };
  ({ id: product } = await call<{ id: string }>('POST', '/v1/products', { name: 'Chair', price: 10, permissions }));
  const sell = (uuid: string) =>
    call('POST', '/v1/sales', { id: randomUUID(), productId: product, buyerIdentifier: uuid, paid: 10 });
  await pMap(people, sell, { concurrency: 8 });
  while ((await deliveries()).filter(({ state }) => state === 'delivered').length < owners) await sleep(200);
  await call('POST', '/_dev/clock', { advanceSeconds: 3600 });
}, timeout);

/** Sends in a process, which is killed once this many deliveries were ordered. Answers how it ended. */
const send = async (since: string, killAt?: number) => {
  const args = ['--data-dir', dataDir, 'products', 'send', product, '--since', since, '--yes'];
  const child = spawn(launcher, args, { cwd: dir, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const closed = once(child, 'close');
  if (killAt !== undefined) {
    while (child.exitCode === null && (await sent()).length < killAt);
    child.kill('SIGKILL');
  }
  const [code, signal] = await closed;
  return { code, signal, text };
};

test(`${owners} owners get a new version once, from a command that is killed twice`, { timeout }, async () => {
  const { now } = await call<{ now: string }>('GET', '/_dev/clock');
  const killed = [await send(now, Math.floor(owners * 0.3)), await send(now, Math.floor(owners * 0.7))];
  const last = await send(now);
  const again = await runStore(['--data-dir', dataDir, 'products', 'send', product, '--since', now, '--json']);

  expect(killed.map(({ signal }) => signal)).toEqual(['SIGKILL', 'SIGKILL']);
  expect(last).toMatchObject({ code: 0, text: expect.stringContaining(`Delivered to ${owners} of ${owners} owners.`) });
  expect(again.rows.map(({ reach }) => reach)).toEqual(people.map(() => 'has'));
  expect((await sent()).map(({ recipientUuid, state }) => `${recipientUuid} ${state}`).sort()).toEqual(
    people.map((uuid) => `${uuid} delivered`),
  );
});
