import type { StoredResident } from '../../lib/avatars/residents.ts';
import type { StoredProduct } from '../../lib/catalogue/products.ts';
import type { StockShare } from '../../lib/catalogue/stock.ts';
import { timestamp } from '../../lib/clock.ts';
import type { CreditLot } from '../../lib/credit/lot.ts';
import type { EventItem, NotedEvent } from '../../lib/events/events.ts';
import { changesIn, type JournalItem } from '../../lib/events/journal-items.ts';
import { auditTable } from '../../lib/operator/audit-credit.ts';
import type { SaleItem } from '../../lib/sale/sales.ts';
import { storeResidentKey } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import type { MemoryTable, Written } from '../../test/lib/table/memory.ts';
import { auditFaults } from '../workload/checks/books.ts';
import { type Extent, stateOfModel, stateOfTable } from '../workload/model/state.ts';
import { listOf, type Machine } from './machine.ts';
import { beginFaults } from './payout-books.ts';
import { saidInModel, saidInTable } from './said.ts';
import { type State, start, type World } from './world.ts';

/** The rules for the table, the events and the deliveries at the end of a schedule. */

const partOf = ({ pk }: Key): string => pk.split('#', 2)[1] ?? '';

/** All of a kind, by their ids. */
type All<T> = Readonly<Record<string, T>>;

interface End {
  products: All<{ price: number }>;
  sales: All<{ state: string }>;
  cards: All<{ credit: number }>;
  payees: All<{ owed: number; claimed: number; unknown: number; paid: number }>;
  payouts: All<{ state: string; amount: number }>;
}

const firstDay = timestamp(start - 364 * 86_400_000).slice(0, 10);

/** Everything that operations change, as one text. */
const textOf = (
  world: World,
  { products, sales, cards, payees, payouts }: End,
  stateOf: (extent: Extent) => object,
): string => {
  const ids = Object.keys(cards).sort();
  const rows = [
    ...Object.entries(products).map(([id, { price }]) => `${id} for ${price}`),
    ...Object.entries(sales).map(([id, { state }]) => `${id} ${state}`),
    ...Object.entries(payouts).map(([id, { state, amount }]) => `${id} ${state} ${amount}`),
    ...Object.entries(payees)
      .map(([uuid, { owed, claimed, unknown, paid }]) => `${uuid} ${owed} ${claimed} ${unknown} ${paid}`)
      .filter((row) => !row.endsWith(' 0 0 0 0')),
  ];
  const credit = ids.map((id) => cards[id]?.credit);
  // Clocks may differ, so nothing tells which of two sales came first.
  return JSON.stringify([stateOf({ ...world, cards: ids }), ids, credit, rows.sort()], (name, value) =>
    // Days more than a year ago are deleted at some time.
    name === 'days' ? value.filter(([day]: [string]) => day > firstDay) : name === 'boughtAt' ? undefined : value,
  );
};

/** The end state in the model. */
export const endOf = (state: State, world: World): string =>
  textOf(world, { ...state, ...state.payouts }, (extent) => stateOfModel(state, extent)) + saidInModel(state, world);

/** A world with the pseudonyms of everybody who was erased from it. */
export const withPseudonyms = (table: MemoryTable, world: World): World => {
  const known = listOf<StoredResident>(table, `${world.store}#STORE_RESIDENT`);
  const pseudonyms = known.filter(({ isPseudonym }) => isPseudonym).map(({ uuid }) => uuid);
  return { ...world, avatars: [...world.avatars, ...pseudonyms.sort()] };
};

/** The end state in the table. */
export const endInTable = (table: MemoryTable, world: World): string => {
  const { store } = world;
  const look = {
    item: (partition: string, sk: string) => table.get({ pk: `${store}#${partition}`, sk }),
    lotsOf: (uuid: string) => listOf<CreditLot>(table, `${store}#LOT#${uuid}`),
    shares: () => listOf<StockShare>(table, `${store}#STOCK`),
  };
  const [products, sales, cards, payees, payouts] = ['PRODUCT', 'SALE', 'GIFTCARD', 'PAYEE', 'PAYOUT'].map((kind) =>
    Object.fromEntries(table.partitions.get(`${store}#${kind}`) ?? []),
  );
  const end = { products, sales, cards, payees, payouts } as unknown as End;
  return textOf(world, end, (extent) => stateOfTable(look, extent)) + saidInTable(table, world, start);
};

