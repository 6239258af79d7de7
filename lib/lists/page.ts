import { invalid } from '../problem.ts';
import { type Cursor, sealCursor } from './cursor.ts';

/**
 * Every list works the same way:
 *
 *     export const handler = endpoint(listCategories, ({ store, list }) => page(list, listCategories(store), byId));
 *
 * A list is a source: it answers the rows of a range in the list's order, up to a limit, and fewer only where there
 * are no more. Pages, cursors and the two directions are made of that here and nowhere else.
 */
export type Source<T> = (range: Range) => Promise<T[]>;

interface Range {
  /** From the end of the list to its start. */
  descending: boolean;
  /** Where to begin; at the list's end (in the given direction) if absent. */
  from?: { position: string; inclusive: boolean };
  /** Rows at the most; all if absent. */
  limit?: number;
}

/** What the caller asked of a list. */
export interface ListRequest {
  limit: number;
  cursor?: Cursor;
  /** The store and endpoint that a cursor belongs to. */
  owner: string;
}

export interface Page<T> {
  data: T[];
  pagination: { nextCursor: string | null; previousCursor: string | null; limit: number };
}

export const cursorInvalid = 'Cursor is invalid.';

// A Lambda function answers at most 6 MB. A page that would pass this is cut short; its cursor leads on.
const maxPageBytes = 5_000_000;

/** How many of the rows fit, by the size that one takes. */
const fitting = <T>(rows: T[], sizeOf: (json: string) => number): number => {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += sizeOf(JSON.stringify(row));
    return bytes > maxPageBytes;
  });
  return end < 0 ? rows.length : Math.max(end, 1);
};

const thatFit = <T>(rows: T[]): T[] => {
  // The body is a text in the function's own JSON: its quotes and backslashes count twice. At worst that doubles it.
  if (fitting(rows, (json) => 2 * Buffer.byteLength(json)) === rows.length) return rows;
  return rows.slice(
    0,
    fitting(rows, (json) => Buffer.byteLength(JSON.stringify(json))),
  );
};

/**
 * One page of a list. `positionOf` says where a row stands in the list's order; `part` tells apart the lists of one
 * endpoint, whose cursors are not each other's. Throws 400 for a cursor of another part.
 */
export const page = async <T extends object>(
  { limit, cursor, owner }: ListRequest,
  source: Source<T>,
  positionOf: (row: T) => string,
  part = '',
): Promise<Page<T>> => {
  if (cursor && cursor.part !== part) throw invalid(cursorInvalid);
  const backward = cursor?.backward ?? false;
  // One row more than asked for tells whether the list goes on. Whether it also goes on behind the cursor is asked for:
  // the row that the cursor was made of may be gone.
  const [rows, behind] = await Promise.all([
    source({ descending: backward, limit: limit + 1, ...(cursor && { from: cursor }) }),
    cursor
      ? source({ descending: !backward, limit: 1, from: { position: cursor.position, inclusive: !cursor.inclusive } })
      : [],
  ]);
  const data = thatFit(rows.slice(0, limit));
  const goesOn = rows.length > data.length;
  if (backward) data.reverse();

  const cursorTo = (direction: 'next' | 'previous'): string | null => {
    const toBack = direction === 'previous';
    if (!(toBack === backward ? goesOn : behind.length > 0)) return null;
    const edge = toBack ? data[0] : data.at(-1);
    // An empty page has no edge: the way back begins where its own cursor stood.
    const from = edge
      ? { position: positionOf(edge), inclusive: false }
      : { position: cursor?.position ?? '', inclusive: !cursor?.inclusive };
    return sealCursor({ part, backward: toBack, ...from }, owner);
  };
  return { data, pagination: { nextCursor: cursorTo('next'), previousCursor: cursorTo('previous'), limit } };
};
