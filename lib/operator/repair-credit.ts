import { customerUpsert } from '../avatars/customers.ts';
import { findResident } from '../avatars/residents.ts';
import { asDecided, type CreditLot, closing, lotType } from '../credit/lot.ts';
import { finishPending } from '../credit/pending.ts';
import { type CreditType, creditTypes, type Ending, earliest, isDue } from '../credit/rules.ts';
import {
  asCredited,
  attributes,
  type Cause,
  type CreditItem,
  dueShardOf,
  holdingOf,
  storedChange,
} from '../credit/state.ts';
import { checksumOf, isAtRest } from '../credit/whole-lots.ts';
import { answer, type Decision, decide, doFirst, readAgain, writeAll } from '../table/decide.ts';
import { customerKey } from '../table/keys.ts';
import { all, applied, check, type Item, is, missing, type Write } from '../table/language.ts';
import { auditCredit } from './audit-credit.ts';
import { readCredit, repairReason, type StoredCredit } from './read-credit.ts';

/** Repairs wrong books. The lots are the money: the customer's item is adjusted to them. Its unlotted credit stays. */

/** One value that a repair changes: an attribute of a customer's item, or the state of a lot. */
export interface Correction {
  customer: string;
  username: string;
  what: string;
  is: string | number | undefined;
  willBe: string | number | undefined;
}

/** The repair of one customer's books or, in `faults`, the reasons against it. */
export interface Repair {
  corrections: Correction[];
  /** The first write is of the customer's item. */
  writes: Write[];
  faults: string[];
}

const epochOf = (lot: Pick<CreditLot, 'sk'>): string => lot.sk.split('#')[1] ?? '';

/**
 * The lot that was added last: its epoch is the valid one. Lots that were added together share a version. After half a
 * transaction, a lost change and the next one share a version too: then the customer's own epoch counts, and the order
 * of the ids.
 */
const lastAdded = (lots: readonly CreditLot[], own: string | undefined): CreditLot | undefined => {
  const isOwn = (lot: CreditLot): number => Number(epochOf(lot) === own);
  const idOf = ({ sk }: CreditLot): string => sk.slice(sk.lastIndexOf('#'));
  return lots.toSorted((a, b) => a.version - b.version || isOwn(a) - isOwn(b) || (idOf(a) < idOf(b) ? -1 : 1)).at(-1);
};

interface ClosedLot {
  lot: CreditLot;
  how: Ending;
}

/** The right values of one type in a customer's item, and the lots that are open and must not be. */
const rightValues = (
  item: CreditItem,
  type: CreditType,
  lots: readonly CreditLot[],
  at: string,
): { values: Partial<CreditItem>; closed: ClosedLot[] } => {
  const names = attributes[type];
  const ours = lots.filter(({ sk }) => sk.startsWith(`${type}#`));
  const last = lastAdded(ours, item[names.epoch]);
  const epoch = last ? epochOf(last) : item[names.epoch];
  const closed: ClosedLot[] = [];
  const open: CreditLot[] = [];
  for (const lot of ours.filter(({ state }) => state === 'open')) {
    if (lot.remaining <= 0) closed.push({ lot, how: 'drained' });
    else if (epochOf(lot) === epoch) open.push(lot);
    else closed.push({ lot, how: isDue(lot.expiresAt, at) ? 'expired' : 'superseded' });
  }
  const unlotted = Math.max(holdingOf(item, type).unlotted, 0);
  const isThere = ours.some((lot) => lot.sk === item[names.newest] && epochOf(lot) === epoch);
  const values = {
    [names.balance]: open.reduce((sum, { remaining }) => sum + remaining, unlotted),
    [names.unlotted]: unlotted,
    [names.lots]: open.length,
    [names.due]: open.map(({ expiresAt }) => expiresAt).sort()[0],
    [names.epoch]: epoch,
    [names.checksum]: checksumOf(open),
    [names.newest]: isThere || open.length === 0 || item[names.newest] === undefined ? item[names.newest] : last?.sk,
  };
  return { values, closed };
};

