import { listStores, type Store } from '../../../lib/store/stores.ts';
import { checkAlarms, checkReleases, checkVersion } from '../books/doctor-account.ts';
import {
  checkApi,
  checkBackup,
  checkQueues,
  checkQuota,
  checkSlowQueue,
  checkStream,
  checkSweep,
  checkTable,
  checkUnsent,
} from '../books/doctor-deployment.ts';
import { checkHistory } from '../books/doctor-history.ts';
import {
  checkDeliveries,
  checkDispenser,
  checkItems,
  checkKeys,
  checkOpen,
  checkPayouts,
} from '../books/doctor-store.ts';
import { type Finding, failIf, ok, warnIf } from '../books/finding.ts';
import { chooseStore, connect, type GlobalOptions, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { explain, Failure } from '../terminal/errors.ts';
import { type Column, counted, print } from '../terminal/output.ts';

const stateStyles = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export const findingColumns: Column<Finding>[] = [
  { heading: 'state', cell: ({ state }) => state, style: ({ state }) => stateStyles[state] },
  { heading: 'check', cell: ({ check }) => check, wraps: true },
  { heading: 'found', cell: ({ detail, fix }) => (fix ? `${detail}. ${fix}` : detail), wraps: true },
];

/** Runs a check. If it throws, that is a finding too. */
const runCheck = async (check: string, look: () => Promise<Finding[]>): Promise<Finding[]> => {
  try {
    return await look();
  } catch (error) {
    return [failIf(check, ['could not be checked', explain(error)])];
  }
};

/** All stores, or the store that `--store` names, even if its deletion has begun. */
const storesOf = async ({ store }: GlobalOptions): Promise<Store[]> =>
  store === undefined ? listStores() : [await chooseStore(store, true)];

const checkStores = async (target: Target, options: GlobalOptions): Promise<Finding[]> => {
  const stores = await storesOf(options);
  const active = stores.filter(({ deletedAt }) => !deletedAt);
  const rest = stores.filter(({ deletedAt }) => deletedAt);
  const findings = [
    warnIf(
      'stores',
      stores.length === 0 && ['there is none', 'Create one: store create "My Store"'],
      active.map(({ name }) => name).join(', '),
    ),
    ...rest.map(({ id, name }) =>
      warnIf('stores', [`${name} is deleted, but not all of it is removed`, `Complete it: store delete ${id}`]),
    ),
  ];
  for (const store of active)
    findings.push(
      ...(await runCheck(`sales of ${store.name}`, () => checkOpen(store))),
      ...(await runCheck(`keys of ${store.name}`, () => checkKeys(store))),
      ...(await runCheck(`dispenser of ${store.name}`, () => checkDispenser(store, target))),
      ...(await runCheck(`items of ${store.name}`, () => checkItems(store))),
      ...(await runCheck(`history of ${store.name}`, () => checkHistory(store, target.kind === 'local' ? 5000 : 0))),
      ...(await runCheck(`deliveries of ${store.name}`, () => checkDeliveries(store))),
      ...(await runCheck(`payouts of ${store.name}`, () => checkPayouts(store))),
    );
  return findings;
};

/** The doctor's findings about a deployment, without its stores. */
export const findingsOfDeployment = async (target: Target): Promise<Finding[]> => {
  const findings = await Promise.all([
    checkVersion(target),
    checkReleases(target),
    runCheck('api', () => checkApi(target)),
    runCheck('quota', () => checkQuota(target)),
    runCheck('alarms', () => checkAlarms(target)),
    runCheck('table', () => checkTable(target)),
    runCheck('stream', () => checkStream(target)),
    runCheck('backup', () => checkBackup(target)),
    runCheck('queue', () => checkQueues()),
    runCheck('slow queue', () => checkSlowQueue(target)),
    runCheck('sweep', () => checkSweep(target)),
    runCheck('sales', () => checkUnsent()),
  ]);
  return findings.flat();
};

const examine = async (options: GlobalOptions): Promise<Finding[]> => {
  let target: Target;
  try {
    target = await connect(options);
  } catch (error) {
    return [failIf('deployment', ['cannot be reached', explain(error)])];
  }
  const [deployment, stores] = await Promise.all([
    findingsOfDeployment(target),
    runCheck('stores', () => checkStores(target, options)),
  ]);
  const detail = target.kind === 'stage' ? `${target.name}: AWS knows you, and its stack is there` : target.name;
  return [ok('deployment', detail), ...deployment, ...stores];
};

const doctor = async (options: GlobalOptions): Promise<void> => {
  const findings = await examine(options);
  print(findings, findingColumns);
  const failed = findings.filter(({ state }) => state === 'fail').length;
  if (failed > 0) throw new Failure(`${counted(failed, 'check fails', 'checks fail')}.`);
};

export const addDoctor = (program: StoreCommand): void => {
  program
    .command('doctor')
    .description(
      'Checks a deployment and its stores, or with --store that store alone, and says how to fix faults. Changes nothing. Exit code 1 on fail.',
    )
    .examples('store doctor', 'store doctor --store "My Store"', 'store doctor --stage prod --json')
    .runs(doctor);
};
