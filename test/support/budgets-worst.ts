import { readFileSync } from 'node:fs';
import { couponItems } from '../../lib/catalogue/coupons.ts';
import { timestamp } from '../../lib/clock.ts';
import { newLot } from '../../lib/credit/lot.ts';
import { forgetShares } from '../../lib/http/store-share.ts';
import { movedBy, newPayee } from '../../lib/payout/payees.ts';
import { listed } from '../../lib/payout/payouts.ts';
import { deliveryStates } from '../../lib/routes/deliveries.ts';
import { type EventType, eventNames } from '../../lib/routes/events.ts';
import { payoutStates } from '../../lib/routes/payouts.ts';
import type { Route } from '../../lib/routes/route.ts';
import { saleStates } from '../../lib/routes/sales.ts';
import { listedAs } from '../../lib/sale/sales.ts';
import { ownedKey, partition, payeeKey, payoutKey, saleKey } from '../../lib/table/keys.ts';
import { documentFile } from '../../local/pages/pages.ts';
import { eventRow } from './event-rows.ts';
import { historyRows } from './history-rows.ts';
import { ada, bob, cleo } from './residents.ts';
import { putAll } from './seed.ts';
import { idOf, seedStore } from './seeded-store.ts';
import type { Call } from './service.ts';
import { webhookRows } from './webhook-rows.ts';

/**
 * The dearest call of each list: over all combinations of its filters, a page of 1,000 in a store with 2,000 rows of
 * each kind. All products are in one category, all coupons and cards have one owner, and one customer has a coupon
 * applied for each product that has become inactive. Bob owns as many products, and got each delivered. The rows are as
 * large as in most shops: a product has 0.5 KB. A test counts these calls.
 */
export interface WorstCall {
  endpoint: string;
  query: string;
  /** Sequential calls to the table. */
  steps: number;
  units: number;
  /** The units that a store with more rows adds. */
  growth: string;
}

const worstCount = 2_000;
const page = 'nothing: no call reads more than a page';

export const worstCalls: readonly WorstCall[] = [
  {
    endpoint: 'list-products',
    query: 'category={id}&search=no+such+product',
    steps: 4,
    units: 973,
    growth: '0.54 for each active product of the category',
  },
  { endpoint: 'list-categories', query: '', steps: 1, units: 36, growth: page },
  { endpoint: 'list-coupons', query: 'active=true', steps: 2, units: 511, growth: page },
  { endpoint: 'list-owner-coupons', query: '', steps: 3, units: 530.5, growth: page },
  {
    endpoint: 'list-customer-coupons',
    query: '',
    steps: 5,
    units: 2143,
    growth: '1.1 for each applied coupon that is not active',
  },
  {
    endpoint: 'list-credit-lots',
    query: 'state=drained',
    steps: 4,
    units: 192,
    growth: '0.1 for each lot of the customer in another state',
  },
  {
    endpoint: 'list-credit-history',
    query: '',
    steps: 1,
    units: 179,
    growth: 'nothing: a lot has few parts in all, so a page has few parts for each row',
  },
  { endpoint: 'list-customers', query: 'spentMoreThan=0', steps: 2, units: 526, growth: page },
  { endpoint: 'list-gift-cards', query: '', steps: 3, units: 543.5, growth: page },
  { endpoint: 'list-owned-products', query: '', steps: 2, units: 544.5, growth: page },
  {
    endpoint: 'list-deliveries',
    query: `state=queued&recipient=${bob.uuid}`,
    steps: 4,
    units: 1031.5,
    growth: '0.52 for each delivery to the recipient in another state',
  },
  {
    endpoint: 'list-sales',
    query: `buyer=${bob.uuid}&state=refused`,
    steps: 4,
    units: 1046,
    growth: '0.53 for each sale to the buyer in another state',
  },
  {
    endpoint: 'list-payees',
    query: 'owed=true',
    steps: 2,
    units: 58,
    growth: '0.03 for each payee who is owed nothing',
  },
  {
    endpoint: 'list-payouts',
    query: `state=failed&payee=${bob.uuid}`,
    steps: 4,
    units: 1030.5,
    growth: '0.53 for each payout to the payee in another state',
  },
  {
    endpoint: 'list-events',
    query: '',
    steps: 2,
    units: 543,
    growth: '26 for each type of which the store has 1,000 events more',
  },
  // The places of the events in the journal's list are looked at, and none is a row. A page of 1,000 rows takes 550.
  {
    endpoint: 'list-journal',
    query: '',
    steps: 1,
    units: 16.5,
    growth: 'nothing: a page looks at no more than 1,000 rows, or at its own',
  },
  { endpoint: 'list-dispensers', query: '', steps: 1, units: 1, growth: 'nothing: a store has at most 10' },
  // The store has neither vendors nor names for the search.
  { endpoint: 'list-names', query: 'prefix=true', steps: 1, units: 0.5, growth: '0.01 for each name of the page' },
  {
    endpoint: 'list-vendors',
    query: '',
    steps: 1,
    units: 1,
    growth: 'what the vendors of the page and their products hold',
  },
  {
    endpoint: 'list-keys',
    query: '',
    steps: 2,
    units: 2,
    growth: '1.04 for each key, up to a page, and for each issuer; with `state`, for each of the store’s',
  },
  { endpoint: 'list-webhooks', query: '', steps: 1, units: 2, growth: 'nothing: a store has at most 20' },
  {
    endpoint: 'list-webhook-deliveries',
    query: 'state=failed',
    steps: 3,
    units: 525,
    growth: page,
  },
];

