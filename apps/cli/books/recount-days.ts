import { dayOf } from '../../../lib/events/days.ts';
import { addToDay, type ReadDay } from '../../../lib/operator/days.ts';
import { streamEnd } from '../../../lib/operator/history-gaps.ts';
import { type DayDifference, daySums, readDays, recountItems } from '../kinds/days.ts';

/** Corrects the sums of days whose records the stream has lost. The new sums are what the items add up to. */

/** A day whose sums are wrong, as it was read. */
export interface WrongDay extends ReadDay {
  sums: DayDifference[];
}

/**
 * Finds days whose sums are wrong and whose records the stream no longer holds. The consumer may still count the
 * records of later days. It reads the days first, so that `correctDay` notices a day that changes meanwhile.
 */
export const findWrongDays = async (store: string, onChecked: (count: number) => void): Promise<WrongDay[]> => {
  const items = await readDays(store);
  const recount = await recountItems(store, onChecked);
  for (const item of items) recount.add(item);
  const end = dayOf(streamEnd());
  const differences = recount.differences().filter(({ day }) => day < end);
  return Object.values(Object.groupBy(differences, ({ day, vendor = '' }) => `${day} ${vendor}`)).map((sums = []) => {
    const { day = '', vendor } = sums[0] ?? {};
    const item = vendor ? recount.vendorDay(day, vendor) : items.find(({ sk }) => sk === day);
    return { day, vendor, item, sums };
  });
};

/** Adds to a day's sums what they lack. Answers false if the day has changed since it was read. */
export const correctDay = (store: string, wrong: WrongDay): Promise<boolean> => {
  const lacking = Object.fromEntries(wrong.sums.map(({ name, is, recorded }) => [name, recorded - is]));
  return addToDay(store, wrong, lacking, daySums);
};
