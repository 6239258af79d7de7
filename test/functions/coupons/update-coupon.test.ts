import { expect, test } from 'vitest';
import { seedResidents } from '../../support/residents.ts';
import { startTestService, wholeTable } from '../../support/service.ts';

const service = await startTestService();
await seedResidents();

const create = async (code: string): Promise<string> =>
  (await service.call('POST', '/v1/coupons', { code, ownerIdentifier: 'ada.lovelace', discount: 10, ownerProfit: 5 }))
    .body.id;

const update = (id: string, body: object) => service.call('PUT', `/v1/coupons/${id}`, body);

/** The normalised code of each coupon, and each code item. They must be the same. */
const codes = async () => {
  const items = await wholeTable();
  const ofKind = (kind: string) => items.filter(({ pk }) => pk === `${service.store}#${kind}`);
  return {
    coupons: ofKind('COUPON')
      .map(({ id, folded }) => `${folded} ${id}`)
      .sort(),
    held: ofKind('CODE')
      .map(({ id, sk }) => `${sk} ${id}`)
      .sort(),
  };
};

test('400s for a code that another coupon has, and writes nothing', async () => {
  await create('Taken');
  const id = await create('Taker');
  const before = await wholeTable();

  const { status, body } = await update(id, { code: 'tAKEN', discount: 99 });

  expect(status).toBe(400);
  expect(body.errors).toEqual(['code must be unique in the store, whatever its case: another coupon has it.']);
  expect(await wholeTable()).toEqual(before);
});

test('leaves each coupon one code after concurrent renames and creates', async () => {
  const ids = await Promise.all(['Race1', 'Race2', 'Race3'].map(create));
  const names = ['Race1', 'Race2', 'RACE3', 'Race4', 'Race5'];

  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 8 === 0
        ? service.call('POST', '/v1/coupons', { code: names[index % 5], ownerIdentifier: 'bob' })
        : update(ids[index % 3] as string, { code: names[(index * 7) % 5] }),
    ),
  );

  expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 201, 400]))).toEqual(new Set());
  const { coupons, held } = await codes();
  expect(held).toEqual(coupons);
  expect(new Set(held.map((entry) => entry.split(' ')[0])).size).toBe(held.length);
});
