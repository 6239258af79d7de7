import { setTimeout as sleep } from 'node:timers/promises';
import { pMapIterable } from 'p-map';
import { lotPartition } from '../../lib/credit/lot.ts';
import { listLots } from '../../lib/credit/lots.ts';
import { everyPage, everyRow, type Source } from '../../lib/lists/source.ts';
import { findCategory, listCategories, listMembers } from '../../lib/store/categories.ts';
import { findCodeHolder, findCoupon, listCoupons, normalisedCode } from '../../lib/store/coupons.ts';
import { customerKey, listCustomerItems } from '../../lib/store/customers.ts';
import { listStoreCards } from '../../lib/store/gift-cards.ts';
import { findResident, type Resident, readResident } from '../../lib/store/residents.ts';
import { type Key, partition } from '../../lib/table/schema.ts';
import { get, getMany, rowsOf } from '../../lib/table/table.ts';
import { knownResidents } from '../deployment/residents.ts';
import { partitionsOf, scanStore } from '../deployment/scan.ts';
import { readCredit } from '../kinds/read-credit.ts';
import { auditCredit } from './customer-credit.ts';

/** Hears of an audit while it runs. */
export interface Listener {
  /** A sentence about one fault. */
  onFault: (fault: string) => void;
  /** How many things have been checked so far. */
  onChecked: (count: number) => void;
}

/** Checks all things of one sort. Returns how many there were. */
export type Check = (store: string, listener: Listener) => Promise<number>;

const maxLooks = 5;

/** Another writer may change an item between two reads of one look, so a fault counts only if every look finds one. */
const faultsOf = async (look: () => Promise<string[]>): Promise<string[]> => {
  for (let looks = 1; ; looks++) {
    const faults = await look();
    if (faults.length === 0 || looks === maxLooks) return faults;
    await sleep(20 * looks);
  }
};

/** Looks at every row, 25 at a time, and reports the faults. Returns how many rows there were. */
export const forEvery = async <T>(
  rows: AsyncIterable<T>,
  { onFault, onChecked }: Listener,
  look: (row: T) => Promise<string[]>,
): Promise<number> => {
  let count = 0;
  for await (const faults of pMapIterable(rows, (row) => faultsOf(() => look(row)), { concurrency: 25 })) {
    for (const fault of faults) onFault(fault);
    onChecked(++count);
  }
  return count;
};

/** The faults of a customer's credit at one moment. */
const creditFaults = async (store: string, uuid: string): Promise<string[]> => {
  const read = await readCredit(store, uuid);
  if (!read) return [`customer ${uuid}: the credit changes all the time and could not be checked.`];
  return read.item ? auditCredit(read.item, read.lots) : [`customer ${uuid}: was removed while it was read.`];
};

/** A customer's balance is the unlotted part plus the open lots, for both types; closed lots say how they ended. */
export const checkCredit: Check = async (store, listener) => {
  const withLots = await partitionsOf(store, 'LOT');
  return forEvery(
    everyRow(listCustomerItems(store), ({ sk }) => sk),
    listener,
    async (item) => {
      // Most credit is in order at the first look, which costs one read, or none of a customer without lots.
      const lots = withLots.has(lotPartition(store, item.sk)) ? await listLots(store, item.sk) : [];
      return auditCredit(item, lots).length === 0 ? [] : creditFaults(store, item.sk);
    },
  );
};

/** Each coupon holds its code. */
export const checkCoupons: Check = (store, listener) =>
  forEvery(
    everyRow(listCoupons(store, undefined), ({ sk }) => sk),
    listener,
    async ({ id }) => {
      const coupon = await findCoupon(store, id);
      if (!coupon) return [];
      const { code, folded } = coupon;
      if (folded !== normalisedCode(code)) return [`coupon ${id}: its code ${code} is noted as ${folded}.`];
      const holder = await findCodeHolder(store, folded);
      return holder === id ? [] : [`coupon ${id}: its code ${code} belongs to ${holder ?? 'no coupon'}.`];
    },
  );

/** Each code that is taken is held by a coupon that has it. */
export const checkCodes: Check = (store, listener) =>
  forEvery(
    everyRow(rowsOf<Key>({ partition: partition(store, 'CODE') }), ({ sk }) => sk),
    listener,
    async ({ sk: code }) => {
      const holder = await findCodeHolder(store, code);
      const coupon = holder === undefined ? undefined : await findCoupon(store, holder);
      if (holder === undefined || coupon?.folded === code) return [];
      return [`code ${code}: it is held by the coupon ${holder}, which does not have it.`];
    },
  );

/** A category's product count is the number of its memberships. */
export const checkCategories: Check = (store, listener) =>
  forEvery(
    everyRow(listCategories(store), ({ id }) => id),
    listener,
    async ({ id }) => {
      let members = 0;
      for await (const _ of everyRow(listMembers(store, id), ({ sk }) => sk)) members += 1;
      const category = await findCategory(store, id);
      if (!category || category.productCount === members) return [];
      return [`category ${id} (${category.name}): counts ${category.productCount} products, ${members} are in it.`];
    },
  );

