import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { recordPurchase } from '../../../lib/avatars/spend.ts';
import { timestamp } from '../../../lib/clock.ts';
import { endPages } from '../../../lib/operator/end-pages.ts';
import { createStore, deleteStore } from '../../../lib/operator/stores.ts';
import { takesKeys } from '../../../lib/routes/route.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { received, startTestQueue } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { newResident, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

/** Extensions, *The customer's page*, sentence by sentence, from outside. */

const start = Date.parse('2028-03-01T12:00:00.000Z');
const minutes = 60_000;
const at = (millis: number): string => timestamp(start + millis);

setClock(start);
const { url: queueUrl } = await startTestQueue();
const service = await startTestService();
await keepHistory();
process.env.DISPENSER_LOOPBACK = 'allowed';
const { store, call } = service;

const openPath = (who: string): string => `/v1/customers/${who}/actions/open-page`;
const beginPath = '/v1/me/actions/begin';
const endPath = '/v1/me/actions/end';
const redeemPath = '/v1/me/giftcards/actions/redeem';
const sendPath = (productId: string): string => `/v1/me/products/${productId}/actions/redeliver`;

type Caller = ReturnType<typeof service.callAs>;

/** The code of a page, and a caller with it. */
const open = async (who: string, by: Caller = call) => {
  const { status, body } = await by('POST', openPath(who));
  expect(status, JSON.stringify(body)).toBe(200);
  return { code: body.code as string, call: service.callAs(body.code) };
};

/** A page that has begun: its token, and a caller with it. */
const begin = async (who: string, by: Caller = call) => {
  const { code, call: withCode } = await open(who, by);
  const { status, body } = await withCode('POST', beginPath);
  expect(status, JSON.stringify(body)).toBe(200);
  return { code, token: body.token as string, call: service.callAs(body.token) };
};

const newAvatar = async (): Promise<string> => (await newResident()).uuid;

const newProduct = async (fields: object = {}): Promise<string> =>
  (await call('POST', '/v1/products', { name: 'Lamp', price: 5, ...fields })).body.id;

const buy = (uuid: string, productId: string, millis = -3_600_000) =>
  recordPurchase(store, { id: randomUUID(), buyer: { uuid, username: 'x' }, productId, price: 5, at: at(millis) });

