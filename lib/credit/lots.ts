import { isDeepStrictEqual } from 'node:util';
import { now } from '../clock.ts';
import { logSink } from '../log.ts';
import { demandKnown } from '../shape.ts';
import { customerKey } from '../store/customers.ts';
import { is, update } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { getTogether, rowsOf, write } from '../table/table.ts';
import {
  type CreditLot,
  changedIn,
  closing,
  type LotsRead,
  lotPartition,
  otherOf,
  type Pending,
  prefixOf,
  reducing,
} from './lot.ts';
import { type CreditCommand, type CreditType, earliest, isDue, isEnough } from './rules.ts';
import { attributes, type CreditItem, holdingOf } from './state.ts';

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

/** The time within which each item of a transaction shows: an assumption, since DynamoDB promises none. */
const showMillis = 60_000;

/** Tells whether the last change of a customer's credit is so long ago that each of its items shows. */
export const isAtRest = ({ lastChange }: CreditItem, at: number): boolean =>
  lastChange === undefined || at - lastChange.t > showMillis;

/**
 * Reads lots in their order, from the one that comes due first on: to the end of their epoch, or, of a customer at
 * rest, as far as a command needs them. No open lot lies before the first due time, so most that have ended are not
 * read.
 */
export const readLots = async (
  store: string,
  item: CreditItem,
  type: CreditType,
  command: CreditCommand,
  at: string,
): Promise<LotsRead> => {
  const { epoch, due } = attributes[type];
  const read: LotsRead = { open: [], seen: [], isComplete: true };
  const mayStopEarly = isAtRest(item, now());
  for await (const { some, isLast } of lotsOfEpoch(store, item.sk, type, item[epoch] ?? '', item[due] ?? '')) {
    read.open.push(...some.filter(({ state }) => state === 'open'));
    read.seen.push(...some.map(({ sk }) => sk));
    if (!isLast && mayStopEarly && isEnough(read.open, command, at)) return { ...read, isComplete: false };
  }
  return read;
};

/**
 * Tells whether the lots belong to the customer's item, both as they were read. A query may see the items of a
 * transaction one by one, before or after their customer: so lots that were just added may be missing, and some that
 * just ended may still be open. Other changes of the customer may have come in between, since writers of an item need
 * not wait for the rest of its transaction: so only the count and the sum of all open lots tell.
 */
export const isWhole = (item: CreditItem, type: CreditType, { open, seen, isComplete }: LotsRead): boolean => {
  const { balance, unlotted, lots, due } = holdingOf(item, type);
  if (open[0]?.expiresAt !== due) return false;
  const inLots = open.reduce((sum, { remaining }) => sum + remaining, 0);
  if (isComplete) return open.length === lots && inLots === balance - unlotted;
  const { newest, epoch } = attributes[type];
  const last = item[newest] ?? '';
  const first = `${prefixOf(type, item[epoch] ?? '')}${due}`;
  return last < first || last > (seen.at(-1) ?? '') || seen.includes(last);
};

/**
 * Tells whether a customer's item, the first open lot of each reading and `others` are as they were read, at one
 * moment. The other lots follow: a change ends lots from the first on and reduces the next, and `isWhole` knows of one
 * that was added.
 */
export const isCurrent = async (
  item: CreditItem,
  read: readonly Pick<LotsRead, 'open'>[],
  others: readonly Key[] = [],
): Promise<boolean> => {
  const firsts = read.flatMap(({ open: [first] }) => first ?? []);
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
