import { basename, resolve } from 'node:path';
import {
  type Fault,
  type Group,
  type RowOutcome,
  type Setting,
  type Undoing,
  writeRows,
} from '../../../lib/operator/imports/rows.ts';
import { type Log, noteInLog } from '../../../lib/store/operator-log.ts';
import { refuseWaiting } from '../../shared/waiting.ts';
import { idFrom } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { InterruptedError, UsageError } from '../terminal/errors.ts';
import { counted, grouped } from '../terminal/output.ts';
import { beginCheck, beginWrites, checkRows, explainFault, faultIn, type Pass } from './check.ts';
import { type Format, formatOf, formats } from './format.ts';
import { type RawRow, readRows } from './read.ts';
import { rejectsFile } from './rejects.ts';

export interface ImportOptions {
  format?: Format | undefined;
  /** Checks the file against the store, and writes nothing. */
  dryRun?: boolean | undefined;
  /**
   * Imports the good rows, and writes the others to a file. Without it, one bad row stops the import before it begins.
   */
  skipRejects?: boolean | undefined;
  /** The path of the file of rejected rows. */
  rejects?: string | undefined;
  /** Writes over an existing file of rejected rows. */
  force?: boolean | undefined;
  /** Receives the number of rows done and, once known, the number of all rows. */
  onProgress?: (done: number, all: number | undefined) => void;
  /** Ends the import between two groups of rows. */
  signal?: AbortSignal | undefined;
  /** Sets the copies left of limited products to the file's numbers. */
  setStock?: boolean | undefined;
  /** The operator's log. It tells that the import began, before the first row is written, and how it ended. */
  log?: Log | undefined;
}

/** A fault in a line. `reason` is a sentence. */
interface LineFault {
  line: number;
  field: string;
  reason: string;
}

/** The result of an import, or the expected result after a dry run. */
export interface ImportReport extends Record<RowOutcome | 'rejected', number> {
  kind: string;
  rows: number;
  /** True if the good rows are in the store. */
  imported: boolean;
  /** Ordered by line. */
  faults: LineFault[];
  /** Values of the file that the import does not take, because the store keeps its own value. Ordered by line. */
  kept: LineFault[];
  /** The number of changes in this store that the file undoes. */
  undone: Partial<Record<Undoing, number>>;
  /** The path of the file of rejected rows, if there are any. */
  rejects?: string;
}

/** An import looks up and writes this many rows together. */
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

/**
 * Makes an empty tally: the outcomes of rows, the values that are not taken by line, and this store's changes that are
 * undone.
 */
const newTally = () => ({
  counts: { created: 0, changed: 0, unchanged: 0 },
  kept: new Map<number, Fault[]>(),
  undone: {} as ImportReport['undone'],
});

type Tally = ReturnType<typeof newTally>;

/** Adds rows that were planned or written together to a tally. */
const tally = ({ counts, kept, undone }: Tally, faults: Faults, { rows, outcome, ...group }: Group<unknown>): void => {
  for (const row of rows)
    if (typeof outcome === 'string') counts[outcome] += 1;
    else faults.set(row.line, [faultIn(row, outcome)]);
  if (group.kept) for (const { line } of rows) kept.set(line, [group.kept]);
  for (const undoing of group.undoes ?? []) undone[undoing] = (undone[undoing] ?? 0) + 1;
};

/** A row that is good only if the file also has another row, perhaps further down. */
interface WaitingRow {
  line: number;
  key: string;
  outcome: RowOutcome;
  fault: Fault;
}

/** The first pass checks and plans every row, and writes nothing. */
const check = async (pass: ReturnType<typeof beginCheck>, rows: AsyncIterable<RawRow>, options: ImportOptions) => {
  const found = newTally();
  const faults: Faults = new Map();
  const waiting: WaitingRow[] = [];
  let all = 0;
  for await (const raws of chunks(rows)) {
    const checked = await checkRows(raws, pass);
    for (const [line, wrong] of checked.faults) faults.set(line, wrong);
    const groups = checked.rows.length > 0 ? await pass.importer.plan(checked.rows, pass.setting) : [];
    for (const group of groups) {
      tally(found, faults, group);
      const { rows: planned, outcome, needs } = group;
      if (!needs || typeof outcome !== 'string') continue;
      for (const row of planned)
        waiting.push({ line: row.line, outcome, key: needs.key, fault: faultIn(row, needs.fault) });
    }
    all += raws.length;
    if (options.signal?.aborted)
      throw new InterruptedError('Interrupted while the rows were checked: nothing was imported.');
    options.onProgress?.(all, undefined);
  }
  const lost = refuseWaiting(
    waiting,
    ({ key }) => ['id', 'uuid'].flatMap((column) => pass.taken.get(`${column} ${key}`) ?? []),
    (line) => faults.has(line),
    ({ line, fault }) => faults.set(line, [fault]),
  );
  for (const { outcome } of lost) found.counts[outcome] -= 1;
  return { all, found, faults };
};

