import { beforeEach, expect, test } from 'vitest';
import { findProduct, updateProduct } from '../../../../lib/catalogue/products.ts';
import { claimDelivery, completeDelivery } from '../../../../lib/delivery/deliveries.ts';
import { beginPayouts, resumePayouts } from '../../../../lib/operator/begin-payouts.ts';
import { countSales, findUncountedSales } from '../../../../lib/operator/repair-payouts.ts';
import { claimPayout, payByHand } from '../../../../lib/payout/claim.ts';
import { countDebts } from '../../../../lib/payout/count.ts';
import { findPayee, movedBy, type Payee } from '../../../../lib/payout/payees.ts';
import { findPayout, payoutsList } from '../../../../lib/payout/payouts.ts';
import { reportPayout, settlePayout } from '../../../../lib/payout/settle.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { findSale, type SaleItem } from '../../../../lib/sale/sales.ts';
import { orderOf } from '../../../../lib/sale/unsent.ts';
import { payoutKey } from '../../../../lib/table/keys.ts';
import { put, update } from '../../../../lib/table/language.ts';
import { engine, removeMany, write } from '../../../../lib/table/table.ts';
import { buy, newProduct } from '../../../../test/lib/sale/sales.ts';
import { freshStore } from '../../../../test/support/files.ts';
import { ada, bob, cleo } from '../../../../test/support/residents.ts';
import { setClock, wholeTable } from '../../../../test/support/service.ts';
import { stopPayouts } from '../../deployment/restored-table.ts';
import { checkPayees } from '../../kinds/payees.ts';
import { erasePerson } from '../../person/erase.ts';
import { exportPerson } from '../../person/export.ts';

const start = Date.parse('2027-05-10T12:00:00.000Z');
const minute = 60_000;
const tx = '5f3c1b7e-0d5a-4c8e-9a51-6b1f0e2d7c43';
let store: string;
let product: string;

beforeEach(async () => {
  setClock(start);
  store = await freshStore();
  const profitShares = [
    { userUuid: bob.uuid, percent: 30 },
    { userUuid: cleo.uuid, percent: 10 },
  ];
  product = await newProduct(store, { price: 100, profitShares });
});

/** Makes a sale that owes 30 to bob and 10 to cleo. */
const sellOne = async (isCounted = true, buyer = ada.uuid): Promise<string> => {
  const { id } = await buy(store, { productId: product, buyer, paid: 100 });
  const { delivery } = await claimDelivery(orderOf((await findSale(store, id)) as SaleItem), 1000);
  await completeDelivery(delivery);
  if (isCounted) await countDebts(store, [{ sk: id }]);
  return id;
};

const faults = async (): Promise<string[]> => {
  const found: string[] = [];
  await checkPayees(store, { onFault: (fault) => found.push(fault), onChecked: () => {} });
  return found.sort();
};

const sums = async ({ uuid }: { uuid: string }) => {
  const { owed, claimed, unknown, paid } = (await findPayee(store, uuid)) as Payee;
  return [owed, claimed, unknown, paid];
};

const claim = async (limit?: number) =>
  (await claimPayout(store, { minimum: 1, hold: 0, limit }, 'key')).payout?.id ?? '';
const report = (id: string, result: 'paid' | 'failed' | 'unknown', more: object = {}) =>
  reportPayout(store, id, { result, ...more }, 'key');

/** Pays, fails and loses some of what is owed, refunds a sale after its shares were paid, and claims one more. */
const paySome = async (): Promise<void> => {
  await beginPayouts(store, true);
  const [first] = [await sellOne(), await sellOne(), await sellOne()];
  await report(await claim(50), 'paid', { transactionId: tx });
  await report(await claim(20), 'unknown', { error: 'EXPIRED' });
  await report(await claim(10), 'failed', { error: 'INVALID_AGENT' });
  await refundSale(store, first ?? '', { by: 'test' }, { payOut: true });
  await countDebts(store, [{ sk: first ?? '' }]);
  await claim(5);
};

