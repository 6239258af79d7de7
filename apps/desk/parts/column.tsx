import type { ComponentChildren } from 'preact';
import type { CsvValue } from '../csv.ts';
import { money } from '../format.ts';
import type { Sorting } from '../sort.ts';

/** A column: its heading, its cell, if it is shown, and its value in an exported file, if it has one. */
export interface Column<R> {
  heading: string;
  /** Stands in the head of the column instead of the heading. */
  head?: ComponentChildren;
  cell?: (row: R) => ComponentChildren;
  value?: ((row: R) => CsvValue | Promise<CsvValue>) | undefined;
  isNumber?: boolean;
  /** The list can be sorted by it. */
  sort?: Sorting<R> | undefined;
  /** Stands below it in the foot: the sum of all rows. */
  total?: (rows: readonly R[]) => string;
  /** Where a table has little room, columns with 3 leave first, and then those with 2. */
  priority?: 2 | 3;
  /** True for what can only be pressed: on paper there is no such column. */
  isTool?: boolean;
  /**
   * Its place on a narrow screen: the title, like the first column; beside it on the first line; by default in the note
   * below, with its heading if that is a label, as for all numbers; or nowhere.
   */
  inRow?: 'title' | 'main' | 'note' | 'label' | 'none';
}

/** An empty cell appears only in a table with columns. */
export const nothing = '–';

/**
 * A column of L$. A row says nothing of an amount of 0, but of the one that it is about, which is in `main`. Without a
 * place the column is in the file alone. A list can be sorted by it if `name` is given.
 */
export const amountColumn = <R,>(
  heading: string,
  of: (row: R) => number,
  place?: 'main' | 'note',
  name?: string,
): Column<R> => ({
  heading,
  ...(place && {
    cell: (row: R) => (place === 'main' ? <b>{money(of(row))}</b> : of(row) === 0 ? nothing : money(of(row))),
    inRow: place,
    total: (rows) => money(rows.reduce((sum, row) => sum + of(row), 0)),
  }),
  ...(name && { sort: { name, kind: 'size', by: of } }),
  value: of,
  isNumber: true,
});
