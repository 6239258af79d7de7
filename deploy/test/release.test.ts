import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/files.ts';
import { gzip, tarOf } from '../release/archive.ts';
import { headOf } from '../release/head.ts';
import { launchOf } from '../release/launch.ts';
import { notesOf, sumsOf } from '../release/notes.ts';
import { changesOf, launchPath, versionFaults } from '../release/version.ts';
import { commitAll, git, writeFiles } from './clone.ts';

/** The parts of `npm run release`. release.proof.ts makes a whole one, twice. */

const root = join(import.meta.dirname, '../..');

/** The files that name a version, all the same. */
const agreeing = {
  'package.json': '{ "version": "1.2.0", "type": "module" }',
  'package-lock.json': '{ "version": "1.2.0" }',
  'docs/openapi.json': '{ "info": { "version": "1.2.0" } }',
  'CHANGELOG.md':
    '# Changelog\n\n## [1.2.0] - 2030-01-31\n\n### The API\n\n- [Coupons](docs/a.md).\n\n## [1.1.0]\n\n- Old.\n',
  'apps/inworld/cashier.lsl': 'string VERSION = "1.2.0";\n',
  'apps/inworld/dispenser.lsl': 'string VERSION = "1.2.0";\n',
  'apps/inworld/shelf.lsl': 'string VERSION = "1.2.0";\n',
  'apps/inworld/terminal.lsl': 'string VERSION = "1.2.0";\n',
  'apps/inworld/updater.lsl': 'string VERSION = "1.2.0";\n',
  'apps/inworld/vendor.lsl': 'string VERSION = "1.2.0";\n',
  'deploy/launch.yaml': 'Parameters:\n  Release:\n    Type: String\n    Default: 1.2.0\n',
};

const readerOf =
  (files: Record<string, string | undefined>) =>
  (path: string): Buffer | undefined => {
    const text = files[path];
    return text === undefined ? undefined : Buffer.from(text);
  };

