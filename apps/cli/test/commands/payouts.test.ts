import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Resident } from '../../../../lib/avatars/residents.ts';
import { createProduct } from '../../../../lib/catalogue/products.ts';
import { createStore } from '../../../../lib/operator/stores.ts';
import { claimPayout } from '../../../../lib/payout/claim.ts';
import { findPayee } from '../../../../lib/payout/payees.ts';
import { reportPayout } from '../../../../lib/payout/settle.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { sell } from '../../../../lib/sale/sell.ts';
import { sharedKey } from '../../../../lib/table/keys.ts';
import { update } from '../../../../lib/table/language.ts';
import { write } from '../../../../lib/table/table.ts';
import { newResident, unknownUuid } from '../../../../test/support/residents.ts';
import { productWith } from '../../../../test/support/rows.ts';
import { startForCli } from '../support/cli.ts';

const tx = '5f3c1b7e-0d5a-4c8e-9a51-6b1f0e2d7c43';
let store: string;
let product: string;
let bob: Resident;
let buyer: Resident;
const service = await startForCli({ demo: false });
beforeEach(async () => {
  [bob, buyer] = [await newResident(), await newResident()];
  store = (await createStore(`Till ${randomUUID()}`)).id;
  const profitShares = [{ userUuid: bob.uuid, percent: 40 }];
  product = (await createProduct(store, productWith({ name: 'Lamp', item: 'Lamp', profitShares }))).id;
});

const run = (...args: string[]) => service.run('payouts', ...args, '--store', store);
const rows = async (...args: string[]) => (await run(...args, '--json')).rows;

/** Makes a sale for L$ 100 that owes L$ 40 to bob, and waits until that is counted. */
const sellOne = async (): Promise<string> => {
  const before = (await findPayee(store, bob.uuid))?.owed ?? 0;
  const parties = { productId: product, buyerIdentifier: { uuid: buyer.uuid }, useCredit: false };
  const { id } = await sell(store, { id: randomUUID(), ...parties, paid: 100, message: '' }, { by: 'test' });
  await expect.poll(async () => (await findPayee(store, bob.uuid))?.owed).toBe(before + 40);
  return id;
};

const claim = async () => (await claimPayout(store, { minimum: 1, hold: 0 }, 'key')).payout?.id;

const logged = async () =>
  (await service.run('log', '--store', store, '--json')).rows.map(({ action, details }) => [action, details]);

test('tells what is owed now, as a table, JSON and CSV, and that nothing can be claimed yet', async () => {
  await sellOne();

  const [shown, csv] = [await run(), await run('--csv')];

  const row = { residentUuid: bob.uuid, username: bob.username, owed: 40, claimed: 0, unknown: 0, paid: 0 };
  expect(await rows()).toEqual([row]);
  expect(csv.stdout).toBe(
    `\ufeffresidentUuid,username,owed,claimed,unknown,paid\r\n${bob.uuid},${bob.username},40,0,0,0\r\n`,
  );
  expect(shown.stdout).toMatch(new RegExp(`${bob.username} +40 +0 +0 +0`));
  expect(shown.stderr).toContain('L$ 40 are owed now.');
  expect(shown.stderr).toContain('store payouts begin');
});

test('begins once, books what is owed, and says who did it in the log', async () => {
  await sellOne();
  const early = await claim();

  const refused = await run('begin');
  const begun = await rows('begin', '--yes');
  const again = await run('begin', '--yes');

  expect([early, refused.code, refused.stderr]).toEqual([undefined, 2, expect.stringContaining('--yes, or --keep')]);
  expect(begun).toEqual([{ payees: 1, amount: 40, begunBefore: null }]);
  expect(again.stderr).toContain('so nothing was changed');
  expect(await rows('show', '--state', 'paid')).toMatchObject([{ amount: 40, reference: 'begin', state: 'paid' }]);
  expect(await claim()).toBeUndefined();
  await sellOne();
  expect(await claim()).toBeDefined();
  expect(await logged()).toContainEqual(['payouts.begun', { payees: 1, amount: 40 }]);
});

test('with --keep what is owed can be claimed', async () => {
  await sellOne();

  await run('begin', '--keep');

  expect(await claim()).toBeDefined();
});

test('settles a payout that is unknown, corrects it, and refuses what is claimed or not there', async () => {
  await sellOne();
  await run('begin', '--keep');
  const id = (await claim()) ?? '';
  const early = await run('settle', id, 'paid');
  await reportPayout(store, id, { result: 'unknown' }, 'key');

  const paid = await rows('settle', id, 'paid', '--transaction', tx, '--reference', 'May');
  const failed = await run('settle', id, 'failed');
  const again = await run('settle', id, 'failed');
  const others = [
    await run('settle', unknownUuid, 'paid'),
    await run('settle', id, 'lost'),
    await run('settle', 'x', 'paid'),
    await run('show', unknownUuid),
  ];

  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('has claimed the payout')]);
  expect(paid).toMatchObject([{ state: 'paid', transactionId: tx, reference: 'May' }]);
  expect(failed.stderr).toContain('L$ 40 are owed again.');
  expect(again.code).toBe(0);
  expect(others.map(({ code }) => code)).toEqual([1, 2, 2, 1]);
  expect(await rows('show', id)).toMatchObject([{ state: 'failed' }]);
  const settled = (await logged()).filter(([action]) => action === 'payout.settled');
  expect(settled.map(([, { from, to }]) => [from, to]).sort()).toEqual([
    ['paid', 'failed'],
    ['unknown', 'paid'],
  ]);
});

