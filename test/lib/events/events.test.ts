import { beforeEach, expect, test } from 'vitest';
import { handler } from '../../../functions/stream-consumer.ts';
import { source } from '../../../lib/clock.ts';
import { storedChange } from '../../../lib/credit/state.ts';
import { isEvent, type NotedEvent } from '../../../lib/events/events.ts';
import { eventTypes } from '../../../lib/routes/events.ts';
import * as dynamodb from '../../../lib/table/dynamodb.ts';
import { customerKey, sharedKey } from '../../../lib/table/keys.ts';
import { engine } from '../../../lib/table/table.ts';
import { isWanted } from '../../../local/engines/stream.ts';
import { freshTable, setClock, wholeTable } from '../../support/service.ts';
import { recordOf, shardBatch } from '../../support/stream-records.ts';

const store = 'Store1';
const ada = '11111111-1111-1111-1111-111111111111';
const at = '2026-03-04T05:06:07.008Z';
const written = new Date(1_790_000_000_000).toISOString();
const id = '019cb7a5-7fc0-7000-8000-000000000000';

beforeEach(async () => {
  await freshTable();
  setClock(Date.parse('2026-10-01T00:00:00.000Z'));
});

type Item = Parameters<typeof recordOf>[1];
const consume = async (...records: ReturnType<typeof recordOf>[]): Promise<number> =>
  (await handler(shardBatch(records))).batchItemFailures.length;

/** The events. Rows of the journal that are no events are left out. */
const events = async (): Promise<NotedEvent[]> => {
  const items = (await wholeTable(`${store}#EVENT`)) as unknown as NotedEvent[];
  return items.filter(isEvent).sort((a, b) => (a.rank < b.rank ? -1 : 1));
};

const customer = (more: object) => ({ ...customerKey(store, ada), username: 'ada', ...more });
const change = (kind = 'increment') => storedChange({ kind, at, types: [{ type: 'regular' }] } as never);
const item = (kind: string, fields: object) => ({ pk: `${store}#${kind}`, sk: id, id, ...fields });
const card = (more: object = {}) =>
  item('GIFTCARD', {
    ...{ ownerUuid: ada, ownerUsername: 'ada', credit: 5, active: true, redeemed: false, transfer: false },
    ...{ texture: null, purchased: false, ...more },
  });
const delivery = (state: string, more: object = {}) =>
  item('DELIVERY', {
    ...{ state, productId: id, item: 'Chair', recipientUuid: ada, recipientUsername: 'ada', attempts: 1, store },
    ...{ createdAt: at, ...more },
  });
const sale = (state: string, more: object = {}) =>
  item('SALE', {
    ...{ state, refusal: null, productId: id, buyerUuid: ada, recipientUuid: ada, base: 10, total: 10, credit: 0 },
    ...{
      discount: { source: 'none', percent: 0, couponId: null },
      restrictedCredit: 0,
      paid: 10,
      refund: 0,
      change: 0,
    },
    ...{ deliveryId: id, shares: [], at, request: 'x', ...more },
  });
const dispenser = (more: object) => ({
  ...item('DISPENSER', { region: 'Here', registeredAt: at, secret: 's', ...more }),
});
const url = 'https://simhost-1.agni.secondlife.io:12043/cap/1';
const product = (more: object) =>
  item('PRODUCT', {
    ...{
      name: 'Chair',
      price: 10,
      discount: { value: 0, type: 0, startDate: null, endDate: null },
      image: id,
      bloggable: false,
      active: true,
      blockCredits: false,
    },
    ...{ item: 'Chair', profitShares: [], limited: true, listed: true, description: '', mpListing: 0, demoId: null },
    ...{ permissions: { copy: true, modify: false, transfer: false }, links: [], categories: [], ...more },
  });
