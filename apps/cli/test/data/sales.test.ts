import { beforeEach, expect, test } from 'vitest';
import { getSpend } from '../../../../lib/avatars/spend.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { sendUnsent } from '../../../../lib/sale/sweep.ts';
import { freshStore, tempDir } from '../../../../test/support/files.ts';
import { catchUp, keepHistory } from '../../../../test/support/history.ts';
import { ada, bob, cleo } from '../../../../test/support/residents.ts';
import { setClock, wholeTable } from '../../../../test/support/service.ts';
import { checkDays } from '../../kinds/days.ts';
import { checkSpend } from '../../kinds/spend.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();
const now = Date.parse('2026-03-01T12:00:00Z');
let store: string;

beforeEach(async () => {
  setClock(now);
  store = await freshStore();
  await importText(store, dir, 'products.csv', 'id,name,price,limited,availableAmount\nL,Lamp,100,true,5\n');
  await importText(store, dir, 'credit.csv', 'resident,amount\nada.lovelace,500\n');
  await importText(store, dir, 'coupons.csv', 'id,code,owner\nC,TEN,bob\n');
});

const header =
  'id,state,refusal,product,buyer,recipient,base,total,credit,paid,refund,change,shares,coupon.id,coupon.couponOwnerUuid,at,refundedAt';
const completed = 'S1,,,L,ada.lovelace,,100,90,20,75,5,5,commission bob 10 7,C,bob,2026-02-01T00:00:00Z,';
const gift = 'S2,,,L,ada.lovelace,cleo,100,100,,100,,,,C,bob,2026-02-02T00:00:00Z,';
const refused = 'S3,refused,underpaid,L,ada.lovelace,,100,100,,5,5,5,,,,2026-02-03T00:00:00Z,';
const refunded = 'S4,refunded,,L,bob,,100,100,,110,110,10,share cleo 50 50,,,2026-02-04T00:00:00Z,2026-02-05T00:00:00Z';
const file = (...lines: string[]): string => [header, ...lines, ''].join('\n');

const spendOf = async ({ uuid }: { uuid: string }) => {
  const { sum, lastYearSum, totalOwned } = await getSpend(store, { uuid });
  return { sum, lastYearSum, totalOwned };
};

/** The items of kinds that an imported sale must leave alone. */
const others = async () =>
  (await wholeTable(`${store}#`)).filter(({ pk }) => /#(PRODUCT|LOT|HISTORY|DELIVERY|DAY|MARK)(#|$)/.test(String(pk)));

test('an imported sale counts in spend, owned products and coupon uses, and changes neither credit, stock nor deliveries', async () => {
  const before = await others();

  const report = await importText(store, dir, 'sales.csv', file(completed, gift, refused, refunded));
  setClock(now + 3_600_000);
  const { ordered } = await sendUnsent();

  expect(report).toMatchObject({ created: 4, rejected: 0, faults: [] });
  expect(await spendOf(ada)).toEqual({ sum: 170, lastYearSum: 170, totalOwned: 1 });
  expect(await spendOf(cleo)).toEqual({ sum: 0, lastYearSum: 0, totalOwned: 1 });
  expect(await spendOf(bob)).toEqual({ sum: 0, lastYearSum: 0, totalOwned: 0 });
  const items = await wholeTable(`${store}#`);
  const kind = (name: string) => items.filter(({ pk }) => String(pk).split('#')[1] === name);
  expect(kind('USE').map(({ pk, uses }) => [String(pk).split('#')[2], uses])).toEqual([[ada.uuid, 2]]);
  expect(
    kind('SALE')
      .filter(({ state }) => state)
      .map(({ state, imported }) => [state, imported]),
  ).toHaveLength(4);
  expect(kind('CUSTOMER').find(({ sk }) => sk === ada.uuid)).toMatchObject({ credit: 500, creditVersion: 1 });
  expect(await others()).toEqual(before);
  expect(ordered).toBe(0);
  const faults: string[] = [];
  await checkSpend(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });
  expect(faults).toEqual([]);
});

test('a sale imported twice is one, and more sales than fit into a transaction all count', async () => {
  const many = Array.from({ length: 60 }, (_, i) => completed.replace('S1', `M${i}`));
  const text = file(...many, gift);

  const first = await importText(store, dir, 'sales.csv', text);
  const before = await wholeTable();
  const second = await importText(store, dir, 'sales.csv', text);

  expect([first, second]).toMatchObject([{ created: 61 }, { created: 0, unchanged: 61, rejected: 0 }]);
  expect(await wholeTable()).toEqual(before);
  expect(await spendOf(ada)).toEqual({ sum: 60 * 70 + 100, lastYearSum: 60 * 70 + 100, totalOwned: 1 });
  expect(before.filter(({ uses }) => uses !== undefined)).toMatchObject([{ uses: 61 }]);
});

