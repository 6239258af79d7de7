import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { recordPurchase } from '../../../lib/avatars/spend.ts';
import { timestamp } from '../../../lib/clock.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { db, tableName } from '../../../lib/table/client.ts';
import { giftCardKey } from '../../../lib/table/keys.ts';
import { intercept } from '../../support/faults.ts';
import { ada, bob, newResident, seedResidents } from '../../support/residents.ts';
import { type Call, startTestService } from '../../support/service.ts';

/**
 * On AWS an index follows the table after a moment, but the local engine updates it at once. These tests repeat an
 * index's old answer after a change, to show how a list behaves in that moment.
 */

const service = await startTestService();
await seedResidents();

/** Makes a store for one test, with a key. */
const newStore = async () => {
  const { id } = await createStore('Late');
  return { store: id, call: service.callAs(await service.keyWith(scopes, id)) };
};

/**
 * Records the indexes' answers to `ask`, and gives them again to the same queries from then on. It does not record an
 * empty answer, so an item can also be in two partitions, as it is while it moves.
 */
const holdIndexes = async (ask: () => Promise<unknown>) => {
  const kept = new Map<string, unknown>();
  const stopKeeping = intercept(async ({ input }, send) => {
    const answer = await send();
    if (input.IndexName && answer.output.Items.length > 0) kept.set(JSON.stringify(input), answer);
    return answer;
  });
  await ask();
  stopKeeping();
  let replayed = 0;
  const stop = intercept(({ input }, send) => {
    const answer = kept.get(JSON.stringify(input));
    if (answer) replayed += 1;
    return answer ? Promise.resolve(answer) : send();
  });
  return { replayed: () => replayed, stop };
};

interface Case {
  list: string;
  /** Makes a row that the list holds. Returns its id. */
  make: (call: Call, store: string, number: number) => Promise<string>;
  /** Changes a row so that the list no longer holds it. */
  change: (call: Call, id: string, store: string) => Promise<unknown>;
}

const lamp = { name: 'Late lamp', description: 'Of brass', price: 1, listed: true, bloggable: true };

const products = (query: string, changed: object, made: object = {}): Case => ({
  list: `/v1/products${query}`,
  make: async (call) => (await call('POST', '/v1/products', { ...lamp, ...made })).body.id,
  change: (call, id) => call('PUT', `/v1/products/${id}`, { ...lamp, ...made, ...changed }),
});

const coupons = (active: boolean): Case => ({
  list: `/v1/coupons?active=${active}`,
  make: async (call, _, number) =>
    (await call('POST', '/v1/coupons', { code: `Late ${number}`, ownerIdentifier: ada.uuid, active })).body.id,
  change: (call, id) => call('PUT', `/v1/coupons/${id}`, { code: 'Changed', active: !active }),
});

const customers = (query: string, newsSubscriber: boolean): Case => ({
  list: `/v1/customers${query}`,
  make: async (call, store, number) => {
    const buyer = await newResident();
    await call('PUT', `/v1/customers/${buyer.uuid}`, { newsSubscriber });
    const purchase = { id: `late${number}`, productId: 'lamp', price: 100 + number, at: timestamp(Date.now()) };
    await recordPurchase(store, { ...purchase, buyer });
    return buyer.uuid;
  },
  change: (call, uuid) => call('PUT', `/v1/customers/${uuid}`, { newsSubscriber: !newsSubscriber }),
});

const grant = async (call: Call): Promise<string> =>
  (await call('POST', `/v1/customers/${bob.uuid}/actions/grant-gift-card`, { credit: 5 })).body.id;
const setActive = (call: Call, id: string, active: boolean) =>
  call('PUT', `/v1/giftcards/${id}`, { credit: 5, active });

const giftCards = (active: boolean): Case => ({
  list: `/v1/customers/${bob.uuid}/giftcards?active=${active}`,
  make: async (call) => {
    const id = await grant(call);
    await setActive(call, id, active);
    return id;
  },
  change: (call, id) => setActive(call, id, !active),
});

/** Redeems a card in the table, since no request can. */
const redeem = (store: string, id: string) =>
  db.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: giftCardKey(store, id),
      UpdateExpression: 'SET redeemed = :true',
      ExpressionAttributeValues: { ':true': true },
    }),
  );

