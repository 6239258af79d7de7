import { Option } from 'commander';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import { type CreditItem, creditLimit, holdingOf } from '../../../lib/credit/state.ts';
import {
  type GivenLine,
  type Giving,
  giveLine,
  givenLines,
  readGiven,
  takeBackLine,
} from '../../../lib/operator/give-credit.ts';
import { customerKey } from '../../../lib/table/keys.ts';
import { getMany } from '../../../lib/table/table.ts';
import { type LineRuns, partOf, type RunOptions, referenceOption, refuseFaults, runLines } from '../books/run-lines.ts';
import { type Format, formats } from '../data/format.ts';
import { type GiftFile, type NamedGift, readGiftFile } from '../data/gift-file.ts';
import { openStore } from '../deployment/target.ts';
import { type GivingRun, givingKey } from '../kinds/giving.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { parseReason, reasonOption } from '../terminal/input.ts';
import { type Column, grouped, print } from '../terminal/output.ts';

interface GiveOptions extends RunOptions {
  reason?: string;
  format?: Format;
}

/** One type of credit: the lines of the file, and the balances of its customers. */
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

/** A line to give or, if it has `given`, to take back. A line that cannot be read has only its number and faults. */
type Line = Partial<NamedGift> & Pick<NamedGift, 'number'> & { faults?: string; given?: GivenLine };

/** A line that was not given, or not taken back as a whole. */
interface LeftLine extends Partial<Pick<NamedGift, 'uuid' | 'username' | 'type' | 'amount'>> {
  line: number;
  takenBack?: number;
  why: string;
}

const leftColumns: Column<LeftLine>[] = [
  { heading: 'row', cell: ({ line }) => line },
  { heading: 'resident', cell: ({ username = '' }) => username },
  { heading: 'credit', cell: ({ type = '' }) => type },
  { heading: 'L$', cell: ({ amount = '' }) => amount },
  { heading: 'why', cell: ({ why }) => why, wraps: true },
];

const sumsOf = (lines: readonly NamedGift[]): Record<CreditType, number> => {
  const sums = { regular: 0, restricted: 0 };
  for (const { type, amount } of lines) sums[type] += amount;
  return sums;
};

/** The items of the customers in a file, by UUID. */
const readHolders = async (store: string, lines: readonly NamedGift[]): Promise<Map<string, CreditItem>> => {
  const uuids = [...new Set(lines.map(({ uuid }) => uuid))];
  const items = await getMany<CreditItem>(uuids.map((uuid) => customerKey(store, uuid)));
  return new Map(items.map((item) => [item.sk, item]));
};

/**
 * Adds the gifts to the balances of a file's customers. Returns the sums, and a fault for each line beyond the limit.
 */
const foresee = (lines: readonly NamedGift[], holders: ReadonlyMap<string, CreditItem>) => {
  const faults: string[] = [];
  const balances = new Map<string, number>();
  const sums = creditTypes.map((type): TypeSums => ({ type, lines: 0, amount: 0, before: 0, after: 0 }));
  for (const { uuid, username, type, amount, number } of lines) {
    const place = `${uuid} ${type}`;
    const row = sums.find((one) => one.type === type) as TypeSums;
    const item = holders.get(uuid);
    const before = balances.get(place);
    const balance = before ?? (item ? holdingOf(item, type).balance : 0);
    if (before === undefined) row.before += balance;
    balances.set(place, balance + amount);
    row.lines += 1;
    row.amount += amount;
    if (balance + amount > creditLimit())
      faults.push(`row ${number}: ${username} would hold ${balance + amount}, above ${creditLimit()}`);
  }
  for (const row of sums) row.after = row.before + row.amount;
  return { sums: sums.filter((row) => row.lines > 0), faults };
};

const leftLine = ({ number, uuid, username, type, amount }: Line, why: string, takenBack?: number): LeftLine => ({
  line: number,
  ...(uuid !== undefined && { uuid }),
  ...(username !== undefined && { username }),
  ...(type !== undefined && { type }),
  ...(amount !== undefined && { amount }),
  ...(takenBack !== undefined && { takenBack }),
  why,
});

/** The L$ that a run gave, and the L$ that its undo took back. */
const takenOf = (lines: readonly Line[], left: readonly LeftLine[]) => {
  const given = lines.reduce((sum, { amount = 0 }) => sum + amount, 0);
  const kept = left.reduce((sum, { amount = 0, takenBack = 0 }) => sum + amount - takenBack, 0);
  return { given, taken: given - kept };
};

/** Shows the sums of a file before its first run. Throws if it has a fault or there is no reason. */
const preview = async (store: string, file: GiftFile, path: string, reason: string | undefined): Promise<void> => {
  const refuse = (faults: readonly string[]): void => refuseFaults(faults, 'value', `of ${path} cannot be given`);
  refuse(file.faults.map(({ text }) => text));
  const { sums, faults } = foresee(file.lines, await readHolders(store, file.lines));
  refuse(faults);
  if (reason === undefined || reason === '')
    throw new UsageError('--reason is missing: customers read it in their history.');
  print(sums, sumColumns, 'The file has no lines.');
};

