import type { Command } from 'commander';
import {
  type Check,
  checkCategories,
  checkCodes,
  checkCoupons,
  checkCredit,
  checkGiftCards,
  checkStrays,
} from '../audit/checks.ts';
import { checkSpend } from '../audit/spend.ts';
import { type Column, counted, examples, Failure, isJson, jsonLine, plain, print } from '../output.ts';
import { startProgress } from '../progress.ts';
import { chooseStore, connect, type GlobalOptions } from '../target.ts';

const checks: { what: string; holds: string; check: Check }[] = [
  {
    what: 'customers',
    holds: 'balance = credit not in lots + open lots; closed lots say how they ended',
    check: checkCredit,
  },
  { what: 'buyers', holds: 'spend = sum of purchases; products owned are counted', check: checkSpend },
  { what: 'coupons', holds: 'each holds its code', check: checkCoupons },
  { what: 'codes', holds: 'each is held by a coupon that has it', check: checkCodes },
  { what: 'categories', holds: 'product count = memberships', check: checkCategories },
  { what: 'gift cards', holds: 'each owner is a resident', check: checkGiftCards },
  { what: 'items', holds: 'what belongs to a customer belongs to one who is there', check: checkStrays },
];

interface Checked {
  what: string;
  checked: number;
  faults: number;
  holds: string;
}

const columns: Column<Checked>[] = [
  { heading: 'checked', cell: ({ checked }) => checked },
  { heading: 'what', cell: ({ what }) => what },
  { heading: 'faults', cell: ({ faults }) => faults, style: ({ faults }) => (faults > 0 ? 'red' : 'green') },
  { heading: 'what must hold', cell: ({ holds }) => holds, wraps: true },
];

const audit = async (options: GlobalOptions): Promise<void> => {
  await connect(options);
  const store = await chooseStore(options.store);
  const results: Checked[] = [];
  for (const { what, holds, check } of checks) {
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

export const addAudit = (program: Command): void => {
  program
    .command('audit')
    .description(
      'Checks all books of a store, and changes nothing. Exit code 1 and a line for each fault if any is wrong.',
    )
    .addHelpText('after', examples('store audit', 'store audit --store "My Store" --json'))
    .action((_, command: Command) => audit(command.optsWithGlobals()));
};
