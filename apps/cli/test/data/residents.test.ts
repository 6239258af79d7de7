import { beforeEach, describe, expect, test } from 'vitest';
import { updateCustomer } from '../../../../lib/avatars/customers.ts';
import { findResident, forgetResidents, type Resident } from '../../../../lib/avatars/residents.ts';
import { recordPurchase } from '../../../../lib/avatars/spend.ts';
import { createCoupon } from '../../../../lib/catalogue/coupons.ts';
import { putGiftCard } from '../../../../lib/catalogue/gift-cards.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { putResident } from '../../../../lib/operator/residents.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { tempDir } from '../../../../test/support/files.ts';
import { newResident, unknownUuid } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();
const { store, otherStore, call, callOther } = await startTestService();

const importResidents = (rows: string[]) =>
  importText(store, dir, 'residents.csv', ['uuid,username,formerNames', ...rows].join('\n'));

/** Finds the resident with a name, without a cache. */
const find = async (username: string): Promise<Resident | undefined> => {
  forgetResidents();
  return findResident(store, { username });
};

for (const id of [store, otherStore]) await createProduct(id, productWith(), { id: unknownUuid });

beforeEach(forgetResidents);

/** Makes each kind of item that holds a copy of the resident's name. */
const seedCopies = async (id: string, resident: Resident): Promise<{ coupon: string; card: string }> => {
  const coupon = { code: `C-${resident.uuid}`, discount: 5, ownerProfit: 0, active: true, bloggersSync: false };
  await updateCustomer(id, { uuid: resident.uuid }, { discount: 5 });
  await recordPurchase(id, {
    id: `sale-${resident.uuid}`,
    buyer: resident,
    productId: unknownUuid,
    price: 5,
    at: '2026-01-01T00:00:00.000Z',
  });
  const made = await createCoupon(id, resident, coupon);
  const card = await putGiftCard(id, resident, { credit: 5, texture: null, transfer: false, active: true });
  return { coupon: made.id, card: card.id };
};

/** The resident's names in the answers of the API. */
const shownNames = async (
  through: typeof call,
  { uuid }: Resident,
  { coupon, card }: { coupon: string; card: string },
) => {
  const get = async (path: string) => (await through('GET', path)).body;
  const applied = await through('POST', `/v1/customers/${uuid}/actions/apply-coupon`, { couponId: coupon, scope: 0 });
  return [
    (await get(`/v1/customers/${uuid}`)).username,
    (await get(`/v1/customers/${uuid}/credit`)).username,
    (await get(`/v1/customers/${uuid}/spend`)).username,
    (await get(`/v1/coupons/${coupon}`)).couponOwnerUsername,
    (await get(`/v1/giftcards/${card}`)).ownerUsername,
    (await get(`/v1/coupons/owner/${uuid}`)).data[0].couponOwnerUsername,
    (await get(`/v1/customers/${uuid}/giftcards`)).data[0].ownerUsername,
    applied.body.customerUsername,
  ];
};

describe('a renamed resident', () => {
  test('has the new name in every answer of every store, and is found by the old name', async () => {
    const resident = await newResident({ username: 'stella' });
    const [own, others] = [await seedCopies(store, resident), await seedCopies(otherStore, resident)];

    const report = await importResidents([`${resident.uuid},Nova Star,stella;stella.first`]);

    expect(report).toMatchObject({ imported: true, changed: 1, created: 0 });
    expect(new Set(await shownNames(call, resident, own))).toEqual(new Set(['nova.star']));
    expect(new Set(await shownNames(callOther, resident, others))).toEqual(new Set(['nova.star']));
    for (const name of ['stella', 'stella.first', 'nova.star'])
      expect(await find(name)).toEqual({ uuid: resident.uuid, username: 'nova.star' });
    expect((await call('GET', '/v1/customers/stella')).body.username).toBe('nova.star');
  });

  test('has the new name everywhere after a failed write and a repeated import', async () => {
    const resident = await newResident({ username: 'crash' });
    const copies = await seedCopies(store, resident);
    const rename = (to: string) => importResidents([`${resident.uuid},${to},`]);

    for (let writes = 1, failed = true; failed; writes++) {
      // Alternates between two names: each further name would be one write more, and no round would be the last.
      const name = `crash.no${writes % 2}`;
      let seen = 0;
      failed = false;
      const mend = intercept(async ({ isWrite }, send) => {
        seen += isWrite ? 1 : 0;
        if (!isWrite || seen !== writes) return send();
        failed = true;
        throw Object.assign(new Error('refused'), { name: 'AccessDeniedException', $fault: 'client', $metadata: {} });
      });
      await rename(name).catch(() => {});
      mend();
      await rename(name);
      forgetResidents();

      expect(new Set(await shownNames(call, resident, copies))).toEqual(new Set([name]));
    }
  });
});