test('an imported sale can be refunded: it counts no more, and no delivery ends with it', async () => {
  await importText(store, dir, 'sales.csv', file(completed.replace('2026-02-01', '2026-02-28')));
  const [sale] = (await wholeTable(`${store}#SALE`)).filter(({ state }) => state);

  await refundSale(store, String(sale?.sk), { by: 'test' });

  expect(await spendOf(ada)).toEqual({ sum: 0, lastYearSum: 0, totalOwned: 0 });
  const [customer] = (await wholeTable(`${store}#CUSTOMER`)).filter(({ sk }) => sk === ada.uuid);
  expect(customer).toMatchObject({ credit: 520 });
  expect(await wholeTable(`${store}#DELIVERY`)).toEqual([]);
});

test('an imported sale counts in no day, neither when it was made nor when it is refunded', async () => {
  await keepHistory();
  await importText(store, dir, 'sales.csv', file(gift, refunded));
  await catchUp();
  const [sale] = (await wholeTable(`${store}#SALE`)).filter(({ state }) => state === 'completed');
  await refundSale(store, String(sale?.sk), { by: 'test' });
  await catchUp();

  const faults: string[] = [];
  await checkDays(store, { onFault: (fault) => faults.push(fault), onChecked: () => {} });

  expect(await wholeTable(`${store}#DAY`)).toEqual([]);
  expect(faults).toEqual([]);
});

test.each([
  ['completed with a refusal', completed.replace('S1,,,', 'S1,,underpaid,'), /refusal .*must be empty unless/],
  ['refused without a refusal', refused.replace('underpaid', ''), /refusal must say why/],
  ['of nobody', completed.replace('ada.lovelace', ''), /buyer must not be empty unless/],
  ['that paid too little', completed.replace(',75,', ',74,'), /total 90 must be the credit/],
  ['that gave back what was not due', completed.replace(',5,5,', ',6,5,'), /refund 6 must be 5: the change/],
  ['refunded in part', refunded.replace(',110,110,', ',110,100,'), /refund 100 must be 110: all that was paid/],
  ['refunded at no time', refunded.replace('2026-02-05T00:00:00Z', ''), /refundedAt must be there/],
  ['refunded before it was made', refunded.replace('02-05', '02-03'), /refundedAt .* must not be before the sale/],
  ['with shares above what was kept', completed.replace('10 7', '10 71'), /shares .*must be at most/],
  ['with shares that are none', completed.replace('commission bob 10 7', 'bob:10'), /shares .*must be shares as kind/],
  ['to a stranger', completed.replace('ada.lovelace', 'nobody.here'), /buyer "nobody.here" is not a known resident/],
  ['of no product', completed.replace(',L,', ',M,'), /product "M" must be a product of the store/],
  ['of tomorrow', completed.replace('2026-02-01', '2026-03-02'), /at .*must not be in the future/],
  ['without an id', completed.replace('S1', ''), /id is empty/],
])('refuses a sale %s, and says what to change', async (_, line, message) => {
  const before = await wholeTable();

  const report = await importText(store, dir, 'sales.csv', file(gift, line));

  expect(report).toMatchObject({ imported: false, rejected: 1, faults: [{ line: 3 }] });
  expect(report.faults[0]?.reason).toMatch(message);
  expect(await wholeTable()).toEqual(before);
});

test('an import changes no sale that is there, and takes an older copy of a refunded one for it', async () => {
  await importText(store, dir, 'sales.csv', file(completed, refunded));
  const before = await wholeTable();

  const { faults } = await importText(
    store,
    dir,
    'sales.csv',
    file(
      completed.replace('2026-02-01', '2026-02-02'),
      refunded
        .replace('S4,refunded', 'S4,')
        .replace(',110,110,10', ',110,10,10')
        .replace(/2026-02-05.*/, ''),
    ),
    { skipRejects: true },
  );
  const asRefunded = await importText(
    store,
    dir,
    'sales.ndjson',
    `${JSON.stringify({ id: 'S1', state: 'refunded', product: 'L', buyer: ada.uuid, base: 100, total: 90, credit: 20, paid: 75, refund: 75, change: 5, at: '2026-02-01T00:00:00Z', refundedAt: '2026-02-28T00:00:00Z' })}\n`,
  );

  expect(faults.map(({ line, reason }) => [line, reason])).toEqual([
    [2, expect.stringContaining('was recorded already with other values; an import changes no sale')],
  ]);
  expect(asRefunded.faults[0]?.reason).toMatch(/state "refunded" must be completed.*store sales refund [\da-f-]{36}/);
  expect(await wholeTable()).toEqual(before);
});
