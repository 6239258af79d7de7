import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { followNames } from '../../../lib/avatars/customer-names.ts';
import { newId } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import type { CreditLot } from '../../../lib/credit/lot.ts';
import { listLots } from '../../../lib/credit/lots.ts';
import { finishPending } from '../../../lib/credit/pending.ts';
import { creditTypes } from '../../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../../lib/credit/state.ts';
import { auditHistory, readHistory } from '../../../lib/operator/audit-history.ts';
import { endPages } from '../../../lib/operator/end-pages.ts';
import { readItems } from '../../../lib/operator/imports/rows.ts';
import { findUncounted, markedSales } from '../../../lib/payout/count.ts';
import type { Payee } from '../../../lib/payout/payees.ts';
import { uncountedOf } from '../../../lib/sale/debts.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { ownedKey, storeResidentKey } from '../../../lib/table/keys.ts';
import { type Condition, isNew, put, remove, unchanged, type Write } from '../../../lib/table/language.ts';
import { repeat } from '../../../lib/table/retry.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { rowsOf, transact, write } from '../../../lib/table/table.ts';
import { lotItems } from '../kinds/credit.ts';
import { customerItems } from '../kinds/customers.ts';
import { personalItems } from '../kinds/kinds.ts';
import { payeeItems } from '../kinds/payees.ts';
import type { Erasure, ErasureTerms, PersonalItems } from '../kinds/personal.ts';
import { forfeitReason } from '../kinds/reason-columns.ts';
import { saleItems } from '../kinds/sales.ts';
import { Failure } from '../terminal/errors.ts';
import { findCustomer, pseudonymIn, pseudonymOf } from './pseudonym.ts';

export interface ItemsFound {
  sort: PersonalItems;
  items: Key[];
}

const findIn = async (sorts: readonly PersonalItems[], store: string, uuid: string): Promise<ItemsFound[]> => {
  const found = await Promise.all(sorts.map(async (sort) => ({ sort, items: await sort.find(store, uuid) })));
  return found.filter(({ items }) => items.length > 0);
};

/**
 * Everything that a store has about an avatar. Reads all its gift cards, coupons, products, sales, purchases and
 * deliveries.
 */
export const findPerson = (store: string, uuid: string): Promise<ItemsFound[]> =>
  findIn(
    personalItems.filter(({ isShared }) => !isShared),
    store,
    uuid,
  );

/** Finds everything about an avatar that all stores share. */
export const findShared = (uuid: string): Promise<ItemsFound[]> =>
  findIn(
    personalItems.filter(({ isShared }) => isShared),
    '',
    uuid,
  );

/** Says in sentences why an avatar cannot be erased now, and what to do about it. */
export const blockersOf = async (found: readonly ItemsFound[], asked: ErasureTerms): Promise<string[]> => {
  const looks = found.flatMap(({ sort, items }) => items.map((item) => sort.blocker?.(item, asked)));
  return (await Promise.all(looks)).filter((blocker) => blocker !== undefined);
};

/** A transaction takes 100 items. An item that moves takes two. */
const maxWrites = 98;

const isSameKey = (a: Key, b: Key): boolean => a.pk === b.pk && a.sk === b.sk;

/**
 * The condition that an item is as it was read. It may lack the two attributes: a customer's first change of credit and
 * an item's first update add them.
 */
const asRead = (item: Key): Condition => unchanged(item, ['creditVersion', 'stamp']);

/**
 * Makes the writes that erase an avatar from items of one kind. Each has the condition that the item is as it was read.
 */
const erasureWrites = async ({ sort, items }: ItemsFound, erasure: Erasure): Promise<Write[][]> => {
  const after = items.map((item) => sort.kept(item, erasure));
  const targets = after.filter((item, index) => item && !isSameKey(item, items[index] as Key)) as Key[];
  const there = await readItems<Key>(targets);
  return items.map((item, index) => {
    const kept = after[index];
    if (!kept) return [remove(item, asRead(item))];
    if (isSameKey(item, kept))
      return isDeepStrictEqual(item, kept) ? [] : [put(kept, asRead(item), sort.isUpdated && item)];
    const earlier = there(kept);
    const moved = earlier ? (sort.merged?.(kept, earlier) ?? earlier) : kept;
    const tombstone = sort.tombstone?.(item);
    return [
      put(moved, earlier ? asRead(earlier) : isNew),
      tombstone ? put(tombstone, asRead(item)) : remove(item, asRead(item)),
    ];
  });
};

