import { useEffect, useState } from 'preact/hooks';
import { type Address, link, useAddress } from '../address.ts';
import { type Order, orderOf, sortRows } from '../sort.ts';
import type { Column } from './column.tsx';
import { type LoadState, useLoad } from './load.tsx';

/** A page as the service answers it. */
interface Page<R> {
  data: R[];
  pagination: { nextCursor: string | null; previousCursor: string | null };
}

interface PageQuery {
  limit: number;
  cursor?: string;
}

type PageReader<R> = (page: PageQuery, signal: AbortSignal) => Promise<Page<R>>;

interface ListOptions<R> {
  /** `reload` reads it again after a change of a row. */
  columns: (reload: () => void) => readonly Column<R>[];
  keyOf: (row: R) => string;
  /** Reads a page under the filters of the address. */
  read: PageReader<R>;
  /** Rows of a shown page. */
  limit?: number;
  /** A list of at most this many rows is read to its end. */
  most?: number;
  /** Anything beside the address that the rows depend on. */
  inputs?: readonly unknown[];
  /** Anything beside the rows that their order depends on. */
  facts?: unknown;
}

/** A part of a list, as a page of the desk shows it. */
interface ShownRows<R> {
  rows: readonly R[];
  /** How many rows come before these, where that is known. */
  before: number | undefined;
  previous: string | undefined;
  next: string | undefined;
}

export interface Listing<R> extends LoadState<ShownRows<R>> {
  columns: readonly Column<R>[];
  keyOf: (row: R) => string;
  order: Order<R> | undefined;
  /** The rows that are shown. */
  shown: readonly R[];
  /** All rows under the filters, in the order that is shown. Undefined until they are read, and if they cannot be. */
  whole: readonly R[] | undefined;
  /** The first rows of a list that has more than are read. */
  cut: readonly R[] | undefined;
  isReading: boolean;
  isFiltered: boolean;
  /** Reads every row under the filters anew. */
  all: () => AsyncIterable<R>;
}

/** The service answers at most this many rows at a time. */
const atOnce = 1000;

/** The pages of a list, from its start on, as large as they can be. */
async function* pagesOf<R>(read: PageReader<R>, signal: AbortSignal) {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<R> = await read({ limit: atOnce, ...(cursor && { cursor }) }, signal);
    yield page;
    cursor = page.pagination.nextCursor;
  }
}

/** The rows of a list, up to the page that reaches `most`, and whether these are all. */
export const readOn = async <R>(read: PageReader<R>, most: number, signal: AbortSignal) => {
  let rows: readonly R[] = [];
  for await (const { data, pagination } of pagesOf(read, signal)) {
    rows = [...rows, ...data];
    if (rows.length >= most) return { rows, isWhole: pagination.nextCursor === null };
  }
  return { rows, isWhole: true };
};

/** The filters under which rows were read, and the number of changes before that. */
interface Reading {
  key: string;
  round: number;
}

/**
 * All rows of a list, in the background, once its first page is there. Reading ends with the page. Nobody is told of a
 * failure: the list stays in the order of the API.
 */
const useReadOn = <R>(
  { read, most = 2000 }: ListOptions<R>,
  { key, round }: Reading,
  page: (Page<R> & Reading) | undefined,
) => {
  const [kept, setKept] = useState<Reading & { rows: readonly R[]; isWhole: boolean }>();
  const first = page?.key === key && page.round === round ? page : undefined;
  useEffect(() => {
    if (!first || (kept?.key === key && kept.round === round)) return undefined;
    const { nextCursor, previousCursor } = first.pagination;
    const ending = new AbortController();
    const isOnePage = nextCursor === null && previousCursor === null;
    const reading = isOnePage
      ? Promise.resolve({ rows: first.data, isWhole: true })
      : readOn(read, most, ending.signal).catch(() => ({ rows: [], isWhole: false }));
    reading.then((found) => ending.signal.aborted || setKept({ key, round, ...found }));
    return () => ending.abort();
  }, [key, round, first !== undefined]);
  return kept?.key === key ? kept : undefined;
};

/** A page of sorted rows. The place of a page is the number of rows before it. */
const pageOf = <R>(rows: readonly R[], limit: number, { path, query }: Address): ShownRows<R> => {
  const before = Number(query.cursor) || 0;
  const at = (place: number): string => link(path, { ...query, cursor: String(place || '') });
  return {
    rows: rows.slice(before, before + limit),
    before,
    previous: before > 0 ? at(Math.max(before - limit, 0)) : undefined,
    next: before + limit < rows.length ? at(before + limit) : undefined,
  };
};

/** A page as the service answered it, and its place among all rows, if these are known. */
const answeredPage = <R>(
  { data, pagination }: Page<R>,
  rows: readonly R[] | undefined,
  keyOf: (row: R) => string,
  at: (cursor: string) => string,
): ShownRows<R> => {
  const [first] = data;
  const before = rows && first ? rows.findIndex((row) => keyOf(row) === keyOf(first)) : -1;
  const { nextCursor, previousCursor } = pagination;
  return {
    rows: data,
    before: before < 0 ? undefined : before,
    previous: previousCursor === null ? undefined : at(previousCursor),
    next: nextCursor === null ? undefined : at(nextCursor),
  };
};

/**
 * A list of the API. The address holds its filters, its order and its place. The desk reads it on in the background, so
 * that it can be sorted and summed up.
 */
export const useList = <R>(options: ListOptions<R>): Listing<R> => {
  const { keyOf, read, limit = 50, inputs = [], facts } = options;
  const address = useAddress();
  const { cursor, sort, ...filters } = address.query;
  const [round, setRound] = useState(0);
  const reload = () => setRound((last) => last + 1);
  const columns = options.columns(reload);
  const order = orderOf(columns, sort);
  const key = JSON.stringify([address.path, filters, inputs]);
  const from = order ? undefined : cursor;
  const page = useLoad(
    async (signal) => ({ key, round, ...(await read({ limit, ...(from && { cursor: from }) }, signal)) }),
    [key, round, from],
  );
  const kept = useReadOn(options, { key, round }, page.value);
  const rows = kept?.isWhole ? kept.rows : undefined;
  const ordered = useLoad(
    async () => ({ key, rows: rows && order ? await sortRows(rows, order, keyOf) : rows }),
    [rows, sort, facts],
  );
  const whole = ordered.value?.key === key ? ordered.value.rows : undefined;
  const isSorted = order !== undefined && kept?.isWhole !== false;
  const toPage = (to: string): string => link(address.path, { ...filters, cursor: to });
  const value = isSorted
    ? whole && pageOf(whole, limit, address)
    : page.value && answeredPage(page.value, whole, keyOf, toPage);
  return {
    value,
    fault: page.fault,
    isLoading: page.isLoading || ordered.isLoading,
    reload,
    columns,
    keyOf,
    order,
    whole,
    shown: value?.rows ?? [],
    cut: kept && !kept.isWhole && kept.rows.length > 0 ? kept.rows : undefined,
    isReading: kept === undefined || (kept.isWhole && !whole),
    isFiltered: Object.keys(filters).length > 0,
    all: async function* () {
      for await (const { data } of pagesOf(read, new AbortController().signal)) yield* data;
    },
  };
};
