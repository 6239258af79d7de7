import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lasting } from '../../test/support/lasting.ts';
import { startForTests } from '../../test/support/local-service.ts';
import { type CodeBlock, callsApi, codeBlocks } from './code-blocks.ts';

/**
 * Runs every line of the documents with curl or `npx store api` as a reader would, in bash, against the local service
 * with its demo data.
 */

/** Documents whose calls are not run here, with the reason. */
const excluded: Record<string, string> = { 'docs/guides/samples.md': 'samples.proof.ts runs them' };

const dir = mkdtempSync(join(tmpdir(), 'curl-'));
let service: Awaited<ReturnType<typeof startForTests>>;
beforeAll(async () => {
  // The commands of the documents read the key from .local/service.json in the current directory.
  service = await startForTests({ dataDir: join(dir, '.local') });
});
afterAll(async () => {
  await service.stop();
  rmSync(dir, { recursive: true, force: true });
});

const blocks = codeBlocks().filter(({ text }) => callsApi.test(text));
const runnable = blocks.filter(({ file }) => !(file in excluded));
const files = [...new Set(runnable.map(({ file }) => file))];

const command = new URL('../../apps/cli/store.ts', import.meta.url).pathname;
const root = new URL('../../', import.meta.url).pathname;

// Each call says its status on the error output, and its answer in a line, in place of what the page has it write.
const wrapper = `
curl() { command curl "$@" --silent --show-error --max-time 20 --write-out '\\n%{stderr}%{http_code}\\n'; }
npx() { shift; '${process.execPath}' ${command} --json "$@" 2>npx.err || true; grep -oE '^[0-9]{3}' npx.err >&2; }
ln -sfn ${root}docs docs`;

/**
 * One script for each file, since later blocks use the variables of earlier ones. The output of each block goes to a
 * file.
 */
const scriptOf = (all: readonly CodeBlock[]): string => {
  const here = (text: string): string =>
    text
      .replaceAll('http://127.0.0.1:4000', service.baseUrl)
      .replaceAll('<BaseUrl>', service.baseUrl)
      .replaceAll('<the key>', service.keys.all ?? '');
  const parts = all.map(({ text }, index) => `exec >${index}.out 2>${index}.status\n${here(text)}`);
  return ['set -euo pipefail', wrapper, ...parts].join('\n');
};

const read = (name: string): string[] =>
  readFileSync(join(dir, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

test.each(files)('the calls of %s work, and print the output that it shows', async (file) => {
  const own = runnable.filter((block) => block.file === file);

  const problem = await promisify(execFile)('bash', ['-c', scriptOf(own)], { cwd: dir }).catch((error: Error) => error);

  for (const [index, { line, prints }] of own.entries()) {
    const place = `${file}:${line} ${problem instanceof Error ? problem.message.slice(-300) : ''}`;
    const output = read(`${index}.out`);
    const statuses = read(`${index}.status`).map(Number);
    const printed = prints === undefined ? undefined : JSON.parse(prints);
    // The last line of a block that shows a problem must be refused.
    const refused: number | undefined = printed?.title === undefined ? undefined : printed.status;
    const accepted = refused === undefined ? statuses : statuses.slice(0, -1);
    expect(statuses.length, place).toBeGreaterThan(0);
    for (const status of accepted) expect(status, `${place}\n${output.join('\n')}`).toBeLessThan(300);
    if (refused !== undefined) expect(statuses.at(-1), place).toBe(refused);
    if (printed !== undefined) expect(lasting(JSON.parse(output.at(-1) ?? 'null')), place).toEqual(lasting(printed));
  }
  expect(problem).not.toBeInstanceOf(Error);
});

test('every curl line is in a block marked bash, and every exclusion is needed', () => {
  expect(
    blocks
      .filter(({ text, language }) => /\bcurl\b/.test(text) && language !== 'bash')
      .map(({ file, line }) => `${file}:${line}`),
  ).toEqual([]);
  expect(Object.keys(excluded).filter((file) => !blocks.some((block) => block.file === file))).toEqual([]);
});
