import { newId, now, timestamp } from '../clock.ts';
import { demandPart, type ListRequest, page } from '../lists/page.ts';
import { loaded, merged, type Source } from '../lists/source.ts';
import { forbidden, invalid } from '../problem.ts';
import { perProcess } from '../process.ts';
import { type EventFilter, type EventType, readableTypes, scopesLacking } from '../routes/events.ts';
import type { Scope } from '../routes/scopes.ts';
import { eventKey, partition } from '../table/keys.ts';
import { isNew, put, update } from '../table/language.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { get, getMany, inChunks, rowsOf, write, writeUnstamped } from '../table/table.ts';
import { eventsOfRank, type JournalItem, type JournalTelling, journalItem, journalList } from './journal-items.ts';

/** An event, a row of the journal, or both in one, as a record of the stream tells it. */
export interface NewEvent {
  store: string;
  /** Names the item that changed. */
  thing: string;
  /** Derived from the change: everybody who reads its record gives it the same id. */
  id: string;
  /** Absent if it is no event. */
  type?: EventType;
  /** When the change was made. */
  at: string;
  /** As the API answers it. */
  data?: object;
  /** Absent if it is no row of the journal. */
  journal?: JournalTelling;
}

/**
 * An event or a row of the journal as it was noted. `sk` is its id. If its avatar was erased, only the key stays, so
 * that it is not noted again.
 */
export interface EventItem extends Key, Partial<JournalItem> {
  /** Absent if it is no event. */
  type?: EventType;
  at: string;
  /** JSON, whose members keep their order. Absent if it is no event. */
  data?: string;
  /** Made by the operator to try receivers out. It is not an event of the store. */
  sample?: true;
  /** The list of the store's events of this type, or of its samples, in the order in which they were noted. */
  ranked: string;
  rank: string;
  /** In seconds since 1970. */
  [ttlAttribute]: number;
}

const keepMillis = 30 * 86_400_000;

/**
 * The subjects of rare events. All types of such a subject share a list, since each list costs every reader of all
 * events half a unit.
 */
const sharedLists: readonly string[] = ['dispenser', 'payout', 'vendor'];

/** The types of events that are always rows of the journal: its list has them. */
const onlyJournal: readonly EventType[] = [
  ...(['product.changed', 'coupon.changed', 'category.changed', 'category.deleted'] as const),
  ...(['key.issued', 'key.ended', 'customer.banned', 'customer.unbanned', 'store.closed', 'store.opened'] as const),
  ...(['sale.refunded', 'giftcard.granted'] as const),
];

/** The list that has a store's events of a type, or its samples, which the API never reads. */
export const eventList = (store: string, type: EventType | 'sample'): string => {
  if (onlyJournal.includes(type as EventType)) return journalList(store);
  const [subject = ''] = type.split('.');
  return partition(store, 'EVENT', sharedLists.includes(subject) ? subject : type);
};

/** The lists that have a store's events of these types. */
export const eventLists = (store: string, types: readonly (EventType | 'sample')[]): string[] => {
  return [...new Set(types.map((type) => eventList(store, type)))];
};

/** A store's events, in the order of their ids. */
export const listStoreEvents = (store: string): Source<EventItem> => rowsOf({ partition: partition(store, 'EVENT') });

/** An item that is an event. */
export type NotedEvent = EventItem & { type: EventType; data: string };

export const isEvent = (item: EventItem): item is NotedEvent => item.type !== undefined && item.data !== undefined;

export const notedAtOf = ({ rank }: Pick<EventItem, 'rank'>): string => rank.slice(0, rank.indexOf('#'));

/** The API shows an event at this age. By then every earlier event is visible, so nobody who reads on misses one. */
const settleMillis = 10_000;

/** The time of the event that this process noted last, and its number within that millisecond. */
const latest = perProcess(() => ({ at: '', number: 0 }));

const placeText = (at: string, number: number): string => `${at}#${String(number).padStart(6, '0')}`;

/**
 * The place in the list for an event that is noted now: the time and a number within the millisecond. It is after
 * everything that this process has noted, even if the clock was set back by some seconds. It is also after `last`, the
 * event before it about the same thing, even if another consumer with a faster clock noted `last`. An event with a
 * place ahead of the clock is shown later. So if the clock was set back by more than `settleMillis`, its time is used
 * as it is.
 */
const placeBehind = (last: EventItem | undefined): string => {
  const own = latest();
  const millis = now();
  const at = timestamp(millis);
  if (at > own.at || own.at > timestamp(millis + settleMillis)) Object.assign(own, { at, number: 0 });
  else own.number++;
  const place = placeText(own.at, own.number);
  const [lastAt = '', number] = last?.rank.split('#') ?? [];
  return last && place <= last.rank ? placeText(lastAt, Number(number) + 1) : place;
};

