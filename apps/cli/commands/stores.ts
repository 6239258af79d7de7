import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { now, timestamp } from '../../../lib/clock.ts';
import { isSameText, trimmed } from '../../../lib/normalise.ts';
import { createStore, deleteStore } from '../../../lib/operator/stores.ts';
import { type PresetName, presets } from '../../../lib/routes/key-presets.ts';
import { type ApiKey, isLive, keyFacts } from '../../../lib/store/api-keys.ts';
import { issueKey, listKeys } from '../../../lib/store/issued-keys.ts';
import { isOpen, listStores, type Store, setOpen } from '../../../lib/store/stores.ts';
import { sharedKey } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany } from '../../../lib/table/table.ts';
import { exportAll } from '../data/export.ts';
import {
  askForRights,
  type ExpiryOptions,
  expiresOption,
  expiryOf,
  presetHelp,
  presetOption,
  printNewKey,
} from '../deployment/keys.ts';
import { openLog } from '../deployment/log.ts';
import { forgetStore, removeRows } from '../deployment/scan.ts';
import { chooseStore, connect, type GlobalOptions, type Target } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { explain, Failure, UsageError } from '../terminal/errors.ts';
import { ask, nameFault, parseName, reasonOption } from '../terminal/input.ts';
import { type Column, counted, grouped, isInteractive, isJson, note, print, shownTime } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';

const shownState = (store: Store): string => {
  const { deletedAt, changed } = store;
  if (deletedAt) return `deleted ${shownTime(deletedAt)}, but not all of it is removed`;
  if (isOpen(store)) return 'open';
  return `closed ${shownTime(changed?.at)}${changed?.reason ? `: ${changed.reason}` : ''}`;
};

const columns: Column<Store>[] = [
  { heading: 'name', cell: ({ name }) => name, wraps: true },
  { heading: 'id', cell: ({ id }) => id },
  { heading: 'created', cell: ({ createdAt }) => shownTime(createdAt) },
  {
    heading: 'state',
    cell: shownState,
    style: (store) => (store.deletedAt || !isOpen(store) ? 'yellow' : 'green'),
    wraps: true,
  },
];

interface CreateOptions extends ExpiryOptions {
  key: boolean;
  preset?: PresetName;
}

const create = async (options: CreateOptions, given: string | undefined): Promise<void> => {
  const target = await connect(options);
  const name =
    given ?? (await ask('What is the name of the store?', 'the name, as in store create "My Store"', nameFault));
  const same = (await listStores()).find((store) => isSameText(store.name, name));
  if (same) throw new Failure(`${target.name} has a store ${same.name} (${same.id}) already. Choose another name.`);
  const end = expiryOf(options);
  const asks = options.key && options.preset === undefined && isInteractive();
  const rights = asks ? await askForRights(end) : { scopes: presets[options.preset ?? 'all'].scopes, expiresAt: end };
  const log = await openLog(target);
  const store = await createStore(trimmed(name), undefined, ({ id, name }) => log('store.created', id, { name }));
  if (!isJson()) note(`Created the store ${store.name} (${store.id}) on ${target.name}: ${target.baseUrl}`);
  if (!isJson()) note(`For commands on it: export SIS_STORE=${store.id}, or --store in each.`);
  if (!options.key) return print(store, columns);
  const { key, text } = await issueKey(
    { store: store.id, name: 'first key', stage: target.keyStage, ...rights },
    (key) => log('key.issued', store.id, keyFacts(key)),
  );
  printNewKey(key, text, target, { store });
};

/** Adds whether each store is open. Only a store's own item says so; the list has it as it was created. */
const withState = async (stores: readonly Store[]): Promise<Store[]> => {
  const keys = stores.map(({ id }) => sharedKey('STORE', id));
  const items = await getMany<Store & Key>(keys, { consistent: true });
  return stores.map((store) => {
    const { open = true, changed } = items.find(({ id }) => id === store.id) ?? {};
    return { ...store, open, ...(changed && { changed }) };
  });
};

const list = async (options: GlobalOptions): Promise<void> => {
  await connect(options);
  print(await withState(await listStores()), columns, 'There is no store yet. Create one: store create "My Store"');
};

const switchTo =
  (open: boolean) =>
  async (options: GlobalOptions & { reason?: string }, wanted: string | undefined): Promise<void> => {
    const log = await openLog(await connect(options));
    const store = await chooseStore(wanted ?? options.store);
    const { id, name } = store;
    const { reason } = options;
    const together = log(open ? 'store.opened' : 'store.closed', id, { ...(reason && { reason }) });
    const { changed } = await setOpen(id, open, { reason, by: 'operator', together }, (now) => now);
    print({ ...store, open, ...(changed && { changed }) }, columns);
    note(open ? `${name} is open.` : `${name} is closed: quotes and sales are refused. Nothing else changes.`);
  };

interface DeleteOptions extends GlobalOptions {
  confirm?: string;
  exportTo?: string;
  wait: boolean;
}

