import type { Resident } from '../../../lib/avatars/residents.ts';
import { listCategories } from '../../../lib/routes/categories.ts';
import { listCoupons } from '../../../lib/routes/coupons.ts';
import { listCustomers } from '../../../lib/routes/customers.ts';
import { redeemGiftCard } from '../../../lib/routes/gift-cards.ts';
import { getKey } from '../../../lib/routes/keys.ts';
import { listNames } from '../../../lib/routes/names.ts';
import { getPayout } from '../../../lib/routes/payouts.ts';
import { listProducts } from '../../../lib/routes/products.ts';
import { type Route, takesKeys } from '../../../lib/routes/route.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { createQuote, createSale, refundSale } from '../../../lib/routes/sales.ts';
import { getVendor } from '../../../lib/routes/vendors.ts';
import type { Action, World } from '../action.ts';
import { type Call, send } from '../client.ts';

/** Reads whose answers are checked only for their form: pages of lists, and all reads beyond the contract. */

/** How often a page of a list is read, and with which queries. */
const pages: readonly [weight: number, list: Route, queries: readonly NonNullable<Call['query']>[]][] = [
  [1, listCategories, [{}]],
  [2, listCoupons, [{ active: true }, { active: false }]],
  [2, listCustomers, [{}, { newsSubscriber: true }, { newsSubscriber: false }, { spentMoreThan: 0 }]],
  [3, listProducts, [{}, { bloggable: true }, { listed: true, bloggable: false }, { search: 'oak' }]],
];

export const pageActions: readonly Action[] = pages.map(([weight, list, queries]) => ({
  weight,
  run: async ({ service, pick }) => void (await send(service, list, { query: { ...pick(queries), limit: 20 } })),
}));

/** Writes beyond the contract that have an action of their own, which knows their effect. */
const written: readonly Route[] = [createQuote, createSale, refundSale, redeemGiftCard];
/** No client makes what these read, or they need a query, a code or a token of their own. */
const unmade: readonly Route[] = [getKey, getPayout, getVendor, listNames];
/** Every row except the other writes beyond the contract. */
export const calledRows: readonly Route[] = routes.filter(
  (row) => !row.extension || (row.method === 'GET' && takesKeys(row) && !unmade.includes(row)) || written.includes(row),
);

/** Path parameters that name rows of the client; undefined if it has no such row. */
const paramsOf = ({ path }: Route, { own, pick, customers, webhooks }: World): Record<string, string> | undefined => {
  const ids: Record<string, readonly string[]> = { ...own, giftcards: own.cards, webhooks };
  const segments = path.split('/');
  const params = segments.flatMap((segment, index) => {
    if (!segment.startsWith('{')) return [];
    const name = segment.slice(1, -1);
    const value =
      name === 'identifier' ? (pick(customers) as Resident).uuid : pick(ids[segments[index - 1] ?? ''] ?? []);
    return [[name, value]];
  });
  return params.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(params);
};

export const otherActions: readonly Action[] = calledRows
  .filter(({ extension, method }) => extension && method === 'GET')
  .map((row) => ({
    weight: 1,
    run: async (world) => {
      const params = paramsOf(row, world);
      if (params) await send(world.service, row, { params });
    },
  }));
