import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { now, timestamp } from '../../lib/clock.ts';
import type { HistoryItem, HistoryRow } from '../../lib/credit/history.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import { type DayItem, type DaySum, type DaySums, dayOf, plus, sumsOfRow } from '../../lib/events/days.ts';
import type { DayMark } from '../../lib/events/records.ts';
import type { SaleItem } from '../../lib/sale/sales.ts';
import type { GiftCardItem } from '../../lib/store/gift-cards.ts';
import { type Key, partition } from '../../lib/table/schema.ts';
import { rowsOf } from '../../lib/table/table.ts';
import { scanStore } from '../deployment/scan.ts';
import type { Check } from './audit.ts';
import type { Kind } from './kind.ts';

const dayMillis = 86_400_000;

/** Marks are kept for eight days: so many days have all of theirs. */
const markedDays = 7;

const ofHistory = [
  'creditAdded',
  'creditRemoved',
  'creditSpent',
  'creditExpired',
  'regularNet',
  'restrictedNet',
] as const;
const ofCards = ['giftCardsGranted', 'giftCardsRedeemed'] as const;
const ofMarks = ['delivered', 'failed'] as const;
const ofSales = ['sales', 'paid', 'refunds', 'refunded'] as const;

type Sums = Map<string, DaySums>;

const addTo = (sums: Sums, at: string, more: DaySums): void => {
  sums.set(dayOf(at), plus(sums.get(dayOf(at)) ?? {}, more));
};

/**
 * Adds up raw items of a store: the sums of its days, and the rows, sales, cards and marks from which they were
 * counted.
 */
const newRecount = () => {
  const stored: Sums = new Map();
  const counted: Sums = new Map();
  const readers: Record<string, (item: never) => void> = {
    DAY: ({ pk, sk, ...sums }: DayItem) => addTo(stored, sk, sums),
    HISTORY: (item: HistoryItem & HistoryRow) => {
      // A row without a kind has only parts so far.
      if (item.kind) addTo(counted, item.at, sumsOfRow(item.pk.split('#')[3] as CreditType, item));
    },
    GIFTCARD: ({ grantedAt, redeemedAt }: GiftCardItem) => {
      if (grantedAt) addTo(counted, grantedAt, { giftCardsGranted: 1 });
      if (redeemedAt) addTo(counted, redeemedAt, { giftCardsRedeemed: 1 });
    },
    SALE: ({ pk, state, at, paid, change, refundedAt, imported }: SaleItem) => {
      // The list of a buyer is of items that lead to the sales.
      if (!pk.endsWith('#SALE') || state === 'refused' || imported) return;
      addTo(counted, at, { sales: 1, paid: paid - change });
      if (refundedAt) addTo(counted, refundedAt, { refunds: 1, refunded: paid - change });
    },
    MARK: ({ kind, at }: DayMark) => {
      if (kind === 'delivered' || kind === 'failed') addTo(counted, at, { [kind]: 1 });
    },
  };
  return {
    add: (item: Key): void => readers[item.pk.split('#')[1] ?? '']?.(item as never),
    days: (): number => stored.size,
    /**
     * The sums that are not what the items come to, a sentence each. Cards of the first day and before may be older
     * than the sums. Days in `passedOver` are not compared.
     */
    faults: (passedOver: ReadonlySet<string> = new Set()): { day: string; fault: string }[] => {
      const firstMarked = dayOf(timestamp(now() - (markedDays - 1) * dayMillis));
      const first = [...stored.keys()].sort()[0] ?? '';
      return [...new Set([...stored.keys(), ...counted.keys()]).difference(passedOver)].sort().flatMap((day) => {
        const names: DaySum[] = [
          ...ofHistory,
          ...ofSales,
          ...(day > first ? ofCards : []),
          ...(day >= firstMarked ? ofMarks : []),
        ];
        const [is, mustBe] = [stored.get(day) ?? {}, counted.get(day) ?? {}];
        return names
          .filter((name) => (is[name] ?? 0) !== (mustBe[name] ?? 0))
          .map((name) => ({
            day,
            fault: `day ${day}: ${name} is ${is[name] ?? 0}, but ${mustBe[name] ?? 0} was recorded.`,
          }));
      });
    },
  };
};

/** Checks the sums of days among raw items of one store's table. */
export const auditDays = (items: readonly Key[]): string[] => {
  const recount = newRecount();
  for (const item of items) recount.add(item);
  return recount.faults().map(({ fault }) => fault);
};

/** The attributes of rows of history, sales, cards and marks that a recount reads. */
const attributes = [
  ...['kind', 'at', 'amount', 'expired', 'grantedAt', 'redeemedAt'],
  ...['state', 'paid', 'change', 'refundedAt', 'imported'],
];

/** The longest that the sums may take to count a change. */
const lagMillis = 5000;

/**
 * The sums of each day are those of the rows of history, sales, gift cards and deliveries' marks. A day on which
 * something happens meanwhile is left to the next audit. Reads the whole table.
 */
export const checkDays: Check = async (store, { onFault, onChecked }) => {
  const readDays = () => rowsOf<DayItem>({ partition: partition(store, 'DAY') })({ descending: false });
  const begun = performance.now();
  for (;;) {
    const before = await readDays();
    const recount = newRecount();
    let count = 0;
    for await (const items of scanStore(store, attributes)) {
      // The scan does not read their sums.
      for (const item of items) if (!item.pk.endsWith('#DAY')) recount.add(item);
      count += items.length;
      onChecked(count);
    }
    const after = await readDays();
    for (const day of after) recount.add(day);
    const known = new Map(before.map((day) => [day.sk, day]));
    const changed = after.filter((day) => !isDeepStrictEqual(day, known.get(day.sk)));
    const faults = recount.faults(new Set(changed.map(({ sk }) => dayOf(sk))));
    // A change of just now may not have been counted yet.
    const newest = dayOf(timestamp(now() - lagMillis));
    if (faults.every(({ day }) => day < newest) || performance.now() - begun > lagMillis) {
      for (const { fault } of faults) onFault(fault);
      return recount.days();
    }
    await sleep(200);
  }
};

/** The sums of days. */
export const days: Kind = {
  audit: [
    {
      what: 'days',
      check: checkDays,
      holds: 'sums = history of credit, gift cards and deliveries; a day that changes meanwhile is passed over',
    },
  ],
};
