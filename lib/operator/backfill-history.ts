import { now, timestamp } from '../clock.ts';
import { historyKey } from '../credit/history.ts';
import { creditTypes } from '../credit/rules.ts';
import { asCredited, type CreditItem, type LastChange, storedChange } from '../credit/state.ts';
import { recordRows } from '../events/history.ts';
import { answer, decide, readAgain } from '../table/decide.ts';
import { customerKey } from '../table/keys.ts';
import { all, missing, update } from '../table/language.ts';
import { write } from '../table/table.ts';
import { type RecordedChange, readHistory, recordedChanges } from './audit-history.ts';
import { type AddedRows, balancesOf, type Gap, gapAfterRestore, planGaps, rowsOfGap, typesIn } from './history-gaps.ts';
import { type LostParts, planParts } from './history-parts.ts';
import { writeLostRows } from './lost-rows.ts';
import { readCredit, type StoredCredit } from './read-credit.ts';

/**
 * Gives customers the history that the stream cannot give: an opening for credit from before history began, rows for
 * changes whose records the stream has lost, parts of lots whose records it has lost, and rows that lead back to the
 * balances if history continued without the customer, as after a restore.
 */

/** The backfill of one customer or, in `faults`, the reasons against it. */
export interface Backfill {
  rows: AddedRows[];
  faults: string[];
}

/** Reads a customer's credit, and the changes in their history, at a moment without another change. */
const readRest = (store: string, uuid: string): Promise<StoredCredit & { changes: RecordedChange[] }> =>
  decide(async () => {
    const credit = await readCredit(store, uuid);
    if (!credit) return readAgain();
    const version = credit.item?.creditVersion ?? 0;
    const changes = recordedChanges(await readHistory(store, uuid));
    // A change made after the customer was read may have a number beyond their version without a fault.
    const isSettled =
      (changes.at(-1)?.sequence ?? 0) <= version || (await readCredit(store, uuid))?.item?.creditVersion === version;
    return isSettled ? answer({ ...credit, changes }) : readAgain();
  });

/** The opening of a customer who had credit before history began: one number for each type that they hold. */
const openingOf = (item: CreditItem): AddedRows | undefined => {
  const { creditVersion = 0 } = item;
  const balances = balancesOf(item);
  const held = creditTypes.filter((type) => balances[type] > 0);
  if (item.lastChange || held.length === 0) return undefined;
  return { kind: 'opening', first: creditVersion + 1, last: creditVersion + held.length, ...balances };
};

/**
 * Everything that a customer's history lacks and can get. At most one of `restored`, `opening`, `gaps` and `parts` is
 * set: the first that applies.
 */
interface BackfillPlan extends Partial<StoredCredit> {
  restored?: Gap | undefined;
  opening?: AddedRows | undefined;
  gaps?: Gap[];
  parts?: LostParts[];
  faults?: string[];
}

const planBackfill = async (store: string, uuid: string): Promise<BackfillPlan> => {
  const { item, lots, changes } = await readRest(store, uuid);
  if (!item) return {};
  const restored = gapAfterRestore(item, changes);
  if (restored && item.pending)
    return { item, lots, faults: [`customer ${uuid}: a large change is under way, try again later.`] };
  if (restored) return { item, lots, restored };
  const opening = openingOf(item);
  if (opening || !item.lastChange) return { item, lots, opening };
  const { gaps, faults } = planGaps(item, changes);
  if (gaps.length > 0 || faults.length > 0) return { item, lots, gaps, faults };
  return { item, lots, ...planParts(item, changes, lots) };
};

const backfillOf = ({ restored, opening, gaps = [], parts = [], faults = [] }: BackfillPlan): Backfill => ({
  rows: [restored ?? [], opening ?? [], gaps, parts].flat(),
  faults,
});

/** Finds what a customer's history lacks and can get, and writes nothing. Throws 503 if the credit keeps changing. */
export const findBackfill = async (store: string, uuid: string): Promise<Backfill> =>
  backfillOf(await planBackfill(store, uuid));

/**
 * Raises a customer's version to the number of rows that exist already or that the consumer makes from this write.
 * Answers whether the credit was still as it was read.
 */
const raise = async (store: string, item: CreditItem, creditVersion: number, lastChange: LastChange) => {
  const isImported = item.importedVersion !== undefined && item.importedVersion === item.creditVersion;
  const { done } = await write(
    update(customerKey(store, item.sk), {
      set: {
        creditVersion,
        lastChange: storedChange(lastChange),
        ...(isImported && { importedVersion: creditVersion }),
      },
      when: all(asCredited(item), lastChange.kind === 'opening' ? missing('lastChange') : missing('pending')),
    }),
  );
  return done;
};

/**
 * Gives a customer the history that they lack, and answers like `findBackfill`. Each gap is closed once with the sums
 * of its days, however often this runs. An opening raises the customer's version, unless the credit has changed since:
 * then the consumer makes the opening. The rows after a restore are written before the version is raised, so the
 * consumer finds them. Throws 503 if the credit changes all the time.
 */
export const backfill = async (store: string, uuid: string): Promise<Backfill> => {
  const plan = await planBackfill(store, uuid);
  const { item, lots = [], restored, opening, gaps = [], parts = [] } = plan;
  if (!item) return backfillOf(plan);
  for (const gap of restored ? [restored] : gaps) await writeLostRows(store, rowsOfGap(store, uuid, gap, lots));
  await recordRows(
    parts.map(({ type, first, lots: its }) => ({ key: historyKey(store, uuid, type, first), parts: { lots: its } })),
  );
  if (restored) {
    const types = typesIn(restored).map((type) => ({ type }));
    await raise(store, item, restored.last, { kind: 'unrecorded', at: restored.at, types } as LastChange);
  }
  if (!opening) return backfillOf(plan);
  const types = creditTypes.filter((type) => balancesOf(item)[type] > 0).map((type) => ({ type }));
  const done = await raise(store, item, opening.last, { kind: 'opening', at: timestamp(now()), types });
  return { rows: done ? [opening] : [], faults: [] };
};
