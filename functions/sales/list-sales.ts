import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listSales as row } from '../../lib/routes/sales.ts';
import { byRank, saleOf, salesList } from '../../lib/sale/sales.ts';

export const handler = endpoint(row, async ({ store, query, list, isScript }) => {
  const { source, part } = await salesList(store, query);
  const { data, pagination } = await page(list, source, byRank, part);
  return { data: data.map((sale) => saleOf(sale, isScript)), pagination };
});
