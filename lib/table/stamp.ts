import { newId } from '../clock.ts';
import { ofProcess } from '../process.ts';
import { all, any, below, type Condition, copyOf, isKnown, missing, type Update } from './language.ts';

/**
 * An update that does not add leaves a stamp on its item, newer than the one that it finds, and is refused where it
 * finds a newer one. So a copy of it that arrives late, or once more, does not undo what was written since: see
 * docs/adr/0026-stamps.md.
 */
export interface Stamped {
  /**
   * The id of the last such update; it sorts by time. Absent from items of earlier versions and where none was made.
   */
  stamp?: string;
  /** The stamp before; empty if there was none. */
  earlierStamp?: string;
}

/** The milliseconds since 1970 with which a UUIDv7 begins. */
export const millisOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const later = (id: string, than: string): string => (id > than ? id : newId(millisOf(than) + 1));

const newest = ofProcess(() => ({ stamp: '' }));

/** A new stamp: newer than every other of this process, and than that of `found`. */
export const newStamp = (found?: Stamped): string => {
  const own = newest();
  own.stamp = later(newId(), own.stamp);
  return later(own.stamp, found?.stamp ?? '');
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

/** The item with the stamp of a write that replaces `found`. */
export const stamped = <T extends object>(item: T, found: Stamped): T & Stamped => ({
  ...item,
  stamp: newStamp(found),
  earlierStamp: found.stamp ?? '',
});

/** The item without its stamps, to be compared with another. */
export const withoutStamps = <T extends Stamped>({ stamp, earlierStamp, ...item }: T) => item;
