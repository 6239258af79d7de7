import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { forgetResidents } from '../../../lib/avatars/residents.ts';
import { source } from '../../../lib/clock.ts';
import { findDispenser } from '../../../lib/delivery/dispensers.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { avatarAt } from '../../../local/grid/grid.ts';
import { ofGrid, placeDispenser, saying, startTestLookUps } from '../../support/look-ups.ts';
import { ada, bob, seedResidents } from '../../support/residents.ts';
import { type Call, startTestService, wholeTable } from '../../support/service.ts';

/** Avatars whom nobody imported: the store's dispenser is asked for them. */

const service = await startTestService();
await startTestLookUps();
await seedResidents();

beforeEach(forgetResidents);

/** A new store with a dispenser, and a client of it. */
const newStore = async (...respond: Parameters<typeof placeDispenser> extends [string, ...infer R] ? R : never) => {
  const { id } = await createStore(`Store ${randomUUID()}`);
  const dispenser = await placeDispenser(id, ...respond);
  const call: Call = service.callAs((await issueKey({ store: id, name: 'test', scopes, stage: 'test' })).text);
  return { id, dispenser, call };
};

let met = 0;
/** An avatar of the made-up grid whom no test has named. */
const stranger = () => avatarAt(700_000 + met++);

const statusOf = async (call: Call, who: string): Promise<number> => (await call('GET', `/v1/customers/${who}`)).status;

describe('a stranger', () => {
  test('is given credit on first sight by name, is listed, and is found by UUID and name without another look-up', async () => {
    const { call, dispenser } = await newStore();
    const { uuid, username } = stranger();

    const given = await call('POST', `/v1/customers/${username}/actions/increment-credit`, { delta: 5 });

    expect(given).toMatchObject({ status: 200, body: { uuid, username, credit: 5 } });
    forgetResidents();
    expect((await call('GET', `/v1/customers/${uuid}`)).body).toMatchObject({ uuid, username, credit: 5 });
    expect((await call('GET', `/v1/customers/${username}`)).body).toMatchObject({ uuid, credit: 5 });
    expect((await call('GET', '/v1/customers')).body.data).toMatchObject([{ uuid, username }]);
    expect(dispenser.asked).toEqual([username]);
  });

  test('is known by UUID on first sight, and becomes nobody’s customer by a read', async () => {
    const { call } = await newStore();
    const { uuid, username } = stranger();

    expect((await call('GET', `/v1/customers/${uuid}`)).body).toMatchObject({ uuid, username, credit: 0 });

    expect((await call('GET', '/v1/customers')).body.data).toEqual([]);
  });

  test('is accepted wherever a resident is named', async () => {
    const { call } = await newStore();
    const [owner, user, buyer] = [stranger(), stranger(), stranger()];

    const coupon = await call('POST', '/v1/coupons', { code: 'New', ownerIdentifier: owner.username });
    const product = await call('POST', '/v1/products', {
      name: 'Lamp',
      price: 5,
      profitShares: [{ username: user.username, userUuid: user.uuid, percent: 5 }],
    });
    const applied = await call('POST', `/v1/customers/${buyer.username}/actions/apply-coupon`, {
      couponOwnerUuid: owner.uuid,
      scope: 0,
    });
    const granted = await call('POST', `/v1/customers/${buyer.uuid}/actions/grant-gift-card`, { credit: 5 });

    expect([coupon.status, product.status, applied.status, granted.status]).toEqual([201, 201, 200, 200]);
    expect(coupon.body).toMatchObject({ couponOwnerUuid: owner.uuid, couponOwnerUsername: owner.username });
    expect(product.body.profitShares).toEqual([{ userUuid: user.uuid, percent: 5 }]);
    expect(granted.body).toMatchObject({ ownerUuid: buyer.uuid, ownerUsername: buyer.username });
  });

  test('of one store is not known to another', async () => {
    const [one, other] = [await newStore(), await newStore(saying('-'))];
    const { uuid, username } = stranger();
    await one.call('PUT', `/v1/customers/${username}`, { discount: 5 });

    expect([await statusOf(other.call, username), await statusOf(other.call, uuid)]).toEqual([404, 404]);
    expect([await statusOf(one.call, username), await statusOf(one.call, uuid)]).toEqual([200, 200]);
  });

  test('whom the dispenser does not know is 404 in a path and 400 in a body', async () => {
    const { call } = await newStore();

    expect(await statusOf(call, 'nobody.knows')).toBe(404);
    const created = await call('POST', '/v1/coupons', { code: 'None', ownerIdentifier: 'nobody.knows' });
    expect(created.status).toBe(400);
  });
});

