import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { expectHistory, keepHistory } from '../../support/history.ts';
import { ada, seedResidents, unknownUuid } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const start = Date.parse('2028-02-29T12:00:00.000Z');
let productId: string;

beforeAll(async () => {
  setClock(start);
  service = await startTestService();
  await keepHistory();
  await seedResidents();
  productId = (await service.call('POST', '/v1/products', { name: 'Lamp', price: 100 })).body.id;
});

const sell = async (paid: number, more: object = {}) => {
  const body = { id: randomUUID(), productId, buyerIdentifier: ada.uuid, paid, ...more };
  return { body, sale: (await service.call('POST', '/v1/sales', body)).body };
};
const report = (id: string, body: object) => service.call('POST', `/v1/sales/${id}/actions/change-paid`, body);

test('200s with the sale and how its change was paid; a repeat of the sale tells it too', async () => {
  const { body, sale } = await sell(130);
  const transactionId = randomUUID();
  setClock(start + 5000);

  const reported = await report(sale.id, { transactionId, amount: 30 });

  const changePaid = { transactionId, amount: 30, at: timestamp(start + 5000) };
  expect([sale.changePaid, reported.status, reported.body]).toEqual([null, 200, { ...sale, changePaid }]);
  const again = await service.call('POST', '/v1/sales', body);
  expect([again.status, again.body]).toEqual([201, reported.body]);
  expect((await service.call('GET', `/v1/sales/${sale.id}`)).body).toEqual(reported.body);
  await expectHistory();
});

test.each([
  ['the same report', {}],
  ['another one', { transactionId: randomUUID(), amount: 1 }],
])('200s where %s follows: the first counts, and nothing is written', async (_, other) => {
  const { sale } = await sell(130);
  const first = { transactionId: randomUUID(), amount: 30 };
  const { body } = await report(sale.id, first);
  const before = await wholeTable();
  setClock(start + 90_000);

  const again = await report(sale.id, { ...first, ...other });

  expect([again.status, again.body]).toEqual([200, body]);
  expect(await wholeTable()).toEqual(before);
});

test('takes all that was paid for a refused sale, and less than the change', async () => {
  const { sale: refused } = await sell(99);
  const { sale } = await sell(130);

  const all = await report(refused.id, { transactionId: randomUUID(), amount: 99 });
  const part = await report(sale.id, { transactionId: randomUUID(), amount: 1 });

  expect(refused).toMatchObject({ state: 'refused', change: 99 });
  expect([all.body.changePaid.amount, part.body.changePaid.amount]).toEqual([99, 1]);
});

test('a refund after it keeps it', async () => {
  const { sale } = await sell(130);
  const { body } = await report(sale.id, { transactionId: randomUUID(), amount: 30 });

  const refunded = await service.call('POST', `/v1/sales/${sale.id}/actions/refund`);

  expect(refunded.body).toMatchObject({ state: 'refunded', changePaid: body.changePaid });
});

describe('400s, and writes nothing', () => {
  test.each([
    ['for a sale without change', 100, { amount: 1 }, 'The sale has no change: nothing is to be given back.'],
    ['for more than the change', 130, { amount: 31 }, 'amount must be at most the change of the sale: L$ 30.'],
    ['for an amount of 0', 130, { amount: 0 }, 'amount must be a whole number from 1 to 2147483647.'],
    [
      'without a transaction',
      130,
      { amount: 30, transactionId: undefined },
      'transactionId is required: it must be a UUID.',
    ],
  ])('%s', async (_, paid, fields, detail) => {
    const { sale } = await sell(paid);
    const before = await wholeTable();

    const { status, body } = await report(sale.id, { transactionId: randomUUID(), ...fields });

    expect([status, body.detail]).toEqual([400, detail]);
    expect(await wholeTable()).toEqual(before);
  });
});

test('404s for an unknown sale', async () => {
  const { status } = await report(unknownUuid, { transactionId: randomUUID(), amount: 1 });

  expect(status).toBe(404);
});
