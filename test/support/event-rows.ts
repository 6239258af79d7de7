import { newId, timestamp } from '../../lib/clock.ts';
import { eventList, type NotedEvent } from '../../lib/events/events.ts';
import { type FieldChange, type JournalTelling, journalItem } from '../../lib/events/journal-items.ts';
import type { EventData, EventType } from '../../lib/routes/events.ts';
import { partition } from '../../lib/table/keys.ts';

export interface SeededEvent<T extends EventType = EventType> {
  type: T;
  data: EventData<T>;
  /** When it was noted, in milliseconds since 1970. */
  notedAt: number;
  id?: string;
}

/** An event as the stream's consumer notes it. */
export const eventRow = <T extends EventType>(
  store: string,
  { type, data, notedAt, id = newId() }: SeededEvent<T>,
): NotedEvent => ({
  ...{ pk: partition(store, 'EVENT'), sk: id, type, at: timestamp(notedAt), data: JSON.stringify(data) },
  ...{ ranked: eventList(store, type), rank: `${timestamp(notedAt)}#000000#${id}` },
  ttl: Math.ceil(notedAt / 1000) + 30 * 86_400,
});

/** Events of changes of a customer's credit, one each millisecond. The last was noted at `lastAt`. */
export const creditEvents = (store: string, uuid: string, count: number, lastAt: number): NotedEvent[] => {
  // Where the clock stands still, new ids are in no order.
  const ids = Array.from({ length: count }, () => newId()).sort();
  return ids.map((id, index) =>
    eventRow(store, {
      id,
      type: 'credit.changed',
      data: { uuid, username: 'ada', credit: index + 1, restrictedCredit: 0, sequence: index + 1 },
      notedAt: lastAt - count + 1 + index,
    }),
  );
};

const changeOf = (field: string, before: unknown, after: unknown): FieldChange => ({
  field,
  before,
  after,
  hidden: false,
});

/** Two rows of a store's journal that are no events. */
export const journalRows = (store: string, keyId: string, notedAt: number): object[] => {
  const by = { type: 'key', id: keyId } as const;
  const tellings: JournalTelling[] = [
    { kind: 'rules.changed', subject: null, name: null, by, changes: [changeOf('groupDiscount', 0, 5)] },
    {
      kind: 'webhook.changed',
      subject: newId(),
      name: 'Bot',
      by,
      changes: [changeOf('format', 'standard', 'discord')],
    },
  ];
  return tellings.map((journal, index) => {
    const [id, at] = [newId(), timestamp(notedAt + index)];
    const place = `${at}#000000#${id}`;
    return {
      pk: partition(store, 'EVENT'),
      sk: id,
      at,
      ...journalItem(store, journal, { place, at, eventList: undefined }),
    };
  });
};
