import { statSync } from 'node:fs';
import { readResident } from '../../../lib/avatars/residents.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import type { Identifier } from '../../../lib/identifier.ts';
import { queueDepth } from '../../../lib/operator/dead-letters.ts';
import { listStores, type Store } from '../../../lib/store/stores.ts';
import { openFile } from '../data/write.ts';
import { openLog } from '../deployment/log.ts';
import { connect, type GlobalOptions, storeFor, type Target } from '../deployment/target.ts';
import { blockersOf, erasePerson, eraseShared, findPerson, findShared, type ItemsFound } from '../person/erase.ts';
import { exportPerson } from '../person/export.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { ask, parseResident } from '../terminal/input.ts';
import { type Column, counted, isJson, jsonLine, jsonText, note, plain, print } from '../terminal/output.ts';

interface DataOptions extends GlobalOptions {
  allStores?: boolean;
}

/** The stores that the options name. `isEverywhere` is true if these are all stores of the deployment. */
const chosenStores = async (
  options: DataOptions,
  target: Target,
): Promise<{ stores: Store[]; isEverywhere: boolean }> => {
  const every = (await listStores()).filter(({ deletedAt }) => !deletedAt);
  if (options.allStores && options.store !== undefined) throw new UsageError('Give either --store or --all-stores.');
  const stores = options.allStores ? every : [await storeFor(options, target)];
  return { stores, isEverywhere: stores.length === every.length };
};

/** The UUID of the avatar that these stores know by this username. A UUID is returned as it is. */
const findAvatar = async (identifier: Identifier, stores: readonly Store[]): Promise<string> => {
  if (identifier.uuid !== undefined) return identifier.uuid;
  const { username } = identifier;
  const found = await Promise.all(stores.map(({ id }) => readResident(id, identifier)));
  const [uuid, ...others] = new Set(found.flatMap((resident) => resident?.uuid ?? []));
  if (uuid === undefined)
    throw new Failure(`No store here knows ${username}. Give the UUID: the name may be gone already.`);
  if (others.length > 0)
    throw new Failure(`${username} is another avatar in each store: ${[uuid, ...others].join(', ')}. Give the UUID.`);
  return uuid;
};

interface ExportOptions extends DataOptions {
  output?: string;
  force?: boolean;
}

const exportData = async (options: ExportOptions, identifier: Identifier): Promise<void> => {
  const { output, force = false } = options;
  if (output !== undefined && !force && statSync(output, { throwIfNoEntry: false }))
    throw new Failure(`${output} is there already. Name another file with --output, or write over it with --force.`);
  const { stores } = await chosenStores(options, await connect(options));
  const uuid = await findAvatar(identifier, stores);
  const person = await exportPerson(stores, uuid, timestamp(now()));
  const text = isJson() && output === undefined ? `${jsonLine(person)}\n` : jsonText(person);
  if (output === undefined) return void process.stdout.write(text);
  const file = openFile(output, { exclusive: !force });
  await file.made({ by: ' with --output' });
  await file.write(text);
  await file.end();
  note(`Wrote all data of ${uuid} in ${counted(stores.length, 'store')} to ${output}.`);
};

interface ErasurePlan {
  store: string;
  what: string;
  count: number;
  effect: string;
}

const plannedColumns: Column<ErasurePlan>[] = [
  { heading: 'in', cell: ({ store }) => store, wraps: true },
  { heading: 'count', cell: ({ count }) => count },
  { heading: 'what', cell: ({ what }) => what, wraps: true },
  { heading: 'what becomes of it', cell: ({ effect }) => effect, wraps: true },
];

const planned = (store: string, found: readonly ItemsFound[]): ErasurePlan[] =>
  found.map(({ sort: { words, effect }, items: { length: count } }) => ({
    store,
    what: words[count === 1 ? 0 : 1],
    count,
    effect,
  }));

interface ErasureReport {
  store: string;
  uuid: string;
  pseudonym: string | null;
}

const erasedColumns: Column<ErasureReport>[] = [
  { heading: 'erased from', cell: ({ store }) => store, wraps: true },
  { heading: 'books keep', cell: ({ pseudonym }) => pseudonym ?? 'nothing' },
];

