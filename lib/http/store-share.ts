import { now } from '../clock.ts';
import { Problem } from '../problem.ts';
import { partition } from '../table/keys.ts';
import { above, all, any, atMost, missing, update, type Write } from '../table/language.ts';
import { type Meter, requestMeter } from '../table/meter.ts';
import { type Key, ttlAttribute } from '../table/schema.ts';
import { write } from '../table/table.ts';

/**
 * A store's share of the units of the table, for the reads of its lists and for the writes of its requests:
 * docs/adr/0009-limits-that-bound-the-bill.md. Each unit uses up a part of a second of the share. One item for each
 * store and share holds the time until which the share is used up:
 *
 *     now                   usedUntil
 *      |------ ahead of it ------|             a store may be some seconds ahead; then it is refused
 */

/** The shares of a store, by the sort keys of their items. */
type Share = ReadShare | WriteShare;

/** Customers look at their pages while the people of the store work. No page may keep those waiting. */
type ReadShare = 'reads' | 'pageReads';

/** Vendors register, and customers act on their pages, while their store sells. None may keep another waiting. */
type WriteShare = 'writes' | 'registrations' | 'pages';

const aheadMillis = { reads: 10_000, pageReads: 10_000, writes: 1000, registrations: 1000, pages: 1000 };

/** How large each of these shares is, as a part of the store's share of all reads or writes. */
const partOf = { reads: 1, pageReads: 0.1, writes: 1, registrations: 0.1, pages: 0.1 };

/**
 * A process reports what it has read when that is more than a second of the share, so that an ordinary list costs no
 * further call. If the table was busy or the store was refused, it reports at each step of a list for a minute: many
 * processes may serve one store.
 */
const unreportedMillis = 1250;
const unreportedMillisWhenBusy = 50;
const busyMillis = 60_000;

/** The use of a share as far as a process knows it. Times are in milliseconds since 1970. */
interface ShareUse {
  /** Units that the table does not know of yet. Below 0 if more was paid for than was used. */
  unreported: number;
  /** The value that the table last answered. */
  usedUntil: number;
  busyUntil: number;
}

type UseByStore<U> = Map<string, U>;

const readsOfProcess: UseByStore<ReadUse> = new Map();

const useKey = (store: string, share: Share): Key => ({ pk: partition(store, 'UNITS'), sk: share });

/**
 * Moves the time until which the share is used up, and answers it. If the time was more than `most` milliseconds ahead
 * already, it stays and `isTaken` is false. Undefined if other processes were faster each time.
 */
const take = async (
  store: string,
  share: Share,
  { usedUntil }: ShareUse,
  millis: number,
  most?: number,
): Promise<{ usedUntil: number; isTaken: boolean } | undefined> => {
  const at = now();
  const end = { [ttlAttribute]: Math.ceil(at / 1000) + 3600 };
  const key = useKey(store, share);
  const isAhead = above('usedUntil', at);
  const later = update(key, {
    add: { usedUntil: millis },
    set: end,
    when: most === undefined ? isAhead : all(isAhead, atMost('usedUntil', at + most)),
  });
  const fresh = update(key, {
    set: { ...end, usedUntil: at + millis },
    when: any(missing('usedUntil'), atMost('usedUntil', at)),
  });
  const order: Write[] = usedUntil > at ? [later, fresh, later] : [fresh, later, fresh];
  for (const one of order) {
    const outcome = await write<{ usedUntil: number }>(one);
    if (outcome.done) return { usedUntil: outcome.result.usedUntil, isTaken: true };
    const found = outcome.found?.usedUntil ?? 0;
    if (most !== undefined && found > at + most) return { usedUntil: found, isTaken: false };
  }
  return undefined;
};

const millisAhead = ({ usedUntil }: ShareUse): number => usedUntil - now();

const refusals = {
  reads: 'This store has read more than its share: ask for less, or more slowly.',
  writes: 'This store has written more than its share: send the request again later, and others more slowly.',
  pageReads: 'The pages of customers have read more than their share of this store: go on later.',
  pages: 'The pages of customers have written more than their share of this store: go on later.',
  registrations: 'The vendors of this store have registered more often than their share allows: register again later.',
};

/** Throws 429 if the store is too far ahead of its share. After `Retry-After` half of the room is free. */
const refuseIfAhead = (share: Share, use: ShareUse): void => {
  if (millisAhead(use) <= aheadMillis[share]) return;
  use.busyUntil = now() + busyMillis;
  const seconds = Math.ceil((millisAhead(use) - aheadMillis[share] / 2) / 1000);
  throw new Problem(429, refusals[share], [], { 'Retry-After': String(seconds) });
};

/** The reads of a store as far as a process knows them. */
interface ReadUse extends ShareUse {
  share: ReadShare;
}

