import { setTimeout as sleep } from 'node:timers/promises';
import { newId, now, timestamp } from '../../../lib/clock.ts';
import { findLastSweep } from '../../../lib/credit/sweep.ts';
import { createStore, deleteStore } from '../../../lib/operator/stores.ts';
import { presets } from '../../../lib/routes/key-presets.ts';
import type { Scope } from '../../../lib/routes/scopes.ts';
import { keyFacts } from '../../../lib/store/api-keys.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { listStores, type Store } from '../../../lib/store/stores.ts';
import { tellResident } from '../../../lib/store/tell-resident.ts';
import packageFile from '../../../package.json' with { type: 'json' };
import { type Finding, ok, warnIf } from '../books/finding.ts';
import { playSteps, type Trial } from '../books/verify.ts';
import { openLog } from '../deployment/log.ts';
import { forgetStore, removeRows } from '../deployment/scan.ts';
import { connect, type GlobalOptions, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { counted, note, print } from '../terminal/output.ts';
import { findingColumns, findingsOfDeployment } from './doctor.ts';

const prefix = 'Verification ';

/** The keys of the trial end after an hour, in case nobody removes the store. */
const keyMillis = 3_600_000;

/** On a stage, functions may start cold, and the consumer waits for batches. */
const patience = { local: 30_000, stage: 120_000 };

const isOnThisMachine = ({ baseUrl }: Target): boolean => baseUrl.startsWith('http://127.0.0.1:');

/** The time within which calls and messages under way end. */
const quietMillis = (target: Target): number => (isOnThisMachine(target) ? 1000 : 30_000);

/**
 * An avatar whose name the store knows: an avatar of the local service's grid. Elsewhere the command makes one up and
 * tells the store its name.
 */
const newAvatar = async (store: Store, { kind, baseUrl }: Target): Promise<string> => {
  if (kind === 'local') {
    const { residents } = (await (await fetch(`${baseUrl}/_dev/grid`)).json()) as { residents: { uuid: string }[] };
    const [first] = residents;
    if (first) return first.uuid;
  }
  const uuid = newId();
  await tellResident(store.id, { uuid, username: `verify${uuid.slice(-12)}` }, 'request');
  return uuid;
};

/** A new deployment has its first sweep within a minute. */
const firstSweepMillis = 120_000;

const waitForSweep = async ({ kind }: Target): Promise<void> => {
  if (kind === 'local' || (await findLastSweep())) return;
  note('Waiting for the first sweep');
  const end = performance.now() + firstSweepMillis;
  while (performance.now() < end && !(await findLastSweep())) await sleep(2000);
};

/** Warns of stores that interrupted verifications left behind. */
const leftBehind = async (): Promise<Finding> => {
  const left = (await listStores()).filter(({ name }) => name.startsWith(prefix));
  const names = left.map(({ id }) => id).join(', ');
  return warnIf(
    'earlier runs',
    left.length > 0 && [
      `${counted(left.length, 'store')} of a verification that was ended (${names})`,
      'Delete each: store delete ID',
    ],
    'left nothing behind',
  );
};

/** The functions of `npm run deployed` may not call 127.0.0.1. This name leads them to a port of this machine. */
const publicUrlOf = ({ kind, baseUrl }: Target): string =>
  kind === 'local'
    ? baseUrl
    : baseUrl.replace(/^http:\/\/127\.0\.0\.1:(\d+)/, 'https://loopback-$1.agni.secondlife.io');

const trialOf = async (store: Store, target: Target): Promise<Trial> => {
  const log = await openLog(target);
  const issue = async (name: string, scopes: readonly Scope[]): Promise<string> => {
    const expiresAt = timestamp(now() + keyMillis);
    const fields = { store: store.id, name, scopes, stage: target.keyStage, expiresAt };
    return (await issueKey(fields, (key) => log('key.issued', store.id, keyFacts(key)))).text;
  };
  return {
    baseUrl: target.baseUrl,
    publicUrl: publicUrlOf(target),
    keys: { all: await issue('all', presets.all.scopes), reader: await issue('reader', ['products:read']) },
    avatar: await newAvatar(store, target),
    patienceMillis: patience[target.kind],
  };
};

/** Removes the store with its keys, and then items that calls under way have still written. */
const remove = async (store: Store, target: Target): Promise<void> => {
  const log = await openLog(target);
  await deleteStore(store.id, log('store.deleted', store.id, { name: store.name }));
  await removeRows(store.id, () => {});
  note('Removing the store again');
  await sleep(quietMillis(target));
  await removeRows(store.id, () => {});
  await forgetStore(store.id);
};

/** Makes a store, uses it as integrators do, and always removes it. */
const useStore = async (target: Target): Promise<Finding[]> => {
  const log = await openLog(target);
  const name = `${prefix}${timestamp(now())}`;
  const store = await createStore(name, undefined, ({ id, name }) => log('store.created', id, { name }));
  try {
    return await playSteps(await trialOf(store, target), (check) => note(`Trying ${check}`));
  } finally {
    await remove(store, target);
  }
};

const verify = async (options: GlobalOptions): Promise<void> => {
  const target = await connect(options);
  const about = `version ${packageFile.version} of this command, Node ${process.versions.node}, ${target.kind === 'local' ? 'local service' : 'AWS'}`;
  await waitForSweep(target);
  const findings = [
    ok('report', `${about}, ${timestamp(now())}`),
    ...(await findingsOfDeployment(target)),
    await leftBehind(),
    ...(await useStore(target)),
  ];
  print(findings, findingColumns);
  const failed = findings.filter(({ state }) => state === 'fail').length;
  if (failed > 0) throw new Failure(`${counted(failed, 'check fails', 'checks fail')}.`);
  note('Everything works. The table holds no secret: you may show it to others.');
};

export const addVerify = (program: StoreCommand): void => {
  program
    .command('verify')
    .description(
      'Tries a deployment as integrators use it, in a store of its own that it removes, and says what to fix. Exit code 1 on fail.',
    )
    .examples('store verify', 'store verify --stage prod', 'store verify --stage prod --json')
    .runs(verify);
};
