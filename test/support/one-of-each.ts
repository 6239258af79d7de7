import { readResident } from '../../lib/avatars/residents.ts';
import { recordPurchase } from '../../lib/avatars/spend.ts';
import { idAt, newId, now, timestamp } from '../../lib/clock.ts';
import type { HistoryItem } from '../../lib/credit/history.ts';
import { lotId } from '../../lib/credit/lot.ts';
import { listLots } from '../../lib/credit/lots.ts';
import { claimDelivery, completeDelivery, failDelivery } from '../../lib/delivery/deliveries.ts';
import { dispenserKey } from '../../lib/delivery/dispensers.ts';
import { keyStage } from '../../lib/keys.ts';
import { issueKey } from '../../lib/store/issued-keys.ts';
import { customerNameKey } from '../../lib/table/keys.ts';
import { at as onClock } from '../../local/demo/residents.ts';
import { creditEvents, journalRows } from './event-rows.ts';
import { historyRows } from './history-rows.ts';
import { payoutRows } from './payout-rows.ts';
import { putAll } from './seed.ts';
import { webhookRows } from './webhook-rows.ts';

/** The kinds of row with ids, by the path segment before the id. */
export const kindOf = {
  coupons: 'coupon',
  products: 'product',
  categories: 'category',
  giftcards: 'giftcard',
  deliveries: 'delivery',
  webhooks: 'webhook',
  sales: 'sale',
  payouts: 'payout',
  vendors: 'vendor',
  keys: 'key',
} as const;

export type Kind = (typeof kindOf)[keyof typeof kindOf];

/**
 * The id of one row of each kind, and of a second gift card and key, since a redeemed card and a revoked key take no
 * other change.
 */
export type OneOfEach = Record<Kind | 'redeemable' | 'revocable', string>;

/** A client of a service under test. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member.
type Call = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>;

interface Seed {
  /** A code that no coupon of the store has. It is also the name of the other rows. */
  code: string;
  /** The owner of the coupon. */
  owner: string;
  /** The customer who gets the gift card and the coupon. */
  customer: string;
  /** False makes coupon and product inactive. */
  active?: boolean;
}

