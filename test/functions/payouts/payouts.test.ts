import { beforeEach, describe, expect, test } from 'vitest';
import { handler as sweep } from '../../../functions/expiry-sweep.ts';
import { sweepAccess } from '../../../infra/permissions.ts';
import type { Resident } from '../../../lib/avatars/residents.ts';
import { newId, timestamp } from '../../../lib/clock.ts';
import { forgetShares } from '../../../lib/http/store-share.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { findPayee, movedBy, newPayee, type Payee, withDebts } from '../../../lib/payout/payees.ts';
import { findPayout, type PayoutItem } from '../../../lib/payout/payouts.ts';
import { type Scope, scopes } from '../../../lib/routes/scopes.ts';
import { issueKey } from '../../../lib/store/issued-keys.ts';
import { renameInStore } from '../../../lib/store/renames.ts';
import * as dynamodb from '../../../lib/table/dynamodb.ts';
import { payeeKey, sharedKey } from '../../../lib/table/keys.ts';
import { put, remove, update } from '../../../lib/table/language.ts';
import { engine, write } from '../../../lib/table/table.ts';
import { asFunction } from '../../support/access.ts';
import { contextWith, startTestQueue } from '../../support/deliveries.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { newResident, unknownUuid } from '../../support/residents.ts';
import { type Call, setClock, startTestService, wholeTable } from '../../support/service.ts';

const start = Date.parse('2027-05-10T12:00:00.000Z');
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const tx = '5f3c1b7e-0d5a-4c8e-9a51-6b1f0e2d7c43';

let service: Awaited<ReturnType<typeof startTestService>>;
let store: string;
let call: Call;
let payee: Resident;

const begin = (id = store): Promise<unknown> =>
  write(update(sharedKey('STORE', id), { set: { payoutsBegunAt: timestamp(start) } }));

beforeEach(async () => {
  setClock(start);
  await startTestQueue();
  service = await startTestService();
  await keepHistory();
  store = (await createStore('Payouts')).id;
  call = service.callAs(await service.keyWith(scopes, store));
  payee = await newResident();
  await begin();
});

/** Makes the store owe an avatar something for a refund, since this many hours. */
const owe = async (owed: number, to = payee, hours = 1): Promise<void> => {
  const at = timestamp(start - hours * hour);
  const account = movedBy(newPayee(payeeKey(store, to.uuid), to.username), { owed }, at);
  await write(put(account));
};

const claim = async (body?: object, headers = {}) => call('POST', '/v1/payouts/actions/claim', body, headers);
const claimed = async (body?: object) => (await claim(body)).body.payout;
const report = (id: string, body: object, as = call) => as('POST', `/v1/payouts/${id}/actions/report`, body);
const settle = (id: string, body: object) => call('POST', `/v1/payouts/${id}/actions/settle`, body);
const pay = (identifier: string, body: object) => call('POST', `/v1/payees/${identifier}/actions/pay`, body);
const sums = async (of = payee) => {
  const { owed, claimed: inClaim, unknown, paid } = (await findPayee(store, of.uuid)) as Payee;
  return [owed, inClaim, unknown, paid];
};
const list = async (path: string) => (await call('GET', path)).body.data;

