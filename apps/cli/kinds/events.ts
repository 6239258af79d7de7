import { type EventItem, listStoreEvents } from '../../../lib/events/events.ts';
import type { Kind } from './kind.ts';
import { matching, personal, tombstoneEnd } from './personal.ts';

export const events: Kind = {
  personal: [
    personal<EventItem>({
      words: ['event', 'events'],
      effect: 'deleted',
      find: (store, uuid) =>
        matching(listStoreEvents(store), ({ data = '' }: Partial<EventItem>) => data.includes(uuid)),
      // The stream may deliver the change again. This item keeps its consumer from writing the event again.
      kept: ({ pk, sk }) => {
        const tombstone = { pk, sk, ...tombstoneEnd() };
        return tombstone;
      },
    }),
  ],
};
