import { beforeEach, expect, test } from 'vitest';
import { handler as consume } from '../../../functions/stream-consumer.ts';
import { consumerAccess } from '../../../infra/permissions.ts';
import type { Resident } from '../../../lib/avatars/residents.ts';
import { newId } from '../../../lib/clock.ts';
import { beginPayouts } from '../../../lib/operator/begin-payouts.ts';
import { countDebts } from '../../../lib/payout/count.ts';
import { findPayee, type Payee } from '../../../lib/payout/payees.ts';
import { findSale, type SaleItem } from '../../../lib/sale/sales.ts';
import { saleKey } from '../../../lib/table/keys.ts';
import { put } from '../../../lib/table/language.ts';
import { write } from '../../../lib/table/table.ts';
import { asFunction } from '../../support/access.ts';
import { unitsOf } from '../../support/budgets-whole.ts';
import { startTestQueue } from '../../support/deliveries.ts';
import { intercept } from '../../support/faults.ts';
import { catchUp, keepHistory } from '../../support/history.ts';
import { bob, newResident, seedResidents } from '../../support/residents.ts';
import { setClock, startTestService } from '../../support/service.ts';
import { recordOf, shardBatch } from '../../support/stream-records.ts';

const start = Date.parse('2027-05-10T12:00:00.000Z');
let payees: Resident[];

setClock(start);
await startTestQueue();
const service = await startTestService();
await keepHistory();
await seedResidents();
beforeEach(async () => {
  setClock(start);
  payees = [await newResident(), await newResident()];
});

const product = async (of: readonly Resident[], percent = 10): Promise<string> => {
  const profitShares = of.map(({ uuid }) => ({ userUuid: uuid, percent }));
  const { status, body } = await service.call('POST', '/v1/products', { name: 'Lamp', price: 100, profitShares });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body.id;
};

const sell = async (productId: string): Promise<string> => {
  const id = newId();
  const sale = { id, productId, buyerIdentifier: bob.uuid, paid: 100 };
  expect((await service.call('POST', '/v1/sales', sale)).body.state).toBe('completed');
  return id;
};

const refund = (id: string, body: object = {}) => service.call('POST', `/v1/sales/${id}/actions/refund`, body);

const owed = async (uuid: string): Promise<number | undefined> => (await findPayee(service.store, uuid))?.owed;
const noteOf = async (id: string) => {
  const { countedShares, countedRefund } = (await findSale(service.store, id)) as SaleItem;
  return [countedShares, countedRefund];
};

test('counts the shares of a sale once, and notes that on the sale', async () => {
  const id = await sell(await product(payees));

  await catchUp();
  await countDebts(service.store, [{ sk: id }, { sk: id }]);

  expect(await Promise.all(payees.map(({ uuid }) => owed(uuid)))).toEqual([10, 10]);
  expect(await noteOf(id)).toEqual([2, undefined]);
});

test('takes at most five write units more for a sale with two shares, and none for one without', async () => {
  const measured = async (productId: string) => {
    await catchUp();
    return (
      await unitsOf(async () => {
        await sell(productId);
        await catchUp();
      })
    ).writes;
  };
  const [none, two] = [await product([]), await product(payees)];
  for (const id of [none, two]) await sell(id);
  const [without, first] = [
    await measured(none),
    await measured(await product([await newResident(), await newResident()])),
  ];

  const later = await measured(two);

  expect({ first: first - without, later: later - without }).toEqual({ first: 5, later: 3 });
});

test('counts a sale that shows only after its record', async () => {
  const id = await sell(await product(payees));
  let [reads, hidden] = [0, 0];
  const stop = intercept(async ({ operation, input }, send) => {
    const answer = await send();
    if (operation !== 'BatchGetItem' || !JSON.stringify(input).includes(id) || reads++ > 0) return answer;
    const { Responses } = answer.output;
    for (const items of Object.values<object[]>(Responses)) hidden += items.splice(0).length;
    return answer;
  });

  await countDebts(service.store, [{ sk: id, countedShares: 0 }]).finally(stop);

  expect(hidden).toBe(1);
  expect(await Promise.all(payees.map(({ uuid }) => owed(uuid)))).toEqual([10, 10]);
});

test('counts a refund before its sale was counted, and after', async () => {
  const productId = await product(payees);
  const [early, late] = [await sell(productId), await sell(productId)];
  await refund(early);
  await catchUp();
  const between = await owed(payees[0]?.uuid ?? '');
  await refund(late, { payOut: true });

  await catchUp();

  expect([between, await owed(payees[0]?.uuid ?? '')]).toEqual([10, 0]);
  expect(await noteOf(early)).toEqual([2, 2]);
  expect(await noteOf(late)).toEqual([2, 3]);
});

test('owes the buyer what a refund with payOut leaves to be given back, also of a sale without shares', async () => {
  const buyer = await newResident();
  const productId = await product([]);
  const id = newId();
  await service.call('POST', '/v1/sales', { id, productId, buyerIdentifier: buyer.uuid, paid: 130 });

  const { body } = await refund(id, { payOut: true });
  const again = await refund(id, { payOut: false });
  await catchUp();

  expect(body).toMatchObject({ payOut: true, refund: 130, change: 30 });
  expect(again.body).toEqual(body);
  expect(await owed(buyer.uuid)).toBe(100);
});

