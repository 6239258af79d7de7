import { type EventItem, listStoreEvents } from '../../../lib/events/events.ts';
import type { Kind } from './kind.ts';
import { matching, personal, tombstoneEnd } from './personal.ts';

/** Events, which webhooks tell of. */
export const events: Kind = {
  personal: [
    personal<EventItem>({
      words: ['event', 'events'],
      effect: 'deleted',
      find: (store, uuid) =>
        matching(listStoreEvents(store), ({ data = '' }: Partial<EventItem>) => data.includes(uuid)),
      // The stream may bring the change again. The item that stays keeps it from noting the event again.
      kept: ({ pk, sk }) => {
        const tombstone = { pk, sk, ...tombstoneEnd() };
        return tombstone;
      },
    }),
  ],
};
