import { listEvents } from '../../lib/routes/events.ts';
import { checkLists } from '../workload/actions/lists.ts';
import { apiFaults, tableFaults } from '../workload/checks/books.ts';
import { type Service, walk } from '../workload/client.ts';
import { onceEach } from '../workload/faults.ts';
import { readTable } from '../workload/table.ts';
import type { Traffic } from '../workload/traffic.ts';
import { subscribed } from './receiver.ts';

/** Faults if a listed event did not reach the receiver, or an unlisted one did. The receiver may get an event twice. */
export const receiverFaults = (
  listed: readonly { id: string; type: string }[],
  received: ReadonlySet<string>,
): string[] =>
  onceEach(
    'for the receiver, the event',
    listed.filter(({ type }) => subscribed.includes(type)).map(({ id }) => id),
    received,
  );

/**
 * The faults of everything that was acknowledged: found in lists over HTTP, in the table itself, in the dispenser's
 * gifts and in the events that came.
 */
export const faultsOf = async (
  service: Service,
  { dispenser, residents }: Traffic,
  received: ReadonlySet<string>,
  { endpoint, store }: { endpoint: string; store: string },
): Promise<string[]> => {
  await checkLists(service);
  const { book } = service;
  const listed = await walk(service, listEvents, { query: { limit: 1000 } });
  const gifts = dispenser.inbox();
  const changed = new Set([...book.rows.CUSTOMER.keys(), ...book.credit.map(({ uuid }) => uuid)]);
  const known = residents.map(({ uuid }) => uuid).filter((uuid) => changed.has(uuid));
  return [
    ...book.faults,
    ...receiverFaults(listed, received),
    ...(await apiFaults(service, known, gifts)),
    ...tableFaults(await readTable(endpoint, store), book, gifts),
  ];
};
