import { Option } from 'commander';
import pMap from 'p-map';
import { now, timestamp } from '../../lib/clock.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, creditLimit, holdingOf } from '../../lib/credit/state.ts';
import { Problem } from '../../lib/problem.ts';
import { customerKey } from '../../lib/store/customers.ts';
import { getMany, transact } from '../../lib/table/table.ts';
import { beginRun, endRun, findRun, type Giving, giveLine, takeBackLine } from '../books/give-credit.ts';
import { type Format, formats } from '../data/format.ts';
import { type GiftFile, type GiftLine, readGiftFile } from '../data/gift-file.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore, type Target } from '../deployment/target.ts';
import { type GivenLine, type GivingRun, givingKey } from '../kinds/giving.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, InterruptedError, UnsuccessfulError, UsageError } from '../terminal/errors.ts';
import { ask, parseReason, parseReference } from '../terminal/input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { type Column, counted, grouped, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface GiveOptions extends GlobalOptions {
  reason?: string;
  reference: string;
  dryRun?: boolean;
  yes?: boolean;
  undo?: boolean;
  format?: Format;
}

/** The sums of one type of credit: of the file, and of what its customers hold. */
interface TypeSums {
  type: CreditType;
  lines: number;
  amount: number;
  before: number;
  after: number;
}

const sumColumns: Column<TypeSums>[] = [
  { heading: 'credit', cell: ({ type }) => type },
  { heading: 'lines', cell: ({ lines }) => lines },
  { heading: 'L$ in the file', cell: ({ amount }) => amount },
  { heading: 'they hold', cell: ({ before }) => before },
  { heading: 'then', cell: ({ after }) => after },
];

/** A line that was not given, or of which not all was taken back. */
interface LeftLine {
  line: number;
  uuid: string;
  username: string;
  type: CreditType;
  amount: number;
  takenBack?: number;
  why: string;
}

const leftColumns: Column<LeftLine>[] = [
  { heading: 'row', cell: ({ line }) => line },
  { heading: 'resident', cell: ({ username }) => username },
  { heading: 'credit', cell: ({ type }) => type },
  { heading: 'L$', cell: ({ amount }) => amount },
  { heading: 'why', cell: ({ why }) => why, wraps: true },
];

const shownFaults = 20;

const sumsOf = (lines: readonly GiftLine[]): Record<CreditType, number> => {
  const sums = { regular: 0, restricted: 0 };
  for (const { type, amount } of lines) sums[type] += amount;
  return sums;
};

/** The customers' items of a file, by UUID. */
const readHolders = async (store: string, lines: readonly GiftLine[]): Promise<Map<string, CreditItem>> => {
  const uuids = [...new Set(lines.map(({ resident }) => resident.uuid))];
  const items = await getMany<CreditItem>(uuids.map((uuid) => customerKey(store, uuid)));
  return new Map(items.map((item) => [item.sk, item]));
};

/** The balances of a file's customers with what the file gives, by customer and type, and lines beyond the limit. */
const foresee = (lines: readonly GiftLine[], holders: ReadonlyMap<string, CreditItem>) => {
  const faults: string[] = [];
  const balances = new Map<string, number>();
  const sums = creditTypes.map((type): TypeSums => ({ type, lines: 0, amount: 0, before: 0, after: 0 }));
  for (const { resident, type, amount, number } of lines) {
    const place = `${resident.uuid} ${type}`;
    const row = sums.find((one) => one.type === type) as TypeSums;
    const item = holders.get(resident.uuid);
    const before = balances.get(place);
    const balance = before ?? (item ? holdingOf(item, type).balance : 0);
    if (before === undefined) row.before += balance;
    balances.set(place, balance + amount);
    row.lines += 1;
    row.amount += amount;
    if (balance + amount > creditLimit())
      faults.push(`row ${number}: ${resident.username} would hold ${balance + amount}, above ${creditLimit()}`);
  }
  for (const row of sums) row.after = row.before + row.amount;
  return { sums: sums.filter((row) => row.lines > 0), faults };
};

