import { isDeepStrictEqual } from 'node:util';
import { idAt, millisOf, newId } from '../clock.ts';
import type { Signed } from './actor.ts';
import { all, any, below, type Condition, copyOf, isKnown, missing, type Update, type Write } from './language.ts';

/**
 * An update that does not add leaves a stamp on its item, newer than the stamp that it finds. It is refused if it finds
 * a newer one. So a copy of the update that arrives late, or a second time, does not undo what was written since. See
 * docs/adr/0012-table-language.md, Stamps.
 */
export interface Stamped {
  /** The id of the last such update; it sorts by time. Absent if there was none. */
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

/** The update with its stamp. Refused if the item has a newer stamp, or if only a later version can read it. */
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
 * A write of a transaction in its place among the updates of its item, if it is made from the item as it was read.
 * Other writes stay as they are: an addition leaves no stamp, and a write that its own condition holds back needs none.
 */
export const inPlace = (write: Write): Write => {
  if (write.kind === 'update' && write.found && !write.change.add) return inOrder(write, newStamp(write.found));
  if (write.kind !== 'put' || !write.found) return write;
  const { stamp = '' }: Stamped = write.found;
  // A late copy would find all attributes as they were read, if others have changed them and changed them back.
  const when = stamp === '' ? all(write.when, missing('stamp')) : write.when;
  return { ...write, when, item: { ...write.item, stamp: newStamp({ stamp }), earlierStamp: stamp } };
};

/** The item without its stamps and its signature, for a comparison. */
export const withoutStamps = <T extends Stamped & Signed>({ stamp, earlierStamp, by, ...item }: T) => item;

/** Tells whether a stored item and another are the same but for their stamps and signatures. */
export const isSameItem = (stored: object, other: object): boolean =>
  isDeepStrictEqual(withoutStamps(stored), withoutStamps(other));
