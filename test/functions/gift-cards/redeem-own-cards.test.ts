import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { GiftCardItem } from '../../../lib/catalogue/gift-cards.ts';
import { auditHistory, readHistory } from '../../../lib/operator/audit-history.ts';
import { readCredit } from '../../../lib/operator/read-credit.ts';
import { customerWithLots, newCustomer } from '../../support/credit-seed.ts';
import { intercept } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const start = Date.parse('2028-02-29T12:00:00.000Z');
const limit = 1_000_000_000;

beforeAll(async () => {
  setClock(start);
  service = await startTestService();
  await keepHistory();
  await seedResidents();
});

const redeem = (uuid: string, body?: object, headers = {}) =>
  service.call('POST', `/v1/customers/${uuid}/giftcards/actions/redeem`, body, headers);
const grant = async (uuid: string, credit: number, transfer = false): Promise<string> =>
  (await service.call('POST', `/v1/customers/${uuid}/actions/grant-gift-card`, { credit, transfer })).body.id;
const put = (id: string, body: object) => service.call('PUT', `/v1/giftcards/${id}`, body);
const balance = async (uuid: string) => (await service.call('GET', `/v1/customers/${uuid}/credit`)).body.credit;
const cardsOf = async (uuid: string) =>
  (await service.call('GET', `/v1/customers/${uuid}/giftcards?limit=1000`)).body.data;
const historyOf = async (uuid: string) => {
  await catchUp();
  const { item, lots = [] } = (await readCredit(service.store, uuid)) ?? {};
  if (item) expect(auditHistory(item, await readHistory(service.store, uuid), lots)).toEqual([]);
  return (await service.call('GET', `/v1/customers/${uuid}/credit/history`)).body.data;
};
const grantMany = async (uuid: string, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    setClock(start + index);
    ids.push(await grant(uuid, index + 1));
  }
  return ids;
};

test('200s with what came of the cards that can be redeemed, transferable ones too, in one row of history', async () => {
  const [uuid, other] = [await newCustomer(), await newCustomer()];
  const mine = [await grant(uuid, 5), await grant(uuid, 7, true)];
  await put(await grant(uuid, 9), { credit: 9, active: false });
  await put(await grant(uuid, 9), { credit: 0 });
  const theirs = await grant(other, 11, true);

  const { status, body } = await redeem(uuid, { reason: 'All', reference: 'C 2' });

  const credit = { uuid, username: expect.any(String), credit: 12, restrictedCredit: 0 };
  expect([status, body]).toEqual([200, { cards: 2, amount: 12, credit, more: false }]);
  const redeemed = (await cardsOf(uuid)).filter((card: { redeemed: boolean }) => card.redeemed);
  expect(redeemed.map(({ id }: { id: string }) => id).toSorted()).toEqual(mine.toSorted());
  expect(redeemed.map((card: { credit: number }) => card.credit)).toEqual([0, 0]);
  expect((await service.call('GET', `/v1/giftcards/${theirs}`)).body.redeemed).toBe(false);
  expect(await historyOf(uuid)).toEqual([
    expect.objectContaining({ kind: 'redeem', amount: 12, giftCardId: null, reason: 'All', reference: 'C 2' }),
  ]);
});

test('history names a card that came alone', async () => {
  const uuid = await newCustomer();
  const id = await grant(uuid, 5);

  const { body } = await redeem(uuid);

  expect([body.cards, body.amount]).toEqual([1, 5]);
  expect(await historyOf(uuid)).toEqual([expect.objectContaining({ kind: 'redeem', amount: 5, giftCardId: id })]);
});

test('takes 20 at once, in the order of their ids, and says whether there are more', async () => {
  const uuid = await newCustomer();
  const ids = await grantMany(uuid, 21);

  const first = (await redeem(uuid)).body;
  const left = (await cardsOf(uuid)).filter((card: { redeemed: boolean }) => !card.redeemed);
  const second = (await redeem(uuid)).body;
  const third = await redeem(uuid);

  expect([first.cards, first.amount, first.more]).toEqual([20, 210, true]);
  expect(left.map(({ id }: { id: string }) => id)).toEqual(ids.slice(20));
  expect([second.cards, second.amount, second.credit.credit, second.more]).toEqual([1, 21, 231, false]);
  expect([third.status, third.body]).toEqual([200, { ...second, cards: 0, amount: 0 }]);
  expect(await historyOf(uuid)).toHaveLength(2);
});