/**
 * Makes the store. Cleo is the customer of the applied coupons, of the credit lots, which have all ended, and of as
 * many changes.
 */
export const seedWorst = async (): Promise<{ store: string; category: string }> => {
  const seeded = await seedStore(worstCount, [], worstCount);
  const { store } = seeded;
  const fields = { discount: 1, ownerProfit: 1, bloggersSync: false, active: false };
  const applied = Array.from({ length: worstCount }, (_, number) => {
    const { coupon } = couponItems(store, ada, { ...fields, code: `Old ${number}` });
    return [
      { ...coupon, ranked: undefined, rank: undefined, flags: undefined },
      {
        pk: partition(store, 'APPLIED', cleo.uuid),
        sk: `product#${idOf(number)}`,
        couponId: coupon.id,
        couponOwnerUuid: ada.uuid,
        expiresAt: '9999-12-31T23:59:59.999Z',
        application: coupon.id,
        earlier: '',
      },
    ];
  });
  const cause = { at: '2026-01-01T00:00:00.000Z', by: idOf(0) };
  const lots = Array.from({ length: worstCount }, (_, number) => {
    const type = number % 2 ? 'regular' : 'restricted';
    const expiresAt = '2026-02-01T00:00:00.000Z';
    const lot = newLot(store, cleo.uuid, type, idOf(0), { amount: 10, expiresAt }, cause, number);
    return { ...lot, state: number % 4 < 2 ? 'drained' : 'expired', endedAt: expiresAt, endedBy: cause.by };
  });
  const deliveries = Array.from({ length: worstCount }, (_, number) => ({
    pk: partition(store, 'DELIVERY'),
    sk: idOf(number),
    flags: partition(store, 'DELIVERY', `to#${bob.uuid}`),
    ranked: partition(store, 'DELIVERY', 'delivered'),
    rank: `${timestamp(number)}#${idOf(number)}`,
    ...{ store, id: idOf(number), productId: idOf(number), item: 'A chair of oak', message: 'Enjoy!' },
    ...{ recipientUuid: bob.uuid, recipientUsername: bob.username, createdAt: timestamp(number) },
    ...{ state: 'delivered', attempts: 1, inARow: 1, leaseUntil: '', deliveredAt: timestamp(number) },
    expiresAt: timestamp(number),
  }));
  const owned = Array.from({ length: worstCount }, (_, number) => ({
    ...ownedKey(store, bob.uuid, idOf(number)),
    ...{ quantity: 1, boughtAt: timestamp(number), lastDeliveredAt: timestamp(number) },
  }));
  const sales = Array.from({ length: worstCount }, (_, number) => {
    const at = timestamp(number);
    const of = { ...saleKey(store, idOf(number)), state: 'completed' as const, at, productId: idOf(number) };
    const discount = { source: 'none' as const, percent: 0, couponId: null };
    const prices = { base: 10, discount, total: 10, credit: 0, restrictedCredit: 0, paid: 10, refund: 0, change: 0 };
    const people = { buyerUuid: bob.uuid, recipientUuid: bob.uuid, recipientUsername: bob.username, shares: [] };
    const more = { refusal: null, deliveryId: idOf(number), request: 'x'.repeat(22), item: 'A chair of oak' };
    return { ...listedAs(store, { ...of, ...people }), ...of, ...prices, ...people, ...more };
  });
  const payees = Array.from({ length: worstCount }, (_, number) =>
    movedBy(newPayee(payeeKey(store, idOf(number)), 'avatar.resident'), { paid: 30 }, timestamp(number)),
  );
  const payouts = Array.from({ length: worstCount }, (_, number) =>
    listed({
      ...{ ...payoutKey(store, idOf(number)), residentUuid: bob.uuid, username: bob.username, amount: 30 },
      ...{ state: 'paid', createdAt: timestamp(number), endedAt: timestamp(number), version: 2 },
      ...{ claimedBy: 'a1B2c3D4e5F6', transactionId: idOf(number), reference: 'May' },
    }),
  );
  const changes = Array.from({ length: worstCount }, (_, number) => ({
    ...{ type: number % 2 ? ('regular' as const) : ('restricted' as const), amount: 10, unlotted: 0 },
    ...{ lots: [{ id: idOf(number), amount: 10, expiresAt: '2026-02-01T00:00:00.000Z' }] },
    ...{ requestId: idOf(number), keyId: 'a1B2c3D4e5F6', reason: 'For the winner of the contest' },
  }));
  const webhooks = Array.from({ length: 20 }, (_, number) => webhookRows(store, idOf(number))).flat();
  const sendings = Array.from({ length: worstCount }, (_, number) => ({
    ...{ pk: partition(store, 'WEBHOOK', idOf(0)), sk: `${timestamp(number)}#${idOf(number)}`, state: 'failed' },
    ...{ webhook: idOf(0), event: idOf(number), type: 'credit.changed', notedAt: timestamp(number), attempts: 10 },
    ...{ status: 500, lastError: 'It answered 500: Internal Server Error', ttl: 1_900_000_000 },
    flags: partition(store, 'WEBHOOK', `${idOf(0)}#failed`),
  }));
  const { webhooks: messages } = JSON.parse(readFileSync(documentFile, 'utf8'));
  const events = Array.from({ length: worstCount }, (_, number) => {
    const type = eventNames[number % eventNames.length] as EventType;
    const { data } = messages[type].post.requestBody.content['application/json'].example;
    return eventRow(store, { type, data, notedAt: Date.now() - 3_600_000 + number, id: idOf(number) });
  });
  const history = historyRows(store, cleo.uuid, changes);
  await putAll([
    ...applied.flat(),
    ...sales,
    ...lots,
    ...history,
    ...events,
    ...deliveries,
    ...owned,
    ...payees,
    ...payouts,
    ...webhooks,
    ...sendings,
  ]);
  return seeded;
};

