import { followNames } from '../avatars/customer-names.ts';
import {
  cacheMillis,
  type RenameMark,
  type Resident,
  readResident,
  type StoredResident,
} from '../avatars/residents.ts';
import { ownersCoupons } from '../catalogue/coupons.ts';
import { ownersCards } from '../catalogue/gift-cards.ts';
import { now, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { customerKey, payeeKey, residentKey, spendKey, storeOf } from '../table/keys.ts';
import { all, exists, is, update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, inChunks, pagesOf, write } from '../table/table.ts';
import { listStores } from './stores.ts';

/**
 * Items of stores hold copies of a resident's name, because answers carry the current name. A rename marks the
 * resident. Then the copies are renamed twice: at once, and when no process can write the old name any more.
 */

const renamedPartition = 'RESIDENT#RENAMED';

/** Marks a resident whose name changes now. */
export const renameMark = (): Required<RenameMark> => {
  const at = timestamp(now());
  return { renamedAt: at, dues: renamedPartition, due: at };
};

/** Sets the name on an item that holds a copy of it. Does nothing if the item is gone. */
const renameCopy = (key: Key, username: string, attribute = 'username') =>
  write(update(key, { set: { [attribute]: username }, when: exists }));

/** Renames every copy of a resident's name in a store. */
export const renameInStore = async (store: string, { uuid, username }: Resident): Promise<void> => {
  const everything = { descending: false };
  const [coupons, cards] = await Promise.all([
    ownersCoupons(store, uuid)(everything),
    ownersCards(store, uuid)(everything),
  ]);
  const named = [customerKey(store, uuid), spendKey(store, uuid), payeeKey(store, uuid)];
  await Promise.all(named.map((key) => renameCopy(key, username)));
  await followNames(store, [uuid]);
  for (const coupon of coupons) await renameCopy(coupon, username, 'couponOwnerUsername');
  for (const card of cards) await renameCopy(card, username, 'ownerUsername');
};

/** A process remembers the old name for `cacheMillis`, and a request that has read it may run a little longer. */
const oldNameMillis = cacheMillis + 60_000;

/** Renames the copies of a marked resident's name. The mark stays until nobody can write the old name any more. */
export const followRename = async (key: Key): Promise<void> => {
  const marked = await get<StoredResident>(key);
  if (!marked?.renamedAt) return;
  const { uuid, username, renamedAt } = marked;
  const isShared = key.pk === residentKey(uuid).pk;
  const stores = isShared ? (await listStores()).map(({ id }) => id) : [storeOf(key)];
  for (const store of stores) {
    // The operator's word wins over what a store was told.
    const resident = isShared ? marked : await readResident(store, { uuid });
    if (resident) await renameInStore(store, resident);
  }
  const safeAt = Date.parse(renamedAt) + oldNameMillis;
  const next = now() < safeAt ? { due: timestamp(safeAt) } : { renamedAt: undefined, dues: undefined, due: undefined };
  // A rename since then has put a new mark there.
  await write(update(key, { set: next, when: all(is('renamedAt', renamedAt), is('username', username)) }));
};

/** The renames that one sweep followed. */
interface RenameReport {
  renamed: number;
  /** Residents for whom it failed. The next sweep takes them up. */
  failed: number;
  finished: boolean;
}

const sideBySide = 10;

/**
 * Follows every rename that is due, in all stores, for as long as `hasTime` allows. A newly met avatar counts as a
 * rename too, so a crowd of newcomers makes many.
 */
export const followRenames = async (by: string, hasTime: () => boolean): Promise<RenameReport> => {
  const followed: RenameReport = { renamed: 0, failed: 0, finished: true };
  const follow = async (key: Key): Promise<void> => {
    try {
      await followRename(key);
      followed.renamed += 1;
    } catch (error) {
      followed.failed += 1;
      logSink.write({ level: 'ERROR', sweep: by, stack: error instanceof Error ? error.stack : String(error) });
    }
  };
  const due = pagesOf<Key>({ partition: renamedPartition, index: 'byDue', last: timestamp(now()) }, 100);
  for await (const rows of due)
    for (const some of inChunks(rows, sideBySide)) {
      if (!hasTime()) return { ...followed, finished: false };
      await Promise.all(some.map(follow));
    }
  return followed;
};
