import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { GiftCardItem } from '../../../lib/catalogue/gift-cards.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import type { HistoryItem, HistoryRow } from '../../../lib/credit/history.ts';
import type { CreditType } from '../../../lib/credit/rules.ts';
import type { Delivery } from '../../../lib/delivery/deliveries.ts';
import {
  type DayItem,
  type DaySum,
  type DaySums,
  dayOf,
  plus,
  sumsOf,
  sumsOfRefund,
  sumsOfRow,
  sumsOfSale,
} from '../../../lib/events/days.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { partition } from '../../../lib/table/keys.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { rowsOf } from '../../../lib/table/table.ts';
import { scanStore } from '../deployment/scan.ts';
import type { Check } from './audit.ts';
import { endsOf } from './deliveries.ts';
import type { Kind } from './kind.ts';

const dayMillis = 86_400_000;

/**
 * Deliveries of this many days are compared. The table keeps a delivery for at least 30 days, and the mark of an erased
 * one for eight.
 */
const endedDays = 7;

const ofHistory = [
  'creditAdded',
  'creditRemoved',
  'creditSpent',
  'creditExpired',
  'regularNet',
  'restrictedNet',
] as const;
const ofCards = ['giftCardsGranted', 'giftCardsRedeemed'] as const;
const ofDeliveries = ['delivered', 'failed'] as const;
const ofSales = ['sales', 'paid', 'refunds', 'refunded', 'shares', 'commissions'] as const;

export const daySums: readonly DaySum[] = [...ofHistory, ...ofCards, ...ofDeliveries, ...ofSales];

/** Sums by `nameOf`: by day or, for a vendor's sales, by day and vendor. */
type Sums = Map<string, DaySums>;

const nameOf = (at: string, vendor?: string): string => [dayOf(at), ...(vendor ? [vendor] : [])].join(' ');

const addTo = (sums: Sums, name: string, more: DaySums): void => {
  sums.set(name, plus(sums.get(name) ?? {}, more));
};

/** The UUID of the vendor, if the item is a vendor's day. */
const vendorOf = ({ pk }: Key): string | undefined => pk.split('#')[2];

/** Makes functions, by kind of item, that call `addTo` with an item's part of its days. */
type DayReader = (
  addTo: (at: string, sums: DaySums, from?: { end?: string; vendor?: string | undefined }) => void,
) => Record<string, (item: never) => void>;

const readersOf: DayReader = (add) => {
  const addEnds = (delivery: Delivery): void => {
    for (const { kind, at } of endsOf(delivery)) add(at, { [kind]: 1 }, { end: `${delivery.id}#${kind}#${at}` });
  };
  return {
    HISTORY: (item: HistoryItem & HistoryRow) => {
      // A row without a kind does not have all its parts yet.
      if (item.kind) add(item.at, sumsOfRow(item.pk.split('#')[3] as CreditType, item));
    },
    GIFTCARD: ({ grantedAt, redeemedAt }: GiftCardItem) => {
      if (grantedAt) add(grantedAt, { giftCardsGranted: 1 });
      if (redeemedAt) add(redeemedAt, { giftCardsRedeemed: 1 });
    },
    SALE: (sale: SaleItem) => {
      const { pk, state, at, refundedAt, imported, vendorUuid: vendor } = sale;
      // The items of a buyer's list only lead to sales.
      if (!pk.endsWith('#SALE') || state === 'refused' || imported) return;
      add(at, sumsOfSale(sale), { vendor });
      if (refundedAt) add(refundedAt, sumsOfRefund(sale), { vendor });
    },
    DELIVERY: (item: Delivery & Key) => {
      // A waiting delivery has further items, which only lead to it.
      if (item.pk.endsWith('#DELIVERY')) addEnds(item);
    },
    MARK: addEnds,
  };
};

/** A sum of a day that differs from the items of the store. */
export interface DayDifference {
  day: string;
  /** The vendor, if the sum is about a vendor's sales. */
  vendor?: string | undefined;
  name: DaySum;
  is: number;
  recorded: number;
}

