import { now, timestamp } from '../clock.ts';
import { logSink } from '../log.ts';
import { isLater } from '../shape.ts';
import { answer, decide, writeOne } from '../table/decide.ts';
import { all, is, update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, inChunks, pagesOf } from '../table/table.ts';
import { dueList } from './register.ts';
import { isOverdue, lostMillis, type VendorItem } from './vendors.ts';

const sideBySide = 10;

/** Notes that a vendor is lost or, if it has registered meanwhile, the next time at which it may be lost. */
const visit = (key: Key): Promise<void> =>
  decide(async () => {
    const vendor = await get<VendorItem>(key);
    const at = timestamp(now());
    // The index may be a moment old.
    if (!vendor || isLater(vendor) || (vendor.due ?? '~') > at) return answer(undefined);
    const { seenAt, due } = vendor;
    const set = isOverdue(vendor)
      ? { lostAt: at, dues: undefined, due: undefined }
      : { due: timestamp(Date.parse(seenAt) + lostMillis) };
    return writeOne(update(vendor, { set, when: all(is('seenAt', seenAt), is('due', due)) }), {
      result: () => undefined,
    });
  });

/**
 * Notes which vendors of all stores are lost, for as long as `hasTime` allows. Answers the number of vendors for which
 * it failed: the log says why, and they stay due.
 */
export const loseVendors = async (hasTime: () => boolean): Promise<number> => {
  let failed = 0;
  for await (const rows of pagesOf<Key>({ partition: dueList, index: 'byDue', last: timestamp(now()) }, 100))
    for (const some of inChunks(rows, sideBySide)) {
      if (!hasTime()) return failed;
      for (const end of await Promise.allSettled(some.map(visit)))
        if (end.status === 'rejected') {
          failed += 1;
          logSink.write({ level: 'ERROR', vendors: 'due', stack: String(end.reason?.stack ?? end.reason) });
        }
    }
  return failed;
};
