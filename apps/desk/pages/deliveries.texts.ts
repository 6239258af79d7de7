import { count, some } from '../format.ts';
import { texts } from '../texts.ts';
import { deliveryWords } from '../words/delivery.ts';

export const t = {
  ...deliveryWords,
  title: texts.titles.deliveries,
  none: 'Nothing was delivered yet. Each sale makes a delivery by itself.',
  noneFits: 'No delivery is in this state.',
  to: 'For',
  ordered: 'Ordered',
  action: 'Action',
  retry: 'Try again',
  retryOf: (item: string, name: string) => `Try again: ${item} for ${name}`,
  retried: (item: string, name: string) => `Trying again to deliver ${item} to ${name}.`,
  retryAll: 'Try all failed again',
  retrying: (done: number, all: number) => `Trying again: ${count(done)} of ${count(all)}.`,
  retriedAll: (done: number, refused: number) =>
    `Trying ${some(done, 'delivery', 'deliveries')} again.${refused > 0 ? ` ${some(refused, 'was', 'were')} refused.` : ''}`,
};