/** A clone with these files and the command. */
const cloneWith = (files: Record<string, string>): string => {
  const dir = join(tempDir(), 'clone');
  git(root, 'init', '--quiet', dir);
  writeFiles(dir, { ...files, '.gitignore': 'node_modules\n/release/\n' });
  cpSync(join(root, 'deploy/release'), join(dir, 'deploy/release'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  commitAll(dir);
  return dir;
};

const runRelease = (dir: string, ...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, ['deploy/release/main.ts', ...args], {
    cwd: dir,
    encoding: 'utf8',
  });
  return { status, stderr };
};

test('an archive has the same bytes for the same files in any order, and tar reads it', () => {
  const [a, b] = [Buffer.alloc(700, 'a'), Buffer.from('b')];
  const name = `asset.${'f'.repeat(64)}/list-webhook-deliveries/index.cjs`;

  const first = gzip(tarOf('folder', { [name]: a, 'z.json': b, empty: Buffer.alloc(0) }, 1_900_000_000));
  const second = gzip(tarOf('folder', { empty: Buffer.alloc(0), 'z.json': b, [name]: a }, 1_900_000_000));
  const listed = execFileSync('tar', ['-tvzf', '-'], { input: first, encoding: 'utf8', env: { TZ: 'UTC' } });

  expect(second.equals(first)).toBe(true);
  // Neither a name nor a time nor a system.
  expect([...first.subarray(3, 10)]).toEqual([0, 0, 0, 0, 0, 2, 255]);
  expect(listed.trim().split('\n')).toEqual(
    [`700 2030-03-17 17:46 folder/${name}`, '0 2030-03-17 17:46 folder/empty', '1 2030-03-17 17:46 folder/z.json'].map(
      (line) => expect.stringMatching(new RegExp(`^-rw-r--r-- 0/0 +${line.replaceAll('.', String.raw`\.`)}$`)),
    ),
  );
  expect(execFileSync('tar', ['-xzOf', '-', `folder/${name}`], { input: first }).equals(a)).toBe(true);
  expect(() => tarOf('folder', { ['x'.repeat(101)]: b }, 0)).toThrow('too long for an archive');
});

test('two clones of a commit give the same source, and the files of the commit, whatever git is set to', () => {
  const one = cloneWith(agreeing);
  const other = join(tempDir(), 'a longer path', 'clone');
  git(root, 'clone', '--quiet', one, other);
  for (const [name, value] of Object.entries({ 'core.autocrlf': 'true', 'tar.umask': '0077' }))
    git(other, 'config', name, value);

  const [first, second] = [headOf(one), headOf(other)];

  expect(second.archive('source').equals(first.archive('source'))).toBe(true);
  expect(first.read('package.json')?.toString()).toBe(agreeing['package.json']);
  expect(first.read('nothing')).toBeUndefined();
});

test('all places agree on the version, and each that does not is named', () => {
  const old = Object.entries(agreeing).filter(([path]) => path !== 'package.json');

  expect(versionFaults(readerOf(agreeing))).toEqual([]);
  expect(old).toHaveLength(10);
  for (const [path, text] of old)
    expect(versionFaults(readerOf({ ...agreeing, [path]: text.replaceAll('1.2.0', '1.1.9') }))).toEqual([
      expect.stringMatching(
        new RegExp(`^${path} (?:has the version 1.1.9, and package.json 1.2.0|says nothing of 1.2.0)`),
      ),
    ]);
  expect(() => versionFaults(readerOf({ ...agreeing, 'apps/inworld/vendor.lsl': undefined }))).toThrow(
    'The commit has no apps/inworld/vendor.lsl.',
  );
  expect(() => versionFaults(readerOf({ ...agreeing, 'deploy/launch.yaml': undefined }))).toThrow(
    'The commit has no deploy/launch.yaml.',
  );
});

test('a version that was released with another OpenAPI document is refused', () => {
  const record = 'docs/releases/openapi-1.2.0.json';

  expect(versionFaults(readerOf({ ...agreeing, [record]: agreeing['docs/openapi.json'] }))).toEqual([]);
  expect(versionFaults(readerOf({ ...agreeing, [record]: '{}' }))).toEqual([
    `${record} holds another document than docs/openapi.json: 1.2.0 was released before. Set a new version.`,
  ]);
});

test('the notes are the changelog’s part for the version, without links into the repository, and say what each file is', () => {
  const changes = changesOf(readerOf(agreeing), '1.2.0') as string;
  const files = { 'vendor.lsl': Buffer.from('a'), 'store-integration-service-1.2.0.tar.gz': Buffer.from('b') };

  const notes = notesOf({ version: '1.2.0', commit: 'c0ffee', changes }, files);

  expect(notes).toMatch(/^# Store Integration Service 1\.2\.0\n\n## The API\n\n- Coupons\.\n\n## Files\n/);
  expect(notes.split('\n').filter((line) => line.startsWith('| `'))).toEqual([
    expect.stringContaining('store-integration-service-1.2.0.tar.gz` | the source'),
    expect.stringContaining('vendor.lsl` | a script'),
  ]);
  expect(notes).toContain('c0ffee');
  expect(notes).not.toContain('undefined');
});

test('the template of a release names the version and the checksum of the archive, and one line alone takes them', () => {
  const template = readFileSync(join(root, launchPath));
  const archive = Buffer.from('archive');
  const sum = createHash('sha256').update(archive).digest('hex');

  const made = launchOf(template, '1.2.0', archive).toString();

  expect(made).toContain(`- { Name: OWN, Value: 1.2.0 ${sum} }`);
  expect(made.replace(`1.2.0 ${sum} }`, 'none }')).toBe(template.toString());
  for (const wrong of ['', `${template}${template}`])
    expect(() => launchOf(Buffer.from(wrong), '1.2.0', archive)).toThrow('must have one line');
});

test('SHA256SUMS names every file with its checksum', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

  expect(sumsOf({ b: Buffer.from('2'), a: Buffer.from('1') })).toBe(`${sha256('1')}  a\n${sha256('2')}  b\n`);
});

test('npm run release refuses files that differ from the commit, and writes nothing', () => {
  const dir = cloneWith(agreeing);
  writeFileSync(join(dir, 'new.txt'), '');

  expect(runRelease(dir)).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^error: .* these files differ from it\. .*\n\?\? new\.txt\n$/),
  });
  expect(existsSync(join(dir, 'release'))).toBe(false);
});

test('npm run release refuses versions that disagree, and writes nothing', () => {
  const dir = cloneWith({ ...agreeing, 'apps/inworld/vendor.lsl': 'string VERSION = "1.3.0";\n', 'CHANGELOG.md': '' });

  expect(runRelease(dir)).toEqual({
    status: 1,
    stderr:
      'error: apps/inworld/vendor.lsl has the version 1.3.0, and package.json 1.2.0.\n' +
      'CHANGELOG.md says nothing of 1.2.0: give its part Unreleased the heading "## [1.2.0] - DATE".\n',
  });
  expect(existsSync(join(dir, 'release'))).toBe(false);
});

test('npm run release leaves a folder alone that holds more than a release', () => {
  const dir = cloneWith(agreeing);
  const out = tempDir();
  writeFiles(out, { SHA256SUMS: `${'0'.repeat(64)}  sbom.cdx.json\n`, 'sbom.cdx.json': '{}', 'letter.txt': 'mine' });

  expect(runRelease(dir, '--out', out)).toEqual({
    status: 1,
    stderr: `error: ${out} holds letter.txt, which is not of a release. Name an empty folder with --out.\n`,
  });
  expect(readdirSync(out)).toHaveLength(3);
});