describe('claim', () => {
  test('200s with a payout of all that is owed, which leaves it in the same transaction', async () => {
    await owe(70);

    const { status, body } = await claim();

    const payout = {
      ...{ id: expect.any(String), residentUuid: payee.uuid, username: payee.username, amount: 70, state: 'claimed' },
      ...{ transactionId: null, error: null, reference: null, createdAt: timestamp(start), endedAt: null },
    };
    expect([status, body]).toEqual([200, { payout }]);
    expect(await sums()).toEqual([0, 70, 0, 0]);
    expect((await call('GET', `/v1/payouts/${body.payout.id}`)).body).toEqual(payout);
    expect(await claimed()).toBeNull();
  });

  test('answers the same payout for the same Idempotency-Key', async () => {
    await owe(70);
    const once = { 'Idempotency-Key': newId() };

    const first = await claim({ limit: 20 }, once);
    const again = await claim({ limit: 20 }, once);

    expect(first.body.payout.amount).toBe(20);
    expect(again.body).toEqual(first.body);
    expect(await sums()).toEqual([50, 20, 0, 0]);
  });

  test('takes the longest owed of those who would get the minimum after limit and hold', async () => {
    const [little, newer, held] = [await newResident(), await newResident(), await newResident()];
    await owe(5, little, 9);
    await owe(50, newer, 2);
    await owe(60, payee, 3);
    const debt = { saleId: 's', cause: 'shares' as const, payee: held.uuid };
    const today = { day: '2027-05-10', madeAt: timestamp(start) };
    const account = newPayee(payeeKey(store, held.uuid), held.username);
    await write(
      put(withDebts(account, [{ ...debt, ...today, amount: 500, shared: 500 }], [], timestamp(start - 8 * hour))),
    );

    const [first, second, third] = [
      await claimed({ minimum: 10 }),
      await claimed({ minimum: 10 }),
      await claimed({ minimum: 10 }),
    ];

    expect([first, second].map(({ residentUuid, amount }) => [residentUuid, amount])).toEqual([
      [payee.uuid, 60],
      [newer.uuid, 50],
    ]);
    expect(third).toBeNull();
    expect(await claimed({ minimum: 10, limit: 100, hold: 0 })).toMatchObject({ residentUuid: held.uuid, amount: 100 });
    expect(await claimed()).toMatchObject({ residentUuid: little.uuid, amount: 5 });
  });

  test('leaves out the shares of today and yesterday by default', async () => {
    const productId = (
      await call('POST', '/v1/products', {
        name: 'Lamp',
        price: 100,
        profitShares: [{ userUuid: payee.uuid, percent: 50 }],
      })
    ).body.id;
    for (const days of [2, 1, 0]) {
      setClock(start - days * day);
      await call('POST', '/v1/sales', { id: newId(), productId, buyerIdentifier: payee.uuid, paid: 100 });
      await catchUp();
    }

    expect((await claimed())?.amount).toBe(50);
    expect((await claimed({ hold: 1 }))?.amount).toBe(50);
    expect(await claimed({ hold: 1 })).toBeNull();
    setClock(start + day);
    expect((await claimed({ hold: 1 }))?.amount).toBe(50);
  });

  test.each([
    { minimum: 2_000_000_000, hold: 0 },
    { minimum: 1, hold: 2 },
  ])('counts in the share of the store’s reads: %o, which pays none of 150, is 429 at last', async (terms) => {
    const today = { day: '2027-05-10', madeAt: timestamp(start) };
    for (let number = 0; number < 150; number++) {
      const account = newPayee(payeeKey(store, newId()), `payee${number}`);
      const debt = { saleId: newId(), cause: 'shares' as const, payee: account.sk, ...today, amount: 70, shared: 70 };
      await write(put(withDebts(account, [debt], [], timestamp(start - hour))));
    }
    process.env.STORE_READ_UNITS = '100';
    forgetShares();

    const answers = [];
    for (let number = 0; number < 10; number++) answers.push(await claim(terms));
    const other = await service.call('POST', '/v1/payouts/actions/claim', terms);

    delete process.env.STORE_READ_UNITS;
    expect(answers[0]).toMatchObject({ status: 200, body: { payout: null } });
    expect(answers.at(-1)?.status).toBe(429);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(other.status).toBe(200);
  });

  test('answers null before payouts are begun, and from a restore until they are resumed', async () => {
    await owe(70);
    const key = sharedKey('STORE', store);

    await write(update(key, { set: { payoutsBegunAt: undefined } }));
    const before = await claimed();
    await write(update(key, { set: { payoutsBegunAt: timestamp(start), payoutsStoppedAt: timestamp(start) } }));
    const restored = [await claimed(), (await pay(payee.uuid, { amount: 1 })).status];
    await write(update(key, { set: { payoutsStoppedAt: undefined } }));

    expect([before, ...restored]).toEqual([null, null, 400]);
    expect((await claimed()).amount).toBe(70);
  });

  test('two cashiers at once claim each L$ once', async () => {
    await owe(100);

    const both = await Promise.all(Array.from({ length: 6 }, () => claimed({ limit: 30 })));

    expect(both.reduce((sum, one) => sum + (one?.amount ?? 0), 0)).toBe(100);
    expect(await sums()).toEqual([0, 100, 0, 0]);
  });

  test('pays 50,000 in parts of 10,000, and a dead account blocks nobody', async () => {
    const dead = await newResident();
    await owe(50_000);
    await owe(90_000, dead, 5);
    const parts: [string, number][] = [];
    for (let claims = 0; claims < 6; claims++) {
      const { id, residentUuid, amount } = await claimed({ limit: 10_000 });
      parts.push([residentUuid, amount]);
      const isDead = residentUuid === dead.uuid;
      await report(id, isDead ? { result: 'failed', error: 'INVALID_AGENT' } : { result: 'paid' });
    }

    expect(parts).toEqual([[dead.uuid, 10_000], ...Array(5).fill([payee.uuid, 10_000])]);
    expect(await claimed({ limit: 10_000 })).toBeNull();
    expect([await sums(), await sums(dead)]).toEqual([
      [0, 0, 0, 50_000],
      [90_000, 0, 0, 0],
    ]);
  });

  test.each([{ minimum: 0 }, { limit: 0 }, { hold: 31 }, { hold: -1 }, { minimum: '5' }])(
    '400s for %o',
    async (body) => {
      await owe(70);
      const before = await wholeTable(store);

      expect((await claim(body)).status).toBe(400);
      expect(await wholeTable(store)).toEqual(before);
    },
  );
});

