import {
  type Check,
  checkCategories,
  checkCodes,
  checkCoupons,
  checkCredit,
  checkGiftCards,
  checkNames,
  checkStrays,
} from '../books/checks.ts';
import { checkDays } from '../books/days.ts';
import { checkHistory } from '../books/history.ts';
import { checkMemberships } from '../books/memberships.ts';
import { checkSales, checkStock, checkUses } from '../books/sales.ts';
import { checkSpend } from '../books/spend.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { type Column, counted, isJson, jsonLine, plain, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

/** All checks of a store, in the order in which they run. */
export const checks: [what: string, check: Check, holds: string][] = [
  ['customers', checkCredit, 'balance = credit not in lots + open lots; closed lots say how they ended'],
  ['histories', checkHistory, 'every change of credit has its row; the rows end with the balances'],
  [
    'days',
    checkDays,
    'sums = history of credit, gift cards and deliveries; a day that changes meanwhile is passed over',
  ],
  ['buyers', checkSpend, 'spend = purchases + sales that were not refunded; products owned are counted'],
  ['sales', checkSales, 'price = credit + what was paid; shares are those of what was kept; each is in its lists'],
  ['uses of coupons', checkUses, 'uses = sales with the coupon that were not refunded'],
  ['products', checkStock, 'no stock is below 0'],
  ['coupons', checkCoupons, 'each holds its code'],
  ['codes', checkCodes, 'each is held by a coupon that has it'],
  ['categories', checkCategories, 'product count = memberships'],
  ['memberships', checkMemberships, 'each stands where its product’s flags say'],
  ['gift cards', checkGiftCards, 'each owner is a resident'],
  ['names', checkNames, 'customers and owners have their current names; a sweep mends what a rename left'],
  ['items', checkStrays, 'each item of a customer belongs to one who is there'],
];

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
  for (const [what, check, holds] of checks) {
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
