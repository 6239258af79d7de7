import { listCategories } from '../../../lib/routes/categories.ts';
import { listCoupons } from '../../../lib/routes/coupons.ts';
import { listCustomers } from '../../../lib/routes/customers.ts';
import { listProducts } from '../../../lib/routes/products.ts';
import type { Route } from '../../../lib/routes/route.ts';
import type { Action } from '../action.ts';
import type { RowKind } from '../book.ts';
import { type Service, walk } from '../client.ts';
import { fieldFaults } from '../faults.ts';

const lists: readonly { route: Route; kind: RowKind; idOf: (row: { id: string; uuid: string }) => string }[] = [
  { route: listProducts, kind: 'PRODUCT', idOf: ({ id }) => id },
  { route: listCoupons, kind: 'COUPON', idOf: ({ id }) => id },
  { route: listCategories, kind: 'CATEGORY', idOf: ({ id }) => id },
  { route: listCustomers, kind: 'CUSTOMER', idOf: ({ uuid }) => uuid },
];

/**
 * Walks through a whole list while others write. No row may come twice. Each row that was acknowledged before the walk
 * and did not change during it must be there with its acknowledged values.
 */
const checkList = async (service: Service, which: number, limit: number): Promise<void> => {
  const { route, kind, idOf } = lists[which] as (typeof lists)[number];
  const { book } = service;
  const begun = book.now();
  const found = await walk(service, route, { query: { limit } });
  const byId = new Map(found.map((row) => [idOf(row), row]));
  if (byId.size < found.length) book.fault(`${route.id}: a walk showed ${found.length - byId.size} rows twice`);
  for (const [id, { fields, changedAt }] of book.rows[kind]) {
    if (changedAt > begun || (kind === 'PRODUCT' && !fields.active)) continue;
    const row = byId.get(id);
    if (row) fieldFaults(`${route.id} of ${id}`, row, fields).forEach(book.fault);
    else book.fault(`${route.id}: a walk did not show ${id}`);
  }
};

export const walkActions: readonly Action[] = [
  { weight: 1, run: ({ service, below }) => checkList(service, below(lists.length), 50 + below(200)) },
];

/** Compares all lists with the book, when no client writes any more. */
export const checkLists = async (service: Service): Promise<void> => {
  for (const which of lists.keys()) await checkList(service, which, 100);
};
