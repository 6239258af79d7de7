import { now, timestamp } from '../clock.ts';
import { is, isNew, put, update, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, transact } from '../table/table.ts';

/** A run of a command over many lines, by its reference. It is written before its first line, and stays for ever. */
export interface Run extends Key {
  /** The SHA-256 of the run's task. Another file or selection under this reference is refused. */
  digest: string;
  lines: number;
  by: string;
  at: string;
  endedAt?: string;
  undoneAt?: string;
}

/**
 * Begins a run, in one transaction with the writes of `together`. Answers the run or, if another command has begun one
 * under this reference at the same moment, that one.
 */
export const beginRun = async <R extends Run>(run: R, together: readonly Write[]): Promise<R> => {
  if (!(await transact([put(run, isNew), ...together]))) return run;
  const { pk, sk } = run;
  return (await get<R>({ pk, sk })) as R;
};

/** Notes that all lines of a run were done, or undone. */
export const endRun = async (
  { pk, sk, digest }: Run,
  name: 'endedAt' | 'undoneAt',
  together: readonly Write[] = [],
): Promise<void> => {
  const end = update({ pk, sk }, { set: { [name]: timestamp(now()) }, when: is('digest', digest) });
  await transact([end, ...together]);
};
