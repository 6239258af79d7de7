import { dayOf } from '../../../lib/events/days.ts';
import { addToDay, type ReadDay } from '../../../lib/operator/days.ts';
import { streamEnd } from '../../../lib/operator/history-gaps.ts';
import { type DayDifference, daySums, readDays, recountItems } from '../kinds/days.ts';

/** Gives days the sums that their items come to, where the stream has lost the records of changes. */

/** A day whose sums are wrong, as it was read. */
export interface WrongDay extends ReadDay {
  sums: DayDifference[];
}

/**
 * The days whose sums are not what was recorded, of those of which the stream has no record any more: the consumer may
 * still count a later one. The days are read first, so that a day which changes meanwhile is refused.
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

/** Adds to a day what its sums lack. Answers false where the day has changed since it was read. */
export const correctDay = (store: string, wrong: WrongDay): Promise<boolean> => {
  const lacking = Object.fromEntries(wrong.sums.map(({ name, is, recorded }) => [name, recorded - is]));
  return addToDay(store, wrong, lacking, daySums);
};
