import { now } from '../clock.ts';
import { Problem } from '../problem.ts';
import { above, any, atMost, missing, update, type Write } from '../table/language.ts';
import { type Meter, requestMeter } from '../table/meter.ts';
import { type Key, partition, ttlAttribute } from '../table/schema.ts';
import { write } from '../table/table.ts';

/**
 * A bound on the units that the lists of one store read together: docs/adr/0045-reads-of-a-store.md. Each unit takes
 * its part of a second of the store's share, and one item per store says until when the share is used up:
 *
 *     now                   usedUntil
 *      |------ ahead of it ------|             a store may be ten seconds ahead; then its lists wait
 */

const aheadMillis = 10_000;

/**
 * A process adds what it has read once that is more than a second of the share, so that no ordinary list costs a call
 * more. Where the table was busy or the store was refused, it does so at each step of a list for a minute: many
 * processes may serve one store.
 */
const untoldMillis = 1250;
const untoldMillisWhenBusy = 50;
const busyMillis = 60_000;

/** The reads of a store as far as a process knows them. Times are in milliseconds since 1970. */
interface StoreReads {
  /** Units that the table does not know of yet. */
  untold: number;
  /** As the table last said. */
  usedUntil: number;
  busyUntil: number;
}

export type ReadsByStore = Map<string, StoreReads>;

const ofProcess: ReadsByStore = new Map();

export const forgetReads = (): void => ofProcess.clear();

const readsKey = (store: string): Key => ({ pk: partition(store, 'READS'), sk: 'reads' });

/**
 * Moves the time until which the store's share is used up, and answers it. Undefined where other processes were always
 * faster.
 */
const use = async (store: string, { usedUntil }: StoreReads, millis: number): Promise<number | undefined> => {
  const at = now();
  const end = { [ttlAttribute]: Math.ceil(at / 1000) + 3600 };
  const key = readsKey(store);
  const later = update(key, { add: { usedUntil: millis }, set: end, when: above('usedUntil', at) });
  const anew = update(key, {
    set: { ...end, usedUntil: at + millis },
    when: any(missing('usedUntil'), atMost('usedUntil', at)),
  });
  const order: Write[] = usedUntil > at ? [later, anew, later] : [anew, later, anew];
  for (const one of order) {
    const outcome = await write<{ usedUntil: number }>(one);
    if (outcome.done) return outcome.result.usedUntil;
  }
  return undefined;
};

const aheadOf = ({ usedUntil }: StoreReads): number => usedUntil - now();

/** Throws 429 where the store is too far ahead of its share. A client that waits so long finds half of the room. */
const refuseIfAhead = (reads: StoreReads): void => {
  if (aheadOf(reads) <= aheadMillis) return;
  reads.busyUntil = now() + busyMillis;
  const seconds = Math.ceil((aheadOf(reads) - aheadMillis / 2) / 1000);
  throw new Problem(429, 'The lists of this store have read more than its share: ask for less, or more slowly.', [], {
    'Retry-After': String(seconds),
  });
};

/** Counts units that a list has read. Throws 429. */
const countUnits = async (store: string, reads: StoreReads, perSecond: number, units: number): Promise<void> => {
  reads.untold += units;
  const millis = (1000 * reads.untold) / perSecond;
  if (millis < (now() < reads.busyUntil ? untoldMillisWhenBusy : untoldMillis)) return;
  const told = reads.untold;
  reads.untold = 0;
  // A list does not fail because its units cannot be noted: they are noted with the next.
  const usedUntil = await use(store, reads, millis).catch(() => undefined);
  if (usedUntil === undefined) reads.untold += told;
  else reads.usedUntil = usedUntil;
  refuseIfAhead(reads);
};

/**
 * Bounds what a list of the store reads, from its first call to the table on. Throws 429, here and in its calls to the
 * table.
 */
export const boundReads = (
  store: string,
  meter: Pick<Meter, 'onUnits'> | undefined = requestMeter(),
  known = ofProcess,
): void => {
  const perSecond = Number(process.env.STORE_READ_UNITS ?? 0);
  if (!meter || perSecond === 0) return;
  const reads = known.get(store) ?? { untold: 0, usedUntil: 0, busyUntil: 0 };
  known.set(store, reads);
  refuseIfAhead(reads);
  meter.onUnits = (units, wasBusy) => {
    if (wasBusy) reads.busyUntil = now() + busyMillis;
    return countUnits(store, reads, perSecond, units);
  };
};
