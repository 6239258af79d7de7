import { isDeepStrictEqual } from 'node:util';
import { now } from '../clock.ts';
import { logSink } from '../log.ts';
import { demandKnown } from '../shape.ts';
import { customerKey } from '../store/customers.ts';
import { is, update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getTogether, rowsOf, write } from '../table/table.ts';
import {
  asDecided,
  type CreditLot,
  changedIn,
  closing,
  endOfEpoch,
  type LotsRead,
  lotPartition,
  otherOf,
  type Pending,
  prefixOf,
  reducing,
} from './lot.ts';
import { type CreditFacts, type LotsNeed, reaches } from './plan.ts';
import { type CreditType, earliest, isDue } from './rules.ts';
import { attributes, type CreditItem } from './state.ts';
import { isAtRest } from './whole-lots.ts';

/**
 * The lots of an epoch, open and closed, from a place in their order on, some at a time, `isLast` with the last of
 * them.
 */
async function* lotsOfEpoch(store: string, uuid: string, type: CreditType, epoch: string, from: string) {
  const prefix = prefixOf(type, epoch);
  const rows = rowsOf<CreditLot>({ partition: lotPartition(store, uuid) });
  let place = { position: prefix + from, inclusive: true };
  for (let stride = 100; ; stride = 1000) {
    const some = await rows({ descending: false, from: place, limit: stride });
    const ours = some.filter(({ sk }) => sk.startsWith(prefix));
    const last = ours.length < stride ? undefined : ours.at(-1);
    yield { some: ours, isLast: last === undefined };
    if (last === undefined) return;
    place = { position: last.sk, inclusive: false };
  }
}

/** What is known of a customer's credit once the item was read. */
export const factsOf = (item: CreditItem): CreditFacts => ({ item, isAtRest: isAtRest(item, now()), lots: {} });

/** The lots that have come due, from the first one on, and no other. */
const dueLots = async (store: string, item: CreditItem, type: CreditType, at: string): Promise<CreditLot[]> => {
  const { epoch, due } = attributes[type];
  const prefix = prefixOf(type, item[epoch] ?? '');
  const [first, last] = [`${prefix}${item[due]}`, `${prefix}${at}~`];
  return rowsOf<CreditLot>({ partition: lotPartition(store, item.sk), first, last })({ descending: false });
};

const lotsRead = (item: CreditItem, lots: readonly CreditLot[], end: Pick<LotsRead, 'reach' | 'through'>): LotsRead => {
  const open: CreditLot[] = [];
  let first: CreditLot | undefined;
  for (const lot of lots) {
    const decided = asDecided(lot, item);
    if (decided.state !== 'open') continue;
    first ??= lot;
    open.push(decided);
  }
  const touchedIn = lots.reduce((highest, lot) => Math.max(highest, changedIn(lot)), 0);
  return { open, first, seen: lots.map(({ sk }) => sk), touchedIn, ...end };
};

/**
 * Reads the lots that a decision needs, in their order, from the one that comes due first on: to the end of their
 * epoch, or, of a customer at rest, as far as is needed. No open lot lies before the first due time, so most that have
 * ended are not read.
 */
export const readLots = async (
  store: string,
  { item, isAtRest: mayStopEarly }: CreditFacts,
  need: LotsNeed,
  at: string,
): Promise<LotsRead> => {
  const { type } = need;
  const epoch = item[attributes[type].epoch] ?? '';
  if (need.due === 'alone') {
    const through = `${prefixOf(type, epoch)}${at}~`;
    return lotsRead(item, await dueLots(store, item, type, at), { reach: 'due', through });
  }
  const lots: CreditLot[] = [];
  for await (const { some, isLast } of lotsOfEpoch(store, item.sk, type, epoch, item[attributes[type].due] ?? '')) {
    lots.push(...some);
    if (isLast || !mayStopEarly) continue;
    const read = lotsRead(item, lots, { reach: 'enough', through: some.at(-1)?.sk ?? '' });
    if (reaches(read, need, at)) return read;
  }
  return lotsRead(item, lots, { reach: 'end', through: endOfEpoch(type, epoch) });
};

