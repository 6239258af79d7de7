import { expect, test } from 'vitest';
import { findCustomerItem } from '../../../lib/avatars/customers.ts';
import { identifierCases } from '../../support/customer-cases.ts';
import { newResident } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

const service = await startTestService();

identifierCases(() => service, 'POST', '/actions/ban');

const ban = (uuid: string, body?: unknown) => service.call('POST', `/v1/customers/${uuid}/actions/ban`, body);

const reasonOf = async (uuid: string) =>
  ((await findCustomerItem(service.store, uuid)) as { banReason?: string } | undefined)?.banReason;

test('records the reason, trimmed; a second ban with a reason replaces it, one without leaves it', async () => {
  const { uuid } = await newResident();

  await ban(uuid, { reason: ' Spam\nagain ' });
  const first = await reasonOf(uuid);
  await ban(uuid, { reason: 'Fraud' });
  const second = await reasonOf(uuid);
  const third = await ban(uuid, {});

  expect([first, second, await reasonOf(uuid)]).toEqual(['Spam\nagain', 'Fraud', 'Fraud']);
  expect(third).toMatchObject({ status: 200, body: { isBanned: true } });
});

test.each([{ reason: 'x'.repeat(1001) }, { reason: 5 }, { reason: null }, { reason: 'bell \u0007' }, '[]', '{', '"x"'])(
  '400s for the body %j and writes nothing',
  async (sent) => {
    const { uuid } = await newResident();
    const before = await wholeTable();

    const { status, body } = await ban(uuid, sent);

    expect(status).toBe(400);
    expect(body.errors).toHaveLength(1);
    expect(await wholeTable()).toEqual(before);
  },
);