/** Carries out the writes, in transactions of as many items as fit. Stops and answers false when one is refused. */
const carryOut = async (writes: readonly Write[][]): Promise<boolean> => {
  let together: Write[] = [];
  for (const [index, some] of writes.entries()) {
    together.push(...some);
    const next = writes[index + 1];
    if (next && together.length + next.length <= maxWrites) continue;
    if (together.length > 0 && (await transact(together))) return false;
    together = [];
  }
  return true;
};

/** True if history has every change of a customer's credit, with its lots. A part may have moved to the pseudonym. */
const isHistoryWhole = async (store: string, item: CreditItem, pseudonym: string): Promise<boolean> => {
  const uuids = [item.sk, pseudonym];
  const rows = await Promise.all(uuids.map((uuid) => readHistory(store, uuid)));
  const lots = await Promise.all(uuids.map((uuid) => listLots(store, uuid)));
  return auditHistory(item, rows.flat(), lots.flat()).length === 0;
};

const looks = 60;
const betweenLooksMillis = 250;

/** Waits until history is complete. The stream's consumer would write later rows under the avatar's own UUID. */
const waitForHistory = async (store: string, item: CreditItem, pseudonym: string): Promise<void> => {
  for (let look = 1; !(await isHistoryWhole(store, item, pseudonym)); look++) {
    if (look === looks)
      throw new Failure(
        'The history of their credit does not tell of every change yet, which normally takes a second. Run this again; if it stays so, store audit says what is missing.',
      );
    await sleep(betweenLooksMillis);
  }
};

/**
 * Ends a customer's credit. Sets the balances to 0 by ordinary changes, finishes a pending change, and waits for
 * history. Answers the version of the last change; undefined if the credit never changed or the customer is gone.
 */
const endCredit = async (store: string, customer: CreditItem, pseudonym: string): Promise<number | undefined> => {
  const uuid = customer.sk;
  for (const type of creditTypes)
    if (holdingOf(customer, type).balance > 0)
      await changeCredit(
        store,
        { uuid },
        type,
        { kind: 'set', credit: 0 },
        { by: `operator ${newId()}`, reason: forfeitReason },
      );
  const item = await findCustomer(store, uuid);
  if (!item) return undefined;
  await finishPending(store, item, () => true);
  await waitForHistory(store, item, pseudonym);
  return item.creditVersion;
};

const itemsOf = <T>(found: readonly ItemsFound[], wanted: PersonalItems): T[] =>
  found.flatMap(({ sort, items }) => (sort === wanted ? (items as unknown[] as T[]) : []));

const customersIn = (found: readonly ItemsFound[]): CreditItem[] => itemsOf(found, customerItems);

/**
 * Erases an avatar from all items, phase by phase. If something has changed since it was read, stops and leaves the
 * rest.
 */
const eraseFound = async (found: readonly ItemsFound[], erasure: Erasure, log: readonly Write[]): Promise<void> => {
  const { store, uuid, pseudonym } = erasure;
  const writes = async (phase: PersonalItems['phase'], of = erasure): Promise<Write[][]> => {
    const inPhase = found.filter(({ sort }) => sort.phase === phase);
    return (await Promise.all(inPhase.map((one) => erasureWrites(one, of)))).flat();
  };
  if (!(await carryOut(await writes(undefined)))) return;
  const owned = await rowsOf({ partition: ownedKey(store, pseudonym, '').pk })({ descending: false });
  const together = await writes('customer', { ...erasure, owned: owned.length });
  if (!(await carryOut([[...together.flat(), ...log]]))) return;
  // While there was a customer, the consumer may have written further names that lead to them.
  await followNames(
    store,
    [uuid],
    customersIn(found).map(({ username }) => username),
  );
  await carryOut(await writes('names'));
};

/** Throws if an avatar without credit has open lots. Only faulty books have such lots. */
const checkLots = (found: readonly ItemsFound[]): void => {
  if (itemsOf<CreditLot>(found, lotItems).some(({ state }) => state === 'open'))
    throw new Failure(
      'Lots of theirs are open though they hold no credit. Run store audit, and repair their books first.',
    );
};

