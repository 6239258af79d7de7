import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/**
 * A small file that keeps how far a move has come in the list of customers, so that another run continues there. It
 * holds no data of the store and no key. Without the file, a move begins again, which takes longer and has the same
 * result.
 */

const Place = z.object({
  from: z.string(),
  cursor: z.string(),
  /** The number of customers before the cursor. */
  customers: z.number(),
  at: z.number(),
});

/** The service may forget a cursor, and customers that were read long ago must be read again anyway. */
const longestMillis = 6 * 3_600_000;

/** The file for the progress of a store's move, in the current directory. */
export const progressFile = (store: string, from: string) => {
  const path = `store-move-${store}.json`;
  return {
    path,
    /** The place that an earlier run from the same address reached; undefined if there is none. */
    read: (): { cursor: string; customers: number } | undefined => {
      try {
        const place = Place.parse(JSON.parse(readFileSync(path, 'utf8')));
        return place.from === from && Date.now() - place.at < longestMillis ? place : undefined;
      } catch {
        return undefined;
      }
    },
    write: (cursor: string, customers: number): void =>
      writeFileSync(path, JSON.stringify({ from, cursor, customers, at: Date.now() }), { mode: 0o600 }),
    remove: (): void => rmSync(path, { force: true }),
  };
};
