import { NoAnswer, Refused } from './api.ts';
import type { Speech } from './language.ts';
import type { Words } from './words/en.ts';

/** The service's refusals, in the words of the page. */

type Plain = {
  [Name in keyof Words['faults']]: Words['faults'][Name] extends string ? Name : never;
}[keyof Words['faults']];

/** Parts of the service's own messages, which tests hold to its code. */
export const refusals: readonly (readonly [part: string, words: Plain])[] = [
  ['was sent to this customer less than 60 seconds ago', 'tooSoon'],
  ['The customer does not own the product.', 'notOwned'],
  ['The customer may not have copies of the product.', 'noCopy'],
  ['card cannot be redeemed any more.', 'cardGone'],
  ['card names none of your cards', 'cardGone'],
  ['take the balance above the credit limit', 'tooMuch'],
];

/** The service's message for a page that has done all its acts. */
export const allDone = 'This page has done all that one page may do.';

/** Says why an act was refused or got no answer. `end` is the page's end. Throws what is no failure of a call. */
export const explain = (error: unknown, { t, clock }: Speech, end: string, now = Date.now()): string => {
  if (error instanceof NoAnswer) return t.faults.noAnswer;
  if (!(error instanceof Refused)) throw error;
  const { status, detail, seconds } = error;
  if (status === 429) {
    return detail.startsWith(allDone)
      ? t.faults.noMoreActs(clock(end))
      : t.faults.busy(clock(now + 1000 * Math.max(60, seconds)));
  }
  if (status === 404) return t.faults.noProduct;
  const [, words = 'other'] = refusals.find(([part]) => detail.includes(part)) ?? [];
  return t.faults[words];
};
