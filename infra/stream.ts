/** Every write of an item but its removal: so the deletions that DynamoDB makes at an item's TTL are left out. */
const eventName = ['INSERT', 'MODIFY'];

const kinds = ['GIFTCARD', 'DELIVERY', 'DISPENSER', 'PRODUCT', 'SALE'] as const;

/**
 * The event source of the stream's consumer as plain data. The stack makes it on AWS; `npm start` and the tests poll
 * the engine's own stream by the same facts.
 */
export const streamSource = {
  /** Records in one call at the most: as many as Lambda reads from a stream at once. */
  batchSize: 1000,
  /**
   * Calls at the same time for each shard of the stream. A new account runs only 10 functions at once, and a new table
   * has about four shards.
   */
  parallelization: 1,
  /**
   * How long Lambda gathers records between two calls. A record waits half of it on average, so history and deliveries
   * are still normally less than a second behind, and a busy table calls the function once a second and shard instead
   * of four times.
   */
  windowSeconds: 1,
  /**
   * Until then a batch that fails comes back. DynamoDB deletes a record after 24 hours: a bound as long as that would
   * let it vanish before Lambda puts its place on the queue of failures.
   */
  maxRecordAgeHours: 20,
  timeoutSeconds: 60,
  /**
   * Patterns of the records that reach the consumer: of customers and lots that history knows, of customers that were
   * banned once, of applied coupons, and of all items of the kinds that a key tells. The note of each sweep calls the
   * consumer every minute, so that an alarm sees when nothing calls it.
   */
  filters: [
    { eventName, dynamodb: { NewImage: { lastChange: { M: { k: { S: [{ exists: true }] } } } } } },
    { eventName, dynamodb: { NewImage: { version: { N: [{ exists: true }] }, remaining: { N: [{ exists: true }] } } } },
    { eventName, dynamodb: { NewImage: { isBanned: { BOOL: [{ exists: true }] } } } },
    { eventName, dynamodb: { NewImage: { couponId: { S: [{ exists: true }] }, earlier: { S: [{ exists: true }] } } } },
    {
      eventName,
      dynamodb: {
        Keys: {
          pk: { S: [...kinds.map((kind) => ({ suffix: `#${kind}` })), { prefix: 'STORE#' }, { prefix: 'SWEEP#' }] },
        },
      },
    },
  ],
} as const;

/** The event source of the function that puts events on a bus: the records that tell of an event which was noted. */
export const busSource = {
  /** A minute is enough for these, even where the bus does not answer. */
  batchSize: 30,
  filter: { eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ suffix: '#EVENT' }] } } } },
} as const;
