import type { CustomerItem } from '../../avatars/customers.ts';
import type { Resident } from '../../avatars/residents.ts';
import { isInLastYear, listPurchases, type PurchaseItem, purchaseItems, type SpendItem } from '../../avatars/spend.ts';
import { now, timestamp } from '../../clock.ts';
import { nilUuid } from '../../identifier.ts';
import { everyRow } from '../../lists/source.ts';
import { listSales } from '../../sale/sales.ts';
import { customerKey, purchaseKey, spendKey } from '../../table/keys.ts';
import type { Key } from '../../table/schema.ts';
import { type Group, type Importer, type Row, readItems } from './rows.ts';

/**
 * The spend of customers at another service. Its API tells no single purchases, so two purchases carry the sums: one
 * for the last year, and one for the time before. They hold the other service's sums less the purchases that imports
 * have brought in single rows. This store's own sales are added to them.
 */

/** A customer's spend at the other service, in L$. */
export interface SpendFields {
  resident: Resident;
  sum: number;
  lastYearSum: number;
}

/** The two parts of a spend, in L$. */
interface Parts {
  year: number;
  earlier: number;
}

const parts = ['year', 'earlier'] as const;

const yearMillis = 366 * 86_400_000;

/** The ids of the two purchases that carry a customer's spend. */
export const carriedIds = (uuid: string): Record<keyof Parts, string> => ({
  year: `move ${uuid} last year`,
  earlier: `move ${uuid} earlier`,
});

/** The part of each customer's spend that imports have brought in single rows, by UUID. */
export type BroughtSpend = ReadonlyMap<string, Parts>;

/** Adds up what imports have brought in single rows: the purchases, and the imported sales that count. */
export const readBroughtSpend = async (store: string): Promise<BroughtSpend> => {
  const brought = new Map<string, Parts>();
  const add = (uuid: string, price: number, at: string): void => {
    const sums = brought.get(uuid) ?? { year: 0, earlier: 0 };
    sums[isInLastYear(at) ? 'year' : 'earlier'] += price;
    brought.set(uuid, sums);
  };
  for await (const { sk, uuid, price, at } of everyRow(listPurchases(store), (one) => one.sk))
    if (!Object.values(carriedIds(uuid)).includes(sk)) add(uuid, price, at);
  // An imported sale that was refunded here still counts: the other service does not know of the refund.
  for await (const { imported, refusal, buyerUuid, paid, change, at } of everyRow(listSales(store), ({ sk }) => sk))
    if (imported === true && refusal === null && buyerUuid) add(buyerUuid, paid - change, at);
  return brought;
};

const nothing: Parts = { year: 0, earlier: 0 };

const spendGroup = (
  row: Row<SpendFields>,
  store: string,
  brought: Parts,
  itemAt: (key: Key) => Key | undefined,
): Group<SpendFields> => {
  const { resident, sum, lastYearSum } = row.fields;
  const { uuid } = resident;
  const ids = carriedIds(uuid);
  const spend = itemAt(spendKey(store, uuid)) as SpendItem | undefined;
  // Without spend there are no single rows: an erasure has taken what was read, and the customer has come back.
  const single = spend ? brought : nothing;
  const there: Parts = { year: lastYearSum, earlier: sum - lastYearSum };
  const recorded = new Map<string, PurchaseItem>();
  const purchases = parts.flatMap((part) => {
    const id = ids[part];
    const before = itemAt(purchaseKey(store, id)) as PurchaseItem | undefined;
    const told = there[part];
    const price = Math.max(0, told - single[part]);
    const isOld = before && part === 'year' && !isInLastYear(before.at);
    if (price === (before?.price ?? 0) && told === (before?.told ?? 0) && !isOld) return [];
    if (before) recorded.set(id, before);
    const at = before && !isOld ? before.at : timestamp(now() - (part === 'year' ? 0 : yearMillis));
    return [{ id, productId: nilUuid, price, at, told }];
  });
  if (purchases.length === 0) return { rows: [row], outcome: 'unchanged' };
  const customer = itemAt(customerKey(store, uuid)) as CustomerItem | undefined;
  return {
    rows: [row],
    outcome: recorded.size > 0 ? 'changed' : 'created',
    writes: purchaseItems(store, resident, purchases, { spend, customer, owned: new Map(), recorded }),
  };
};

/** The spend of customers at another service, less what imports have brought in single rows. */
export const spendImporter = (brought: BroughtSpend): Importer<SpendFields> => ({
  plan: async (rows, { store }) => {
    const keys = rows.flatMap(({ fields: { resident } }) => [
      ...Object.values(carriedIds(resident.uuid)).map((id) => purchaseKey(store, id)),
      spendKey(store, resident.uuid),
      customerKey(store, resident.uuid),
    ]);
    const itemAt = await readItems(keys);
    return rows.map((row) => spendGroup(row, store, brought.get(row.fields.resident.uuid) ?? nothing, itemAt));
  },
});

/**
 * Finds carried sums that have lost L$. A move carries the other service's sum less what imports have brought, and no
 * sale of this store takes anything away. More may be carried: the next move takes off the rows that a file has brought
 * since.
 */
export const checkCarried = async (store: string): Promise<{ checked: number; faults: string[] }> => {
  const carried = new Map<string, { price: number; told: number }>();
  for await (const { sk, uuid, price, told } of everyRow(listPurchases(store), (one) => one.sk)) {
    if (told === undefined || !Object.values(carriedIds(uuid)).includes(sk)) continue;
    const sums = carried.get(uuid) ?? { price: 0, told: 0 };
    carried.set(uuid, { price: sums.price + price, told: sums.told + told });
  }
  const brought: BroughtSpend = carried.size > 0 ? await readBroughtSpend(store) : new Map();
  const faults = [...carried].flatMap(([uuid, { price, told }]) => {
    const { year, earlier } = brought.get(uuid) ?? nothing;
    const least = told - year - earlier;
    return price >= least ? [] : [`buyer ${uuid}: L$ ${price} of spend are carried, and at least ${least} were told.`];
  });
  return { checked: carried.size, faults };
};
