import { now } from '../clock.ts';
import { uuidPattern } from '../identifier.ts';
import type { EventType } from '../routes/events.ts';
import { type JournalKind, journalKindNames, ruleOf } from '../routes/journal-kinds.ts';
import type { Actor } from '../table/actor.ts';
import { partition } from '../table/keys.ts';
import { ttlAttribute } from '../table/schema.ts';
import type { ActorType } from '../watched.ts';

/**
 * The journal's rows as they are stored. A row is an item of the events' partition. If the change is an event too, the
 * row is the event's item. A row's rank holds everything that a filter asks for, so an index alone tells which rows
 * pass.
 */

/** A field that a change has changed. A hidden one has neither value. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
  hidden: boolean;
}

/** A row of the journal as a change tells it, without the thing's store. */
export interface JournalTelling {
  kind: JournalKind;
  /** The id of the thing; null for a kind that a store has once. */
  subject: string | null;
  /** The name that the thing had then. */
  name: string | null;
  by: Omit<Actor, 'type'> & { type: ActorType };
  changes: FieldChange[];
  /** The type of the event that is the same change. */
  event?: EventType | undefined;
  /** Distinguishes the row from others of the same kind and change. */
  part?: string;
}

/** The attributes of a row of the journal. */
export interface JournalItem {
  /** The store's journal, or the events of a type that are not in it alone. */
  ranked: string;
  /** Place, kind, the id of whoever did it, and the time of the change, between `#`. */
  rank: string;
  /** The list of the rows about one thing. Absent if a store has only one such thing. */
  bought?: string;
  /** The journal, and the rank in it, of a row that `ranked` lists among the events of its type. */
  dues?: string;
  due?: string;
  /** The name that the thing had then. */
  name?: string;
  actor: ActorType;
  requestId?: string;
  /** JSON: the name of each field, and its values before and after. A hidden field has no values. */
  changes: string;
}

/** The list of all rows of a store. */
export const journalList = (store: string): string => partition(store, 'EVENT', 'journal');

/** The list of the rows about a thing of a store. */
export const subjectList = (store: string, subject: string): string =>
  partition(store, 'EVENT', `about#${uuidPattern.test(subject) ? subject.toLowerCase() : subject}`);

const dayMillis = 86_400_000;

/** The time for which rows are kept, in milliseconds. */
const keptMillis = (): number => Number(process.env.JOURNAL_DAYS ?? 400) * dayMillis;

const storedChange = ({ field, before, after, hidden }: FieldChange) => (hidden ? [field] : [field, before, after]);

/** The attributes of a row with this place and time. `eventList` has the events of its type, if it is one. */
export const journalItem = (
  store: string,
  { kind, subject, name, by, changes }: JournalTelling,
  { place, at, eventList }: { place: string; at: string; eventList: string | undefined },
) => {
  const rank = [place, kind, by.id ?? '', at].join('#');
  const list = journalList(store);
  return {
    ranked: eventList ?? list,
    rank,
    ...(eventList !== undefined && eventList !== list && { dues: list, due: rank }),
    ...(subject !== null && { bought: subjectList(store, subject) }),
    ...(name !== null && { name }),
    actor: by.type,
    ...(by.requestId !== undefined && { requestId: by.requestId }),
    changes: JSON.stringify(changes.map(storedChange)),
    [ttlAttribute]: Math.ceil((now() + keptMillis()) / 1000),
  };
};

/** The changes of a stored row. */
export const changesIn = ({ changes }: Pick<JournalItem, 'changes'>): FieldChange[] =>
  (JSON.parse(changes) as unknown[][]).map((one) => {
    const [field, before = null, after = null] = one;
    return { field: String(field), before, after, hidden: one.length === 1 };
  });

/** The id of a row's thing, from the list of its changes; null for a kind that a store has once. */
export const subjectIn = ({ bought }: Pick<JournalItem, 'bought'>): string | null =>
  bought === undefined ? null : bought.slice(bought.indexOf('about#') + 'about#'.length);

/** The facts of a row that its rank holds; undefined for an event that is no row. */
export const factsIn = (rank: string): { kind: JournalKind; by: string; at: string } | undefined => {
  const [, , , kind, by = '', at = ''] = rank.split('#');
  return kind !== undefined && journalKindNames.includes(kind as JournalKind)
    ? { kind: kind as JournalKind, by, at }
    : undefined;
};

/** The types of events that a row of this kind can be. */
const eventsOfKind = (kind: JournalKind): readonly EventType[] => {
  if (kind === 'payout.settled') return ['payout.paid', 'payout.failed'];
  const { event } = ruleOf(kind);
  return event ? [event] : [];
};

/** The types of events that a row with this rank can be; undefined if it is no row of the journal. */
export const eventsOfRank = (rank: string): readonly EventType[] | undefined => {
  const facts = factsIn(rank);
  return facts && eventsOfKind(facts.kind);
};
