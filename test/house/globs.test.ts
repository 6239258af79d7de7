import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { coded, codeOf, countsOf, tested, testFiles, testsOf } from '../support/houses.ts';

/** A glob that no longer fits narrows in silence: what vitest runs and what tsc checks is compared with the houses. */

const root = join(import.meta.dirname, '../..');

const run = (program: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, PROOF_PART: '1/1' },
  });

const tests = testFiles();

test(`vitest runs each file of tests by one of its configurations (${countsOf(tests)})`, () => {
  const found = ['vitest.config.ts', 'proof/vitest.config.ts', 'apps/desk/test/vitest.config.ts'].flatMap((config) =>
    JSON.parse(run('vitest/vitest.mjs', 'list', '--filesOnly', '--json', '--config', config)),
  );
  const files = new Set(found.map(({ file }: { file: string }) => relative(root, file)));

  expect(tests.filter((file) => !files.has(file))).toEqual([]);
  expect([...files].filter((file) => !tests.includes(file))).toEqual([]);
});

const files = [...codeOf(...coded), ...testsOf(...tested)];

test(`tsc checks each file (${countsOf(files)})`, () => {
  const checked = ['tsconfig.json', 'apps/desk/tsconfig.json', 'apps/page/tsconfig.json'].flatMap((config) =>
    run('typescript-7/bin/tsc', '--listFilesOnly', '-p', config).split('\n'),
  );
  const found = new Set(checked.map((file) => relative(root, file)));

  expect(files.filter((file) => !found.has(file))).toEqual([]);
});
