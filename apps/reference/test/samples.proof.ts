import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasPython } from '../../../docs/test/programs.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { virtualClock } from '../../../local/grid/world/clock.ts';
import { createWorld } from '../../../local/grid/world/world.ts';
import { storeClient } from '../../client/client.ts';
import { document } from '../document.ts';
import { operationTexts } from '../operation-texts.ts';
import { examplePath } from '../record.ts';

/** Runs every code sample of the reference, and compares what it sends with the example that the reference shows. */

interface Asked {
  line: string;
  key: string | null;
  named: boolean;
  body: unknown;
}

let asked: Asked[] = [];
const note = (line: string, sent: object, body: string): void => {
  const headers = new Headers(sent as Record<string, string>);
  asked.push({
    line,
    key: headers.get('X-API-Key'),
    named: headers.has('Idempotency-Key'),
    body: body === '' ? undefined : JSON.parse(body),
  });
};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    note(`${request.method} ${request.url}`, request.headers, body);
    response.end('{ "data": [], "pagination": { "nextCursor": null } }');
  });
});
let baseUrl = '';
beforeAll(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const samples = (label: string): string[] =>
  Object.values(document(routes, { baseUrl, version: '' }).paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => operation['x-codeSamples'].filter((sample) => sample.label === label))
    .map(({ source }) => source);

const sorted = (requests: Asked[]): Asked[] => requests.toSorted((a, b) => (a.line < b.line ? -1 : 1));

const expected = (key: string): Asked[] =>
  sorted(
    routes.map((row) => ({
      line: `${row.method} ${examplePath(row)}`,
      key,
      named: row.method === 'POST',
      body: operationTexts[row.id]?.request,
    })),
  );

const run = promisify(execFile);
const env = { ...process.env, KEY: 'the-key' };

const withTypeScript = async (): Promise<void> => {
  const lines = samples('TypeScript').map((source) => source.replace(/^import .*\n/, ''));
  const { code } = await transform(lines.map((source) => `{${source}}`).join('\n'), { loader: 'ts' });
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction('storeClient', 'process', 'console', code)(storeClient, { env }, { log: () => {} });
};

/** In the interpreter of local worlds. A touch starts each script. */
const withLsl = (): void => {
  const clock = virtualClock(1_900_000_000_000);
  for (const script of samples('LSL')) {
    const world = createWorld({
      clock,
      delays: false,
      nameOf: () => undefined,
      uuidOf: () => undefined,
      send: ({ url, method, headers, body }, answer) => {
        note(`${method} ${url.slice(baseUrl.length)}`, headers, body);
        answer({ status: 200, type: 'application/json', body: '{}' });
      },
    });
    const owner = '99999999-2222-3333-4444-555555555555';
    world.rez({ owner, name: 'sample', script, notecards: {}, items: [] }).touch(owner);
    clock.advance(0);
    expect(world.log.errors).toEqual([]);
  }
};

const languages: Record<string, () => unknown> = {
  curl: () => run('bash', ['-ec', samples('curl').join(' -sS\n')], { env }),
  TypeScript: withTypeScript,
  LSL: withLsl,
  ...(hasPython() && { Python: () => run('python3', ['-c', samples('Python').join('\n')], { env }) }),
};

test.each(Object.entries(languages))('each sample in %s sends the example of its operation', async (language, send) => {
  asked = [];

  await send();

  expect(sorted(asked)).toEqual(expected(language === 'LSL' ? 'sis_live_...' : 'the-key'));
});
