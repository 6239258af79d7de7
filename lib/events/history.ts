import { isDeepStrictEqual } from 'node:util';
import { type HistoryItem, type LotPart, maxLotParts } from '../credit/history.ts';
import { perProcess } from '../process.ts';
import { all, is, isNew, missing, put, update, type Write } from '../table/language.ts';
import { repeat } from '../table/retry.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { getMany, inChunks, transact, writeUnstamped } from '../table/table.ts';
import type { RowContribution, RowParts } from './records.ts';

const byExpiry = (a: LotPart, b: LotPart): number =>
  a.expiresAt === b.expiresAt ? (a.id < b.id ? -1 : 1) : a.expiresAt < b.expiresAt ? -1 : 1;

/**
 * Joins parts of one row: the first 200 to expire and, if there are more, the time at which the last of all expires.
 * The result does not depend on the order of the parts, or on how often they come (a semilattice).
 */
const joinParts = (a: RowParts, b: RowParts): RowParts => {
  const lots = [...new Map([...(a.lots ?? []), ...(b.lots ?? [])].map((part) => [part.id, part])).values()];
  lots.sort(byExpiry);
  const isCut = a.lastExpiresAt !== undefined || b.lastExpiresAt !== undefined || lots.length > maxLotParts;
  const last = [a.lastExpiresAt ?? '', b.lastExpiresAt ?? '', lots.at(-1)?.expiresAt ?? ''].sort()[2];
  return {
    ...(lots.length > 0 && { lots: lots.slice(0, maxLotParts) }),
    ...(isCut && { lastExpiresAt: last as string }),
  };
};

/** A contribution to write, with the row as a read or a refused write found it. */
export interface RowTask extends RowContribution {
  found?: HistoryItem | undefined;
  /** True if a read or a refused write found that the row does not exist. */
  isNew?: boolean;
}

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const partsOf = ({ lots, lastExpiresAt }: RowParts): RowParts => ({
  ...(lots && { lots }),
  ...(lastExpiresAt !== undefined && { lastExpiresAt }),
});

/**
 * An erasure leaves a mark where a row was. When the avatar comes back, a change may get the same number: its row loses
 * these attributes of the mark.
 */
const unerased = { erased: undefined, [ttlAttribute]: undefined };

/** True for a change of permanent credit alone: its lots, if there are any, cancel out. */
const hasNoLots = (facts: RowContribution['facts']): boolean =>
  facts !== undefined && facts.unlotted === facts.amount - facts.expired;

/** Writes facts if the row has none yet, and adds parts to the parts that the row has already. */
const rowWrite = (task: RowTask): Write => {
  const { key, facts, parts, found } = task;
  // A put takes half the time of an update, but is refused if the row exists. The row of a change with lots often
  // exists, since their parts may come first.
  if (facts && (task.isNew ?? (!parts && hasNoLots(facts)))) return put({ ...key, ...facts, ...parts }, isNew);
  return update(key, {
    set: { ...(found?.erased && facts && unerased), ...facts, ...(parts && joinParts(found ?? {}, parts)) },
    when: all(
      facts && all(missing('kind'), is('erased', found?.erased)),
      parts && is('lots', found?.lots),
      parts && is('lastExpiresAt', found?.lastExpiresAt),
      parts && is('erasedLots', found?.erasedLots),
    ),
  });
};

/**
 * True for a change that an erasure has moved away: the change of the row's mark, or an earlier one. The numbers of
 * their stream records tell which was earlier, whatever the clocks said. A row that a backfill wrote has no such
 * number, so its time decides.
 */
const isMovedAway = (facts: RowContribution['facts'], { erased, record }: Partial<HistoryItem>): boolean => {
  if (!facts || erased === undefined) return false;
  return record !== undefined && facts.record !== undefined ? record >= facts.record : erased >= facts.at;
};

/** Leaves out the parts that an erasure has moved away. */
const withoutErased = ({ lots, ...rest }: RowParts, erased: readonly LotPart[]): RowParts => {
  const left = lots?.filter((part) => !erased.some((other) => isDeepStrictEqual(part, other)));
  return { ...rest, ...(left && left.length > 0 && { lots: left }) };
};

