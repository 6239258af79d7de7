import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/**
 * A small file that notes how far a move has come in the list of customers, so that another run continues there. It
 * holds no data of the store and no key. Without it a move begins again, which takes longer and gives the same result.
 */

const Place = z.object({
  from: z.string(),
  cursor: z.string(),
  /** The customers before the cursor. */
  customers: z.number(),
  at: z.number(),
});

/** A service may forget a cursor, and what was read long ago must be read again anyway. */
const longestMillis = 6 * 3_600_000;

/** The file in which the move of this store notes its progress. */
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
