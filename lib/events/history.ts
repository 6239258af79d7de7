import { isDeepStrictEqual } from 'node:util';
import { type HistoryItem, type LotPart, maxLotParts } from '../credit/history.ts';
import { ofProcess } from '../process.ts';
import { all, is, isNew, missing, put, update, type Write } from '../table/language.ts';
import { repeat } from '../table/retry.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { getMany, inChunks, transact } from '../table/table.ts';
import { type DaySums, dayKey, dayOf, plus } from './days.ts';
import type { Contribution, Parts } from './records.ts';

const byExpiry = (a: LotPart, b: LotPart): number =>
  a.expiresAt === b.expiresAt ? (a.id < b.id ? -1 : 1) : a.expiresAt < b.expiresAt ? -1 : 1;

/**
 * Joins parts of one row. The result is the same in whatever order and however often parts come (a semilattice): the
 * first 200 of all, and, where there are more, the time at which the last one of all expires.
 */
const joined = (a: Parts, b: Parts): Parts => {
  const lots = [...new Map([...(a.lots ?? []), ...(b.lots ?? [])].map((part) => [part.id, part])).values()];
  lots.sort(byExpiry);
  const isCut = a.lastExpiresAt !== undefined || b.lastExpiresAt !== undefined || lots.length > maxLotParts;
  const last = [a.lastExpiresAt ?? '', b.lastExpiresAt ?? '', lots.at(-1)?.expiresAt ?? ''].sort()[2];
  return {
    ...(lots.length > 0 && { lots: lots.slice(0, maxLotParts) }),
    ...(isCut && { lastExpiresAt: last as string }),
  };
};

/** A contribution, and its item as a look or a refusal brought it. */
interface Task extends Contribution {
  found?: HistoryItem | undefined;
  /** There was no item. */
  isNew?: boolean;
}

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const partsOf = ({ lots, lastExpiresAt }: Parts): Parts => ({
  ...(lots && { lots }),
  ...(lastExpiresAt !== undefined && { lastExpiresAt }),
});

/** Attributes of a mark that are not there any more when an avatar who came back has a change in its place. */
const unerased = { erased: undefined, [ttlAttribute]: undefined };

/**
 * True for a change after which permanent credit has all that the balance gained or lost: its lots, if any, cancel out.
 */
const hasNoLots = (facts: Contribution['facts']): boolean =>
  facts !== undefined && 'amount' in facts && facts.unlotted === facts.amount - facts.expired;

/** Facts are written while there are none, parts on top of those that were read: none at first. */
const writeOf = (task: Task): Write => {
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
    ),
  });
};

/** The part of a contribution that the item under its key still lacks, if any. */
const leftOf = (task: Task, found: HistoryItem | undefined): Task[] => {
  if (task.facts && found?.erased !== undefined && found.erased >= task.facts.at) return [];
  const facts = found?.kind === undefined ? task.facts : undefined;
  const has = found ? partsOf(found) : {};
  const parts = task.parts && !isDeepStrictEqual(joined(has, task.parts), has) ? task.parts : undefined;
  return facts || parts ? [{ ...task, facts, parts, found, isNew: !found }] : [];
};

/** True for parts that come to others. */
const isJoined = ({ parts, found }: Task): boolean => parts !== undefined && found?.lots !== undefined;

/** The writes that count facts in the sums of their days. */
const dayWrites = (tasks: readonly Task[]): Write[] => {
  const days = new Map<string, { task: Task; sums: DaySums }>();
  for (const task of tasks) {
    if (!task.facts || !task.sums) continue;
    const day = dayOf(task.facts.at);
    days.set(day, { task, sums: plus(days.get(day)?.sums ?? {}, task.sums) });
  }
  return [...days].flatMap(([day, { task, sums }]) =>
    Object.keys(sums).length > 0 ? [update(dayKey(task.store, day), { add: sums as Record<string, number> })] : [],
  );
};

/** A transaction holds 100 items: so many rows and marks, and so many days. */
const maxTasks = 90;
const maxDays = 10;

/**
 * So many are looked for at once: many, for full transactions of those that are new, and few, to meet no other
 * consumer's.
 */
const maxLooks = 3 * maxTasks;

