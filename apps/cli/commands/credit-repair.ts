import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { pMapIterable } from 'p-map';
import { listCustomerItems } from '../../../lib/avatars/customers.ts';
import { findResident } from '../../../lib/avatars/residents.ts';
import { newId, now, timestamp } from '../../../lib/clock.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import type { Cause } from '../../../lib/credit/state.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { auditCredit } from '../../../lib/operator/audit-credit.ts';
import { type Correction, findRepair, type Repair, repairCredit } from '../../../lib/operator/repair-credit.ts';
import { Problem } from '../../../lib/problem.ts';
import { type Log, noteInLog } from '../../../lib/store/operator-log.ts';
import { openLog } from '../deployment/log.ts';
import { type GlobalOptions, openStore } from '../deployment/target.ts';
import { strayOwners } from '../kinds/customers.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { ask, parseResident } from '../terminal/input.ts';
import { type Column, counted, jsonLine, note, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

interface RepairOptions extends GlobalOptions {
  dryRun?: boolean;
  yes?: boolean;
  record?: string;
}

const columns: Column<Correction>[] = [
  { heading: 'customer', cell: ({ username }) => username },
  { heading: 'what', cell: ({ what }) => what, wraps: true },
  { heading: 'is', cell: ({ is }) => is, style: () => 'red', wraps: true },
  { heading: 'will be', cell: ({ willBe }) => willBe, style: () => 'green', wraps: true },
];

/** A customer whose books are wrong. */
interface WrongBooks extends Pick<Repair, 'corrections' | 'faults'> {
  uuid: string;
}

/** Turns a failed repair of one customer into a fault, so that the others are still repaired. */
const orFault = async <T>(uuid: string, work: Promise<T>): Promise<T | string> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem) return `customer ${uuid}: the credit changes all the time, try again later.`;
    throw error;
  }
};

const lookAt = async (store: string, uuid: string, cause: Cause): Promise<WrongBooks[]> => {
  const found = await orFault(uuid, findRepair(store, uuid, cause));
  if (typeof found === 'string') return [{ uuid, corrections: [], faults: [found] }];
  return found ? [{ uuid, ...found }] : [];
};

/** Finds every customer whose books are wrong, and every avatar who has lots but is no customer. */
const lookAtAll = async (store: string, cause: Cause): Promise<{ off: WrongBooks[]; checked: number }> => {
  const off: WrongBooks[] = [];
  let checked = 0;
  const customers = startProgress('Checking customers');
  const items = everyRow(listCustomerItems(store), ({ sk }) => sk);
  const looks = pMapIterable(
    items,
    async (item) => (auditCredit(item, await listLots(store, item.sk)).length > 0 ? lookAt(store, item.sk, cause) : []),
    { concurrency: 25 },
  );
  for await (const found of looks) {
    off.push(...found);
    customers.update(++checked);
  }
  customers.end();
  const strays = startProgress('Checking items');
  for await (const { uuid, kind } of strayOwners(store, strays.update))
    if (kind === 'LOT') off.push(...(await lookAt(store, uuid, cause)));
  strays.end();
  return { off, checked };
};

/** Opens the record of a run. It gets a line for each value before that value is changed. Throws if the file exists. */
const openRecord = (path: string) => {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    throw new Failure(
      `The record ${path} cannot be made, so nothing was changed: name another file with --record. (${(error as Error).message})`,
    );
  }
  return {
    write: (cause: Cause, store: string, corrections: readonly Correction[]): void => {
      writeSync(file, corrections.map((each) => `${jsonLine({ ...cause, store, ...each })}\n`).join(''));
      fsyncSync(file);
    },
    end: (): void => closeSync(file),
  };
};

const repairAll = async (
  store: string,
  off: readonly WrongBooks[],
  cause: Cause,
  path: string,
  log: Log,
): Promise<string[]> => {
  const record = openRecord(path);
  const left: string[] = [];
  try {
    await noteInLog(log('credit.repaired', store, { customers: off.length, record: basename(path) }));
    for (const { uuid } of off) {
      const repaired = repairCredit(store, uuid, cause, ({ corrections }) => record.write(cause, store, corrections));
      left.push(...[await orFault(uuid, repaired)].flat());
    }
  } finally {
    record.end();
  }
  return left;
};

const repair = async (options: RepairOptions, identifier: Identifier | undefined): Promise<void> => {
  const { target, store } = await openStore(options);
  const cause = { at: timestamp(now()), by: `operator ${newId()}` };
  const uuid = identifier && ((await findResident(store.id, identifier))?.uuid ?? identifier.uuid);
  if (identifier && uuid === undefined)
    throw new Failure(`There is no resident ${identifier.username} on ${target.name}.`);
  const one = uuid !== undefined && { off: await lookAt(store.id, uuid, cause), checked: 1 };
  const { off, checked } = one || (await lookAtAll(store.id, cause));
  print(
    off.flatMap(({ corrections }) => corrections),
    columns,
    `The books add up: ${counted(checked, 'customer')} checked.`,
  );
  const hopeless = off.flatMap(({ faults }) => faults);
  const mendable = off.filter(({ faults }) => faults.length === 0);
  const number = counted(mendable.length, 'customer');
  let left = hopeless;
  if (options.dryRun) note('Nothing was changed: this was a dry run.');
  else if (mendable.length > 0) {
    const question = `Set these values for ${number} of ${store.name} on ${target.name}? Type repair to go on.`;
    if (!options.yes)
      await ask(question, '--yes', (answer) => (answer === 'repair' ? undefined : 'Type repair, or press Ctrl-C.'));
    const path = options.record ?? `credit-repair-${cause.at.replaceAll(':', '-')}.ndjson`;
    const log = await openLog(target);
    left = [...hopeless, ...(await repairAll(store.id, mendable, cause, path, log))];
    note(`Repaired ${number}. The values before and after are in ${path}. Check the whole store now: store audit`);
  }
  for (const fault of left) note(fault);
  if (left.length > 0) throw new Failure('The faults above cannot be fixed by a rule, and were left as they are.');
  if (options.dryRun && mendable.length > 0) throw new Failure(`The credit of ${number} is off.`);
};

const rule = `
The rule: the lots are the money. Of each type the balance becomes the credit that is not in lots, which stays as it is, plus
what remains in the open lots. The number of open lots, the next expiry and the lot that was added last follow from the lots.
Open lots that a set has replaced are closed as superseded, or as expired if they are due; empty ones as drained. Lots never
get more or less. To give back what a customer lost, use the credit actions of the API.`;

export const addCreditRepair = (credit: StoreCommand): void => {
  credit
    .command('repair')
    .description(
      'Repairs balances that disagree with their lots, of one resident or of the whole store. Shows what it would set, and asks first.',
    )
    .argument('[resident]', 'username or avatar UUID (default: every customer of the store)', parseResident)
    .option('--dry-run', 'only show what is off and what it would set; exit code 1 if anything is off')
    .option('--yes', 'do not ask, for use without a terminal')
    .option('--record <file>', 'where the values before and after go (default: ./credit-repair-<time>.ndjson)')
    .addHelpText('after', rule)
    .examples('store credit repair --dry-run', 'store credit repair "Vera Vendor"', 'store credit repair --yes')
    .runs(repair);
};
