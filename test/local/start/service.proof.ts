import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseIdentifier } from '../../../lib/identifier.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import type { ServiceFile } from '../../../local/start/state.ts';
import { startProcess } from '../../support/local-service.ts';

/** The service as a person starts it: a process of its own. */

const parent = mkdtempSync(join(tmpdir(), 'store-service-'));
const dir = join(parent, 'my data');
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const startWith = (more: NodeJS.ProcessEnv, ...options: string[]) => {
  // It needs an engine of its own, apart from the tests'.
  const { AWS_ENDPOINT_URL_DYNAMODB: _, TABLE_NAME: __, ...env } = process.env;
  return startProcess(dir, options, { ...env, ...more });
};
const start = (...options: string[]) => startWith({}, ...options);

const service = (): ServiceFile => JSON.parse(readFileSync(join(dir, 'service.json'), 'utf8'));

const get = async (path: string, key = service().keys.all): Promise<{ status: number; body: never }> => {
  const response = await fetch(service().baseUrl + path, { headers: { 'X-API-Key': key } });
  return { status: response.status, body: (await response.json()) as never };
};

/** Runs a command of the banner in a shell, exactly as printed. Answers its output. */
const run = (banner: string, command: string): string => {
  const line = banner.split('\n').find((candidate) => candidate.includes(command)) ?? '';
  return execFileSync('sh', ['-c', line.slice(line.indexOf(command))], {
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();
};

/** The second one, on the data of the first. */
let running: ReturnType<typeof start>;
afterAll(() => void running?.child.kill());

test('it says what a newcomer needs, writes service.json, keeps data and keys, and ends cleanly', async () => {
  const first = start();
  const text = await first.until(/Ctrl-C ends it/);
  const file = service();

  expect(Object.keys(file.keys).sort()).toEqual(['all', ...scopes].sort());
  expect(file.residents.length).toBeGreaterThanOrEqual(40);
  const parts = new Set(file.residents.map(({ username }) => username.split('.').length));
  expect(parts).toEqual(new Set([1, 2]));
  for (const { uuid, username } of file.residents) {
    expect(parseIdentifier(username)).toEqual({ username });
    expect(parseIdentifier(uuid)).toEqual({ uuid });
  }
  expect(text).not.toContain('\u001b[');

  expect(JSON.parse(run(text, 'curl'))).toMatchObject({ username: 'vera.vendor', credit: 950 });
  expect(run(text, 'npx store list')).toContain('Demo Store');
  expect(text).toContain('npx store --help');
  expect(text).toMatch(new RegExp(`Base URL +${file.baseUrl} `));
  expect(await get('/v1/customers/ada')).toMatchObject({ status: 200, body: { credit: 0 } });
  expect(await get('/v1/categories', file.keys['products:read'])).toMatchObject({ status: 403 });
  expect(await get('/v1/products', file.otherStore.key)).toMatchObject({
    status: 200,
    body: { data: [{ price: 95 }] },
  });
  const made = await fetch(`${file.baseUrl}/v1/categories`, {
    method: 'POST',
    headers: { 'X-API-Key': file.keys.all },
    body: '{"name":"Kept"}',
  });
  expect(await first.stop()).toBe(0);
  await expect(fetch(file.baseUrl)).rejects.toThrow();

  running = startWith({ AWS_PROFILE: 'of-another-project' });
  await running.until(/Ctrl-C ends it/);
  expect(service().keys).toEqual(file.keys);
  expect((await get(made.headers.get('location') ?? '')).status).toBe(200);
});

/** Starts the service with options that keep it from running. Answers what it says, in which no line is of a stack. */
const refusalOf = async (...options: string[]): Promise<string> => {
  const { child, output } = start(...options);
  await once(child, 'close');
  expect([child.exitCode, output()]).toEqual([1, expect.not.stringContaining('    at ')]);
  return output();
};

describe('while one runs', () => {
  test('it uses its own credentials in a shell with an AWS profile', async () => {
    expect((await get('/v1/products')).status).toBe(200);
  });

  test('only their owner may read its files', async () => {
    const kept = [dir, ...readdirSync(dir, { recursive: true }).map((name) => join(dir, String(name)))];
    const open = kept.filter((path) => (statSync(path).mode & 0o077) !== 0);

    for (const name of ['table', 'queue', 'service.json']) expect(kept).toContain(join(dir, name));
    expect(open).toEqual([]);
  });

  test('a second start on its data says where it runs, with its link', async () => {
    const said = await refusalOf();

    const { baseUrl, keys } = service();
    expect(said).toContain(`already, as process ${running.child.pid}:`);
    expect(said).toContain(`  Desk       ${baseUrl}/desk#key=${keys.all}\n`);
    expect(said).toContain('npm start -- --port 0 --data-dir other');
  });

  test('a second start on its port, with other data, says whose port that is', async () => {
    const { baseUrl } = service();

    const said = await refusalOf('--port', new URL(baseUrl).port, '--data-dir', join(parent, 'other'));

    expect(said).toContain(
      `Another local service is already running on port ${new URL(baseUrl).port}, with other data: ${baseUrl}/desk.`,
    );
  });

  test('a start beside one that does not answer yet names its process', async () => {
    running.child.kill('SIGSTOP');
    try {
      expect(await refusalOf('--port', new URL(service().baseUrl).port)).toContain(
        `is starting here already, as process ${running.child.pid}`,
      );
      expect(await refusalOf()).toContain(`is in use by process ${running.child.pid}`);
    } finally {
      running.child.kill('SIGCONT');
    }
  });

  test('the clock can be moved, and the sweep then closes what has expired', async () => {
    const { baseUrl, keys } = service();
    const post = async (path: string, body: object) => {
      const response = await fetch(baseUrl + path, {
        method: 'POST',
        headers: { 'X-API-Key': keys.all },
        body: JSON.stringify(body),
      });
      return response.json() as Promise<never>;
    };

    const before = Date.now();
    const { now } = await post('/_dev/clock', { advanceSeconds: 90_000 });
    const swept = await post('/_dev/sweep', {});

    expect(Date.parse(now) - before).toBeGreaterThanOrEqual(90_000_000);
    // Of the lot of 200 that ends after a day, 50 were spent.
    expect(swept).toMatchObject({ lots: 1, amount: 150 });
    expect(await get('/v1/customers/vera.vendor/credit')).toMatchObject({ body: { credit: 800 } });
    expect(await post('/_dev/clock', { advanceSeconds: -1 })).toEqual({
      error: expect.stringMatching(/^advanceSeconds: /),
    });
  });
});

test('--reset begins anew, with other keys and, as --no-demo says, without a product', async () => {
  const { keys } = service();
  expect(await running.stop()).toBe(0);

  const third = start('--reset', '--no-demo');
  const withoutDemo = await third.until(/Ctrl-C ends it/);
  expect(service().keys.all).not.toBe(keys.all);
  expect(JSON.parse(run(withoutDemo, 'curl'))).toMatchObject({ username: 'vera.vendor', credit: 0 });
  expect(await get('/v1/products')).toMatchObject({ status: 200, body: { data: [] } });
  expect(await third.stop()).toBe(0);
});

test('a port or folder that it cannot have and a wrong option are errors that say what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const file = join(parent, 'a file');
  writeFileSync(file, 'mine');

  expect(await refusalOf('--port', String(port))).toMatch(
    new RegExp(
      `^error: Port ${port} is taken by another program\\. .* npm start -- --port 0 takes any that is free\\.`,
    ),
  );
  expect(await refusalOf('--data-dir', file)).toBe(
    `error: ${file} is a file, or in one. For the data choose another one: npm start -- --data-dir <folder>.\n`,
  );
  expect(await refusalOf('--port', 'x')).toMatch(/--port.*whole number from 0 to 65535/);
  taken.close();
});
