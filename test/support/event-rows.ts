import { newId, timestamp } from '../../lib/clock.ts';
import { type EventItem, eventList } from '../../lib/events/events.ts';
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
): EventItem => ({
  ...{ pk: partition(store, 'EVENT'), sk: id, type, at: timestamp(notedAt), data: JSON.stringify(data) },
  ...{ ranked: eventList(store, type), rank: `${timestamp(notedAt)}#000000#${id}` },
  ttl: Math.ceil(notedAt / 1000) + 30 * 86_400,
});

/** Events of changes of a customer's credit, one each millisecond. The last was noted at `lastAt`. */
export const creditEvents = (store: string, uuid: string, count: number, lastAt: number): EventItem[] => {
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
