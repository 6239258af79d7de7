import { money, some } from '../format.ts';
import { texts } from '../texts.ts';

export const t = {
  title: texts.titles.events,
  intro: 'The last 30 days, newest first. New events appear while the page is open.',
  none: 'Nothing has happened in the last 30 days. Sales, credit, deliveries and more appear here by themselves.',
  caption: 'Events of the store',
  live: 'Live',
  reading: (events: number) => `Reading: ${some(events, 'event', 'events')}…`,
  read: (events: number) => some(events, 'event', 'events'),
  older: 'Show older',
  at: 'When',
  type: 'Event',
  who: 'Customer',
  what: 'Details',
  all: 'All events',
  balance: (credit: number, restricted: number) => `has ${money(credit)}, and ${money(restricted)} restricted`,
  card: (credit: number) => `Card of ${money(credit)}`,
  coupon: (code: string, discount: number) => `${code}, ${discount} %`,
  refused: (refusal: string) => `Refused: ${refusal}`,
};
