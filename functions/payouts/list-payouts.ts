import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { byId, payoutAnswers, payoutsList } from '../../lib/payout/payouts.ts';
import { listPayouts as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, async ({ store, query, list }) => {
  const { source, part } = await payoutsList(store, query);
  const { data, pagination } = await page(list, source, byId, part);
  return { data: await payoutAnswers(store, data), pagination };
});
