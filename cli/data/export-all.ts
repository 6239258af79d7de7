import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../output.ts';
import { exportKind } from './export.ts';
import type { Format } from './format.ts';
import { kinds } from './kinds.ts';

/** A file of an export. */
export interface ExportedFile {
  kind: string;
  path: string;
  rows: number;
}

const filesIn = async (dir: string): Promise<string[]> => {
  try {
    return await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') throw new Failure(`${dir} is a file. Name a directory.`);
    throw error;
  }
};

/**
 * Exports all that a store holds into a directory, which is made if need be and must be empty: a file for each kind, in
 * whose order they can be imported again.
 */
export const exportAll = async (
  store: string,
  dir: string,
  format: Format = 'csv',
  onProgress?: (kind: string, rows: number) => void,
): Promise<ExportedFile[]> => {
  if ((await filesIn(dir)).length > 0)
    throw new Failure(`${dir} is not empty. Name a new directory, so that no earlier export is lost.`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const files: ExportedFile[] = [];
  for (const kind of kinds) {
    const path = join(dir, `${kind.name}.${format}`);
    const rows = await exportKind(kind, store, path, format, (count) => onProgress?.(kind.name, count));
    files.push({ kind: kind.name, path, rows });
  }
  return files;
};
