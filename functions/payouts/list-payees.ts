import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listPayees, payeeAnswer } from '../../lib/payout/payees.ts';
import { byId } from '../../lib/payout/payouts.ts';
import { listPayees as row } from '../../lib/routes/payouts.ts';

export const handler = endpoint(row, async ({ store, query, list }) => {
  const { owed = false } = query;
  const { data, pagination } = await page(list, listPayees(store, owed), byId, owed ? 'owed' : '');
  return { data: data.map(payeeAnswer), pagination };
});
