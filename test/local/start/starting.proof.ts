import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { ServiceFile } from '../../../local/start/state.ts';
import { startProcess } from '../../support/local-service.ts';

/**
 * The answers that a program meets which does not wait for the banner: it calls at once, or when service.json is there.
 */

const dir = mkdtempSync(join(tmpdir(), 'store-starting-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = join(dir, 'service.json');

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const path = '/v1/customers/vera.vendor/credit';

/** All answers of a service that starts, until service.json is there. */
const answersUntilThere = async (port: number): Promise<Response[]> => {
  const answers: Response[] = [];
  while (!existsSync(file)) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    if (answer) answers.push(answer);
    await sleep(5);
  }
  return answers;
};

test.each([
  ['a first start', []],
  ['a later start in the same directory', []],
])('%s: service.json is there when the service is ready, and until then the answer is a problem', async () => {
  const port = await freePort();
  const { AWS_ENDPOINT_URL_DYNAMODB: _, TABLE_NAME: __, ...env } = process.env;
  const service = startProcess(dir, ['--port', String(port)], env);
  onTestFinished(async () => {
    if (service.child.exitCode === null) await service.stop();
  });

  const early = await answersUntilThere(port);
  const { baseUrl, keys }: ServiceFile = JSON.parse(readFileSync(file, 'utf8'));
  const first = await fetch(baseUrl + path, { headers: { 'X-API-Key': keys.all } });

  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({ username: 'vera.vendor', credit: 950 });
  const notReady = early.filter(({ status }) => status === 503);
  expect(notReady.length).toBeGreaterThan(0);
  for (const answer of notReady) {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ status: 503, title: 'Service Unavailable', instance: path });
  }
  // Between "ready" and the file it answers as usual: the key is missing.
  expect(early.filter(({ status }) => status !== 503 && status !== 401)).toEqual([]);
  expect(await service.stop()).toBe(0);
});