const grant = async (uuid: string, credit: number, transfer = false, by: Caller = call): Promise<string> =>
  (await by('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit, transfer })).body.id;

const creditOf = async (uuid: string): Promise<number> =>
  (await call('GET', `/v1/customers/${uuid}/credit`)).body.credit;

const increment = (uuid: string, delta: number, expiresAt?: string, type = '') =>
  call('POST', `/v1/customers/${uuid}/actions/increment${type}-credit`, {
    delta,
    expiresAt,
    reason: 'r',
    reference: 'f',
  });

/** Another store, with a key of all scopes. */
const newStore = async () => {
  const { id } = await createStore('Corner Shop');
  const { text } = await issueKey({ store: id, name: 'owner', scopes, stage: 'test' });
  return { id, call: service.callAs(text) };
};

/** A path of the row with something in each placeholder. */
const filled = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => (name === 'keyId' ? '0a1B2c3D4e5F' : unknownUuid));

const rowsOfToken = routes.filter(({ scope }) => scope === 'self');
const rowOfCode = routes.filter(({ byPageCode }) => byPageCode);

describe('a code', () => {
  test('200s with a code of 74 characters that lives for 10 minutes, makes nobody a customer, and is kept as a hash', async () => {
    setClock(start);
    const uuid = await newAvatar();

    const { status, body } = await call('POST', openPath(uuid));

    expect([status, body]).toEqual([200, { code: expect.any(String), expiresAt: at(10 * minutes) }]);
    expect(body.code).toMatch(/^sis_me_test_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(body.code).toHaveLength(74);
    expect(await wholeTable(`${store}#CUSTOMER`)).not.toContainEqual(expect.objectContaining({ sk: uuid }));
    expect(JSON.stringify(await wholeTable())).not.toContain(body.code.slice(25, 68));
  });

  test('takes a name, 404s for nobody, 400s for what is no name, and 403s without its scope', async () => {
    setClock(start);
    const { uuid, username } = await newResident();
    const page = await begin(username);
    const without = service.callAs(await service.keyWith(scopes.filter((scope) => scope !== 'pages:open')));
    const alone = service.callAs(await service.keyWith(['pages:open']));

    expect((await page.call('GET', '/v1/me')).body.uuid).toBe(uuid);
    expect((await call('POST', openPath('nobody.anywhere'))).status).toBe(404);
    expect((await call('POST', openPath('a.b.c'))).status).toBe(400);
    expect((await without('POST', openPath(uuid))).status).toBe(403);
    expect((await alone('POST', openPath(uuid))).status).toBe(200);
  });

  test('begins one page: 400 then, but for the same Idempotency-Key, and 401 when its 10 minutes are over', async () => {
    setClock(start);
    const { uuid, username } = await newResident();
    const { call: withCode } = await open(uuid);
    const key = { 'Idempotency-Key': 'once' };

    const first = await withCode('POST', beginPath, undefined, key);
    const again = await withCode('POST', beginPath, undefined, key);
    const other = await withCode('POST', beginPath);

    expect([first.status, first.body]).toEqual([
      200,
      { token: expect.any(String), expiresAt: at(60 * minutes), uuid, username },
    ]);
    expect(first.body.token).toMatch(/^sis_me_test_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true']);
    expect([other.status, other.body.detail]).toEqual([400, expect.stringContaining(`used already, at ${at(0)}`)]);
    // Within the minute for which the gateway remembers the code.
    setClock(start + 10 * minutes - 1);
    expect((await withCode('POST', beginPath)).status).toBe(400);
    setClock(start + 10 * minutes);
    for (const headers of [key, {}]) expect((await withCode('POST', beginPath, undefined, headers)).status).toBe(401);
    expect((await service.callAs(first.body.token)('GET', '/v1/me')).status).toBe(200);
  });

  test('that nobody used is over after 10 minutes', async () => {
    setClock(start);
    const { call: withCode } = await open(await newAvatar());

    setClock(start + 10 * minutes);

    expect((await withCode('POST', beginPath)).status).toBe(401);
  });

  test('begun twice at once makes one page, in any round', async () => {
    setClock(start);
    for (let round = 0; round < 20; round++) {
      const { call: withCode } = await open(await newAvatar());

      const answers = await Promise.all([withCode('POST', beginPath), withCode('POST', beginPath)]);

      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const { token } = answers.find(({ status }) => status === 200)?.body ?? {};
      expect((await service.callAs(token)('GET', '/v1/me')).status).toBe(200);
    }
  });

  test('whose begin gets no answer is begun once, under its Idempotency-Key', async () => {
    setClock(start);
    const { call: withCode } = await open(await newAvatar());
    let lost = 0;
    const stop = intercept(async ({ input, isWrite }, send) => {
      const answer = await send();
      if (isWrite && JSON.stringify(input).includes('begunAt') && lost++ === 0) throw new Error('socket hang up');
      return answer;
    });
    const key = { 'Idempotency-Key': 'lost' };
    const first = await withCode('POST', beginPath, undefined, key);
    stop();
    const again = first.status === 200 ? first : await withCode('POST', beginPath, undefined, key);

    expect(lost).toBeGreaterThan(0);
    expect(again.status).toBe(200);
    expect((await service.callAs(again.body.token)('GET', '/v1/me')).status).toBe(200);
  });

  test('leaves earlier codes as they are', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const codes = [await open(uuid), await open(uuid), await open(uuid)];

    const statuses = [];
    for (const { call: withCode } of codes) statuses.push((await withCode('POST', beginPath)).status);

    expect(statuses).toEqual([200, 200, 200]);
  });

  test.each(routes.filter(({ byPageCode }) => !byPageCode).map(({ method, path }) => [method, path]))(
    'is 401 at %s %s, before and after it was used',
    async (method, path) => {
      setClock(start);
      const { call: withCode } = await open(await newAvatar());
      const before = await withCode(method, filled(path));
      await withCode('POST', beginPath);
      const after = await withCode(method, filled(path));

      expect([before.status, after.status, before.cost, after.cost]).toEqual([401, 401, undefined, undefined]);
    },
  );

  test('and a token stand only in the answers that make them, whose records are sealed', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const key = { 'Idempotency-Key': `sealed ${uuid}` };

    const opened = await call('POST', openPath(uuid), undefined, { 'Idempotency-Key': 'sealed' });
    const again = await call('POST', openPath(uuid), undefined, { 'Idempotency-Key': 'sealed' });
    const begun = await service.callAs(opened.body.code)('POST', beginPath, undefined, {
      'Idempotency-Key': key['Idempotency-Key'].replaceAll(' ', '-'),
    });

    expect(again.body).toEqual(opened.body);
    expect(begun.status).toBe(200);
    const kept = JSON.stringify(await wholeTable());
    for (const text of [opened.body.code, begun.body.token]) expect(kept).not.toContain(text.slice(25));
  });
});

describe('a token', () => {
  test.each(routes.filter(({ scope }) => scope !== 'self').map(({ method, path }) => [method, path]))(
    'is 403 at %s %s, and calls no function',
    async (method, path) => {
      setClock(start);
      const page = await begin(await newAvatar());

      const { status, cost } = await page.call(method, filled(path));

      expect([status, cost]).toEqual([403, undefined]);
    },
  );

  test('is not needed less than a key: each of its rows, and begin, is 403 for a key of all scopes', async () => {
    setClock(start);
    for (const { method, path } of [...rowsOfToken, ...rowOfCode]) {
      const { status, body, cost } = await call(method, filled(path));

      expect([status, cost], path).toEqual([403, undefined]);
      expect(body.detail).toBe(
        path === beginPath
          ? 'The API key lacks the code of a page, which this endpoint needs.'
          : 'The API key lacks the scope self, which this endpoint needs.',
      );
    }
    expect(rowsOfToken).toHaveLength(9);
    expect(routes.filter((row) => !takesKeys(row))).toHaveLength(12);
  });

  test('is of no other deployment, no page, and no key with its id', async () => {
    setClock(start);
    const { token } = await begin(await newAvatar());
    const [, , , id] = token.split('_');
    for (const wrong of [
      token.replace('_me_', '_'),
      token.replace('_test_', '_live_'),
      `sis_me_test_${id}_`,
      'sis_me_test_',
    ])
      expect((await service.callAs(wrong)('GET', '/v1/me')).status, wrong).toBe(401);
  });

  test('lives for 60 minutes from begin, and is not prolonged', async () => {
    setClock(start);
    const { call: withCode } = await open(await newAvatar());
    setClock(start + 5 * minutes);
    const { token, expiresAt } = (await withCode('POST', beginPath)).body;
    const page = service.callAs(token);

    expect(expiresAt).toBe(at(65 * minutes));
    setClock(start + 65 * minutes - 1);
    expect((await page('GET', '/v1/me')).body.expiresAt).toBe(expiresAt);
    // The gateway has just let it in, and goes on for a minute.
    setClock(start + 65 * minutes);
    for (const { method, path } of rowsOfToken) expect((await page(method, filled(path), {})).status, path).toBe(401);
  });

  test('that was ended is 401 at once at every row, within the authorizer’s cache, and so are repeats', async () => {
    setClock(start);
    const uuid = await newAvatar();
    await grant(uuid, 5);
    const { call: page } = await begin(uuid);
    for (const { method, path } of rowsOfToken)
      if (path !== endPath) await page(method, filled(path), { newsSubscriber: true });
    const key = { 'Idempotency-Key': 'redeem' };
    expect((await page('POST', redeemPath, {}, key)).status).toBe(200);

    expect((await page('POST', endPath)).status).toBe(204);

    for (const { method, path } of rowsOfToken) {
      const { status } = await page(method, filled(path), { newsSubscriber: true });
      expect(status, path).toBe(401);
    }
    expect((await page('POST', redeemPath, {}, key)).status).toBe(401);
    // Faults of form do not hide it either.
    expect((await page('PUT', '/v1/me', { newsSubscriber: 'x' })).status).toBe(401);
    expect((await page('GET', '/v1/me/products?limit=0')).status).toBe(401);
    setClock(start + 2 * minutes);
    expect((await page('GET', '/v1/me')).status).toBe(401);
  });

  test('ended by one while others act: each act is done or 401, and none follows the end', async () => {
    setClock(start);
    for (let round = 0; round < 10; round++) {
      const uuid = await newAvatar();
      await grant(uuid, 5);
      const { call: page } = await begin(uuid);

      const [redeemed, ended] = await Promise.all([page('POST', redeemPath), page('POST', endPath)]);

      expect(ended.status).toBe(204);
      expect([200, 401]).toContain(redeemed.status);
      expect(await creditOf(uuid)).toBe(redeemed.status === 200 ? 5 : 0);
      expect((await page('POST', redeemPath)).status).toBe(401);
    }
  });

  test('is 401 at once after an erasure, and so is a code', async () => {
    setClock(start);
    const [uuid, other] = [await newAvatar(), await newAvatar()];
    const [page, unused, stays] = [await begin(uuid), await open(uuid), await begin(other)];
    await page.call('GET', '/v1/me');

    await endPages(store, uuid);

    expect((await page.call('GET', '/v1/me')).status).toBe(401);
    expect((await unused.call('POST', beginPath)).status).toBe(401);
    expect((await stays.call('GET', '/v1/me')).status).toBe(200);
    expect(JSON.stringify([...(await wholeTable('PAGE#')), ...(await wholeTable(`${store}#PAGES`))])).not.toContain(
      uuid,
    );
  });

  test('is 401 once its store is deleted, and no key opens a page there any more', async () => {
    setClock(start);
    const shop = await newStore();
    const uuid = await newAvatar();
    const [page, unused] = [await begin(uuid, shop.call), await open(uuid, shop.call)];
    await page.call('GET', '/v1/me');

    await deleteStore(shop.id);

    for (const { method, path } of rowsOfToken)
      expect((await page.call(method, filled(path), { newsSubscriber: true })).status, path).toBe(401);
    expect((await unused.call('POST', beginPath)).status).toBe(401);
    expect((await shop.call('POST', openPath(uuid))).status).toBe(404);
    expect(await wholeTable(`${shop.id}#PAGES`)).toEqual([]);
  });
});

describe('what a page shows', () => {
  test('an avatar whom the store never touched has zeros and empty lists, and becomes no customer by reading', async () => {
    setClock(start);
    const { uuid, username } = await newResident();
    const { call: page } = await begin(uuid);

    expect((await page('GET', '/v1/me')).body).toEqual({
      ...{ uuid, username, store: { name: 'Test store', open: true }, credit: 0, restrictedCredit: 0, discount: 0 },
      ...{ newsSubscriber: false, coupons: [], expiresAt: at(60 * minutes) },
    });
    for (const path of ['credit/lots', 'credit/history', 'products', 'giftcards'])
      expect((await page('GET', `/v1/me/${path}`)).body, path).toEqual({
        data: [],
        pagination: { nextCursor: null, previousCursor: null, limit: 100 },
      });
    expect((await page('POST', redeemPath)).body).toMatchObject({ cards: 0, amount: 0, more: false });
    expect(await wholeTable(`${store}#CUSTOMER`)).not.toContainEqual(expect.objectContaining({ sk: uuid }));
  });

  test('balances, discount, news and live coupons, with the names of products that are there', async () => {
    setClock(start);
    const owner = await newAvatar();
    const uuid = await newAvatar();
    const product = await newProduct({ name: 'Chair' });
    const code = (name: string) => call('POST', '/v1/coupons', { code: name, discount: 10, ownerIdentifier: owner });
    const apply = (body: object) => call('POST', `/v1/customers/${uuid}/actions/apply-coupon`, body);
    await code('Wide');
    await code('Narrow');
    await apply({ code: 'Wide', scope: 0 });
    await apply({ code: 'Narrow', scope: 1, productId: product, expiresInHours: 2 });
    await call('PUT', `/v1/customers/${uuid}`, { discount: 7 });
    await increment(uuid, 30);
    await increment(uuid, 4, undefined, '-restricted');
    await call('POST', `/v1/customers/${uuid}/actions/ban`, { reason: 'a secret reason' });
    const { call: page } = await begin(uuid);

    const { body } = await page('GET', '/v1/me');

    expect(body).toMatchObject({ credit: 30, restrictedCredit: 4, discount: 7, newsSubscriber: false });
    expect(body.coupons).toEqual([
      { code: 'Wide', discount: 10, scope: 'store', product: null, expiresAt: at(24 * 60 * minutes) },
      {
        ...{ code: 'Narrow', discount: 10, scope: 'product', product: { id: product, name: 'Chair' } },
        expiresAt: at(120 * minutes),
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`secret|ban|${owner}`, 'i'));
  });

  test('at most 50 coupons', async () => {
    setClock(start);
    const uuid = await newAvatar();
    await call('POST', '/v1/coupons', { code: 'Many', discount: 5, ownerIdentifier: uuid });
    for (let index = 0; index < 51; index++)
      await call('POST', `/v1/customers/${uuid}/actions/apply-coupon`, {
        ...{ code: 'Many', scope: 1, productId: await newProduct() },
      });
    const { call: page } = await begin(uuid);

    expect((await page('GET', '/v1/me')).body.coupons).toHaveLength(50);
  });

  test('open lots that are not due, in the order of the lots row, and no more of each', async () => {
    setClock(start);
    const uuid = await newAvatar();
    await increment(uuid, 1, at(120 * minutes));
    await increment(uuid, 2, at(5 * minutes));
    await increment(uuid, 3, at(60 * minutes), '-restricted');
    setClock(start + 5 * minutes);
    const { call: page } = await begin(uuid);

    const all = (await call('GET', `/v1/customers/${uuid}/credit/lots?state=open`)).body.data;
    const { data } = (await page('GET', '/v1/me/credit/lots')).body;
    const restricted = (await page('GET', '/v1/me/credit/lots?type=restricted')).body.data;

    expect(all).toHaveLength(3);
    const live = all.filter(({ amount }: { amount: number }) => amount !== 2);
    expect(data).toEqual(
      live.map(({ type, amount, remaining, createdAt, expiresAt }: Record<string, unknown>) => ({
        ...{ type, amount, remaining, createdAt, expiresAt },
      })),
    );
    expect(restricted.map(({ amount }: { amount: number }) => amount)).toEqual([3]);
    expect((await page('GET', '/v1/me/credit/lots?type=other')).status).toBe(400);
  });

  test('every row of history with the product of its sale, without reason, reference, request, key or ids of lots', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const product = await newProduct({ name: 'Coat', price: 8 });
    await increment(uuid, 20, at(500 * minutes));
    const sale = await call('POST', '/v1/sales', {
      ...{ id: randomUUID(), productId: product, buyerIdentifier: uuid, paid: 0, useCredit: true },
    });
    await grant(uuid, 6);
    const { call: page } = await begin(uuid);
    expect((await page('POST', redeemPath)).status).toBe(200);
    await catchUp();

    const { data } = (await page('GET', '/v1/me/credit/history')).body;

    const common = { type: 'regular', expired: 0, restrictedCredit: 0 };
    const lot = (amount: number) => [{ amount, expiresAt: at(500 * minutes) }];
    expect(data).toEqual([
      {
        ...{ ...common, sequence: 3, at: at(0), kind: 'redeem', amount: 6, credit: 18, saleId: null, product: null },
        lots: [{ amount: 6, expiresAt: null }],
      },
      {
        ...{ ...common, sequence: 2, at: at(0), kind: 'sale', amount: -8, credit: 12, lots: lot(-8) },
        ...{ saleId: sale.body.id, product: { id: product, name: 'Coat' } },
      },
      {
        ...{ ...common, sequence: 1, at: at(0), kind: 'increment', amount: 20, credit: 20, lots: lot(20) },
        ...{ saleId: null, product: null },
      },
    ]);
    expect((await page('GET', '/v1/me/credit/history?type=restricted')).body.data).toEqual([]);
    expect((await page('GET', '/v1/me/credit/history?type=x')).status).toBe(400);
  });

  test('what they own, and whether it can be sent again', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const copies = await newProduct({ name: 'Copies' });
    const single = await newProduct({ name: 'Single', permissions: { copy: false, modify: false, transfer: true } });
    for (const id of [copies, single]) await buy(uuid, id);
    const gone = randomUUID();
    await buy(uuid, gone);
    const { call: page } = await begin(uuid);

    const { data } = (await page('GET', '/v1/me/products')).body;

    const row = (productId: string, name: string, canRedeliver: boolean) => ({
      ...{ productId, name, canRedeliver, quantity: 1, boughtAt: at(-60 * minutes), lastDeliveredAt: null },
    });
    expect(data).toEqual(
      [row(copies, 'Copies', true), row(single, 'Single', false), row(gone, '', false)].sort((a, b) =>
        a.productId < b.productId ? -1 : 1,
      ),
    );
  });

  test('own cards that can be redeemed, transferable ones too, under a text that is not their id', async () => {
    setClock(start);
    const [uuid, other] = [await newAvatar(), await newAvatar()];
    const ids = [await grant(uuid, 5), await grant(uuid, 7, true), await grant(uuid, 9), await grant(other, 11, true)];
    await call('POST', `/v1/giftcards/${ids[2]}/actions/disable`);
    const { call: page } = await begin(uuid);

    const { body } = await page('GET', '/v1/me/giftcards');

    expect(body.data).toEqual([
      { card: expect.any(String), credit: 5, transfer: false, texture: null, purchased: false },
      { card: expect.any(String), credit: 7, transfer: true, texture: null, purchased: false },
    ]);
    for (const { card } of body.data) expect(card.length).toBeLessThanOrEqual(300);
    const readable =
      JSON.stringify(body) + body.data.map(({ card }: { card: string }) => Buffer.from(card, 'base64url'));
    for (const id of ids) expect(readable).not.toContain(id);
  });

  test('pages of each list, there and back, whose cursors serve no other avatar, list or store', async () => {
    setClock(start);
    const shop = await newStore();
    const [uuid, other] = [await newAvatar(), await newAvatar()];
    for (let index = 0; index < 5; index++) {
      await grant(uuid, index + 1);
      await grant(other, index + 1);
      await buy(uuid, await newProduct());
      await increment(uuid, 1, at((100 + index) * minutes));
    }
    await catchUp();
    const { call: page } = await begin(uuid);
    const strangers = [(await begin(other)).call, (await begin(uuid, shop.call)).call];

    for (const list of ['credit/lots', 'credit/history', 'products', 'giftcards']) {
      const path = `/v1/me/${list}`;
      const whole = (await page('GET', path)).body.data;
      expect(whole, list).toHaveLength(5);
      // A card's text differs each time.
      const uncarded: Caller = async (method, at) => {
        const answer = await page(method, at);
        for (const row of answer.body.data) delete row.card;
        return answer;
      };
      expect(await walkList(uncarded, path, 2)).toEqual((await uncarded('GET', path)).body.data);
      const cursor = (await page('GET', `${path}?limit=2`)).body.pagination.nextCursor;
      for (const stranger of strangers)
        expect((await stranger('GET', `${path}?cursor=${cursor}`)).status, list).toBe(400);
      const elsewhere = list === 'products' ? '/v1/me/giftcards' : '/v1/me/products';
      expect((await page('GET', `${elsewhere}?cursor=${cursor}`)).status).toBe(400);
      const ofKeys = { 'credit/lots': 'credit/lots?state=open&' }[list] ?? `${list}?`;
      expect((await call('GET', `/v1/customers/${uuid}/${ofKeys}cursor=${cursor}`)).status).toBe(400);
    }
  });

  test('nothing of anybody else, whatever names, stores or UUIDs a request sends', async () => {
    setClock(start);
    const shop = await newStore();
    const [uuid, other] = [await newAvatar(), await newAvatar()];
    await increment(other, 40);
    await grant(other, 40, true);
    const { call: page } = await begin(uuid);
    const sent = `uuid=${other}&identifier=${other}&store=${shop.id}&customer=${other}`;
    const body = { newsSubscriber: true, uuid: other, identifier: other, store: shop.id, discount: 100, credit: 9 };

    for (const { method, path } of rowsOfToken.filter(({ path }) => path !== endPath)) {
      const answer = await page(method, `${filled(path)}?${sent}`, method === 'GET' ? undefined : body);
      expect(JSON.stringify(answer.body), path).not.toContain(other);
    }

    expect((await call('GET', `/v1/customers/${other}`)).body).toMatchObject({ credit: 40, newsSubscriber: false });
    expect((await call('GET', `/v1/customers/${uuid}`)).body).toMatchObject({
      discount: 0,
      credit: 0,
      newsSubscriber: true,
    });
  });

  test('a store as it is: closed and banned change nothing', async () => {
    const shop = await newStore();
    setClock(start);
    const uuid = await newAvatar();
    await grant(uuid, 5, false, shop.call);
    await shop.call('POST', `/v1/customers/${uuid}/actions/ban`);
    await shop.call('POST', '/v1/store/actions/close');
    const { call: page } = await begin(uuid, shop.call);

    expect((await page('GET', '/v1/me')).body.store).toEqual({ name: 'Corner Shop', open: false });
    expect((await page('POST', redeemPath)).body).toMatchObject({ cards: 1, amount: 5 });
  });
});

