import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

const root = resolve(import.meta.dirname, '../..');

/** The commit that stands for the last release until one is tagged. */
export const firstRelease = '57c8cfabcc2072dab5bba7bb8bd12dd6f7689ffe';

/** Runs a command of this machine in a directory. Throws with what it printed where it fails. */
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
 * The commit of a git ref in a clone; without a ref that of the last tag, else `firstRelease`. Throws where the clone
 * lacks it.
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

/** A version of the service: its files, and the template and bundles made of them. */
export interface Version {
  name: string;
  dir: string;
  template: string;
}

/**
 * Puts a commit's files into a new directory; without a commit the files are those of this checkout. Makes its
 * template.
 */
export const makeVersion = async (commit: string | undefined, into: string): Promise<Version> => {
  mkdirSync(into, { recursive: true });
  const dir = commit === undefined ? root : join(into, 'files');
  if (commit !== undefined) {
    mkdirSync(dir);
    await run(root, 'git', ['archive', '--output', join(into, 'files.tar'), commit]);
    await run(dir, 'tar', ['-xf', join(into, 'files.tar')]);
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  }
  const template = join(into, 'cdk.out');
  // Rates that the traffic does not reach.
  const rates = ['readRate', 'writeRate', 'listRate'].flatMap((name) => ['-c', `${name}=10000`]);
  const output = await run(dir, 'npm', ['run', 'synth', '--', '-o', template, ...rates, '-c', 'storeShare=100']);
  if (!existsSync(join(template, 'manifest.json'))) throw new Error(`No template was made in ${dir}:\n${output}`);
  return { name: commit?.slice(0, 7) ?? 'this checkout', dir, template };
};