/** The type of the event that a change of an item makes; undefined if it makes none. */
type EventOfChange = (after: Item, before: Item | undefined) => string | undefined;

/** Makes an event for each new state except `silent`. */
const moved =
  (thing: string, silent?: string): EventOfChange =>
  (after, before) =>
    after.state === before?.state || after.state === silent ? undefined : `${thing}.${after.state}`;

const eventOfCard: EventOfChange = (after, before) => {
  if (!before) return 'giftcard.purchased';
  if (after.redeemedAt !== before.redeemedAt) return 'giftcard.redeemed';
  return after.active === before.active ? undefined : 'giftcard.disabled';
};

const eventOfProduct: EventOfChange = (after, before) => {
  const [isSoldOut, wasSoldOut] = [after, before].map((item) => {
    const { availableAmount, divided } = (item ?? {}) as Partial<StoredProduct>;
    return availableAmount === 0 && divided === undefined;
  });
  return isSoldOut && !wasSoldOut ? 'product.sold_out' : undefined;
};

/** The types of events, by the kind of the item. */
const eventsByKind: Readonly<Record<string, EventOfChange>> = {
  // A customer who has moved to a pseudonym has not changed.
  CUSTOMER: (after, before) => {
    if (!before && after.moved) return undefined;
    if (after.creditVersion !== before?.creditVersion) return 'credit.changed';
    const [isBanned = false, wasBanned = false] = [after.isBanned, before?.isBanned];
    return isBanned === wasBanned ? undefined : `customer.${isBanned ? 'banned' : 'unbanned'}`;
  },
  // An imported sale was made elsewhere.
  SALE: (after, before) => (!before && after.imported ? undefined : moved('sale')(after, before)),
  GIFTCARD: eventOfCard,
  PAYOUT: moved('payout', 'claimed'),
  DELIVERY: moved('delivery', 'queued'),
  PRODUCT: eventOfProduct,
};

/** A sale's or a delivery's partition has further items that belong to it. No event tells of them. */
const isPart = (key: Key, after: Item): boolean =>
  (partOf(key) === 'SALE' && !key.pk.endsWith('#SALE')) || (partOf(key) === 'DELIVERY' && after.attempts === undefined);

/** The type of the event that a change makes. */
const eventOf = ({ key, before, after }: Written): string | undefined =>
  after && !isPart(key, after) ? eventsByKind[partOf(key)]?.(after, before) : undefined;

type Told = [thing: string, text: string];

/**
 * Each change made its event, and nothing else made one. If the stream was read in order, the events of each thing are
 * in the order of its changes.
 */
const eventFaults = ({ commits, table, isInOrder }: Machine, { store }: World): string[] => {
  const all = commits.flatMap(({ written }) => written);
  const wanted = all.flatMap((written): Told[] => {
    const type = eventOf(written);
    const sequence = type === 'credit.changed' ? written.after?.creditVersion : '';
    return type === undefined ? [] : [[written.key.sk, `${type} ${sequence}`]];
  });
  const noted = new Map<string, NotedEvent>();
  // An erasure leaves only the key of an event.
  for (const { key, after } of all)
    if (key.pk === `${store}#EVENT` && after?.data) noted.set(key.sk, after as unknown as NotedEvent);
  const found = [...noted.values()]
    .filter((event) => table.get(event))
    .filter(({ type }) => type !== 'coupon.applied' && type !== 'product.changed')
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ type, data }): Told => {
      const { id, uuid, sequence = '' } = JSON.parse(data);
      return [id ?? uuid, `${type} ${sequence}`];
    });
  const ofThing = (told: readonly Told[], thing: string): string => {
    const texts = told.filter(([of]) => of === thing).map(([, text]) => text);
    return (isInOrder ? texts : texts.sort()).join();
  };
  return [...new Set([...wanted, ...found].map(([thing]) => thing))]
    .map((thing) => [thing, ofThing(found, thing), ofThing(wanted, thing)] as const)
    .filter(([, told, made]) => told !== made)
    .map(([thing, told, made]) => `The events of ${thing} are ${told || 'none'}, its changes were ${made || 'none'}.`);
};

