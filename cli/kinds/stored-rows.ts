import { asDecided, type CreditLot, lotId } from '../../lib/credit/lot.ts';
import { creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../lib/credit/state.ts';
import { everyRow, type Source } from '../../lib/lists/source.ts';
import { listSales as listStoredSales, type Taken } from '../../lib/sale/sales.ts';
import { listCoupons } from '../../lib/store/coupons.ts';
import { listCustomerItems } from '../../lib/store/customers.ts';
import { listStoreCards } from '../../lib/store/gift-cards.ts';
import { listStoredProducts } from '../../lib/store/products.ts';
import { knownResidents } from '../deployment/residents.ts';
import type { Values } from './columns.ts';
import { unlottedId } from './credit.ts';
import { readMemberships } from './memberships.ts';
import { readCredit, type StoredCredit } from './read-credit.ts';

/** A store's rows as files hold them. */

/** Reads every row of a list in the order of its attribute `position`, and converts it with `valuesOf`. */
export async function* rowsOf<P extends string, T extends Record<P, string>>(
  list: Source<T>,
  position: P,
  valuesOf: (row: T) => Values,
): AsyncGenerator<Values> {
  for await (const row of everyRow(list, (one) => one[position])) yield valuesOf(row);
}

const residentsAtOnce = 500;

const partOf = ([expiresAt, amount]: Taken[number]) => ({ expiresAt, amount });

/** The residents to whom the data of a store refer, with all their names, in the order of their UUIDs. */
export async function* listResidents(store: string): AsyncGenerator<Values> {
  const uuids = new Set<string>();
  for await (const { sk } of everyRow(listCustomerItems(store), (item) => item.sk)) uuids.add(sk);
  for await (const coupon of everyRow(listCoupons(store, undefined), ({ sk }) => sk)) uuids.add(coupon.couponOwnerUuid);
  for await (const card of everyRow(listStoreCards(store), ({ sk }) => sk)) uuids.add(card.ownerUuid);
  for await (const { profitShares } of everyRow(listStoredProducts(store), ({ sk }) => sk))
    for (const { userUuid } of profitShares) uuids.add(userUuid);
  for await (const { buyerUuid, recipientUuid, shares, coupon } of everyRow(listStoredSales(store), ({ sk }) => sk))
    for (const uuid of [buyerUuid, recipientUuid, coupon?.couponOwnerUuid, ...shares.map((one) => one.residentUuid)])
      if (uuid) uuids.add(uuid);
  const sorted = [...uuids].sort();
  for (let i = 0; i < sorted.length; i += residentsAtOnce) {
    const some = sorted.slice(i, i + residentsAtOnce);
    const known = new Map((await knownResidents(store, some)).map((one) => [one.uuid, one]));
    for (const uuid of some) {
      // A sale may be to an avatar whom nobody could name.
      const { username, names, source } = known.get(uuid) ?? { username: uuid, names: [], source: 'store' };
      yield { uuid, username, formerNames: names.filter((name) => name !== username).sort(), source };
    }
  }
}

/** The sales of a store, in the order of their ids. */
export const listSales = (store: string): AsyncGenerator<Values> =>
  rowsOf(listStoredSales(store), 'sk', ({ sk, productId, buyerUuid, recipientUuid, shares, taken, ...sale }) => ({
    ...sale,
    ...{ id: sk, product: productId, buyer: buyerUuid, recipient: recipientUuid },
    // The table keeps the members of an object in no order.
    shares: shares.map(({ residentUuid, kind, percent, amount }) => ({ residentUuid, kind, percent, amount })),
    taken: taken && { regular: taken.regular.map(partOf), restricted: taken.restricted.map(partOf) },
  }));

/** The products of a store, with their categories. */
export async function* listProducts(store: string): AsyncGenerator<Values> {
  const categoriesOf = await readMemberships(store);
  yield* rowsOf(listStoredProducts(store), 'sk', (product) => ({
    ...product,
    // The table keeps the members of an object in no order.
    profitShares: product.profitShares.map(({ userUuid, percent }) => ({ userUuid, percent })),
    categories: [...(categoriesOf.get(product.id) ?? [])].sort(),
  }));
}

/**
 * The credit of every customer: for each type the unlotted part, then the lots, open and closed, in the order in which
 * they are drained. A lot counts as a pending large change will leave it.
 */
export async function* listCredit(store: string): AsyncGenerator<Values> {
  const place = (lot: CreditLot): string => `${lot.expiresAt}#${lotId(lot)}`;
  for await (const found of everyRow<CreditItem>(listCustomerItems(store), ({ sk }) => sk)) {
    if (found.creditVersion === undefined) continue;
    let read: StoredCredit | undefined;
    while (!read) read = await readCredit(store, found.sk);
    const { item = found, lots } = read;
    for (const type of creditTypes) {
      const row = { resident: item.sk, type };
      const { unlotted } = holdingOf(item, type);
      if (unlotted > 0) yield { ...row, id: unlottedId(store, item, type), amount: unlotted };
      const theirs = lots.filter(({ sk }) => sk.startsWith(`${type}#`)).map((lot) => asDecided(lot, item));
      // Not in the order of their keys: an import puts all lots into one epoch.
      for (const lot of theirs.sort((a, b) => (place(a) < place(b) ? -1 : 1))) yield { ...row, id: lotId(lot), ...lot };
    }
  }
}
