import type { CreditItem } from '../../../lib/credit/state.ts';
import { historyAhead } from '../../../lib/operator/audit-history.ts';
import { endPages } from '../../../lib/operator/end-pages.ts';
import { type ApiKey, findKey, isLive, keyFacts } from '../../../lib/store/api-keys.ts';
import { copyState, listKeys } from '../../../lib/store/issued-keys.ts';
import { listStores, type Store } from '../../../lib/store/stores.ts';
import { partition } from '../../../lib/table/keys.ts';
import { pagesOf } from '../../../lib/table/table.ts';
import { isCurrent, keyColumns, shown } from '../deployment/keys.ts';
import { openLog } from '../deployment/log.ts';
import { inTable } from '../deployment/restored-table.ts';
import { connect, type GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UsageError } from '../terminal/errors.ts';
import { counted, note, print } from '../terminal/output.ts';

interface RestoreOptions extends GlobalOptions {
  table: string;
  against?: string;
  dryRun?: boolean;
}

const allKeys = async (): Promise<ApiKey[]> => {
  const keys: ApiKey[] = [];
  for (const { id } of await listStores()) keys.push(...(await listKeys(id)));
  return keys;
};

const keyEnd = ({ expiresAt }: ApiKey): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);

/**
 * Says whether the restored key is live although the other table's copy is revoked, or ends earlier after a rotation.
 * An invitation is live again if it was revoked or accepted.
 */
const isRevived = (restored: ApiKey, other: ApiKey): boolean =>
  restored.status !== 'revoked' && (other.status !== restored.status || keyEnd(other) < keyEnd(restored));

/**
 * Counts, for each store, the customers whose history has later changes than their item. DynamoDB does not restore all
 * items as of the same moment.
 */
const countAhead = async (): Promise<{ store: Store; count: number }[]> => {
  const found: { store: Store; count: number }[] = [];
  for (const store of await listStores()) {
    let count = 0;
    for await (const items of pagesOf<CreditItem>({ partition: partition(store.id, 'CUSTOMER') }, 1000))
      count += (await historyAhead(store.id, items)).length;
    if (count > 0) found.push({ store, count });
  }
  return found;
};

/**
 * Calls `end` for each key that is live in a restored table although it is revoked or rotated in `against`. Answers
 * these keys, the number of live keys that the table lacks, and the stores with customers from `countAhead`.
 */
export const checkRestored = async (table: string, against: string, end: (key: ApiKey) => Promise<void>) => {
  const keys = await inTable(against, allKeys);
  const revived: ApiKey[] = [];
  let missing = 0;
  const ahead = await inTable(table, async () => {
    // Reads the table even if there is no key to look up, so that a mistyped name fails.
    await listStores();
    for (const key of keys) {
      const restored = await findKey(key.id);
      if (!restored && isCurrent(key)) missing++;
      if (!restored || !isRevived(restored, key)) continue;
      await end(key);
      revived.push(key);
    }
    return countAhead();
  });
  return { revived, missing, ahead };
};

/** Ends all pages of customers in a table: one that a customer ended would be open there until its hour is over. */
const endAllPages = async (): Promise<void> => {
  for (const { id } of await listStores()) await endPages(id);
};

/** Ends the keys of a restored table that were revoked or rotated after the restored time, and the customers' pages. */
const check = async (options: RestoreOptions): Promise<void> => {
  const target = await connect(options);
  const against = options.against ?? target.tableName;
  if (options.table === against)
    throw new UsageError(`--table ${against} is the table to compare with. Name the one from before by --against.`);
  const log = options.dryRun ? undefined : await openLog(target);
  const { revived, missing, ahead } = await checkRestored(options.table, against, async (key) => {
    // The code of an invitation that was accepted since would work again, and its key would not.
    const action = isLive(key) && key.acceptedAt !== undefined ? 'key.accepted' : 'key.ended';
    if (log) await copyState(key, log(action, key.store, keyFacts(key)));
  });
  if (!options.dryRun) await inTable(options.table, endAllPages);
  print(
    revived.map((key) => ({ ...shown(key, target), store: key.store })),
    [{ heading: 'store', cell: ({ store }) => store }, ...keyColumns],
    `No key of ${options.table} lives on that was revoked or rotated in ${against}.`,
  );
  if (revived.length > 0)
    note(`${options.dryRun ? 'Would end' : 'Ended'} ${counted(revived.length, 'key')} in ${options.table}.`);
  if (missing > 0)
    note(
      `${counted(missing, 'live key')} of ${against} ${missing === 1 ? 'is' : 'are'} not in ${options.table}: issue new ones after the switch.`,
    );
  for (const { store, count } of ahead)
    note(
      `The history of ${counted(count, 'customer')} of ${store.name} has changes beyond their last: run store credit backfill --store ${store.id} after the switch, before your clients start.`,
    );
};

export const addRestoreCheck = (program: StoreCommand): void => {
  program
    .command('restore-check')
    .description(
      'Ends the keys of a restored table that were revoked or rotated since, and all pages of customers, and says whose history is beyond their credit. A restore brings keys back to life: run this before the service uses the table.',
    )
    .requiredOption('--table <name>', 'the restored table, whose keys are checked and ended')
    .option('--against <name>', 'the table with the latest keys (default: the one that the deployment uses)')
    .option('--dry-run', 'only list the keys and count the customers')
    .examples(
      'store restore-check --stage prod --table store-restored',
      'store restore-check --stage prod --table store-restored --dry-run',
    )
    .runs(check);
};
