import { auditTable } from '../../cli/kinds/audit-credit.ts';
import { auditHistories } from '../../cli/kinds/audit-history.ts';
import { auditDays } from '../../cli/kinds/days.ts';
import type { CreditLot } from '../../lib/credit/lot.ts';
import type { CreditType } from '../../lib/credit/rules.ts';
import { memberOf } from '../../lib/store/memberships.ts';
import type { Gift } from '../../local/start/dispenser.ts';
import { balanceOf } from './account.ts';
import { type Ledger, type LedgerKind, spendOf } from './ledger.ts';
import type { Memory } from './recorder.ts';
import { sameSet } from './same-set.ts';
import type { Item, Table } from './table.ts';
import { unrepeatedFaults } from './unrepeated.ts';

const partOf = ({ pk }: Item): string => pk.split('#')[2];

const kindsOfRows: readonly Exclude<LedgerKind, 'CUSTOMER'>[] = ['PRODUCT', 'COUPON', 'GIFTCARD', 'CATEGORY'];

const rowFaults = (table: Table, { rows }: Ledger): string[] =>
  kindsOfRows.flatMap((kind) => [
    ...sameSet(
      kind,
      table.of(kind).map(({ sk }) => sk),
      rows[kind].keys(),
    ),
    ...table.of(kind).flatMap((item) =>
      Object.entries(rows[kind].get(item.sk)?.fields ?? {})
        .filter(([name, value]) => item[name] !== value)
        .map(([name, value]) => `${kind} ${item.sk}: ${name} is ${item[name]}, but ${value} was acknowledged`),
    ),
  ]);

const codeFaults = (table: Table, { wins }: Ledger): string[] => [
  ...sameSet(
    'CODE',
    table.of('CODE').map(({ sk, id }) => `${sk} of ${id}`),
    table.of('COUPON').map(({ folded, id }) => `${folded} of ${id}`),
  ),
  ...[...wins].filter(([, count]) => count > 1).map(([code, count]) => `code ${code} was won ${count} times`),
];

const categoryFaults = (table: Table, { members }: Ledger): string[] => {
  const inCategories = table.of('MEMBER').filter((item) => members.has(partOf(item)));
  const known = [...members].flatMap(([id, products]) => [...products].map((product) => `${id} ${product}`));
  return [
    ...sameSet(
      'MEMBER',
      inCategories.map((item) => `${partOf(item)} ${memberOf({ sk: item.sk })}`),
      known,
    ),
    ...table.of('CATEGORY').flatMap(({ sk, productCount }) => {
      const count = inCategories.filter((item) => partOf(item) === sk).length;
      return count === productCount ? [] : [`category ${sk} counts ${productCount} products, but has ${count}`];
    }),
  ];
};

const applicationFaults = (table: Table, { applied }: Ledger): string[] =>
  sameSet(
    'APPLIED',
    table.of('APPLIED').map((item) => `${partOf(item)} ${item.sk}: ${item.couponId}`),
    [...applied].map(([place, coupon]) => `${place}: ${coupon}`),
  );

/**
 * Checks the books of each customer: every acknowledged lot is there once, and the balance is the last set, plus
 * increments, minus takes and expired lots.
 */
const creditFaults = (table: Table, { accounts, unrepeated }: Ledger, counted: string): string[] => {
  const lotsOf = Map.groupBy(table.of('LOT') as CreditLot[], (lot): string => `${partOf(lot)} ${lot.sk.split('#')[0]}`);
  const customers = new Map(table.of('CUSTOMER').map((item) => [item.sk, item]));
  const creditOf = (uuid: string, type: CreditType): number =>
    customers.get(uuid)?.[type === 'regular' ? 'credit' : 'restrictedCredit'] ?? 0;
  const faults = [...accounts].flatMap(([key, account]) => {
    const { generation, lots } = account;
    const [uuid = '', type] = key.split(' ') as [string, CreditType];
    const there = lotsOf.get(key) ?? [];
    const expired = there.filter(
      ({ state, amount }) => state === 'expired' && lots.get(amount)?.generation === generation,
    );
    const balance = balanceOf(account) - expired.reduce((total, { remaining }) => total + remaining, 0);
    const answer = sameSet(
      `lot of ${key}`,
      there.map(({ amount }) => String(amount)),
      [...lots.keys()].map(String),
    );
    if (creditOf(uuid, type) !== balance)
      answer.push(`the ${type} credit of ${uuid} is ${creditOf(uuid, type)}, not ${balance}`);
    return answer;
  });
  const times = (lotsOf.get(`${counted} regular`) ?? []).map(({ expiresAt }) => expiresAt);
  return [...faults, ...unrepeatedFaults(creditOf(counted, 'regular'), times, unrepeated)];
};

/**
 * Checks that the table has each acknowledged sale once, as it was answered, and that spend, owned products and stock
 * are what the completed ones come to.
 */