const owners: Record<string, string> = {
  'list-owner-coupons': ada.uuid,
  'list-gift-cards': bob.uuid,
  'list-owned-products': bob.uuid,
  'list-customer-coupons': cleo.uuid,
  'list-credit-lots': cleo.uuid,
  'list-credit-history': cleo.uuid,
};

const values: Record<string, string[]> = {
  category: ['{id}'],
  search: ['no+such+product'],
  recipient: [bob.uuid],
  buyer: [bob.uuid],
  payee: [bob.uuid],
  product: [idOf(0)],
  spentMoreThan: ['-1', '0', '500', '2000'],
  type: ['regular', 'restricted', 'credit.changed'],
  // A list refuses the states of another list, which costs nothing.
  state: ['open', 'drained', 'expired', 'superseded', ...deliveryStates, ...saleStates, ...payoutStates, 'pending'],
};

/** Every combination of a list's filters. */
const queriesOf = ({ query }: Route): string[] =>
  Object.keys(query?.shape ?? {})
    .filter((name) => name !== 'limit' && name !== 'cursor')
    .reduce(
      (queries, name) =>
        queries.flatMap((some) => [
          some,
          ...(values[name] ?? ['true', 'false']).map((value) => `${some}${some && '&'}${name}=${value}`),
        ]),
      [''],
    );

/**
 * Calls a list under every combination of its filters. Answers the dearest call. Throws unless each is answered or
 * refused.
 */
export const worstOf = async (call: Call, row: Route, category: string): Promise<Omit<WorstCall, 'growth'>> => {
  const endpoint = row.id.replace(/.*\//, '');
  const path = row.path.replace('{identifier}', owners[endpoint] ?? '').replace('{id}', idOf(0));
  let worst = { endpoint, query: '', steps: 0, units: 0 };
  for (const query of queriesOf(row)) {
    // In a process that has read for other calls, one call in a few would note these units too: one write for 2,500 of
    // them.
    forgetShares();
    const { status, body, cost } = await call('GET', `${path}?limit=1000&${query.replace('{id}', category)}`);
    // Some combinations of filters are invalid for a list.
    if (status !== 200 && status !== 400) throw new Error(`${endpoint}?${query}: ${status} ${JSON.stringify(body)}`);
    const { steps = 0, units = 0 } = cost ?? {};
    if (units > worst.units) worst = { endpoint, query, steps, units };
  }
  return worst;
};
