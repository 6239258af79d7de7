import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { tempDir } from '../../test/support/files.ts';
import type { Files } from '../release/archive.ts';
import { sumsOf } from '../release/notes.ts';
import { commitAll, git } from './clone.ts';

/** `npm run release` as a whole, in two clones of one commit with packages of their own. */

const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const clones = [join(tempDir(), 'one'), join(tempDir(), 'another one', 'deeper')] as const;

const packagesOf = (dir: string): string => join(dir, 'node_modules');

const filesIn = (dir: string): Files =>
  Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name))]));

beforeAll(() => {
  const [one, other] = clones;
  git(root, 'init', '--quiet', one);
  // The files of this checkout, also ones that are not committed yet.
  const listed = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0').filter(Boolean);
  for (const path of listed) cpSync(join(root, path), join(one, path));
  commitAll(one);
  git(root, 'clone', '--quiet', one, other);
  // Not a link: the names of the desk's files hold a hash of where its packages are.
  if (spawnSync('cp', ['-al', join(root, 'node_modules'), packagesOf(one)]).status !== 0)
    cpSync(join(root, 'node_modules'), packagesOf(one), { recursive: true, verbatimSymlinks: true });
  const release = (clone: string) =>
    execFileSync('npm', ['run', '--silent', 'release'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
  release(one);
  renameSync(packagesOf(one), packagesOf(other));
  release(other);
});

test('two clones in different folders make the same bytes', () => {
  const [first, second] = clones.map((clone) => filesIn(join(clone, 'release'))) as [Files, Files];

  expect(Object.keys(first)).toEqual(
    expect.arrayContaining([
      'NOTES.md',
      'SHA256SUMS',
      'launch.yaml',
      `cloud-assembly-${version}.tar.gz`,
      `openapi-${version}.json`,
      'sbom.cdx.json',
      `store-integration-client-${version}.tgz`,
      `store-integration-service-${version}.tar.gz`,
      ...['cashier.lsl', 'dispenser.lsl', 'shelf.lsl', 'terminal.lsl', 'updater.lsl', 'vendor.lsl'],
    ]),
  );
  expect(sumsOf(second)).toBe(sumsOf(first));
});

test('the checksums hold, for every file', () => {
  const dir = join(clones[0], 'release');

  const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: dir, encoding: 'utf8' });

  expect(checked.match(/: OK$/gm)).toHaveLength(readdirSync(dir).length - 1);
});

test('the template names the archive of the same release', () => {
  const dir = join(clones[0], 'release');
  const [sum] = execFileSync('sha256sum', [`store-integration-service-${version}.tar.gz`], {
    cwd: dir,
    encoding: 'utf8',
  }).split(' ');

  expect(readFileSync(join(dir, 'launch.yaml'), 'utf8')).toContain(`{ Name: OWN, Value: ${version} ${sum} }`);
});

test('no file holds a path of this machine', () => {
  const files = Object.entries(filesIn(join(clones[0], 'release')));
  const paths = [clones[0], 'store-release-'];

  expect(files.length).toBeGreaterThan(10);
  const holding = files
    // The source is as the commit has it.
    .filter(([name]) => !name.startsWith('store-integration-service-'))
    .map(([name, content]): [string, Buffer] => [name, name.endsWith('gz') ? gunzipSync(content) : content])
    .flatMap(([name, content]) =>
      paths.filter((path) => content.includes(path)).map((path) => `${name} holds ${path}`),
    );
  expect(holding).toEqual([]);
});

test('the list of packages names the service, every locked package, and nothing of the run', () => {
  const sbom = JSON.parse(readFileSync(join(clones[0], 'release/sbom.cdx.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: object };
  const names = new Set(
    Object.entries<{ name?: string; version: string; link?: boolean }>(packages as never)
      .filter(([path, { link }]) => path.includes('node_modules/') && !link)
      .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`),
  );
  const listed = new Set(
    sbom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl).replace('pkg:npm/', '')),
  );

  expect(sbom.metadata.component).toMatchObject({ name: 'store-integration-service', version, type: 'application' });
  expect(sbom).not.toHaveProperty('serialNumber');
  expect(sbom.metadata).not.toHaveProperty('timestamp');
  expect([...names].filter((name) => !listed.has(name))).toEqual([]);
});

test('the assembly carries its licence, and that of each package in its functions', () => {
  const dir = tempDir();
  execFileSync('tar', [
    '-xzf',
    join(clones[0], `release/cloud-assembly-${version}.tar.gz`),
    '-C',
    dir,
    '--strip-components=1',
  ]);
  const notices = readFileSync(join(dir, 'NOTICES.txt'), 'utf8');
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

  for (const name of ['@aws-sdk/client-dynamodb', '@middy/core', 'ipaddr.js', 'zod'])
    expect(notices).toContain(`\n${name} ${packages[`node_modules/${name}`].version} (`);
  expect(notices).toContain(readFileSync(join(root, 'node_modules/zod/LICENSE'), 'utf8').trim());
  expect(notices).toContain('Copyright (c) Middy contributors');
  expect(readFileSync(join(dir, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
});

test('the source archive alone gives the template and the functions of the cloud assembly', () => {
  const dir = join(clones[0], 'release');
  const [source, assembly] = [tempDir(), tempDir()];
  const untar = (name: string, into: string) =>
    execFileSync('tar', ['-xzf', join(dir, `${name}-${version}.tar.gz`), '-C', into, '--strip-components=1']);
  untar('store-integration-service', source);
  untar('cloud-assembly', assembly);
  renameSync(packagesOf(clones[1]), packagesOf(source));
  execFileSync('npm', ['run', 'synth', '--', '-o', 'made'], { cwd: source, stdio: 'pipe' });
  const namesIn = (folder: string): string[] =>
    globSync(['*.template.json', 'asset.*/**/*.*'], { cwd: folder }).filter((name) =>
      statSync(join(folder, name)).isFile(),
    );
  const sumsIn = (folder: string): string[] =>
    sumsOf(Object.fromEntries(namesIn(folder).map((name) => [name, readFileSync(join(folder, name))]))).split('\n');

  expect(namesIn(assembly).length).toBeGreaterThan(50);
  expect(sumsIn(join(source, 'made'))).toEqual(sumsIn(assembly));
});
