import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createProduct, updateProduct } from '../../../lib/catalogue/products.ts';
import { newId, timestamp } from '../../../lib/clock.ts';
import { resolver } from '../../../lib/delivery/address.ts';
import { journalItem } from '../../../lib/events/journal-items.ts';
import { createStore, deleteStore } from '../../../lib/operator/stores.ts';
import type { JournalRow } from '../../../lib/routes/journal.ts';
import { journalKindNames, ruleOf } from '../../../lib/routes/journal-kinds.ts';
import { ProductUpsertRequest } from '../../../lib/routes/product-request.ts';
import type { ProductFields } from '../../../lib/routes/products.ts';
import { type Scope, scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { actedBy } from '../../../lib/table/actor.ts';
import { db, tableName } from '../../../lib/table/client.ts';
import { partition, productKey, sharedKey } from '../../../lib/table/keys.ts';
import { update } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { removeMany, write } from '../../../lib/table/table.ts';
import { injectFaults, randomFrom } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { newResident } from '../../support/residents.ts';
import { putAll } from '../../support/seed.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';
import { volume } from '../../support/volume.ts';
import { walkList } from '../../support/walk.ts';

/** Extensions, *Journal*, sentence by sentence, from outside. */

const start = Date.parse('2027-03-01T00:00:00.000Z');
const service = await startTestService();
await keepHistory();

/** A store of its own, with a key of all scopes or of these. */
const newStore = async () => {
  setClock(start);
  const { id: store } = await createStore('Corner Shop');
  const keyOf = async (name: string, of: readonly Scope[] = scopes) => {
    const { key, text } = await issueKey({ store, name, scopes: of, stage: 'test' });
    return { id: key.id, call: service.callAs(text) };
  };
  return { store, keyOf, ...(await keyOf('owner')) };
};

/** Answers every look-up of a host with a public address, until the test ends. */
const knowHosts = (): void => {
  const { lookup } = resolver;
  resolver.lookup = async () => [{ address: '8.8.8.8' }];
  onTestFinished(() => {
    resolver.lookup = lookup;
  });
};

const chair = ProductUpsertRequest.parse({ name: 'Chair', price: 0 }) as unknown as ProductFields;

let shop: Awaited<ReturnType<typeof newStore>>;
beforeEach(async () => {
  shop = await newStore();
  await catchUp();
});

/** Sends a request that must succeed, and answers its body. */
const send = async (method: string, path: string, body?: object, call = shop.call) => {
  const answer = await call(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  // Changes of different things are in the order of the consumer's batches.
  await catchUp();
  return answer.body;
};

/** The journal, the newest first. */
const journal = async (query = '', call = shop.call): Promise<JournalRow[]> => {
  await catchUp();
  const { status, body } = await call('GET', `/v1/journal?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  // The tests plant this word in each reason, reference and address.
  expect(JSON.stringify(body)).not.toContain('planted');
  return body.data;
};

type Told = [kind: string, subject: (string | null)[], changes: Record<string, [unknown, unknown]>];

/**
 * Rows as their kind, id and name of the thing, and values by field, the oldest first. Keys that the tests make are
 * left out.
 */
const told = (rows: readonly JournalRow[]): Told[] =>
  rows
    .filter(({ by, kind }) => by.type === 'key' || !kind.startsWith('key.'))
    .map(
      ({ kind, subject, changes }): Told => [
        kind,
        [subject.type, subject.id, subject.name],
        Object.fromEntries(
          changes.map(({ field, before, after, hidden }) => [field, hidden ? ['hidden', 'hidden'] : [before, after]]),
        ),
      ],
    )
    .reverse();

describe('each kind', () => {
  test('tells a new product with the fields that are not at their defaults, and a changed one with what changed', async () => {
    const made = await send('POST', '/v1/products', { name: 'Chair', price: 300, limited: true, availableAmount: 5 });
    setClock(start + 1000);
    await send('PUT', `/v1/products/${made.id}`, { ...made, price: 3, listed: true });
    await send('PUT', `/v1/products/${made.id}`, { ...made, price: 3, listed: true });
    await send('PUT', `/v1/products/${made.id}/giftcard`, { credit: 50 });

    const rows = await journal();

    const chair = ['product', made.id, 'Chair'];
    expect(told(rows)).toEqual([
      [
        'product.created',
        chair,
        { name: [null, 'Chair'], price: [null, 300], availableAmount: [null, 5], limited: [null, true] },
      ],
      ['product.changed', chair, { price: [300, 3] }],
      ['product.changed', chair, { giftCard: [null, { credit: 50, texture: null }] }],
    ]);
    expect(rows[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...{
        at: timestamp(start + 1000),
        kind: 'product.changed',
        subject: { type: 'product', id: made.id, name: 'Chair' },
      },
      by: { type: 'key', id: shop.id, name: 'owner' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      changes: [{ field: 'price', before: 300, after: 3, hidden: false }],
    });
  });

  test('tells coupons, with the limits', async () => {
    const owner = await newResident();
    const made = await send('POST', '/v1/coupons', { code: 'SPRING', discount: 10, ownerIdentifier: owner.uuid });
    await send('PUT', `/v1/coupons/${made.id}`, { code: 'SUMMER', discount: 10, active: false });
    await send('PUT', `/v1/coupons/${made.id}/limits`, { expiration: '2028-01-01T00:00:00Z', usesPerCustomer: 2 });

    expect(told(await journal())).toEqual([
      ['coupon.created', ['coupon', made.id, 'SPRING'], { code: [null, 'SPRING'], discount: [null, 10] }],
      ['coupon.changed', ['coupon', made.id, 'SUMMER'], { code: ['SPRING', 'SUMMER'], active: [true, false] }],
      [
        'coupon.changed',
        ['coupon', made.id, 'SUMMER'],
        { expiration: ['9999-12-31T23:59:59.999Z', '2028-01-01T00:00:00.000Z'], usesPerCustomer: [0, 2] },
      ],
    ]);
  });

  test.each(['young', 'old'])(
    'tells categories, what is put in and taken out, and the deletion of a %s one once',
    async (age) => {
      const product = await send('POST', '/v1/products', { name: 'Chair', price: 1 });
      const { id } = await send('POST', '/v1/categories', { name: 'Seats' });
      await send('PUT', `/v1/categories/${id}`, { name: 'Seating' });
      await send('POST', `/v1/categories/${id}/products/${product.id}`);
      await send('POST', `/v1/categories/${id}/products/${product.id}`);
      await send('DELETE', `/v1/categories/${id}/products/${product.id}`);
      await send('POST', `/v1/categories/${id}/products/${product.id}`);
      await send('PUT', `/v1/categories/${id}`, { name: 'Places to sit' });
      // Flags move the membership, and take nothing out.
      await send('PUT', `/v1/products/${product.id}`, { name: 'Chair', price: 1, bloggable: true });
      if (age === 'old') setClock(start + 2 * 3_600_000);
      await send('DELETE', `/v1/categories/${id}`);

      const rows = await journal('limit=1000');

      const seats = ['category', id, 'Seating'];
      const renamed = ['category', id, 'Places to sit'];
      expect(told(rows).filter(([kind]) => kind.startsWith('category'))).toEqual([
        ['category.created', ['category', id, 'Seats'], { name: [null, 'Seats'] }],
        ['category.changed', seats, { name: ['Seats', 'Seating'] }],
        ['category.product_added', seats, { productId: [null, product.id] }],
        ['category.product_removed', seats, { productId: [product.id, null] }],
        ['category.product_added', seats, { productId: [null, product.id] }],
        ['category.changed', renamed, { name: ['Seating', 'Places to sit'] }],
        ['category.deleted', renamed, { name: ['Places to sit', null] }],
      ]);
      expect(rows.every(({ by }) => by.id === shop.id || by.type !== 'key')).toBe(true);
    },
  );

  test('tells customers and their credit by set, increment and undo, and not by a sale', async () => {
    const { uuid, username } = await newResident();
    const at = `/v1/customers/${uuid}`;
    await send('PUT', at, { discount: 20, newsSubscriber: true });
    await send('POST', `${at}/actions/ban`, { reason: 'planted reason' });
    await send('POST', `${at}/actions/unban`);
    const { headers } = await shop.call('POST', `${at}/actions/increment-credit`, { delta: 500 });
    await catchUp();
    await send('POST', `${at}/actions/undo-credit-change`, {
      type: 'regular',
      sequence: Number(headers.get('credit-sequence')),
    });
    await send('POST', `${at}/actions/increment-credit`, { delta: 100 });
    const product = await send('POST', '/v1/products', { name: 'Chair', price: 60 });
    await send('POST', '/v1/sales', {
      id: randomUUID(),
      productId: product.id,
      buyerIdentifier: uuid,
      useCredit: true,
      paid: 0,
    });

    const rows = await journal(`subject=${uuid.toUpperCase()}`);

    const customer = ['customer', uuid, username];
    expect(told(rows)).toEqual([
      ['customer.changed', customer, { discount: [0, 20], newsSubscriber: [false, true] }],
      ['customer.banned', customer, { isBanned: [false, true] }],
      ['customer.unbanned', customer, { isBanned: [true, false] }],
      ['credit.changed', customer, { credit: [0, 500] }],
      ['credit.changed', customer, { credit: [500, 0] }],
      ['credit.changed', customer, { credit: [0, 100] }],
    ]);
  });

  test('tells gift cards by their ids alone, refunds of sales and the cards that they disable', async () => {
    const { uuid } = await newResident();
    const grant = (credit: number) =>
      send('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit, reason: 'planted reason' });
    const [first, second] = [await grant(50), await grant(60)];
    await send('PUT', `/v1/giftcards/${first.id}`, { credit: 70, transfer: true });
    await send('POST', `/v1/giftcards/${first.id}/actions/disable`);
    await send('POST', `/v1/giftcards/${second.id}/actions/redeem`, { identifier: uuid });
    const product = await send('POST', '/v1/products', { name: 'Card', price: 10 });
    await send('PUT', `/v1/products/${product.id}/giftcard`, { credit: 5 });
    const sale = await send('POST', '/v1/sales', {
      id: randomUUID(),
      productId: product.id,
      buyerIdentifier: uuid,
      paid: 10,
    });
    await send('POST', `/v1/sales/${sale.id}/actions/refund`, { payOut: true, reason: 'planted reason' });

    const rows = told(await journal('limit=1000')).filter(([kind]) => !kind.startsWith('product'));

    const [, sold] = (await send('GET', `/v1/customers/${uuid}/giftcards`)).data
      .map(({ id }: { id: string }) => id)
      .slice(1);
    expect(rows.slice(0, 5)).toEqual([
      ['giftcard.granted', ['giftcard', first.id, null], { credit: [null, 50], ownerUuid: [null, uuid] }],
      ['giftcard.granted', ['giftcard', second.id, null], { credit: [null, 60], ownerUuid: [null, uuid] }],
      ['giftcard.changed', ['giftcard', first.id, null], { credit: [50, 70], transfer: [false, true] }],
      ['giftcard.disabled', ['giftcard', first.id, null], { active: [true, false] }],
      ['giftcard.redeemed', ['giftcard', second.id, null], { credit: [60, 0], redeemed: [false, true] }],
    ]);
    expect(rows.slice(5)).toHaveLength(2);
    expect(rows.slice(5)).toEqual(
      expect.arrayContaining([
        ['sale.refunded', ['sale', sale.id, null], { state: ['completed', 'refunded'], payOut: [false, true] }],
        ['giftcard.disabled', ['giftcard', sold, null], { active: [true, false] }],
      ]),
    );
  });

  test('tells payouts that a person notes, and not what a cashier claims and reports', async () => {
    const { uuid, username } = await newResident();
    const product = await send('POST', '/v1/products', {
      ...{ name: 'Chair', price: 100 },
      profitShares: [{ userUuid: uuid, percent: 50 }],
    });
    await write(update(sharedKey('STORE', shop.store), { set: { payoutsBegunAt: timestamp(start) } }));
    setClock(start + 1000);
    const sell = () =>
      send('POST', '/v1/sales', { id: randomUUID(), productId: product.id, buyerIdentifier: uuid, paid: 100 });
    for (let count = 0; count < 3; count++) await sell();
    await catchUp();
    const paid = await send('POST', `/v1/payees/${uuid}/actions/pay`, { amount: 20, reference: 'planted reference' });
    setClock(start + 3_600_000);
    const claim = async () => (await send('POST', '/v1/payouts/actions/claim', { hold: 0 })).payout;
    const claimed = await claim();
    await send('POST', `/v1/payouts/${claimed.id}/actions/report`, { result: 'unknown', error: 'SERVICE_ERROR' });
    await send('POST', `/v1/payouts/${claimed.id}/actions/settle`, { result: 'failed' });

    expect(told(await journal()).filter(([kind]) => !kind.startsWith('product'))).toEqual([
      [
        'payout.paid_by_hand',
        ['payout', paid.id, username],
        { state: [null, 'paid'], amount: [null, 20], residentUuid: [null, uuid] },
      ],
      ['payout.settled', ['payout', claimed.id, username], { state: ['unknown', 'failed'] }],
    ]);
  });

  test('tells the product of a vendor and its deletion, and not that it registers', async () => {
    const uuid = '00000000-7e57-4000-8000-00000000abcd';
    const product = await send('POST', '/v1/products', { name: 'Chair', price: 100 });
    await send('PUT', `/v1/vendors/${uuid}`, { name: 'By the door', region: 'Ahern' });
    await send('PUT', `/v1/vendors/${uuid}/product`, { productId: product.id });
    await send('PUT', `/v1/vendors/${uuid}`, { name: 'By the door', region: 'Ahern' });
    await send('DELETE', `/v1/vendors/${uuid}`);

    const vendor = ['vendor', uuid, 'By the door'];
    expect(told(await journal()).slice(1)).toEqual([
      ['vendor.changed', vendor, { productId: [null, product.id] }],
      ['vendor.deleted', vendor, { name: ['By the door', null] }],
    ]);
  });

  test('tells that a box has another address, without the address', async () => {
    knowHosts();
    const register = (path: string, region: string) =>
      send('PUT', '/v1/dispenser', { url: `https://simhost-1.agni.secondlife.io:12043/cap/${path}`, region });
    await register('planted-address-1', 'Ahern');
    await register('planted-address-1', 'Ahern');
    await register('planted-address-2', 'Bonifacio');

    const rows = await journal();

    const box = ['dispenser', 'main', 'main'];
    expect(told(rows)).toEqual([
      ['dispenser.changed', box, { region: [null, 'Ahern'], url: ['hidden', 'hidden'] }],
      ['dispenser.changed', box, { region: ['Ahern', 'Bonifacio'], url: ['hidden', 'hidden'] }],
    ]);
    expect(JSON.stringify(rows)).not.toContain('planted');
    expect(rows[0]?.changes[1]).toEqual({ field: 'url', before: null, after: null, hidden: true });
  });

  test('tells webhooks without address and secret', async () => {
    knowHosts();
    const fields = { url: 'https://planted.example.com/planted', events: ['store.closed'], description: 'Our bot' };
    const { id } = await send('POST', '/v1/webhooks', fields);
    await send('PUT', `/v1/webhooks/${id}`, { ...fields, events: ['store.closed', 'store.opened'] });
    await send('PUT', `/v1/webhooks/${id}`, {
      ...fields,
      url: 'https://planted.example.com/other',
      events: ['store.opened'],
    });
    await send('POST', `/v1/webhooks/${id}/actions/rotate-secret`);
    await send('DELETE', `/v1/webhooks/${id}`);

    const rows = await journal();

    const webhook = ['webhook', id, 'Our bot'];
    const hidden = ['hidden', 'hidden'];
    expect(told(rows)).toEqual([
      [
        'webhook.created',
        webhook,
        { events: [null, ['store.closed']], description: [null, 'Our bot'], url: hidden, secret: hidden },
      ],
      ['webhook.changed', webhook, { events: [['store.closed'], ['store.closed', 'store.opened']] }],
      ['webhook.changed', webhook, { events: [['store.closed', 'store.opened'], ['store.opened']], url: hidden }],
      ['webhook.rotated', webhook, { secret: hidden }],
      ['webhook.deleted', webhook, { description: ['Our bot', null] }],
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/planted|whsec_/);
  });

  test('tells the rules, and that the store was closed and why', async () => {
    const rules = {
      groupDiscount: 5,
      tiers: [],
      bonus: { percent: 0, groupPercent: 0, type: 'restricted', expiresInDays: null },
    };
    await send('PUT', '/v1/store/rules', rules);
    await send('PUT', '/v1/store/rules', rules);
    await send('POST', '/v1/store/actions/close', { reason: 'Back on Monday' });
    await send('POST', '/v1/store/actions/close', { reason: 'Once more' });
    await send('POST', '/v1/store/actions/open');

    expect(told(await journal())).toEqual([
      ['rules.changed', ['rules', null, null], { groupDiscount: [0, 5] }],
      ['store.closed', ['store', null, 'Corner Shop'], { open: [true, false], reason: [null, 'Back on Monday'] }],
      ['store.opened', ['store', null, 'Corner Shop'], { open: [false, true], reason: ['Back on Monday', null] }],
    ]);
  });

  test('tells keys, by the key that asked, and a rotation as two rows', async () => {
    const expiresAt = timestamp(start + 30 * 86_400_000);
    const made = await send('POST', '/v1/keys', { name: 'Web shop', preset: 'shop', expiresAt });
    await send('PUT', `/v1/keys/${made.id}`, { name: 'Web' });
    const next = await send('POST', `/v1/keys/${made.id}/actions/rotate`, { overlapHours: 24 });
    await send('POST', `/v1/keys/${next.id}/actions/revoke`);
    const invited = await send('POST', '/v1/keys', { name: 'Ann', preset: 'shop', inviteHours: 24 });
    const accepted = await send('POST', '/v1/store/key/actions/accept', undefined, service.callAs(invited.code));
    setClock(start + 61_000);
    await send('POST', '/v1/store/key/actions/end', undefined, service.callAs(accepted.key));

    const rows = await journal('limit=1000');

    const shopScopes = ['products:read', 'categories:read'];
    const web = ['key', made.id, 'Web'];
    const ann = ['key', invited.id, 'Ann'];
    expect(told(rows)).toEqual([
      [
        'key.issued',
        ['key', made.id, 'Web shop'],
        { name: [null, 'Web shop'], scopes: [null, shopScopes], expiresAt: [null, expiresAt], state: [null, 'active'] },
      ],
      ['key.changed', web, { name: ['Web shop', 'Web'] }],
      ...[
        [
          'key.issued',
          ['key', next.id, 'Web'],
          { name: [null, 'Web'], scopes: [null, shopScopes], expiresAt: [null, expiresAt], state: [null, 'active'] },
        ],
        ['key.rotated', web, { expiresAt: [expiresAt, timestamp(start + 86_400_000)], state: ['active', 'rotated'] }],
      ].sort(),
      ['key.revoked', ['key', next.id, 'Web'], { state: ['active', 'revoked'] }],
      ['key.issued', ann, { name: [null, 'Ann'], scopes: [null, shopScopes], state: [null, 'invited'] }],
      ['key.accepted', ann, { state: ['invited', 'active'] }],
      ['key.ended', ann, { state: ['active', 'revoked'] }],
    ]);
    expect(rows.slice(0, 2).map(({ by }) => by)).toEqual([
      { type: 'key', id: invited.id, name: 'Ann' },
      { type: 'key', id: invited.id, name: 'Ann' },
    ]);
    for (const secret of [made.key, next.key, invited.code, accepted.key])
      expect(JSON.stringify(rows)).not.toContain(secret.slice(22, 60));
  });
});

describe('who', () => {
  test('the command, which has no key, and a write that names nobody', async () => {
    const { id } = await createProduct(shop.store, { ...chair, price: 5 });
    await catchUp();
    await actedBy({ type: 'operator' }, () => updateProduct(shop.store, id, { ...chair, price: 6 }));
    await actedBy({ type: 'operator' }, () => updateProduct(shop.store, id, { ...chair, price: 7 }));
    await catchUp();
    await db.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: productKey(shop.store, id),
        UpdateExpression: 'SET price = :price',
        ExpressionAttributeValues: { ':price': 8 },
      }),
    );

    const rows = await journal(`subject=${id}`);

    expect(rows.map(({ by, requestId, changes }) => [by.type, by.id, by.name, requestId, changes[0]?.before])).toEqual([
      ['unknown', null, null, null, 7],
      ['operator', null, null, null, 6],
      ['operator', null, null, null, 5],
      ['unknown', null, null, null, null],
    ]);
  });

  test('one request that changes a thing twice makes two rows', async () => {
    const { id } = await createProduct(shop.store, chair);
    const key = productKey(shop.store, id);
    await actedBy({ type: 'key', id: shop.id, requestId: randomUUID() }, async () => {
      for (const price of [1, 2]) await write(update(key, { set: { price } }));
    });

    const rows = await journal(`subject=${id}&kind=product.changed`);

    expect(rows.map(({ by, changes }) => [by.id, changes[0]?.after])).toEqual([
      [shop.id, 2],
      [shop.id, 1],
    ]);
  });

  test('the name of the key is the present one, and a deleted thing names who deleted it', async () => {
    const ann = await shop.keyOf('Ann');
    const { id } = await send('POST', '/v1/categories', { name: 'Seats' }, ann.call);
    setClock(start + 2 * 3_600_000);
    await send('DELETE', `/v1/categories/${id}`, undefined, ann.call);
    await send('PUT', `/v1/keys/${ann.id}`, { name: 'Ann Smith' });

    const [deleted, made] = await journal(`subject=${id}`);

    expect([deleted?.kind, deleted?.by, made?.by]).toEqual([
      'category.deleted',
      { type: 'key', id: ann.id, name: 'Ann Smith' },
      { type: 'key', id: ann.id, name: 'Ann Smith' },
    ]);
  });

  test('a deleted store leaves no row of what went with it', async () => {
    await send('POST', '/v1/categories', { name: 'Seats' });
    await deleteStore(shop.store);
    await removeMany((await wholeTable(`${shop.store}#CATEGORY`)) as unknown as Key[]);

    await catchUp();

    const left = await wholeTable(`${shop.store}#EVENT`);
    expect(left.filter(({ rank }) => String(rank).includes('category.deleted'))).toEqual([]);
  });
});

