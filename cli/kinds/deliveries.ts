import { now, timestamp } from '../../lib/clock.ts';
import { type Delivery, recipientList, type Wait } from '../../lib/delivery/deliveries.ts';
import { type Key, partition } from '../../lib/table/schema.ts';
import { rowsOf } from '../../lib/table/table.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';

export const findDeliveries = (store: string, uuid: string): Promise<(Delivery & Key)[]> =>
  matching(
    rowsOf<Delivery & Key>({ partition: partition(store, 'DELIVERY') }),
    ({ recipientUuid }) => recipientUuid === uuid,
  );

const isUnderWay = ({ state, expiresAt }: Delivery): boolean =>
  (state === 'queued' || state === 'waiting') && timestamp(now()) < expiresAt;

/** Deliveries, and those that wait for the dispenser. */
export const deliveries: Kind = {
  personal: [
    personal<Delivery & Key>({
      words: ['delivery', 'deliveries'],
      effect: 'pseudonym if made, until its record ends; else deleted; the note goes',
      isUpdated: true,
      find: findDeliveries,
      blocker: (delivery) =>
        isUnderWay(delivery)
          ? `The delivery ${delivery.id} of ${delivery.item} is under way. Wait until it was made or has failed, at the latest at ${delivery.expiresAt}; one that waits goes on when the dispenser registers (store dispenser show).`
          : undefined,
      // The record of one that was made keeps a late message from giving the item again.
      kept: ({ message, lastError, ...delivery }, { store, pseudonym }) =>
        delivery.state === 'delivered'
          ? {
              ...delivery,
              recipientUuid: pseudonym,
              recipientUsername: pseudonym,
              flags: recipientList(store, pseudonym),
            }
          : undefined,
    }),
    personal<Wait>({
      words: ['delivery that waited', 'deliveries that waited'],
      effect: 'deleted',
      find: (store, uuid) =>
        matching(
          rowsOf<Wait>({ partition: partition(store, 'DELIVERY', 'waiting') }),
          ({ order }) => order.recipientUuid === uuid,
        ),
      kept: () => undefined,
    }),
  ],
};
