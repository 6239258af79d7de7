import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { getCustomer, getCustomerItem } from '../../../../lib/avatars/customers.ts';
import { getSpend } from '../../../../lib/avatars/spend.ts';
import { getCategory, listCategories } from '../../../../lib/catalogue/categories.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import type { CreditItem } from '../../../../lib/credit/state.ts';
import { auditTable } from '../../../../lib/operator/audit-credit.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { intercept } from '../../../../test/support/faults.ts';
import { filesOf, freshStore, tempDir } from '../../../../test/support/files.ts';
import { ada } from '../../../../test/support/residents.ts';
import { wholeTable } from '../../../../test/support/service.ts';
import { exportAll } from '../../data/export.ts';
import { importText } from '../support/import-files.ts';

const dir = tempDir();
let store: string;

beforeEach(async () => {
  store = await freshStore();
});

const files: [string, string][] = [
  ['categories.csv', 'name\nChairs\nLamps\n'],
  [
    'products.csv',
    'id,name,price,categories,demoId\nP1,Chair,100,Chairs,P2\nP2,Demo chair,0,Chairs;Lamps,\n,Lamp,50,Lamps,\n',
  ],
  ['customers.csv', 'resident,discount,newsSubscriber\nada.lovelace,5,true\nbob,,\n'],
  [
    'credit.csv',
    'resident,type,amount,expiresAt\nAda Lovelace,,30,2099-01-01T00:00:00Z\nada.lovelace,,30,2099-01-01T00:00:00Z\nada.lovelace,restricted,7,\nbob,,12,\n',
  ],
  ['coupons.csv', 'code,owner,discount\nTEN,bob,10\n'],
  ['giftcards.csv', 'owner,credit\ncleo,10\ncleo,10\n'],
  [
    'purchases.csv',
    'resident,product,price,at\nada.lovelace,P1,100,2020-01-01T00:00:00Z\nada.lovelace,P1,100,2020-01-01T00:00:00Z\nbob,Lamp,50,2020-01-01T00:00:00Z\n',
  ],
];

const importEvery = async () => {
  const reports = [];
  for (const [name, text] of files) reports.push(await importText(store, dir, name, text));
  return reports;
};

/** The faults that the audit finds in the store. */
const audit = async (): Promise<string[]> => auditTable(await wholeTable(`${store}#`));

/** The store's data as an export, without the times of creation, which differ in each run. */
const contents = async (): Promise<string> => {
  const to = join(dir, randomUUID());
  await exportAll(store, to);
  return JSON.stringify(filesOf(to)).replaceAll(/20[2-3]\d-\d\d-\d\dT[^,]*?Z/g, 'TIME');
};

describe('the same files again', () => {
  test('change nothing: rows without ids are recognised, including twins', async () => {
    const first = await importEvery();
    const before = await wholeTable();

    const second = await importEvery();

    expect(first.map(({ created, rows }) => rows - created)).toEqual(files.map(() => 0));
    expect(second.map(({ unchanged, rows }) => rows - unchanged)).toEqual(files.map(() => 0));
    expect(await wholeTable()).toEqual(before);
    expect(await getSpend(store, { uuid: ada.uuid })).toMatchObject({ sum: 200, totalOwned: 1 });
    expect(await getCustomer(store, { uuid: ada.uuid })).toMatchObject({
      credit: 60,
      restrictedCredit: 7,
      discount: 5,
    });
  });

  test('give the same result after any failed write', { timeout: 120_000 }, async () => {
    await importEvery();
    const whole = await contents();

    let failed = true;
    for (let writes = 1; failed; writes += 2) {
      store = (await createStore(`Store ${writes}`)).id;
      let seen = 0;
      failed = false;
      const mend = intercept(async ({ isWrite }, send) => {
        seen += isWrite ? 1 : 0;
        if (seen < writes) return send();
        failed = true;
        throw Object.assign(new Error('refused'), { name: 'AccessDeniedException', $fault: 'client', $metadata: {} });
      });
      await importEvery().catch(() => {});
      mend();
      await importEvery();

      const normal = (text: string): string => text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f-]{22}/g, 'ID');
      expect(normal(await contents()).length).toBe(normal(whole).length);
      expect(await audit()).toEqual([]);
    }
  });

  test('imported twice at once give the result of one import', async () => {
    const others = (await createStore('Other store')).id;
    await importEvery();
    const whole = await contents();
    const own = store;
    store = others;

    // Each has a copy of its own: a file that is written anew while the other import reads it is empty for a moment.
    for (const [name, text] of files)
      await Promise.all([name, name.replace('.', '.copy.')].map((copy) => importText(store, dir, copy, text)));

    expect((await contents()).length).toBe(whole.length);
    expect(await getSpend(store, { uuid: ada.uuid })).toEqual(await getSpend(own, { uuid: ada.uuid }));
    expect(await getCustomer(store, { uuid: ada.uuid })).toEqual(await getCustomer(own, { uuid: ada.uuid }));
    expect(await audit()).toEqual([]);
  });
});