/** Sales change these fields too, and the journal does not tell it. */
const soldFields: readonly string[] = ['availableAmount', 'credit', 'restrictedCredit'];

/** The journal's rows of each thing are a chain, field by field: each begins with the value that the last one left. */
const journalFaults = ({ table, isInOrder }: Machine, { store }: World): string[] => {
  if (!isInOrder) return [];
  const rows = listOf<EventItem>(table, `${store}#EVENT`).filter(({ changes }) => changes !== undefined);
  rows.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const last = new Map<string, string>();
  return rows.flatMap((row) =>
    changesIn(row as JournalItem)
      .filter(({ field, hidden }) => !hidden && !soldFields.includes(field))
      .flatMap(({ field, before, after }) => {
        const name = `${row.bought} ${field}`;
        const [was, found] = [last.get(name), JSON.stringify(before)];
        last.set(name, JSON.stringify(after));
        return was === undefined || was === found ? [] : [`The journal of ${name} goes on from ${found}, not ${was}.`];
      }),
  );
};

/** The possible states of a sale's delivery at the end. */
const deliveryOf: Readonly<Record<string, readonly string[]>> = {
  completed: ['delivered'],
  refunded: ['delivered', 'failed'],
};

/** A completed sale is delivered. Nothing is delivered that was not sold. */
const deliveryFaults = ({ table, commits, given }: Machine, { store }: World): string[] => {
  const all = commits.flatMap(({ written }) => written);
  const sold = listOf<SaleItem>(table, `${store}#SALE`).filter(({ deliveryId }) => deliveryId);
  const ids = new Set(sold.map(({ deliveryId }) => deliveryId));
  return [
    ...[...given.keys()].filter((id) => !ids.has(id)).map((id) => `delivery ${id}: was never sold.`),
    ...all
      .filter(({ key, before }) => partOf(key) === 'DELIVERY' && before?.state === 'delivered')
      .filter(({ after }) => after?.state !== 'delivered')
      .map(({ key }) => `delivery ${key.sk}: was tried again after it was made.`),
    ...sold.flatMap(({ deliveryId, state, sk, recipientUuid }) => {
      const id = deliveryId ?? '';
      const delivery = String(table.get({ pk: `${store}#DELIVERY`, sk: id })?.state ?? 'not there');
      const isErased = table.get(storeResidentKey(store, recipientUuid ?? ''))?.isPseudonym === true;
      const isNew = all.some(({ key, before }) => key.sk === sk && !before);
      return [
        // An erasure keeps no record of a failed delivery.
        ...(deliveryOf[state]?.includes(delivery) === false && !(isErased && state === 'refunded')
          ? [`sale ${sk}: is ${state}, its delivery ${delivery}.`]
          : []),
        ...(state === 'completed' && isNew && !given.has(id) ? [`sale ${sk}: the item was not given.`] : []),
      ];
    }),
  ];
};

/** The L$ of a payout were moved once, and are not owed again. */
const transferFaults = ({ table, transfers }: Machine, { store }: World): string[] =>
  [...transfers].flatMap(([id, times]) => {
    const state = table.get({ pk: `${store}#PAYOUT`, sk: id })?.state;
    if (times > 1) return [`payout ${id}: its L$ were moved ${times} times.`];
    return state === undefined || state === 'failed' ? [`payout ${id}: its L$ were moved, and it is ${state}.`] : [];
  });

/** Audits the books as operators do. With a stream it also audits history, days, events and deliveries. */
export const faultsAtRest = (machine: Machine, world: World): string[] => {
  const ofStore = machine.table.items().filter(({ pk }) => String(pk).startsWith(`${world.store}#`));
  if (!machine.isStreaming) return auditTable(ofStore as never);
  // Events and given items may belong to sales that a restore has lost.
  if (machine.isRestored) return [...auditFaults(ofStore), ...transferFaults(machine, world)];
  return [
    ...auditFaults(ofStore),
    ...eventFaults(machine, world),
    ...journalFaults(machine, world),
    ...deliveryFaults(machine, world),
    ...transferFaults(machine, world),
    ...beginFaults(machine, world),
  ];
};
