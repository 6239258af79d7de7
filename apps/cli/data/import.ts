import { basename, resolve } from 'node:path';
import type { Log } from '../../../lib/store/operator-log.ts';
import { transact } from '../../../lib/table/table.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { type Fault, idFrom, type RowOutcome, writeRows } from '../kinds/rows.ts';
import { InterruptedError, UsageError } from '../terminal/errors.ts';
import { counted, grouped } from '../terminal/output.ts';
import { beginCheck, beginWrites, checkRows, explainFault, type Pass } from './check.ts';
import { type Format, formatOf, formats } from './format.ts';
import { type RawRow, readRows } from './read.ts';
import { rejectsFile } from './rejects.ts';

export interface ImportOptions {
  format?: Format | undefined;
  /** Checks the file against the store, and writes nothing. */
  dryRun?: boolean | undefined;
  /** Imports the good rows; the others go to a file. Otherwise one bad row stops the import before it begins. */
  skipRejects?: boolean | undefined;
  /** The file of rejected rows. */
  rejects?: string | undefined;
  /** Writes over an existing file of rejected rows. */
  force?: boolean | undefined;
  /** Is called with the number of rows done and, once known, the number of all rows. */
  onProgress?: (done: number, all: number | undefined) => void;
  /** Ends the import between two writes. */
  signal?: AbortSignal | undefined;
  /** The log of the command: it says that the import began, before the first row is written, and how it ended. */
  log?: Log | undefined;
}

/** The result of an import, or the result that a dry run foresees. */
export interface ImportReport extends Record<RowOutcome | 'rejected', number> {
  kind: string;
  /** Rows in the file. */
  rows: number;
  /** The rows have been written, or were found unchanged. */
  imported: boolean;
  /** In the order of the lines. */
  faults: { line: number; field: string; reason: string }[];
  /** The file of rejected rows, if there are any. */
  rejects?: string;
}

/** The number of rows that an import looks up and writes together. */
const chunkRows = 100;