const valueNames: Record<string, string> = {
  balance: 'balance',
  unlotted: 'credit not in lots',
  lots: 'open lots',
  due: 'next expiry',
  epoch: 'epoch',
  newest: 'lot that was added last',
};

/** The attributes that a repair sets and reports, in words. */
const names: [name: keyof CreditItem, words: string][] = [
  ...creditTypes.flatMap((type) =>
    Object.entries(attributes[type]).flatMap(([member, name]): [keyof CreditItem, string][] =>
      // The checksum of the lots is not reported: it follows from them.
      member === 'checksum' ? [] : [[name, `${type} ${valueNames[member]}`]],
    ),
  ),
  ['due', 'next look of the sweep'],
  ['dues', 'shard of the sweep'],
];

/** A transaction takes 100 items, and one is the customer's. The next round closes the remaining lots. */
const lotsAtOnce = 99;

const correctionsOf = (item: CreditItem, set: Item, closed: readonly ClosedLot[]): Correction[] => {
  const { sk: customer, username } = item;
  const ofItem = names.map(([name, what]) => {
    const willBe = set[name] as Correction['willBe'];
    // An amount that was never set counts as 0.
    return { what, is: (item[name] ?? (willBe === 0 ? 0 : undefined)) as Correction['is'], willBe };
  });
  const ofLots = closed.map(({ lot, how }) => ({
    what: `lot ${lot.sk}`,
    is: `open, ${lot.remaining} left`,
    willBe: how,
  }));
  return [...ofItem.filter(({ is, willBe }) => is !== willBe), ...ofLots].map((each) => ({
    customer,
    username,
    ...each,
  }));
};

/**
 * Plans the repair of a customer's books; undefined if they add up. A pending change counts as written. `item` is the
 * customer's item, or an empty one if there are only lots.
 */
const planRepair = (store: string, item: CreditItem, lots: readonly CreditLot[], cause: Cause): Repair | undefined => {
  const isCustomer = item.creditVersion !== undefined || lots.length === 0;
  if (isCustomer && auditCredit(item, lots).length === 0) return undefined;
  const decided = lots.map((lot) => asDecided(lot, item));
  const types = creditTypes.map((type) => rightValues(item, type, decided, cause.at));
  const values: Partial<CreditItem> = Object.assign({}, ...types.map((each) => each.values));
  const due = item.pending?.at ?? earliest(values.creditDue, values.restrictedDue);
  // Above the version of every lot, so that no lot seems later than a large change that closes it.
  const version = lots.reduce(
    (highest, lot) => Math.max(highest, lot.version, (lot.changed ?? 0) - 1),
    item.creditVersion ?? 0,
  );
  const touched = creditTypes.filter((type, index) => {
    const { balance } = attributes[type];
    return values[balance] !== (item[balance] ?? 0) || (types[index]?.closed.length ?? 0) > 0;
  });
  const changed: CreditType[] = touched.length > 0 ? touched : ['regular'];
  const ofTypes = changed.map((type) => ({ type }));
  const lastChange = storedChange({ kind: 'set', at: cause.at, types: ofTypes, reason: repairReason });
  const numberOf = (type: CreditType): number => version + 1 + changed.indexOf(type);
  const creditVersion = version + changed.length;
  const set = { ...values, due, dues: due && dueShardOf(item.sk), creditVersion, lastChange };
  const update = customerUpsert(
    store,
    { uuid: item.sk, username: item.username },
    { set, when: all(asCredited(item), missing('pending')) },
  );
  const toClose = types.flatMap((each) => each.closed);
  const endings = new Map(
    toClose.map(({ lot, how }) => [lot.sk, closing(lot, how, cause, numberOf(lotType(lot)), lot.remaining)]),
  );
  const closed = toClose.slice(0, lotsAtOnce);
  const closings = closed.flatMap(({ lot }) => endings.get(lot.sk) ?? []);
  // The version changes with every change by the service. These checks also notice a change by hand.
  const checks = lots
    .filter(({ sk, state }) => state === 'open' && !endings.has(sk))
    .slice(0, lotsAtOnce - closings.length)
    .map((lot) => check(lot, all(is('state', 'open'), is('remaining', lot.remaining))));
  const after = applied(update, { ...item }) as unknown as CreditItem;
  const lotsAfter = decided.map((lot) => {
    const ending = endings.get(lot.sk);
    return ending ? (applied(ending, { ...lot }) as unknown as CreditLot) : lot;
  });
  return {
    corrections: correctionsOf(item, set, closed),
    writes: [update, ...closings, ...checks],
    faults: auditCredit(after, lotsAfter),
  };
};