/** The facts with the lots that a decision lacks. */
export const withLots = async (
  store: string,
  facts: CreditFacts,
  needs: readonly LotsNeed[],
  at: string,
): Promise<CreditFacts> => {
  const read = await Promise.all(
    needs.map(async (need) => [need.type, await readLots(store, facts, need, at)] as const),
  );
  return { ...facts, lots: { ...facts.lots, ...Object.fromEntries(read) } };
};

/**
 * Tells whether a customer's item, the first open lot of each reading and `others` are as they were read, at one
 * moment. The other lots follow: a change ends lots from the first on and reduces the next, and `isWhole` knows of one
 * that was added.
 */
export const isCurrent = async ({ item, lots: read }: CreditFacts, others: readonly Key[] = []): Promise<boolean> => {
  const firsts = Object.values(read).flatMap(({ first }) => first ?? []);
  const [customer, ...together] = await getTogether<CreditItem & CreditLot>([item, ...firsts, ...others]);
  if (customer?.creditVersion !== item.creditVersion) return false;
  const lots = together.splice(0, firsts.length);
  const isSame = (first: CreditLot, index: number): boolean =>
    lots[index]?.state === first.state && lots[index]?.remaining === first.remaining;
  return firsts.every(isSame) && others.every((other, index) => isDeepStrictEqual(together[index], other));
};

/** Every lot of a customer, open and closed, both types. */
export const listLots = (store: string, uuid: string): Promise<CreditLot[]> =>
  rowsOf<CreditLot>({ partition: lotPartition(store, uuid) })({ descending: false });

const sideBySide = 25;

/**
 * Writes the pending part of a large change. May be done twice, or at once by several. Answers where it stopped, if it
 * did.
 */
const carryOut = async (
  store: string,
  uuid: string,
  pending: Pending,
  mayGoOn: () => boolean,
): Promise<string | undefined> => {
  const { type, epoch, from = '', through, how, at, version, reduced } = pending;
  const changed = changedIn(pending);
  for await (const { some } of lotsOfEpoch(store, uuid, type, epoch, from)) {
    const open = some.filter((lot) => lot.state === 'open' && lot.sk <= through && lot.version < version);
    // A refusal means that somebody else has carried it out already.
    for (let i = 0; i < open.length; i += sideBySide) {
      if (!mayGoOn()) return open[i]?.expiresAt;
      await Promise.all(
        open
          .slice(i, i + sideBySide)
          .map((lot) => write(closing(lot, isDue(lot.expiresAt, at) ? 'expired' : how, pending, changed))),
      );
    }
    if ((some.at(-1)?.sk ?? '') > through) break;
  }
  const lot = { pk: lotPartition(store, uuid), sk: reduced?.sk ?? '' };
  if (reduced) await write(reducing(lot, reduced.from, reduced.to, changed));
  return undefined;
};

/**
 * Writes the pending part of an earlier large change, and notes that it is done. False where the time ran out: then it
 * notes how far it came, so that the next one goes on there. Throws LaterShape for one that only a later version can
 * write.
 */
export const settle = async (store: string, item: CreditItem, mayGoOn: () => boolean): Promise<boolean> => {
  if (!item.pending) return true;
  demandKnown(item.pending);
  const isSame = is('pending.id', item.pending.id);
  for (let pending: Pending | undefined = item.pending; pending; pending = otherOf(pending)) {
    const from = await carryOut(store, item.sk, pending, mayGoOn);
    if (from === undefined) continue;
    await write(update(customerKey(store, item.sk), { set: { pending: { ...pending, from } }, when: isSame }));
    return false;
  }
  // While a change is pending nothing else moves the due times: every other change settles it first.
  const due = earliest(item.creditDue, item.restrictedDue);
  await write(
    update(customerKey(store, item.sk), {
      set: { pending: undefined, due, ...(due === undefined && { dues: undefined }) },
      when: isSame,
    }),
  );
  return true;
};

/** The change itself is made: it has not failed if its lots could not all be marked. The sweep will do it. */
export const settleOrLeave = async (store: string, item: CreditItem, mayGoOn: () => boolean): Promise<void> => {
  try {
    await settle(store, item, mayGoOn);
  } catch (error) {
    logSink.write({ level: 'WARN', unsettled: item.sk, stack: error instanceof Error ? error.stack : String(error) });
  }
};
