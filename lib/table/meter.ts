import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The longest time that a request may take: Lambda ends the function then. API Gateway waits two seconds longer, so
 * that no function writes after the gateway has answered with 504.
 */
export const requestSeconds = 27;

/** The cost of one request so far. */
export interface Meter {
  /** Calls to the table. A batch or a transaction counts as one. */
  calls: number;
  /** Calls that followed one another. Calls that ran side by side count as one. */
  steps: number;
  /** Capacity units, reads and writes together, those of indexes included. */
  units: number;
  /** Calls under way. */
  open: number;
  /** The request was answered: it makes no more calls. */
  isOver: boolean;
  /** The request changes nothing, so what it reads may be some minutes old. */
  isRead: boolean;
  /** Nothing is retried after this time, in milliseconds since 1970: a last attempt may take seconds. */
  retryUntil?: number;
  /** The id of the request's API key. */
  keyId?: string;
  /** Is told of each answered call, and of each that the table was too busy for. If it throws, so does the call. */
  onUnits?: (units: number, isWrite: boolean, wasBusy: boolean) => Promise<void>;
  /** When its look-ups of residents must be over, by `performance.now()`; set by the first one. */
  lookUpEnd?: number;
}

const meters = new AsyncLocalStorage<Meter>();

export const newMeter = (isRead = false): Meter => ({ calls: 0, steps: 0, units: 0, open: 0, isOver: false, isRead });

/** The meter of the running request. */
export const requestMeter = (): Meter | undefined => meters.getStore();

/** Runs `work`, and adds the cost of its calls to the table to `meter`. */
export const metered = <T>(meter: Meter, work: () => T): T => meters.run(meter, work);

/** Throws if the running request was answered already. */
export const refuseIfOver = (): void => {
  if (meters.getStore()?.isOver) throw new Error('The request was answered already, since its time ran out.');
};

/** Counts one call to the table around `send`. */
export const count = async <T>(send: () => Promise<T>, unitsOf: (answer: T) => number): Promise<T> => {
  const meter = meters.getStore();
  if (!meter) return send();
  meter.calls += 1;
  if (meter.open === 0) meter.steps += 1;
  meter.open += 1;
  try {
    const answer = await send();
    meter.units += unitsOf(answer);
    return answer;
  } finally {
    meter.open -= 1;
  }
};