const applied = (more: object) => ({
  pk: `${store}#APPLIED#${ada}`,
  ...{ sk: 'store', couponId: id, code: 'C', discount: 5, username: 'ada', expiresAt: at, earlier: '', ...more },
});
const coupon = (more: object) =>
  item('COUPON', {
    ...{ code: 'C', active: true, bloggersSync: false, ownerProfit: 0, usesPerCustomer: 0, discount: 5 },
    ...{ expiration: '9999-12-31T23:59:59.999Z', couponOwnerUuid: ada, couponOwnerUsername: 'ada', ...more },
  });
const category = (more: object) => item('CATEGORY', { productCount: 0, ...more });
const keyId = '0123456789ab';
const key = (more: object) => ({
  ...{ ...sharedKey('KEY', keyId), id: keyId, store, name: 'Box', scopes: ['products:read'], status: 'active' },
  ...{ createdAt: at, hash: 'x', ...more },
});
const shop = (more: object) => ({ ...sharedKey('STORE', store), id: store, name: 'Shop', createdAt: at, ...more });

const changes: [type: keyof typeof eventTypes, before: Item, after: Item, when: string, data: object][] = [
  [
    'credit.changed',
    customer({ creditVersion: 1, credit: 5, lastChange: change() }),
    customer({ creditVersion: 2, credit: 7, lastChange: change() }),
    at,
    { uuid: ada, username: 'ada', credit: 7, restrictedCredit: 0, sequence: 2 },
  ],
  ['customer.banned', customer({}), customer({ isBanned: true }), written, { uuid: ada, isBanned: true }],
  ['customer.unbanned', customer({ isBanned: true }), customer({ isBanned: false }), written, { isBanned: false }],
  ['giftcard.granted', undefined, card({ grantedAt: at, reason: 'won' }), at, { id, reason: 'won', reference: null }],
  ['giftcard.redeemed', card(), card({ redeemed: true, credit: 0, redeemedAt: at }), at, { id, redeemed: true }],
  ['giftcard.disabled', card(), card({ active: false }), written, { id, active: false }],
  ['sale.completed', undefined, sale('completed'), at, { id, state: 'completed', paid: 10 }],
  ['sale.refused', undefined, sale('refused', { refusal: 'closed' }), at, { refusal: 'closed' }],
  ['sale.refunded', sale('completed'), sale('refunded', { refundedAt: written }), written, { refundedAt: written }],
  [
    'delivery.delivered',
    delivery('queued'),
    delivery('delivered', { deliveredAt: at }),
    at,
    { id, state: 'delivered', endedAt: at },
  ],
  [
    'delivery.failed',
    delivery('queued'),
    delivery('failed', { failedAt: at, lastError: 'no' }),
    at,
    { lastError: 'no' },
  ],
  ['delivery.waiting', delivery('queued'), delivery('waiting'), written, { state: 'waiting', endedAt: null }],
  [
    'dispenser.registered',
    dispenser({ url: 'old' }),
    dispenser({ url }),
    at,
    { url, region: 'Here', registeredAt: at },
  ],
  [
    'dispenser.lost',
    dispenser({ url }),
    dispenser({ lostAt: at, lostReason: '404' }),
    at,
    { url, region: 'Here', registeredAt: at, lostAt: at, lostReason: '404' },
  ],
  [
    'coupon.applied',
    undefined,
    applied({ stamp: id }),
    '2026-03-04T07:00:02.624Z',
    { couponId: id, scope: 'store', customerUsername: 'ada' },
  ],
  [
    'product.sold_out',
    product({ availableAmount: 1 }),
    product({ availableAmount: 0 }),
    written,
    { availableAmount: 0 },
  ],
  ['product.changed', undefined, product({ availableAmount: 3 }), written, { name: 'Chair', availableAmount: 3 }],
  [
    'product.changed',
    product({ availableAmount: 3, price: 5 }),
    product({ availableAmount: 3 }),
    written,
    { price: 10, activePrice: 10 },
  ],
  ['coupon.changed', coupon({ discount: 5 }), coupon({ discount: 9 }), written, { id, code: 'C', discount: 9 }],
  ['category.changed', undefined, category({ name: 'Seats' }), written, { id, name: 'Seats', productCount: 0 }],
  ['category.changed', category({ name: 'Seats' }), category({ name: 'Sofas' }), written, { name: 'Sofas' }],
  ['category.deleted', category({ name: 'Seats' }), category({ id: undefined }), written, { id, name: 'Seats' }],
  ['key.issued', undefined, key({}), written, { id: keyId, state: 'active', issuedBy: null }],
  ['key.ended', key({}), key({ status: 'revoked', revokedAt: at }), written, { state: 'revoked', endedAt: at }],
  ['store.closed', shop({}), shop({ open: false, changed: { at } }), at, { id: store, name: 'Shop', open: false }],
  ['store.opened', shop({ open: false }), shop({ open: true, changed: { at } }), at, { open: true }],
];