interface EraseOptions extends DataOptions {
  forfeit?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

const erase = async (options: EraseOptions, identifier: Identifier): Promise<void> => {
  const { forfeit = false } = options;
  const target = await connect(options);
  const { stores, isEverywhere } = await chosenStores(options, target);
  const uuid = await findAvatar(identifier, stores);
  const found: { store: Store; items: ItemsFound[] }[] = [];
  for (const store of stores) found.push({ store, items: await findPerson(store.id, uuid) });
  const shared = await findShared(uuid);
  const plan = [
    ...found.flatMap(({ store, items }) => planned(store.name, items)),
    ...(isEverywhere ? planned('all stores', shared) : []),
  ];
  if (plan.length === 0) return note(`Nothing is left of ${uuid} in ${counted(stores.length, 'store')}.`);
  if (!isJson()) print(plan, plannedColumns);
  const blockers: string[] = [];
  for (const { store, items } of found)
    for (const blocker of await blockersOf(items, { uuid, forfeit, mayForfeit: forfeit }))
      blockers.push(`${store.name}: ${blocker}`);
  if (blockers.length > 0)
    throw new Failure(`${blockers.map(plain).join('\n')}\nNothing was changed. Run this again when that is done.`);
  if (options.dryRun) return note('Nothing was changed: this was a dry run.');
  const lost = forfeit ? ' Credit that they hold, and what is owed to them, is lost.' : '';
  const question = `Erase ${uuid} from ${counted(stores.length, 'store')} of ${target.name}? It cannot be undone.${lost} Type erase to go on.`;
  if (!options.yes)
    await ask(question, '--yes', (answer) => (answer === 'erase' ? undefined : 'Type erase, or press Ctrl-C.'));
  const log = await openLog(target);
  const erased: ErasureReport[] = [];
  for (const { store } of found) {
    const pseudonym = await erasePerson(store.id, uuid, forfeit, (as) =>
      log('resident.erased', store.id, { pseudonym: as }),
    );
    erased.push({ store: store.name, uuid, pseudonym: pseudonym ?? null });
  }
  if (isEverywhere) await eraseShared(uuid, (pseudonym) => log('resident.erased', null, { pseudonym }));
  print(erased, erasedColumns);
  if (!isEverywhere && shared.length > 0)
    note('Their names stay, since all stores share what you told of residents. --all-stores erases them too.');
  const { visible, inFlight } = await queueDepth(process.env.DELIVERY_QUEUE_URL);
  const orders = visible + inFlight;
  if (orders > 0)
    note(
      `${counted(orders, 'order')} of all avatars ${orders === 1 ? 'is' : 'are'} still on the queue. One for this avatar is given, and then on record: erase ${uuid} again once store doctor says that the queue is empty.`,
    );
  note('Backups, exports and dead letters may hold them longer: see docs/operate/personal-data.md.');
};

/** Adds `store resident export|erase`. */
export const addResidentData = (group: StoreCommand): void => {
  const allStores = ['--all-stores', 'in every store of the deployment, with what all stores share'] as const;
  group
    .command('export')
    .description('Writes everything that a store has about one avatar, and nothing about others, as one JSON document.')
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .option(...allStores)
    .option('--output <file>', 'a new file for it (default: standard output)')
    .option('--force', 'write over an existing file')
    .examples(
      'store resident export ada.lovelace --output ada.json',
      'store resident export "Ada Lovelace" --all-stores --stage prod --output ada.json',
    )
    .runs(exportData);
  group
    .command('erase')
    .description(
      'Erases one avatar. The books keep a UUID that nobody can trace instead of theirs; names, texts and the rest go. Shows what becomes of what, and asks. It can be repeated, also after an interruption.',
    )
    .argument('<resident>', 'username or avatar UUID', parseResident)
    .option(...allStores)
    .option(
      '--forfeit',
      'set credit that is left to 0, and let go of what is owed; without it, both forbid the erasure',
    )
    .option('--dry-run', 'only show what would become of what')
    .option('--yes', 'do not ask, for use without a terminal')
    .examples(
      'store resident erase ada.lovelace --all-stores --dry-run',
      'store resident erase ada.lovelace --all-stores --forfeit --yes --stage prod',
    )
    .runs(erase);
};
