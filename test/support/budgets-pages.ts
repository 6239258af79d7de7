import { recordPurchase } from '../../lib/avatars/spend.ts';
import { newId, now, timestamp } from '../../lib/clock.ts';
import type { Budget } from './budgets.ts';
import { historyRows } from './history-rows.ts';
import { newResident } from './residents.ts';
import { putAll } from './seed.ts';
import type { Call } from './service.ts';

/** The budgets of customers' pages. */

const openPath = (uuid: string): string => `/v1/customers/${uuid}/actions/open-page`;

const keyed = (key: string) => ({ 'X-API-Key': key });

const openPage = async (call: Call, uuid: string): Promise<string> => (await call('POST', openPath(uuid))).body.code;

/** The header with the token of a page that has begun. */
const beginPage = async (call: Call, uuid: string): Promise<Record<string, string>> => {
  const code = await openPage(call, uuid);
  return keyed((await call('POST', '/v1/me/actions/begin', undefined, keyed(code))).body.token);
};

/** An avatar with permanent credit, a lot, a card, two rows of history and a product. */
const visitor = async (call: Call, store: string): Promise<{ uuid: string; product: string }> => {
  const buyer = await newResident();
  const { uuid } = buyer;
  await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, { delta: 10 });
  await call('POST', `/v1/customers/${uuid}/actions/increment-credit`, {
    ...{ delta: 10, expiresAt: timestamp(now() + 3_600_000) },
  });
  await call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit: 5 });
  await putAll(historyRows(store, uuid, [{ amount: 10 }, { amount: 10 }]));
  const product = (await call('POST', '/v1/products', { name: 'Lamp', price: 5 })).body.id;
  await recordPurchase(store, { id: newId(), buyer, productId: product, price: 5, at: timestamp(now() - 3_600_000) });
  return { uuid, product };
};

const onPage =
  (method: string, path: string, body?: object): Budget['prepare'] =>
  async (call, store) => {
    const { uuid, product } = await visitor(call, store);
    return [method, `/v1/me${path.replace('{product}', product)}`, body, await beginPage(call, uuid)];
  };

/** Each read counts in the page's record (1). Each act looks at the record first (1), and then counts in it (1). */
export const pageBudgets: readonly Budget[] = [
  {
    endpoint: 'open-page',
    when: '',
    steps: 3,
    units: 3,
    prepare: async (call, store) => ['POST', openPath((await visitor(call, store)).uuid)],
  },
  {
    endpoint: 'begin-page',
    when: '',
    steps: 3,
    units: 3,
    prepare: async (call) => {
      const { uuid } = await newResident();
      return ['POST', '/v1/me/actions/begin', undefined, keyed(await openPage(call, uuid))];
    },
  },
  { endpoint: 'end-page', when: '', steps: 2, units: 2, prepare: onPage('POST', '/actions/end') },
  { endpoint: 'get-me', when: 'no coupon', steps: 2, units: 5, prepare: onPage('GET', '') },
  { endpoint: 'list-own-lots', when: 'one', steps: 3, units: 3, prepare: onPage('GET', '/credit/lots?limit=20') },
  {
    endpoint: 'list-own-history',
    when: 'two changes of no sale',
    steps: 2,
    units: 3,
    prepare: onPage('GET', '/credit/history?limit=20'),
  },
  { endpoint: 'list-own-products', when: 'one', steps: 3, units: 2.5, prepare: onPage('GET', '/products?limit=20') },
  { endpoint: 'list-own-cards', when: 'one', steps: 3, units: 2.5, prepare: onPage('GET', '/giftcards?limit=20') },
  {
    endpoint: 'update-me',
    when: 'the subscription changes',
    steps: 6,
    units: 15,
    prepare: onPage('PUT', '', { newsSubscriber: true }),
  },
  {
    endpoint: 'redeliver-own',
    when: 'after no delivery',
    steps: 6,
    units: 5.5,
    prepare: onPage('POST', '/products/{product}/actions/redeliver'),
  },
  {
    endpoint: 'redeem-own',
    when: 'one card, one lot',
    steps: 5,
    overlaps: true,
    units: 10.5,
    prepare: onPage('POST', '/giftcards/actions/redeem'),
  },
];
