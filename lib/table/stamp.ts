import { isDeepStrictEqual } from 'node:util';
import { idAt, millisOf, newId } from '../clock.ts';
import { all, any, below, type Condition, copyOf, isKnown, missing, type Update, type Write } from './language.ts';

/**
 * An update that does not add leaves a stamp on its item, newer than the one that it finds, and is refused where it
 * finds a newer one. So a copy of it that arrives late, or once more, does not undo what was written since: see
 * docs/adr/0012-table-language.md, Stamps.
 */
export interface Stamped {
  /**
   * The id of the last such update; it sorts by time. Absent where none was made.
   */
  stamp?: string;
  /** The stamp before; empty if there was none. */
  earlierStamp?: string;
}

/** A new stamp: newer than every other of this process, and than that of `found`. */
export const newStamp = (found?: Stamped): string => {
  const stamp = newId();
  const earlier = found?.stamp ?? '';
  return stamp > earlier ? stamp : idAt(millisOf(earlier) + 1);
};

/** The update with its stamp, refused where the item has a newer one, and where only a later version can read it. */
export const inOrder = ({ change, ...write }: Update, stamp: string): Update => {
  const isNewest: Condition = any(missing('stamp'), below('stamp', stamp));
  return {
    ...write,
    change: {
      ...change,
      set: { ...change.set, stamp, earlierStamp: copyOf('stamp', '') },
      when: all(change.when, isNewest, isKnown),
    },
  };
};

/**
 * A write of a transaction in its place among the updates of its item, where it is made of the item as it was read.
 * Others are as they were: an addition leaves no stamp, and what only a condition of its own holds back needs none.
 */
export const inPlace = (write: Write): Write => {
  if (write.kind === 'update' && write.found && !write.change.add) return inOrder(write, newStamp(write.found));
  if (write.kind !== 'put' || !write.found) return write;
  const { stamp = '' }: Stamped = write.found;
  return { ...write, item: { ...write.item, stamp: newStamp({ stamp }), earlierStamp: stamp } };
};

/** The item without its stamps, to be compared with another. */
export const withoutStamps = <T extends Stamped>({ stamp, earlierStamp, ...item }: T) => item;

/** Tells whether a stored item and another are the same but for their stamps. */
export const isSameItem = (stored: object, other: object): boolean =>
  isDeepStrictEqual(withoutStamps(stored), withoutStamps(other));
