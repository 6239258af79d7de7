import { statSync } from 'node:fs';
import { Option } from 'commander';
import { type Separator, separatorNames } from '../../shared/csv.ts';
import { type ExportedFile, exportAll, exportKind } from '../data/export.ts';
import { type ExportFormat, exportFormats, formatOf } from '../data/format.ts';
import { lineWriter } from '../data/write.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { Column as FileColumn, Values } from '../kinds/columns.ts';
import { exportFiles } from '../kinds/kinds.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { type Column, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface ExportOptions extends GlobalOptions {
  all?: string;
  format?: ExportFormat;
  force?: boolean;
  separator?: Separator;
}

const columns: Column<ExportedFile>[] = [
  { heading: 'kind', cell: ({ kind }) => kind },
  { heading: 'rows', cell: ({ rows }) => rows },
  { heading: 'file', cell: ({ path }) => path, wraps: true },
];

const names = exportFiles.map(({ name }) => name).join(', ');

const exportOne = async (options: ExportOptions, name: string, path: string): Promise<ExportedFile> => {
  const kind = exportFiles.find((one) => one.name === name);
  if (!kind) throw new UsageError(`There is no kind ${name}. There are ${names}.`);
  const format = formatOf(path, options.format, exportFormats);
  const there = statSync(path, { throwIfNoEntry: false });
  // A directory goes on to `exportKind`, which refuses it even with --force.
  if (there && !there.isDirectory() && !options.force)
    throw new Failure(`${path} is there already. Name another file, or write over it with --force.`);
  const { id } = (await openStore(options)).store;
  const progress = startProgress(`Exporting ${name}`);
  const { signal, release } = untilInterrupted();
  const { separator } = options;
  const rows = await exportKind(kind, id, path, format, { separator, signal, onProgress: progress.update }).finally(
    () => {
      progress.end();
      release();
    },
  );
  return { kind: name, path, rows };
};

const exportEvery = async (options: ExportOptions, dir: string): Promise<ExportedFile[]> => {
  if (options.format === 'journal')
    throw new UsageError('Only history is a journal: store export history books.journal');
  const { id } = (await openStore(options)).store;
  const progress = startProgress(`Exporting to ${dir}`);
  const { signal, release } = untilInterrupted();
  const { separator, format } = options;
  return exportAll(id, dir, format, { separator, signal, onProgress: progress.update }).finally(() => {
    progress.end();
    release();
  });
};

const runExport = async (options: ExportOptions, kind?: string, file?: string): Promise<void> => {
  if (options.all !== undefined) {
    if (kind !== undefined) throw new UsageError('Give either --all with a directory, or a kind and a file.');
    return print(await exportEvery(options, options.all), columns);
  }
  if (kind === undefined || file === undefined)
    throw new UsageError(`Give a kind (${names}) and a file, or --all with a directory.`);
  print(await exportOne(options, kind, file), columns);
};

/** `--separator`, for the commands that write CSV. */
export const separatorOption = (): Option =>
  new Option('--separator <sign>', 'the sign between the cells of CSV; comma unless given').choices(separatorNames);

/** Prints rows as CSV, for the commands with `--csv`. */
export const printCsv = (columns: FileColumn[], rows: readonly object[], separator?: Separator): void => {
  const { header, row } = lineWriter({ columns }, 'csv', separator);
  process.stdout.write(header + rows.map((one) => row(one as Values)).join(''));
};

export const addExport = (program: StoreCommand): void => {
  program
    .command('export')
    .description(
      'Writes the data of a store to files that store import reads again, and the history of credit, also as a journal.',
    )
    .argument('[kind]', `one of ${names}`)
    .argument('[file]', 'a file that ends with .csv or .ndjson; history: also .journal')
    .option('--all <directory>', 'export every kind into a new directory')
    .option('--force', 'write over an existing file')
    .addOption(
      new Option('--format <format>', 'the format, whatever the name of the file ends with').choices(exportFormats),
    )
    .addOption(separatorOption())
    .examples(
      'store export customers customers.csv',
      'store export history books.journal',
      'store export --all backup',
      'store export --all backup --separator semicolon',
      'store export --all backup --format ndjson',
    )
    .runs(runExport);
};