test('the audit finds nothing in books of payouts that were paid, failed, lost and refunded', async () => {
  await paySome();

  expect(await faults()).toEqual([]);
});

test('the audit finds each way in which accounts, payouts and what is counted can be off', async () => {
  await paySome();
  const lost = await sellOne(false);
  const { source } = await payoutsList(store, {});
  const all = await source({ descending: false });
  const [claimed, paid] = [all.find(({ state }) => state === 'claimed'), all.find(({ state }) => state === 'paid')];
  const bobs = (await findPayee(store, bob.uuid)) as Payee;
  const cleos = (await findPayee(store, cleo.uuid)) as Payee;
  await write(put({ ...bobs, owed: bobs.owed + 1 }));
  await write(put({ ...cleos, rank: 'elsewhere' }));
  await removeMany([payoutKey(store, paid?.sk ?? '')]);
  await write(update(payoutKey(store, claimed?.sk ?? ''), { set: { ranked: 'elsewhere' } }));

  const sum = bobs.owed + bobs.claimed + bobs.unknown + bobs.paid;
  const payee = paid?.residentUuid === bob.uuid ? bobs : cleos;
  const found = await faults();
  expect(found).toHaveLength(5);
  expect(found).toEqual(
    expect.arrayContaining([
      `payee ${bob.uuid}: owed, claimed, unknown and paid come to L$ ${sum + 1}, but shares and refunds to L$ ${sum}.`,
      expect.stringMatching(new RegExp(`^payee ${cleo.uuid}: is listed at elsewhere, not at `)),
      `payee ${payee.sk}: has L$ ${payee.paid} as paid, but payouts of L$ ${payee.paid - (paid?.amount ?? 0)}.`,
      `payout ${claimed?.sk}: is listed at elsewhere, not ${store}#PAYOUT#claimed.`,
      `sale ${lost}: what it owes is not counted. Run store payouts repair.`,
    ]),
  );
});

test('the audit finds a share that was counted twice', async () => {
  const id = await sellOne();
  await write(update((await findSale(store, id)) ?? { pk: '', sk: '' }, { set: { countedShares: 0 } }));
  const bobs = (await findPayee(store, bob.uuid)) as Payee;
  await write(put({ ...bobs, counting: [] }));
  await countDebts(store, [{ sk: id }]);

  expect(await faults()).toEqual([
    `payee ${bob.uuid}: owed, claimed, unknown and paid come to L$ 60, but shares and refunds to L$ 30.`,
  ]);
});

test('a repair counts what the stream lost, each once, also where it is repeated', async () => {
  const [first, lost] = [await sellOne(), await sellOne(false)];
  await refundSale(store, first, { by: 'test' }, { payOut: true });

  const found = await findUncountedSales(store, () => {});
  for (let times = 0; times < 2; times++) await countSales(store, found, () => {});

  expect(found.toSorted((a, b) => a.amount - b.amount)).toEqual([
    { saleId: lost, at: expect.any(String), payees: 2, amount: 40 },
    { saleId: first, at: expect.any(String), payees: 3, amount: 60 },
  ]);
  expect([await sums(bob), await sums(cleo), await sums(ada)]).toEqual([
    [30, 0, 0, 0],
    [10, 0, 0, 0],
    [100, 0, 0, 0],
  ]);
  expect(await findUncountedSales(store, () => {})).toEqual([]);
});

test('to begin books what is owed by then, one payout for each payee; keep leaves it, and a second time nothing', async () => {
  await sellOne();
  const before = await claim();

  const begun = await beginPayouts(store, false);
  await sellOne();
  const again = await beginPayouts(store, false);

  expect(before).toBe('');
  expect(begun).toEqual({ payees: 2, amount: 40, before: undefined });
  expect(again).toEqual({ payees: 0, amount: 0, before: '2027-05-10T12:00:00.000Z' });
  expect([await sums(bob), await sums(cleo)]).toEqual([
    [30, 0, 0, 30],
    [10, 0, 0, 10],
  ]);
  const { source } = await payoutsList(store, { state: 'paid' });
  const booked = await source({ descending: false });
  expect(booked.map(({ amount, reference, claimedBy }) => [amount, reference, claimedBy]).sort()).toEqual([
    [10, 'begin', undefined],
    [30, 'begin', undefined],
  ]);
  expect(await claim()).not.toBe('');
  expect(await faults()).toEqual([]);
});

