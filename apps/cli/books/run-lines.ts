import pMap from 'p-map';
import { now, timestamp } from '../../../lib/clock.ts';
import { beginRun, endRun, type Run } from '../../../lib/operator/runs.ts';
import { Problem } from '../../../lib/problem.ts';
import type { LogRow } from '../../../lib/store/operator-log.ts';
import type { Store } from '../../../lib/store/stores.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { get } from '../../../lib/table/table.ts';
import { openLog } from '../deployment/log.ts';
import type { GlobalOptions, Target } from '../deployment/target.ts';
import { Failure, InterruptedError, UnsuccessfulError, UsageError } from '../terminal/errors.ts';
import { ask, parseReference } from '../terminal/input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { type Column, counted, grouped, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

/**
 * Runs a command over many lines, each at most once. Before the first line it saves the run under its reference, and
 * keeps it. So the same command continues where it stopped, even years later. `--undo` undoes only lines that nobody
 * has changed since.
 */

export interface RunOptions extends GlobalOptions {
  reference: string;
  dryRun?: boolean;
  yes?: boolean;
  undo?: boolean;
}

export const referenceOption = [
  '--reference <text>',
  'the name of this run, which no other run may have',
  parseReference,
] as const;

/** The words of messages about doing and undoing a line, such as `give`, `given`, `Giving`, and about the whole run. */
interface Words {
  about: string;
  line: string;
  do: [verb: string, done: string, doing: string];
  undo: [verb: string, done: string, doing: string];
}

type Action = LogRow['action'];

/** A kind of run. A `Line` is done in one step. An `L` reports a line that was not done, or not undone as a whole. */
export interface LineRuns<R extends Run, Line, L extends object> {
  words: Words;
  key: Key;
  /** Undefined for an undo that names only its reference. */
  digest: string | undefined;
  /** Throws if a run under this reference has other particulars. */
  demandSame?(run: R): void;
  /**
   * Shows what will be done or undone, and returns the number of lines. Throws if a line of a new run cannot be done.
   */
  preview(earlier: R | undefined): Promise<number>;
  /** Makes the item of a run that begins now. It may write the lines first. */
  begin(facts: Key & Pick<Run, 'by' | 'at'>): Promise<R>;
  lines(run: R): Promise<readonly Line[]>;
  doLine(line: Line, run: R): Promise<L[]>;
  undoLine(line: Line, run: R): Promise<L[]>;
  leftLine(line: Line, why: string): L;
  columns: Column<L>[];
  logged: Record<'do' | 'undo', Action>;
  /** The facts of the run for the log. */
  facts(run: R): LogRow['details'];
  /** The facts of its undo for the log. */
  undone(lines: readonly Line[], left: readonly L[]): LogRow['details'];
  /** A sentence about the result. */
  sentence(lines: readonly Line[], left: readonly L[], isUndo: boolean): string;
}

const demandSame = <R extends Run, Line, L extends object>(
  run: R,
  runs: LineRuns<R, Line, L>,
  { reference, undo }: RunOptions,
): void => {
  const { about, do: done } = runs.words;
  if (runs.digest !== undefined && run.digest !== runs.digest)
    throw new Failure(
      `Another ${about} was ${done[1]} under the reference ${reference} at ${run.at}, by ${run.by}. Give that ${about}, exactly the same, or another reference.`,
    );
  if (undo) return;
  runs.demandSame?.(run);
  if (run.undoneAt)
    throw new Failure(`The run ${reference} was undone at ${run.undoneAt}: give the ${about} under another reference.`);
};

const shownFaults = 20;

/**
 * If there are faults, shows the first ones and throws. Call it before anything is written. `refused` ends the
 * sentence.
 */
export const refuseFaults = (faults: readonly string[], one: string, refused: string): void => {
  if (faults.length === 0) return;
  for (const fault of faults.slice(0, shownFaults)) note(fault);
  throw new Failure(`${counted(faults.length, one)} ${refused}, so nothing was written.`);
};

const sideBySide = { concurrency: 8 };

