import { deletable } from '../lib/watched.ts';

/** Every write of an item except its removal. */
const eventName = ['INSERT', 'MODIFY'];

const kinds = [
  ...(['CUSTOMER', 'GIFTCARD', 'DELIVERY', 'DISPENSER', 'PRODUCT', 'SALE', 'PAYOUT', 'VENDOR'] as const),
  ...(['COUPON', 'CATEGORY', 'WEBHOOK'] as const),
];

const suffixes = (some: readonly string[]) => some.map((kind) => ({ suffix: `#${kind}` }));

/**
 * The event source of the stream's consumer as plain data. The stack makes it on AWS; `npm start` and the tests poll
 * the engine's own stream by the same facts.
 */
export const streamSource = {
  /** The most records in one call: as many as Lambda reads from a stream at once. */
  batchSize: 1000,
  /**
   * Only an event source with a tumbling window tells the function the shard, which the sums of days need. This is the
   * longest window: at its end Lambda calls the function once more. Nothing divides a shard between several calls,
   * since its order would be lost.
   */
  shardWindowMinutes: 15,
  /**
   * How long Lambda gathers records between two calls. A record waits half of this time on average, so history and
   * deliveries are normally less than a second behind. A busy table calls the function once a second for each shard
   * instead of four times.
   */
  windowSeconds: 1,
  /**
   * A batch that fails comes back for this time. DynamoDB deletes a record after 24 hours. With a bound of 24 hours
   * Lambda could lose a record before it notes the record's place in the queue of failures.
   */
  maxRecordAgeHours: 20,
  timeoutSeconds: 60,
  /**
   * Patterns of the records that reach the consumer: lots that history knows, applied coupons, all items whose key
   * tells their kind, what was deleted, and the ends of imports in the operator's log. Each sweep writes a note, so the
   * consumer is called every minute, and an alarm sees when nothing calls it.
   */
  filters: [
    { eventName, dynamodb: { NewImage: { version: { N: [{ exists: true }] }, remaining: { N: [{ exists: true }] } } } },
    { eventName, dynamodb: { NewImage: { couponId: { S: [{ exists: true }] }, earlier: { S: [{ exists: true }] } } } },
    {
      eventName,
      dynamodb: {
        Keys: {
          pk: { S: [...suffixes(kinds), ...['STORE#', 'KEY#', 'SWEEP#'].map((prefix) => ({ prefix }))] },
        },
      },
    },
    { eventName: ['REMOVE'], dynamodb: { Keys: { pk: { S: suffixes(deletable) } } } },
    { eventName: ['INSERT'], dynamodb: { NewImage: { action: { S: ['import.ended'] } } } },
  ],
} as const;

/** The event source of the function that puts events on a bus: the records of newly noted events, which have a type. */
export const busSource = {
  /** A minute is enough for this number of records, even if the bus does not answer. */
  batchSize: 30,
  filter: {
    eventName: ['INSERT'],
    dynamodb: { Keys: { pk: { S: [{ suffix: '#EVENT' }] } }, NewImage: { type: { S: [{ exists: true }] } } },
  },
} as const;
