import { invalid } from '../problem.ts';
import { type Cursor, sealCursor } from './cursor.ts';
import type { Source } from './source.ts';

/**
 * Every list works the same way:
 *
 *     export const handler = endpoint(row, ({ store, list }) => page(list, listCategories(store), byId));
 */

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

// Lambda limits an answer to 6 MB. A larger page is cut short, and its cursor leads on.
const maxPageBytes = 5_000_000;

/** The first rows that fit, but at least one. */
const thatFit = <T>(rows: T[]): T[] => {
  // Lambda escapes the quotes and backslashes of the body once more, which at most doubles it. Only a page that could
  // then be too large is measured exactly.
  if (2 * Buffer.byteLength(JSON.stringify(rows)) <= maxPageBytes) return rows;
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(row)));
    return bytes > maxPageBytes;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(end, 1));
};

/** Throws 400 for a cursor that belongs to another part of the endpoint's lists. */
export const demandPart = ({ cursor }: ListRequest, part: string): void => {
  if (cursor && cursor.part !== part) throw invalid(cursorInvalid);
};

/** The ends of a page in the direction in which it was read, and whether the list goes on behind each of them. */
interface PageEnds {
  /** Undefined for an empty page. */
  first: string | undefined;
  last: string | undefined;
  goesOn: boolean;
  isBehind: boolean;
}

/** The cursors of a page with these ends. `part` is as for `page`. */
export const paginationOf = (
  { limit, cursor, owner }: ListRequest,
  { first, last, goesOn, isBehind }: PageEnds,
  part: string,
): Page<object>['pagination'] => {
  const backward = cursor?.backward ?? false;
  const cursorTo = (toBack: boolean): string | null => {
    const isOnward = toBack === backward;
    if (!(isOnward ? goesOn : isBehind)) return null;
    const position = isOnward ? last : first;
    // An empty page has no first or last row, so the way back begins at the cursor itself.
    const from =
      position === undefined
        ? { position: cursor?.position ?? '', inclusive: !cursor?.inclusive }
        : { position, inclusive: false };
    return sealCursor({ part, backward: toBack, ...from }, owner);
  };
  return { nextCursor: cursorTo(false), previousCursor: cursorTo(true), limit };
};

/**
 * One page of a list. `positionOf` returns a row's place in the list's order. `part` distinguishes the lists of one
 * endpoint. Throws 400 for a cursor of another part.
 */
export const page = async <T extends object>(
  list: ListRequest,
  source: Source<T>,
  positionOf: (row: T) => string,
  part = '',
): Promise<Page<T>> => {
  demandPart(list, part);
  const { limit, cursor } = list;
  const backward = cursor?.backward ?? false;
  // One row beyond the limit tells whether the list continues. One row behind the cursor tells the same for the way
  // back: the row that the cursor was made from may be deleted.
  const [rows, behind] = await Promise.all([
    source({ descending: backward, limit: limit + 1, ...(cursor && { from: cursor }) }),
    cursor
      ? source({ descending: !backward, limit: 1, from: { position: cursor.position, inclusive: !cursor.inclusive } })
      : [],
  ]);
  const data = thatFit(rows.slice(0, limit));
  const [start, end] = [data[0], data.at(-1)];
  const ends = {
    first: start && positionOf(start),
    last: end && positionOf(end),
    goesOn: rows.length > data.length,
    isBehind: behind.length > 0,
  };
  if (backward) data.reverse();
  return { data, pagination: paginationOf(list, ends, part) };
};
