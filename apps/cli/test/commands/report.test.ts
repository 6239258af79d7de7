import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Resident } from '../../../../lib/avatars/residents.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { sell } from '../../../../lib/sale/sell.ts';
import { issueKey } from '../../../../lib/store/issued-keys.ts';
import { updateRules } from '../../../../lib/store/rules.ts';
import { newResident } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { doAt } from '../../../../test/support/service.ts';
import { startForCli } from '../support/cli.ts';

const sellAt = (time: string, productId: string, { uuid }: Resident, paid: number): Promise<string> =>
  doAt(time, async () => {
    const parties = { productId, buyerIdentifier: { uuid }, useCredit: false };
    return (await sell(store, { id: randomUUID(), ...parties, paid, message: '' }, { by: 'test' })).id;
  });

const run = (...args: string[]) => service.run('report', ...args, '--store', store);

const service = await startForCli({ demo: false });
const store = (await createStore('Till')).id;
const [ada, bob] = [await newResident(), await newResident()];
const make = async (name: string) => (await createProduct(store, productWith({ name, item: name, price: 100 }))).id;
const [lamp, vase] = [await make('=Lamp'), await make('Vase')];
await updateRules(store, {
  groupDiscount: 0,
  tiers: [],
  bonus: { percent: 10, groupPercent: 0, type: 'regular', expiresInDays: null },
});
await sellAt('2026-03-31T23:59:59.999Z', lamp, ada, 100);
await sellAt('2026-04-01T00:00:00.000Z', lamp, ada, 130);
await sellAt('2026-04-02T10:00:00.000Z', vase, ada, 100);
await sellAt('2026-04-30T23:59:59.999Z', lamp, bob, 100);
await sellAt('2026-04-10T10:00:00.000Z', vase, bob, 5);
const back = await sellAt('2026-04-11T10:00:00.000Z', vase, bob, 107);
await sellAt('2026-05-01T00:00:00.000Z', vase, bob, 100);
await doAt('2026-05-02T10:00:00.000Z', () => refundSale(store, back, { by: 'test' }));

test('sums up what is completed of a month by product and by buyer, the best first, in UTC', async () => {
  const shown = await run('--month', '2026-04');
  const json = await run('--from', '2026-04-01', '--to', '2026-04-30', '--json');
  const csv = await run('--month', '2026-04', '--csv');
  const cut = await run('--month', '2026-04', '--limit', '1');

  expect(json.rows).toEqual([
    { of: 'product', name: '=Lamp', sales: 2, received: 200, bonus: 20, id: lamp },
    { of: 'product', name: 'Vase', sales: 1, received: 100, bonus: 10, id: vase },
    { of: 'buyer', name: ada.username, sales: 2, received: 200, bonus: 20, id: ada.uuid },
    { of: 'buyer', name: bob.username, sales: 1, received: 100, bonus: 10, id: bob.uuid },
  ]);
  expect(csv.stdout.split('\r\n').slice(0, 3)).toEqual([
    '\ufeffof,name,sales,received,bonus,id',
    `product,'=Lamp,2,200,20,${lamp}`,
    `product,Vase,1,100,10,${vase}`,
  ]);
  expect(csv.stderr).toBe('2026-04-01 to 2026-04-30, UTC: received L$ 300 in 3 sales.\n');
  expect(shown.stdout).toMatch(/^PRODUCT +SALES +RECEIVED +BONUS\n=Lamp +2 +200 +20\nVase +1 +100 +10\n\nBUYER /);
  expect(cut.stdout).not.toContain('Vase');
  expect(cut.stderr).toContain('There are more: see them with --limit 10.');
});

test('received, with what was refunded later, is what the sums of the days say was paid', async () => {
  const { text: key } = await issueKey({ store, name: 'days', scopes: ['sales:read'], stage: 'test' });
  const paidIn = async (from: string, to: string): Promise<number> => {
    const { body } = await service.call('GET', `/v1/store/days?from=${from}&to=${to}`, key);
    return body.data.reduce((sum: number, { paid }: { paid: number }) => sum + paid, 0);
  };
  const days = ['2026-04-01', '2026-04-30'] as const;
  await expect.poll(() => paidIn('2026-03-01', '2026-05-31')).toBe(600);

  const { rows } = await run('--month', '2026-04', '--json');
  const { body } = await service.call('GET', `/v1/sales?state=refunded&from=${days[0]}T00:00:00Z`, key);

  const received = (of: string) =>
    rows.filter((row) => row.of === of).reduce((sum, row) => sum + (row.received as number), 0);
  const refundedLater = body.data.reduce(
    (sum: number, { paid, change }: { paid: number; change: number }) => sum + paid - change,
    0,
  );
  expect(refundedLater).toBe(100);
  expect(received('product') + refundedLater).toBe(await paidIn(...days));
  expect(received('buyer')).toBe(received('product'));
});

test('a span that is none gets an error that says what to give; one without sales, or not over, is said to be', async () => {
  const ran = [
    await run('--month', '2026-13'),
    await run('--month', '2026-04', '--from', '2026-04-01', '--to', '2026-04-02'),
    await run('--from', '2026-04-01'),
    await run('--from', '2026-04-02', '--to', '2026-04-01'),
    await run('--csv', '--json'),
    await run('--separator', 'tab'),
    await run('--month', '2020-02'),
    await doAt('2026-04-11T12:00:00.000Z', () => run()),
  ];

  expect(ran.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2, 0, 0]);
  const words = [
    'must be a month such as 2030-01',
    'cannot be used with',
    'Give both --from and --to, or a --month',
    '--from 2026-04-02 must not be after --to 2026-04-01',
    'either --csv or --json',
    '--separator goes with --csv',
    'sold nothing from 2020-02-01 to 2020-02-29',
    '2026-04-30 is not over yet',
  ];
  for (const [index, word] of words.entries()) expect(ran[index]?.stderr).toContain(word);
});
