import type { Key } from '../../../lib/table/schema.ts';

/** A run of a command over many lines, by its reference. It is there before its first line is done, and for good. */
export interface Run extends Key {
  /** The SHA-256 of what is to be done: another file or selection under this reference is refused. */
  digest: string;
  lines: number;
  by: string;
  at: string;
  endedAt?: string;
  undoneAt?: string;
}
