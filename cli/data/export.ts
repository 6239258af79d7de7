import { rename, rm, stat } from 'node:fs/promises';
import { Failure } from '../output.ts';
import type { Format } from './format.ts';
import type { Kind } from './kinds.ts';
import { linesOf, openFile } from './write.ts';

/** Where a file is written until it is whole. */
export const unfinished = (path: string): string => `${path}.part`;

/** Writes what a store holds of a kind into the unfinished file. Answers the number of rows. */
export const writeKind = async (
  kind: Kind,
  store: string,
  path: string,
  format: Format,
  onProgress?: (rows: number) => void,
): Promise<number> => {
  const lines = linesOf(kind, format);
  const file = openFile(unfinished(path));
  await file.made({ name: path });
  let count = 0;
  try {
    await file.write(lines.header);
    for await (const row of kind.rows(store)) {
      await file.write(lines.row(row));
      count += 1;
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
 * Writes what a store holds of a kind into a file, in a fixed order: the same data are the same bytes. The file is there
 * when it is whole. Answers the number of rows.
 */
export const exportKind = async (...args: Parameters<typeof writeKind>): Promise<number> => {
  const [, , path] = args;
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw new Failure(`${path} is a directory. Name a file in it.`);
  const count = await writeKind(...args);
  await rename(unfinished(path), path);
  return count;
};
