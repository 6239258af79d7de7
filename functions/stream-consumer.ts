import { type ConsumerEvent, consume } from '../lib/events/consume.ts';
import type { ShardAnswer } from '../lib/events/stream.ts';

/**
 * Makes history, the sums of days and events from the table's stream, orders the deliveries of new sales, counts the
 * debts of sales, notes the names of new and renamed customers, and tells vendors of changes.
 */
export const handler = (event: ConsumerEvent): Promise<ShardAnswer> => consume(event);