describe('the list', () => {
  /** A product and a coupon, changed by two keys at three times. */
  const play = async () => {
    const ann = await shop.keyOf('Ann');
    const product = await send('POST', '/v1/products', { name: 'Chair', price: 1 });
    setClock(start + 1000);
    await send('PUT', `/v1/products/${product.id}`, { name: 'Chair', price: 2 }, ann.call);
    setClock(start + 2000);
    await send('PUT', '/v1/store/rules', { groupDiscount: 5 }, ann.call);
    await send('PUT', `/v1/products/${product.id}`, { name: 'Chair', price: 3 });
    return { ann, product };
  };
  const kinds = async (query: string): Promise<string[]> => (await journal(query)).map(({ kind }) => kind);

  test('is narrowed by kind, thing, key and time, together and one by one', async () => {
    const { ann, product } = await play();
    const [first, second] = [timestamp(start + 1000), timestamp(start + 2000)];

    expect(await kinds('kind=product.changed')).toEqual(['product.changed', 'product.changed']);
    expect(await kinds(`subject=${product.id.toUpperCase()}`)).toHaveLength(3);
    expect(await kinds(`key=${ann.id}`)).toEqual(['rules.changed', 'product.changed']);
    expect(await kinds(`key=${ann.id}&kind=rules.changed`)).toEqual(['rules.changed']);
    expect(await kinds(`from=${first}&to=${second}`)).toEqual(['product.changed']);
    expect(await kinds(`subject=${product.id}&from=${second}`)).toEqual(['product.changed']);
    expect(await kinds(`subject=${product.id}&to=${first}`)).toEqual(['product.created']);
    expect(await kinds('subject=nothing')).toEqual([]);
    expect(await kinds('key=0123456789ab')).toEqual([]);
  });

  test.each([
    ['kind=product.sold', 400],
    [`subject=${'x'.repeat(65)}`, 400],
    ['subject=', 400],
    ['key=short', 400],
    ['from=yesterday', 400],
    [`from=${timestamp(start)}&to=${timestamp(start)}`, 400],
    ['limit=0', 400],
    ['cursor=x', 400],
  ])('%s is %i', async (query, status) => {
    expect((await shop.call('GET', `/v1/journal?${query}`)).status).toBe(status);
  });

  test('is walked both ways, also where a filter leaves most rows out', async () => {
    const { product } = await send('POST', '/v1/products', { name: 'Chair', price: 1 }).then((made) => ({
      product: made,
    }));
    for (let price = 2; price <= 9; price++) await send('PUT', `/v1/products/${product.id}`, { name: 'Chair', price });

    const all = await walkList<JournalRow>(shop.call, '/v1/journal?kind=product.changed', 3);

    expect(all.map(({ changes }) => changes[0]?.after)).toEqual([9, 8, 7, 6, 5, 4, 3, 2]);
  });

  test.each(journalKindNames)(
    '%s needs the scope of its thing: it is left out, and asked for alone it is 403',
    async (kind) => {
      const { scope } = ruleOf(kind);
      const without = await shop.keyOf(
        'Ann',
        scope === null ? ['journal:read'] : scopes.filter((one) => one !== scope),
      );
      const needed = await shop.keyOf('Bob', scope === null ? ['journal:read'] : ['journal:read', scope]);

      const [refused, allowed] = [
        await without.call('GET', `/v1/journal?kind=${kind}`),
        await needed.call('GET', `/v1/journal?kind=${kind}`),
      ];

      expect(refused.status).toBe(scope === null ? 200 : 403);
      expect(allowed.status).toBe(200);
      if (scope !== null) expect(refused.body.detail).toContain(scope);
    },
  );

  test('shows a key only what it may read, in short pages that lead on', async () => {
    await play();
    const { call } = await shop.keyOf('Ann', ['journal:read']);

    expect(await kinds('')).toContain('product.changed');
    expect((await journal('', call)).map(({ kind }) => kind)).toEqual(['rules.changed']);
  });

  test('ends a long text and a long array', async () => {
    const { id } = await send('POST', '/v1/products', { name: 'Chair', price: 1, description: 'x'.repeat(300) });

    const [made] = await journal(`subject=${id}`);

    expect(made?.changes.find(({ field }) => field === 'description')?.after).toBe(`${'x'.repeat(200)}…`);
  });
});

