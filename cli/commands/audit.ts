import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { auditChecks } from '../kinds/kinds.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { type Column, counted, isJson, jsonLine, plain, print } from '../terminal/output.ts';
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

export const addAudit = (program: StoreCommand): void => {
  program
    .command('audit')
    .description('Checks all records of a store and changes nothing. Prints a line for each fault, with exit code 1.')
    .examples('store audit', 'store audit --store "My Store" --json')
    .runs(audit);
};
