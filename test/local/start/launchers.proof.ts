import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

/** The files that start `npm start` and the command `store`, in a checkout that is complete and in others. */

const root = new URL('../../../', import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), 'store-launchers-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const { version, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const runFile = async (program: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) => {
  const ran = promisify(execFile)(program, args, { cwd: dir, env: { ...process.env, ...env } });
  const { code = 0, stdout, stderr } = await ran.catch((error) => error);
  return { code, stdout, stderr };
};

/** A checkout with only these files, and with packages if `installed`. */
const checkoutWith = (name: string, files: string[], installed = false): string => {
  const checkout = join(dir, name);
  for (const file of files) cpSync(join(root, file), join(checkout, file));
  if (installed) mkdirSync(join(checkout, 'node_modules/commander'), { recursive: true });
  return checkout;
};

/** Makes Node.js say that it has this version. */
const posesAs = (node: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${node}'}})`,
});

test('npm start says what to do before the packages are installed, and where Node.js is too old', async () => {
  const [bare, old] = [checkoutWith('bare', ['local/start.js']), checkoutWith('old', ['local/start.js'], true)];

  const missing = await runFile(process.execPath, [join(bare, 'local/start.js')]);
  const tooOld = await runFile(process.execPath, [join(old, 'local/start.js')], posesAs('20.20.2'));
  const works = await runFile(process.execPath, [join(root, 'local/start.js'), '--help']);

  expect(scripts.start).toBe('node local/start.js');
  expect(missing).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: .*Run npm ci first, then npm start\.\n$/),
  });
  expect(tooOld).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: .*Node\.js 24 or later, and this is 20\.20\.2\. /),
  });
  expect(works).toMatchObject({ code: 0, stdout: expect.stringContaining('--no-open') });
});

test('./store runs the command from any folder and by a link, with the Node.js of the packages', async () => {
  symlinkSync(join(root, 'store'), join(dir, 'linked'));

  const direct = await runFile(join(root, 'store'), ['--version']);
  const linked = await runFile(join(dir, 'linked'), ['list', '--data-dir', 'no where']);

  expect(direct).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(linked).toMatchObject({ code: 1, stderr: expect.stringContaining('looked for no where/service.json') });
});

test('./store says what to do before the packages are installed, and where Node.js is too old', async () => {
  const [bare, old] = [
    checkoutWith('no-packages', ['store', 'apps/cli/store.ts']),
    checkoutWith('old-node', ['store', 'apps/cli/store.ts'], true),
  ];
  // The checkout has no Node.js of its own, so the machine's is asked for its version.
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  symlinkSync('/bin/echo', join(bin, 'node'));

  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const missing = [
    await runFile(join(bare, 'store'), ['list'], { PATH }),
    await runFile(join(bare, 'store'), [], { PATH }),
  ];
  const tooOld = await runFile(join(old, 'store'), ['list'], { PATH: `${bin}:${process.env.PATH}` });

  // The second run finds nothing that the first left behind.
  for (const each of missing)
    expect(each).toMatchObject({
      code: 1,
      stderr: `error: The packages are missing. Run this first in ${bare}: npm ci\n`,
    });
  expect(tooOld).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: The command store needs Node\.js 24 or later\./),
  });
});

test('both launchers give Node.js the limits that npx gives it', () => {
  const flags =
    /#!\/usr\/bin\/env -S node (.*)\n/.exec(readFileSync(join(root, 'apps/cli/store.ts'), 'utf8'))?.[1] ?? '';

  expect(flags).toContain('--max-old-space-size=');
  for (const file of ['store', 'store.cmd']) expect(readFileSync(join(root, file), 'utf8')).toContain(` ${flags} "`);
  expect(statSync(join(root, 'store')).mode & 0o111).toBe(0o111);
});

test('start.command installs the packages once, starts the service in its own folder, and says what it needs', async () => {
  const [bare, whole] = [checkoutWith('to click', ['start.command']), checkoutWith('again', ['start.command'], true)];
  const [bin, none] = [join(dir, 'with-npm'), join(dir, 'without-npm')];
  for (const each of [bin, none]) {
    mkdirSync(each);
    symlinkSync('/usr/bin/dirname', join(each, 'dirname'));
  }
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "$@ in $PWD"\n', { mode: 0o755 });
  const click = (checkout: string, PATH: string) => runFile('/bin/sh', [join(checkout, 'start.command')], { PATH });

  expect(await click(bare, bin)).toMatchObject({ code: 0, stdout: `ci in ${bare}\nstart in ${bare}\n` });
  expect(await click(whole, bin)).toMatchObject({ code: 0, stdout: `start in ${whole}\n` });
  expect(await click(bare, none)).toMatchObject({ code: 1, stdout: expect.stringContaining('Install Node.js 24') });
  expect(statSync(join(root, 'start.command')).mode & 0o111).toBe(0o111);
});
