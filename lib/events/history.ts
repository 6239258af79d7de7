import { isDeepStrictEqual } from 'node:util';
import { type HistoryItem, type LotPart, maxLotParts } from '../credit/history.ts';
import { ofProcess } from '../process.ts';
import { all, is, isNew, missing, put, update, type Write } from '../table/language.ts';
import { repeat } from '../table/retry.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { getMany, inChunks, transact, writeUnstamped } from '../table/table.ts';
import type { RowContribution, RowParts } from './records.ts';

const byExpiry = (a: LotPart, b: LotPart): number =>
  a.expiresAt === b.expiresAt ? (a.id < b.id ? -1 : 1) : a.expiresAt < b.expiresAt ? -1 : 1;

/**
 * Joins parts of one row. The result is the same in whatever order and however often parts come (a semilattice): the
 * first 200 of all, and, where there are more, the time at which the last one of all expires.
 */
const joined = (a: RowParts, b: RowParts): RowParts => {
  const lots = [...new Map([...(a.lots ?? []), ...(b.lots ?? [])].map((part) => [part.id, part])).values()];
  lots.sort(byExpiry);
  const isCut = a.lastExpiresAt !== undefined || b.lastExpiresAt !== undefined || lots.length > maxLotParts;
  const last = [a.lastExpiresAt ?? '', b.lastExpiresAt ?? '', lots.at(-1)?.expiresAt ?? ''].sort()[2];
  return {
    ...(lots.length > 0 && { lots: lots.slice(0, maxLotParts) }),
    ...(isCut && { lastExpiresAt: last as string }),
  };
};

/** A contribution to a row, and the row as a look or a refusal brought it. */
export interface RowTask extends RowContribution {
  found?: HistoryItem | undefined;
  /** There was no item. */
  isNew?: boolean;
}

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const partsOf = ({ lots, lastExpiresAt }: RowParts): RowParts => ({
  ...(lots && { lots }),
  ...(lastExpiresAt !== undefined && { lastExpiresAt }),
});

/** Attributes of a mark that are not there any more when an avatar who came back has a change in its place. */
const unerased = { erased: undefined, [ttlAttribute]: undefined };

/**
 * True for a change after which permanent credit has all that the balance gained or lost: its lots, if any, cancel out.
 */
const hasNoLots = (facts: RowContribution['facts']): boolean =>
  facts !== undefined && facts.unlotted === facts.amount - facts.expired;

/** Facts are written while there are none, parts on top of those that were read: none at first. */
const rowWrite = (task: RowTask): Write => {
  const { key, facts, parts, found } = task;
  // The engine takes a new item in half the time of an update. An update of parts is not refused where facts come
  // first.
  if (facts && (task.isNew ?? (!parts && hasNoLots(facts)))) return put({ ...key, ...facts, ...parts }, isNew);
  return update(key, {
    set: { ...(found?.erased && facts && unerased), ...facts, ...(parts && joined(found ?? {}, parts)) },
    when: all(
      facts && all(missing('kind'), is('erased', found?.erased)),
      parts && is('lots', found?.lots),
      parts && is('lastExpiresAt', found?.lastExpiresAt),
      parts && is('erasedLots', found?.erasedLots),
    ),
  });
};

/**
 * True for a change that an erasure has moved away, and for one before it. The stream numbers the changes of one
 * customer in their order, whichever clocks told their times. A row that a backfill wrote has its time alone.
 */
const isMovedAway = (facts: RowContribution['facts'], { erased, record }: Partial<HistoryItem>): boolean => {
  if (!facts || erased === undefined) return false;
  return record !== undefined && facts.record !== undefined ? record >= facts.record : erased >= facts.at;
};

/** The parts without those that an erasure has moved away. */
const withoutErased = ({ lots, ...rest }: RowParts, erased: readonly LotPart[]): RowParts => {
  const left = lots?.filter((part) => !erased.some((other) => isDeepStrictEqual(part, other)));
  return { ...rest, ...(left && left.length > 0 && { lots: left }) };
};

/** The part of a contribution that the row still lacks, if any. */
const leftOf = <T extends RowTask>(task: T, found: HistoryItem | undefined): T | undefined => {
  if (found && isMovedAway(task.facts, found)) return undefined;
  const facts = found?.kind === undefined ? task.facts : undefined;
  const has = found ? partsOf(found) : {};
  const brought = task.parts && withoutErased(task.parts, found?.erasedLots ?? []);
  const parts = brought && !isDeepStrictEqual(joined(has, brought), has) ? brought : undefined;
  return facts || parts ? { ...task, facts, parts, found, isNew: !found } : undefined;
};

/** True for parts that come to others. */
const isJoined = ({ parts, found }: RowTask): boolean => parts !== undefined && found?.lots !== undefined;

/** So many parts are still looked for once some were joined, as a batch holds few of them. */
const partsLookedFor = 90;

/** The expectations of a consumer, by what it has met so far. */
const expected = ofProcess(() => ({
  /**
   * A consumer that has met something that was written before expects more of it: a batch came back, or the stream is
   * read anew. It looks first then, since a read costs a fraction of a refused write, until it finds nothing.
   */
  mayRepeat: false,
  /** The same for parts where a row had others: the records of its change came far apart. */
  partsToLookFor: 0,
}));

/**
 * A row after its write: whether this consumer has just made it, and whether its record did, then or before. A row that
 * something else made is counted.
 */
export interface RowOutcome {
  isMade: boolean;
  isOfRecord: boolean;
}

const outcomeOf = ({ facts }: RowContribution, found: HistoryItem | undefined): RowOutcome => {
  const isMade = found?.kind === undefined && !(found && isMovedAway(facts, found));
  return { isMade, isOfRecord: isMade || (found?.record !== undefined && found.record === facts?.record) };
};

