import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import type { Undoing } from '../../../lib/operator/imports/rows.ts';
import { words } from '../../../lib/operator/imports/words.ts';
import { formats } from '../data/format.ts';
import { type ImportOptions, type ImportReport, importFile } from '../data/import.ts';
import { readKeyFile } from '../data/key-file.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { isRequired } from '../kinds/columns.ts';
import type { ImportFile } from '../kinds/kind.ts';
import { importFiles } from '../kinds/kinds.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UnsuccessfulError } from '../terminal/errors.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { type Column, counted, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

/** The command shows at most this many faults. The file of rejected rows, or the output of --json, has all of them. */
const shownFaults = 20;

/** In a dry run, the counts tell what an import would do. */
const importColumns = (imported: boolean): Column<ImportReport>[] => [
  { heading: 'kind', cell: ({ kind }) => kind },
  { heading: 'rows', cell: ({ rows }) => rows },
  { heading: imported ? 'created' : 'to create', cell: ({ created }) => created },
  { heading: imported ? 'changed' : 'to change', cell: ({ changed }) => changed },
  { heading: 'unchanged', cell: ({ unchanged }) => unchanged },
  {
    heading: 'rejected',
    cell: ({ rejected }) => rejected,
    style: ({ rejected }) => (rejected > 0 ? 'red' : undefined),
  },
];

const noteFaults = ({ faults }: ImportReport): void => {
  for (const { line, reason } of faults.slice(0, shownFaults)) note(`line ${line}: ${reason}`);
  const more = faults.length - shownFaults;
  if (more > 0) note(`... and ${more} more.`);
};

/** Says which of this store's own changes a file undoes. */
const undoWords: Record<Undoing, (count: number) => string> = {
  ban: (count) => `lifts ${counted(count, 'ban')}`,
  'coupon on': (count) => `switches ${counted(count, 'coupon')} on that ${are(count)} off here`,
  'limit of uses': (count) => `allows more uses of ${counted(count, 'coupon')} than this store does`,
  'end of a coupon': (count) => `prolongs ${counted(count, 'coupon')}`,
  'product on': (count) => `sells ${counted(count, 'product')} again that ${are(count)} inactive here`,
  price: (count) => `changes ${counted(count, 'price')}`,
};

const are = (count: number): string => (count === 1 ? 'is' : 'are');

/** Notes which of this store's own changes a file undoes, and which of its values were not taken. */
const noteWords = ({ undone, kept }: ImportReport, file: string): void => {
  const does = Object.entries(undone).map(([what, count]) => undoWords[what as Undoing](count));
  if (does.length > 0) note(`${file} ${does.join(', ')}.`);
  for (const { line, reason } of kept.slice(0, shownFaults)) note(`line ${line}: ${reason}`);
  const more = kept.length - shownFaults;
  if (more > 0) note(`... and ${more} more.`);
};

/** The message if an import did not begin because of rejected rows or a dry run. */
const whyNothing = ({ rejected, rows }: ImportReport, { dryRun, skipRejects }: ImportOptions): string => {
  const bad = `${rejected} of ${counted(rows, 'row')} cannot be imported`;
  if (!dryRun)
    return `${bad}, so nothing was written. Correct the lines above, or import the others with --skip-rejects.`;
  const rest = skipRejects ? 'Without --dry-run the others are imported' : 'Correct the lines above';
  return `${bad}. Nothing was written: this was a dry run. ${rest}.`;
};

/** The report with the numbers of written rows, which are 0 if the import did not begin. */
const writtenOf = (report: ImportReport): ImportReport =>
  report.imported ? report : { ...report, created: 0, changed: 0 };

/** A sum over the whole store, before and after an import. */
interface TotalRow {
  total: string;
  before: number;
  after: number;
}

const totalColumns: Column<TotalRow>[] = [
  { heading: 'L$ in all', cell: ({ total }) => total },
  { heading: 'before', cell: ({ before }) => before },
  { heading: 'after', cell: ({ after }) => after },
  { heading: 'change', cell: ({ before, after }) => after - before, signed: true },
];

const totalsRows = (before: Record<string, number>, after: Record<string, number>): TotalRow[] =>
  Object.entries(before).map(([total, sum]) => ({ total, before: sum, after: after[total] ?? 0 }));

const runImport = async (kind: ImportFile, options: GlobalOptions & ImportOptions, file: string): Promise<void> =>
  importOne(await openStore(options), kind, options, file);

interface ImportAllOptions extends GlobalOptions {
  all?: string;
}

/** The path of a kind's file in the directory of an export; undefined if there is none, or only empty NDJSON. */
const fileIn = (directory: string, { name }: Pick<ImportFile, 'name'>): string | undefined =>
  formats
    .map((format) => join(directory, `${name}.${format}`))
    .find((path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);

/** Tells how to issue the exported store's keys again. No import can, since nobody has their text. */
const noteKeys = async (store: string, directory: string): Promise<void> => {
  const path = fileIn(directory, { name: 'keys' });
  const keys = path === undefined ? [] : await readKeyFile(store, path);
  if (keys.length === 0) return;
  note('An import makes no keys. Issue these again, and give each to the program that had it:');
  for (const { name, scopes } of keys) note(`  store key issue ${JSON.stringify(name)} --scopes ${scopes.join(',')}`);
};

/** Imports the files of a whole export. Their order lets each file find the rows that it refers to. */
const importAll = async (group: StoreCommand, options: ImportAllOptions): Promise<void> => {
  if (options.all === undefined) group.help();
  const directory = options.all ?? '';
  const files = importFiles.flatMap((kind) => {
    const path = fileIn(directory, kind);
    return path === undefined ? [] : [{ kind, path }];
  });
  if (files.length === 0) throw new Failure(`${directory} has no file of an export, such as residents.csv.`);
  const place = await openStore(options);
  for (const { kind, path } of files) await importOne(place, kind, options, path);
  await noteKeys(place.store.id, directory);
};

const importOne = async (
  { target, store }: Awaited<ReturnType<typeof openStore>>,
  kind: ImportFile,
  options: GlobalOptions & ImportOptions,
  file: string,
): Promise<void> => {
  const before = options.dryRun ? undefined : await kind.totals?.(store.id);
  let progress = startProgress(`Checking ${file}`);
  let isWriting = false;
  const onProgress = (done: number, all: number | undefined): void => {
    // The rate of writes starts at the first write.
    if (all !== undefined && !isWriting) {
      isWriting = true;
      progress.end();
      progress = startProgress(`Importing ${file}`);
    }
    progress.update(done, all);
  };
  const log = options.dryRun ? undefined : await openLog(target);
  const { signal, release } = untilInterrupted();
  const report = await importFile(kind, store.id, file, { ...options, onProgress, log, signal }).finally(() => {
    progress.end();
    release();
  });
  noteFaults(report);
  noteWords(report, file);
  print(options.dryRun ? report : writtenOf(report), importColumns(!options.dryRun));
  if (before) print(totalsRows(before, (await kind.totals?.(store.id)) ?? before), totalColumns);
  if (!report.imported && report.rejected > 0) throw new Failure(whyNothing(report, options));
  if (options.dryRun) note('Nothing was written: this was a dry run.');
  if (report.rejects) note(`The rejected rows are in ${report.rejects}, with the reasons.`);
  if (kind.name === 'residents' && report.changed > 0 && report.imported)
    note(`New names are in force. For up to 5 minutes ${target.name} may still use the old ones.`);
  if (kind.name === 'webhooks' && report.created + report.changed > 0 && report.imported)
    note(
      'These webhooks are switched off: see each secret with store webhooks rotate-secret, then update --state active.',
    );
  if (report.rejected + report.kept.length > 0) throw new UnsuccessfulError();
};

/** Says, for the help, what an import does with values that the store has changed itself. */
const wordsHelp = (file: string): string => {
  const lines = words
    .filter((word) => word.file === file)
    .map(({ values, after }) => `  ${values}: ${after.replaceAll(/[`[\]]|\(\.\.[^)]*\)/g, '')}`);
  return lines.length > 0 ? `\n\nOnce the store has changed them itself:\n${lines.join('\n')}` : '';
};

const columnsHelp = ({ name: file, columns: all }: ImportFile): string => {
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(
    (column) => `  ${column.name.padEnd(width)}  ${column.help}${isRequired(column) ? ' (required)' : ''}`,
  );
  return `\nColumns, in any order:\n${lines.join('\n')}${wordsHelp(file)}`;
};

/**
 * Without this option, limited products keep their numbers of copies, since some may have been sold since the file was
 * written.
 */
const setStock = ['--set-stock', 'set the copies of limited products that are there to those of the file'] as const;

/** Makes a command import files of one kind. */
const importing = (command: StoreCommand, kind: ImportFile, example: string): StoreCommand => {
  if (kind.name === 'products') command.option(...setStock);
  return command
    .description(`Imports ${kind.summary}.`)
    .argument('<file>', 'a file that ends with .csv or .ndjson')
    .option('--dry-run', 'check every row, report the result, and write nothing')
    .option('--skip-rejects', 'import the good rows; the others go to a file')
    .option('--rejects <file>', 'where the rejected rows go (default: beside the file, with .rejects in its name)')
    .option('--force', 'write over an existing file of rejected rows')
    .addOption(new Option('--format <format>', 'the format, whatever the name of the file ends with').choices(formats))
    .addHelpText('after', columnsHelp(kind))
    .examples(`${example} ${kind.name}.csv`)
    .runs((options: GlobalOptions & ImportOptions, file: string) => runImport(kind, options, file));
};

/** Adds `store resident import <file>`, which is `store import residents <file>`. */
export const addResidentImport = (group: StoreCommand): void => {
  for (const kind of importFiles)
    if (kind.name === 'residents') importing(group.command('import'), kind, 'store resident import');
};

export const addImport = (program: StoreCommand): void => {
  const group = program
    .command('import')
    .description('Imports CSV or NDJSON files into a store. Checks every row before it writes the first.')
    .examples(
      'store import residents residents.csv --dry-run',
      'store import purchases sales.ndjson',
      'store import products products.csv --skip-rejects --rejects to-fix.csv',
      'store import --all backup --store "My Store"',
    );
  group
    .option('--all <directory>', 'import the files of a whole export, in their order')
    .option(...setStock)
    .runs((options: ImportAllOptions) => importAll(group, options));
  for (const kind of importFiles) importing(group.command(kind.name), kind, `store import ${kind.name}`);
};