/** Calls `work` with each line. Returns the lines with which it failed. */
const withEach = async <Line, L>(
  what: string,
  lines: readonly Line[],
  work: (line: Line) => Promise<L[]>,
  leftLine: (line: Line, why: string) => L,
): Promise<L[]> => {
  const progress = startProgress(what);
  const { signal, release } = untilInterrupted();
  let done = 0;
  const doOne = async (line: Line): Promise<L[]> => {
    if (signal.aborted)
      throw new InterruptedError('Interrupted. Give the same command again: it goes on, and does nothing twice.');
    const left = await work(line).catch((error: unknown) => {
      if (error instanceof Problem) return [leftLine(line, error.message)];
      throw error;
    });
    progress.update(++done, lines.length);
    return left;
  };
  try {
    return (await pMap(lines, doOne, sideBySide)).flat();
  } finally {
    progress.end();
    release();
  }
};

const confirm = async (question: string, word: string, { yes }: RunOptions): Promise<void> => {
  if (yes) return;
  const check = (text: string) => (text === word ? undefined : `Type ${word}, or press Ctrl-C.`);
  await ask(`${question} Type ${word} to go on.`, '--yes', check);
};

/** Begins the run. If another command has just begun a run with this reference, returns that run. */
const begin = async <R extends Run, Line, L extends object>(
  runs: LineRuns<R, Line, L>,
  target: Target,
  store: Store,
  options: RunOptions,
): Promise<R> => {
  const log = await openLog(target);
  const run = await runs.begin({ ...runs.key, by: await target.operator(), at: timestamp(now()) });
  const { reference } = options;
  const noted = log(runs.logged.do, store.id, { reference, lines: run.lines, ...runs.facts(run) });
  const begun = await beginRun(run, noted);
  if (begun !== run) demandSame(begun, runs, options);
  return begun;
};

/** Does the lines of a run that are not done yet, or undoes the done ones. First shows what will happen, and asks. */
export const runLines = async <R extends Run, Line, L extends object>(
  runs: LineRuns<R, Line, L>,
  { target, store }: { target: Target; store: Store },
  options: RunOptions,
): Promise<void> => {
  const { reference, undo = false } = options;
  const { words, leftLine } = runs;
  const [verb, , doing] = undo ? words.undo : words.do;
  const [, done] = words.do;
  if (reference.trim() === '') throw new UsageError('--reference must not be empty: it is what a repeat is known by.');
  const earlier = await get<R>(runs.key);
  if (earlier) demandSame(earlier, runs, options);
  else if (undo) throw new Failure(`Nothing was ${done} under the reference ${reference}.`);
  const count = await runs.preview(earlier);
  if (earlier && !undo)
    note(`The run ${reference} began at ${earlier.at}: what is ${done} already is not ${done} again.`);
  if (options.dryRun) return note(`Nothing was ${undo ? words.undo[1] : done}: this was a dry run.`);
  const asked = verb.charAt(0).toUpperCase() + verb.slice(1);
  await confirm(`${asked} ${counted(count, words.line)} in ${store.name} on ${target.name}?`, verb, options);
  const run = earlier ?? (await begin(runs, target, store, options));
  const lines = await runs.lines(run);
  const work = (line: Line): Promise<L[]> => (undo ? runs.undoLine(line, run) : runs.doLine(line, run));
  const left = await withEach(doing, lines, work, leftLine);
  if (undo && !run.undoneAt) {
    const log = await openLog(target);
    const noted = log(runs.logged.undo, store.id, { reference, ...runs.undone(lines, left) });
    await endRun(run, 'undoneAt', noted);
  } else if (!undo && left.length === 0 && !run.endedAt) await endRun(run, 'endedAt');
  note(runs.sentence(lines, left, undo));
  if (left.length === 0) return;
  print(left, runs.columns);
  throw new UnsuccessfulError();
};

/** `2 of 3 lines`, for the sentence about a result. */
export const partOf = (part: number, whole: number, one: string): string =>
  `${grouped(part)} of ${counted(whole, one)}`;
