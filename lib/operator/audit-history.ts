import {
  type HistoryItem,
  type HistoryRow,
  historyKey,
  historyPartition,
  isWholeRow,
  type LotPart,
  maxLotParts,
  restOfLots,
} from '../credit/history.ts';
import { asDecided, type CreditLot, lotId } from '../credit/lot.ts';
import { type CreditType, creditTypes } from '../credit/rules.ts';
import { attributes, type CreditItem, holdingOf } from '../credit/state.ts';
import { customerKey } from '../table/keys.ts';
import type { Key } from '../table/schema.ts';
import { getMany, rowsOf } from '../table/table.ts';
import { repairReason } from './read-credit.ts';

/** A row of history whose change is known. */
export interface RecordedChange extends HistoryRow {
  sequence: number;
  type: CreditType;
  lots: readonly LotPart[];
  lastExpiresAt?: string;
}

/** The changes among the raw items of a customer's history, in the order of their numbers. */
export const recordedChanges = (items: readonly HistoryItem[]): RecordedChange[] =>
  items
    .filter(isWholeRow)
    .map(({ lots = [], ...item }) => ({
      ...item,
      lots,
      sequence: Number(item.sk),
      type: item.pk.slice(item.pk.lastIndexOf('#') + 1) as CreditType,
    }))
    .sort((a, b) => a.sequence - b.sequence);

/** Numbers that follow each other, in words: `4` or `4 to 9`. */
const span = (first: number, last: number): string => (first === last ? String(first) : `${first} to ${last}`);

/**
 * The faults of the rows' numbers: numbers that no row has, between the first row and the customer's version, and
 * numbers that two rows have.
 */
const numberFaults = (changes: readonly RecordedChange[], version: number): string[] => {
  const faults: string[] = [];
  let next = changes[0]?.sequence ?? 1;
  for (const { sequence } of changes) {
    if (sequence > next) faults.push(`history lacks the changes ${span(next, sequence - 1)} of ${version}`);
    if (sequence < next) faults.push(`history has the change ${sequence} twice`);
    next = sequence + 1;
  }
  if (next <= version) faults.push(`history lacks the changes ${span(next, version)} of ${version}`);
  if (next > version + 1) faults.push(`history has the change ${next - 1}, beyond the last, ${version}`);
  return faults;
};

/**
 * A repair corrects a change that broke the rules and that no row tells of. So the repair's own row need not follow
 * from the rows before.
 */
const isRepair = ({ reason, keyId }: RecordedChange): boolean => reason === repairReason && keyId === undefined;

type Balances = Pick<HistoryRow, 'credit' | 'restrictedCredit'>;

const none: Balances = { credit: 0, restrictedCredit: 0 };

const isAmount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** A balance after a change is the balance before, plus the amount, less what expired. The other type stays. */
const balanceFaults = (change: RecordedChange, before: Balances): string[] => {
  const { sequence, type, amount, expired, credit, restrictedCredit } = change;
  if (![expired, credit, restrictedCredit].every(isAmount) || !Number.isSafeInteger(amount))
    return [`the change ${sequence} has the amounts ${[amount, expired, credit, restrictedCredit].join(', ')}`];
  const { balance } = attributes[type];
  const expected = { ...before, [balance]: before[balance] + amount - expired };
  if (expected.credit === credit && expected.restrictedCredit === restrictedCredit) return [];
  const shown = ({ credit, restrictedCredit }: Balances): string => `${credit} and ${restrictedCredit}`;
  return [`the change ${sequence} ends with ${shown(change)}, but ${shown(expected)} follow from the one before it`];
};

const totalOf = (parts: readonly { amount: number }[]): number => parts.reduce((sum, { amount }) => sum + amount, 0);

/** The L$ of lots that a row should tell of but does not, although it is not cut. */
export const missingParts = (change: RecordedChange): number =>
  change.lastExpiresAt === undefined ? restOfLots(change) : 0;

/**
 * The parts of lots are sorted, and each lot appears once. Together with the permanent credit they equal the amount
 * less what expired.
 */
