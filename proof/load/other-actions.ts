import type { Route } from '../../lib/routes/route.ts';
import { routes } from '../../lib/routes/routes.ts';
import { createQuote, createSale, refundSale } from '../../lib/routes/sales.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { send } from './client.ts';
import type { Action, World } from './world.ts';

/** Calls the reads beyond the contract, and checks the form of their answers. */

/** Every row except most writes beyond the contract: only an action of its own knows the effect of such a write. */
export const calledRows: readonly Route[] = routes.filter(
  (row) => !row.extension || row.method === 'GET' || ([createQuote, createSale, refundSale] as Route[]).includes(row),
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
