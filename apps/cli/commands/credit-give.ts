import { Option } from 'commander';
import { type CreditType, creditTypes } from '../../../lib/credit/rules.ts';
import { type CreditItem, creditLimit, holdingOf } from '../../../lib/credit/state.ts';
import { customerKey } from '../../../lib/store/customers.ts';
import { getMany } from '../../../lib/table/table.ts';
import { type Giving, giveLine, takeBackLine } from '../books/give-credit.ts';
import { type LineRuns, partOf, type RunOptions, referenceOption, refuseFaults, runLines } from '../books/run-lines.ts';
import { type Format, formats } from '../data/format.ts';
import { type GiftFile, type GiftLine, readGiftFile } from '../data/gift-file.ts';
import { openStore } from '../deployment/target.ts';
import { type GivenLine, type GivingRun, givingKey } from '../kinds/giving.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { parseReason, reasonOption } from '../terminal/input.ts';
import { type Column, grouped, print } from '../terminal/output.ts';

interface GiveOptions extends RunOptions {
  reason?: string;
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

const refuseValues = (faults: readonly string[], path: string): void =>
  refuseFaults(faults, 'value', `of ${path} cannot be given`);

const leftLine = ({ number, resident, type, amount }: GiftLine, why: string, takenBack?: number): LeftLine => ({
  line: number,
  ...resident,
  type,
  amount,
  ...(takenBack !== undefined && { takenBack }),
  why,
});

const lineOf = ({ resident, ...line }: GiftLine) => ({ ...line, uuid: resident.uuid });

const whyLeft = ({ takenBack = 0, amount, expiresAt }: GivenLine): string =>
  `${grouped(takenBack)} taken back, ${grouped(amount - takenBack)} spent${expiresAt === undefined ? '' : ' or expired'}`;

/** The L$ that an undo has taken, of those that its run gave. */
const takenOf = (lines: readonly GiftLine[], left: readonly LeftLine[]) => {
  const given = lines.reduce((sum, { amount }) => sum + amount, 0);
  const kept = left.reduce((sum, { amount, takenBack = 0 }) => sum + amount - takenBack, 0);
  return { given, taken: given - kept };
};

/** Shows the sums of a file that is given for the first time. Throws where it cannot be given. */
const preview = async (store: string, file: GiftFile, path: string, reason: string | undefined): Promise<void> => {
  const { sums, faults } = foresee(file.lines, await readHolders(store, file.lines));
  refuseValues(faults, path);
  if (reason === undefined || reason === '')
    throw new UsageError('--reason is missing: customers read it in their history.');
  print(sums, sumColumns, 'The file has no lines.');
};

type Gifts = LineRuns<GivingRun, GiftLine, LeftLine>;

const words: Gifts['words'] = {
  about: 'file',
  line: 'line',
  do: ['give', 'given', 'Giving'],
  undo: ['take back', 'taken back', 'Taking back'],
};

/** The credit of a line. A name that leads to another avatar since gives nothing to that one. */
const doLine = async (giving: Giving, line: GiftLine): Promise<LeftLine[]> => {
  const given = await giveLine(giving, lineOf(line));
  return given.uuid === line.resident.uuid ? [] : [leftLine(line, `was given to ${given.uuid}, who had the name then`)];
};

const undoLine = async (giving: Giving, line: GiftLine): Promise<LeftLine[]> => {
  const given = await takeBackLine(giving, lineOf(line));
  if (!given) return [leftLine(line, 'was never given', 0)];
  return given.takenBack === given.amount ? [] : [leftLine(line, whyLeft(given), given.takenBack ?? 0)];
};

const giftsOf = (store: string, file: GiftFile, path: string, { reference, reason }: GiveOptions): Gifts => {
  const giving = (run: GivingRun): Giving => ({ store, reference, reason: run.reason });
  return {
    words,
    key: givingKey(store, reference),
    digest: file.digest,
    demandSame: (run) => {
      if (reason !== undefined && reason !== run.reason)
        throw new Failure(`The run ${reference} has the reason ${JSON.stringify(run.reason)}: give the same one.`);
    },
    preview: async (earlier) => {
      if (!earlier) await preview(store, file, path, reason);
      return file.lines.length;
    },
    begin: async (facts) => ({
      ...facts,
      reason: reason ?? '',
      digest: file.digest,
      lines: file.lines.length,
      sums: sumsOf(file.lines),
    }),
    lines: async () => file.lines,
    doLine: (line, run) => doLine(giving(run), line),
    undoLine: (line, run) => undoLine(giving(run), line),
    leftLine,
    columns: leftColumns,
    logged: { do: 'credit.given', undo: 'credit.taken_back' },
    facts: (run) => ({ reason: run.reason, ...run.sums }),
    undone: (lines, left) => ({ amount: takenOf(lines, left).taken }),
    sentence: (lines, left, isUndo) => {
      const { given, taken } = takenOf(lines, left);
      return isUndo
        ? `Taken back: L$ ${grouped(taken)} of ${grouped(given)}.`
        : `Given: ${partOf(lines.length - left.length, lines.length, 'line')}.`;
    },
  };
};

const give = async (options: GiveOptions, path: string): Promise<void> => {
  const place = await openStore(options);
  const file = await readGiftFile(place.store.id, path, options.format);
  refuseValues(file.faults, path);
  await runLines(giftsOf(place.store.id, file, path, options), place, options);
};

/** Adds `store credit give <file>`. */
export const addCreditGive = (credit: StoreCommand): void => {
  credit
    .command('give')
    .description(
      'Gives credit by a file, a row each. The same command again goes on where it was, however late, and gives nothing twice.',
    )
    .argument('<file>', 'a CSV or NDJSON file with resident and amount, and type and expiresAt if need be')
    .requiredOption(...referenceOption)
    .option('--reason <text>', `${reasonOption[1]}; customers read it`, parseReason)
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