test('says no more where there are just 20', async () => {
  const uuid = await newCustomer();
  await grantMany(uuid, 20);

  expect((await redeem(uuid)).body).toMatchObject({ cards: 20, more: false });
});

test('400s above the credit limit, and redeems none', async () => {
  const uuid = await newCustomer();
  await service.call('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: limit - 11 });
  const ids = [await grant(uuid, 5), await grant(uuid, 7)];
  const before = await wholeTable();

  const answer = await redeem(uuid);

  const message = 'The cards must not take the balance above the credit limit of 1000000000.';
  expect([answer.status, answer.body.errors]).toEqual([400, [message]]);
  expect(await wholeTable()).toEqual(before);
  await put(ids[0] ?? '', { credit: 4 });
  expect((await redeem(uuid)).body.credit.credit).toBe(limit);
});

test('closes what is due in the same change', async () => {
  setClock(start);
  const uuid = await customerWithLots(service.store, [{ amount: 5, expiresAt: new Date(start + 1000).toISOString() }]);
  await grant(uuid, 7);
  setClock(start + 1000);

  expect((await redeem(uuid)).body.credit.credit).toBe(7);
  expect((await historyOf(uuid))[0]).toMatchObject({ kind: 'redeem', amount: 7, expired: 5 });
});

test('404s for a resident who does not exist, 200s for one who has no card, and 400s for texts that are none', async () => {
  const uuid = await newCustomer();

  expect([(await redeem(unknownUuid)).status, (await redeem('nobody.here')).status]).toEqual([404, 404]);
  expect((await redeem(uuid)).body).toMatchObject({ cards: 0, amount: 0, more: false });
  expect((await redeem(uuid, { reason: 'Two\nlines' })).status).toBe(400);
});

test('a repeat with its Idempotency-Key answers the same, and redeems nothing more', async () => {
  const [uuid, headers] = [await newCustomer(), { 'Idempotency-Key': randomUUID() }];
  await grant(uuid, 5);
  const first = await redeem(uuid, {}, headers);
  await grant(uuid, 7);

  const again = await redeem(uuid, {}, headers);

  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(await balance(uuid)).toBe(5);
});

test('each card has an event of its own, and counts in its day', async () => {
  const uuid = await newCustomer();
  setClock(start + 10 * 86_400_000);
  const ids = [await grant(uuid, 5), await grant(uuid, 7)];
  await redeem(uuid);
  await catchUp();
  setClock(start + 10 * 86_400_000 + 60_000);

  const events = (await service.call('GET', '/v1/events?type=giftcard.redeemed&limit=1000')).body.data;
  const [day] = (await service.call('GET', '/v1/store/days?from=2028-03-10&to=2028-03-10')).body.data;

  const told = events.map(({ data }: { data: { id: string } }) => data.id).filter((id: string) => ids.includes(id));
  expect(told.toSorted()).toEqual(ids.toSorted());
  expect(day).toMatchObject({ giftCardsGranted: 2, giftCardsRedeemed: 2, creditAdded: 12 });
});

test('a card that somebody else redeems meanwhile is left out, and nothing counts twice', async () => {
  const [uuid, other] = [await newCustomer(), await newCustomer()];
  const ids = [await grant(uuid, 5), await grant(uuid, 7, true)];
  let isFirst = true;
  const stop = intercept(async ({ operation }, send) => {
    if (operation === 'TransactWriteItems' && isFirst) {
      isFirst = false;
      await service.call('POST', `/v1/giftcards/${ids[1]}/actions/redeem`, { identifier: other });
    }
    return send();
  });

  const { body } = await redeem(uuid).finally(stop);

  expect([body.cards, body.amount]).toEqual([1, 5]);
  expect([await balance(uuid), await balance(other)]).toEqual([5, 7]);
});

test('customers, several times at once, get each card once', async () => {
  const uuid = await newCustomer();
  await grantMany(uuid, 5);

  const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(uuid)));

  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(answers.reduce((sum, { body }) => sum + body.amount, 0)).toBe(15);
  expect(await balance(uuid)).toBe(15);
  const items = (await wholeTable()) as unknown as GiftCardItem[];
  expect(items.filter(({ redeemedFor }) => redeemedFor === uuid)).toHaveLength(5);
});
