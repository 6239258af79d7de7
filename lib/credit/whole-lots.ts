import { type LotsRead, prefixOf } from './lot.ts';
import type { CreditType } from './rules.ts';
import { attributes, type CreditItem, holdingOf } from './state.ts';

/** The time within which each item of a transaction shows: an assumption, since DynamoDB promises none. */
const showMillis = 60_000;

/** Tells whether the last change of a customer's credit is so long ago that each of its items shows. */
export const isAtRest = ({ lastChange }: CreditItem, at: number): boolean =>
  lastChange === undefined || at - lastChange.t > showMillis;

/**
 * Tells whether the lots belong to the customer's item, both as they were read. A query may see the items of a
 * transaction one by one, before or after their customer: so lots that were just added may be missing, and some that
 * just ended may still be open. Other changes of the customer may have come in between, since writers of an item need
 * not wait for the rest of its transaction: so only the count and the sum of all open lots tell.
 */
export const isWhole = (item: CreditItem, type: CreditType, read: LotsRead): boolean => {
  const { open, seen, touchedIn, reach, through } = read;
  const { balance, unlotted, lots, due } = holdingOf(item, type);
  if (open[0]?.expiresAt !== due) return false;
  const inLots = open.reduce((sum, { remaining }) => sum + remaining, 0);
  if (reach === 'end') return open.length === lots && inLots === balance - unlotted;
  if (reach === 'due' && touchedIn > (item.creditVersion ?? 0)) return false;
  const { newest, epoch } = attributes[type];
  const last = item[newest] ?? '';
  const first = `${prefixOf(type, item[epoch] ?? '')}${due}`;
  return last < first || last > through || seen.includes(last);
};