/** Looks for the rows where that is worth it. Answers these, by their names. */
const lookFor = async (tasks: readonly RowTask[]): Promise<Map<string, HistoryItem | undefined>> => {
  const ours = expected();
  const looked = tasks.filter(({ parts }) => ours.mayRepeat || (ours.partsToLookFor > 0 && parts));
  if (looked.length === 0) return new Map();
  const found = await getMany<HistoryItem>(
    looked.map(({ key }) => key),
    { consistent: true, attributes: ['kind', 'lots', 'lastExpiresAt', 'erased', 'erasedLots', 'record'] },
  );
  const items = new Map(found.map((item) => [nameOf(item), item]));
  const left = looked.flatMap((task) => leftOf(task, items.get(nameOf(task.key))) ?? []);
  ours.mayRepeat = left.length < looked.length;
  ours.partsToLookFor = left.some(isJoined) ? partsLookedFor : ours.partsToLookFor - looked.length;
  return new Map(looked.map(({ key }) => [nameOf(key), items.get(nameOf(key))]));
};

/**
 * The rest of a row after its write was refused, beside the item that is there. A consumer that meets an earlier write
 * expects more of it.
 */
const restOf = <T extends RowTask>(task: T, found: HistoryItem | undefined): T | undefined => {
  const ours = expected();
  const rest = leftOf(task, found);
  ours.mayRepeat ||= !rest;
  if (rest && isJoined(rest)) ours.partsToLookFor = partsLookedFor;
  return rest;
};

/** Writes one row. A refusal says what is there already; the rest is sent again. Answers the row as it was found. */
const writeRow = async (task: RowTask): Promise<HistoryItem | undefined> => {
  let left = task;
  return repeat(async () => {
    const outcome = await writeUnstamped<HistoryItem>(rowWrite(left));
    if (outcome.done) return { result: left.found };
    const rest = restOf(left, outcome.found);
    if (!rest) return { result: outcome.found };
    left = rest;
    return undefined;
  });
};

/**
 * The same for rows in one transaction, with what `beside` writes for those that are left. Answers those that it did
 * not write, by their names, as they were found.
 */
export const writeRowsTogether = async <T extends RowTask>(
  tasks: readonly T[],
  beside: (left: readonly T[]) => Write[] = () => [],
): Promise<Map<string, HistoryItem | undefined>> => {
  const there = new Map<string, HistoryItem | undefined>();
  let left = tasks;
  return repeat(async () => {
    const refusals = await transact([...left.map(rowWrite), ...beside(left)]);
    if (!refusals) return { result: there };
    left = left.flatMap((task, index) => {
      const { refused = false, item } = refusals[index] ?? {};
      if (!refused) return task;
      const rest = restOf(task, item as HistoryItem | undefined);
      if (!rest?.facts) there.set(nameOf(task.key), item as HistoryItem | undefined);
      return rest ?? [];
    });
    return left.length > 0 ? undefined : { result: there };
  });
};

/** Joins the contributions to each row. */
const byRow = (contributions: readonly RowContribution[]): Map<string, RowContribution> => {
  const rows = new Map<string, RowContribution>();
  for (const one of contributions) {
    const name = nameOf(one.key);
    const other = rows.get(name);
    const parts = other?.parts && one.parts ? joined(other.parts, one.parts) : (other?.parts ?? one.parts);
    rows.set(name, { key: one.key, facts: other?.facts ?? one.facts, parts });
  }
  return rows;
};

/**
 * Rows of a transaction. One costs twice as much as rows by themselves, and takes a tenth of the consumer's time: it is
 * for a consumer that has much to do.
 */
export const rowsTogether = 90;

/** Rows that are looked for at once, and rows that are written side by side. */
const maxLooks = 3 * rowsTogether;
const sideBySide = 32;

/** Writes rows, as many as there are together. Answers those that were there, by their names. */
const writeRows = async (tasks: readonly RowTask[]): Promise<Map<string, HistoryItem | undefined>> => {
  const there = new Map<string, HistoryItem | undefined>();
  const alone: RowTask[] = [];
  for (const some of inChunks(tasks, rowsTogether))
    if (some.length < rowsTogether) alone.push(...some);
    else for (const [name, found] of await writeRowsTogether(some)) there.set(name, found);
  const work = alone.values();
  const writeSome = async (): Promise<void> => {
    for (const task of work) there.set(nameOf(task.key), await writeRow(task));
  };
  await Promise.all(Array.from({ length: sideBySide }, writeSome));
  return there;
};

/**
 * Writes contributions to history: each row once, whoever writes it. They may come in any order, repeatedly, and to
 * several consumers at once, and it may die anywhere: the table ends the same. Answers what became of each row, by its
 * key. Throws where the table does not take them; some may be written then.
 */
export const recordRows = async (
  contributions: readonly RowContribution[],
): Promise<(key: Key) => RowOutcome | undefined> => {
  const rows = [...byRow(contributions).values()];
  const found = new Map<string, HistoryItem | undefined>();
  // Parts alone are refused more often.
  for (const same of [rows.filter(({ facts }) => !facts), rows.filter(({ facts }) => facts)])
    for (const some of inChunks(same, maxLooks)) {
      const looked = await lookFor(some);
      const left = some.flatMap((row) =>
        looked.has(nameOf(row.key)) ? (leftOf(row, looked.get(nameOf(row.key))) ?? []) : row,
      );
      for (const [name, item] of [...looked, ...(await writeRows(left))]) found.set(name, item);
    }
  const outcomes = rows.map((row) => [nameOf(row.key), outcomeOf(row, found.get(nameOf(row.key)))] as const);
  const byName = new Map(outcomes);
  return (key) => byName.get(nameOf(key));
};