test.each(changes)(
  '%s tells of its change, with the answer of the API about it',
  async (type, before, after, when, data) => {
    const record = recordOf(before, after);

    const failures = await consume(record);

    const [event, ...others] = await events();
    const told = JSON.parse(event?.data ?? '');
    expect([isWanted(record), failures, others]).toEqual([true, 0, []]);
    expect(event).toMatchObject({ type, at: when });
    expect(told).toMatchObject(data);
    expect(told).not.toHaveProperty('secret');
    expect(eventTypes[type].data.parse(told)).toEqual(told);
  },
);

test('no event tells of a write that is none of these changes', async () => {
  await consume(
    recordOf(
      customer({ creditVersion: 1, lastChange: change() }),
      customer({ creditVersion: 1, lastChange: change(), discount: 5 }),
    ),
    recordOf(customer({ credit: 5 }), customer({ credit: 5, creditVersion: 1, lastChange: change('opening') })),
    recordOf(undefined, customer({ creditVersion: 4, lastChange: change(), isBanned: true, moved: true })),
    recordOf(undefined, card()),
    recordOf(card({ active: false }), card()),
    recordOf(sale('completed'), sale('completed', { flags: undefined })),
    recordOf(undefined, sale('completed', { imported: true })),
    recordOf(delivery('waiting'), delivery('queued')),
    recordOf(dispenser({ url }), dispenser({ url, registeredAt: written })),
    recordOf(product({ availableAmount: 0 }), product({ availableAmount: 0, links: ['x'] })),
    recordOf(product({ availableAmount: 1, limited: false }), product({ availableAmount: 0, limited: false })),
    recordOf(applied({ stamp: id }), applied({ stamp: 'x', expiresAt: '' })),
    recordOf(undefined, shop({})),
    recordOf(shop({}), shop({ name: 'Store' })),
    recordOf(card(), undefined),
  );

  expect(await events()).toEqual([]);
});

test('an event that comes again keeps its id and the place where it was noted first', async () => {
  const records = [0, 1, 2].map((credit) =>
    recordOf(
      customer({ creditVersion: credit }),
      customer({ creditVersion: credit + 1, credit, lastChange: change() }),
    ),
  );
  await consume(records[1] as never);
  const first = await events();
  setClock(Date.parse('2026-10-01T00:01:00.000Z'));

  await consume(...records, ...records);

  const all = await events();
  expect(all).toHaveLength(3);
  expect(all[0]).toEqual(first[0]);
  // The journal has it too, which keeps its rows for 400 days.
  expect(first[0]?.ttl).toBe(Date.parse('2027-11-05T00:00:00.000Z') / 1000);
});

/** The records of ten changes of one customer's credit, with a ban or its end after each. */
const tenChanges = () => {
  const states = Array.from({ length: 11 }, (_, index) => ({
    ...{ creditVersion: index, credit: index, isBanned: index % 2 === 0, lastChange: change() },
  }));
  return states.slice(1).flatMap((state, index) => {
    const banned = { ...state, isBanned: !state.isBanned };
    return [recordOf(customer(states[index] as object), customer(banned)), recordOf(customer(banned), customer(state))];
  });
};

