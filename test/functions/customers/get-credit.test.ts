import { beforeAll, expect, test } from 'vitest';
import { timestamp } from '../../../lib/clock.ts';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { setClock, startTestService, wholeTable } from '../../support/service.ts';

const noon = Date.parse('2027-06-15T12:00:00.000Z');

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  setClock(noon);
  service = await startTestService();
});

identifierCases(() => service, 'GET', '/credit');

test('200s with zeros for a resident without a record in the store, and writes nothing', async () => {
  const { uuid, username } = await newResident();
  const before = await wholeTable();

  const { status, body } = await service.call('GET', `/v1/customers/${uuid}/credit`);

  expect(status).toBe(200);
  expect(body).toEqual({ uuid, username, credit: 0, restrictedCredit: 0 });
  expect(await wholeTable()).toEqual(before);
});

test('200s with both stored balances and nothing of their lots', async () => {
  const { uuid, username } = await newResident();
  const actions = `/v1/customers/${uuid}/actions`;
  await service.call('POST', `${actions}/set-credit`, { credit: 30, expiresAt: timestamp(noon + 1000) });
  await service.call('POST', `${actions}/set-restricted-credit`, { credit: 4 });

  const { body } = await service.call('GET', `/v1/customers/${uuid}/credit`);

  expect(body).toEqual({ uuid, username, credit: 30, restrictedCredit: 4 });
});

test('200s with the credit of a due lot until a change of credit closes it', async () => {
  const { uuid } = await newResident();
  const actions = `/v1/customers/${uuid}/actions`;
  await service.call('POST', `${actions}/increment-credit`, { delta: 30, expiresAt: timestamp(noon + 1000) });
  setClock(noon + 1000);

  const raw = await service.call('GET', `/v1/customers/${uuid}/credit`);
  const changed = await service.call('POST', `${actions}/increment-credit`, { delta: 1 });
  setClock(noon);

  expect(raw.body.credit).toBe(30);
  expect(changed.body.credit).toBe(1);
});
