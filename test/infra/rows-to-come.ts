import * as z from 'zod';
import tableUses from '../../infra/table-uses.json' with { type: 'json' };
import type { Kind, Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { pageQuery } from '../../lib/routes/wire.ts';
import { atEnd } from '../support/at-end.ts';

/**
 * The rows of customers' pages that are still to come, as far as a template depends on rows. Each has
 * its own function, which is the most that a row can add.
 */

interface Facts {
  /** The id of a row of today that reads and writes the same beside. */
  as?: string;
  reads?: readonly string[];
  writes?: readonly string[];
  isList?: true;
}

type RowToCome = [line: `${Route['method']} /v1/${string}`, scope: string | null, facts: Facts];

/** Each row of a page reads the page's own record, which counts what is read and done. */
const page = ['PAGE'];

const pages: readonly RowToCome[] = [
  ['POST /v1/customers/{identifier}/actions/open-page', 'pages:open', { as: 'customers/get-customer', writes: page }],
  ['POST /v1/me/actions/begin', null, { reads: ['CUSTOMER', 'STORE'], writes: page }],
  ['POST /v1/me/actions/end', 'self', { writes: page }],
  ['GET /v1/me', 'self', { as: 'coupons/list-customer-coupons', reads: ['CUSTOMER', 'STORE'], writes: page }],
  ['PUT /v1/me', 'self', { as: 'customers/update-customer', reads: ['STORE', 'COUPON', 'APPLIED'], writes: page }],
  ['GET /v1/me/credit/lots', 'self', { as: 'customers/list-credit-lots', writes: page, isList: true }],
  [
    'GET /v1/me/credit/history',
    'self',
    { as: 'customers/list-credit-history', reads: ['SALE'], writes: page, isList: true },
  ],
  ['GET /v1/me/products', 'self', { as: 'products/list-owned-products', writes: page, isList: true }],
  ['POST /v1/me/products/{productId}/actions/redeliver', 'self', { as: 'products/redeliver-product', writes: page }],
  ['GET /v1/me/giftcards', 'self', { as: 'gift-cards/list-gift-cards', writes: page, isList: true }],
  ['POST /v1/me/giftcards/actions/redeem', 'self', { as: 'gift-cards/redeem-own-cards', writes: page }],
];

const rowOf = ([line, scope, { as, reads = [], writes = [], isList }]: RowToCome): Route => {
  const today = routes.find(({ id }) => id === as);
  if (as !== undefined && !today) throw new Error(`No row has the id ${as}.`);
  const [method = '', path = ''] = line.split(' ');
  const row = {
    ...{ ...today, method, path, scope, summary: line, status: 200, problems: [], params: z.object({}) },
    id: `to-come/${line.toLowerCase().replace(/[^a-z]+/g, '-')}`,
    query: z.object(isList ? pageQuery : {}),
    reads: [...(today?.reads ?? []), ...reads] as Kind[],
    writes: [...(today?.writes ?? []), ...writes] as Kind[],
  };
  return row as Route;
};

export const rowsToCome: readonly Route[] = pages.map(rowOf);

// Nobody knows yet which calls their code will make. At most these will be the calls of a sale and of the list of
// sales.
const uses: Record<string, string[]> = tableUses;
const most = [...new Set(['sales/create-sale', 'sales/list-sales'].flatMap((id) => uses[id] ?? []))];
for (const { id } of rowsToCome) uses[id] = most;
atEnd(() => {
  for (const { id } of rowsToCome) delete uses[id];
});