/** The expectations of a consumer, by what it has met so far. */
const expected = ofProcess(() => ({
  /**
   * A consumer that has met something that was written before expects more of it: a batch came back, or the stream is
   * read anew. It looks first then, since a read costs a fraction of a refused write, until it finds nothing.
   */
  mayRepeat: false,
  /**
   * The same for parts where a row had others: the records of its change came far apart. So many parts are still looked
   * for, as a batch holds few of them.
   */
  partsToLookFor: 0,
}));

/** The contributions of which the table lacks something, as far as a look is worth it. */
const unwritten = async (tasks: readonly Task[]): Promise<readonly Task[]> => {
  const ours = expected();
  const looked = new Set(tasks.filter(({ parts }) => ours.mayRepeat || (ours.partsToLookFor > 0 && parts)));
  if (looked.size === 0) return tasks;
  const found = await getMany<HistoryItem>(
    [...looked].map(({ key }) => key),
    { consistent: true, attributes: ['kind', 'lots', 'lastExpiresAt', 'erased'] },
  );
  const items = new Map(found.map((item) => [nameOf(item), item]));
  const left = tasks.flatMap((task) => (looked.has(task) ? leftOf(task, items.get(nameOf(task.key))) : task));
  ours.mayRepeat = left.length < tasks.length;
  ours.partsToLookFor = left.some(isJoined) ? maxTasks : ours.partsToLookFor - looked.size;
  return left;
};

/**
 * Writes facts with the sums of their days in one transaction. A refusal says what is there already; the rest is sent
 * again.
 */
const recordTogether = async (tasks: readonly Task[]): Promise<void> => {
  const ours = expected();
  let left = tasks;
  await repeat(async () => {
    const refusals = await transact([...left.map(writeOf), ...dayWrites(left)]);
    if (!refusals) return { result: undefined };
    left = left.flatMap((task, index) => {
      const refusal = refusals[index];
      if (!refusal?.refused) return [task];
      const rest = leftOf(task, refusal.item as HistoryItem | undefined);
      ours.mayRepeat ||= rest.length === 0;
      if (rest.some(isJoined)) ours.partsToLookFor = maxTasks;
      return rest;
    });
    return left.length > 0 ? undefined : { result: undefined };
  });
};

/** Cuts contributions into those of a transaction each. */
const cut = (tasks: readonly Task[]): Task[][] => {
  const chunks: Task[][] = [];
  let days = new Set<string>();
  for (const task of tasks) {
    const last = chunks.at(-1);
    if (task.facts) days.add(dayOf(task.facts.at));
    if (last && last.length < maxTasks && days.size <= maxDays) last.push(task);
    else {
      chunks.push([task]);
      days = new Set(task.facts && [dayOf(task.facts.at)]);
    }
  }
  return chunks;
};

/** Joins the contributions to each item. */
const byItem = (contributions: readonly Contribution[]): Contribution[] => {
  const items = new Map<string, Contribution>();
  for (const one of contributions) {
    const name = nameOf(one.key);
    const other = items.get(name);
    items.set(
      name,
      other
        ? {
            ...(other.facts ? other : one),
            parts: other.parts && one.parts ? joined(other.parts, one.parts) : (other.parts ?? one.parts),
          }
        : one,
    );
  }
  return [...items.values()];
};

/**
 * Writes the contributions of a store to history, and counts each change in its day exactly once. They may come in any
 * order, repeatedly, and to several consumers at once, and it may die anywhere: the table ends the same. Throws where
 * the table does not take them; some may be written then.
 */
export const record = async (contributions: readonly Contribution[]): Promise<void> => {
  const timeOf = ({ facts }: Contribution): string => facts?.at ?? '';
  const tasks = byItem(contributions);
  // Parts alone are refused more often, and count in no day.
  const alone = tasks.filter(({ facts }) => !facts);
  // In the order of time: the fewer days a transaction has, the less it writes.
  const dated = tasks.filter(({ facts }) => facts).sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  // One after another: all of a store count in the same days.
  for (const some of [alone, dated].flatMap((all) => inChunks(all, maxLooks)))
    for (const together of cut(await unwritten(some))) await recordTogether(together);
};
