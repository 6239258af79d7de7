import { createHash } from 'node:crypto';
import { type LotsRead, prefixOf } from './lot.ts';
import type { CreditType, Lot } from './rules.ts';
import { attributes, type CreditItem, holdingOf } from './state.ts';

/**
 * Decides whether the lots that were read are whole: all lots that are open after the customer's last change, and no
 * other.
 *
 * A query sees the items of one transaction one by one, and the customer's next writer need not wait until all of them
 * are visible. So a query that follows the read of the customer may miss lots, and may find lots that have ended:
 *
 *     12:00:00  a removal ends lot L     its customer is visible at once, the end of L is not
 *     12:00:01  an addition makes lot Y  both are visible
 *     12:00:02  an addition makes lot X  its customer is visible, X is not
 *     12:00:03  a reader                 the customer counts X and Y; the query finds Y and L
 *
 * The number of lots and their sum agree with the customer's item, but L has ended, and X is missing. These rules find
 * that out:
 *
 * 1. Each change writes the customer on condition of the version. So the changes have one order, and the item is the
 *    state after one of them. A later change that touches a lot does no harm: the version then refuses the write.
 * 2. No open lot comes before the first due time, and none is in another epoch. The first lot must come due at that
 *    time.
 * 3. Lots are read to the end of their epoch, and their number and sum must agree with the customer's item. If none of
 *    these lots has ended, this is enough, since every open lot holds more than 0.
 * 4. If the plan ends or reduces a lot that has ended, the lot's own condition refuses the transaction. The checksum
 *    finds all other lots that have ended: it sums up a hash of each open lot's key and rest.
 * 5. If a customer's last change is over a minute old, the customer is at rest: all items are visible, by assumption,
 *    and not all lots need be read. If the place of the newest lot was read, the newest lot must be there.
 */

/** The time after which each item of a transaction is visible. This is an assumption: DynamoDB promises no time. */
const showMillis = 60_000;

/** Tells whether the last change of a customer's credit is old enough that each of its items is visible. */
export const isAtRest = ({ lastChange }: CreditItem, at: number): boolean =>
  lastChange === undefined || at - lastChange.t > showMillis;

/** The number, the sum and the hashes of some open lots. */
interface Checksum {
  count: number;
  /** In L$. */
  sum: number;
  /** The sum of their hashes. */
  hash: number;
}

const hashes = 2 ** 48;

const hashOf = ({ sk, remaining }: Lot): number =>
  createHash('sha256').update(`${sk} ${remaining}`).digest().readUIntBE(0, 6);

const noLots: Checksum = { count: 0, sum: 0, hash: 0 };

const withLot = ({ count, sum, hash }: Checksum, lot: Lot): Checksum => ({
  count: count + 1,
  sum: sum + lot.remaining,
  hash: (hash + hashOf(lot)) % hashes,
});

const withoutLot = ({ count, sum, hash }: Checksum, lot: Lot): Checksum => ({
  count: count - 1,
  sum: sum - lot.remaining,
  hash: (hash - hashOf(lot) + hashes) % hashes,
});

const sumUp = (lots: readonly Lot[]): Checksum => lots.reduce(withLot, noLots);

const writtenAs = ({ count, sum, hash }: Checksum): string | undefined =>
  count === 0 ? undefined : `${count} ${sum} ${hash.toString(36)}`;

/** The checksum of open lots, as the customer's item holds it; undefined for none. */
export const checksumOf = (lots: readonly Lot[]): string | undefined => writtenAs(sumUp(lots));

/**
 * The checksum of the customer's item. It counts only together with the count and the sum that it was made for.
 */
export const storedChecksum = (item: CreditItem, type: CreditType): string | undefined => {
  const { balance, unlotted, lots } = holdingOf(item, type);
  const checksum = item[attributes[type].checksum];
  return checksum?.startsWith(`${lots} ${balance - unlotted} `) ? checksum : undefined;
};

/** The checksum after a change that ends or reduces lots and adds others; undefined if `before` is not known. */
export const checksumAfter = (
  before: string | undefined,
  isFirst: boolean,
  { ended, added }: { ended: readonly Lot[]; added: readonly Lot[] },
): string | undefined => {
  if (isFirst) return checksumOf(added);
  if (before === undefined) return undefined;
  const [count = 0, sum = 0, hash = 0] = before
    .split(' ')
    .map((part, place) => Number.parseInt(part, place < 2 ? 10 : 36));
  return writtenAs(added.reduce(withLot, ended.reduce(withoutLot, { count, sum, hash })));
};

/** Tells whether the customer's item has a checksum that counts, and the lots that were read have another one. */
export const isChecksumOff = (item: CreditItem, type: CreditType, { open, reach }: LotsRead): boolean => {
  const checksum = storedChecksum(item, type);
  return reach === 'end' && checksum !== undefined && checksum !== checksumOf(open);
};

/**
 * Tells whether the lots that were read are whole, as far as they were read. A checksum that is wrong at rest is a bug
 * of ours, and no fault of the books: the next change corrects it.
 */
export const areWhole = (item: CreditItem, type: CreditType, read: LotsRead, atRest: boolean): boolean => {
  const { open, seen, touchedIn, reach, through } = read;
  const { balance, unlotted, lots, due } = holdingOf(item, type);
  if (open[0]?.expiresAt !== due) return false;
  if (reach === 'end') {
    const sum = open.reduce((all, { remaining }) => all + remaining, 0);
    return open.length === lots && sum === balance - unlotted && (atRest || !isChecksumOff(item, type, read));
  }
  if (reach === 'due' && touchedIn > (item.creditVersion ?? 0)) return false;
  const { newest, epoch } = attributes[type];
  const last = item[newest] ?? '';
  const first = `${prefixOf(type, item[epoch] ?? '')}${due}`;
  return last < first || last > through || seen.includes(last);
};
