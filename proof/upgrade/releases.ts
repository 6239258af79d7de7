import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Route } from '../../lib/routes/route.ts';
import type { Service } from '../workload/client.ts';

const exec = promisify(execFile);

const root = resolve(import.meta.dirname, '../..');

/** Stands for the last release until one is tagged: a commit of shortly before 0.1.0. */
export const firstRelease = '6f83012ba9acce5099eddb7a74f4c0062355069e';

/** Runs a command of this machine in a directory. If it fails, throws with what it printed. */
export const run = async (
  cwd: string,
  command: string,
  args: readonly string[],
  env = process.env,
): Promise<string> => {
  const { stdout } = await exec(command, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }).catch(
    ({ stdout = '', stderr = '', message }) => {
      throw new Error(`${message}\n${stdout}${stderr}`.trim());
    },
  );
  return stdout.trim();
};

/**
 * The commit of a git ref in a clone. Without a ref: the last tag's commit or, if there is none, `firstRelease`. Throws
 * if the clone does not have it.
 */
export const commitOf = async (ref: string | undefined, clone = root): Promise<string> => {
  const git = (...args: string[]) => run(clone, 'git', args).catch(() => '');
  const wanted = ref ?? ((await git('describe', '--tags', '--abbrev=0')) || firstRelease);
  const found = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted}^{commit}`);
  if (found !== '') return found;
  const isClone = (await git('rev-parse', '--git-dir')) !== '';
  const isShallow = (await git('rev-parse', '--is-shallow-repository')) === 'true';
  if (!isClone) throw new Error(`${clone} is no clone of the repository: an earlier version needs its history.`);
  if (isShallow)
    throw new Error(
      `This clone lacks its history, and so ${wanted}. Run git fetch --unshallow --tags, then this again.`,
    );
  throw new Error(`The repository has no commit ${wanted}. Name a tag, a branch or a commit with --from or --to.`);
};

const isArchive = (source: string): boolean => source.endsWith('.tar.gz');

/** The place of a version's files: the path of a release's source archive, or a commit that `commitOf` finds. */
export const sourceOf = async (given: string | undefined, clone = root): Promise<string> => {
  if (given === undefined || !isArchive(given)) return commitOf(given, clone);
  const path = resolve(given);
  if (existsSync(path)) return path;
  throw new Error(`There is no file ${path}. Name a release's source archive, or a tag, a branch or a commit.`);
};

/** Unpacks a commit or a source archive into an empty directory, with the packages of this checkout. */
export const unpack = async (source: string, dir: string): Promise<void> => {
  const archive = isArchive(source) ? source : `${dir}.tar`;
  if (archive !== source) await run(root, 'git', ['archive', '--prefix=files/', '--output', archive, source]);
  await run(dir, 'tar', ['-xf', archive, '--strip-components=1']);
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
};

/** A version's answers, by its own schemas. */
export const answersOf = async (dir: string): Promise<NonNullable<Service['earlier']>> => {
  const { routes }: { routes: readonly Route[] } = await import(join(dir, 'lib/routes/routes.ts'));
  return ({ method, path }) => routes.find((row) => row.method === method && row.path === path)?.response;
};

/** A version of the service: its files, and the template and bundles made from them. */
export interface Version {
  name: string;
  dir: string;
  template: string;
}

const nameOf = (source: string | undefined): string => {
  if (source === undefined) return 'this checkout';
  return isArchive(source) ? basename(source) : source.slice(0, 7);
};

/**
 * Puts the files of a version into a new directory, and makes its template. Without a source, the files of this
 * checkout.
 */
export const makeVersion = async (source: string | undefined, into: string): Promise<Version> => {
  const dir = source === undefined ? root : join(into, 'files');
  mkdirSync(into, { recursive: true });
  if (source !== undefined) {
    mkdirSync(dir);
    await unpack(source, dir);
  }
  const template = join(into, 'cdk.out');
  // Rates that the traffic does not reach.
  const rates = ['-c', 'endpointRate=10000', '-c', 'storeShare=100'];
  const output = await run(dir, 'npm', ['run', 'synth', '--', '-o', template, ...rates]);
  if (!existsSync(join(template, 'manifest.json'))) throw new Error(`No template was made in ${dir}:\n${output}`);
  return { name: nameOf(source), dir, template };
};
