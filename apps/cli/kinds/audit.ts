import { setTimeout as sleep } from 'node:timers/promises';
import { pMapIterable } from 'p-map';
import type { Resident } from '../../../lib/avatars/residents.ts';
import { everyPage, type Source } from '../../../lib/lists/source.ts';
import { knownResidents } from '../../../lib/operator/residents.ts';
import type { Key } from '../../../lib/table/schema.ts';

/** Receives the faults and the progress of an audit. */
export interface Listener {
  /** A sentence about one fault. */
  onFault: (fault: string) => void;
  /** How many things have been checked so far. */
  onChecked: (count: number) => void;
}

/** The items whose partition key ends with this text. */
export const itemsOf = <T extends Key>(items: readonly Key[], end: string): T[] =>
  items.filter(({ pk }) => pk.endsWith(end)) as T[];

/** Checks all things of one kind in a store. Returns how many it checked. */
export type Check = (store: string, listener: Listener) => Promise<number>;

/** A line of the audit's report. */
export interface AuditCheck {
  /** The things that it checks. */
  what: string;
  check: Check;
  /** The rule that must hold for them. */
  holds: string;
}

const maxLooks = 5;

/**
 * Looks up to five times. Another writer may change an item between two reads of one look, so faults count only if
 * every look finds some.
 */
const lookAgain = async (look: () => Promise<string[]>): Promise<string[]> => {
  for (let looks = 1; ; looks++) {
    const faults = await look();
    if (faults.length === 0 || looks === maxLooks) return faults;
    await sleep(20 * looks);
  }
};

/** Checks every row with `look`, 25 at a time, and reports the faults. Returns the number of rows. */
export const forEvery = async <T>(
  rows: AsyncIterable<T> | Iterable<T>,
  { onFault, onChecked }: Listener,
  look: (row: T) => Promise<string[]>,
): Promise<number> => {
  let count = 0;
  for await (const faults of pMapIterable(rows, (row) => lookAgain(() => look(row)), { concurrency: 25 })) {
    for (const fault of faults) onFault(fault);
    onChecked(++count);
  }
  return count;
};

/** Yields each row of a list with its owner, if the store knows the owner. Reads the owners of a page together. */
export async function* withOwners<T extends Key>(
  store: string,
  source: Source<T>,
  ownerOf: (row: T) => string,
): AsyncGenerator<[row: T, owner: Resident | undefined]> {
  for await (const rows of everyPage(source, ({ sk }) => sk)) {
    const known = await knownResidents(store, rows.map(ownerOf));
    const owners = new Map(known.map((resident) => [resident.uuid, resident]));
    for (const row of rows) yield [row, owners.get(ownerOf(row))];
  }
}
