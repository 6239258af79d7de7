import { InvalidArgumentError, Option } from 'commander';
import { type ConversionReport, type ConvertOptions, convertFile } from '../data/convert.ts';
import { wordsOfTimes } from '../data/times.ts';
import { type ColumnName, type FieldName, fields, vendors } from '../data/vendors.ts';
import type { GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UnsuccessfulError } from '../terminal/errors.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { type Column, counted, note, print } from '../terminal/output.ts';

type Options = GlobalOptions & ConvertOptions & { to: string };

/** Reads a column's name, or its number with `#`, such as #2. */
export const parseColumn = (text: string): ColumnName => (/^#[1-9]\d?$/.test(text) ? Number(text.slice(1)) : text);

export const halves = (text: string): [before: string, behind: string] => {
  const at = text.lastIndexOf('=');
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw new InvalidArgumentError('It must have an equals sign between the column and the other part.');
};

const parseMap = (text: string, before: ConvertOptions['map'] = {}): ConvertOptions['map'] => {
  const [column, field] = halves(text);
  if (field in fields) return { ...before, [field as FieldName]: parseColumn(column) };
  throw new InvalidArgumentError(`There is no field ${field}. There are: ${Object.keys(fields).join(', ')}.`);
};

const parseOnly = (text: string): ConvertOptions['only'] => {
  const [column, value] = halves(text);
  return { column: parseColumn(column), value };
};

export const parseZone = (text: string): string => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new InvalidArgumentError(
      'It must be a time zone, such as America/Los_Angeles (the time of Second Life) or UTC.',
    );
  }
};

const columns: Column<ConversionReport['files'][number]>[] = [
  { heading: 'kind', cell: ({ kind }) => kind },
  { heading: 'rows', cell: ({ rows }) => rows },
  { heading: 'file', cell: ({ path }) => path, wraps: true },
];

const shownFaults = 20;

const convert = async ({ to, ...options }: Options, file: string): Promise<void> => {
  const { signal, release } = untilInterrupted();
  const { files, leftOut, faults, usedZone, beside } = await convertFile(file, to, { ...options, signal }).finally(
    release,
  );
  for (const { line, reason } of faults.slice(0, shownFaults)) note(`line ${line}: ${reason}`);
  if (faults.length > shownFaults) note(`... and ${faults.length - shownFaults} more.`);
  for (const [why, count] of leftOut) note(`Left out: ${counted(count, 'row')} with ${why}.`);
  if (files.length === 0 && faults.length > 0)
    throw new Failure(
      `${counted(faults.length, 'row')} cannot be converted, so nothing was written. Correct the lines above, or leave them out with --skip-rejects.`,
    );
  print(files, columns, 'No row was converted.');
  const earlier = 'nothing tells which, so they were taken as the earlier ones. Correct them where an hour matters.';
  for (const words of wordsOfTimes(beside, options.zone ?? 'UTC', earlier)) note(words);
  if (usedZone && options.zone === undefined)
    note('The times have no zone and were taken as UTC. If they are those of Second Life: --zone America/Los_Angeles');
  if (files.some(({ kind }) => kind === 'products'))
    note(
      'Products are inactive, at the price of their last sale. Correct the file, or leave it out if they are there.',
    );
  if (files.length > 0) note('Import them in this order, each with --dry-run first:');
  for (const { kind, path } of files) note(`  store import ${kind} ${path}`);
  if (faults.length > 0) throw new UnsuccessfulError();
};

const lines = (items: readonly [string, string][]): string => {
  const width = Math.max(...items.map(([name]) => name.length));
  return items.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
};

const help = `
Systems whose files are recognised:
${lines(vendors.map(({ name, summary }) => [name, summary]))}

Fields for --map:
${lines(Object.entries(fields))}`;

export const addConvert = (program: StoreCommand): void => {
  program
    .command('convert')
    .description(
      'Turns a CSV file that another vendor system exported into files for store import: residents, products and sales, or credit and settings of customers. Needs no deployment, and changes none.',
    )
    .argument('<file>', 'the file, as the other system wrote it')
    .requiredOption('--to <directory>', 'a new directory for the files')
    .addOption(
      new Option('--from <system>', 'the system, where it is not recognised').choices(vendors.map(({ name }) => name)),
    )
    .addOption(
      new Option('--map <column=field>', 'the meaning of a column, by its name or as #2 by its number; may be repeated')
        .conflicts('from')
        .argParser(parseMap),
    )
    .option('--only <column=value>', 'only rows that have this value in this column', parseOnly)
    .option('--zone <zone>', 'of times without one, such as America/Los_Angeles (default: UTC)', parseZone)
    .option('--skip-rejects', 'leave out rows that cannot be converted')
    .addHelpText('after', help)
    .examples(
      'store convert sales.csv --to moved',
      'store convert other.csv --map Key=buyerUuid --map Item=product --map "L$=price" --map Date=at --to moved',
    )
    .runs(convert);
};