describe('the dispenser', () => {
  test('is asked again for nobody only after a minute', async () => {
    const { call, dispenser } = await newStore();
    const started = source.now();
    for (let i = 0; i < 3; i++) await statusOf(call, 'nobody.knows');
    expect(dispenser.asked).toHaveLength(1);

    source.now = () => started + 61_000;
    await statusOf(call, 'nobody.knows');
    source.now = () => Date.now();

    expect(dispenser.asked).toHaveLength(2);
  });

  test('is asked at most 60 times in a minute, 30 of them for GETs; others count as unknown, and not as nobody', async () => {
    const at = Math.ceil(Date.now() / 60_000) * 60_000;
    source.now = () => at;
    const { call, dispenser } = await newStore();
    const reads = Array.from({ length: 40 }, stranger);
    const writes = Array.from({ length: 40 }, stranger);

    for (const { uuid } of reads) await statusOf(call, uuid);
    expect(dispenser.asked).toHaveLength(30);
    for (const { uuid } of writes) await call('POST', `/v1/customers/${uuid}/actions/ban`);
    expect(dispenser.asked).toHaveLength(60);

    source.now = () => at + 60_000;
    const last = await call('POST', `/v1/customers/${writes.at(-1)?.uuid}/actions/ban`);
    source.now = () => Date.now();
    expect(last.status).toBe(200);
  });

  test('is not asked for a key that has named nobody 30 times in the minute; other keys have the rest', async () => {
    const at = Math.ceil(Date.now() / 60_000) * 60_000;
    source.now = () => at;
    const { id, call, dispenser } = await newStore();
    const other = service.callAs((await issueKey({ store: id, name: 'other', scopes, stage: 'test' })).text);
    const ban = (by: Call, who: string) => by('POST', `/v1/customers/${who}/actions/ban`);

    for (let count = 0; count < 40; count++) await ban(call, `nobody${count}.knows`);
    const named = dispenser.asked.length;
    const [mine, theirs] = [stranger(), stranger()];
    const [refused, allowed] = [await ban(call, mine.username), await ban(other, theirs.username)];
    const afterwards = await ban(other, mine.username);
    source.now = () => at + 60_000;
    const nextMinute = await ban(call, stranger().username);
    source.now = () => Date.now();

    expect(named).toBe(30);
    expect([refused.status, allowed.status, afterwards.status, nextMinute.status]).toEqual([404, 200, 200, 200]);
  });

  test.each([
    ['nobody', saying('-')],
    ['an error', saying('', 500)],
    ['somebody else', saying(`${randomUUID()} some.body`)],
  ])(
    'is asked 30 times for a key whose names, six side by side, bring %s; another key sells to a stranger',
    async (_, vain) => {
      const at = Math.ceil(Date.now() / 60_000) * 60_000;
      source.now = () => at;
      const { id, call, dispenser } = await newStore(vain);
      const other = service.callAs((await issueKey({ store: id, name: 'other', scopes, stage: 'test' })).text);
      const { body } = await other('POST', '/v1/products', { name: 'Lamp', price: 5 });
      const apply = (name: string) =>
        call('POST', `/v1/customers/${name}/actions/apply-coupon`, { scope: 0, code: 'None' });

      for (let round = 0; round < 10; round++)
        await Promise.all(Array.from({ length: 6 }, (_, place) => apply(`nix${round}.q${place}`)));
      const named = dispenser.asked.length;
      dispenser.answer(ofGrid);
      const sale = { id: randomUUID(), productId: body.id, buyerIdentifier: stranger().username, paid: 5 };
      const sold = await other('POST', '/v1/sales', sale);
      source.now = () => Date.now();

      expect(named).toBe(30);
      expect(sold.body.state).toBe('completed');
    },
  );

  test('is asked 60 times at most by 100 calls at once', async () => {
    const at = Math.ceil(Date.now() / 60_000) * 60_000;
    source.now = () => at;
    const { call, dispenser } = await newStore();

    await Promise.all(
      Array.from({ length: 100 }, () => call('POST', `/v1/customers/${stranger().uuid}/actions/unban`)),
    );
    source.now = () => Date.now();

    expect(dispenser.asked.length).toBeLessThanOrEqual(60);
  });

  test('that answers 400 is old, and is not asked again until one registers anew', async () => {
    const { call, dispenser } = await newStore(saying('unknown protocol', 400));
    const { username } = stranger();
    expect([await statusOf(call, username), await statusOf(call, stranger().uuid)]).toEqual([404, 404]);
    expect(dispenser.asked).toHaveLength(1);

    await dispenser.register();
    dispenser.answer((_, response) => response.end('-'));
    await statusOf(call, stranger().uuid);

    expect(dispenser.asked).toHaveLength(2);
  });

  test('that takes twice the time that a call waits leaves the resident unknown, and keeps its address', async () => {
    const { id, call } = await newStore((name, response) => void setTimeout(() => ofGrid(name, response), 6000));

    expect(await statusOf(call, stranger().uuid)).toBe(404);

    expect((await findDispenser(id))?.url).toBeDefined();
  });

  test('has 3 seconds for all look-ups of one request together', async () => {
    const { call } = await newStore((name, response) => void setTimeout(() => ofGrid(name, response), 2000));
    // Five look-ups run side by side, so eight of them need four seconds.
    const shares = Array.from({ length: 8 }, () => ({ username: stranger().username, percent: 1 }));

    const created = await call('POST', '/v1/products', { name: 'Lamp', price: 5, profitShares: shares });

    expect(created.status).toBe(400);
  });

  test('that was silent is asked again at the next call', async () => {
    const { call, dispenser } = await newStore((_, response) => response.destroy());
    const { uuid } = stranger();
    expect(await statusOf(call, uuid)).toBe(404);
    dispenser.answer(ofGrid);

    expect(await statusOf(call, uuid)).toBe(200);
  });

  test.each([
    ['another avatar', () => `${randomUUID()} mira.vale`],
    ['another avatar of the operator', () => `${ada.uuid} ${ada.username}`],
    ['no UUID', (a: string) => `me ${a}`],
    ['the nil UUID', (a: string) => `00000000-0000-0000-0000-000000000000 ${a}`],
    ['a name that the operator has for another avatar', () => `${randomUUID()} ${bob.username}`],
    ['no name', (a: string) => a],
    ['lines after it', (a: string) => `${a} mira.vale\nmore`],
    ['an object', () => '{"uuid":"x"}'],
    ['much text', () => 'x'.repeat(5_000_000)],
    ['nothing', () => ''],
  ])('that answers %s has answered nothing, and nothing is kept', async (_, textFor) => {
    const { id, call } = await newStore((name, response) => response.end(textFor(name)));
    const { uuid, username } = stranger();

    expect([await statusOf(call, uuid), await statusOf(call, username)]).toEqual([404, 404]);

    const kept = (await wholeTable()).filter(({ pk }) => new RegExp(`^${id}#STORE_(RESIDENT|NAME)`).test(String(pk)));
    expect(kept).toEqual([]);
  });

  test('that answers with a redirect, an error or a lost address keeps its address', async () => {
    for (const status of [301, 404, 410, 500, 503]) {
      const { id, call } = await newStore(saying(`${randomUUID()} mira.vale`, status));

      expect(await statusOf(call, 'mira.vale')).toBe(404);

      expect((await findDispenser(id))?.url).toBeDefined();
    }
  });
});
