import { beforeEach, expect, test } from 'vitest';
import { recordPurchase } from '../../../lib/avatars/spend.ts';
import { timestamp } from '../../../lib/clock.ts';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

const noon = Date.parse('2028-03-01T12:00:00.000Z');
const day = 86_400_000;

setClock(noon);
const service = await startTestService();
beforeEach(() => setClock(noon));

identifierCases(() => service, 'GET', '/spend');

const spendOf = async (uuid: string) => (await service.call('GET', `/v1/customers/${uuid}/spend`)).body;

let purchases = 0;

const buyer = async () => {
  const resident = await newResident();
  const buy = (price: number, at: string, productId = 'vase', id = `sale-${++purchases}`) =>
    recordPurchase(service.store, { id, buyer: resident, productId, price, at });
  return { ...resident, buy };
};

test('200s with zeros for a resident without a record in the store, and writes nothing', async () => {
  const { uuid, username } = await newResident();
  const before = await wholeTable();

  const { status, body } = await service.call('GET', `/v1/customers/${uuid}/spend`);

  expect(status).toBe(200);
  expect(body).toEqual({ uuid, username, sum: 0, lastYearSum: 0, totalOwned: 0 });
  expect(await wholeTable()).toEqual(before);
});

test('counts today and the 364 UTC days before it as the last year', async () => {
  const { uuid, buy } = await buyer();
  // 3 March 2027 is the first of the 365 days that end on 1 March 2028, since 2028 has a 29 February.
  await buy(1, '2027-03-02T23:59:59.999Z');
  await buy(10, '2027-03-03T00:00:00.000Z');
  await buy(100, '2028-03-01T00:00:00.000Z');
  await buy(1000, '2028-03-01T11:59:59.999Z');

  expect(await spendOf(uuid)).toMatchObject({ sum: 1111, lastYearSum: 1110 });
});

test('drops a day from the last year at midnight UTC', async () => {
  const { uuid, buy } = await buyer();
  await buy(10, '2027-03-03T08:00:00.000Z');

  setClock(Date.parse('2028-03-01T23:59:59.999Z'));
  const lastMoment = await spendOf(uuid);
  setClock(Date.parse('2028-03-02T00:00:00.000Z'));
  const midnight = await spendOf(uuid);

  expect(lastMoment).toMatchObject({ sum: 10, lastYearSum: 10 });
  expect(midnight).toMatchObject({ sum: 10, lastYearSum: 0 });
});

test('keeps the lifetime sum when later purchases drop old days', async () => {
  const { uuid, buy } = await buyer();
  await buy(10, timestamp(noon));
  setClock(noon + 500 * day);
  await buy(1, timestamp(noon + 500 * day));

  expect(await spendOf(uuid)).toMatchObject({ sum: 11, lastYearSum: 1 });
});

test('counts each product owned once', async () => {
  const { uuid, buy } = await buyer();
  await buy(10, timestamp(noon), 'vase');
  await buy(10, timestamp(noon), 'vase');
  await buy(0, timestamp(noon), 'lamp');

  expect(await spendOf(uuid)).toMatchObject({ sum: 20, totalOwned: 2 });
});

test('records a repeated purchase once', async () => {
  const { uuid, buy } = await buyer();

  const first = await buy(10, timestamp(noon), 'vase', 'same');
  const before = await wholeTable();
  const second = await buy(10, timestamp(noon), 'vase', 'same');

  expect([first, second]).toEqual([true, false]);
  expect(await wholeTable()).toEqual(before);
  expect(await spendOf(uuid)).toMatchObject({ sum: 10, totalOwned: 1 });
});

test('loses no concurrent purchase, and records one that is sent twice at once only once', async () => {
  const { uuid, username, buy } = await buyer();
  const products = ['vase', 'lamp', 'rug', 'sofa'];

  const recorded = await Promise.all([
    ...products.map((product) => buy(7, timestamp(noon), product)),
    buy(100, timestamp(noon), 'bed', 'twice'),
    buy(100, timestamp(noon), 'bed', 'twice'),
  ]);

  expect(recorded.filter(Boolean)).toHaveLength(5);
  expect(await spendOf(uuid)).toEqual({
    uuid,
    username,
    sum: 128,
    lastYearSum: 128,
    totalOwned: 5,
  });
});

test('does not count purchases in another store', async () => {
  const resident = await newResident();
  await recordPurchase(service.otherStore, {
    id: 'other',
    buyer: resident,
    productId: 'vase',
    price: 5,
    at: timestamp(noon),
  });

  expect(await spendOf(resident.uuid)).toMatchObject({ sum: 0, totalOwned: 0 });
});

test('does not change credit, flags and ban of the customer', async () => {
  const { uuid, buy } = await buyer();
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 5, newsSubscriber: true });
  await service.call('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 50 });
  const before = await service.call('GET', `/v1/customers/${uuid}`);

  await buy(10, timestamp(noon));

  expect((await service.call('GET', `/v1/customers/${uuid}`)).body).toEqual(before.body);
});