/** Counts units that a list has read. Throws 429. */
const countUnits = async (store: string, reads: ReadUse, perSecond: number, units: number): Promise<void> => {
  reads.unreported += units;
  const millis = (1000 * reads.unreported) / perSecond;
  if (millis < (now() < reads.busyUntil ? unreportedMillisWhenBusy : unreportedMillis)) return;
  const told = reads.unreported;
  reads.unreported = 0;
  // A list does not fail because its units cannot be noted: the next report includes them.
  const taken = await take(store, reads.share, reads, millis).catch(() => undefined);
  if (taken === undefined) reads.unreported += told;
  else reads.usedUntil = taken.usedUntil;
  refuseIfAhead(reads.share, reads);
};

/** Bounds what a list of the store reads, from its first call to the table on. Throws 429, now and in these calls. */
export const boundReads = (
  store: string,
  share: ReadShare = 'reads',
  meter: Pick<Meter, 'onUnits'> | undefined = requestMeter(),
  known = readsOfProcess,
): void => {
  const perSecond = Number(process.env.STORE_READ_UNITS ?? 0) * partOf[share];
  if (!meter || perSecond === 0) return;
  const name = `${store} ${share}`;
  const reads = known.get(name) ?? { share, unreported: 0, usedUntil: 0, busyUntil: 0 };
  known.set(name, reads);
  refuseIfAhead(share, reads);
  const countAlso = meter.onUnits;
  meter.onUnits = async (units, isWrite, wasBusy) => {
    await countAlso?.(units, isWrite, wasBusy);
    if (wasBusy) reads.busyUntil = now() + busyMillis;
    if (countAlso && isWrite) return;
    await countUnits(store, reads, perSecond, units);
  };
};

/** The number of processes that may serve a store within its share without reporting their writes. */
const quietProcesses = 20;

/** A process reports its writes when they exceed its own part of the share by more than this. */
const unreportedWriteMillis = 100;

/** If a store is this far ahead, other processes write too. Then each request pays before it writes. */
const busyAheadMillis = 300;

/** The writes of a store as far as a process knows them. */
interface WriteUse extends ShareUse {
  share: WriteShare;
  /** When `unreported` was last computed. */
  at: number;
  /** The units of the last request. The next request pays for as many in advance. */
  lastRequest: number;
  /** A report is under way. Writes are counted meanwhile, but not reported. */
  isTelling: boolean;
}

const writesOfProcess: UseByStore<WriteUse> = new Map();

export const forgetShares = (): void => {
  readsOfProcess.clear();
  writesOfProcess.clear();
};

/** Takes units of the share. If that fails, they stay unreported, and the next report includes them. */
const tellWrites = async (store: string, writes: WriteUse, perSecond: number, units: number, most?: number) => {
  writes.unreported -= units;
  writes.isTelling = true;
  const taken = await take(store, writes.share, writes, (1000 * units) / perSecond, most).catch(() => undefined);
  writes.isTelling = false;
  if (!taken?.isTaken) writes.unreported += units;
  if (!taken) return;
  writes.usedUntil = taken.usedUntil;
  if (millisAhead(writes) > busyAheadMillis) writes.busyUntil = now() + busyMillis;
};

/** Counts what a request has written, less the process's own part of the share. */
const countWrites = async (store: string, writes: WriteUse, perSecond: number, units: number): Promise<void> => {
  const isBusy = now() < writes.busyUntil;
  const own = isBusy ? 0 : ((now() - writes.at) * perSecond) / 1000 / quietProcesses;
  writes.unreported = (writes.unreported > 0 ? Math.max(0, writes.unreported - own) : writes.unreported) + units;
  writes.at = now();
  if (writes.isTelling || 1000 * writes.unreported <= unreportedWriteMillis * perSecond) return;
  await tellWrites(store, writes, perSecond, writes.unreported);
};

/**
 * Bounds what the requests of the store write. Throws 429 before anything is done, and never ends a request that has
 * begun. A process that writes less than its own part of the share makes no call for this.
 */
export const boundWrites = async (
  store: string,
  share: WriteShare = 'writes',
  meter: Pick<Meter, 'onUnits'> | undefined = requestMeter(),
  known = writesOfProcess,
): Promise<void> => {
  const perSecond = Number(process.env.STORE_WRITE_UNITS ?? 0) * partOf[share];
  if (!meter || perSecond === 0) return;
  const name = `${store} ${share}`;
  const writes = known.get(name) ?? {
    share,
    unreported: 0,
    usedUntil: 0,
    busyUntil: 0,
    at: now(),
    lastRequest: 0,
    isTelling: false,
  };
  known.set(name, writes);
  refuseIfAhead(share, writes);
  if (now() < writes.busyUntil) {
    const ahead = Math.max(1, writes.unreported + writes.lastRequest);
    await tellWrites(store, writes, perSecond, ahead, aheadMillis[share]);
    refuseIfAhead(share, writes);
  }
  let written = 0;
  meter.onUnits = async (units, isWrite, wasBusy) => {
    if (wasBusy) writes.busyUntil = now() + busyMillis;
    if (!isWrite) return;
    written += units;
    writes.lastRequest = written;
    await countWrites(store, writes, perSecond, units);
  };
};
