import { logSink } from '../log.ts';
import { demandKnown } from '../shape.ts';
import { customerKey } from '../table/keys.ts';
import { is, update } from '../table/language.ts';
import { write } from '../table/table.ts';
import { changedIn, closing, lotPartition, otherOf, type PendingChange, reducing } from './lot.ts';
import { lotsOfEpoch } from './lots.ts';
import { earliest, isDue } from './rules.ts';
import type { CreditItem } from './state.ts';

const sideBySide = 25;

/**
 * Writes the pending part of a large change. Several requests may do this, even at once. If the time runs out, it
 * answers the due time of the next lot.
 */
const writePending = async (
  store: string,
  uuid: string,
  pending: PendingChange,
  hasTime: () => boolean,
): Promise<string | undefined> => {
  const { type, epoch, from = '', through, how, at, version, reduced } = pending;
  const changed = changedIn(pending);
  for await (const { some } of lotsOfEpoch(store, uuid, type, epoch, from)) {
    const open = some.filter((lot) => lot.state === 'open' && lot.sk <= through && lot.version < version);
    // A refusal means that another writer has closed the lot already.
    for (let i = 0; i < open.length; i += sideBySide) {
      if (!hasTime()) return open[i]?.expiresAt;
      await Promise.all(
        open
          .slice(i, i + sideBySide)
          .map((lot) => write(closing(lot, isDue(lot.expiresAt, at) ? 'expired' : how, pending, changed))),
      );
    }
    if ((some.at(-1)?.sk ?? '') > through) break;
  }
  const lot = { pk: lotPartition(store, uuid), sk: reduced?.sk ?? '' };
  if (reduced) await write(reducing(lot, reduced.from, reduced.to, changed));
  return undefined;
};

/**
 * Writes the pending part of an earlier large change, and notes that it is done. If the time runs out, it notes how far
 * it came, so that the next request goes on there, and returns false. Throws LaterShape for a change that only a later
 * version can write.
 */
export const finishPending = async (store: string, item: CreditItem, hasTime: () => boolean): Promise<boolean> => {
  if (!item.pending) return true;
  demandKnown(item.pending);
  const isSame = is('pending.id', item.pending.id);
  for (let pending: PendingChange | undefined = item.pending; pending; pending = otherOf(pending)) {
    const from = await writePending(store, item.sk, pending, hasTime);
    if (from === undefined) continue;
    await write(update(customerKey(store, item.sk), { set: { pending: { ...pending, from } }, when: isSame }));
    return false;
  }
  // While a change is pending nothing else moves the due times: every other change finishes it first.
  const due = earliest(item.creditDue, item.restrictedDue);
  await write(
    update(customerKey(store, item.sk), {
      set: { pending: undefined, due, ...(due === undefined && { dues: undefined }) },
      when: isSame,
    }),
  );
  return true;
};

/** Finishes a pending change, or leaves it to the sweep. The change has succeeded, even if some lots are still open. */
export const tryToFinishPending = async (store: string, item: CreditItem, hasTime: () => boolean): Promise<void> => {
  try {
    await finishPending(store, item, hasTime);
  } catch (error) {
    logSink.write({ level: 'WARN', unsettled: item.sk, stack: error instanceof Error ? error.stack : String(error) });
  }
};
