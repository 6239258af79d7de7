import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runInProcess } from '../../apps/cli/test/support/cli.ts';
import { startListen } from '../../apps/cli/test/support/listening.ts';
import { listStores } from '../../lib/store/stores.ts';
import { atEnd } from '../../test/support/at-end.ts';
import { startForTests } from '../../test/support/local-service.ts';
import { callsApi, codeBlocks, commandsIn, documents, wordsOf } from './code-blocks.ts';

/**
 * Runs every line of the documents that begins with `npx store`, as it is printed and in the order of its document,
 * against the local service with its demo data. calls.proof.ts runs the blocks with calls of the API, commands.test.ts
 * parses the lines for a deployment on AWS.
 */

const isForAws = / --stage /;

/** The command lines that stand in a sentence or a table, in the order of the document. */
const inText = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/`([^`]*npx store [^`]+)`/g)].map(([, text = '']) =>
    // The secret of `store listen` goes into a variable of another program.
    text.replace(/^\w+=\$\((.+)\).*$/, '$1').replaceAll(/\s+/g, ' '),
  );

const blocks = codeBlocks();
const inBlocks = (file: string): string[] =>
  blocks.filter((block) => block.file === file && !callsApi.test(block.text)).flatMap(({ text }) => commandsIn(text));

const linesOf = (file: string): string[] =>
  [...inText(file), ...inBlocks(file)].filter((line) => line.startsWith('npx store ') && !isForAws.test(line));

const cases = documents.map((file) => ({ file, lines: linesOf(file) })).filter(({ lines }) => lines.length > 0);

/** The answers that a person gives at a terminal, as the options that a script gives instead. */
const answers: [line: RegExp, options: string[]][] = [
  [/ delete "Garden Shop"$/, ['--confirm', 'Garden Shop', '--no-wait']],
  [/ resident erase (?!.*--dry-run)/, ['--yes']],
];

const dir = mkdtempSync(join(tmpdir(), 'store-docs-'));
beforeAll(async () => {
  const [project, { stop }] = [process.cwd(), await startForTests({ dataDir: join(dir, '.local') })];
  // The command finds .local, and the examples their files, in the current directory.
  process.chdir(dir);
  symlinkSync(resolve(project, 'docs'), 'docs');
  atEnd(async () => {
    process.chdir(project);
    await stop();
    rmSync(dir, { recursive: true, force: true });
  });
  // The stream makes the history of the demo, and orders its deliveries, in the seconds after the start.
  await vi.waitFor(async () => expect(await runInProcess(['doctor'])).toMatchObject({ code: 0 }), { timeout: 50_000 });
});

// Each document begins with the two stores of the demo.
afterEach(async () => {
  for (const { id, name } of await listStores())
    if (!['DemoStore001', 'OtherStore01'].includes(id))
      await runInProcess(['delete', id, '--confirm', name, '--no-wait', '--export-to', join(dir, id)]);
});

/** Runs `store listen` up to its first output. It continues until Ctrl-C. */
const listen = async (options: readonly string[]) => {
  const { until, stop, printed } = startListen(options, { SIS_DATA_DIR: join(dir, '.local') });
  await until(/./, 'stderr');
  return { code: await stop(), ...printed };
};

const runLine = async (line: string): Promise<{ code: number | null; stderr: string }> => {
  const [first, ...others] = wordsOf(line).slice(2);
  if (first === 'listen' && !others.includes('--print-secret')) return listen(others);
  const [, given = []] = answers.find(([pattern]) => pattern.test(line)) ?? [];
  // The stream makes the history of the lines before a moment later.
  for (let tries = 1; ; tries++) {
    const ran = await runInProcess([first ?? '', ...others, ...given]);
    if (tries >= 40 || ran.code === 0 || !ran.stderr.includes('which may still come')) return ran;
    await setTimeout(250);
  }
};

test.each(cases)(
  'every command of $file works on a fresh local service as it is printed',
  async ({ lines }) => {
    const refused: string[] = [];
    for (const line of lines) {
      const { code, stderr } = await runLine(line);
      if (code !== 0) refused.push(`${line}: ${code} ${stderr}`);
    }

    expect(refused).toEqual([]);
  },
  180_000,
);

test('no command of the documents lacks its npx, and these are many', () => {
  const bare = blocks.flatMap(({ file, text }) =>
    commandsIn(text).flatMap((line) => (line.startsWith('store ') ? [`${file}: ${line}`] : [])),
  );

  expect(bare).toEqual([]);
  expect(cases.flatMap(({ lines }) => lines).length).toBeGreaterThan(60);
});