test('counts no shares of a sale that an import has brought', async () => {
  const id = await sell(await product(payees));
  const { countedShares: _, ...sale } = (await findSale(service.store, id)) as SaleItem;
  await write(put({ ...sale, ...saleKey(service.store, newId()), imported: true as const }));
  await catchUp();

  expect(await owed(payees[0]?.uuid ?? '')).toBe(10);
});

test('counts 100 shares once, though the consumer dies at each of its writes, and its records come in disorder', async () => {
  const hundred: Resident[] = [];
  while (hundred.length < 100) hundred.push(await newResident());
  const productId = await product(hundred, 1);
  const ids = [await sell(productId), await sell(productId), await sell(productId)];
  await catchUpWithout();
  const records = await Promise.all(
    ids.map(async (id) => recordOf(undefined, (await findSale(service.store, id)) as SaleItem)),
  );
  let [deaths, writes] = [0, 0];
  for (let isDone = false; !isDone; ) {
    // It dies before or after its write number `deaths` of each run.
    const dies = deaths;
    writes = 0;
    let isDead = false;
    const stop = intercept(async ({ isWrite, input }, send) => {
      if (isDead) throw new Error('dead');
      if (!isWrite || !JSON.stringify(input).includes('PAYEE')) return send();
      writes += 1;
      if (writes <= 1 || deaths >= 50) return send();
      isDead = true;
      if (dies % 2 === 0) await send();
      throw new Error('dead');
    });
    const some = deaths % 3 === 0 ? records : records.toReversed();
    const { batchItemFailures } = await asFunction('stream-consumer', consumerAccess, () =>
      consume(shardBatch(some.map((record) => structuredClone(record)))),
    ).finally(stop);
    isDone = batchItemFailures.length === 0;
    deaths += isDone ? 0 : 1;
  }

  expect(deaths).toBe(50);
  expect(await Promise.all(hundred.map(({ uuid }) => owed(uuid)))).toEqual(hundred.map(() => 3));
  expect(await Promise.all(ids.map(noteOf))).toEqual(ids.map(() => [100, undefined]));
});

test('counts once where two count side by side', async () => {
  const productId = await product(payees);
  const sales: { sk: string }[] = [];
  while (sales.length < 30) sales.push({ sk: await sell(productId) });

  await Promise.all([
    countDebts(service.store, sales),
    countDebts(service.store, sales.toReversed()),
    countDebts(service.store, sales.slice(10, 20)),
  ]);
  await catchUp();

  expect(await Promise.all(payees.map(({ uuid }) => owed(uuid)))).toEqual([300, 300]);
});

test('counts a debt where another begins the account, and the answer to its own write is lost', async () => {
  const productId = await product(payees.slice(0, 1));
  const [own, another] = [{ sk: await sell(productId) }, { sk: await sell(productId) }];
  let isLost = false;
  const stop = intercept(async ({ operation, input }, send) => {
    if (isLost || operation !== 'PutItem' || !JSON.stringify(input).includes('#PAYEE')) return send();
    isLost = true;
    await countDebts(service.store, [another]);
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });
  });

  await countDebts(service.store, [own]).finally(stop);

  expect(await owed(payees[0]?.uuid ?? '')).toBe(20);
});

/** Reads of the store's own item, and how it counts this sale. */
const countWatched = async (id: string): Promise<number> => {
  let reads = 0;
  const stop = intercept(async ({ operation, input }, send) => {
    if (operation === 'GetItem' && JSON.stringify(input).includes(`"STORE#${service.store}"`)) reads += 1;
    return send();
  });
  await asFunction('stream-consumer', consumerAccess, () => countDebts(service.store, [{ sk: id }])).finally(stop);
  return reads;
};

test('looks whether a debt was paid by hand before payouts began where it is more than a minute old, and never else', async () => {
  const productId = await product(payees);
  const [old, fresh] = [await sell(productId), await sell(productId)];
  setClock(start + 10);
  await beginPayouts(service.store, false, undefined, async () => {});

  setClock(start + 60_000);
  const ofFresh = await countWatched(fresh);
  setClock(start + 60_001);
  const ofOld = await countWatched(old);
  await catchUp();

  expect([ofFresh, ofOld]).toEqual([0, 1]);
  const { owed: stillOwed, paid } = (await findPayee(service.store, payees[0]?.uuid ?? '')) as Payee;
  expect([stillOwed, paid]).toEqual([10, 10]);
});

test('an account lets go of marks that the notes of their sales have made needless', async () => {
  const productId = await product(payees);
  for (let sales = 0; sales < 5; sales++) {
    await sell(productId);
    await catchUp();
  }

  expect((await findPayee(service.store, payees[0]?.uuid ?? ''))?.counting).toHaveLength(1);
});

/** Takes the records so far from the stream, and counts none of them. */
const catchUpWithout = async (): Promise<void> => {
  const stop = intercept(async ({ input }, send) => {
    if (JSON.stringify(input).includes('#PAYEE')) throw new Error('no account may be touched');
    return send();
  });
  await catchUp().catch(() => undefined);
  stop();
};