/** The second pass writes the good rows. It adds faults that other writers have caused since the first pass. */
const write = async (
  pass: Pass,
  rows: AsyncIterable<RawRow>,
  faults: Faults,
  rejects: Pick<ReturnType<typeof rejectsFile>, 'write'>,
  onDone: (count: number) => void,
) => {
  const found = newTally();
  for await (const raws of chunks(rows)) {
    const checked = await checkRows(raws, pass);
    for (const [line, wrong] of checked.faults) if (!faults.has(line)) faults.set(line, wrong);
    const good = checked.rows.filter(({ line }) => !faults.has(line));
    const groups = good.length > 0 ? await writeRows<unknown>(pass.importer, good, pass.setting) : [];
    for (const group of groups) tally(found, faults, group);
    const ids = new Map(checked.rows.map(({ line, fields }) => [line, fields.id]));
    for (const raw of raws) {
      const wrong = faults.get(raw.line);
      if (wrong) await rejects.write(raw, wrong, ids.get(raw.line));
    }
    onDone(raws.length);
  }
  return found;
};

/** Puts faults into sentences, ordered by line. */
const sentences = (found: Faults): LineFault[] =>
  [...found]
    .sort(([a], [b]) => a - b)
    .flatMap(([line, faults]) => faults.map((fault) => ({ line, field: fault.field, reason: explainFault(fault) })));

const report = (kind: ImportFile, all: number, { counts, kept, undone }: Tally, faults: Faults): ImportReport => ({
  kind: kind.name,
  rows: all,
  ...counts,
  rejected: faults.size,
  imported: false,
  faults: sentences(faults),
  kept: sentences(kept),
  undone,
});

/**
 * Imports rows from another service, as `importFile` does. Skips bad rows, and reports them by their number, from 1 on,
 * in place of a line.
 */
export const importRows = async (
  kind: ImportFile,
  store: string,
  values: readonly RawRow['values'][],
): Promise<ImportReport> => {
  const source = async function* (): AsyncGenerator<RawRow> {
    for (const [index, row] of values.entries()) yield { line: index + 1, values: row, faults: [], source: row };
  };
  const setting: Setting = { store, isMove: true };
  const { all, faults } = await check(beginCheck(kind, setting), source(), {});
  const nowhere = { write: async () => {} };
  const written = await write(beginWrites(kind, setting), source(), faults, nowhere, () => {});
  return { ...report(kind, all, written, faults), imported: true };
};

/**
 * Imports a file of a kind into a store. Checks the whole file before the first write. An interrupted import can be
 * repeated, since it finds its rows unchanged. Throws if the file cannot be read. The report lists bad rows.
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
  const setting: Setting = { store, setsStock: options.setStock };
  const { all, found, faults } = await check(beginCheck(kind, setting), readRows(kind, path, format), options);
  if (options.dryRun || (faults.size > 0 && !options.skipRejects)) return report(kind, all, found, faults);
  const note = async (action: 'import.began' | 'import.ended', of: Record<string, number>): Promise<void> => {
    const details = { kind: kind.name, file: basename(path), ...of };
    if (options.log) await noteInLog(options.log(action, kind.name === 'residents' ? null : store, details));
  };
  let done = 0;
  options.onProgress?.(done, all);
  const idOf = (text: string): string => idFrom(store, kind.name, text);
  const rejects = rejectsFile(kind, idOf, { path: rejectsPath, format, force: options.force === true });
  // Made before the first row is written, so that nothing is imported if the file cannot be made.
  if (faults.size > 0) await rejects.open('Nothing was imported.');
  try {
    await note('import.began', { rows: all });
    const written = await write(
      beginWrites(kind, { ...setting, log: options.log }),
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
    await note('import.ended', { ...written.counts, rejected: faults.size });
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
