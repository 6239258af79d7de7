import { beforeAll, expect, test } from 'vitest';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

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

test('200s with all data of the customer', async () => {
  const { uuid, username } = await newResident();
  await service.call('PUT', `/v1/customers/${uuid}`, { discount: 15, newsSubscriber: true });
  await service.call('POST', `/v1/customers/${uuid}/actions/ban`, { reason: 'Spam' });
  await service.call('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 500 });
  await service.call('POST', `/v1/customers/${uuid}/actions/increment-restricted-credit`, { delta: 70 });

  const { body } = await service.call('GET', `/v1/customers/${uuid}`);

  expect(body).toEqual({
    uuid,
    username,
    credit: 500,
    restrictedCredit: 70,
    discount: 15,
    newsSubscriber: true,
    isBanned: true,
  });
});

test('200s with zeros for data that only another store has written', async () => {
  const { uuid } = await newResident();
  await service.callOther('POST', `/v1/customers/${uuid}/actions/set-credit`, { credit: 500 });
  await service.callOther('POST', `/v1/customers/${uuid}/actions/ban`);

  const { body } = await service.call('GET', `/v1/customers/${uuid}`);

  expect(body).toMatchObject({ credit: 0, isBanned: false });
});