const partFaults = (change: RecordedChange): string[] => {
  const { sequence, kind, amount, expired, lots, lastExpiresAt } = change;
  const faults: string[] = [];
  const places = lots.map(({ expiresAt, id }) => `${expiresAt} ${id}`);
  if (places.some((place, index) => place <= (places[index - 1] ?? '')))
    faults.push(`the parts of the change ${sequence} are not in order`);
  const missing = missingParts(change);
  if (missing !== 0)
    faults.push(`the parts of the change ${sequence} come to ${amount - expired - missing}, not ${amount - expired}`);
  if (lastExpiresAt !== undefined) {
    const isCut = kind !== 'opening' && kind !== 'unrecorded';
    if ((isCut && lots.length !== maxLotParts) || lastExpiresAt < (lots.at(-1)?.expiresAt ?? ''))
      faults.push(`the change ${sequence} has ${lots.length} parts, and more up to ${lastExpiresAt}`);
  }
  return lots.length > maxLotParts ? [...faults, `the change ${sequence} has ${lots.length} parts`] : faults;
};

/** The rest in each open lot of a type, by the lot's id. */
export const openAmounts = (item: CreditItem, lots: readonly CreditLot[], type: CreditType): Map<string, number> =>
  new Map(
    lots
      .map((lot) => asDecided(lot, item))
      .filter(({ sk, state }) => state === 'open' && sk.startsWith(`${type}#`))
      .map((lot) => [lotId(lot), lot.remaining]),
  );

/** All changes together, of permanent credit and of each lot, equal what there is now. */
const holdingFaults = (
  item: CreditItem,
  changes: readonly RecordedChange[],
  lots: readonly CreditLot[],
  type: CreditType,
): string[] => {
  const ours = changes.filter((change) => change.type === type);
  const faults: string[] = [];
  const unlotted = ours.reduce((sum, change) => sum + change.unlotted, 0);
  const held = holdingOf(item, type).unlotted;
  if (unlotted !== held) faults.push(`${type}: the changes of permanent credit come to ${unlotted}, it is ${held}`);
  // If a row does not have every part, nobody knows which lots the missing parts belong to.
  if (ours.some(({ lastExpiresAt }) => lastExpiresAt !== undefined)) return faults;
  const parts = Map.groupBy(
    ours.flatMap((change) => change.lots),
    ({ id }) => id,
  );
  const open = openAmounts(item, lots, type);
  for (const id of new Set([...parts.keys(), ...open.keys()])) {
    const sum = totalOf(parts.get(id) ?? []);
    if (sum !== (open.get(id) ?? 0))
      faults.push(`${type}: the changes of the lot ${id} come to ${sum}, ${open.get(id) ?? 0} are left in it`);
  }
  return faults;
};

/** Each sale gives its bonus once. Its refund takes back at most this bonus, once. */
const bonusFaults = (changes: readonly RecordedChange[]): string[] => {
  const ofSales = Map.groupBy(
    changes.filter(({ kind, saleId }) => kind === 'bonus' && saleId !== undefined),
    ({ saleId }) => saleId,
  );
  return [...ofSales].flatMap(([saleId, some]) => {
    const [given, back] = [some.filter(({ amount }) => amount > 0), some.filter(({ amount }) => amount < 0)];
    const left = given[0] ? totalOf(some) : 0;
    return given.length > 1 || back.length > 1 || left < 0
      ? [`the sale ${saleId} gave ${totalOf(given)} in ${given.length} bonuses, and took ${-totalOf(back)} back`]
      : [];
  });
};

/** Each row is right by itself, and follows from the one before. A pending change does not have all its parts yet. */
const changeFaults = (changes: readonly RecordedChange[], pending: CreditItem['pending']): string[] =>
  changes.flatMap((change, index) => {
    const before = changes[index - 1];
    if (isRepair(change)) return [];
    // After a missing number the balances before are unknown.
    const isNext = before === undefined || change.sequence === before.sequence + 1;
    const isPending = pending !== undefined && change.sequence === pending.version + 1;
    return [...(isNext ? balanceFaults(change, before ?? none) : []), ...(isPending ? [] : partFaults(change))];
  });

/**
 * Checks a customer's history: it has every number from its first row to the customer's version, begins with nothing,
 * ends with the customer's balances, and each row is right by itself and follows from the one before it. Answers a
 * sentence for each fault. All items are raw, read at one moment, after the stream's consumer has caught up.
 */
