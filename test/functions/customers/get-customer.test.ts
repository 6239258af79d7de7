import { expect, test } from 'vitest';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

const service = await startTestService();

identifierCases(() => service, 'GET', '');

test('200s with zeros for a resident without a record in the store, and writes nothing', async () => {
  const { uuid, username } = await newResident();
  const before = await wholeTable();

  const { status, body } = await service.call('GET', `/v1/customers/${uuid}`);

  expect(status).toBe(200);
  expect(body).toEqual({
    uuid,
    username,
    credit: 0,
    restrictedCredit: 0,
    discount: 0,
    newsSubscriber: false,
    isBanned: false,
  });
  expect(await wholeTable()).toEqual(before);
});