/** Makes a row. Throws with the answer if the service refuses it. */
const make = async (call: Call, path: string, body: object): Promise<string> => {
  const answer = await call('POST', path, body);
  if (answer.status > 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.id;
};

/**
 * Makes one row of each kind over HTTP, puts the product into the category, gives the customer two lots of credit, and
 * applies the coupon to the whole store and to the product: the list of applied coupons has two rows. The service
 * refuses the last two if `active` is false. Every suite takes its rows from here, so a new kind of row is added in one
 * place.
 */
export const seedOverHttp = async (
  call: Call,
  { code, owner, customer, active = true }: Seed,
): Promise<Omit<OneOfEach, 'webhook' | 'delivery' | 'sale' | 'payout' | 'vendor' | 'key' | 'revocable'>> => {
  const grant = (): Promise<string> => make(call, `/v1/customers/${customer}/actions/grant-gift-card`, { credit: 5 });
  // If the clock stands still, the ids of two cards are in no order.
  const [giftcard = '', redeemable = ''] = [await grant(), await grant()].sort();
  const rows = {
    coupon: await make(call, '/v1/coupons', { code, ownerIdentifier: owner, active }),
    product: await make(call, '/v1/products', { name: code, price: 10, active }),
    category: await make(call, '/v1/categories', { name: code }),
    giftcard,
    redeemable,
  };
  // Two lots of credit, so that their list has a second page.
  for (const expiresAt of ['2098-01-01T00:00:00Z', '2099-01-01T00:00:00Z'])
    await call('POST', `/v1/customers/${customer}/actions/increment-credit`, { delta: 5, expiresAt });
  await call('POST', `/v1/categories/${rows.category}/products/${rows.product}`);
  for (const scope of [{ scope: 0 }, { scope: 1, productId: rows.product }])
    await call('POST', `/v1/customers/${customer}/actions/apply-coupon`, { couponId: rows.coupon, ...scope });
  return rows;
};

/** A customer's history of two changes, which gave the lots that `seedOverHttp` has made. */
export const changesOfLots = async (store: string, uuid: string): Promise<HistoryItem[]> => {
  const lots = (await listLots(store, uuid)).filter(({ state }) => state === 'open').slice(0, 2);
  const gifts = lots.map((lot) => ({ amount: 5, lots: [{ id: lotId(lot), amount: 5, expiresAt: lot.expiresAt }] }));
  return historyRows(store, uuid, gifts);
};

const hour = 3_600_000;

/** Ids in their order, though they are made at once. */
const twoIds = (at = now()): [string, string] => [idAt(at), idAt(at)].sort() as [string, string];

/** An id that sorts after the service's own ids. */
const lastId = 'ffffffff-7e57-0000-0000-000000000000';

/**
 * Does this in the table of this process, and adds what no request makes. The customer owns the product and another
 * one. Two deliveries went to the customer an hour ago, and one failed. There is a history of two changes with their
 * events, and two sales from that time: one was completed, if the product is active, and one was refused. The store
 * owes the customer and somebody else something, and two payouts to the customer are unknown. Two vendors sell the
 * product, and a search finds the customer by two names. The store has two keys that may do as little as a key
 * with `keys:write` must, so that each of these may change them.
 */
export const seedOneOfEach = async (call: Call, seed: Seed): Promise<OneOfEach> => {
  const rows = await seedOverHttp(call, seed);
  const { id: store, key } = (await call('GET', '/v1/store')).body;
  const resident = await readResident(store, { uuid: seed.customer });
  if (!resident) throw new Error(`${seed.customer} is no resident.`);
  const at = timestamp(now() - hour);
  await putAll(await changesOfLots(store, resident.uuid));
  await putAll(creditEvents(store, resident.uuid, 2, now() - hour));
  await putAll(journalRows(store, key.id, now() - hour));
  const [own, another] = twoIds();
  await recordPurchase(store, { id: own, buyer: resident, productId: rows.product, price: 0, at });
  await recordPurchase(store, { id: another, buyer: resident, productId: lastId, price: 0, at });
  const recipient = { recipientUuid: resident.uuid, recipientUsername: resident.username };
  const begun = async (id: string) => {
    const item = { productId: rows.product, item: 'Chair', message: '', createdAt: at };
    const order = { kind: 'deliver' as const, store, id, ...recipient, ...item };
    return (await claimDelivery(order, 0)).delivery;
  };
  const [made, refused] = twoIds(now() - 1000);
  await completeDelivery(await begun(made));
  const [sale, later] = twoIds();
  const of = { productId: rows.product, buyerIdentifier: resident.uuid };
  // A product that was sold just now is not delivered again.
  await onClock(now() - hour, async () => {
    for (const body of [
      { id: sale, paid: 30 },
      { id: later, paid: 0 },
    ])
      await call('POST', '/v1/sales', { ...of, ...body });
  });
  const failed = await begun(refused);
  await failDelivery(failed, 'No such item.');
  const webhook = newId();
  await putAll(webhookRows(store, webhook));
  const named = { uuid: resident.uuid, username: resident.username };
  await putAll(['seeded.first', 'seeded.last'].map((name) => ({ ...customerNameKey(store, name), ...named })));
  // Boxes that nothing asks: they have no address, and know nobody.
  await putAll(
    ['first', 'second'].map((name) => ({
      ...dispenserKey(store, name),
      ...{ name, priority: 9, region: 'Ahern', items: [], secret: name, keyId: key.id, registeredAt: at },
      ...{ host: 'nowhere', lostAt: at, lostReason: 'The dispenser answered 404', cannotResolve: true },
    })),
  );
  const [payout, other] = twoIds(now() - hour);
  await putAll(payoutRows(store, resident, [payout, other], key.id));
  const [vendor, otherVendor] = twoIds();
  for (const uuid of [vendor, otherVendor])
    await call('PUT', `/v1/vendors/${uuid}`, { name: 'Vendor', region: 'Here', productId: rows.product });
  const newKey = async () =>
    (await issueKey({ store, name: 'Seeded', scopes: ['keys:write'], stage: keyStage() })).key.id;
  const keys = { key: await newKey(), revocable: await newKey() };
  return { ...rows, ...keys, delivery: failed.id, sale, webhook, payout, vendor };
};
