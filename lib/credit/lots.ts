import { isDeepStrictEqual } from 'node:util';
import { now } from '../clock.ts';
import type { Key } from '../table/schema.ts';
import { getTogether, rowsOf } from '../table/table.ts';
import { asDecided, type CreditLot, changedIn, endOfEpoch, type LotsRead, lotPartition, prefixOf } from './lot.ts';
import { type CreditFacts, type LotsNeed, reaches } from './plan.ts';
import type { CreditType } from './rules.ts';
import { attributes, type CreditItem, isSameCredit } from './state.ts';
import { isAtRest } from './whole-lots.ts';

/**
 * Yields the lots of an epoch, open and closed, in pages, from a place in their order on. `isLast` marks the last page.
 */
export async function* lotsOfEpoch(store: string, uuid: string, type: CreditType, epoch: string, from: string) {
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

/** The facts of a customer's credit before any lot is read. */
export const withoutLots = (item: CreditItem): CreditFacts => ({ item, isAtRest: isAtRest(item, now()), lots: {} });

/** Reads the lots that have come due, from the first one, and no other lots. */
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
 * Reads the lots that a decision needs, in their order, beginning with the one that comes due first. It reads to the
 * end of their epoch; for a customer at rest it stops as soon as it has enough. No open lot comes before the first due
 * time, so it skips most lots that have ended.
 */
const readLots = async (
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

/** Adds the lots that a decision lacks to the facts. */
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
 * Reads a customer's item, the first open lot of each type and `others` at one moment, and tells whether they are still
 * as they were read. This is enough for all lots: a change ends lots from the first one on and reduces the next, and
 * `areWhole` finds a lot that was added.
 */
export const isUnchanged = async ({ item, lots: read }: CreditFacts, others: readonly Key[] = []): Promise<boolean> => {
  const firsts = Object.values(read).flatMap(({ first }) => first ?? []);
  const [customer, ...together] = await getTogether<CreditItem & CreditLot>([item, ...firsts, ...others]);
  if (!isSameCredit(item, customer)) return false;
  const lots = together.splice(0, firsts.length);
  const isSame = (first: CreditLot, index: number): boolean =>
    lots[index]?.state === first.state && lots[index]?.remaining === first.remaining;
  return firsts.every(isSame) && others.every((other, index) => isDeepStrictEqual(together[index], other));
};

/** Every lot of a customer, open and closed, both types. */
export const listLots = (store: string, uuid: string): Promise<CreditLot[]> =>
  rowsOf<CreditLot>({ partition: lotPartition(store, uuid) })({ descending: false });