/** The parts that a row does not have yet, with all others that came with them; undefined if it has them all. */
const missingParts = (brought: RowParts | undefined, found: Partial<HistoryItem>): RowParts | undefined => {
  if (!brought) return undefined;
  const parts = withoutErased(brought, found.erasedLots ?? []);
  const present = partsOf(found);
  return isDeepStrictEqual(joinParts(present, parts), present) ? undefined : parts;
};

/** The task with only the facts and parts that its row does not have yet; undefined if the row has all of them. */
const missingFrom = <T extends RowTask>(task: T, found: HistoryItem | undefined): T | undefined => {
  if (found && isMovedAway(task.facts, found)) return undefined;
  const facts = found?.kind === undefined ? task.facts : undefined;
  const parts = missingParts(task.parts, found ?? {});
  return facts || parts ? { ...task, facts, parts, found, isNew: !found } : undefined;
};

/** True if a task adds parts to a row that has other parts already. */
const addsToParts = ({ parts, found }: RowTask): boolean => parts !== undefined && found?.lots !== undefined;

/**
 * After a row that had other parts already, the consumer reads this number of further rows with parts before it writes
 * them.
 */
const readsAfterJoin = 90;

/**
 * The rows that this consumer reads before it writes them. A read costs a fraction of a refused write, so it pays if a
 * row is likely to exist.
 */
const readsFirst = perProcess(() => ({
  /** Every row, because one had all that its record brings: a batch came back, or the stream is read again. */
  allRows: false,
  /**
   * This number of rows that get parts, because one had other parts already: the records of its change came far apart.
   */
  rowsWithParts: 0,
}));

export interface RowOutcome {
  /** This consumer has just made the row. */
  isMade: boolean;
  /** The row's stream record made it, now or before. Another writer, such as a backfill, counts its own rows. */
  isOfRecord: boolean;
}

const outcomeOf = (facts: RowContribution['facts'], found: HistoryItem | undefined): RowOutcome => {
  const isMade = found?.kind === undefined && !(found && isMovedAway(facts, found));
  return { isMade, isOfRecord: isMade || (found?.record !== undefined && found.record === facts?.record) };
};

/** Reads the rows of the tasks that `readsFirst` names. Answers them by their names, also rows that do not exist. */
const readRowsFirst = async (tasks: readonly RowTask[]): Promise<Map<string, HistoryItem | undefined>> => {
  const reads = readsFirst();
  const toRead = tasks.filter(({ parts }) => reads.allRows || (reads.rowsWithParts > 0 && parts));
  if (toRead.length === 0) return new Map();
  const found = await getMany<HistoryItem>(
    toRead.map(({ key }) => key),
    { consistent: true, attributes: ['kind', 'lots', 'lastExpiresAt', 'erased', 'erasedLots', 'record'] },
  );
  const items = new Map(found.map((item) => [nameOf(item), item]));
  const missing = toRead.flatMap((task) => missingFrom(task, items.get(nameOf(task.key))) ?? []);
  reads.allRows = missing.length < toRead.length;
  reads.rowsWithParts = missing.some(addsToParts) ? readsAfterJoin : reads.rowsWithParts - toRead.length;
  return new Map(toRead.map(({ key }) => [nameOf(key), items.get(nameOf(key))]));
};

/** `missingFrom` after a refused write, which found the row. Notes what the refusal says about further rows. */
const missingAfterRefusal = <T extends RowTask>(task: T, found: HistoryItem | undefined): T | undefined => {
  const reads = readsFirst();
  const rest = missingFrom(task, found);
  reads.allRows ||= !rest;
  if (rest && addsToParts(rest)) reads.rowsWithParts = readsAfterJoin;
  return rest;
};

/** Writes one row, and after a refusal what the row still lacks. Answers the row as it was before. */
const writeRow = async (task: RowTask): Promise<HistoryItem | undefined> => {
  let left = task;
  return repeat(async () => {
    const outcome = await writeUnstamped<HistoryItem>(rowWrite(left));
    if (outcome.done) return { result: left.found };
    const rest = missingAfterRefusal(left, outcome.found);
    if (!rest) return { result: outcome.found };
    left = rest;
    return undefined;
  });
};

