import { parseIdentifier } from '../../../lib/identifier.ts';
import { trimmed } from '../../../lib/normalise.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { plainCell } from '../../shared/plain-cell.ts';
import type { Transfer } from '../books/expected-transfers.ts';
import { Failure, UsageError } from '../terminal/errors.ts';
import { readRecords } from './read.ts';
import { type FileTime, readTime } from './times.ts';
import type { ColumnName } from './vendors.ts';

/** Reads the history of an account's L$, as the grid's web site saves it. */

/** The meanings that a column can have. */
export const historyFields = {
  at: 'when: a time with an offset, seconds since 1970, or a time as 2027-12-31 23:59:59 in --zone',
  who: 'the other avatar, by name or UUID',
  in: 'L$ that came in',
  out: 'L$ that went out',
  amount: 'L$ in one column: negative where they went out',
  id: "the transfer's UUID",
  text: 'what it was for',
  type: 'its type, such as Object Sale; see --ignore-type',
  order: 'the number of an order on the marketplace; see --ignore-orders',
} as const;

export type HistoryField = keyof typeof historyFields;
export type HistoryMap = Partial<Record<HistoryField, ColumnName>>;

/**
 * The names that each column may have, in lower case. If a file has several, the first of this list is used. The grid's
 * own file begins with `id,Type,Description,Debit,Credit,Time,Resident/Group,Ending Balance,Region,Order ID`.
 */
const knownNames: Record<HistoryField, readonly string[]> = {
  at: ['date', 'time', 'date/time', 'date (slt)', 'timestamp', 'created'],
  who: [
    'resident/group',
    'resident / group',
    'resident',
    'name',
    'source/destination',
    'source / destination',
    'avatar',
  ],
  in: ['deposit', 'credit', 'in'],
  out: ['withdrawal', 'debit', 'out'],
  amount: ['amount'],
  id: ['transaction id', 'transactionid', 'transaction_id', 'id'],
  text: ['description'],
  type: ['type', 'transaction type'],
  order: ['order id', 'orderid', 'order_id', 'order'],
};

type Places = Partial<Record<HistoryField, number>>;

/** The index of the column with the first of these names that the file has; -1 without one. */
const placeOfFirst = (header: readonly string[], names: readonly string[]): number =>
  names.map((name) => header.indexOf(name)).find((place) => place >= 0) ?? -1;

const placeIn = (header: readonly string[], column: ColumnName, path: string): number => {
  if (typeof column === 'number') return column - 1;
  const place = header.indexOf(plainCell(column).toLowerCase());
  if (place >= 0) return place;
  throw new UsageError(`${path} has no column ${JSON.stringify(column)}. It has ${header.join(', ')}.`);
};

/**
 * The indexes of the columns: from the map or, where it names none, by their names. Throws if a needed column is
 * missing.
 */
const placesIn = (cells: readonly string[], map: HistoryMap, path: string, needed: readonly HistoryField[]): Places => {
  const header = cells.map((cell) => plainCell(cell).toLowerCase());
  const places: Places = {};
  for (const field of Object.keys(historyFields) as HistoryField[]) {
    const mapped = map[field];
    const place = mapped === undefined ? placeOfFirst(header, knownNames[field]) : placeIn(header, mapped, path);
    if (place >= 0) places[field] = place;
  }
  const lacks = [
    ...(places.at === undefined ? ['at'] : []),
    ...(places.who === undefined ? ['who'] : []),
    ...(places.amount === undefined && (places.in === undefined || places.out === undefined)
      ? ['in and out, or amount']
      : []),
    ...needed.filter((field) => places[field] === undefined),
  ];
  if (lacks.length === 0) return places;
  throw new Failure(
    `${path} does not say which column is ${lacks.join('; ')}. Its first line is: ${cells.join(', ').slice(0, 300)}. ` +
      `Say so, such as --map "Date=at" --map "Resident=who" --map "Paid in=in" --map "Paid out=out".`,
  );
};

/** Reads whole L$. Allows a sign, L$, commas between thousands, and decimals that are zeros. An empty text is 0. */
const readLindens = (text: string): number | undefined => {
  const plain = text
    .replace(/\p{Cf}/gu, '')
    .replace(/^L\$\s*/i, '')
    .replace(/,(?=\d{3}(\D|$))/g, '');
  if (plain === '') return 0;
  const [, digits] = /^([-+]?\d{1,10})(?:\.0{1,2})?$/.exec(plain) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

const amountOf = (cell: (field: HistoryField) => string): number | undefined => {
  if (cell('in') === '' && cell('out') === '') return readLindens(cell('amount'));
  const [gained, spent] = [readLindens(cell('in')), readLindens(cell('out'))];
  return gained === undefined || spent === undefined ? undefined : gained - Math.abs(spent);
};

/** How a history is read, and a function that learns about its times. */
export interface HistoryReading {
  /** The time zone of times without an offset. */
  zone: string;
  /** True for a row that does not concern the store. Called only for rows that move L$. */
  isLeftOut: (row: { type: string; order: string }) => boolean;
  /** Called for each time without an offset. `beside` says if the clocks showed it twice or never. */
  onZoned: (beside: FileTime['beside']) => void;
}

/**
 * Reads the transfers of a file one by one, without transfers of L$ 0. Throws for a row that is no transfer, and names
 * its line.
 */
export async function* readHistory(
  path: string,
  map: HistoryMap,
  needed: readonly HistoryField[],
  { zone, isLeftOut, onZoned }: HistoryReading,
): AsyncGenerator<Transfer> {
  let places: Places | undefined;
  for await (const { line, cells } of readRecords(path)) {
    if (!places) {
      places = placesIn(cells, map, path, needed);
      continue;
    }
    const found = places;
    const cell = (field: HistoryField): string => trimmed(cells[found[field] ?? -1] ?? '');
    const time = readTime(cell('at'), zone);
    if (!time)
      throw new Failure(`${path}, line ${line}: ${JSON.stringify(cell('at'))} is no time such as 2027-12-31 23:59:59.`);
    const amount = amountOf(cell);
    if (amount === undefined) throw new Failure(`${path}, line ${line}: the amount must be whole L$.`);
    const type = cell('type');
    if (amount === 0 || isLeftOut({ type, order: cell('order') })) continue;
    if (time.zoned) onZoned(time.beside);
    const name = cell('who');
    yield {
      file: path,
      line,
      at: Date.parse(time.at),
      ...(time.or && { or: Date.parse(time.or) }),
      who: parseIdentifier(copiedName(name)),
      name,
      amount,
      id: cell('id').toLowerCase() || undefined,
      type,
      text: cell('text') || type,
    };
  }
  if (!places) throw new Failure(`${path} is empty. A file begins with a row that names its columns.`);
}