const saleFaults = (table: Table, { sales, stocks }: Ledger): string[] => {
  const there = table.of('SALE').filter(({ pk }) => pk.split('#').length === 2);
  const lasting = [...sales.values()].filter(({ state }) => state === 'completed');
  const made = [...sales.values()].filter(({ state }) => state !== 'refused');
  const customers = new Set(
    made.flatMap(({ buyer, recipient, kept }) => (kept > 0 ? [buyer, recipient] : [recipient])),
  );
  const spent = [...customers].map((uuid) => {
    const { sum, totalOwned } = spendOf(lasting, uuid);
    return `${uuid}: ${sum} for ${totalOwned}`;
  });
  return [
    ...sameSet(
      'sale',
      there.map(({ sk, state, deliveryId }) => `${sk} ${state} ${deliveryId}`),
      [...sales].map(([id, { state, deliveryId }]) => `${id} ${state} ${deliveryId}`),
    ),
    ...sameSet(
      'spend',
      table.of('SPEND').map(({ sk, sum, totalOwned }) => `${sk}: ${sum} for ${totalOwned}`),
      spent,
    ),
    ...sameSet(
      'owned product',
      table.of('OWNED').map((item) => `${partOf(item)} ${item.sk} ${item.quantity}`),
      [...Map.groupBy(lasting, ({ recipient, productId }) => `${recipient} ${productId}`)].map(
        ([name, some]) => `${name} ${some.length}`,
      ),
    ),
    ...[...stocks].flatMap(([id, copies]) => {
      const sold = lasting.filter(({ productId }) => productId === id).length;
      const left = table.of('PRODUCT').find(({ sk }) => sk === id)?.availableAmount;
      return left === copies - sold ? [] : [`${sold} of ${copies} copies of ${id} were sold, but ${left} are left`];
    }),
  ];
};

/** Counts the deliveries and lists their faults. Each attempt at a repeated request may have queued one. */
export const deliveryFigures = (table: Table, { deliveries, sales }: Ledger, gifts: readonly Gift[]) => {
  const byNote = Map.groupBy(gifts, ({ message }) => message);
  const ids = new Set(gifts.map(({ deliveryId }) => deliveryId));
  // The refund of a sale ends its delivery, unless that was made or is under way.
  const due = [...deliveries].filter(([note, { isRefunded }]) => !isRefunded || byNote.has(note));
  const refunded = new Set(
    [...sales.values()].filter(({ state }) => state === 'refunded').map((sale) => sale.deliveryId),
  );
  const faults = sameSet(
    'delivery',
    [...byNote.keys()],
    due.map(([note]) => note),
  );
  for (const [note, { attempts }] of deliveries) {
    const count = byNote.get(note)?.length ?? 0;
    if (count > attempts) faults.push(`delivery ${note} was ordered in ${attempts} attempts, but given ${count} times`);
  }
  if (ids.size < gifts.length) faults.push(`${gifts.length - ids.size} gifts were given twice under one delivery id`);
  const records = table
    .of('DELIVERY')
    .filter(({ pk, sk }) => pk.split('#').length === 2 && (ids.has(sk) || !refunded.has(sk)));
  faults.push(
    ...sameSet(
      'record of delivery',
      records.map(({ sk }) => sk),
      ids,
    ),
  );
  const open = records.filter(({ sk, state }) => state !== 'delivered' && !refunded.has(sk));
  faults.push(...open.map(({ sk, state }) => `delivery ${sk} was given, but its record says ${state}`));
  return { acknowledged: deliveries.size, given: gifts.length, orderedTwice: gifts.length - byNote.size, faults };
};

/** Compares the table at rest with the ledger. Returns a sentence for each fault. */
export const tableFaults = (table: Table, ledger: Ledger, counted: string): string[] => [
  ...rowFaults(table, ledger),
  ...codeFaults(table, ledger),
  ...categoryFaults(table, ledger),
  ...applicationFaults(table, ledger),
  ...creditFaults(table, ledger, counted),
  ...saleFaults(table, ledger),
  ...auditTable(table.all()),
  ...auditHistories(table.all()),
  ...auditDays(table.all() as never),
];

const maxHeapGrowth = 10;
const maxRssGrowth = 0.25;
/** A younger process is still growing: on a busy machine 204 MB became 276 with the same heap. */
const grownUpSeconds = 300;
const maxYoungGrowth = 100;

/** Compares memory in the second and the last quarter of the last start's run. Sizes are in MB. */
export const memoryFaults = ({ seconds, early, late }: Memory): string[] => {
  if (!(early.heapUsed > 0 && late.heapUsed > 0)) return [`${seconds} s are too short a life to compare memory in`];
  const faults: string[] = [];
  if (late.heapUsed >= early.heapUsed + maxHeapGrowth)
    faults.push(`the heap grew from ${early.heapUsed} MB to ${late.heapUsed} MB`);
  const allowance = seconds < grownUpSeconds ? maxYoungGrowth : 0;
  if (late.rss > early.rss * (1 + maxRssGrowth) + allowance)
    faults.push(`the process grew from ${early.rss} MB to ${late.rss} MB`);
  return faults;
};