describe('credit', () => {
  const head = 'resident,amount,expiresAt\n';

  test('that was spent, set or given since is not restored, and no more can be added', async () => {
    const lots = `${head}ada.lovelace,30,2099-01-01T00:00:00Z\nada.lovelace,50,2099-01-02T00:00:00Z\nada.lovelace,9,\n`;
    await importText(store, dir, 'credit.csv', lots);
    await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'increment', delta: -60 }, { by: 'spent' });
    await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'set', credit: 1 }, { by: 'set' });

    const again = await importText(store, dir, 'credit.csv', lots);
    const more = await importText(store, dir, 'credit.csv', `${lots}ada.lovelace,5,2099-01-03T00:00:00Z\n`);

    expect(again).toMatchObject({ unchanged: 3, rejected: 0 });
    expect(more.faults).toMatchObject([
      {
        line: 5,
        field: 'amount',
        reason: expect.stringContaining('the store has changed this customer’s credit since'),
      },
    ]);
    expect(await getCustomer(store, { uuid: ada.uuid })).toMatchObject({ credit: 1 });
  });

  test('is imported with any number of lots, in parts that add up', async () => {
    const lots = Array.from(
      { length: 250 },
      (_, i) => `ada.lovelace,${i + 1},2099-01-01T00:00:${String(i % 60).padStart(2, '0')}Z`,
    );

    const report = await importText(store, dir, 'credit.csv', head + lots.join('\n'));

    expect(report).toMatchObject({ created: 250 });
    expect(await getCustomer(store, { uuid: ada.uuid })).toMatchObject({ credit: (250 * 251) / 2 });
    expect(await audit()).toEqual([]);
  });

  test('that the store holds by chance is not taken for the row of a file', async () => {
    await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'increment', delta: 30 }, { by: 'earned' });

    const report = await importText(store, dir, 'credit.csv', `${head}ada.lovelace,30,\n`);

    expect(report).toMatchObject({ imported: false, unchanged: 0 });
    expect(report.faults).toMatchObject([
      { line: 2, field: 'amount', reason: expect.stringContaining('credit since') },
    ]);
    expect(await getCustomer(store, { uuid: ada.uuid })).toMatchObject({ credit: 30 });
  });

  test('without lots is known by its row after any changes, and an equal row of another id is not', async () => {
    const file = (id: string) => `id,resident,amount\n${id},ada.lovelace,30\n`;
    await importText(store, dir, 'credit.csv', file('A1'));
    await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'increment', delta: -10 }, { by: 'spent' });
    await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'increment', delta: 10 }, { by: 'earned' });

    const again = await importText(store, dir, 'credit.csv', file('A1'));
    const other = await importText(store, dir, 'credit.csv', file('A2'));

    expect(again).toMatchObject({ unchanged: 1, rejected: 0 });
    expect(other).toMatchObject({ imported: false, unchanged: 0, rejected: 1 });
  });

  test('without lots can be corrected until the store changes it', async () => {
    const file = (amount: number) => `id,resident,amount\nA1,ada.lovelace,${amount}\n`;
    await importText(store, dir, 'credit.csv', file(30));

    const corrected = await importText(store, dir, 'credit.csv', file(20));
    await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'increment', delta: 10 }, { by: 'earned' });
    const late = await importText(store, dir, 'credit.csv', file(30));

    expect(corrected).toMatchObject({ changed: 1 });
    expect(late).toMatchObject({ imported: false, rejected: 1 });
    expect(await getCustomer(store, { uuid: ada.uuid })).toMatchObject({ credit: 30 });
  });

  const lot = { type: 'regular', remaining: '25', expiresAt: '2099-01-01T00:00:00.000Z', state: 'open' };
  describe.each([false, true])('in a lot that is there (changed by the store: %s)', (isChanged) => {
    test.each<[string, Partial<typeof lot>]>([
      ['expiresAt', { expiresAt: '2099-02-01T00:00:00.000Z' }],
      ['type', { type: 'restricted' }],
      ...(isChanged
        ? []
        : [
            ['remaining', { remaining: '26' }] as [string, object],
            ['state', { state: 'superseded' }] as [string, object],
          ]),
    ])('is not taken for a row with another %s', async (field, other) => {
      const file = (row: typeof lot) =>
        `id,resident,amount,type,remaining,expiresAt,state\nTX1,ada.lovelace,30,${Object.values(row).join(',')}\n`;
      await importText(store, dir, 'credit.csv', file(lot));
      if (isChanged)
        await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'increment', delta: -5 }, { by: 'spent' });
      const before = await wholeTable();

      const again = await importText(store, dir, 'credit.csv', file(lot));
      const changed = await importText(store, dir, 'credit.csv', file({ ...lot, ...other }));

      expect(again).toMatchObject({ unchanged: 1, rejected: 0 });
      expect(changed).toMatchObject({ imported: false, unchanged: 0, created: 0, rejected: 1 });
      expect(changed.faults).toMatchObject([{ field, reason: expect.stringContaining('is there already') }]);
      expect(await wholeTable()).toEqual(before);
    });
  });

  test('in lots is lowered by a later file, down to nothing, until the store changes it', async () => {
    const ends = ['2099-01-01T00:00:00Z', '2098-01-01T00:00:00Z', '2097-01-01T00:00:00Z'];
    const file = (left: number[]) =>
      `id,resident,amount,remaining,expiresAt,state\n${left
        .map((each, i) => `L${i},ada.lovelace,30,${each},${ends[i]},${each > 0 ? 'open' : 'drained'}\n`)
        .join('')}`;
    await importText(store, dir, 'credit.csv', file([30, 20, 10]));

    const lowered = await importText(store, dir, 'credit.csv', file([25, 20, 0]));
    const { credit, creditDue, creditLots }: CreditItem = await getCustomerItem(store, ada.uuid);
    const same = await importText(store, dir, 'credit.csv', file([25, 20, 0]));
    const emptied = await importText(store, dir, 'credit.csv', file([0, 20, 0]));
    await changeCredit(store, { uuid: ada.uuid }, 'regular', { kind: 'increment', delta: 1 }, { by: 'earned' });
    const late = await importText(store, dir, 'credit.csv', file([0, 0, 0]));

    expect(lowered).toMatchObject({ changed: 2, unchanged: 1 });
    expect({ credit, creditDue, creditLots }).toEqual({
      credit: 45,
      creditDue: new Date(ends[1] ?? '').toISOString(),
      creditLots: 2,
    });
    expect([same, emptied]).toMatchObject([{ unchanged: 3 }, { changed: 1, unchanged: 2 }]);
    expect(late).toMatchObject({ imported: true, unchanged: 3 });
    expect(await getCustomer(store, { uuid: ada.uuid })).toMatchObject({ credit: 21 });
    expect(auditTable(await wholeTable(store))).toEqual([]);
  });

  test('above the credit limit is refused', async () => {
    const report = await importText(
      store,
      dir,
      'credit.csv',
      `${head}bob,900000000,2099-01-01T00:00:00Z\nbob,900000000,\n`,
    );

    expect(report).toMatchObject({ imported: false, rejected: 2 });
    expect(report.faults[0]?.reason).toContain('above the credit limit of 1000000000');
    const apart = Array.from({ length: 150 }, (_, i) => `cleo,10000000,2099-01-01T00:00:00.${100 + i}Z\n`).join('');
    const late = await importText(store, dir, 'credit.csv', head + apart);
    expect(late).toMatchObject({ imported: false });
    expect(late.rejected).toBeGreaterThan(0);
  });
});

describe('columns that a file lacks', () => {
  test('stay as they are, while empty cells set the default and categories are those of the file', async () => {
    await importEvery();
    const before = await contents();

    const report = await importText(store, dir, 'products.csv', 'id,name,price,description\nP1,Chair,100,Nice\n');
    await importText(store, dir, 'products.csv', 'id,name,price,description\nP1,Chair,100,\n');
    expect(await contents()).toBe(before);
    await importText(store, dir, 'products.csv', 'id,name,price,categories\nP1,Chair,100,Lamps\n');

    expect(report).toMatchObject({ changed: 1 });
    const categories = await listCategories(store)({ descending: false });
    expect(Object.fromEntries(categories.map(({ name, productCount }) => [name, productCount]))).toEqual({
      Chairs: 1,
      Lamps: 3,
    });
    expect(await getCategory(store, categories[0]?.id ?? '')).toEqual(categories[0]);
  });
});
