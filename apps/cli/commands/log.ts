import { Option } from 'commander';
import type { Scope } from '../../../lib/routes/scopes.ts';
import type { LogRow } from '../../../lib/store/operator-log.ts';
import { listStores } from '../../../lib/store/stores.ts';
import { shownScopes } from '../deployment/keys.ts';
import { hasLog, logRows } from '../deployment/log.ts';
import { chooseStore, connect, type GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/errors.ts';
import { parseCount, parseStart } from '../terminal/input.ts';
import { type Column, printUpTo } from '../terminal/output.ts';

interface LogOptions extends GlobalOptions {
  since?: () => string;
  limit: number;
}

interface ShownRow extends LogRow {
  /** The store's name, while the store exists. */
  storeName: string | undefined;
}

const shownValue = (name: string, value: unknown): string => {
  if (name === 'scopes') return shownScopes(value as Scope[]);
  if (Array.isArray(value)) return value.map((one) => shownValue('', one)).join(' ');
  return typeof value === 'object' && value !== null ? shownDetails(value) : String(value);
};

/** Sorts by name, since the table keeps no order. */
const shownDetails = (details: object): string =>
  Object.entries(details)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${shownValue(name, value)}`)
    .join(', ');

const columns: Column<ShownRow>[] = [
  { heading: 'at', cell: ({ at }) => `${at.slice(0, 19).replace('T', ' ')}Z` },
  { heading: 'by', cell: ({ by }) => by, wraps: true },
  { heading: 'action', cell: ({ action }) => action },
  { heading: 'store', cell: ({ store, storeName }) => (store === null ? 'all' : (storeName ?? store)), wraps: true },
  { heading: 'details', cell: ({ details }) => shownDetails(details), wraps: true },
];

/** The id of the store that a person names. A deleted store has a log too, but only its id leads to it. */
const findStoreId = async (wanted: string): Promise<string> => {
  try {
    return (await chooseStore(wanted, true)).id;
  } catch (error) {
    if (error instanceof Failure && (await hasLog(wanted))) return wanted;
    throw error;
  }
};

const show = async (options: LogOptions): Promise<void> => {
  await connect(options);
  const store = options.store === undefined ? undefined : await findStoreId(options.store);
  // One row more than the limit tells whether there are more.
  const rows = await logRows(store, options.since?.())({ descending: true, limit: options.limit + 1 });
  const names = new Map((await listStores()).map(({ id, name }) => [id, name]));
  const shown = rows.map(({ at, by, action, store, details }): ShownRow => {
    const storeName = store === null ? undefined : names.get(store);
    return { at, by, action, store, storeName, details };
  });
  printUpTo(options.limit, shown, columns, 'The log has no such row.');
};

export const addLog = (program: StoreCommand): void => {
  program
    .command('log')
    .description(
      'Shows what this command has changed, the newest first: keys, stores, residents, webhooks, dispensers, imports and repairs, with the AWS identity or user who did it, and the keys that have ended themselves. With --store shows the changes of that store and those that concern all stores.',
    )
    .addOption(
      new Option('--since <when>', 'from then on: a duration ago (30d), a day (2027-12-31) or a time').argParser(
        parseStart,
      ),
    )
    .option('--limit <number>', 'how many at most', parseCount, 100)
    .examples('store log', 'store log --since 30d --store "My Store"', 'store log --since 2027-01-01 --json')
    .runs(show);
};