/** Notes an event once, by its id. Answers it as it was first noted; undefined if its avatar was erased since. */
const note = async (
  { store, id, type, at, data, journal }: NewEvent,
  last: EventItem | undefined,
): Promise<EventItem | undefined> => {
  // The end of the id tells the event from one that another consumer notes at this place. With the whole id many
  // events would pass 1 KB and cost one write unit more.
  const place = `${placeBehind(last)}#${id.slice(-12)}`;
  const set = {
    at,
    ...(type && { type, data: JSON.stringify(data), ranked: eventList(store, type), rank: place }),
    [ttlAttribute]: Math.ceil((now() + keepMillis) / 1000),
    ...(journal && journalItem(store, journal, { place, at, eventList: type && eventList(store, type) })),
  };
  // A stamp would make many events longer than 1 KB, and such an event costs one write unit more.
  const outcome = await writeUnstamped<EventItem>(update(eventKey(store, id), { set, when: isNew }));
  const noted = outcome.done ? outcome.result : outcome.found;
  return noted?.rank === undefined ? undefined : noted;
};

/**
 * Notes the events of one thing in the order of its changes, each only after the one before it is noted. So the list
 * has this order even if the batch fails and comes back, and if another consumer notes the same events meanwhile.
 */
const noteInOrder = async (events: readonly NewEvent[]): Promise<EventItem[]> => {
  const noted: EventItem[] = [];
  for (const event of events) {
    const item = await note(event, noted.at(-1));
    if (item) noted.push(item);
  }
  return noted;
};

/** The most things whose events are noted side by side. */
const sideBySide = 25;

/**
 * Notes events, each once, and answers them as they were first noted. `events` has the events of one thing in the order
 * of its changes. Throws if the table refuses them.
 */
export const noteEvents = async (events: readonly NewEvent[]): Promise<EventItem[]> => {
  const things = [...Map.groupBy(events, ({ thing }) => thing).values()];
  const noted: EventItem[] = [];
  for (const some of inChunks(things, sideBySide)) noted.push(...(await Promise.all(some.map(noteInOrder))).flat());
  return noted;
};

/** No event is tried for longer than this. */
const sampleSeconds = 7 * 86_400;

/** Notes a sample of an event, which no list of the API contains. */
export const noteSample = async (store: string, type: EventType, data: object): Promise<EventItem> => {
  const [id, at] = [newId(), timestamp(now())];
  const sample: EventItem = {
    ...eventKey(store, id),
    type,
    at,
    data: JSON.stringify(data),
    sample: true,
    ranked: eventList(store, 'sample'),
    rank: `${at}#${id}`,
    [ttlAttribute]: Math.ceil(now() / 1000) + sampleSeconds,
  };
  await write(put(sample, isNew));
  return sample;
};

const positionOf = ({ rank }: { rank: string }): string => rank;

/** The keys of the events in some lists of a store, in the order in which they were noted. */
export const eventKeys = (
  store: string,
  types: Parameters<typeof eventLists>[1],
  range: { first?: string | undefined; last?: string | undefined },
): Source<Key & { rank: string }> =>
  merged(
    eventLists(store, types).map((list) => rowsOf({ partition: list, index: 'byRank', ...range })),
    positionOf,
  );

/**
 * The store's events with these types from the last 30 days, in the order in which they were noted, except for the last
 * ten seconds.
 */
export const listEvents = (store: string, types: readonly EventType[]): Source<NotedEvent> => {
  const [first, last] = [timestamp(now() - keepMillis), timestamp(now() - settleMillis)];
  const keys = eventKeys(store, types, { first, last });
  const mayBe = (type: EventType): boolean => types.includes(type);
  return loaded(keys, positionOf, async (rows) => {
    const some = rows.filter(({ rank }) => eventsOfRank(rank)?.some(mayBe) ?? true);
    return (await getMany<EventItem>(some)).filter((one): one is NotedEvent => isEvent(one) && mayBe(one.type));
  });
};

/** The place of an event that the store still has. Throws 400 for any other id. */
export const findPosition = async (store: string, id: string): Promise<string> => {
  const event = await get<EventItem>(eventKey(store, id));
  if (!event?.type || event.sample || event.rank < timestamp(now() - keepMillis))
    throw invalid('after must be the id of an event of the last 30 days. Leave it out to begin with the oldest.');
  return event.rank;
};

const eventAnswer = (event: NotedEvent) => ({
  id: event.sk,
  type: event.type,
  at: event.at,
  data: JSON.parse(event.data),
});

/** Throws 403 if a key with the scopes `held` may not read events of one of these types. */
export const demandReadable = (types: readonly EventType[], held: readonly Scope[]): void => {
  const lacking = scopesLacking(types, held);
  const hidden = types.filter((type) => scopesLacking([type], held).length > 0);
  if (hidden.length > 0)
    throw forbidden(`The API key lacks the scope ${lacking.join(' and ')} to read ${hidden.join(', ')}.`);
};

/**
 * A page of the store's events that a key with the scopes `held` may read, the earliest first. Throws 400 for `after`
 * beside a cursor or if `after` is not an event, and 403 for a type that the key may not read.
 */
export const eventsPage = async (
  store: string,
  held: readonly Scope[],
  { type, after }: EventFilter,
  list: ListRequest,
) => {
  if (after !== undefined && list.cursor) throw invalid('after must not be sent beside a cursor.');
  const part = type ?? '';
  demandPart(list, part);
  if (type) demandReadable([type], held);
  const events = listEvents(store, type ? [type] : readableTypes(held));
  const from = after !== undefined && { from: { position: await findPosition(store, after), inclusive: false } };
  const source: Source<NotedEvent> = from ? (range) => events({ ...range, ...from }) : events;
  const { data, ...envelope } = await page(list, source, positionOf, part);
  return { ...envelope, data: data.map(eventAnswer) };
};
