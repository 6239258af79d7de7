import { type DayItem, type DaySum, type DaySums, dayKey } from '../events/days.ts';
import { unchanged, update } from '../table/language.ts';
import { writeUnstamped } from '../table/table.ts';

/** The sums of a day as they were read: the store's, or a vendor's. */
export interface ReadDay {
  day: string;
  vendor?: string | undefined;
  item: DayItem | undefined;
}

/** Adds to a day what its sums lack. Answers false if its item or a sum that `all` names has changed since. */
export const addToDay = async (
  store: string,
  { day, vendor, item }: ReadDay,
  lacking: DaySums,
  all: readonly DaySum[],
): Promise<boolean> => {
  const add = lacking as Record<string, number>;
  return (await writeUnstamped(update(dayKey(store, day, vendor), { add, when: unchanged(item, all) }))).done;
};
