import { auditTable } from '../../cli/kinds/audit-credit.ts';
import type { CreditLot } from '../../lib/credit/lot.ts';
import type { Delivery } from '../../lib/delivery/deliveries.ts';
import type { EventItem } from '../../lib/events/events.ts';
import type { Payee } from '../../lib/payout/payees.ts';
import type { PayoutItem } from '../../lib/payout/payouts.ts';
import type { SaleItem } from '../../lib/sale/sales.ts';
import type { StoredProduct } from '../../lib/store/products.ts';
import type { StockShare } from '../../lib/store/stock.ts';
import type { Item } from '../../lib/table/language.ts';
import type { Key } from '../../lib/table/schema.ts';
import type { MemoryTable } from '../../test/lib/table/memory.ts';
import { auditFaults } from '../workload/checks/books.ts';
import { stateOfModel, stateOfTable } from '../workload/model/state.ts';
import type { Commit, Machine } from './machine.ts';
import type { State, World } from './world.ts';

/** The rules for the table, the events and the deliveries when a schedule is over. */

/** The ids of events that are older than the schedule. */
type Events = ReadonlySet<string>;

export const eventsIn = (table: MemoryTable, { store }: World): Events =>
  new Set(table.partitions.get(`${store}#EVENT`)?.keys() ?? []);

const partOf = ({ pk }: Key): string => pk.split('#', 2)[1] ?? '';

/** Clocks that differ leave open which of two sales was the first. */
const textOf = (...parts: unknown[]): string =>
  JSON.stringify(parts, (name, value) => (name === 'boughtAt' ? undefined : value));

type Sums = { owed: number; claimed: number; unknown: number; paid: number };

/** The accounts and payouts of the model or the table, in one form. */
const payoutText = (
  payees: readonly (readonly [string, Sums])[],
  payouts: readonly (readonly [string, { state: string; amount: number }])[],
): string[] => [
  ...payees
    .map(([uuid, { owed, claimed, unknown, paid }]) => [uuid, owed, claimed, unknown, paid])
    .filter((sums) => sums.slice(1).some((sum) => sum !== 0))
    .map(String)
    .sort(),
  ...payouts.map(([id, { state, amount }]) => `${id} ${state} ${amount}`).sort(),
];

/** All that operations change, as the model has it at the end. */
export const endOf = (state: State, world: World): string =>
  textOf(
    stateOfModel(state, { ...world, cards: Object.keys(state.cards).sort() }),
    Object.keys(state.cards).sort(),
    Object.entries(state.sales)
      .map(([id, sale]) => `${id} ${sale.state}`)
      .sort(),
    payoutText(Object.entries(state.payouts.payees), Object.entries(state.payouts.payouts)),
  );

const listOf = <T>(table: MemoryTable, pk: string): T[] => [...(table.partitions.get(pk)?.values() ?? [])] as T[];

/** The same as the table has it. */
export const endInTable = (table: MemoryTable, world: World): string => {
  const { store } = world;
  const look = {
    item: (partition: string, sk: string) => table.get({ pk: `${store}#${partition}`, sk }),
    lotsOf: (uuid: string) => listOf<CreditLot>(table, `${store}#LOT#${uuid}`),
    shares: () => listOf<StockShare>(table, `${store}#STOCK`),
  };
  const sales = listOf<SaleItem>(table, `${store}#SALE`).map(({ sk, state }) => `${sk} ${state}`);
  const cards = listOf<Key>(table, `${store}#GIFTCARD`).map(({ sk }) => sk);
  const payees = listOf<Payee>(table, `${store}#PAYEE`).map((payee) => [payee.sk, payee] as const);
  const payouts = listOf<PayoutItem>(table, `${store}#PAYOUT`).map((payout) => [payout.sk, payout] as const);
  const state = stateOfTable(look, { ...world, cards: cards.sort() });
  return textOf(state, cards, sales.sort(), payoutText(payees, payouts));
};

/** The type of the event that a change of an item makes; undefined where it makes none. */
type EventOfChange = (after: Item, before: Item | undefined) => string | undefined;

/** Makes an event of each new state but the `silent` one. */
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

/** By the kind of an item. */
const eventsByKind: Readonly<Record<string, EventOfChange>> = {
  CUSTOMER: (after, before) => (after.creditVersion === before?.creditVersion ? undefined : 'credit.changed'),
  SALE: moved('sale'),
  GIFTCARD: eventOfCard,
  PAYOUT: moved('payout', 'claimed'),
  DELIVERY: moved('delivery', 'queued'),
  PRODUCT: eventOfProduct,
};

/** Parts of a sale's or a delivery's partition hold what belongs to them, of which no event tells. */
const isPart = (key: Key, after: Item): boolean =>
  (partOf(key) === 'SALE' && !key.pk.endsWith('#SALE')) || (partOf(key) === 'DELIVERY' && after.attempts === undefined);

