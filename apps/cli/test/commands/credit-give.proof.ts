import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Page } from '../../../../lib/lists/page.ts';
import { atEnd } from '../../../../test/support/at-end.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { startProcess } from '../../../../test/support/local-service.ts';
import { walk } from '../../../../test/support/walk.ts';
import { runStore } from '../support/cli.ts';

/** A long run of gifts, in processes that are killed. GIVE_LINES gives the size. */

const lines = Number(process.env.GIVE_LINES ?? 120);
const timeout = 1_200_000 * Math.ceil(lines / 1000);
const dir = tempDir();
const dataDir = join(dir, 'service');
const launcher = new URL('../../../../store', import.meta.url).pathname;
const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
const env = { PATH, HOME, NODE_COMPILE_CACHE };
const gifts = join(dir, 'gifts.csv');

interface Customer {
  uuid: string;
  credit: number;
}

const uuidOf = (n: number): string => `${String(n).padStart(8, '0')}-0bad-4000-8000-000000000000`;
const amountOf = (n: number): number => 1 + (n % 90);
const people = Array.from({ length: lines }, (_, n) => n);

/** Calls the service. Answers the body. */
let call: <T>(method: string, path: string, body?: object) => Promise<T>;

beforeAll(async () => {
  const limits = ['--rate', '1000000', '--burst', '1000000'];
  const service = startProcess(dataDir, ['--no-demo', ...limits], {
    ...{ ...env, TABLE_NAME: `give-${randomUUID()}` },
  });
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
  const residents = join(dir, 'residents.ndjson');
  const rows = people.map((n) => JSON.stringify({ uuid: uuidOf(n), username: `person${n}` }));
  writeFileSync(residents, rows.join('\n'));
  expect(await runStore(['--data-dir', dataDir, 'import', 'residents', residents])).toMatchObject({ code: 0 });
  // One line in three gives credit that ends.
  const gift = (n: number) => `${uuidOf(n)},${amountOf(n)},regular,${n % 3 ? '' : '2999-01-01T00:00:00Z'}`;
  writeFileSync(gifts, `resident,amount,type,expiresAt\n${people.map(gift).join('\n')}\n`);
}, timeout);

/** Gives in a process, which is killed once the line `killAt` is given. Answers how it ended, and its last words. */
const give = async (args: string[], killAt?: number) => {
  const child = spawn(launcher, ['--data-dir', dataDir, 'credit', 'give', '--reference', 'Long', '--yes', ...args], {
    cwd: dir,
    env,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const closed = once(child, 'close');
  if (killAt !== undefined) {
    const row = `/v1/customers/${uuidOf(killAt)}/credit`;
    const isGiven = async () => (await call<{ credit?: number }>('GET', row)).credit !== undefined;
    while (child.exitCode === null && !(await isGiven()));
    child.kill('SIGKILL');
  }
  const [code, signal] = await closed;
  return { code, signal, text };
};

const credits = async (): Promise<Record<string, number>> => {
  const rows = await walk(200, (cursor) =>
    call<Page<Customer>>('GET', `/v1/customers?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`),
  );
  return Object.fromEntries(rows.map(({ uuid, credit }) => [uuid, credit]));
};

test(`${lines} gifts are given once by a command that is killed three times and goes on 30 hours later, and come back`, {
  timeout,
}, async () => {
  const because = [gifts, '--reason', 'Summer bonus'];

  const killed = [];
  for (const part of [0.2, 0.5, 0.8]) killed.push(await give(because, Math.floor(lines * part)));
  await call('POST', '/_dev/clock', { advanceSeconds: 30 * 3600 });
  const last = await give(because);
  const given = await credits();
  const undone = await give(['--undo']);
  const left = await credits();

  expect(killed.map(({ signal }) => signal)).toEqual(Array(3).fill('SIGKILL'));
  expect([last.code, undone.code]).toEqual([0, 0]);
  expect(given).toEqual(Object.fromEntries(people.map((n) => [uuidOf(n), amountOf(n)])));
  expect(left).toEqual(Object.fromEntries(people.map((n) => [uuidOf(n), 0])));
  expect(await runStore(['--data-dir', dataDir, 'audit'])).toMatchObject({ code: 0 });
});
