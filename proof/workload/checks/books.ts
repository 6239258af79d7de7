import { auditGiven } from '../../../apps/cli/kinds/audit-given.ts';
import { auditDays } from '../../../apps/cli/kinds/days.ts';
import { auditCards } from '../../../apps/cli/kinds/gift-cards.ts';
import { auditChecks } from '../../../apps/cli/kinds/kinds.ts';
import { auditPayees } from '../../../apps/cli/kinds/payees.ts';
import { auditTable } from '../../../lib/operator/audit-credit.ts';
import { auditHistories } from '../../../lib/operator/audit-history.ts';
import { listDeliveries } from '../../../lib/routes/deliveries.ts';
import type { Book } from '../book.ts';
import { type Service, walk } from '../client.ts';
import type { Table } from '../table.ts';
import { creditFaults, creditInTable, creditOverHttp } from './credit.ts';
import { deliveriesInTable, deliveryFaults } from './deliveries.ts';
import { dayFaults, daysInTable, daysOverHttp, eventFaults, eventsInTable, eventsOverHttp } from './events.ts';
import { rowFaults } from './rows.ts';
import { saleFaults, salesInTable, salesOverHttp } from './sales.ts';

/** All concerns at once, when the service is at rest. Each answers a sentence for each fault. */

interface Gift {
  deliveryId: string;
  message: string;
}

/** Everything that operators check (`store audit`), in the table that this process uses. */
export const auditStore = async (store: string): Promise<string[]> => {
  const faults: string[] = [];
  const listener = { onFault: (fault: string) => void faults.push(fault), onChecked: () => undefined };
  for (const { check } of auditChecks) await check(store, listener);
  return faults;
};

/** The part of it that judges raw items of one store. */
export const auditFaults = (items: readonly object[]): string[] => [
  ...auditTable(items as never),
  ...auditHistories(items as never),
  ...auditDays(items as never),
  ...auditPayees(items as never),
  ...auditGiven(items as never),
  ...auditCards(items as never),
];

/** Compares everything that money depends on in a store's table with the book. */
export const moneyFaults = (table: Table, book: Book, limit?: number): string[] => [
  ...creditFaults(book, creditInTable(table), limit),
  ...saleFaults(book, salesInTable(table, book)),
  ...eventFaults(book, eventsInTable(table)),
  ...dayFaults(book, daysInTable(table)),
];

/** Compares a store's table with the book. */
export const tableFaults = (table: Table, book: Book, gifts: readonly Gift[]): string[] => [
  ...rowFaults(table, book),
  ...deliveryFaults(book, { records: deliveriesInTable(table), gifts }),
  ...moneyFaults(table, book),
];

/** Compares what the API tells about some customers, and about all sales, with the book. */
export const apiFaults = async (
  service: Service,
  uuids: readonly string[],
  gifts: readonly Gift[],
): Promise<string[]> => {
  const { book } = service;
  const records = await walk(service, listDeliveries, { query: { limit: 1000 } });
  return [
    ...creditFaults(book, await creditOverHttp(service, uuids)),
    ...saleFaults(book, await salesOverHttp(service, uuids)),
    ...deliveryFaults(book, { records, gifts }),
    ...eventFaults(book, await eventsOverHttp(service)),
    ...dayFaults(book, await daysOverHttp(service)),
  ];
};
