import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ImportFile } from '../kinds/kind.ts';
import { beginCheck, checkRows, explainFault } from './check.ts';
import { type Format, formatOf, formats } from './format.ts';
import { type RawRow, readRows } from './read.ts';

interface LineFault {
  /** The row's number in the file, from 1 on. */
  number: number;
  /** A sentence that names the row's line. */
  text: string;
}

/** A file for a run of a command, checked like an imported file. */
export interface LinesOfFile<Line> {
  lines: Line[];
  /** The SHA-256 of the file. */
  digest: string;
  faults: LineFault[];
}

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
};

/**
 * Reads and checks a whole file. `lineOf` makes a line from a good row and its number, from 1 on. Throws if the file
 * cannot be read.
 */
export const readLines = async <Fields, Line>(
  kind: ImportFile,
  store: string,
  path: string,
  asked: Format | undefined,
  lineOf: (fields: Fields, number: number) => Line,
): Promise<LinesOfFile<Line>> => {
  const format = formatOf(path, asked, formats);
  const pass = beginCheck(kind, { store });
  const file: LinesOfFile<Line> = { lines: [], digest: '', faults: [] };
  let count = 0;
  const take = async (raws: RawRow[]): Promise<void> => {
    const { rows, faults } = await checkRows(raws, pass);
    const good = new Map(rows.map(({ line, fields }) => [line, fields as unknown as Fields]));
    for (const { line } of raws) {
      count += 1;
      const fields = good.get(line);
      if (fields) file.lines.push(lineOf(fields, count));
      for (const fault of faults.get(line) ?? [])
        file.faults.push({ number: count, text: `line ${line}: ${explainFault(fault)}` });
    }
  };
  let some: RawRow[] = [];
  for await (const row of readRows(kind, path, format)) {
    some.push(row);
    if (some.length < 100) continue;
    await take(some);
    some = [];
  }
  await take(some);
  return { ...file, digest: await digestOf(path) };
};