describe('complete', () => {
  test('200 changes by 5 keys at once, with a consumer that dies and batches that come again and are cut: 200 rows, each chain whole', async () => {
    const people = await Promise.all(['A', 'B', 'C', 'D', 'E'].map((name) => shop.keyOf(name)));
    const products = await Promise.all(
      people.map(async () => (await shop.call('POST', '/v1/products', { name: 'Chair', price: 0 })).body.id),
    );
    await catchUp();
    const random = randomFrom(7);
    let price = 0;
    const change = async ({ call }: { call: typeof shop.call }): Promise<void> => {
      price += 1;
      const id = products[Math.floor(random() * products.length)];
      expect((await call('PUT', `/v1/products/${id}`, { name: 'Chair', price })).status).toBe(200);
    };
    for (let round = 0; round < 40; round++) {
      await Promise.all(people.map(change));
      // The consumer dies at some call of this batch, and the next one gets it again from its beginning.
      const restore = injectFaults(round + 1, 0.3);
      await catchUp().catch(() => undefined);
      restore();
    }
    await catchUp();

    const rows = await journal('kind=product.changed&limit=1000');

    expect(rows).toHaveLength(200);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(200);
    for (const [id, some] of Map.groupBy(rows.toReversed(), ({ subject }) => subject.id)) {
      const chain = some.map(({ changes }) => [changes[0]?.before, changes[0]?.after]);
      const last = (await shop.call('GET', `/v1/products/${id}`)).body.price;
      expect(chain.map(([before]) => before)).toEqual([0, ...chain.slice(0, -1).map(([, after]) => after)]);
      expect(chain.at(-1)?.[1]).toBe(last);
    }
    for (const { id } of people) expect(rows.filter(({ by }) => by.id === id)).toHaveLength(40);
  });

  test('a request that is sent again under its Idempotency-Key makes one row, and a refused one none', async () => {
    const once = { 'Idempotency-Key': 'once' };
    const body = { name: 'Chair', price: 1 };
    const { body: made } = await shop.call('POST', '/v1/products', body, once);
    await shop.call('POST', '/v1/products', body, once);
    await shop.call('PUT', `/v1/products/${made.id}`, { name: 'Chair', price: 2 }, { 'If-Match': '"x"' });
    await shop.call('PUT', `/v1/products/${made.id}`, { name: 'Chair', price: -1 });

    expect(told(await journal()).map(([kind]) => kind)).toEqual(['product.created']);
  });
});

/** The real engine takes hours for 100,000 rows, so only tables in memory have that number. */
const most = volume(2_500, 100_000);

test(`100 rows about one thing among ${most} cost at most 60 read units`, async () => {
  const subject = randomUUID();
  const by = { type: 'key', id: shop.id } as const;
  const rowOf = (index: number) => {
    const [id, at] = [newId(), timestamp(start - most + index)];
    const journal = {
      ...{
        kind: 'product.changed' as const,
        subject: index % (most / 100) === 0 ? subject : randomUUID(),
        name: 'Chair',
        by,
      },
      changes: [{ field: 'description', before: 'x'.repeat(200), after: 'y'.repeat(200), hidden: false }],
    };
    return {
      pk: partition(shop.store, 'EVENT'),
      sk: id,
      at,
      ...journalItem(shop.store, journal, { place: `${at}#000000#${id}`, at, eventList: undefined }),
    };
  };
  await putAll(Array.from({ length: most }, (_, index) => rowOf(index)));

  const { body, cost } = await shop.call('GET', `/v1/journal?subject=${subject}&limit=100`);

  expect(body.data).toHaveLength(100);
  expect(cost?.units).toBeLessThanOrEqual(60);
});
