/**
 * The settings of deliveries, read from the environment each time, so that the local service and tests can set them.
 */

/** Hosts that a dispenser may have: those of Second Life's main grid, old and new. */
const defaultHostSuffixes = '.agni.secondlife.io,.agni.lindenlab.com';

export const hostSuffixes = (): string[] =>
  (process.env.DISPENSER_HOST_SUFFIXES ?? defaultHostSuffixes)
    .split(',')
    .map((suffix) => suffix.trim().toLowerCase())
    .filter((suffix) => suffix !== '')
    .map((suffix) => (suffix.startsWith('.') ? suffix : `.${suffix}`));

/** Only the local service sets this: its dispenser listens on this machine, without TLS. */
export const loopbackAllowed = (): boolean => process.env.DISPENSER_LOOPBACK === 'allowed';

/** The time-out of a call of a dispenser, from the look-up of its name to the end of its answer. */
export const callTimeoutMillis = (): number => Number(process.env.DISPENSER_TIMEOUT_MILLIS ?? 25_000);

/** A webhook that answers more slowly gets its next event only after a pause, by the slow lane. */
export const slowWebhookMillis = (): number => Number(process.env.WEBHOOK_SLOW_MILLIS ?? 3_000);

/** The time-out of a call of a webhook. */
export const webhookTimeoutMillis = (): number => Number(process.env.WEBHOOK_TIMEOUT_MILLIS ?? 10_000);

/** The duration of a worker's lease on a delivery: longer than any call. */
export const leaseMillis = (): number => 2 * callTimeoutMillis();

/** The pause after the first failed attempt; it doubles with each further one. */
export const firstRetrySeconds = (): number => Number(process.env.DELIVERY_RETRY_SECONDS ?? 30);

/**
 * After this many failed attempts in a row a delivery waits until the dispenser registers again, which it does hourly.
 */
export const maxAttemptsInARow = 8;

/**
 * The table deletes the record of a delivery this many days after its last attempt. No message of the delivery comes
 * later.
 */
export const recordDays = (): number => Number(process.env.DELIVERY_RECORD_DAYS ?? 90);

/** The note of a delivery stays in its record after it was delivered. */
export const keepsNotes = (): boolean => process.env.DELIVERY_NOTES === 'kept';

/** A worker gives a delivery up after this many days. */
export const keepDays = 14;