/** Adds up raw items of a store: the stored sums of its days, and the rows, sales, cards and deliveries behind them. */
const newRecount = () => {
  const stored: Sums = new Map();
  const counted: Sums = new Map();
  const ends = new Set<string>();
  const vendorDays = new Map<string, DayItem>();
  const readers: Record<string, (item: never) => void> = {
    ...readersOf((at, sums, { end, vendor } = {}) => {
      // A delivery and its mark may tell of the same end, which counts once.
      if (end === undefined || !ends.has(end)) addTo(counted, nameOf(at), sums);
      if (end !== undefined) ends.add(end);
      if (vendor !== undefined) addTo(counted, nameOf(at, vendor), sums);
    }),
    DAY: (item: DayItem) => {
      const name = nameOf(item.sk, vendorOf(item));
      addTo(stored, name, sumsOf(item));
      if (vendorOf(item) !== undefined) vendorDays.set(name, item);
    },
  };
  return {
    add: (item: Key): void => readers[item.pk.split('#')[1] ?? '']?.(item as never),
    /** The item of a vendor's day. It has only the attributes that were read. */
    vendorDay: (day: string, vendor: string): DayItem | undefined => vendorDays.get(nameOf(day, vendor)),
    days: (): number => [...stored.keys()].filter((name) => !name.includes(' ')).length,
    /**
     * The sums that differ from the items. Leaves out days in `passedOver`, and cards up to the first day, which may be
     * older than the sums.
     */
    differences: (passedOver: ReadonlySet<string> = new Set()): DayDifference[] => {
      const firstEnded = dayOf(timestamp(now() - (endedDays - 1) * dayMillis));
      const first = [...stored.keys()].sort()[0] ?? '';
      const compared = [...new Set([...stored.keys(), ...counted.keys()])].sort().map((of) => ({ of, day: dayOf(of) }));
      return compared.flatMap(({ of, day }) => {
        if (passedOver.has(day)) return [];
        const vendor = of.split(' ')[1];
        const all: DaySum[] = [
          ...ofHistory,
          ...ofSales,
          ...(day > first ? ofCards : []),
          ...(day >= firstEnded ? ofDeliveries : []),
        ];
        const [is, mustBe] = [stored.get(of) ?? {}, counted.get(of) ?? {}];
        return (vendor ? ofSales : all)
          .map((name) => ({ day, ...(vendor && { vendor }), name, is: is[name] ?? 0, recorded: mustBe[name] ?? 0 }))
          .filter((sum) => sum.is !== sum.recorded);
      });
    },
  };
};

const faultOf = ({ day, vendor, name, is, recorded }: DayDifference): string =>
  `day ${day}${vendor ? ` of vendor ${vendor}` : ''}: ${name} is ${is}, but ${recorded} was recorded.`;

/** Checks the sums of days among raw items of one store's table. */
export const auditDays = (items: readonly Key[]): string[] => {
  const recount = newRecount();
  for (const item of items) recount.add(item);
  return recount.differences().map(faultOf);
};

/** The attributes that a recount reads. */
const attributes = [
  'kind',
  'at',
  'amount',
  'expired',
  'grantedAt',
  'redeemedAt',
  'state',
  'paid',
  'change',
  'refundedAt',
  'imported',
  'id',
  'deliveredAt',
  'failedAt',
  'failures',
  'vendorUuid',
  // An attribute of sales, and a sum of vendors' days.
  'shares',
  // The other sums of vendors' days.
  'sales',
  'refunds',
  'refunded',
  'commissions',
];

/** The items that hold the sums of a store's days. */
export const readDays = (store: string): Promise<DayItem[]> =>
  rowsOf<DayItem>({ partition: partition(store, 'DAY') })({ descending: false });

/** Adds up everything that the days of a store should have counted. Reads the whole table. */
export const recountItems = async (store: string, onChecked: (count: number) => void) => {
  const recount = newRecount();
  let count = 0;
  for await (const items of scanStore(store, attributes)) {
    // The scan reads only some attributes of days, so days are read on their own.
    for (const item of items) if (!item.pk.endsWith('#DAY')) recount.add(item);
    count += items.length;
    onChecked(count);
  }
  return recount;
};

/** The sums contain a change within this time. */
const lagMillis = 5000;

/**
 * The sums of each day equal what its rows of history, sales, gift cards and deliveries add up to. Reads the whole
 * table, and passes over days that change meanwhile.
 */
export const checkDays: Check = async (store, { onFault, onChecked }) => {
  const begun = performance.now();
  for (;;) {
    const before = await readDays(store);
    const recount = await recountItems(store, onChecked);
    const after = await readDays(store);
    for (const day of after) recount.add(day);
    const known = new Map(before.map((day) => [day.sk, day]));
    const changed = after.filter((day) => !isDeepStrictEqual(day, known.get(day.sk)));
    const faults = recount.differences(new Set(changed.map(({ sk }) => dayOf(sk))));
    // The sums may not have the newest changes yet.
    const newest = dayOf(timestamp(now() - lagMillis));
    if (faults.every(({ day }) => day < newest) || performance.now() - begun > lagMillis) {
      for (const fault of faults) onFault(faultOf(fault));
      return recount.days();
    }
    await sleep(200);
  }
};

export const days: Kind = {
  audit: [
    {
      what: 'days',
      check: checkDays,
      holds: 'sums = history of credit, gift cards and deliveries; a day that changes meanwhile is passed over',
    },
  ],
};
