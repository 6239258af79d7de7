import { merged, type Source } from '../lists/source.ts';
import { partition } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { rowsOf } from '../table/table.ts';

/** Lists of a store's buyers by what they have spent. They hold the spend items, so a sale writes no other item. */

/**
 * The list of a buyer, which depends on their subscription. A partition of an index takes 1,000 writes a second. If the
 * list were spread over several partitions, each read of it would cost more.
 */
export const spendListOf = (store: string, isSubscribed: boolean): string =>
  partition(store, 'SPEND', `news${Number(isSubscribed)}`);

/** A buyer's place by spend: sums of one length, then the UUID. */
const rankOf = (sum: number, uuid: string): string => `${String(sum).padStart(16, '0')}#${uuid}`;

/** A buyer's place in their list, as an attribute of the spend item. A buyer who has spent nothing is in no list. */
export const rankedBy = (sum: number, uuid: string) => ({ rank: sum > 0 ? rankOf(sum, uuid) : undefined });

/** The rows of the buyers who have spent more than a sum, by what they have spent. */
export const spentMoreThan = (
  store: string,
  sum: number,
  isSubscribed: boolean | undefined,
): Source<Key & { rank: string }> => {
  const first = rankOf(sum + 1, '');
  const lists = [false, true].filter((one) => one === (isSubscribed ?? one)).map((one) => spendListOf(store, one));
  const rows = (list: string) => rowsOf<Key & { rank: string }>({ partition: list, index: 'byRank', first });
  return merged(lists.map(rows), ({ rank }) => rank);
};
