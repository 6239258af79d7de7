/**
 * A list is a source: it answers the rows of a range in the list's order, up to a limit, and fewer only if there are no
 * more. From that, page.ts alone makes pages, cursors and both directions.
 */
export type Source<T> = (range: Range) => Promise<T[]>;

interface Range {
  /** Reads from the end of the list to its start. */
  descending: boolean;
  /** Begins at the edge of the list if absent. */
  from?: { position: string; inclusive: boolean };
  /** All rows if absent. */
  limit?: number;
}

/** A list from its end to its start. */
export const reversed =
  <T>(source: Source<T>): Source<T> =>
  (range) =>
    source({ ...range, descending: !range.descending });

/** Several lists in one order as one list. */
export const merged =
  <T>(sources: Source<T>[], positionOf: (row: T) => string): Source<T> =>
  async (range) => {
    const rows = (await Promise.all(sources.map((source) => source(range)))).flat();
    const sign = range.descending ? -1 : 1;
    rows.sort((a, b) => (positionOf(a) < positionOf(b) ? -sign : sign));
    return rows.slice(0, range.limit);
  };

/**
 * The list that `load` makes from another list's rows. `load` may drop some rows: an index may be stale, or a filter
 * may not be in the key. Then it reads more rows: the share that passed tells how many are likely to fill the range. If
 * these are too few, it reads more and more, until the range is full or the list ends.
 */
export const loaded =
  <K, T>(keys: Source<K>, positionOf: (key: K) => string, load: (keys: K[]) => Promise<T[]>): Source<T> =>
  async ({ limit = Number.POSITIVE_INFINITY, ...range }) => {
    const found: T[] = [];
    // The whole range at once: a full page needs one row more than it shows, which must not cost a second round.
    let stride = Number.isFinite(limit) ? limit : 1000;
    let from = range.from;
    let read = 0;
    for (let round = 1; ; round++) {
      const rows = await keys({ ...range, ...(from && { from }), limit: stride });
      read += rows.length;
      for (const one of await load(rows)) found.push(one);
      const last = rows.at(-1);
      if (found.length >= limit || rows.length < stride || last === undefined) return found.slice(0, limit);
      from = { position: positionOf(last), inclusive: false };
      // One and a half times the likely number, so that a third round is rare.
      const likely = found.length > 0 ? Math.ceil((1.5 * (limit - found.length) * read) / found.length) : 2 * stride;
      stride = Math.min(round === 1 ? likely : Math.max(likely, 2 * stride), 1000);
    }
  };

/** Every row of a list, in its order, page by page. Memory holds one page, however long the list is. */
export async function* everyPage<T>(
  source: Source<T>,
  positionOf: (row: T) => string,
  stride = 1000,
): AsyncGenerator<T[]> {
  let from: { position: string; inclusive: boolean } | undefined;
  for (;;) {
    const rows = await source({ descending: false, limit: stride, ...(from && { from }) });
    yield rows;
    const last = rows.at(-1);
    if (rows.length < stride || last === undefined) return;
    from = { position: positionOf(last), inclusive: false };
  }
}

/** The rows of `everyPage`, one by one. */
export async function* everyRow<T>(
  source: Source<T>,
  positionOf: (row: T) => string,
  stride = 1000,
): AsyncGenerator<T> {
  for await (const rows of everyPage(source, positionOf, stride)) yield* rows;
}
