import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { tempDir } from '../../test/support/files.ts';

/** GitHub's workflows, which cannot run here: held against GitHub's own parser, and their shell lines against bash. */

const root = join(import.meta.dirname, '../..');
const paths = globSync('.github/workflows/*.yml', { cwd: root });
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Step {
  run?: string;
  uses?: string;
  'working-directory'?: string;
}

interface Job {
  permissions?: Record<string, string>;
  needs?: string[];
  steps: Step[];
}

const release: { permissions: object; jobs: Record<string, Job> } = parse(textOf('.github/workflows/release.yml'));
const { check, build: make, publish } = release.jobs as Record<'check' | 'build' | 'publish', Job>;

let faultsOf: (name: string, content: string) => string[];

beforeAll(async () => {
  // Node cannot load the package as it is: it imports JSON without saying so.
  const outfile = join(tempDir(), 'parser.mjs');
  const contents = "export * from '@actions/workflow-parser';";
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await build({
    ...{ stdin: { contents, resolveDir: root }, outfile, banner: { js } },
    ...({ bundle: true, format: 'esm', platform: 'node' } as const),
  });
  const parser = (await import(outfile)) as typeof import('@actions/workflow-parser');
  faultsOf = (name, content) => {
    const { context } = parser.parseWorkflow({ name, content }, new parser.NoOperationTraceWriter());
    return context.errors.getErrors().map(({ message }) => message);
  };
});

test.each(paths)('%s is a workflow for GitHub’s own parser', (path) => {
  expect(faultsOf(path, textOf(path))).toEqual([]);
});

test('the parser finds a wrong key and a wrong permission', () => {
  const broken = textOf('.github/workflows/ci.yml').replace('runs-on:', 'runs-onn:').replace('s: read', 's: reed');

  expect(faultsOf('broken.yml', broken)).toEqual(
    expect.arrayContaining([expect.stringContaining("'runs-onn'"), expect.stringContaining("'reed'")]),
  );
});

test('each shell line of a workflow is one for bash', () => {
  const lines = paths.flatMap((path) =>
    Object.values((parse(textOf(path)) as typeof release).jobs).flatMap(({ steps }) =>
      steps.flatMap((s) => s.run ?? []),
    ),
  );

  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(spawnSync('bash', ['-n', '-c', line]).status, line).toBe(0);
});

test('only the job that publishes may write, and it waits for everything and runs no code of a package', () => {
  expect(release.permissions).toEqual({ contents: 'read' });
  expect([check.permissions, make.permissions]).toEqual([undefined, undefined]);
  expect(publish.needs).toEqual(['check', 'build']);
  expect(publish.steps.map(({ run = '' }) => run).join('\n')).not.toMatch(/\b(?:npm|npx|node)\b/);
  expect(publish.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? [])).toEqual([
    'actions/download-artifact',
    'actions/attest',
  ]);
});

const runIn = (cwd: string, { run = '', 'working-directory': folder = '.' }: Step, env = {}): number | null =>
  spawnSync('bash', ['-e', '-c', run], { cwd: join(cwd, folder), env: { ...process.env, ...env }, stdio: 'ignore' })
    .status;

test('a tag that is not the version of package.json makes nothing', () => {
  const { version } = JSON.parse(textOf('package.json'));
  const step = make.steps.find(({ run }) => run?.includes('GITHUB_REF_NAME')) as Step;

  expect(runIn(root, step, { GITHUB_REF_NAME: `v${version}` })).toBe(0);
  expect(runIn(root, step, { GITHUB_REF_NAME: 'v9.9.9' })).toBe(1);
});

test('files that differ between the two machines, or from their checksums, are not published', () => {
  const dir = tempDir();
  const [same, sums] = publish.steps.filter(({ run }) => run) as [Step, Step];
  execFileSync(
    'bash',
    ['-e', '-c', 'mkdir first second; echo a > first/a; (cd first; sha256sum a > SHA256SUMS); cp first/* second'],
    { cwd: dir },
  );

  expect([runIn(dir, same), runIn(dir, sums)]).toEqual([0, 0]);
  writeFileSync(join(dir, 'first/a'), 'b\n');
  expect([runIn(dir, same), runIn(dir, sums)]).toEqual([1, 1]);
});