async function* chunks(rows: AsyncIterable<RawRow>): AsyncGenerator<RawRow[]> {
  let some: RawRow[] = [];
  for await (const row of rows) {
    some.push(row);
    if (some.length < chunkRows) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

type Faults = Map<number, Fault[]>;

const noCounts = { created: 0, changed: 0, unchanged: 0 };

/** A row that is good only if the file has another row, which may come later. */
interface WaitingRow {
  line: number;
  key: string;
  outcome: RowOutcome;
  fault: Fault;
}

/**
 * Rejects rows that wait for a row that the file lacks, and then the rows that wait for them. Returns the rejected
 * ones.
 */
const rejectWaiting = (waiting: WaitingRow[], taken: ReadonlyMap<string, number>, faults: Faults): WaitingRow[] => {
  const isGood = (key: string): boolean =>
    ['id', 'uuid'].some((column) => {
      const line = taken.get(`${column} ${key}`);
      return line !== undefined && !faults.has(line);
    });
  const lost = waiting.filter(({ key }) => !isGood(key));
  for (const { line, fault } of lost) faults.set(line, [fault]);
  const left = waiting.filter((each) => !lost.includes(each));
  return lost.length > 0 ? [...lost, ...rejectWaiting(left, taken, faults)] : [];
};

/** The first pass: every row is checked and planned, nothing is written. */
const check = async (pass: ReturnType<typeof beginCheck>, rows: AsyncIterable<RawRow>, options: ImportOptions) => {
  const counts = { ...noCounts };
  const faults: Faults = new Map();
  const waiting: WaitingRow[] = [];
  let all = 0;
  for await (const raws of chunks(rows)) {
    const checked = await checkRows(raws, pass);
    for (const [line, found] of checked.faults) faults.set(line, found);
    const groups = checked.rows.length > 0 ? await pass.importer.plan(checked.rows, checked.setting) : [];
    for (const { rows: planned, outcome, needs } of groups)
      for (const { line } of planned)
        if (typeof outcome !== 'string') faults.set(line, [outcome]);
        else {
          counts[outcome] += 1;
          if (needs) waiting.push({ line, outcome, ...needs });
        }
    all += raws.length;
    if (options.signal?.aborted)
      throw new InterruptedError('Interrupted while the rows were checked: nothing was imported.');
    options.onProgress?.(all, undefined);
  }
  for (const { outcome } of rejectWaiting(waiting, pass.taken, faults)) counts[outcome] -= 1;
  return { all, counts, faults };
};

/** The second pass: writes the good rows. Other writers can cause new faults between the passes, which it adds. */
const write = async (
  pass: Pass,
  rows: AsyncIterable<RawRow>,
  faults: Faults,
  rejects: Pick<ReturnType<typeof rejectsFile>, 'write'>,
  onDone: (count: number) => void,
) => {
  const counts = { ...noCounts };
  for await (const raws of chunks(rows)) {
    const checked = await checkRows(raws, pass);
    for (const [line, found] of checked.faults) if (!faults.has(line)) faults.set(line, found);
    const good = checked.rows.filter(({ line }) => !faults.has(line));
    const groups = good.length > 0 ? await writeRows<unknown>(pass.importer, good, checked.setting) : [];
    for (const { rows: written, outcome } of groups)
      for (const { line } of written)
        if (typeof outcome === 'string') counts[outcome] += 1;
        else faults.set(line, [outcome]);
    const ids = new Map(checked.rows.map(({ line, fields }) => [line, fields.id]));
    for (const raw of raws) {
      const found = faults.get(raw.line);
      if (found) await rejects.write(raw, found, ids.get(raw.line));
    }
    onDone(raws.length);
  }
  return counts;
};

const report = (kind: ImportFile, all: number, counts: Record<RowOutcome, number>, faults: Faults): ImportReport => ({
  kind: kind.name,
  rows: all,
  ...counts,
  rejected: faults.size,
  imported: false,
  faults: [...faults]
    .sort(([a], [b]) => a - b)
    .flatMap(([line, found]) => found.map((fault) => ({ line, field: fault.field, reason: explainFault(fault) }))),
});

/**
 * Imports rows that another service has told, as `importFile` does. Rows that cannot be imported are left out, and
 * reported with their number as the line.
 */
export const importRows = async (
  kind: ImportFile,
  store: string,
  values: readonly RawRow['values'][],
): Promise<ImportReport> => {
  const source = async function* (): AsyncGenerator<RawRow> {
    for (const [index, row] of values.entries()) yield { line: index + 1, values: row, faults: [], source: row };
  };
  const { all, faults } = await check(beginCheck(kind, store), source(), {});
  const nowhere = { write: async () => {} };
  const written = await write(beginWrites(kind, store, undefined), source(), faults, nowhere, () => {});
  return { ...report(kind, all, written, faults), imported: true };
};

/**
 * Imports a file of a kind into a store. Checks the whole file before the first write. An import that was interrupted
 * can be repeated: it finds its rows unchanged. Throws if the file cannot be read. The report lists bad rows.
 */
export const importFile = async (
  kind: ImportFile,
  store: string,
  path: string,
  options: ImportOptions = {},
): Promise<ImportReport> => {
  const format = formatOf(path, options.format, formats);
  const rejectsPath = options.rejects ?? `${path}.rejects.${format}`;
  if (resolve(rejectsPath) === resolve(path)) throw new UsageError('--rejects must name another file than the import.');
  const { all, counts, faults } = await check(beginCheck(kind, store), readRows(kind, path, format), options);
  if (options.dryRun || (faults.size > 0 && !options.skipRejects)) return report(kind, all, counts, faults);
  const note = async (action: 'import.began' | 'import.ended', of: Record<string, number>): Promise<void> => {
    const details = { kind: kind.name, file: basename(path), ...of };
    if (options.log) await transact(options.log(action, kind.name === 'residents' ? null : store, details));
  };
  let done = 0;
  options.onProgress?.(done, all);
  const idOf = (text: string): string => idFrom(store, kind.name, text);
  const rejects = rejectsFile(kind, idOf, { path: rejectsPath, format, force: options.force === true });
  // The file must be made before the first row is written: if that fails, nothing is imported.
  if (faults.size > 0) await rejects.open('Nothing was imported.');
  try {
    await note('import.began', { rows: all });
    const written = await write(
      beginWrites(kind, store, options.log),
      readRows(kind, path, format),
      faults,
      rejects,
      (count) => {
        done += count;
        options.onProgress?.(done, all);
        if (options.signal?.aborted && done < all)
          throw new InterruptedError(
            `Interrupted: ${grouped(done)} of ${counted(all, 'row')} of ${path} are imported. Give the same command again: it goes on, and changes nothing twice.`,
          );
      },
    );
    await note('import.ended', { ...written, rejected: faults.size });
    const rejectsWritten = await rejects.end();
    return {
      ...report(kind, all, written, faults),
      imported: true,
      ...(rejectsWritten !== undefined && { rejects: rejectsWritten }),
    };
  } catch (error) {
    await rejects.abandon();
    throw error;
  }
};
