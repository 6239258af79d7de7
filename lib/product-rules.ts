import { trimmed } from './normalise.ts';

/**
 * The rules across the fields of a product. The service refuses requests and imports by them. The desk uses them to say
 * which rows of a file would be refused, so this file imports only how texts are read.
 */

/** Takes a fault with its field. */
type Report = (field: string, message: string) => void;

/** A body as it was sent: a missing field is undefined, and a wrong field has the value that was sent. */
type Sent = Record<string, unknown>;

const maxAmount = 2_147_483_647;
export const discountWords = `must be a number from 0 to 100 for type 0, or a whole number of L$ from 0 to ${maxAmount} for types 1 and 2`;

export const discountFaults = ({ value, type, startDate, endDate }: Sent, report: Report): void => {
  const isIn = (number: number): boolean =>
    number >= 0 && (type === 0 ? number <= 100 : Number.isInteger(number) && number <= maxAmount);
  if (typeof value === 'number' && !isIn(value)) report('value', discountWords);
  if (typeof startDate === 'string' && typeof endDate === 'string' && endDate <= startDate)
    report('endDate', 'must be later than startDate');
};

/** True if the virtual world's inventory accepts a text as an item's name. */
export const isItemName = (value: string): boolean => /^[\x20-\x7b\x7d-\x7e]{1,63}$/.test(value);

export const itemWords = 'must be 1 to 63 printable ASCII characters without |';

/** The service looks up the resident of each share, so their number is limited. */
export const maxShares = 100;
export const sharesWords = `must be an array of at most ${maxShares} shares`;
export const shareWords = 'must be a number over 0 and at most 100';

const sumOfPercents = (shares: readonly unknown[]): number =>
  shares.reduce<number>((sum, share) => {
    const percent = (share as { percent?: unknown } | null)?.percent;
    return typeof percent === 'number' ? sum + percent : sum;
  }, 0);

export const productFaults = ({ name, item, profitShares }: Sent, report: Report): void => {
  // A blank name has its own fault, so the item gets none.
  if (item === undefined && typeof name === 'string' && trimmed(name) !== '' && !isItemName(name))
    report('item', `is required here, since the name is no legal item name: it ${itemWords}`);
  // Binary rounding may push a sum of fractions such as 33.3 + 66.7 over 100.
  if (Array.isArray(profitShares) && sumOfPercents(profitShares) > 100 + 1e-9)
    report('profitShares', 'must add up to at most 100 percent');
};

/** The fault of shares of known users, in addition to the fault of their sum. */
export const shareFault = (shares: readonly { userUuid: string; percent: number }[]): string | undefined => {
  if (shares.length > maxShares) return sharesWords;
  if (shares.some(({ percent }) => percent <= 0 || percent > 100)) return shareWords;
  const isTwice = new Set(shares.map(({ userUuid }) => userUuid)).size < shares.length;
  return isTwice ? 'must have one share for each user: two are the same user’s' : undefined;
};
