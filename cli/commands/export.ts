import { statSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { exportKind } from '../data/export.ts';
import { type ExportedFile, exportAll } from '../data/export-all.ts';
import { type Format, formatOf, formats } from '../data/format.ts';
import { kinds } from '../data/kinds.ts';
import { type Column, examples, Failure, print, UsageError } from '../output.ts';
import { startProgress } from '../progress.ts';
import { chooseStore, connect, type GlobalOptions } from '../target.ts';

interface ExportOptions extends GlobalOptions {
  all?: string;
  format?: Format;
  force?: boolean;
}

const columns: Column<ExportedFile>[] = [
  { heading: 'kind', cell: ({ kind }) => kind },
  { heading: 'rows', cell: ({ rows }) => rows },
  { heading: 'file', cell: ({ path }) => path, wraps: true },
];

const names = kinds.map(({ name }) => name).join(', ');

const exportOne = async (name: string, path: string, options: ExportOptions): Promise<ExportedFile> => {
  const kind = kinds.find((one) => one.name === name);
  if (!kind) throw new UsageError(`There is no kind ${name}. There are ${names}.`);
  const format = formatOf(path, options.format);
  const there = statSync(path, { throwIfNoEntry: false });
  // Over a directory nothing is ever written.
  if (there && !there.isDirectory() && !options.force)
    throw new Failure(`${path} is there already. Name another file, or write over it with --force.`);
  await connect(options);
  const { id } = await chooseStore(options.store);
  const progress = startProgress(`Exporting ${name}`);
  const rows = await exportKind(kind, id, path, format, progress.update).finally(progress.end);
  return { kind: name, path, rows };
};

const exportEvery = async (dir: string, options: ExportOptions): Promise<ExportedFile[]> => {
  await connect(options);
  const { id } = await chooseStore(options.store);
  const progress = startProgress(`Exporting to ${dir}`);
  return exportAll(id, dir, options.format, (_, rows) => progress.update(rows)).finally(progress.end);
};

/** Adds `store export <kind> <file>` and `store export --all <dir>`. */
export const addExport = (program: Command): void => {
  program
    .command('export')
    .description('Writes what a store holds into files that store import reads again.')
    .argument('[kind]', `one of ${names}`)
    .argument('[file]', 'a file that ends with .csv or .ndjson')
    .option('--all <directory>', 'export every kind into a new directory')
    .option('--force', 'write over a file that is there')
    .addOption(new Option('--format <format>', 'the format; without it the name of the file says it').choices(formats))
    .addHelpText(
      'after',
      examples(
        'store export customers customers.csv',
        'store export --all backup',
        'store export --all backup --format ndjson',
      ),
    )
    .action(async (kind: string | undefined, file: string | undefined, _, command: Command) => {
      const options: ExportOptions = command.optsWithGlobals();
      if (options.all !== undefined) {
        if (kind !== undefined) throw new UsageError('Give either --all with a directory, or a kind and a file.');
        return print(await exportEvery(options.all, options), columns);
      }
      if (kind === undefined || file === undefined)
        throw new UsageError(`Give a kind (${names}) and a file, or --all with a directory.`);
      print(await exportOne(kind, file, options), columns);
    });
};