const confirmDelete = async ({ name }: Store, target: Target, given: string | undefined): Promise<void> => {
  const fault = (answer: string): string | undefined =>
    answer === name ? undefined : `That is not the name of the store, which is ${name}. Nothing was deleted.`;
  const question = `This deletes ${name} on ${target.name} with all its data. Type its name to confirm`;
  const refusal = fault(given ?? (await ask(question, `--confirm "${name}"`, fault)));
  if (refusal) throw new UsageError(refusal);
};

/** Exports a store to the given directory, or to one named after the store and the day. Returns its path. */
const exportFirst = async ({ name, id }: Store, given: string | undefined): Promise<string> => {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [id];
  const dir = given ?? `./${words.join('-').toLowerCase()}-${timestamp(now()).slice(0, 10)}`;
  try {
    const files = await exportAll(id, dir);
    note(`Exported to ${dir}: ${files.map(({ kind, rows }) => `${kind} ${grouped(rows)}`).join(', ')}.`);
    return dir;
  } catch (error) {
    throw new Failure(`The export failed, so nothing was deleted. ${explain(error)}`, { cause: error });
  }
};

/** The timeout of a Lambda function. */
const callMillis = 30_000;

/**
 * The time after which no call with one of these keys writes. By then the gateway has forgotten its answer about the
 * key, and the last call has ended.
 */
const quietTime = ({ deletedAt }: Store, keys: readonly ApiKey[], { authorizerTtlSeconds }: Target): number => {
  const keyEnd = (key: ApiKey): number =>
    isLive(key) ? now() : Date.parse(key.revokedAt ?? key.expiresAt ?? key.createdAt);
  const end = deletedAt ? Date.parse(deletedAt) : keys.reduce((last, key) => Math.max(last, keyEnd(key)), 0);
  return end + authorizerTtlSeconds * 1000 + callMillis;
};

const removeAll = async (store: string): Promise<number> => {
  const progress = startProgress('Removing');
  return removeRows(store, (count) => progress.update(count)).finally(progress.end);
};

/**
 * Exports a store, then deletes it with all its data. Residents that all stores share stay. From the first write on, no
 * call finds the store. The same command continues an interrupted deletion.
 */
const remove = async (options: DeleteOptions, wanted: string | undefined): Promise<void> => {
  const target = await connect(options);
  const store = await chooseStore(wanted ?? options.store, true);
  await confirmDelete(store, target, options.confirm);
  const exportedTo = store.deletedAt ? undefined : await exportFirst(store, options.exportTo);
  if (store.deletedAt) note(`${store.name} was deleted and exported before. The rest of it is removed now.`);
  const keys = await listKeys(store.id);
  const log = await openLog(target);
  await deleteStore(store.id, store.deletedAt ? [] : log('store.deleted', store.id, { name: store.name }));
  const quiet = quietTime(store, keys, target);
  let removedItems = await removeAll(store.id);
  const waitMillis = keys.length > 0 && options.wait ? quiet - now() : 0;
  if (waitMillis > 0) {
    const seconds = counted(Math.ceil(waitMillis / 1000), 'second');
    note(`Waiting ${seconds} for calls that the gateway still lets in. --no-wait skips this.`);
    await sleep(waitMillis);
    removedItems += await removeAll(store.id);
  }
  await forgetStore(store.id);
  if (isJson()) print({ ...store, removedItems, ...(exportedTo !== undefined && { exportedTo }) }, []);
  note(`Deleted ${store.name}: ${counted(removedItems, 'item')}.`);
  note(
    'Kept: the export; the residents, which all stores share; and a mark for each key, so that calls with it get 404.',
  );
};

export const addStores = (program: StoreCommand): void => {
  program
    .command('create')
    .description('Creates a store and issues its first API key. Without a terminal the key has all scopes.')
    .argument('[name]', 'the name of the store; asked for on a terminal', parseName)
    .addOption(presetOption())
    .addOption(expiresOption())
    .addOption(new Option('--no-key', 'issue no key').conflicts(['preset', 'expires']))
    .addHelpText('after', presetHelp)
    .examples('store create "My Store"', 'store create "My Store" --stage prod --preset all --expires 365d')
    .runs(create);

  program
    .command('list')
    .description('Lists the stores.')
    .examples('store list', 'store list --stage prod --json')
    .runs(list);

  program
    .command('close')
    .description('Closes a store: quotes and sales are refused until it is opened. Nothing else changes.')
    .argument('[store]', 'id or name of the store')
    .option(...reasonOption)
    .examples('store close', 'store close "My Store" --reason "New prices from Monday on"')
    .runs(switchTo(false));

  program
    .command('open')
    .description('Opens a closed store.')
    .argument('[store]', 'id or name of the store')
    .option(...reasonOption)
    .examples('store open', 'store open "My Store"')
    .runs(switchTo(true));

  program
    .command('delete')
    .description('Exports a store, then deletes it with all its data and keys. Run it again if it was interrupted.')
    .argument('[store]', 'id or name of the store')
    .option('--confirm <name>', 'the name of the store, for use without a terminal')
    .option('--export-to <directory>', 'where the export goes (default: ./<store>-<date>)')
    .option('--no-wait', 'do not wait for calls under way: rows that they still write stay in the table')
    .examples('store delete "My Store"', 'store delete "My Store" --confirm "My Store" --export-to backup')
    .runs(remove);
};
