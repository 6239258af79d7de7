import { createHash } from 'node:crypto';
import { type Identifier, uuidPattern } from '../../lib/identifier.ts';
import { customerKey, touching } from '../../lib/store/customers.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { targetOf, type Write } from '../../lib/table/language.ts';
import { pause } from '../../lib/table/retry.ts';
import { getMany, transact, write } from '../../lib/table/table.ts';

/**
 * How rows of a file come into the table. A kind's `plan` reads what is there and says, for each row, what would be
 * written: a dry run stops at that. The writes of a plan hold only if the table is still as it was read; what another
 * writer has changed is planned anew. So an import may die anywhere, be repeated, or run twice at once.
 */

/** A row whose fields have been checked: it has those fields for which its file has a column. */
export interface Row<F> {
  /** Where it stands in its file, from 1. */
  line: number;
  fields: F;
}

/** Why a row cannot be imported. `value` is what was there. */
export interface Fault {
  field: string;
  value?: unknown;
  message: string;
}

export type Outcome = 'created' | 'changed' | 'unchanged';

/** Rows that are written all together or not at all. */
export interface Group<F> {
  rows: Row<F>[];
  outcome: Outcome | Fault;
  /** The writes, 100 at the most; none if there is nothing to write. */
  writes?: Write[];
  /** Whom the store must have in its list of customers before. */
  touch?: Resident[];
  /** The row is good only if the file has a good row of this key too; else it is at fault. */
  awaits?: { key: string; fault: Fault };
}

/** What a plan works with. */
export interface Setting {
  store: string;
  /** The residents whom the rows name, by UUID or name as written there (canonical). */
  residents: ReadonlyMap<string, Resident>;
}

export interface Importer<F> {
  plan(rows: Row<F>[], setting: Setting): Promise<Group<F>[]>;
  /** What has to be done before groups are written. May be done twice. */
  prepare?(groups: Group<F>[], setting: Setting): Promise<void>;
  /** What follows from groups that are written. May be done twice. */
  finish?(groups: Group<F>[], setting: Setting): Promise<void>;
}

/** The resident whom a row names; all of them have been looked up. */
export const residentOf = ({ residents }: Setting, { uuid, username }: Identifier): Resident =>
  residents.get(uuid ?? username ?? '') as Resident;

/**
 * The UUID that stands for another system's id, or for a row without one: always the same for the same store, kind and
 * text, so that a file that is imported again finds its rows. A text that is a UUID stands for itself.
 */
export const idFrom = (store: string, kind: string, text: string): string => {
  if (uuidPattern.test(text)) return text.toLowerCase();
  const hash = createHash('sha256').update(`${store}\n${kind}\n${text}`).digest('hex');
  // Version 8 of RFC 9562: made by rules of one's own.
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
};

const maxItems = 100;
const sideBySide = 4;

const nameOf = (write: Write): string => {
  const { pk, sk } = targetOf(write);
  return `${pk} ${sk}`;
};

/** Transactions of as many groups as fit. Two groups that touch the same item are not written in one round. */
const pack = <F>(groups: Group<F>[], alone: boolean): Group<F>[][] => {
  const taken = new Set<string>();
  const transactions: Group<F>[][] = [];
  let room = 0;
  for (const group of groups) {
    const keys = (group.writes ?? []).map(nameOf);
    if (keys.some((key) => taken.has(key))) continue;
    for (const key of keys) taken.add(key);
    if (alone || keys.length > room) {
      transactions.push([]);
      room = maxItems;
    }
    transactions.at(-1)?.push(group);
    room -= keys.length;
  }
  return transactions;
};

/** Calls `work` for each of `all`, some side by side. */
export const eachOf = async <T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> => {
  const rest = all.values();
  const worker = async (): Promise<void> => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
};

/** Makes these residents customers of the store, as far as they are none yet. */
const welcomeAll = async (store: string, residents: readonly Resident[]): Promise<void> => {
  const items = await getMany(residents.map(({ uuid }) => customerKey(store, uuid)));
  const known = new Set(items.map(({ sk }) => sk));
  const strangers = new Map(residents.filter(({ uuid }) => !known.has(uuid)).map((each) => [each.uuid, each]));
  for (const stranger of strangers.values()) await write(touching(store, stranger));
};

/** Writes rows as the kind plans them. Answers the groups that they came to, each with its outcome. */
export const writeRows = async <F>(importer: Importer<F>, rows: Row<F>[], setting: Setting): Promise<Group<F>[]> => {
  const settled: Group<F>[] = [];
  let rest = rows;
  let alone = false;
  for (let idle = 0; rest.length > 0; ) {
    const groups = await importer.plan(rest, setting);
    const done = groups.filter(({ writes = [], touch = [] }) => writes.length === 0 && touch.length === 0);
    const writing = groups.filter((group) => !done.includes(group));
    await welcomeAll(
      setting.store,
      writing.flatMap(({ touch = [] }) => touch),
    );
    await importer.prepare?.(writing, setting);
    let refused = false;
    await eachOf(pack(writing, alone), async (transaction) => {
      const writes = transaction.flatMap((group) => group.writes ?? []);
      if (writes.length === 0 || !(await transact(writes))) done.push(...transaction);
      else refused = true;
    });
    alone = refused;
    settled.push(...done);
    const written = new Set(done.flatMap((group) => group.rows));
    rest = rest.filter((row) => !written.has(row));
    if (done.length === 0) await pause(++idle);
    else idle = 0;
  }
  await importer.finish?.(settled, setting);
  return settled;
};
