import { beforeAll, expect, test } from 'vitest';
import { nilUuid } from '../../../lib/identifier.ts';
import { ada, seedResidents, unknownUuid } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
beforeAll(async () => {
  service = await startTestService();
  await seedResidents();
});

const create = (body: object) => service.call('POST', '/v1/coupons', { ownerIdentifier: 'Ada Lovelace', ...body });

test('201s with the coupon, its defaults and its Location', async () => {
  const { status, headers, body } = await create({ code: '  Spring ' });

  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    code: 'Spring',
    active: true,
    bloggersSync: false,
    couponOwnerUuid: ada.uuid,
    couponOwnerUsername: 'ada.lovelace',
    discount: 0,
    ownerProfit: 0,
    usesPerCustomer: 0,
    expiration: '9999-12-31T23:59:59.999Z',
  });
  expect(headers.get('location')).toBe(`/v1/coupons/${body.id}`);
  expect((await service.call('GET', `/v1/coupons/${body.id}`)).body).toEqual(body);
});

test.each(['SUMMER', 'summer', ' sUmMeR ', 'ｓummer'])(
  '400s when %j differs from a taken code in case or width alone',
  async (code) => {
    await create({ code: 'Summer' });
    const before = await wholeTable();

    const { status, body } = await create({ code });

    expect(status).toBe(400);
    expect(body.errors).toEqual(['code must be unique in the store, whatever its case: another coupon has it.']);
    expect(await wholeTable()).toEqual(before);
  },
);

test('lets exactly one of many concurrent creates of a code succeed', async () => {
  const answers = await Promise.all(['Rush', 'RUSH', 'rush', 'rusH', 'ruSh'].map((code) => create({ code })));

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
  const { data } = (await service.call('GET', '/v1/coupons')).body;
  expect(data.filter(({ code }: { code: string }) => code.toLowerCase() === 'rush')).toHaveLength(1);
});

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
