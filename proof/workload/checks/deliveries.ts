import type { Book } from '../book.ts';
import { onceEach } from '../faults.ts';
import type { Table } from '../table.ts';

/** Deliveries: each ordered delivery was given once for its id, and its record says so. */

interface DeliveryBooks {
  records: readonly { id: string; state: string }[];
  /** The items that the dispenser gave. */
  gifts: readonly { deliveryId: string; message: string }[];
}

export const deliveriesInTable = (table: Table): DeliveryBooks['records'] =>
  table
    .of('DELIVERY')
    .filter(({ pk }) => pk.split('#').length === 2)
    .map(({ sk: id, state }) => ({ id, state }));

/** The ids of the deliveries of refunded sales. A refund ends a delivery, unless it was made or is under way. */
const refundedOf = ({ sales }: Book): Set<string | null> =>
  new Set(
    [...sales.values()].filter(({ answer }) => answer.state === 'refunded').map(({ answer }) => answer.deliveryId),
  );

/** The note that was asked for. In a gift's message it is the last line, below the line that says who gave it. */
export const noteOf = (message: string): string => message.split('\n').at(-1) ?? '';

/** Each attempt at a repeated request may have queued a delivery, but only one. */
export const deliveryFaults = (book: Book, { records, gifts }: DeliveryBooks): string[] => {
  const byNote = Map.groupBy(gifts, ({ message }) => noteOf(message));
  const refunded = refundedOf(book);
  const due = [...book.deliveries].filter(([note, { isRefunded }]) => !isRefunded || byNote.has(note));
  const ids = gifts.map(({ deliveryId }) => deliveryId);
  const known = new Set(ids);
  const told = records.filter(({ id }) => known.has(id) || !refunded.has(id));
  return [
    ...onceEach(
      'the delivery',
      due.map(([note]) => note),
      byNote.keys(),
    ),
    ...[...book.deliveries].flatMap(([note, { attempts }]) => {
      const count = byNote.get(note)?.length ?? 0;
      return count > attempts
        ? [`the delivery ${note} was ordered in ${attempts} attempts, but given ${count} times`]
        : [];
    }),
    ...onceEach('the gift', ids, ids),
    ...onceEach(
      'the record of the delivery',
      known,
      told.map(({ id }) => id),
    ),
    ...told
      .filter(({ id, state }) => state !== 'delivered' && known.has(id) && !refunded.has(id))
      .map(({ id, state }) => `the delivery ${id} was given, but its record says ${state}`),
  ];
};