test('notes a payment by hand, at most what is owed, of somebody whom it knows', async () => {
  await sellOne();

  const paid = await run('pay', bob.username, '15', '--reference', 'By me');
  const refused = [
    await run('pay', bob.uuid, '26'),
    await run('pay', 'nobody.atall', '1'),
    await run('pay', bob.uuid, '0'),
    await run('pay', bob.uuid, '1.5'),
  ];

  expect([paid.code, paid.stderr]).toEqual([0, expect.stringContaining('L$ 25 are still owed')]);
  expect(refused.map(({ code }) => code)).toEqual([1, 1, 2, 2]);
  expect(refused[0]?.stderr).toContain('at most what is owed to them: L$ 25');
  expect(await rows('show', '--payee', bob.uuid)).toMatchObject([{ amount: 15, reference: 'By me' }]);
  expect(await logged()).toContainEqual(['payout.paid', { uuid: bob.uuid, amount: 15 }]);
});

test('what is owed now is what the span of all time has changed, less what is claimed and unknown', async () => {
  const [first] = [await sellOne(), await sellOne(), await sellOne()];
  await run('begin', '--keep');
  await run('pay', bob.uuid, '30');
  await reportPayout(store, (await claim()) ?? '', { result: 'unknown' }, 'key');
  await refundSale(store, first ?? '', { by: 'test' }, { payOut: true });
  await expect.poll(async () => (await findPayee(store, buyer.uuid))?.owed).toBe(100);

  const [now, all] = [await rows(), await rows('--from', '2000-01-01', '--to', '2999-12-31')];

  const standing = (list: typeof now) => new Map(list.map((row) => [row.username, row]));
  expect(standing(now).get(bob.username)).toMatchObject({ owed: -40, unknown: 90, paid: 30 });
  expect(standing(all).get(bob.username)).toMatchObject({ earned: 120, takenBack: 40, paid: 30, owed: 50 });
  expect(standing(now).get(buyer.username)).toMatchObject({ owed: 100 });
  expect(standing(all).get(buyer.username)).toMatchObject({ toGiveBack: 100, earned: 0, owed: 100 });
  for (const { username, owed, claimed, unknown } of now)
    expect(standing(all).get(username).owed).toBe(owed + claimed + unknown);
  expect((await service.run('audit', '--store', store)).code).toBe(0);
});

test('resumes what a restore has stopped, and says so where nothing was', async () => {
  await sellOne();
  await run('begin', '--keep');
  await write(update(sharedKey('STORE', store), { set: { payoutsStoppedAt: '2027-05-10T12:00:00.000Z' } }));
  const stopped = [await claim(), (await run('pay', bob.uuid, '1')).stderr, (await run()).stderr];

  const resumed = await rows('resume', '--yes');
  const again = await run('resume', '--yes');

  const words = expect.stringContaining('store payouts resume');
  expect(stopped).toEqual([undefined, words, words]);
  expect(resumed).toEqual([{ stoppedAt: '2027-05-10T12:00:00.000Z' }]);
  expect(again.stderr).toContain('were not stopped');
  expect(await claim()).toBeDefined();
  expect((await logged()).filter(([action]) => action === 'payouts.resumed')).toHaveLength(1);
});

test('repairs what the stream has lost, and the audit and a dry run tell of it before', async () => {
  const sold = await sellOne();
  // The account first: the consumer would find its mark, and note that the sale is counted.
  await write(
    update(
      { pk: `${store}#PAYEE`, sk: bob.uuid },
      { set: { owed: 0, counting: [], ranked: undefined, rank: undefined } },
    ),
  );
  await write(update({ pk: `${store}#SALE`, sk: sold }, { set: { countedShares: 0 } }));
  // The consumer may see the sale, too: either counts it, and nobody twice.
  const dry = await run('repair', '--dry-run');
  const repaired = await run('repair');

  expect([dry.code, repaired.code]).toEqual([expect.any(Number), 0]);
  await expect.poll(async () => (await findPayee(store, bob.uuid))?.owed).toBe(40);
  expect((await run('repair', '--dry-run')).stderr).toContain('All that sales owe is counted.');
  expect((await service.run('audit', '--store', store)).code).toBe(0);
});

test.each(['show', 'settle', 'pay', 'begin', 'resume', 'repair'])('%s has help with examples', async (name) => {
  const { code, stdout } = await run(name, '--help');

  expect([code, stdout]).toEqual([0, expect.stringContaining(`$ store payouts ${name}`)]);
});
