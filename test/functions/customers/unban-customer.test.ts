import { expect, test } from 'vitest';
import { findCustomerItem } from '../../../lib/avatars/customers.ts';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

const service = await startTestService();

identifierCases(() => service, 'POST', '/actions/unban');

test('200s with the ban lifted and its reason deleted', async () => {
  const { uuid, username } = await newResident();
  await service.call('POST', `/v1/customers/${uuid}/actions/ban`, { reason: 'Spam' });

  const { status, body } = await service.call('POST', `/v1/customers/${uuid}/actions/unban`);

  expect(status).toBe(200);
  expect(body).toEqual({ uuid, username, isBanned: false });
  expect((await service.call('GET', `/v1/customers/${uuid}`)).body.isBanned).toBe(false);
  expect(await findCustomerItem(service.store, uuid)).not.toHaveProperty('banReason');
});

test('200s for a resident without a record in the store, and writes nothing', async () => {
  const { uuid, username } = await newResident();
  const before = await wholeTable();

  const { status, body } = await service.call('POST', `/v1/customers/${username}/actions/unban`);

  expect(status).toBe(200);
  expect(body).toEqual({ uuid, username, isBanned: false });
  expect(await wholeTable()).toEqual(before);
});

test('200s for such a resident with an Idempotency-Key, and makes them no customer', async () => {
  const { uuid, username } = await newResident();
  const unban = () =>
    service.call('POST', `/v1/customers/${uuid}/actions/unban`, undefined, { 'Idempotency-Key': uuid });

  const answers = [await unban(), await unban()];

  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toEqual({ uuid, username, isBanned: false });
  }
  expect(await findCustomerItem(service.store, uuid)).toBeUndefined();
});