export const auditHistory = (
  item: CreditItem,
  history: readonly HistoryItem[],
  lots: readonly CreditLot[],
): string[] => {
  const { creditVersion: version = 0, credit = 0, restrictedCredit = 0, pending } = item;
  const changes = recordedChanges(history);
  const last = changes.at(-1);
  const faults = changes.length === 0 && !item.lastChange ? [] : numberFaults(changes, version);
  if (!last && !item.lastChange && credit + restrictedCredit > 0)
    faults.push('the credit is older than history: run store credit backfill');
  for (const fault of [...changeFaults(changes, pending), ...bonusFaults(changes)]) faults.push(fault);
  if (last?.sequence === version && (last.credit !== credit || last.restrictedCredit !== restrictedCredit))
    faults.push(`history ends with ${last.credit} and ${last.restrictedCredit}, not ${credit} and ${restrictedCredit}`);
  const isKnown = !changes.some((change) => change.kind === 'unrecorded' || isRepair(change));
  if (faults.length === 0 && last && pending === undefined && isKnown)
    for (const type of creditTypes) for (const fault of holdingFaults(item, changes, lots, type)) faults.push(fault);
  return faults.map((fault) => `customer ${item.sk}: ${fault}.`);
};

/** The gift cards that rows of history redeem more than once, in one customer's history or in several. */
export const redeemFaults = (rows: readonly HistoryItem[]): string[] => {
  const redeems = rows.filter(({ kind, giftCardId }) => kind === 'redeem' && giftCardId !== undefined);
  return [...Map.groupBy(redeems, ({ giftCardId }) => giftCardId)]
    .filter(([, some]) => some.length > 1)
    .map(([id, some]) => {
      const amounts = some.map(
        ({ pk, sk, amount }) => `L$ ${amount} by the change ${Number(sk)} of ${pk.split('#')[2]}`,
      );
      return `gift card ${id}: was redeemed ${some.length} times: ${amounts.join(', ')}.`;
    });
};

/** Checks the history of every customer among raw items of one store's table. */
export const auditHistories = (items: readonly Record<string, unknown>[]): string[] => {
  const partOf = ({ pk }: { pk: string }): string => pk.split('#').slice(1, 3).join('#');
  const parts = Map.groupBy(items as unknown as readonly (CreditItem & HistoryItem & CreditLot)[], partOf);
  const ofCustomers = (parts.get('CUSTOMER') ?? []).flatMap((item) =>
    auditHistory(item, parts.get(`HISTORY#${item.sk}`) ?? [], parts.get(`LOT#${item.sk}`) ?? []),
  );
  return [...ofCustomers, ...redeemFaults(items.filter(({ pk }) => String(pk).includes('#HISTORY#')) as never)];
};

/** Every row of a customer's history, of both types. */
export const readHistory = async (store: string, uuid: string): Promise<HistoryItem[]> => {
  const rowsOfType = (type: CreditType) =>
    rowsOf<HistoryItem>({ partition: historyPartition(store, uuid, type) })({ descending: false });
  return (await Promise.all(creditTypes.map(rowsOfType))).flat();
};

/** The given customers whose history has a number after their last change, as a restore may leave it. */
export const historyAhead = async (store: string, items: readonly CreditItem[]): Promise<CreditItem[]> => {
  const nextOf = ({ sk, creditVersion = 0 }: CreditItem): Key[] =>
    creditTypes.map((type) => historyKey(store, sk, type, creditVersion + 1));
  const rows = await getMany<HistoryItem>(items.flatMap(nextOf), { consistent: true, attributes: ['kind'] });
  const there = new Set(rows.filter(({ kind }) => kind !== undefined).map(({ pk, sk }) => `${pk} ${sk}`));
  const ahead = items.filter((item) => nextOf(item).some(({ pk, sk }) => there.has(`${pk} ${sk}`)));
  // Their credit may have changed since it was read.
  const now = await getMany<CreditItem>(
    ahead.map(({ sk }) => customerKey(store, sk)),
    { consistent: true },
  );
  const versions = new Map(now.map(({ sk, creditVersion }) => [sk, creditVersion]));
  return ahead.filter(({ sk, creditVersion }) => versions.get(sk) === creditVersion);
};
