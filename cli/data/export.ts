import { rename, rm } from 'node:fs/promises';
import type { Format } from './format.ts';
import type { Kind } from './kinds.ts';
import { linesOf, openFile } from './write.ts';

/**
 * Writes what a store holds of a kind into a file, in a fixed order: the same data are the same bytes. The file is there
 * when it is whole. Answers the number of rows.
 */
export const exportKind = async (
  kind: Kind,
  store: string,
  path: string,
  format: Format,
  onProgress?: (rows: number) => void,
): Promise<number> => {
  const unfinished = `${path}.part`;
  const lines = linesOf(kind, format);
  const file = openFile(unfinished);
  let count = 0;
  try {
    await file.write(lines.header);
    for await (const row of kind.rows(store)) {
      await file.write(lines.row(row));
      count += 1;
      if (count % 1000 === 0) onProgress?.(count);
    }
    await file.end();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return count;
};
