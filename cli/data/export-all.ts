import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../output.ts';
import { unfinished, writeKind } from './export.ts';
import { type Format, formats } from './format.ts';
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

/** What an export that died leaves behind: files that are not whole. */
const leftovers = new Set(kinds.flatMap(({ name }) => formats.map((format) => unfinished(`${name}.${format}`))));

/** Makes the directory if need be, and clears what an export that died has left in it. Throws where it holds anything else. */
const readyDir = async (dir: string): Promise<void> => {
  const there = await filesIn(dir);
  if (!there.every((name) => leftovers.has(name)))
    throw new Failure(`${dir} is not empty. Name a new directory, so that no earlier export is lost.`);
  for (const name of there) await rm(join(dir, name));
  await mkdir(dir, { recursive: true, mode: 0o700 });
};

/**
 * Exports all that a store holds into a directory, which is made if need be and must be empty: a file for each kind, in
 * whose order they can be imported again. The files are there when all of them are whole, so an export that died can be
 * repeated.
 */
export const exportAll = async (
  store: string,
  dir: string,
  format: Format = 'csv',
  onProgress?: (kind: string, rows: number) => void,
): Promise<ExportedFile[]> => {
  await readyDir(dir);
  const files: ExportedFile[] = [];
  for (const kind of kinds) {
    const path = join(dir, `${kind.name}.${format}`);
    const rows = await writeKind(kind, store, path, format, (count) => onProgress?.(kind.name, count));
    files.push({ kind: kind.name, path, rows });
  }
  for (const { path } of files) await rename(unfinished(path), path);
  return files;
};
