import { beforeAll, expect, test } from 'vitest';
import { findCustomerItem } from '../../../lib/store/customers.ts';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
});

identifierCases(() => service, 'POST', '/actions/unban');

test('200s with the ban lifted and its reason forgotten', async () => {
  const { uuid, username } = await newResident();
  await service.call('POST', `/v1/customers/${uuid}/actions/ban`, { reason: 'Spam' });

  const { status, body } = await service.call('POST', `/v1/customers/${uuid}/actions/unban`);

  expect(status).toBe(200);
  expect(body).toEqual({ uuid, username, isBanned: false });
  expect((await service.call('GET', `/v1/customers/${uuid}`)).body.isBanned).toBe(false);
  expect(await findCustomerItem(service.store, uuid)).not.toHaveProperty('banReason');
});

test('200s again for a customer who is not banned', async () => {
  const { uuid } = await newResident();
  await service.call('POST', `/v1/customers/${uuid}/actions/unban`);

  const { status, body } = await service.call('POST', `/v1/customers/${uuid}/actions/unban`, 'whatever is sent');

  expect(status).toBe(200);
  expect(body.isBanned).toBe(false);
});