const cases: Record<string, Case> = {
  'products, of which one is switched off': products('', { active: false }),
  'listed products, of which one is hidden': products('?listed=true', { listed: false }),
  'hidden products, of which one is listed': products('?listed=false', { listed: true }, { listed: false }),
  'bloggable products, of which one is not any more': products('?bloggable=true', { bloggable: false }),
  'a search by name, of which one is renamed': products('?search=lamp', { name: 'Chair' }),
  'a search by description, of which one is rewritten': products('?search=brass', { description: 'Of iron' }),
  'a search, of which one is switched off': products('?search=lamp', { active: false }),
  'a search among listed products, of which one is hidden': products('?search=lamp&listed=true', { listed: false }),
  'active coupons, of which one is switched off': coupons(true),
  'inactive coupons, of which one is switched on': coupons(false),
  'subscribers, of whom one leaves': customers('?newsSubscriber=true', true),
  'customers who do not subscribe, of whom one does': customers('?newsSubscriber=false', false),
  'subscribers by spend, of whom one leaves': customers('?spentMoreThan=50&newsSubscriber=true', true),
  'active gift cards, of which one is disabled': giftCards(true),
  'inactive gift cards, of which one is enabled': giftCards(false),
  'gift cards to redeem, of which one is redeemed': {
    list: `/v1/customers/${bob.uuid}/giftcards?redeemed=false`,
    make: grant,
    change: (_, id, store) => redeem(store, id),
  },
};

const idsOf = ({ body }: Awaited<ReturnType<Call>>): string[] =>
  body.data.map(({ id, uuid }: { id?: string; uuid?: string }) => id ?? uuid);

test.each(Object.entries(cases))(
  'a list leaves out rows that only its late index still holds, and its pages are full: %s',
  async (_, one) => {
    const { store, call } = await newStore();
    const ids: string[] = [];
    for (const number of [1, 2, 3, 4]) ids.push(await one.make(call, store, number));
    // Two of one millisecond may stand in either order.
    ids.sort();
    const page = (more = '') => call('GET', `${one.list}${one.list.includes('?') ? '&' : '?'}limit=2${more}`);
    const before = await page();
    const { replayed, stop } = await holdIndexes(page);
    await one.change(call, ids[1] ?? '', store);

    const first = await page();
    stop();
    const second = await page(`&cursor=${first.body.pagination.nextCursor}`);

    expect(idsOf(before)).toEqual([ids[0], ids[1]]);
    expect(replayed()).toBeGreaterThan(0);
    expect(idsOf(first)).toEqual([ids[0], ids[2]]);
    expect(idsOf(second)).toEqual([ids[3]]);
    expect(second.body.pagination.nextCursor).toBeNull();
  },
);

/** Coupons of one owner, in the order of their ids. */
const newCoupons = async (call: Call): Promise<string[]> => {
  const ids: string[] = [];
  for (const code of ['First', 'Second', 'Third'])
    ids.push((await call('POST', '/v1/coupons', { code, ownerIdentifier: ada.uuid })).body.id);
  return ids.sort();
};

test('apply by owner takes the next newest coupon if a late index still holds an inactive one', async () => {
  const { call } = await newStore();
  const [, second, third] = await newCoupons(call);
  const apply = () =>
    call('POST', `/v1/customers/${bob.uuid}/actions/apply-coupon`, { couponOwnerUuid: ada.uuid, scope: 0 });
  const before = await apply();
  const { replayed, stop } = await holdIndexes(apply);
  await call('PUT', `/v1/coupons/${third}`, { code: 'Other', active: false });

  const after = await apply();
  stop();

  expect(replayed()).toBeGreaterThan(0);
  expect([before.body.couponId, after.body.couponId]).toEqual([third, second]);
});

test('a coupon that is in the index twice for a moment is listed once', async () => {
  const { call } = await newStore();
  const ids = await newCoupons(call);
  const list = () => call('GET', `/v1/coupons/owner/${ada.uuid}?limit=2`);
  const { replayed, stop } = await holdIndexes(list);
  await call('PUT', `/v1/coupons/${ids[0]}`, { code: 'Other', active: false });

  const page = await list();
  stop();

  expect(replayed()).toBeGreaterThan(0);
  expect(idsOf(page)).toEqual(ids.slice(0, 2));
  expect(page.body.data[0].active).toBe(false);
});