describe('what a page does', () => {
  test('PUT answers as GET, makes them a customer, and takes nothing but the subscription', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const { call: page } = await begin(uuid);

    const put = await page('PUT', '/v1/me', { newsSubscriber: true, discount: 90 });

    expect([put.status, put.body]).toEqual([200, (await page('GET', '/v1/me')).body]);
    expect(put.body).toMatchObject({ newsSubscriber: true, discount: 0 });
    const listed = (await call('GET', '/v1/customers?newsSubscriber=true&limit=1000')).body.data;
    expect(listed).toContainEqual(expect.objectContaining({ uuid, discount: 0 }));
    expect((await page('PUT', '/v1/me', { newsSubscriber: false })).body.newsSubscriber).toBe(false);
    expect((await page('PUT', '/v1/me', {})).status).toBe(400);
  });

  test('sends an owned product to them, once in a minute, and refuses as the row of the same name', async () => {
    setClock(start);
    const { uuid, username } = await newResident();
    const product = await newProduct();
    const single = await newProduct({ permissions: { copy: false, modify: false, transfer: true } });
    for (const id of [product, single]) await buy(uuid, id);
    const { call: page } = await begin(uuid);
    await received(queueUrl);

    const sent = await page('POST', sendPath(product), { message: 'ignored', recipientIdentifier: unknownUuid });

    expect([sent.status, sent.body, sent.headers.get('delivery-id')]).toEqual([
      200,
      { productId: product, queued: true },
      null,
    ]);
    const orders = (await received(queueUrl)).map((text) => JSON.parse(text));
    expect(orders).toEqual([
      expect.objectContaining({ productId: product, recipientUuid: uuid, recipientUsername: username, message: '' }),
    ]);
    const refused = [
      await page('POST', sendPath(product)),
      await page('POST', sendPath(single)),
      await page('POST', sendPath(await newProduct())),
      await page('POST', sendPath(unknownUuid)),
      await page('POST', sendPath('x')),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 404, 400]);
    setClock(start + minutes);
    expect((await page('POST', sendPath(product))).status).toBe(200);
  });

  test('redeems one card, or all own ones, and says whether there are more', async () => {
    setClock(start);
    const uuid = await newAvatar();
    await grant(uuid, 5);
    await grant(uuid, 7, true);
    const { call: page } = await begin(uuid);
    const [first, second] = (await page('GET', '/v1/me/giftcards')).body.data;

    const one = await page('POST', redeemPath, { card: second.card });
    const again = await page('POST', redeemPath, { card: second.card });
    const rest = await page('POST', redeemPath);
    const late = await page('POST', redeemPath, { card: first.card });

    const credit = (sum: number) => ({ uuid, username: expect.any(String), credit: sum, restrictedCredit: 0 });
    expect([one.status, one.body]).toEqual([200, { cards: 1, amount: 7, credit: credit(7), more: true }]);
    expect([again.status, again.body.detail]).toEqual([400, 'card cannot be redeemed any more.']);
    expect([rest.status, rest.body]).toEqual([200, { cards: 1, amount: 5, credit: credit(12), more: false }]);
    expect(late.status).toBe(400);
    expect(await creditOf(uuid)).toBe(12);
  });

  test('redeems no card of another avatar or store, no id, no changed text, and none that was disabled since', async () => {
    setClock(start);
    const shop = await newStore();
    const [uuid, other] = [await newAvatar(), await newAvatar()];
    const id = await grant(uuid, 5, true);
    await grant(other, 6, true);
    await grant(uuid, 7, true, shop.call);
    const cardsOf = async (page: Caller) => (await page('GET', '/v1/me/giftcards')).body.data[0].card as string;
    const page = await begin(uuid);
    const own = await cardsOf(page.call);
    const theirs = await cardsOf((await begin(other)).call);
    const elsewhere = await cardsOf((await begin(uuid, shop.call)).call);
    const cursor = (await call('GET', '/v1/customers?limit=1')).body.pagination.nextCursor;

    const changed = own.slice(0, -1) + (own.endsWith('A') ? 'B' : 'A');
    for (const card of [theirs, elsewhere, id, changed, `${own}A`, cursor, 'x', '', 'x'.repeat(301), 5, null])
      expect((await page.call('POST', redeemPath, { card })).status, String(card)).toBe(400);
    // Their texts are not opened at all, so they cannot tell whether such a card is there.
    for (const card of [theirs, elsewhere])
      expect((await page.call('POST', redeemPath, { card })).body.detail).toBe(
        'card names none of your cards: load the page again.',
      );
    await call('POST', `/v1/giftcards/${id}/actions/disable`);
    expect((await page.call('POST', redeemPath, { card: own })).status).toBe(400);

    expect([await creditOf(uuid), await creditOf(other)]).toEqual([0, 0]);
    await call('PUT', `/v1/giftcards/${id}`, { credit: 5 });
    expect((await (await begin(uuid)).call('POST', redeemPath, { card: own })).status).toBe(200);
  });

  test('one card redeemed twice at once gives its credit once', async () => {
    setClock(start);
    for (let round = 0; round < 10; round++) {
      const uuid = await newAvatar();
      await grant(uuid, 5);
      const { call: page } = await begin(uuid);
      const { card } = (await page('GET', '/v1/me/giftcards')).body.data[0];

      const answers = await Promise.all([page('POST', redeemPath, { card }), page('POST', redeemPath)]);

      expect(answers.filter(({ body }) => body.amount === 5)).toHaveLength(1);
      expect(await creditOf(uuid)).toBe(5);
    }
  });

  test('names the customer as author of PUT and redeem, and no key', async () => {
    setClock(start);
    const { uuid, username } = await newResident();
    const id = await grant(uuid, 5);
    const { call: page } = await begin(uuid);

    const put = await page('PUT', '/v1/me', { newsSubscriber: true });
    const redeemed = await page('POST', redeemPath);
    await catchUp();

    const by = { type: 'customer', id: uuid, name: username };
    const told = async (subject: string) =>
      (await call('GET', `/v1/journal?subject=${subject}`)).body.data.filter(
        ({ by: { type } }: { by: { type: string } }) => type === 'customer',
      );
    expect(await told(uuid)).toEqual([
      expect.objectContaining({ kind: 'customer.changed', by, requestId: put.headers.get('x-request-id') }),
    ]);
    expect(await told(id)).toEqual([
      expect.objectContaining({ kind: 'giftcard.redeemed', by, requestId: redeemed.headers.get('x-request-id') }),
    ]);
    const [row] = (await call('GET', `/v1/customers/${uuid}/credit/history`)).body.data;
    expect(row).toMatchObject({ kind: 'redeem', keyId: null, requestId: redeemed.headers.get('x-request-id') });
  });
});

