import { InvalidArgumentError } from 'commander';
import { followNames, listCustomerNames } from '../../../lib/avatars/customer-names.ts';
import { listCustomerItems } from '../../../lib/avatars/customers.ts';
import { type KnownResident, readResident } from '../../../lib/avatars/residents.ts';
import { type Identifier, parseIdentifier } from '../../../lib/identifier.ts';
import { everyPage } from '../../../lib/lists/source.ts';
import { type ResidentFields, residentImporter } from '../../../lib/operator/imports/residents.ts';
import { type Importer, writeRows } from '../../../lib/operator/imports/rows.ts';
import { knownResidents, renameAgain } from '../../../lib/operator/residents.ts';
import type { Log } from '../../../lib/store/operator-log.ts';
import { listStores } from '../../../lib/store/stores.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { openLog } from '../deployment/log.ts';
import { connect, type GlobalOptions, openStore } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { parseResident } from '../terminal/input.ts';
import { type Column, counted, isJson, note, print } from '../terminal/output.ts';
import { addResidentImport } from './import.ts';
import { addResidentData } from './resident-data.ts';

const parseUuid = (text: string): string => {
  const uuid = parseIdentifier(copiedName(text))?.uuid;
  if (uuid) return uuid;
  throw new InvalidArgumentError('It must be the UUID of an avatar.');
};

const parseUsername = (text: string): string => {
  const username = parseIdentifier(copiedName(text))?.username;
  if (username) return username;
  throw new InvalidArgumentError('It must be a username: first, first.last or "First Last".');
};

const parseUsernames = (text: string): string[] => text.split(',').map(parseUsername);

interface AddedResident {
  uuid: string;
  username: string;
  outcome: string;
}

const addedColumns: Column<AddedResident>[] = [
  { heading: 'uuid', cell: ({ uuid }) => uuid },
  { heading: 'name', cell: ({ username }) => username },
  { heading: 'outcome', cell: ({ outcome }) => outcome },
];

/** The importer of residents. It also writes a row of the log for each resident that it adds or changes. */
const logged = (log: Log): Importer<ResidentFields> => ({
  ...residentImporter,
  plan: async (rows, setting) => {
    const groups = await residentImporter.plan(rows, { ...setting, log });
    return groups.map(({ writes = [], ...group }) => {
      const row = log('resident.added', null, { ...group.rows[0]?.fields, outcome: group.outcome });
      return { ...group, writes: writes.length > 0 ? [...writes, ...row] : [] };
    });
  },
});

/** Tells all stores of a resident. Renames all copies of the name, including copies that an earlier rename missed. */
const add = async (options: GlobalOptions & { former?: string[] }, uuid: string, username: string): Promise<void> => {
  const target = await connect(options);
  const fields: ResidentFields = { uuid, username, formerNames: options.former ?? [] };
  const [row, setting] = [{ line: 1, fields }, { store: '' }];
  const [planned] = await residentImporter.plan([row], setting);
  const fault = planned?.needs?.fault ?? (typeof planned?.outcome === 'object' ? planned.outcome : undefined);
  if (planned?.needs)
    throw new Failure(
      `${username} is the current name of the resident ${planned.needs.key}. Give them their new name first: store resident add ${planned.needs.key} <new name>`,
    );
  if (fault) throw new Failure(`${fault.field} ${fault.value} ${fault.message}.`);
  const [written] = await writeRows(logged(await openLog(target)), [row], setting);
  await renameAgain(uuid);
  print([{ uuid, username, outcome: String(written?.outcome) }], addedColumns);
  if (written?.outcome === 'changed')
    note(`The new name is in force. For up to 5 minutes ${target.name} may still read the old one.`);
};

interface ResidentRow extends KnownResident {
  store: string;
}

const shownColumns: Column<ResidentRow>[] = [
  { heading: 'in', cell: ({ store }) => store },
  { heading: 'uuid', cell: ({ uuid }) => uuid },
  { heading: 'name', cell: ({ username }) => username },
  { heading: 'all names', cell: ({ names }) => names.join(', '), wraps: true },
  { heading: 'told by', cell: ({ source }) => (source === 'operator' ? 'the operator, to all stores' : 'the store') },
];

const show = async (options: GlobalOptions, identifier: Identifier): Promise<void> => {
  const target = await connect(options);
  const shown: ResidentRow[] = [];
  for (const { id, name } of await listStores()) {
    if (options.store !== undefined && options.store !== id && options.store !== name) continue;
    const resident = await readResident(id, identifier);
    const [known] = resident ? await knownResidents(id, [resident.uuid]) : [];
    if (known) shown.push({ store: name, ...known });
  }
  if (shown.length === 0)
    throw new Failure(
      `No store of ${target.name} knows ${identifier.uuid ?? identifier.username}. Tell all of them: store resident add <uuid> <name>`,
    );
  print(shown, shownColumns);
};

/** Corrects the names by which a search finds the customers of a store. */
const repair = async (options: GlobalOptions): Promise<void> => {
  const { store } = await openStore(options);
  let count = 0;
  for await (const items of everyPage(listCustomerItems(store.id), ({ sk }) => sk)) {
    const uuids = items.map(({ sk }) => sk);
    await followNames(store.id, uuids);
    count += uuids.length;
  }
  for await (const items of everyPage(listCustomerNames(store.id), ({ sk }) => sk)) {
    const uuids = items.map(({ uuid }) => uuid);
    const names = items.map(({ sk }) => sk);
    await followNames(store.id, uuids, names);
  }
  if (isJson()) print({ store: store.id, customers: count }, []);
  else note(`A search finds ${counted(count, 'customer')} of ${store.name} by their names.`);
};

/** Adds `store resident add|show|repair|import|export|erase`. */
export const addResidents = (program: StoreCommand): void => {
  const group = program
    .command('resident')
    .description('Tells stores of avatars, and shows who is known by which names.')
    .examples('store resident show ada.lovelace', 'store resident import residents.csv --dry-run');
  group
    .command('add')
    .description(
      'Tells all stores of an avatar. Your word wins over what a key or a dispenser told: a name that a store has for another avatar moves. It also corrects copies of an old name that "store audit" reports.',
    )
    .argument('<uuid>', "the avatar's UUID", parseUuid)
    .argument('<name>', 'the current name, such as ada.lovelace or "Ada Lovelace"', parseUsername)
    .option('--former <names>', 'names that the avatar had before, separated by commas', parseUsernames)
    .examples(
      'store resident add a1b2c3d4-0000-4000-8000-5e5e5e5e5e01 wanda.walker',
      'store resident add a1b2c3d4-0000-4000-8000-5e5e5e5e5e01 "Wanda Walker" --former wanda,wanda.first --stage prod',
    )
    .runs(add);
  group
    .command('show')
    .description('Shows who an avatar is to each store: the current name, all names, and who told.')
    .argument('<resident>', 'username or UUID', parseResident)
    .examples('store resident show ada.lovelace', 'store resident show "Ada Lovelace" --store "My Store" --json')
    .runs(show);
  group
    .command('repair')
    .description(
      'Writes again the names by which a search finds customers, for the faults that "store audit" names. Can be repeated, while the store is open.',
    )
    .examples('store resident repair', 'store resident repair --stage prod --store "My Store"')
    .runs(repair);
  addResidentImport(group);
  addResidentData(group);
};
