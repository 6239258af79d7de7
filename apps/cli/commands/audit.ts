import { compareAgainst, type SumFault, type SumsCompared } from '../data/compare-file.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { auditChecks } from '../kinds/kinds.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { type Column, counted, grouped, isJson, jsonLine, note, plain, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface CheckReport {
  what: string;
  checked: number;
  faults: number;
  holds: string;
}

const columns: Column<CheckReport>[] = [
  { heading: 'checked', cell: ({ checked }) => checked },
  { heading: 'what', cell: ({ what }) => what },
  { heading: 'faults', cell: ({ faults }) => faults, style: ({ faults }) => (faults > 0 ? 'red' : 'green') },
  { heading: 'what must hold', cell: ({ holds }) => holds, wraps: true },
];

const audit = async (options: GlobalOptions): Promise<void> => {
  const { store } = await openStore(options);
  const results: CheckReport[] = [];
  for (const { what, check, holds } of auditChecks) {
    let faults = 0;
    const progress = startProgress(`Checking ${what}`);
    const onFault = (fault: string): void => {
      faults += 1;
      progress.end();
      process.stdout.write(`${isJson() ? jsonLine({ fault }) : plain(fault)}\n`);
    };
    const checked = await check(store.id, { onFault, onChecked: (count) => progress.update(count) });
    progress.end();
    results.push({ what, checked, faults, holds });
  }
  print(results, columns);
  const faults = results.reduce((sum, result) => sum + result.faults, 0);
  if (faults > 0) throw new Failure(`${store.name} has ${counted(faults, 'fault')}. Nothing was changed.`);
};

interface AuditOptions extends GlobalOptions {
  against?: string;
}

const sumColumns: Column<SumsCompared>[] = [
  { heading: 'sum', cell: ({ sum }) => sum },
  { heading: 'rows', cell: ({ rows }) => rows },
  { heading: 'in the file', cell: ({ file }) => file },
  { heading: 'here', cell: ({ here }) => here },
  {
    heading: 'difference',
    cell: ({ file, here }) => here - file,
    signed: true,
    style: ({ file, here }) => (file === here ? undefined : 'red'),
  },
];

const faultText = ({ line, username, sum, file, here }: SumFault): string =>
  `line ${line}: ${username}: ${sum} is ${grouped(file)} in the file, ${grouped(here)} here.`;

/** Compares the books with a file of sums: each customer of the file, and the sums of all. */
const compare = async (options: GlobalOptions, path: string): Promise<void> => {
  const { store } = await openStore(options);
  let differences = 0;
  const { sums, faults } = await compareAgainst(store.id, path, (fault) => {
    differences += 1;
    process.stdout.write(`${isJson() ? jsonLine(fault) : plain(faultText(fault))}\n`);
  });
  print(sums, sumColumns, 'The file has no sums: give it a column credit, restrictedCredit, spent or owned.');
  for (const fault of faults) note(fault);
  if (differences + faults.length > 0 || sums.length === 0)
    throw new Failure(
      `${counted(differences, 'difference')} from ${path}, ${counted(faults.length, 'row')} not compared. Nothing was changed.`,
    );
};

const run = (options: AuditOptions): Promise<void> =>
  options.against === undefined ? audit(options) : compare(options, options.against);

export const addAudit = (program: StoreCommand): void => {
  program
    .command('audit')
    .description('Checks all records of a store and changes nothing. Prints a line for each fault, with exit code 1.')
    .option(
      '--against <file>',
      'compare with a CSV of another system: resident, and credit, restrictedCredit, spent or owned',
    )
    .examples('store audit', 'store audit --store "My Store" --json', 'store audit --against old.csv')
    .runs(run);
};
