import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Separator } from '../../shared/csv.ts';
import type { DataFile, Lines } from '../kinds/kind.ts';
import { exportFiles } from '../kinds/kinds.ts';
import { Failure, InterruptedError, UsageError } from '../terminal/errors.ts';
import { counted } from '../terminal/output.ts';
import { type ExportFormat, type Format, formats } from './format.ts';
import { lineWriter, openFile } from './write.ts';

export interface ExportOptions {
  /** The sign between the cells of CSV. */
  separator?: Separator | undefined;
  onProgress?: (rows: number) => void;
  /** Ends the export, which then leaves no file behind. */
  signal?: AbortSignal;
}

/** The path of a file until it is complete. */
export const unfinished = (path: string): string => `${path}.part`;

/** The text of a kind's file. Throws if the kind has no such format. */
const exportedLines = (kind: DataFile, store: string, format: ExportFormat, separator?: Separator): Lines => {
  if (format !== 'journal') {
    const { header, row } = lineWriter(kind, format, separator);
    const rows = async function* () {
      for await (const one of kind.rows(store)) yield row(one);
    };
    return { header: [header], rows: rows() };
  }
  if (kind.journal) return kind.journal(store);
  throw new UsageError(`Only history is a journal. Export ${kind.name} as csv or ndjson.`);
};

/** Writes a text into the unfinished file. Returns the number of rows. */
export const writeLines = async (
  { header, rows }: Lines,
  path: string,
  { onProgress, signal }: ExportOptions,
): Promise<number> => {
  const file = openFile(unfinished(path));
  await file.made({ name: path });
  let count = 0;
  try {
    for await (const text of header) await file.write(text);
    for await (const text of rows) {
      await file.write(text);
      count += 1;
      if (signal?.aborted)
        throw new InterruptedError(
          `Interrupted after ${counted(count, 'row')}. No file was written: give the command again.`,
        );
      if (count % 1000 === 0) onProgress?.(count);
    }
    await file.end();
  } catch (error) {
    await rm(unfinished(path), { force: true });
    throw error;
  }
  return count;
};

/**
 * Writes the rows of a kind into a file. Their order is fixed, so the same data give the same bytes. The file gets its
 * name when it is complete. Returns the number of rows.
 */
export const exportKind = async (
  kind: DataFile,
  store: string,
  path: string,
  format: ExportFormat,
  options: ExportOptions = {},
): Promise<number> => {
  const lines = exportedLines(kind, store, format, options.separator);
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw new Failure(`${path} is a directory. Name a file in it.`);
  const count = await writeLines(lines, path, options);
  await rename(unfinished(path), path);
  return count;
};

export interface ExportedFile {
  kind: string;
  path: string;
  rows: number;
}

/** The unfinished files that an interrupted export leaves behind. */
const leftovers = new Set(exportFiles.flatMap(({ name }) => formats.map((format) => unfinished(`${name}.${format}`))));

/** Creates the directory, or removes the leftovers of an interrupted export. Throws if it holds anything else. */
export const readyDir = async (dir: string): Promise<void> => {
  const there = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error.code === 'ENOTDIR' ? new Failure(`${dir} is a file. Name a directory.`) : error;
  });
  if (!there.every((name) => leftovers.has(name)))
    throw new Failure(`${dir} is not empty. Name a new directory, so that no earlier export is lost.`);
  for (const name of there) await rm(join(dir, name));
  await mkdir(dir, { recursive: true, mode: 0o700 });
};

/**
 * Exports all data of a store into a directory, which must be empty or new. There is a file for each kind, in the order
 * in which they can be imported again. The files get their names only when all are complete, so an interrupted export
 * can be repeated.
 */
export const exportAll = async (
  store: string,
  dir: string,
  format: Format = 'csv',
  options: ExportOptions = {},
): Promise<ExportedFile[]> => {
  await readyDir(dir);
  const files: ExportedFile[] = [];
  for (const kind of exportFiles) {
    const path = join(dir, `${kind.name}.${format}`);
    const text = exportedLines(kind, store, format, options.separator);
    const rows = await writeLines(text, path, options).catch(async (error: unknown) => {
      for (const { path } of files) await rm(unfinished(path), { force: true });
      throw error;
    });
    files.push({ kind: kind.name, path, rows });
  }
  for (const { path } of files) await rename(unfinished(path), path);
  return files;
};