/**
 * Tells whether the lots that were read may be older than the last change. The items of a transaction become visible
 * one by one (lib/credit/whole-lots.ts), and the checksum differs for other lots.
 */
const mayShowLater = (item: CreditItem, lots: readonly CreditLot[], { at }: Cause): boolean => {
  if (isAtRest(item, Date.parse(at))) return false;
  const open = lots.map((lot) => asDecided(lot, item)).filter(({ state }) => state === 'open');
  return creditTypes.some(
    (type) => checksumOf(open.filter((lot) => lotType(lot) === type)) !== item[attributes[type].checksum],
  );
};

const planned = (store: string, item: CreditItem, lots: readonly CreditLot[], cause: Cause): Repair | undefined => {
  const repair = planRepair(store, item, lots, cause);
  if (!repair || !mayShowLater(item, lots, cause)) return repair;
  const fault = `customer ${item.sk}: the credit changed within the last minute, and not all of that may show yet: try again in a minute.`;
  return { corrections: [], writes: [], faults: [fault] };
};

const repairOf = async (
  store: string,
  uuid: string,
  { item, lots }: StoredCredit,
  cause: Cause,
): Promise<Repair | undefined> => {
  if (item) return planned(store, item, lots, cause);
  const resident = await findResident(store, { uuid });
  if (resident) return planRepair(store, { ...customerKey(store, uuid), username: resident.username }, lots, cause);
  const fault = `customer ${uuid}: there are lots, but no resident with this UUID: import residents first.`;
  return lots.length === 0 ? undefined : { corrections: [], writes: [], faults: [fault] };
};

/**
 * Finds what a repair would change, and writes nothing. Undefined if the books add up. Throws 503 if they keep
 * changing.
 */
export const findRepair = (store: string, uuid: string, cause: Cause): Promise<Repair | undefined> =>
  decide(async () => {
    const read = await readCredit(store, uuid);
    return read ? answer(await repairOf(store, uuid, read, cause)) : readAgain();
  });

/**
 * Repairs a customer's books, in one transaction unless more than 99 lots must be closed. Decides again if the credit
 * has changed since it was read. Passes each repair to `onRepair` before it is written. Answers the faults that it
 * cannot repair; then it writes nothing. Throws 503 if other writers keep it from writing.
 */
export const repairCredit = async (
  store: string,
  uuid: string,
  cause: Cause,
  onRepair: (repair: Repair) => void,
): Promise<string[]> => {
  const step = async (): Promise<Decision<string[] | undefined>> => {
    const read = await readCredit(store, uuid);
    if (!read) return readAgain();
    const { item } = read;
    if (item?.pending) return doFirst(() => finishPending(store, item, () => true));
    const repair = await repairOf(store, uuid, read, cause);
    if (!repair || repair.faults.length > 0) return answer(repair?.faults ?? []);
    onRepair(repair);
    return writeAll(repair.writes, { result: undefined });
  };
  for (;;) {
    const faults = await decide(step);
    if (faults) return faults;
  }
};
