import { execFileSync } from 'node:child_process';
import { gzip } from './archive.ts';

/** The commit from which a release is made. */
export interface Head {
  commit: string;
  /** The time of the commit, in seconds since 1970. */
  time: number;
  /** Reads a file of the commit; undefined if there is none. */
  read: (path: string) => Buffer | undefined;
  /** Makes a .tar.gz of all its files in one folder. */
  archive: (folder: string) => Buffer;
}

/** Finds the commit of a clone. Throws if the folder is not a clone, or has files that differ from the commit. */
export const headOf = (root: string): Head => {
  const git = (...args: string[]): Buffer =>
    execFileSync('git', args, { cwd: root, maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'pipe'] });
  const find = (...args: string[]): Buffer | undefined => {
    try {
      return git(...args);
    } catch {
      return undefined;
    }
  };
  const commit = find('rev-parse', '--verify', '--quiet', 'HEAD')?.toString().trim();
  if (!commit) throw new Error(`${root} is no clone of the repository. A release is made of a commit: clone it first.`);
  const changed = git('status', '--porcelain').toString().trimEnd().split('\n').filter(Boolean);
  if (changed.length > 0)
    throw new Error(
      `A release is made of a commit, and these files differ from it. Commit them or take them away first:\n${changed.join('\n')}`,
    );
  return {
    commit,
    time: Number(git('show', '--no-patch', '--format=%ct', 'HEAD')),
    read: (path) => find('cat-file', 'blob', `HEAD:${path}`),
    // The machine's own settings of git could change line ends and permissions.
    archive: (folder) =>
      gzip(
        git(
          '-c',
          'core.autocrlf=false',
          '-c',
          'core.eol=lf',
          '-c',
          'tar.umask=0022',
          'archive',
          `--prefix=${folder}/`,
          'HEAD',
        ),
      ),
  };
};