describe('report', () => {
  test('paid ends it, and the same report again answers the same; any other is 400', async () => {
    await owe(70);
    const { id } = await claimed();
    setClock(start + minute);

    const first = await report(id, { result: 'paid', transactionId: tx.toUpperCase() });
    const again = await report(id, { result: 'paid', transactionId: tx });
    const other = await report(id, { result: 'failed' });

    expect(first.body).toMatchObject({ state: 'paid', transactionId: tx, endedAt: timestamp(start + minute) });
    expect([first.status, again.status, again.body, other.status]).toEqual([200, 200, first.body, 400]);
    expect(await sums()).toEqual([0, 0, 0, 70]);
  });

  test('failed makes it owed again: others are claimed first, and this avatar not within the hour', async () => {
    const other = await newResident();
    await owe(70, payee, 5);
    await owe(10, other, 2);
    const { id } = await claimed();

    const { body } = await report(id, { result: 'failed', error: 'INVALID_AGENT' });

    expect(body).toMatchObject({ state: 'failed', error: 'INVALID_AGENT' });
    expect(await sums()).toEqual([70, 0, 0, 0]);
    expect((await claimed()).residentUuid).toBe(other.uuid);
    expect(await claimed()).toBeNull();
    setClock(start + hour);
    expect((await claimed()).residentUuid).toBe(payee.uuid);
  });

  test('404s for another key, for one that claimed nothing, and for a payment by hand', async () => {
    await owe(70);
    const { id } = await claimed({ limit: 20 });
    const other = service.callAs(await service.keyWith(scopes, store));
    const byHand = (await pay(payee.uuid, { amount: 5 })).body.id;

    const answers = [
      await report(id, { result: 'paid' }, other),
      await report(byHand, { result: 'paid' }),
      await report(unknownUuid, { result: 'paid' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await sums()).toEqual([45, 20, 0, 5]);
  });

  test('takes the word of a key that the claiming one was rotated to, and from', async () => {
    await owe(70);
    const all: readonly Scope[] = scopes;
    const first = await issueKey({ store, name: 'cashier', scopes: [...all], stage: 'test' });
    const next = await issueKey({ store, name: 'cashier', scopes: [...all], stage: 'test', origin: first.key.id });
    const [old, young] = [service.callAs(first.text), service.callAs(next.text)];
    const claimBy = async (as: Call) => (await as('POST', '/v1/payouts/actions/claim', { limit: 10 })).body.payout.id;
    const [byOld, byYoung] = [await claimBy(old), await claimBy(young)];

    expect((await report(byOld, { result: 'paid' }, young)).status).toBe(200);
    expect((await report(byYoung, { result: 'paid' }, old)).status).toBe(200);
  });
});

describe('the sweep', () => {
  const sweepNow = () => asFunction('expiry-sweep', sweepAccess, () => sweep({}, contextWith(60_000)));

  test('makes what is claimed and not reported for 10 minutes unknown; a later report counts', async () => {
    await owe(70);
    const { id } = await claimed();
    setClock(start + 10 * minute - 1);
    await sweepNow();
    const before = await sums();
    setClock(start + 10 * minute);

    await sweepNow();

    expect([before, await sums()]).toEqual([
      [0, 70, 0, 0],
      [0, 0, 70, 0],
    ]);
    expect((await call('GET', `/v1/payouts/${id}`)).body).toMatchObject({ state: 'unknown', endedAt: null });
    setClock(start + day);
    await sweepNow();
    expect(await claimed()).toBeNull();
    expect((await report(id, { result: 'paid' })).body.state).toBe('paid');
    expect(await sums()).toEqual([0, 0, 0, 70]);
  });
});

describe('a person', () => {
  test('settles what is unknown, and corrects what has ended; 400 while it is claimed', async () => {
    await owe(70);
    const { id } = await claimed();
    const early = await settle(id, { result: 'paid' });
    await report(id, { result: 'unknown', error: 'EXPIRED' });

    const paid = await settle(id, { result: 'paid', reference: 'Statement 5' });
    const afterwards = await sums();
    const failed = await settle(id, { result: 'failed' });

    expect(early.status).toBe(400);
    expect(paid.body).toMatchObject({ state: 'paid', reference: 'Statement 5', error: null });
    expect(afterwards).toEqual([0, 0, 0, 70]);
    expect(failed.body).toMatchObject({ state: 'failed', reference: 'Statement 5' });
    expect(await sums()).toEqual([70, 0, 0, 0]);
    expect((await claimed()).amount).toBe(70);
  });

  test('settles a payout whose payee is erased between the two reads of it', async () => {
    await owe(70);
    const { id } = await claimed();
    await report(id, { result: 'unknown', error: 'EXPIRED' });
    const pseudonym = newId();
    const account = payeeKey(store, payee.uuid);
    /** Moves the account and its payout to a pseudonym, as an erasure does. */
    const erase = async () => {
      const [held, payout] = [await findPayee(store, payee.uuid), await findPayout(store, id)];
      await write(put({ ...(held as Payee), ...payeeKey(store, pseudonym), username: pseudonym, isPseudonym: true }));
      await write(put({ ...(payout as PayoutItem), residentUuid: pseudonym }));
      await write(remove(account));
    };
    engine.get = async (key) => {
      if (key.pk === account.pk) {
        Reflect.deleteProperty(engine, 'get');
        await erase();
      }
      return dynamodb.get(key);
    };

    const { status, body } = await settle(id, { result: 'paid' });

    expect([status, body]).toEqual([200, expect.objectContaining({ residentUuid: pseudonym, state: 'paid' })]);
    expect(await sums({ ...payee, uuid: pseudonym })).toEqual([0, 0, 0, 70]);
  });

  test('notes a payment by hand: 201 with its Location, 400 above what is owed, and it can be settled', async () => {
    await owe(70);

    const { status, body, headers } = await pay(payee.username, { amount: 30, reference: 'By me' });
    const more = await pay(payee.uuid, { amount: 41 });

    expect([status, body]).toEqual([201, expect.objectContaining({ state: 'paid', amount: 30, reference: 'By me' })]);
    expect(headers.get('location')).toBe(`/v1/payouts/${body.id}`);
    expect(body).toMatchObject({ createdAt: timestamp(start), endedAt: timestamp(start), transactionId: null });
    expect([more.status, more.body.detail]).toEqual([400, 'amount must be at most what is owed to them: L$ 40.']);
    expect((await settle(body.id, { result: 'failed' })).status).toBe(200);
    expect(await sums()).toEqual([70, 0, 0, 0]);
  });

  test('pays nobody that nobody knows, who is owed nothing, or who was erased', async () => {
    const pseudonym = await newResident();
    await write(put({ ...newPayee(payeeKey(store, pseudonym.uuid), 'x'), owed: 9, isPseudonym: true as const }));

    expect((await pay('nobody.atall', { amount: 1 })).status).toBe(404);
    expect((await pay(unknownUuid, { amount: 1 })).status).toBe(404);
    expect((await pay(payee.uuid, { amount: 1 })).status).toBe(400);
    expect((await pay(pseudonym.uuid, { amount: 1 })).status).toBe(400);
  });
});

describe('lists', () => {
  test('of payees by UUID, all or those who are owed something, with the present name', async () => {
    const other = await newResident();
    await owe(5);
    await owe(5, other);
    await claimed();
    await renameInStore(store, { uuid: other.uuid, username: 'new.name' });
    const row = (of: Resident, owed: number, inClaim: number, username = of.username) => ({
      ...{ residentUuid: of.uuid, username, owed, claimed: inClaim, unknown: 0, paid: 0 },
    });

    const all = await list('/v1/payees');

    const [first, second] = [row(payee, 0, 5), row(other, 5, 0, 'new.name')];
    const swapped = [row(payee, 5, 0), row(other, 0, 5, 'new.name')];
    expect([[first, second], swapped]).toContainEqual(all);
    expect(await list('/v1/payees?owed=true')).toEqual(all.filter(({ owed }: { owed: number }) => owed > 0));
  });

  test('of payouts newest first, by state and payee, with the present name', async () => {
    const other = await newResident();
    await owe(30, payee, 5);
    await owe(30, other, 4);
    const ids: string[] = [];
    for (const body of [{ limit: 10 }, { limit: 10 }, { limit: 30 }, { limit: 30 }]) {
      setClock(start + ids.length);
      ids.push((await claimed(body)).id);
    }
    await report(ids[0] ?? '', { result: 'paid' });
    await renameInStore(store, { uuid: payee.uuid, username: 'new.name' });
    const idsOf = async (query: string) => (await list(`/v1/payouts${query}`)).map(({ id }: { id: string }) => id);

    expect(await idsOf('')).toEqual(ids.toReversed());
    expect(await idsOf('?state=paid')).toEqual([ids[0]]);
    expect(await idsOf(`?payee=${payee.uuid}`)).toEqual([ids[2], ids[1], ids[0]]);
    expect(await idsOf(`?payee=${payee.uuid}&state=claimed`)).toEqual([ids[2], ids[1]]);
    expect(await idsOf('?payee=nobody.atall')).toEqual([]);
    expect((await list(`/v1/payouts?payee=${payee.uuid}`))[0].username).toBe('new.name');
  });
});

test('each end has its event, and each correction another', async () => {
  await owe(70);
  const { id } = await claimed();
  await report(id, { result: 'unknown', error: 'EXPIRED' });
  await settle(id, { result: 'failed' });
  await settle(id, { result: 'paid', transactionId: tx });
  await settle(id, { result: 'paid', reference: 'no news' });
  await catchUp();
  setClock(start + 11_000);

  const events = await list('/v1/events');

  const of = events.filter(({ type }: { type: string }) => type.startsWith('payout.'));
  expect(of.map(({ type, data }: { type: string; data: object }) => [type, data])).toEqual([
    ['payout.unknown', expect.objectContaining({ id, state: 'unknown', error: 'EXPIRED', endedAt: null })],
    ['payout.failed', expect.objectContaining({ id, state: 'failed', amount: 70 })],
    ['payout.paid', expect.objectContaining({ id, state: 'paid', transactionId: tx })],
  ]);
});