test('to begin counts first what the stream has not had counted, so that nobody claims it afterwards', async () => {
  const [, behind] = [await sellOne(), await sellOne(false)];

  const begun = await beginPayouts(store, false);
  setClock(start + 2 * minute);
  await countDebts(store, [{ sk: behind }]);

  expect(begun).toMatchObject({ payees: 2, amount: 80 });
  expect([await sums(bob), await sums(cleo)]).toEqual([
    [0, 0, 0, 60],
    [0, 0, 0, 20],
  ]);
  expect(await claim()).toBe('');
  expect(await faults()).toEqual([]);
});

test('a repair books as paid what it counts of a sale from before payouts began, once, and owes what came later', async () => {
  const lost = await sellOne(false);
  setClock(start + minute / 2);
  await beginPayouts(store, false, undefined, async () => {});
  setClock(start + 2 * minute);
  const sold = await sellOne(false);
  setClock(start + 4 * minute);

  for (let times = 0; times < 2; times++) await countSales(store, await findUncountedSales(store, () => {}), () => {});

  expect([await sums(bob), await sums(cleo)]).toEqual([
    [30, 0, 0, 30],
    [10, 0, 0, 10],
  ]);
  const { source } = await payoutsList(store, {});
  const booked = await source({ descending: false });
  expect(booked.map(({ amount, reference, state }) => [amount, reference, state]).sort()).toEqual([
    [10, 'begin', 'paid'],
    [30, 'begin', 'paid'],
  ]);
  await refundSale(store, sold, { by: 'test' });
  await countDebts(store, [{ sk: sold }]);
  expect(await claim()).toBe('');
  await refundSale(store, lost, { by: 'test' });
  await countDebts(store, [{ sk: lost }]);
  expect(await sums(bob)).toEqual([-30, 0, 0, 30]);
  expect(await faults()).toEqual([]);
});

test('what --keep leaves to be claimed is owed, however late it is counted', async () => {
  const lost = await sellOne(false);
  setClock(start + 1);
  await beginPayouts(store, true);
  setClock(start + 2 * minute);

  await countDebts(store, [{ sk: lost }]);

  expect(await sums(bob)).toEqual([30, 0, 0, 0]);
  expect(await claim()).not.toBe('');
});

test('an interrupted beginning goes on where it stopped, and one beside it books nothing that may be claimed', async () => {
  await sellOne();
  let number = 0;
  engine.transact = async () => {
    delete engine.transact;
    number += 1;
    throw Object.assign(new Error('The command died.'), { $fault: 'client' });
  };
  await expect(beginPayouts(store, false)).rejects.toThrow('died');

  const both = await Promise.all([beginPayouts(store, false), beginPayouts(store, false)]);

  expect(number).toBe(1);
  expect(both.reduce((sum, { amount }) => sum + amount, 0)).toBe(40);
  expect([await sums(bob), await sums(cleo)]).toEqual([
    [0, 0, 0, 30],
    [0, 0, 0, 10],
  ]);
  expect(await faults()).toEqual([]);
});

test('a restored table stops the payouts of all its stores until they are resumed', async () => {
  await beginPayouts(store, true);
  await sellOne();
  const table = String(process.env.TABLE_NAME);

  const stopped = await stopPayouts(table);
  const whileStopped = [
    await claim(),
    await payByHand(store, { uuid: bob.uuid }, { amount: 1 }).catch(({ status }) => status),
  ];
  const resumed = [await resumePayouts(store, []), await resumePayouts(store, [])];

  expect([stopped, ...whileStopped]).toEqual([expect.any(Number), '', 400]);
  expect(resumed).toEqual(['2027-05-10T12:00:00.000Z', undefined]);
  expect(await claim()).not.toBe('');
});