/**
 * Writes rows in one transaction, together with the writes that `beside` makes for the rows that are still to be
 * written. Answers, by their names, the rows that existed already, as they were found.
 */
export const writeRowsTogether = async <T extends RowTask>(
  tasks: readonly T[],
  beside: (left: readonly T[]) => Write[] = () => [],
): Promise<Map<string, HistoryItem | undefined>> => {
  const existing = new Map<string, HistoryItem | undefined>();
  let left = tasks;
  return repeat(async () => {
    const refusals = await transact([...left.map(rowWrite), ...beside(left)]);
    if (!refusals) return { result: existing };
    left = left.flatMap((task, index) => {
      const { refused = false, item } = refusals[index] ?? {};
      if (!refused) return task;
      const rest = missingAfterRefusal(task, item as HistoryItem | undefined);
      if (!rest?.facts) existing.set(nameOf(task.key), item as HistoryItem | undefined);
      return rest ?? [];
    });
    return left.length > 0 ? undefined : { result: existing };
  });
};

/**
 * The later of two changes with one number. The earlier is of a customer who was erased and came back, so an erasure
 * has moved its row away before the later was made.
 */
const laterOf = (a: RowContribution['facts'], b: RowContribution['facts']): RowContribution['facts'] =>
  (b?.record ?? '') > (a?.record ?? '') ? b : (a ?? b);

/** Joins the contributions to one row, so that each row is written once. */
const byRow = (contributions: readonly RowContribution[]): Map<string, RowContribution> => {
  const rows = new Map<string, RowContribution>();
  for (const one of contributions) {
    const name = nameOf(one.key);
    const other = rows.get(name);
    const parts = other?.parts && one.parts ? joinParts(other.parts, one.parts) : (other?.parts ?? one.parts);
    rows.set(name, { key: one.key, facts: laterOf(other?.facts, one.facts), parts });
  }
  return rows;
};

/**
 * The number of rows in one transaction. A transaction costs twice as much as single writes, but takes a tenth of the
 * consumer's time. So only a consumer with at least this number of rows uses it.
 */
export const rowsTogether = 90;

/** At most this many rows are read at once. */
const maxReads = 3 * rowsTogether;

/** At most this many single rows are written side by side. */
const sideBySide = 32;

/** Writes rows: full transactions first, then single rows. Answers the rows as they were before, by their names. */
const writeRows = async (tasks: readonly RowTask[]): Promise<Map<string, HistoryItem | undefined>> => {
  const existing = new Map<string, HistoryItem | undefined>();
  const alone: RowTask[] = [];
  for (const some of inChunks(tasks, rowsTogether))
    if (some.length < rowsTogether) alone.push(...some);
    else for (const [name, found] of await writeRowsTogether(some)) existing.set(name, found);
  const work = alone.values();
  const writeSome = async (): Promise<void> => {
    for (const task of work) existing.set(nameOf(task.key), await writeRow(task));
  };
  await Promise.all(Array.from({ length: sideBySide }, writeSome));
  return existing;
};

/**
 * Writes contributions to history. They may come in any order, repeatedly, and to several consumers at once, and a
 * consumer may die anywhere: each row is written once, and the table's end state is the same. Answers the outcome of
 * each contribution. Throws if the table refuses a row; some may be written then.
 */
export const recordRows = async (
  contributions: readonly RowContribution[],
): Promise<(one: RowContribution) => RowOutcome> => {
  const joined = byRow(contributions);
  const rows = [...joined.values()];
  const found = new Map<string, HistoryItem | undefined>();
  // Writes of parts without facts are refused more often, so they are tried among themselves.
  for (const same of [rows.filter(({ facts }) => !facts), rows.filter(({ facts }) => facts)])
    for (const some of inChunks(same, maxReads)) {
      const read = await readRowsFirst(some);
      const left = some.flatMap((row) =>
        read.has(nameOf(row.key)) ? (missingFrom(row, read.get(nameOf(row.key))) ?? []) : row,
      );
      for (const [name, item] of [...read, ...(await writeRows(left))]) found.set(name, item);
    }
  return ({ key, facts }) => {
    const name = nameOf(key);
    return outcomeOf(facts ?? joined.get(name)?.facts, found.get(name));
  };
};