describe('how much a page does', () => {
  test('20 acts, refused ones among them: then 429 until it ends, and it still reads', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const { call: page } = await begin(uuid);
    const acts = [
      () => page('POST', sendPath(unknownUuid)),
      () => page('POST', redeemPath, { card: 'of nobody' }),
      () => page('PUT', '/v1/me', { newsSubscriber: true }),
      () => page('POST', redeemPath),
    ];
    for (let round = 0; round < 5; round++) {
      const statuses = [];
      for (const act of acts) statuses.push((await act()).status);
      expect(statuses).toEqual([404, 400, 200, 200]);
    }

    setClock(start + 10 * minutes);
    for (const act of acts) {
      const { status, headers } = await act();
      expect([status, headers.get('retry-after')]).toEqual([429, String(50 * 60)]);
    }
    expect((await page('GET', '/v1/me')).status).toBe(200);
    expect((await page('POST', endPath)).status).toBe(204);
    expect((await page('POST', redeemPath)).status).toBe(401);
    // Another page of theirs has acts of its own.
    expect((await (await begin(uuid)).call('POST', redeemPath)).status).toBe(200);
  });

  test('neither a repeat under an Idempotency-Key nor a fault of form is an act', async () => {
    setClock(start);
    const uuid = await newAvatar();
    await grant(uuid, 5);
    const { call: page } = await begin(uuid);
    const key = { 'Idempotency-Key': 'once' };
    for (let index = 0; index < 25; index++) {
      expect((await page('POST', redeemPath, {}, key)).body.amount).toBe(5);
      expect((await page('PUT', '/v1/me', { newsSubscriber: 1 })).status).toBe(400);
      expect((await page('POST', redeemPath, { card: 1 })).status).toBe(400);
      expect((await page('POST', sendPath('x'))).status).toBe(400);
    }

    for (let index = 0; index < 19; index++) expect((await page('POST', redeemPath)).status).toBe(200);
    expect((await page('POST', redeemPath)).status).toBe(429);
    expect((await page('POST', redeemPath, {}, key)).body.amount).toBe(5);
  });

  test('1,000 times Send again, many at once: 20 are looked at, and one item is sent', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const product = await newProduct();
    await buy(uuid, product);
    const { call: page } = await begin(uuid);
    await received(queueUrl);

    const statuses: Record<number, number> = {};
    for (let round = 0; round < 20; round++)
      for (const { status } of await Promise.all(Array.from({ length: 50 }, () => page('POST', sendPath(product)))))
        statuses[status] = (statuses[status] ?? 0) + 1;

    expect(statuses).toEqual({ 200: 1, 400: 19, 429: 980 });
    expect(await received(queueUrl)).toHaveLength(1);
  });

  test('300 GETs of all rows together, faulty ones too: then 429 until it ends, and it still acts', async () => {
    setClock(start);
    const uuid = await newAvatar();
    const { call: page } = await begin(uuid);
    const paths = ['', '/credit/lots', '/credit/history', '/products?limit=0', '/giftcards'];
    for (let index = 0; index < 300; index++)
      expect((await page('GET', `/v1/me${paths[index % 5]}`)).status).toBe(index % 5 === 3 ? 400 : 200);

    setClock(start + 59 * minutes + 59_001);
    for (const path of paths) {
      const { status, headers } = await page('GET', `/v1/me${path}`);
      expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    }
    expect((await page('POST', redeemPath)).status).toBe(200);
    setClock(start + 60 * minutes);
    expect((await page('GET', '/v1/me')).status).toBe(401);
  });
});