const refuseFaults = (faults: readonly string[], path: string): void => {
  if (faults.length === 0) return;
  for (const fault of faults.slice(0, shownFaults)) note(fault);
  throw new Failure(`${counted(faults.length, 'value')} of ${path} cannot be given, so nothing was written.`);
};

/** Throws where a run under this reference is about something else. */
const demandSame = (run: GivingRun, file: GiftFile, { reference, reason, undo }: GiveOptions): void => {
  if (run.digest !== file.digest)
    throw new Failure(
      `Another file was given under the reference ${reference} at ${run.at}, by ${run.by}. Give that file, byte for byte, or another reference.`,
    );
  if (undo) return;
  if (reason !== undefined && reason !== run.reason)
    throw new Failure(`The run ${reference} has the reason ${JSON.stringify(run.reason)}: give the same one.`);
  if (run.undoneAt)
    throw new Failure(`The run ${reference} was undone at ${run.undoneAt}: give the file under another reference.`);
};

const sideBySide = { concurrency: 8 };

/** Does something with each line, and lists those with which it could not be done. */
const withEach = async (
  what: string,
  lines: readonly GiftLine[],
  work: (line: GiftLine) => Promise<LeftLine[]>,
): Promise<LeftLine[]> => {
  const progress = startProgress(what);
  const { signal, release } = untilInterrupted();
  let done = 0;
  const doOne = async (line: GiftLine): Promise<LeftLine[]> => {
    if (signal.aborted)
      throw new InterruptedError('Interrupted. Give the same command again: it goes on, and gives nothing twice.');
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

const leftLine = ({ number, resident, type, amount }: GiftLine, why: string, takenBack?: number): LeftLine => ({
  line: number,
  ...resident,
  type,
  amount,
  ...(takenBack !== undefined && { takenBack }),
  why,
});

const lineOf = ({ resident, ...line }: GiftLine) => ({ ...line, uuid: resident.uuid });

/** Gives every line that is not given yet. A name that leads to another avatar since gives nothing to that one. */
const giveAll = (giving: Giving, lines: readonly GiftLine[]): Promise<LeftLine[]> =>
  withEach('Giving', lines, async (line) => {
    const given = await giveLine(giving, lineOf(line));
    return given.uuid === line.resident.uuid
      ? []
      : [leftLine(line, `was given to ${given.uuid}, who had the name then`)];
  });

const whyLeft = ({ takenBack = 0, amount, expiresAt }: GivenLine): string =>
  `${grouped(takenBack)} taken back, ${grouped(amount - takenBack)} spent${expiresAt === undefined ? '' : ' or expired'}`;

const takeAllBack = (giving: Giving, lines: readonly GiftLine[]): Promise<LeftLine[]> =>
  withEach('Taking back', lines, async (line) => {
    const given = await takeBackLine(giving, lineOf(line));
    if (!given) return [leftLine(line, 'was never given', 0)];
    return given.takenBack === given.amount ? [] : [leftLine(line, whyLeft(given), given.takenBack ?? 0)];
  });

const confirm = async (question: string, word: string, { yes }: GiveOptions): Promise<void> => {
  if (yes) return;
  const check = (text: string) => (text === word ? undefined : `Type ${word}, or press Ctrl-C.`);
  await ask(`${question} Type ${word} to go on.`, '--yes', check);
};

/** The run of the reference, begun now unless an earlier command has. */
const openRun = async (target: Target, store: string, file: GiftFile, options: GiveOptions): Promise<GivingRun> => {
  const { reference, reason = '' } = options;
  const earlier = await findRun(store, reference);
  if (earlier) return earlier;
  const { digest, lines } = file;
  const run: GivingRun = {
    ...givingKey(store, reference),
    reason,
    digest,
    lines: lines.length,
    sums: sumsOf(lines),
    by: await target.operator(),
    at: timestamp(now()),
  };
  const log = await openLog(target);
  const noted = log('credit.given', store, { reference, reason, lines: lines.length, ...run.sums });
  if (!(await transact([beginRun(run), ...noted]))) return run;
  // Another command has begun the same reference at this moment.
  const other = (await findRun(store, reference)) as GivingRun;
  demandSame(other, file, options);
  return other;
};

const undo = async (target: Target, giving: Giving, file: GiftFile, run: GivingRun): Promise<LeftLine[]> => {
  const log = await openLog(target);
  const left = await takeAllBack(giving, file.lines);
  const taken = file.lines.reduce((sum, { amount }) => sum + amount, 0);
  const kept = left.reduce((sum, { amount, takenBack = 0 }) => sum + amount - takenBack, 0);
  const { reference } = giving;
  if (!run.undoneAt)
    await transact([
      endRun(run, 'undoneAt'),
      ...log('credit.taken_back', giving.store, { reference, amount: taken - kept }),
    ]);
  note(`Taken back: L$ ${grouped(taken - kept)} of ${grouped(taken)}.`);
  return left;
};

const give = async (options: GiveOptions, path: string): Promise<void> => {
  const { reference, reason } = options;
  if (reference.trim() === '') throw new UsageError('--reference must not be empty: it is what a repeat is known by.');
  const { target, store } = await openStore(options);
  const file = await readGiftFile(store.id, path, options.format);
  refuseFaults(file.faults, path);
  const earlier = await findRun(store.id, reference);
  if (earlier) demandSame(earlier, file, options);
  else if (options.undo) throw new Failure(`Nothing was given under the reference ${reference}.`);
  const { sums, faults } = foresee(file.lines, await readHolders(store.id, file.lines));
  if (!earlier) {
    refuseFaults(faults, path);
    if (reason === undefined || reason === '')
      throw new UsageError('--reason is missing: customers read it in their history.');
    print(sums, sumColumns, 'The file has no lines.');
  } else if (!options.undo)
    note(`The run ${reference} began at ${earlier.at}: what is given already is not given again.`);
  if (options.dryRun) return note('Nothing was given: this was a dry run.');
  const lines = counted(file.lines.length, 'line');
  const verb = options.undo ? 'take back' : 'give';
  await confirm(
    `${verb === 'give' ? 'Give' : 'Take back'} ${lines} in ${store.name} on ${target.name}?`,
    verb,
    options,
  );
  const run = await openRun(target, store.id, file, options);
  const giving: Giving = { store: store.id, reference, reason: run.reason };
  const left = options.undo ? await undo(target, giving, file, run) : await giveAll(giving, file.lines);
  if (!options.undo && left.length === 0 && !run.endedAt) await transact([endRun(run, 'endedAt')]);
  if (!options.undo) note(`Given: ${grouped(file.lines.length - left.length)} of ${lines}.`);
  if (left.length === 0) return;
  print(left, leftColumns);
  throw new UnsuccessfulError();
};

/** Adds `store credit give <file>`. */
export const addCreditGive = (credit: StoreCommand): void => {
  credit
    .command('give')
    .description(
      'Gives credit by a file, a row each. The same command again goes on where it was, however late, and gives nothing twice.',
    )
    .argument('<file>', 'a CSV or NDJSON file with resident and amount, and type and expiresAt if need be')
    .requiredOption('--reference <text>', 'the name of this run, which no other file may have', parseReference)
    .option('--reason <text>', 'why, as customers read it; at most 200 characters', parseReason)
    .option('--dry-run', 'check the file, show the sums, and give nothing')
    .option('--undo', 'take back what is left of what the run has given, and list the rest')
    .option('--yes', 'give without asking')
    .addOption(new Option('--format <format>', 'the format, whatever the name of the file ends with').choices(formats))
    .examples(
      'store credit give summer.csv --reason "Summer bonus" --reference SUMMER-26 --dry-run',
      'store credit give summer.csv --reason "Summer bonus" --reference SUMMER-26 --yes',
      'store credit give summer.csv --reference SUMMER-26 --undo',
    )
    .runs(give);
};
