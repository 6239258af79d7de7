import { dispenserAnswer, dispenserList, positionOfBox } from '../../lib/delivery/dispensers.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { page } from '../../lib/lists/page.ts';
import { listDispensers as row } from '../../lib/routes/dispenser.ts';

export const handler = endpoint(row, async ({ store, list }) => {
  const { data, ...envelope } = await page(list, dispenserList(store), positionOfBox);
  return { ...envelope, data: data.map(dispenserAnswer) };
});