/** The lines of a file, including those with faults. */
const linesOf = ({ lines, faults }: GiftFile): Line[] => {
  const faulty = [...Map.groupBy(faults, ({ number }) => number)];
  return [...lines, ...faulty.map(([number, some]) => ({ number, faults: some.map(({ text }) => text).join(' ') }))];
};

type Gifts = LineRuns<GivingRun, Line, LeftLine>;

const words: Gifts['words'] = {
  about: 'file',
  line: 'line',
  do: ['give', 'given', 'Giving'],
  undo: ['take back', 'taken back', 'Taking back'],
};

/**
 * Gives the credit of a line, unless it was given before. If its name now leads to another avatar, that avatar gets
 * nothing. A line may have faults only now, since its end is past or nobody has the name any more.
 */
const doLine = async (giving: Giving, line: Line): Promise<LeftLine[]> => {
  const { faults, number } = line;
  if (faults !== undefined) return (await readGiven(giving, number)) ? [] : [leftLine(line, faults)];
  const given = await giveLine(giving, line as NamedGift);
  return given.uuid === line.uuid ? [] : [leftLine(line, `was given to ${given.uuid}, who had the name then`)];
};

const undoLine = async (giving: Giving, given: GivenLine): Promise<LeftLine[]> => {
  const { amount, left, credit } = await takeBackLine(giving, given);
  const taken = 0 - amount;
  const why = `${grouped(taken)} taken back, ${grouped(left)} spent${given.expiresAt === undefined ? '' : ' or expired'}`;
  return left === 0 ? [] : [leftLine({ ...given, username: credit.username }, why, taken)];
};

/** A run of gifts. It needs a file, except for an undo. */
const giftsOf = (
  store: string,
  { reference, reason }: GiveOptions,
  given?: { file: GiftFile; path: string },
): Gifts => {
  const giving = (run: GivingRun): Giving => ({ store, reference, reason: run.reason });
  const readLines = async (): Promise<Line[]> =>
    given ? linesOf(given.file) : (await givenLines(store, reference)).map((line) => ({ ...line, given: line }));
  return {
    words,
    key: givingKey(store, reference),
    digest: given?.file.digest,
    demandSame: (run) => {
      if (reason !== undefined && reason !== run.reason)
        throw new Failure(`The run ${reference} has the reason ${JSON.stringify(run.reason)}: give the same one.`);
    },
    preview: async (earlier) => {
      if (given && !earlier) await preview(store, given.file, given.path, reason);
      return (await readLines()).length;
    },
    begin: async (facts) => ({
      ...facts,
      reason: reason ?? '',
      digest: given?.file.digest ?? '',
      lines: given?.file.lines.length ?? 0,
      sums: sumsOf(given?.file.lines ?? []),
    }),
    lines: readLines,
    doLine: (line, run) => doLine(giving(run), line),
    undoLine: (line, run) => undoLine(giving(run), line.given as GivenLine),
    leftLine,
    columns: leftColumns,
    logged: { do: 'credit.given', undo: 'credit.taken_back' },
    facts: (run) => ({ reason: run.reason, ...run.sums }),
    undone: (lines, left) => ({ amount: takenOf(lines, left).taken }),
    sentence: (lines, left, isUndo) => {
      const { given: sum, taken } = takenOf(lines, left);
      return isUndo
        ? `Taken back: L$ ${grouped(taken)} of ${grouped(sum)}.`
        : `Given: ${partOf(lines.length - left.length, lines.length, 'line')}.`;
    },
  };
};

const give = async (options: GiveOptions, path: string | undefined): Promise<void> => {
  if (options.undo && path !== undefined)
    throw new UsageError('--undo takes no file: the reference says what was given.');
  if (!options.undo && path === undefined) throw new UsageError('Name the file of the gifts, or give --undo.');
  const place = await openStore(options);
  const store = place.store.id;
  const given = path === undefined ? undefined : { file: await readGiftFile(store, path, options.format), path };
  await runLines(giftsOf(store, options, given), place, options);
};

export const addCreditGive = (credit: StoreCommand): void => {
  credit
    .command('give')
    .description(
      'Gives credit by a file, a row each. The same command again goes on where it was, however late, and gives nothing twice.',
    )
    .argument(
      '[file]',
      'a CSV or NDJSON file with resident and amount, and type and expiresAt if need be; none with --undo',
    )
    .requiredOption(...referenceOption)
    .option('--reason <text>', `${reasonOption[1]}; customers read it`, parseReason)
    .option('--dry-run', 'check the file, show the sums, and give nothing')
    .option('--undo', 'take back what is left of what the run has given, and list the rest')
    .option('--yes', 'give without asking')
    .addOption(new Option('--format <format>', 'the format, whatever the name of the file ends with').choices(formats))
    .examples(
      'store credit give summer.csv --reason "Summer bonus" --reference SUMMER-26 --dry-run',
      'store credit give summer.csv --reason "Summer bonus" --reference SUMMER-26 --yes',
      'store credit give --reference SUMMER-26 --undo',
    )
    .runs(give);
};
