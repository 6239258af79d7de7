import type { CsvValue } from './csv.ts';
import { texts } from './texts.ts';

/** The order of a list by one of its columns. */
export interface Sorting<R> {
  /** Stands in the address. */
  name: string;
  kind: 'text' | 'size' | 'time';
  /** If it is not the value of the column in a file. Undefined and null are unknown. */
  by?: (row: R) => CsvValue | undefined;
}

/** An order that somebody has chosen. */
export interface Order<R> {
  name: string;
  /** The head of its column, and the direction, in words. */
  heading: string;
  said: string | undefined;
  isDescending: boolean;
  by: (row: R) => CsvValue | undefined | Promise<CsvValue>;
}

interface SortedColumn<R> {
  heading: string;
  sort?: Sorting<R> | undefined;
  value?: ((row: R) => CsvValue | Promise<CsvValue>) | undefined;
}

/** The order that an address asks for, such as `-price`. Undefined if no column has it. */
export const orderOf = <R>(columns: readonly SortedColumn<R>[], asked = ''): Order<R> | undefined => {
  const isDescending = asked.startsWith('-');
  const column = columns.find(({ sort }) => sort?.name === asked.slice(Number(isDescending)));
  const { sort, heading = '', value } = column ?? {};
  const by = sort?.by ?? value;
  if (!sort || !by) return undefined;
  return { name: sort.name, heading, isDescending, by, said: texts.list.orders[sort.kind][isDescending ? 1 : 0] };
};

const collator = new Intl.Collator(undefined, { numeric: true });

/** A name that the key may not read is not known either. */
const isUnknown = (value: CsvValue | undefined): boolean =>
  value === null || value === undefined || value === '' || Object.values<unknown>(texts.unread).includes(value);

const compare = (a: CsvValue | undefined, b: CsvValue | undefined): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));

/** The rows in an order. Those with an unknown value are last in both directions, and equal ones stand by their id. */
export const sortRows = async <R>(
  rows: readonly R[],
  { by, isDescending }: Pick<Order<R>, 'by' | 'isDescending'>,
  keyOf: (row: R) => string,
): Promise<R[]> => {
  const valued = await Promise.all(rows.map(async (row) => ({ row, key: keyOf(row), value: await by(row) })));
  const sign = isDescending ? -1 : 1;
  valued.sort((a, b) => {
    const [isLast, isOtherLast] = [isUnknown(a.value), isUnknown(b.value)];
    const difference = isLast || isOtherLast ? Number(isLast) - Number(isOtherLast) : sign * compare(a.value, b.value);
    return difference || (a.key < b.key ? -1 : 1);
  });
  return valued.map(({ row }) => row);
};