test('rejects a row that makes a resident of too many names to write at once', async () => {
  const { uuid } = await newResident({ username: 'many' });
  const formerNames = (kind: string) => Array.from({ length: 49 }, (_, index) => `many.${kind}${index}`).join(';');
  await importResidents([`${uuid},many,${formerNames('a')}`]);
  await importResidents([`${uuid},many,${formerNames('b')}`]);

  const report = await importResidents([`${uuid},many.more,`]);

  expect(report).toMatchObject({ imported: false, rejected: 1 });
  expect(await find('many.b48')).toEqual({ uuid, username: 'many' });
  expect(await find('many.more')).toBeUndefined();
});

describe('a name that goes from one resident to another', () => {
  test.each([
    ['first', (away: string, takes: string) => [away, takes]],
    ['last', (away: string, takes: string) => [takes, away]],
  ])('belongs to the new resident, if the row that releases it stands %s', async (where, order) => {
    const [old, next] = [
      await newResident({ username: `name.${where}` }),
      await newResident({ username: `next.${where}` }),
    ];
    const rows = order(`${old.uuid},gone.${where},`, `${next.uuid},name.${where},`);

    const report = await importResidents(rows);

    expect(report).toMatchObject({ imported: true, changed: 2 });
    expect(await find(`name.${where}`)).toEqual({ uuid: next.uuid, username: `name.${where}` });
    expect(await find(`gone.${where}`)).toEqual({ uuid: old.uuid, username: `gone.${where}` });
    expect(await find(`next.${where}`)).toEqual({ uuid: next.uuid, username: `name.${where}` });
    expect(await importResidents(rows)).toMatchObject({ unchanged: 2 });
  });

  test('may be exchanged', async () => {
    const [one, two] = [await newResident({ username: 'left' }), await newResident({ username: 'right' })];

    await importResidents([`${one.uuid},right,`, `${two.uuid},left,`]);

    expect([await find('right'), await find('left')]).toEqual([
      { uuid: one.uuid, username: 'right' },
      { uuid: two.uuid, username: 'left' },
    ]);
    expect(await findResident(store, { uuid: one.uuid })).toEqual({ uuid: one.uuid, username: 'right' });
  });

  test('may be a former name of the other', async () => {
    const [old, next] = [await newResident({ username: 'past' }), await newResident({ username: 'fresh' })];
    await putResident({ ...old, username: 'present' });

    await importResidents([`${next.uuid},past,`]);

    expect(await find('past')).toEqual({ uuid: next.uuid, username: 'past' });
    expect(await find('present')).toEqual({ uuid: old.uuid, username: 'present' });
  });

  test('is refused if its owner keeps it, and if it is claimed as a former name', async () => {
    const [owner, other] = [await newResident({ username: 'kept' }), await newResident({ username: 'other' })];

    const report = await importResidents([`${other.uuid},kept,`, `${unknownUuid},someone.new,kept`]);

    expect(report.faults.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      `2: username "kept" belongs to the resident ${owner.uuid}: give that resident's new name in the same file`,
      expect.stringMatching(
        /^3: (username or formerNames "kept" must be unique|formerNames "kept" must be this resident's own)/,
      ),
    ]);
    expect(await find('kept')).toEqual(owner);
  });
});