/** Removes an avatar from the product's shares. Nobody who has a share can be erased. */
const unshare = async (): Promise<void> => {
  const { id, ...fields } = (await findProduct(store, product)) as never as { id: string; profitShares: object[] };
  await updateProduct(store, id, { ...(fields as object), profitShares: [] } as never);
};

const erase = (uuid: string, forfeit = false) => erasePerson(store, uuid, forfeit, () => []);

test('an erasure is refused while L$ are owed, claimed or unknown, and moves sums and payouts to the pseudonym', async () => {
  await beginPayouts(store, true);
  await sellOne();
  await unshare();
  await expect(erase(bob.uuid)).rejects.toThrow(/L\$ 30 are owed to them.*--forfeit/);
  const id = await claim(20);
  await expect(erase(bob.uuid, true)).rejects.toThrow(/L\$ 20 are being paid/);
  await report(id, 'unknown', { error: 'EXPIRED' });
  await expect(erase(bob.uuid, true)).rejects.toThrow(/Nobody knows whether L\$ 20 were paid/);
  await settlePayout(store, id, { result: 'paid', transactionId: tx, reference: 'about bob' });

  const [data] = (await exportPerson([{ id: store, name: 'Till' }], bob.uuid, '2027-05-10T12:00:00.000Z')).stores;
  const pseudonym = (await erase(bob.uuid, true)) ?? '';

  expect(data?.owed).toMatchObject({ residentUuid: bob.uuid, owed: 10, paid: 20 });
  expect(data?.payouts).toMatchObject([{ id, transactionId: tx }]);
  expect(await sums({ uuid: pseudonym })).toEqual([10, 0, 0, 20]);
  expect(JSON.stringify(await wholeTable(`${store}#`))).not.toMatch(new RegExp(`${bob.uuid}|${tx}|about bob|EXPIRED`));
  expect(await findPayout(store, id)).toMatchObject({ residentUuid: pseudonym, amount: 20, state: 'paid' });
  expect(await findPayee(store, pseudonym)).toMatchObject({ isPseudonym: true });
  expect(await claim().then((next) => findPayout(store, next))).toMatchObject({ residentUuid: cleo.uuid });
  await expect(payByHand(store, { uuid: pseudonym }, { amount: 1 })).rejects.toThrow('at most');
  expect(await faults()).toEqual([]);
  // A correction still finds the account.
  await settlePayout(store, id, { result: 'failed' });
  expect(await sums({ uuid: pseudonym })).toEqual([30, 0, 0, 0]);
  expect(await claim()).toBe('');
  expect(await faults()).toEqual([]);
});

test('an erasure counts nothing twice: it waits until what sales owe is counted, and a refund follows the pseudonym', async () => {
  const lost = await sellOne(false);
  const sold = await sellOne();
  await unshare();
  const waiting = erase(bob.uuid, true);
  await countDebts(store, [{ sk: lost }]);

  const pseudonym = (await waiting) ?? '';
  await refundSale(store, sold, { by: 'test' });
  await countDebts(store, [{ sk: sold }, { sk: lost }]);

  expect(await findPayee(store, bob.uuid)).toBeUndefined();
  expect(await sums({ uuid: pseudonym })).toEqual([30, 0, 0, 0]);
  expect(await faults()).toEqual([]);
});

test('who comes back and is erased again has one account under the pseudonym', async () => {
  await sellOne();
  const first = await erase(ada.uuid, true);
  const shares = (await findProduct(store, product))?.profitShares;
  await unshare();
  const pseudonym = (await erase(bob.uuid, true)) ?? '';
  await updateProduct(store, product, {
    ...((await findProduct(store, product)) as object),
    profitShares: shares,
  } as never);
  await sellOne(true, cleo.uuid);
  await unshare();

  const second = await erase(bob.uuid, true);

  expect(first).not.toBe(pseudonym);
  expect(second).toBe(pseudonym);
  expect(await sums({ uuid: pseudonym })).toEqual([60, 0, 0, 0]);
  expect(movedBy((await findPayee(store, pseudonym)) as Payee, {}, '').ranked).toBeUndefined();
  expect(await faults()).toEqual([]);
});