/**
 * Finds sales with debts to the avatar whose note is missing, and sales that the avatar's account marks. If they moved
 * to the pseudonym now, a consumer would find neither account nor mark, and would count the debts twice.
 */
const uncountedIn = (found: readonly ItemsFound[], store: string): Promise<SaleItem[]> => {
  const sales = itemsOf<SaleItem>(found, saleItems).filter((sale) => uncountedOf(sale).length > 0);
  const marked = itemsOf<Payee>(found, payeeItems).flatMap(markedSales);
  return findUncounted(store, [...sales.map(({ sk }) => sk), ...marked]);
};

/** Waits until all of the store's debts to the avatar are counted. The consumer normally does that within a second. */
const waitForDebts = async (store: string, found: readonly ItemsFound[]): Promise<void> => {
  for (let look = 1; (await uncountedIn(found, store)).length > 0; look++) {
    if (look === looks)
      throw new Failure(
        'What sales owe them is not counted yet, which normally takes a second. Run this again; if it stays so, run store payouts repair.',
      );
    await sleep(betweenLooksMillis);
  }
};

/**
 * Makes a pseudonym a resident of the store, with itself as username. Every customer and owner in the books must be a
 * resident.
 */
const putPseudonym = async (store: string, pseudonym: string): Promise<void> => {
  const known = {
    ...storeResidentKey(store, pseudonym),
    uuid: pseudonym,
    username: pseudonym,
    names: [],
    isPseudonym: true,
  };
  await write(put(known, isNew));
};

/**
 * Erases an avatar from a store. The books keep what they need under a pseudonym, and everything else goes. Each write
 * has the condition that the item is as it was read, and the customer moves after other items. So an interrupted
 * erasure can be repeated, and no change in between is lost. An avatar who comes back is a new customer. Answers the
 * pseudonym; undefined if the store had nothing about the avatar. Throws if an item forbids it, and 503 if the data
 * change all the time.
 */
export const erasePerson = async (
  store: string,
  uuid: string,
  forfeit: boolean,
  log: (pseudonym: string) => Write[],
): Promise<string | undefined> => {
  let pseudonym: string | undefined;
  return repeat(async () => {
    const found = await findPerson(store, uuid);
    if (found.length === 0) return { result: pseudonym };
    const blockers = await blockersOf(found, { uuid, forfeit, mayForfeit: forfeit });
    if (blockers.length > 0) throw new Failure(blockers.join('\n'));
    // The pages end before all else, so that nobody sees or changes on them what is being erased.
    await endPages(store, uuid);
    // An avatar who came back after an erasure is a new customer, whose books need another pseudonym.
    const customer = await findCustomer(store, uuid);
    pseudonym = await pseudonymIn(store, uuid, customer !== undefined);
    const erasure = { store, uuid, pseudonym, owned: 0 };
    await waitForDebts(store, found);
    const version = customer && (await endCredit(store, customer, pseudonym));
    const atRest = await findPerson(store, uuid);
    // Read after `atRest`, which may already hold a row of history or a lot from a later change.
    const later = await findCustomer(store, uuid);
    const isAtRest =
      (await blockersOf(atRest, { uuid, forfeit: false, mayForfeit: forfeit })).length === 0 &&
      (await uncountedIn(atRest, store)).length === 0 &&
      (later === undefined) === (customer === undefined) &&
      later?.creditVersion === version;
    if (isAtRest) checkLots(atRest);
    if (atRest.some(({ sort, items }) => items.some((item) => sort.kept(item, erasure))))
      await putPseudonym(store, pseudonym);
    // Always look again, since something may have come meanwhile.
    if (isAtRest) await eraseFound(atRest, erasure, log(pseudonym));
    return undefined;
  });
};

/**
 * Erases the names that the operator told about an avatar, which all stores share, and removes the avatar from the log.
 */
export const eraseShared = async (uuid: string, log: (pseudonym: string) => Write[]): Promise<void> => {
  const pseudonym = await pseudonymOf(uuid);
  await repeat(async () => {
    const found = await findShared(uuid);
    if (found.length === 0) return { result: undefined };
    const erasure = { store: '', uuid, pseudonym, owned: 0 };
    await eraseFound(found, erasure, log(pseudonym));
    return undefined;
  });
};
