import { expect, test } from 'vitest';
import type { Resident } from '../../../lib/avatars/residents.ts';
import { recordPurchase } from '../../../lib/avatars/spend.ts';
import { timestamp } from '../../../lib/clock.ts';
import { intercept } from '../../support/faults.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService } from '../../support/service.ts';
import { walkList } from '../../support/walk.ts';

/** The customers of the filters' store. */
const seeded: (Resident & { spend: number; subscribed: boolean })[] = [];

/** Sums with ties, zeros and different numbers of digits. Every third customer subscribes. */
const spends = [0, 5, 9, 10, 10, 10, 100, 99, 0, 1000, 5, 10];

const service = await startTestService();
for (const [index, spend] of spends.entries()) {
  const resident = await newResident();
  const subscribed = index % 3 === 0;
  await service.call('PUT', `/v1/customers/${resident.uuid}`, { newsSubscriber: subscribed });
  const purchase = { id: `p${index}`, buyer: resident, productId: 'vase', price: spend, at: timestamp(Date.now()) };
  if (spend > 0) await recordPurchase(service.store, purchase);
  seeded.push({ ...resident, spend, subscribed });
}
await newResident();

type Row = { uuid: string };

const get = async (query: string) => (await service.call('GET', `/v1/customers?${query}`)).body;

const expected = (newsSubscriber: boolean | undefined, spentMoreThan: number | undefined): string[] =>
  seeded
    .filter(({ spend }) => spentMoreThan === undefined || spend > spentMoreThan)
    .filter(({ subscribed }) => newsSubscriber === undefined || subscribed === newsSubscriber)
    .map(({ uuid }) => uuid)
    .sort();

const filters = [undefined, true, false].flatMap((newsSubscriber) =>
  [undefined, -1, 0, 5, 9, 10, 99, 1000, 2_147_483_647].map((spentMoreThan) => ({ newsSubscriber, spentMoreThan })),
);

test.each(filters)('keeps exactly the customers that pass %j, walked forward and back', async (filter) => {
  const query = new URLSearchParams(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  const all = expected(filter.newsSubscriber, filter.spentMoreThan);

  const customers = await walkList<Row>(service.call, `/v1/customers?${query}`, 2);

  expect(customers.map(({ uuid }) => uuid).sort()).toEqual(all);
  expect((await get(query)).data).toEqual(customers);
});

test('lists a resident as soon as the store writes about them, and not before', async () => {
  const resident = await newResident();
  const uuids = async (query = '') => (await get(query)).data.map(({ uuid }: Row) => uuid);
  await service.call('GET', `/v1/customers/${resident.uuid}`);
  await service.call('POST', `/v1/customers/${resident.uuid}/actions/increment-credit`, { delta: -1 });
  const before = await uuids();

  await service.call('POST', `/v1/customers/${resident.uuid}/actions/increment-credit`, { delta: 1 });

  expect(before).not.toContain(resident.uuid);
  expect(await uuids()).toContain(resident.uuid);
  expect(await uuids('newsSubscriber=false')).toContain(resident.uuid);
  expect(await uuids('spentMoreThan=0')).not.toContain(resident.uuid);
  seeded.push({ ...resident, spend: 0, subscribed: false });
});

test('follows a subscription that changes, in both lists', async () => {
  const { uuid } = seeded[9] as Row;
  const isIn = async (query: string) => (await get(query)).data.some((row: Row) => row.uuid === uuid);

  await service.call('PUT', `/v1/customers/${uuid}`, { newsSubscriber: false });
  const left = [await isIn('newsSubscriber=true'), await isIn('newsSubscriber=true&spentMoreThan=5')];
  await service.call('PUT', `/v1/customers/${uuid}`, { newsSubscriber: true });

  expect(left).toEqual([false, false]);
  expect(await isIn('newsSubscriber=true&spentMoreThan=5')).toBe(true);
});

test('400s for a cursor of the other order', async () => {
  const byUuid = (await get('limit=1')).pagination.nextCursor;
  const bySpend = (await get('limit=1&spentMoreThan=0')).pagination.nextCursor;

  const answers = [
    await service.call('GET', `/v1/customers?spentMoreThan=0&cursor=${byUuid}`),
    await service.call('GET', `/v1/customers?cursor=${bySpend}`),
  ];

  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
    [400, ['Cursor is invalid.']],
    [400, ['Cursor is invalid.']],
  ]);
});

test('lists a customer once while the index of spend holds their old row beside the new one', async () => {
  const before = (await get('spentMoreThan=9')).data;
  const stop = intercept(async ({ input }, send) => {
    const answer = await send();
    if (input.IndexName === 'byRank') {
      const { Items } = answer.output;
      answer.output.Items = Items.flatMap((row: object) => [row, row]);
    }
    return answer;
  });

  const { data } = await get('spentMoreThan=9');
  stop();

  expect(data).toEqual(before);
  expect(data.length).toBeGreaterThan(0);
});
