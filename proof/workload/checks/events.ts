import { listEvents } from '../../../lib/routes/events.ts';
import { getDays } from '../../../lib/routes/store.ts';
import type { Book } from '../book.ts';
import { type Service, send, walk } from '../client.ts';
import { onceEach } from '../faults.ts';
import type { Table } from '../table.ts';

/** Events and days: each sale and each redeemed card has one event, and is counted once. */

/** An event of the API; the table has its data as JSON. */
interface TellingEvent {
  type: string;
  data: { id?: string };
}

export const eventsInTable = (table: Table): TellingEvent[] =>
  table.of('EVENT').flatMap(({ type, data }) => (data === undefined ? [] : { type, data: JSON.parse(data) }));

export const eventsOverHttp = (service: Service): Promise<TellingEvent[]> =>
  walk(service, listEvents, { query: { limit: 1000 } });

const told = ['sale.completed', 'sale.refunded', 'giftcard.redeemed'];

export const eventFaults = ({ sales, redeemed }: Book, events: readonly TellingEvent[]): string[] =>
  onceEach(
    'the event',
    [
      ...[...sales.values()].flatMap(({ answer: { id, state } }) => [
        ...(state === 'refused' ? [] : [`sale.completed ${id}`]),
        ...(state === 'refunded' ? [`sale.refunded ${id}`] : []),
      ]),
      ...[...redeemed].map((id) => `giftcard.redeemed ${id}`),
    ],
    events.filter(({ type }) => told.includes(type)).map(({ type, data }) => `${type} ${data.id}`),
  );

type Day = Partial<Record<'sales' | 'refunds' | 'paid' | 'refunded' | 'giftCardsRedeemed', number>>;

export const daysInTable = (table: Table): Day[] => table.of('DAY');

export const daysOverHttp = async (service: Service): Promise<Day[]> => (await send(service, getDays)).body.data;

/** All days together equal what the book's sales and cards did. `store audit` compares each day with its records. */
export const dayFaults = ({ sales, redeemed }: Book, days: readonly Day[]): string[] => {
  const made = [...sales.values()].map(({ answer }) => answer).filter(({ state }) => state !== 'refused');
  const refunded = made.filter(({ state }) => state === 'refunded');
  const paidFor = (some: typeof made): number => some.reduce((sum, { paid, change }) => sum + paid - change, 0);
  const wanted: Required<Day> = {
    ...{ sales: made.length, paid: paidFor(made), refunds: refunded.length, refunded: paidFor(refunded) },
    giftCardsRedeemed: redeemed.size,
  };
  return Object.entries(wanted).flatMap(([name, value]) => {
    const counted = days.reduce((sum, day) => sum + (day[name as keyof Day] ?? 0), 0);
    return counted === value ? [] : [`the days count ${counted} for ${name}, not ${value}`];
  });
};