/** The rows of a list, each with its owner, if known. The owners of a page are read together. */
async function* withOwners<T extends Key>(
  store: string,
  source: Source<T>,
  ownerOf: (row: T) => string,
): AsyncGenerator<[row: T, owner: Resident | undefined]> {
  for await (const rows of everyPage(source, ({ sk }) => sk)) {
    const known = await knownResidents(store, rows.map(ownerOf));
    const owners = new Map(known.map((resident) => [resident.uuid, resident]));
    for (const row of rows) yield [row, owners.get(ownerOf(row))];
  }
}

/** A gift card's owner is a resident. */
export const checkGiftCards: Check = (store, listener) =>
  forEvery(
    withOwners(store, listStoreCards(store), ({ ownerUuid }) => ownerUuid),
    listener,
    async ([{ id, ownerUuid }, owner]) =>
      owner || (await findResident(store, { uuid: ownerUuid }))
        ? []
        : [`gift card ${id}: its owner ${ownerUuid} is no resident.`],
  );

/**
 * The copies of residents' names in a store: what each is called in a fault, the resident, the attribute, the items.
 */
const copiesOf = (store: string) => [
  {
    words: ({ sk }: Key) => `customer ${sk}: is`,
    ownerOf: ({ sk }: Copy) => sk,
    attribute: 'username' as const,
    items: listCustomerItems(store) as Source<Copy>,
  },
  {
    words: ({ sk }: Key) => `coupon ${sk}: its owner is`,
    ownerOf: ({ couponOwnerUuid = '' }: Copy) => couponOwnerUuid,
    attribute: 'couponOwnerUsername' as const,
    items: listCoupons(store, undefined) as Source<Copy>,
  },
  {
    words: ({ sk }: Key) => `gift card ${sk}: its owner is`,
    ownerOf: ({ ownerUuid = '' }: Copy) => ownerUuid,
    attribute: 'ownerUsername' as const,
    items: listStoreCards(store) as Source<Copy>,
  },
];

interface Copy extends Key {
  username?: string;
  couponOwnerUuid?: string;
  couponOwnerUsername?: string;
  ownerUuid?: string;
  ownerUsername?: string;
}

/** Customers and the owners of coupons and gift cards are called by their current names. */
export const checkNames: Check = async (store, { onFault, onChecked }) => {
  let before = 0;
  for (const { words, ownerOf, attribute, items } of copiesOf(store)) {
    const known = before;
    const listener = { onFault, onChecked: (count: number) => onChecked(known + count) };
    before += await forEvery(withOwners(store, items, ownerOf), listener, async ([row, owner]) => {
      if (owner && row[attribute] === owner.username) return [];
      const { pk, sk } = row;
      const item = await get<Copy>({ pk, sk });
      const resident = item && (await readResident(store, { uuid: ownerOf(item) }));
      if (!resident || item[attribute] === resident.username) return [];
      return [`${words(item)} called ${item[attribute]} instead of ${resident.username}.`];
    });
  }
  return before;
};

/** Partitions that belong to a customer. */
const ofCustomer = /^[^#]+#(LOT|OWNED|APPLIED|HISTORY)#([^#]+)/;

/**
 * The UUIDs that have items of a customer, and no customer, each once for every kind of such items. Reads the whole
 * table, since no other item leads to a stray one.
 */
export async function* strayOwners(
  store: string,
  onChecked: (count: number) => void,
): AsyncGenerator<{ uuid: string; kind: string }> {
  let count = 0;
  const seen = new Set<string>();
  for await (const keys of scanStore(store)) {
    count += keys.length;
    onChecked(count);
    const owners = new Map(
      keys.flatMap(({ pk, erased }) => {
        const [, kind = '', uuid] = ofCustomer.exec(pk) ?? [];
        return uuid === undefined || erased !== undefined ? [] : [[`${kind} ${uuid}`, { uuid, kind }] as const];
      }),
    );
    const found = await getMany(
      [...owners.values()].map(({ uuid }) => customerKey(store, uuid)),
      { consistent: true },
    );
    const there = new Set(found.map(({ sk }) => sk));
    for (const [name, owner] of owners) {
      if (there.has(owner.uuid) || seen.has(name)) continue;
      seen.add(name);
      yield owner;
    }
  }
}

/** An item of a customer belongs to one who is there. */
export const checkStrays: Check = async (store, { onFault, onChecked }) => {
  let checked = 0;
  const counting = (count: number): void => {
    checked = count;
    onChecked(count);
  };
  for await (const { uuid, kind } of strayOwners(store, counting))
    onFault(`customer ${uuid}: there are items of the kind ${kind}, but no customer.`);
  return checked;
};
