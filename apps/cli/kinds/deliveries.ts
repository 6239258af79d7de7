import { now, timestamp } from '../../../lib/clock.ts';
import { type Delivery, recipientList, type WaitingRow } from '../../../lib/delivery/deliveries.ts';
import { partition, storeOf } from '../../../lib/table/keys.ts';
import { type Key, ttlAttribute } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';

export const findDeliveries = (store: string, uuid: string): Promise<(Delivery & Key)[]> =>
  matching(
    rowsOf<Delivery & Key>({ partition: partition(store, 'DELIVERY') }),
    ({ recipientUuid }) => recipientUuid === uuid,
  );

/** The times at which a delivery was made or failed. The sums of days count each. */
export const endsOf = ({ deliveredAt, failedAt, failures = [] }: Partial<Delivery>) => [
  ...(deliveredAt === undefined ? [] : [{ kind: 'delivered' as const, at: deliveredAt }]),
  ...new Set([...failures, ...(failedAt === undefined ? [] : [failedAt])])
    .values()
    .map((at) => ({ kind: 'failed' as const, at })),
];

/** Longer than the week for which an audit of days needs a mark. */
const markMillis = 8 * 86_400_000;

/** The mark that an erasure leaves of a deleted delivery: the times at which it failed, for audits of days. */
const markOf = ({ pk, sk, ...delivery }: Delivery & Key): Key | undefined => {
  const failures = endsOf(delivery).map(({ at }) => at);
  const end = { [ttlAttribute]: Math.ceil((now() + markMillis) / 1000) };
  const store = storeOf({ pk });
  return failures.length > 0 ? ({ pk: partition(store, 'MARK'), sk, id: sk, failures, ...end } as Key) : undefined;
};

const isUnderWay = ({ state, expiresAt }: Delivery): boolean =>
  (state === 'queued' || state === 'waiting') && timestamp(now()) < expiresAt;

export const deliveries: Kind = {
  personal: [
    personal<Delivery & Key>({
      words: ['delivery', 'deliveries'],
      effect: 'pseudonym if made, until its record ends; else deleted but for the times of failures; the note goes',
      isUpdated: true,
      find: findDeliveries,
      blocker: (delivery) =>
        isUnderWay(delivery)
          ? `The delivery ${delivery.id} of ${delivery.item} is under way. Wait until it was made or has failed, at the latest at ${delivery.expiresAt}; one that waits goes on when the dispenser registers (store dispenser show).`
          : undefined,
      // The record of a completed delivery stays, since it keeps a late message from giving the item again.
      kept: ({ message, lastError, ...delivery }, { store, pseudonym }) =>
        delivery.state === 'delivered'
          ? {
              ...delivery,
              recipientUuid: pseudonym,
              recipientUsername: pseudonym,
              flags: recipientList(store, pseudonym),
            }
          : markOf(delivery),
      // An order that was still on the queue may fail after an earlier erasure has left a mark.
      merged: (mark, there) => ({
        ...mark,
        failures: [...new Set([...(there.failures ?? []), ...(mark.failures ?? [])])],
      }),
    }),
    personal<WaitingRow>({
      words: ['delivery that waited', 'deliveries that waited'],
      effect: 'deleted',
      find: (store, uuid) =>
        matching(
          rowsOf<WaitingRow>({ partition: partition(store, 'DELIVERY', 'waiting') }),
          ({ order }) => order.recipientUuid === uuid,
        ),
      kept: () => undefined,
    }),
  ],
};
