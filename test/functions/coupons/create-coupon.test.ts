import { expect, test } from 'vitest';
import { nilUuid } from '../../../lib/identifier.ts';
import { seedResidents, unknownUuid } from '../../support/residents.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
await seedResidents();

const create = (body: object) => service.call('POST', '/v1/coupons', { ownerIdentifier: 'Ada Lovelace', ...body });

test('accepts codes that normalise to more bytes than a key of the table holds, and keeps them unique', async () => {
  const long = 'ﷺ'.repeat(64);

  const [first, again, other] = [
    await create({ code: long }),
    await create({ code: long }),
    await create({ code: 'ﷺ'.repeat(63) }),
  ];

  expect([first.status, again.status, other.status]).toEqual([201, 400, 201]);
});

test('400s with one message for each fault', async () => {
  const { status, body } = await service.call('POST', '/v1/coupons', {
    code: '',
    discount: 101,
    ownerProfit: '5',
    active: 1,
    ownerIdentifier: nilUuid,
  });

  expect(status).toBe(400);
  expect(body.errors).toEqual([
    'code must be text of 1 to 64 characters without control characters.',
    'discount must be a number from 0 to 100.',
    'ownerProfit must be a number from 0 to 100.',
    'active must be true or false.',
    'ownerIdentifier must be a username (first, first.last or first last) or an avatar UUID.',
  ]);
});

test('400s for an unknown owner and a taken code in one answer', async () => {
  await create({ code: 'Taken' });

  const { status, body } = await create({ code: 'taken', ownerIdentifier: unknownUuid });

  expect(status).toBe(400);
  expect(body.errors).toEqual([
    'code must be unique in the store, whatever its case: another coupon has it.',
    'ownerIdentifier names a resident who does not exist.',
  ]);
});
