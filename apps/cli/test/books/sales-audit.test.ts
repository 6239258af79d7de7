import { beforeEach, expect, test } from 'vitest';
import { spendKey } from '../../../../lib/table/keys.ts';
import { update } from '../../../../lib/table/language.ts';
import { get, removeMany, write } from '../../../../lib/table/table.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { ada, bob, cleo } from '../../../../test/support/residents.ts';
import { setClock, wholeTable } from '../../../../test/support/service.ts';
import { payoutsOf } from '../../deployment/payouts.ts';
import type { Check } from '../../kinds/audit.ts';
import { checkUses } from '../../kinds/coupon-uses.ts';
import { checkStock } from '../../kinds/products.ts';
import { checkSales } from '../../kinds/sales.ts';
import { checkSpend } from '../../kinds/spend.ts';
import { erasePerson } from '../../person/erase.ts';
import { exportPerson } from '../../person/export.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();
let store: string;

/** Ada buys twice with Bob's coupon, once as a gift to Cleo, who shares in the profit; a third sale was refunded. */
beforeEach(async () => {
  setClock(Date.parse('2026-03-01T12:00:00Z'));
  store = await freshStore();
  await importText(store, dir, 'products.csv', 'id,name,price,limited,availableAmount\nL,Lamp,100,true,5\n');
  const sale = (id: string, fields: object) => {
    const money = { base: 100, total: 100, paid: 100, refund: 0, change: 0 };
    const used = { coupon: { id: '00000000-c0de-4000-8000-000000000000', couponOwnerUuid: bob.uuid, ownerProfit: 10 } };
    const shares = [
      { kind: 'commission', residentUuid: bob.uuid, percent: 10, amount: 10 },
      { kind: 'share', residentUuid: cleo.uuid, percent: 95, amount: 90 },
    ];
    const at = '2026-02-01T00:00:00Z';
    return JSON.stringify({ id, product: 'L', buyer: ada.uuid, ...money, ...used, shares, at, ...fields });
  };
  const refunded = { state: 'refunded', refund: 100, refundedAt: '2026-02-02T00:00:00Z' };
  const rows = [sale('S1', {}), sale('S2', { recipient: cleo.uuid }), sale('S3', refunded)];
  const report = await importText(store, dir, 'sales.ndjson', rows.join('\n'));
  expect(report.faults).toEqual([]);
});

const faultsOf = async (...checks: Check[]): Promise<string[]> => {
  const faults: string[] = [];
  for (const check of checks) await check(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  return faults;
};

const allFaults = () => faultsOf(checkSpend, checkSales, checkUses, checkStock);

const itemsOf = async (kind: string) =>
  (await wholeTable(`${store}#${kind}`)) as unknown as { pk: string; sk: string; state?: string }[];

const only = <T>(items: readonly T[]): T => {
  expect(items).toHaveLength(1);
  return items[0] as T;
};

test('the audit finds each way in which a sale, its lists, its coupon uses or the stock can be off, and nothing in books that add up', async () => {
  const sound = await allFaults();
  const sales = await itemsOf('SALE');
  const [first, second] = sales.filter(({ state }) => state === 'completed');
  const refunded = only(sales.filter(({ state }) => state === 'refunded'));
  const use = only(await itemsOf('USE'));
  const product = only(await itemsOf('PRODUCT'));
  const set = (item: object | undefined, fields: object) =>
    write(update(item as { pk: string; sk: string }, { set: { ...fields } }));

  await set(first, {
    total: 99,
    due: 'elsewhere',
    shares: [{ residentUuid: bob.uuid, kind: 'share', percent: 10, amount: 11 }],
  });
  await set(second, { bought: undefined });
  await set(refunded, { refund: 99 });
  await set(use, { uses: 3 });
  await set(product, { availableAmount: -1 });

  expect(sound).toEqual([]);
  expect((await allFaults()).sort()).toEqual(
    [
      `sale ${first?.sk}: owes ${bob.uuid} L$ 11 as share, not L$ 10.`,
      `sale ${first?.sk}: costs L$ 99, but L$ 100 paid for it.`,
      `sale ${first?.sk}: is listed at elsewhere, not 2026-02-01T00:00:00.000Z#${first?.sk}.`,
      `sale ${second?.sk}: is listed at undefined, not ${store}#SALE#of#${ada.uuid}.`,
      `sale ${refunded.sk}: gives L$ 99 back, not L$ 100.`,
      // The list that lacks a sale is the one that counts it.
      `coupon ${use.sk}: ${ada.uuid} is counted to have used it 3 times, not 1.`,
      `product ${product.sk} (Lamp): -1 copies are left.`,
    ].sort(),
  );
});

test('a use that no sale has, and a sale that no use counts, are faults', async () => {
  const use = only(await itemsOf('USE'));
  await removeMany([use]);

  expect(await allFaults()).toEqual([`coupon ${use.sk}: ${ada.uuid} is counted to have used it 0 times, not 2.`]);
});

test('an avatar’s data have the sales that they paid for, got or share in, and nothing about anybody else', async () => {
  const of = async ({ uuid }: { uuid: string }) => {
    const [data] = (await exportPerson([{ id: store, name: 'Till' }], uuid, '2026-03-01T12:00:00.000Z')).stores;
    return data;
  };

  const [adas, cleos] = [await of(ada), await of(cleo)];

  expect(adas?.salesPaid.map(({ state, recipientUuid, shares }) => [state, recipientUuid, shares])).toEqual(
    expect.arrayContaining([
      ['completed', ada.uuid, []],
      ['completed', null, []],
      ['refunded', ada.uuid, []],
    ]),
  );
  expect(adas?.couponUses).toMatchObject([{ uses: 2 }]);
  expect([cleos?.salesPaid, cleos?.salesReceived]).toMatchObject([[], [{ state: 'completed' }]]);
  expect(cleos?.salesShared.map(({ percent, amount }) => [percent, amount])).toEqual(Array(3).fill([95, 90]));
  for (const other of [bob, cleo]) expect(JSON.stringify(adas)).not.toContain(other.uuid);
  for (const other of [ada, bob]) expect(JSON.stringify(cleos)).not.toContain(other.uuid);
});

test('an erased buyer leaves sales and coupon uses that add up, and imported shares owe nobody, under the pseudonym', async () => {
  const buyer = await erasePerson(store, ada.uuid, false, () => []);
  await erasePerson(store, cleo.uuid, false, () => []);

  expect(await allFaults()).toEqual([]);
  expect(JSON.stringify(await wholeTable(`${store}#`))).not.toMatch(new RegExp(`${ada.uuid}|${cleo.uuid}`));
  expect(await get(spendKey(store, buyer ?? ''))).toMatchObject({ sum: 200 });
  expect((await payoutsOf(store, { from: '2026-02-01', to: '2026-02-28' }, false)).payouts).toEqual([]);
});