/** The events that a change makes, as their types say. */
const eventsOf = ({ written }: Commit): string[] =>
  written.flatMap(({ key, before, after }) =>
    after && !isPart(key, after) ? (eventsByKind[partOf(key)]?.(after, before) ?? []) : [],
  );

type Told = [thing: string, text: string];

/**
 * Each change made its event, and nothing else did. Where the stream was read in order, the events of each thing stand
 * in the order of its changes.
 */
const eventFaults = ({ commits, table }: Machine, { store }: World, earlier: Events, isInOrder: boolean): string[] => {
  const wanted = commits.flatMap((commit) =>
    commit.written.flatMap((written) =>
      eventsOf({ ...commit, written: [written] }).map((type): Told => {
        const sequence = type === 'credit.changed' ? written.after?.creditVersion : '';
        return [written.key.sk, `${type} ${sequence}`];
      }),
    ),
  );
  // An erasure leaves nothing of an event but its key.
  const noted = (id: string, item: Item): Item | undefined =>
    item.data
      ? item
      : commits.flatMap(({ written }) => written).find(({ key, after }) => key.sk === id && after?.data)?.after;
  const found = [...(table.partitions.get(`${store}#EVENT`) ?? [])]
    .filter(([id]) => !earlier.has(id))
    .map(([id, item]) => noted(id, item) as unknown as EventItem)
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ type, data }): Told => {
      const { id, uuid, sequence = '' } = JSON.parse(data);
      return [id ?? uuid, `${type} ${sequence}`];
    });
  const ofThing = (all: readonly Told[], thing: string): string => {
    const texts = all.filter(([of]) => of === thing).map(([, text]) => text);
    return (isInOrder ? texts : texts.sort()).join();
  };
  return [...new Set([...wanted, ...found].map(([thing]) => thing))]
    .map((thing) => [thing, ofThing(found, thing), ofThing(wanted, thing)] as const)
    .filter(([, told, made]) => told !== made)
    .map(([thing, told, made]) => `The events of ${thing} are ${told || 'none'}, its changes were ${made || 'none'}.`);
};

/** A completed sale is delivered; nothing is delivered that was not sold. */
const deliveryFaults = (machine: Machine, { store }: World): string[] => {
  const sales = listOf<SaleItem>(machine.table, `${store}#SALE`);
  const sold = new Map(sales.filter(({ deliveryId }) => deliveryId).map((sale) => [sale.deliveryId ?? '', sale]));
  const faults = [...machine.given.keys()].filter((id) => !sold.has(id)).map((id) => `delivery ${id}: was never sold.`);
  for (const { key, before, after } of machine.commits.flatMap(({ written }) => written))
    if (partOf(key) === 'DELIVERY' && before?.state === 'delivered' && after?.state !== 'delivered')
      faults.push(`delivery ${key.sk}: was tried again after it was made.`);
  for (const [id, { state, sk }] of sold) {
    const record = machine.table.get({ pk: `${store}#DELIVERY`, sk: id }) as unknown as Delivery | undefined;
    if (state === 'completed' && record?.state !== 'delivered')
      faults.push(`sale ${sk}: its delivery is ${record?.state ?? 'not there'}.`);
    if (state === 'refunded' && record?.state !== 'failed' && record?.state !== 'delivered')
      faults.push(`sale ${sk}: was refunded, and its delivery is ${record?.state ?? 'not there'}.`);
    const isNewSale = machine.commits.some(({ written }) =>
      written.some(({ key, before }) => key.sk === sk && !before),
    );
    if (state === 'completed' && isNewSale && !machine.given.has(id))
      faults.push(`sale ${sk}: the item was not given.`);
  }
  return faults;
};

/** The L$ of a payout were moved once, and are not owed again. */
const transferFaults = ({ table, transfers }: Machine, { store }: World): string[] =>
  [...transfers].flatMap(([id, times]) => {
    const state = table.get({ pk: `${store}#PAYOUT`, sk: id })?.state;
    if (times > 1) return [`payout ${id}: its L$ were moved ${times} times.`];
    return state === undefined || state === 'failed' ? [`payout ${id}: its L$ were moved, and it is ${state}.`] : [];
  });

/** The books as operators audit them; with a stream history, days, events and deliveries too. */
export const faultsAtRest = (machine: Machine, world: World, earlier: Events, isInOrder: boolean): string[] => {
  const items = machine.table.items() as (Item & Key)[];
  const ofStore = items.filter(({ pk }) => pk.startsWith(`${world.store}#`));
  if (!machine.isStreaming) return auditTable(ofStore);
  return [
    ...auditFaults(ofStore),
    ...eventFaults(machine, world, earlier, isInOrder),
    ...deliveryFaults(machine, world),
    ...transferFaults(machine, world),
  ];
};
