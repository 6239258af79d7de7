import { describe, expect, test } from 'vitest';
import { expectProblem } from './shapes.ts';
import {
  act,
  call,
  createProduct,
  get,
  grantCard,
  hasResidents,
  resident,
  target,
  unknownUuid,
  walk,
} from './target.ts';

/** Gift cards: grant, replace, disable, list. Residents 39 and 40. */

describe.runIf(hasResidents)('with residents (CONTRACT_RESIDENTS)', () => {
  const customer = resident(39).uuid;
  const grantPath = `/v1/customers/${customer}/actions/grant-gift-card`;
  const list = async (query = ''): Promise<string[]> =>
    (await walk(`/v1/customers/${customer}/giftcards${query}`)).map(({ id }) => id);

  test('gift card rule 1: the grant is the only way to create a card, and there is no list of all cards', async () => {
    const { id } = await grantCard(customer);

    expectProblem(await get('/v1/giftcards'), 404, '/v1/giftcards');
    expectProblem(await call('POST', '/v1/giftcards', { credit: 5 }), 404, '/v1/giftcards');
    expectProblem(await call('PUT', `/v1/giftcards/${unknownUuid}`, {}), 404, `/v1/giftcards/${unknownUuid}`);
    expect(await list()).toContain(id);
  });

  test('gift card rule 2: active and redeemed narrow the list, and combine with AND', async () => {
    const on = (await grantCard(customer)).id;
    const off = (await grantCard(customer)).id;
    await call('POST', `/v1/giftcards/${off}/actions/disable`);

    const has = async (query: string) => {
      const ids = await list(query);
      return [on, off].map((id) => ids.includes(id));
    };

    expect(await has('?active=true')).toEqual([true, false]);
    expect(await has('?active=false')).toEqual([false, true]);
    expect(await has('?redeemed=false')).toEqual([true, true]);
    expect(await has('?redeemed=true')).toEqual([false, false]);
    expect(await has('?active=false&redeemed=false')).toEqual([false, true]);
    expect(await has('?active=false&redeemed=true')).toEqual([false, false]);
  });

  test('gift card rule 2: the list has only the cards of its customer', async () => {
    const { id } = await grantCard(resident(40).uuid);

    expect(await list()).not.toContain(id);
  });

  test('defaults 6, lists 7: a granted card is active, not redeemed, not purchased, without texture or transfer', async () => {
    expect(await grantCard(customer)).toMatchObject({
      credit: 5,
      active: true,
      redeemed: false,
      purchased: false,
      texture: null,
      transfer: false,
    });
  });

  test.each([0, -1, 1.5, '5', null, undefined, 2_147_483_648])('defaults 6: a grant of %j is 400', async (credit) => {
    expectProblem(await act(customer, 'grant-gift-card', { credit }), 400, grantPath, [
      expect.stringMatching(/^credit .*must be a whole number from 1 to 2147483647\.$/),
    ]);
  });

  test('defaults 7: a replaced card has a credit of 0 and is active by default', async () => {
    const card = await grantCard(customer, { texture: unknownUuid, transfer: true });

    const { body } = await call('PUT', `/v1/giftcards/${card.id}`, {});

    expect(body).toEqual({ ...card, credit: 0, texture: null, transfer: false, active: true });
  });

  test('defaults 12, defaults 13: ignores owner, redeemed and purchased in a request', async () => {
    const wish = {
      redeemed: true,
      purchased: true,
      ownerUuid: resident(40).uuid,
      ownerUsername: 'evil',
      id: unknownUuid,
    };
    const card = await grantCard(customer, { ...wish, active: false });

    const { body } = await call('PUT', `/v1/giftcards/${card.id}`, { ...wish, credit: 5 });

    expect(card).toMatchObject({ redeemed: false, purchased: false, ownerUuid: customer, active: true });
    expect(body).toEqual(card);
  });

  test('silent 13: only the texture may be null, in a grant too', async () => {
    const { id } = await grantCard(customer, { texture: null });
    const path = `/v1/giftcards/${id}`;

    expect((await call('PUT', path, { texture: null })).status).toBe(200);
    expectProblem(await call('PUT', path, { credit: null, transfer: null, active: null }), 400, path, [
      expect.stringMatching(/^credit must be/),
      'transfer must be true or false, not null: leave it out.',
      'active must be true or false, not null: leave it out.',
    ]);
  });

  test.each(['x', '', 5, 'fffffffff-7e57-4000-8000-ffffffffffff'])('text 1: a texture %j is 400', async (texture) => {
    expectProblem(await act(customer, 'grant-gift-card', { credit: 1, texture }), 400, grantPath, [
      'texture must be a UUID.',
    ]);
  });

  test('lists 8: disable is idempotent, and a PUT with active true reverses it', async () => {
    const card = await grantCard(customer, { transfer: true });
    const path = `/v1/giftcards/${card.id}`;

    const answers = [await call('POST', `${path}/actions/disable`), await call('POST', `${path}/actions/disable`)];
    const back = await call('PUT', path, { credit: 5, transfer: true, active: true });

    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, { ...card, active: false }]));
    expect(back.body).toEqual(card);
  });

  test('silent 21: a cursor of one resident’s list is invalid in another’s', async () => {
    await grantCard(customer);
    await grantCard(customer);
    const { nextCursor } = (await get(`/v1/customers/${customer}/giftcards?limit=1`)).body.pagination;
    const path = `/v1/customers/${resident(40).uuid}/giftcards`;

    expectProblem(await get(`${path}?cursor=${nextCursor}`), 400, path, ['Cursor is invalid.']);
  });

  test('statuses 14: reports all faults of query and path at once', async () => {
    const path = '/v1/customers/a..b/giftcards';

    expectProblem(await get(`${path}?active=x&redeemed=y&limit=0`), 400, path, [
      expect.stringContaining('identifier'),
      'Limit must be between 1 and 1000.',
      'active must be true or false.',
      'redeemed must be true or false.',
    ]);
  });
});

describe.runIf(target.local)('on the local service, whose demo has a redeemed and a purchased card', () => {
  test('gift card rule 2: redeemed=true lists redeemed cards', async () => {
    const rows = await walk('/v1/customers/vera.vendor/giftcards?redeemed=true');

    expect(rows.map(({ credit, redeemed }) => [credit, redeemed])).toEqual([[0, true]]);
  });

  test('defaults 13: a replacement leaves a card redeemed or purchased as it was', async () => {
    for (const number of [3, 4]) {
      const path = `/v1/giftcards/00000005-dede-4ede-8ede-00000000000${number}`;
      const { body: card } = await get(path);

      const { body } = await call('PUT', path, { ...card, redeemed: false, purchased: false });

      expect([card.redeemed, card.purchased]).toEqual([number === 3, number === 4]);
      expect(body).toEqual(card);
    }
  });
});

describe.runIf(target.otherKey && hasResidents)('with a key of another store (CONTRACT_OTHER_KEY)', () => {
  test('general 2: a store does not see a customer’s cards of another store', async () => {
    const customer = resident(40).uuid;
    const { id } = await grantCard(customer);

    const other = await call('GET', `/v1/customers/${customer}/giftcards`, undefined, { key: target.otherKey });

    expect(other.body.data.map((card: { id: string }) => card.id)).not.toContain(id);
  });

  test('catalogue 10: a product of another store cannot be the demo', async () => {
    const { id } = await createProduct();
    const body = { name: 'Chair', price: 1, demoId: id };

    expectProblem(await call('POST', '/v1/products', body, { key: target.otherKey }), 400, '/v1/products');
  });
});