/** The answer that the list gives of them. */
const told = async (): Promise<string[]> =>
  (await events()).map(({ type, data }) => `${type} ${JSON.parse(data).sequence ?? ''}`.trim());
const tenTold = Array.from({ length: 10 }, (_, index) => [
  `credit.changed ${index + 1}`,
  index % 2 === 0 ? 'customer.unbanned' : 'customer.banned',
]).flat();

test('the events of one thing stand in the order of its changes, though a batch has all of them', async () => {
  const failures = await consume(...tenChanges());

  expect(failures).toBe(0);
  expect(await told()).toEqual(tenTold);
});

test('they do so too where each change comes in a batch of its own, within one millisecond', async () => {
  for (const record of tenChanges()) await consume(record);

  expect(await told()).toEqual(tenTold);
});

test('events of one thing wait for the one before them that the table does not take', async () => {
  const records = tenChanges();
  let refusals = 1;
  engine.write = (one) => {
    if (refusals > 0 && JSON.stringify(one).includes('\\"sequence\\":4')) {
      refusals -= 1;
      throw Object.assign(new Error('no'), { $fault: 'client' });
    }
    return dynamodb.write(one);
  };

  try {
    const failures = await consume(...records);
    const noted = await told();
    // The batch comes back to a consumer with a slow clock.
    setClock(Date.parse('2026-09-30T23:59:59.000Z'));
    const again = await consume(...records);

    expect([failures, noted, again]).toEqual([20, tenTold.slice(0, 6), 0]);
    expect(await told()).toEqual(tenTold);
  } finally {
    Reflect.deleteProperty(engine, 'write');
  }
});

test('a consumer whose clock is set back between two batches keeps the order of one thing', async () => {
  const records = tenChanges();
  const start = Date.parse('2026-10-01T00:00:00.000Z');

  for (const [number, record] of records.entries()) {
    setClock(start - number);
    await consume(record);
  }

  setClock(start);
  expect(await told()).toEqual(tenTold);
});

test('a consumer whose clock was an hour ahead lets no event wait for that hour', async () => {
  const start = Date.parse('2026-10-01T00:00:00.000Z');
  setClock(start + 3_600_000);
  await consume(recordOf(card(), card({ active: false })));

  setClock(start);
  await consume(recordOf(card({ id: 'Card2' }), card({ id: 'Card2', active: false })));

  setClock(start + 11_000);
  expect(await told()).toHaveLength(1);
});

test('two consumers at once, of which one has a clock that is behind, keep the order of one thing', async () => {
  const records = tenChanges();
  let calls = 0;
  source.now = () => Date.parse('2026-10-01T00:00:00.000Z') + (calls++ % 3) * 1000;

  await Promise.all([consume(...records), consume(...records)]);

  expect(await told()).toEqual(tenTold);
});

test('reports the records of events that the table does not take, and notes those of others', async () => {
  const here = recordOf(card(), card({ active: false }));
  const elsewhere = recordOf(
    { ...card(), pk: 'Store2#GIFTCARD' },
    { ...card({ active: false }), pk: 'Store2#GIFTCARD' },
  );
  engine.write = (one) => {
    if (JSON.stringify(one).includes(`${store}#EVENT`)) throw Object.assign(new Error('no'), { $fault: 'client' });
    return dynamodb.write(one);
  };
  try {
    const { batchItemFailures } = await handler(shardBatch([here, elsewhere]));
    expect(batchItemFailures).toEqual([{ itemIdentifier: here.dynamodb?.SequenceNumber }]);
  } finally {
    Reflect.deleteProperty(engine, 'write');
  }

  expect(await wholeTable('Store2#EVENT')).toHaveLength(1);
});
