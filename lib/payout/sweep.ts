import { now, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { isLater } from '../shape.ts';
import { answer, decide, readAgain, writeAll } from '../table/decide.ts';
import type { Key } from '../table/schema.ts';
import { get, inChunks, pagesOf } from '../table/table.ts';
import { movedTo } from './judge.ts';
import { dueList, type PayoutItem } from './payouts.ts';
import { withPayee, writesBetween } from './settle.ts';

const sideBySide = 10;

/** Gives up a claimed payout that is due: nobody knows whether it was paid. */
const giveUp = (key: Key): Promise<void> =>
  decide(async () => {
    const payout = await get<PayoutItem>(key);
    const at = timestamp(now());
    // The index may be a moment old.
    if (!payout || isLater(payout) || payout.state !== 'claimed' || (payout.due ?? '') > at) return answer(undefined);
    const before = await withPayee(payout);
    if (!before) return readAgain();
    return writeAll(writesBetween(before, movedTo(before, 'unknown', {}, { at })), { result: undefined });
  });

/**
 * Gives up the claimed payouts of all stores that were not reported in time, for as long as `hasTime` allows. Answers
 * the number of payouts for which it failed: the log says why, and they stay due.
 */
export const giveUpClaims = async (hasTime: () => boolean): Promise<number> => {
  let failed = 0;
  for await (const rows of pagesOf<Key>({ partition: dueList, index: 'byDue', last: timestamp(now()) }, 100))
    for (const some of inChunks(rows, sideBySide)) {
      if (!hasTime()) return failed;
      for (const end of await Promise.allSettled(some.map(giveUp)))
        if (end.status === 'rejected') {
          failed += 1;
          logSink.write({ level: 'ERROR', payouts: 'claimed', stack: String(end.reason?.stack ?? end.reason) });
        }
    }
  return failed;
};
