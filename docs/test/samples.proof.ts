import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { operationTexts } from '../../apps/reference/operation-texts.ts';
import { examplePath } from '../../apps/reference/record.ts';
import { samplesPage, tenCalls } from '../../apps/reference/samples-page.ts';
import { routes } from '../../lib/routes/routes.ts';
import { startForTests } from '../../test/support/local-service.ts';
import { codeBlocks } from './code-blocks.ts';
import { avatar, hasPython, runScript } from './programs.ts';

/** Runs the programs of docs/guides/samples.md, and the script of docs/guides/lsl.md, against the local service. */

const dir = mkdtempSync(join(tmpdir(), 'samples-'));
let service: Awaited<ReturnType<typeof startForTests>>;
/** The requests that the programs have sent, and their answers. A server between them and the service keeps them. */
const seen: { request: string; status: number; key: string | undefined }[] = [];
const between = createServer(async (request, response) => {
  const body = await text(request);
  const { method = '', url = '', headers } = request;
  const answer = await fetch(service.baseUrl + url, {
    method,
    headers: { 'X-API-Key': String(headers['x-api-key']) },
    ...(body !== '' && { body }),
  });
  const sent = body === '' ? '' : ` ${JSON.stringify(JSON.parse(body))}`;
  const key = headers['idempotency-key'];
  seen.push({ request: `${method} ${url}${sent}`, status: answer.status, key: key === undefined ? key : String(key) });
  response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
});
let address = '';

beforeAll(async () => {
  service = await startForTests({ dataDir: join(dir, '.local') });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
});
afterAll(async () => {
  between.close();
  await service.stop();
});
beforeEach(() => void seen.splice(0));

const blockIn = (page: string, language: string): string => {
  const found = codeBlocks().filter((block) => block.file === `docs/guides/${page}.md` && block.language === language);
  expect(found).toHaveLength(1);
  return (found[0]?.text ?? '').replaceAll('http://127.0.0.1:4000', address);
};

/** The requests of the ten examples, in no order: a script sends them side by side. */
const ten = routes
  .filter(({ id }) => tenCalls.includes(id))
  .map((row) => {
    const { request } = operationTexts[row.id] ?? {};
    return `${row.method} ${examplePath(row)}${request === undefined ? '' : ` ${JSON.stringify(request)}`}`;
  })
  .sort();

const expectTen = (): void => {
  expect(ten).toHaveLength(10);
  expect(seen.map(({ request }) => request).sort()).toEqual(ten);
  expect(seen.filter(({ status }) => status > 299)).toEqual([]);
};
const keysOfPosts = (): unknown[] => seen.filter(({ request }) => request.startsWith('POST')).map(({ key }) => key);

const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd: dir });

test('the page is current: if not, run npm run openapi', () => {
  expect(readFileSync('docs/guides/samples.md', 'utf8')).toBe(samplesPage(routes));
});

test('the samples in curl make the ten calls, and print each answer on a line of its own', async () => {
  const script = blockIn('samples', 'bash').replaceAll('curl ', 'curl --fail --silent --show-error ');

  const { stdout } = await run('bash', '-ec', script);

  expectTen();
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => typeof JSON.parse(line)),
  ).toEqual(Array(10).fill('object'));
});

test('the samples in TypeScript make the ten calls, each POST under a key of its own', async () => {
  const client = new URL('../../apps/client/client.ts', import.meta.url).href;
  const program = blockIn('samples', 'ts').replace('store-integration-client', client);

  // In somebody else's project, which has no file of the service.
  const project = mkdtempSync(join(tmpdir(), 'samples-project-'));
  writeFileSync(join(project, 'samples.mjs'), program);
  const env = { ...process.env, STORE_KEY: service.keys.all };
  const { stdout } = await promisify(execFile)(process.execPath, ['samples.mjs'], { cwd: project, env });
  rmSync(project, { recursive: true });

  expectTen();
  expect(new Set(keysOfPosts()).size).toBe(6);
  expect(stdout).toContain("username: 'vera.vendor'");
});

test('the samples in Python make the ten calls, each POST under a key of its own', async () => {
  if (!hasPython()) return;
  writeFileSync(join(dir, 'samples.py'), blockIn('samples', 'python'));

  const { stdout } = await run('python3', 'samples.py');

  expectTen();
  expect(new Set(keysOfPosts()).size).toBe(6);
  expect(stdout).toContain("'username': 'vera.vendor'");
});

/** Touches an object with the script, again when it has said something, and answers all that it says. */
const touched = async (script: string, touches: number): Promise<string[]> => {
  const { object, clock, told } = runScript(script, async ({ url, method, headers, body }, answer) => {
    const response = await fetch(url, { method, headers, ...(method !== 'GET' && { body }) });
    const type = response.headers.get('content-type') ?? '';
    answer({ status: response.status, type, body: await response.text() });
  });
  for (let touch = 1; touch <= touches; touch++) {
    object.touch(avatar);
    while (told.length < touch) {
      clock.advance(0.1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(told).toHaveLength(touch);
  }
  return told;
};

test('the samples in LSL make the ten calls, one at each touch, each POST under a key of its own', async () => {
  const script = blockIn('samples', 'lsl')
    .replace('sis_live_...', service.keys.all ?? '')
    .replace('https://the.address.of.your.service', address);

  const told = await touched(script, 10);

  expectTen();
  expect(new Set(keysOfPosts()).size).toBe(6);
  expect(told.filter((line) => /^20[01] /.test(line))).toHaveLength(10);
});

test('the script of the guide for LSL says the credit of who touches it, and why it was refused', async () => {
  const script = blockIn('lsl', 'lsl').replace('https://the.address.of.your.service', address);

  const refused = await touched(script, 1);
  const told = await touched(script.replace('sis_live_...', service.keys['credits:read'] ?? ''), 1);

  expect(refused).toEqual([expect.stringMatching(/^Refused/)]);
  expect(told).toEqual([
    expect.stringMatching(/^(Credit: L\$ \d+|Refused \(404\): The requested resource was not found\.)$/),
  ]);
});
