import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Purchase, recordPurchase } from '../../../../lib/avatars/spend.ts';
import { changeCredit } from '../../../../lib/credit/change.ts';
import { writeRows } from '../../../../lib/operator/imports/rows.ts';
import { readBroughtSpend, spendImporter } from '../../../../lib/operator/imports/spend.ts';
import { readCredit } from '../../../../lib/operator/read-credit.ts';
import type { Sale } from '../../../../lib/routes/sales.ts';
import { refundSale } from '../../../../lib/sale/refund.ts';
import { findSale } from '../../../../lib/sale/sales.ts';
import { tellResident } from '../../../../lib/store/tell-resident.ts';
import * as dynamodb from '../../../../lib/table/dynamodb.ts';
import { customerKey, customerNameKey } from '../../../../lib/table/keys.ts';
import { put, remove, targetOf, type Write } from '../../../../lib/table/language.ts';
import type { Key } from '../../../../lib/table/schema.ts';
import { engine, get, write } from '../../../../lib/table/table.ts';
import { erasePerson } from '../../person/erase.ts';
import { startForCli } from '../support/cli.ts';

/** Erasures of an avatar beside sales, refunds and changes of credit of theirs that are under way. */

interface Avatar {
  uuid: string;
  username: string;
}

let avatar: Avatar;
let friend: Avatar;
let avatars = 0;

const service = await startForCli({ demo: false });
const store = service.service.store.id;
beforeEach(async () => {
  [avatar, friend] = [await newAvatar(), await newAvatar()];
});
afterEach(() => {
  delete engine.get;
  delete engine.getTogether;
  delete engine.query;
  delete engine.transact;
  delete engine.write;
});

const call = async (method: string, path: string, body?: object) => {
  const answer = await service.call(method, path, service.service.keys.all, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

const newAvatar = async (): Promise<Avatar> => {
  const [uuid, username] = [randomUUID(), `number${++avatars}.erased`];
  await tellResident(store, { uuid, username }, 'request');
  return { uuid, username };
};

const by = { by: 'test' };

const give = (amount: number, expiresAt?: string) =>
  changeCredit(store, { uuid: avatar.uuid }, 'regular', { kind: 'increment', delta: amount, expiresAt }, by);

/** A purchase of theirs, as an import brings it. */
const purchaseOf = (price: number): Purchase => ({
  id: randomUUID(),
  buyer: avatar,
  productId: randomUUID(),
  price,
  at: new Date().toISOString(),
});

const erase = (...args: string[]) =>
  service.run('resident', 'erase', avatar.uuid, '--yes', '--json', '--store', 'Demo Store', ...args);

const patiently = { timeout: 20_000 };

/** Waits until a sale is delivered, as an erasure demands. */
const untilDelivered = async ({ id, deliveryId }: Sale): Promise<void> => {
  await expect.poll(() => findSale(store, id), patiently).not.toHaveProperty('flags');
  const delivery = () => service.call('GET', `/v1/deliveries/${deliveryId}`, service.service.keys.all);
  await expect.poll(delivery, patiently).toMatchObject({ body: { state: 'delivered' } });
};

/** Sells a product with a limited stock, and waits until it is delivered. */
const sell = async (fields: object): Promise<Sale> => {
  const product = await call('POST', '/v1/products', { name: 'Lamp', price: 100, limited: true, availableAmount: 2 });
  const sale = await call('POST', '/v1/sales', { id: randomUUID(), productId: product.id, ...fields });
  expect(sale.state).toBe('completed');
  await untilDelivered(sale);
  return sale;
};

/** A sale of each kind that a refund takes back: with credit, partly from a lot; in cash alone; and a gift. */
const sales: Record<string, () => Promise<Sale>> = {
  'with credit and a coupon': async () => {
    await give(30, '2099-01-01T00:00:00.000Z');
    await give(10);
    const coupon = await call('POST', '/v1/coupons', { code: randomUUID(), ownerIdentifier: friend.uuid, discount: 1 });
    await call('POST', `/v1/customers/${avatar.uuid}/actions/apply-coupon`, { couponId: coupon.id, scope: 0 });
    return sell({ buyerIdentifier: avatar.uuid, paid: 60, useCredit: true });
  },
  'in cash': () => sell({ buyerIdentifier: avatar.uuid, paid: 100 }),
  'of a gift to them': () => sell({ buyerIdentifier: friend.uuid, recipientIdentifier: avatar.uuid, paid: 100 }),
  'of a gift by them': () => sell({ buyerIdentifier: avatar.uuid, recipientIdentifier: friend.uuid, paid: 100 }),
};

const refund = (id: string): Promise<Sale> => refundSale(store, id, by);

/** Tells whether a transaction refunds a sale. An erasure puts another item in the place of the sale. */
const refunds = (id: string, writes: readonly Write[]): boolean =>
  writes.some((write) => write.kind === 'update' && targetOf(write).sk === id);

/** Says whether a transaction of the erasure moves the customer. It does so after the sales have moved. */
const movesCustomer = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.kind === 'remove' && isDeepStrictEqual(write.key, customerKey(store, avatar.uuid)));

const expectAudit = async (): Promise<void> => {
  const { code, stdout } = await service.run('audit', '--store', 'Demo Store', '--json');
  expect(stdout.split('\n').filter((line) => line.includes('"fault":'))).toEqual([]);
  expect(code).toBe(0);
};

/** Only the pseudonym is in the books, and they add up. */
const expectErased = async (): Promise<void> => {
  const customers: Avatar[] = (await call('GET', '/v1/customers?limit=1000')).data;
  expect(customers.map(({ uuid }) => uuid)).not.toContain(avatar.uuid);
  await expectAudit();
};

/** Holds back what `isHeld` picks until `letGo` is called, or `within` an erasure until that moves the customer. */
const holding = (isHeld: (writes: readonly Write[]) => boolean, arrives: 'within' | 'after') => {
  const sent = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const hold = async () => {
    sent.resolve();
    await free.promise;
  };
  engine.transact = async (writes, token) => {
    if (isHeld(writes)) {
      await hold();
      return dynamodb.transact(writes, token).finally(arrived.resolve);
    }
    if (arrives === 'within' && movesCustomer(writes)) {
      free.resolve();
      await arrived.promise;
    }
    return dynamodb.transact(writes, token);
  };
  engine.write = async (write) => {
    if (isHeld([write])) await hold();
    return dynamodb.write(write);
  };
  return { sent: sent.promise, letGo: free.resolve };
};

test.each(Object.entries(sales))(
  'a refund of a sale %s, which arrives after their erasure, is made anew',
  async (_, make) => {
    const { id } = await make();
    const { sent, letGo } = holding((writes) => refunds(id, writes), 'after');
    const refunding = refund(id);
    await sent;
    const erased = await erase();
    letGo();

    const refunded = await refunding;

    expect([erased.code, refunded.state]).toEqual([0, 'refunded']);
    const { pseudonym } = erased.rows[0];
    expect([refunded.buyerUuid, refunded.recipientUuid]).toContain(pseudonym);
    expect(await call('GET', `/v1/customers/${pseudonym}/spend`)).toMatchObject({ sum: 0, totalOwned: 0 });
    await expectErased();
  },
);

test.each(Object.entries(sales))(
  'a refund of a sale %s, which begins within their erasure, waits for its end',
  async (_, make) => {
    const { id } = await make();
    let refunding: Promise<Sale> | undefined;
    engine.transact = async (writes, token) => {
      if (movesCustomer(writes) && !refunding) {
        refunding = refund(id);
        await sleep(100);
      }
      return dynamodb.transact(writes, token);
    };

    const erased = await erase();
    const refunded = await refunding;

    expect([erased.code, refunded?.state]).toEqual([0, 'refunded']);
    const { pseudonym } = erased.rows[0];
    expect(await call('GET', `/v1/customers/${pseudonym}/spend`)).toMatchObject({ sum: 0, totalOwned: 0 });
    await expectErased();
  },
);

/** Sales that their erasure meets: each is made after something that the store has about the avatar. */
const newSales: Record<string, { before: () => Promise<unknown>; price: number; isGift?: 'by them' | 'to them' }> = {
  'of a second product': { before: () => sell({ buyerIdentifier: avatar.uuid, paid: 100 }), price: 100 },
  'of a free gift by them, which is no spend of theirs': {
    before: () => sell({ buyerIdentifier: avatar.uuid, paid: 100 }),
    ...{ price: 0, isGift: 'by them' },
  },
  'of a gift to them, who have bought nothing before': {
    before: () => call('PUT', `/v1/customers/${avatar.uuid}`, { newsSubscriber: true }),
    ...{ price: 100, isGift: 'to them' },
  },
};

test.each(
  Object.entries(newSales).flatMap(([name, sale]) =>
    (['within', 'after'] as const).map((arrives) => ({ name, arrives, ...sale })),
  ),
)(
  'a sale $name, which arrives $arrives their erasure, stands in books that add up',
  async ({ arrives, before, price, isGift }) => {
    await before();
    const product = await call('POST', '/v1/products', { name: 'Vase', price });
    const [buyer, recipient] = isGift === 'to them' ? [friend, avatar] : [avatar, isGift ? friend : avatar];
    const parties = { buyerIdentifier: buyer.uuid, recipientIdentifier: recipient.uuid };
    const id = randomUUID();
    const puts = (one: Write): boolean => one.kind === 'put' && one.item.sk === id;
    const { sent, letGo } = holding((writes) => writes.some(puts), arrives);
    const selling = call('POST', '/v1/sales', { id, productId: product.id, paid: price, ...parties });
    await sent;
    await erase();
    letGo();
    const sale = await selling;
    await untilDelivered(sale);
    // An erasure that stopped halfway leaves books that add up once it is repeated.
    if (arrives === 'after') await expectAudit();
    const second = await erase();

    expect([sale.state, sale.buyerUuid, sale.recipientUuid]).toEqual(['completed', buyer.uuid, recipient.uuid]);
    expect(second.code).toBe(0);
    await expectErased();
  },
);

test('a name that is written for the search while their erasure runs does not stay', async () => {
  await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
  const name = customerNameKey(store, avatar.username);
  engine.transact = async (writes, token) => {
    // As the consumer does, which still saw them as a customer.
    if (movesCustomer(writes)) await write(put({ ...name, ...avatar }));
    return dynamodb.transact(writes, token);
  };

  const { code } = await erase();

  expect(code).toBe(0);
  expect(await get(name)).toBeUndefined();
  await expectErased();
});

test('a pass of a move, which carries their spend while their erasure runs, carries none of it twice', async () => {
  const carry = async (sum: number): Promise<void> => {
    const row = { line: 1, fields: { resident: avatar, sum, lastYearSum: 0 } };
    await writeRows(spendImporter(new Map()), [row], { store });
  };
  await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
  await carry(25);
  let passes = 0;
  engine.transact = async (writes, token) => {
    if (movesCustomer(writes) && passes++ === 0) await carry(35);
    return dynamodb.transact(writes, token);
  };

  const { code, rows } = await erase();

  expect(code).toBe(0);
  expect(await call('GET', `/v1/customers/${rows[0].pseudonym}/spend`)).toMatchObject({ sum: 135 });
  await expectErased();
});

test('a pass of a move, which has read their single rows before their erasure, carries all once they are back', async () => {
  await recordPurchase(store, purchaseOf(30));
  const brought = await readBroughtSpend(store);
  expect((await erase()).code).toBe(0);
  await tellResident(store, avatar, 'request');

  const row = { line: 1, fields: { resident: avatar, sum: 40, lastYearSum: 40 } };
  await writeRows(spendImporter(brought), [row], { store });

  expect(brought.get(avatar.uuid)).toEqual({ year: 30, earlier: 0 });
  expect(await call('GET', `/v1/customers/${avatar.uuid}/spend`)).toMatchObject({ sum: 40 });
  await expectAudit();
});

test('spend that comes before its customer, and the rest behind it, add up under one pseudonym', async () => {
  await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
  await write(remove(customerKey(store, avatar.uuid)));
  const first = await erase();
  await tellResident(store, avatar, 'request');
  await sell({ buyerIdentifier: avatar.uuid, paid: 100 });

  const { code, rows } = await erase();

  expect([first.code, code, rows[0].pseudonym]).toEqual([0, 0, first.rows[0].pseudonym]);
  expect(await call('GET', `/v1/customers/${rows[0].pseudonym}/spend`)).toMatchObject({ sum: 200, totalOwned: 2 });
  await expectErased();
});

/** Waits until history shows a change of the avatar's credit. */
const untilShown = async (): Promise<void> => {
  while ((await call('GET', `/v1/customers/${avatar.uuid}/credit/history`)).data.length === 0) await sleep(10);
};

test('credit that they get while their erasure reads keeps its history, and the erasure stops', async () => {
  await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
  let reads = 0;
  engine.query = async (query) => {
    // The customer is read, and of the history nothing yet: the third time with all that is to be erased.
    if (query.partition === `${store}#HISTORY#${avatar.uuid}#regular` && ++reads === 3) {
      await give(5);
      await untilShown();
    }
    return dynamodb.query(query);
  };

  const why = await erasePerson(store, avatar.uuid, false, () => []).catch(({ message }) => message);

  expect(why).toContain('They hold L$ 5 of credit');
  await expectAudit();
});

/** Notes under which pseudonyms an erasure puts customers, and tells when it has moved the first of them. */
const notingPseudonyms = (onFirst: () => Promise<void>): Set<string> => {
  const pseudonyms = new Set<string>();
  engine.transact = async (writes, token) => {
    const refusals = await dynamodb.transact(writes, token);
    if (!movesCustomer(writes)) return refusals;
    const isFirst = pseudonyms.size === 0;
    for (const one of writes) if (one.kind === 'put' && one.item.moved) pseudonyms.add(String(one.item.sk));
    if (isFirst) await onFirst();
    return refusals;
  };
  return pseudonyms;
};

test('an avatar back before their erasure ends is a new customer, with books under another pseudonym', async () => {
  await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
  await give(7);
  const pseudonyms = notingPseudonyms(async () => {
    await give(5);
  });

  expect((await erase('--forfeit')).code).toBe(0);

  expect(pseudonyms.size).toBe(2);
  await expectErased();
});

test('an avatar back before their erasure ends, whom single reads do not see yet, gets another pseudonym', async () => {
  await give(7);
  let isHidden = false;
  const isTheirs = ({ pk, sk }: Key): boolean => pk === `${store}#CUSTOMER` && sk === avatar.uuid;
  engine.get = async (key) => (isHidden && isTheirs(key) ? undefined : dynamodb.get(key));
  engine.getTogether = async (keys) => {
    if (keys.some(isTheirs)) isHidden = false;
    return dynamodb.getTogether(keys);
  };
  const pseudonyms = notingPseudonyms(async () => {
    await tellResident(store, avatar, 'request');
    await give(5);
    await untilShown();
    isHidden = true;
  });

  expect((await erase('--forfeit')).code).toBe(0);

  expect(pseudonyms.size).toBe(2);
  await expectErased();
});

test('an avatar who comes back while their erasure looks for rests gets another pseudonym', async () => {
  await give(7);
  let isGone = false;
  engine.getTogether = async (keys) => {
    const items = await dynamodb.getTogether(keys);
    if (isGone && keys[0]?.sk === avatar.uuid) {
      isGone = false;
      await call('PUT', `/v1/customers/${avatar.uuid}`, { newsSubscriber: true });
    }
    return items;
  };
  const pseudonyms = notingPseudonyms(async () => {
    isGone = true;
    // The erasure finds another name of theirs, and looks for more.
    await tellResident(store, { ...avatar, username: `${avatar.username}.again` }, 'request');
  });

  expect((await erase('--forfeit')).code).toBe(0);

  expect(pseudonyms.size).toBe(2);
  await expectErased();
});

test.each(['within' as const, 'after' as const])(
  'a redeem of a card, which arrives %s their erasure, loses nothing',
  async (arrives) => {
    await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
    const grant = { credit: 9, transfer: true };
    const { id } = await call('POST', `/v1/customers/${friend.uuid}/actions/grant-gift-card`, grant);
    const { sent, letGo } = holding((writes) => writes.some((one) => targetOf(one).sk === id), arrives);
    const redeeming = call('POST', `/v1/giftcards/${id}/actions/redeem`, { identifier: avatar.uuid });
    await sent;
    const erased = await erase();
    letGo();
    await redeeming;

    expect(erased.code).toBe(arrives === 'within' ? 1 : 0);
    expect(await call('GET', `/v1/customers/${avatar.uuid}/credit`)).toMatchObject({ credit: 9 });
    expect((await erase('--forfeit')).code).toBe(0);
    await expectErased();
  },
);

/** A sale of theirs that holds as read before their erasure, and arrives once they have come back. */
const saleAcross = async (fields: object, comeBack: () => Promise<unknown>): Promise<Sale> => {
  const product = await call('POST', '/v1/products', { name: 'Lamp', price: 20 });
  const id = randomUUID();
  const { sent, letGo } = holding((writes) => writes.some((one) => targetOf(one).sk === id), 'after');
  const selling = call('POST', '/v1/sales', { id, productId: product.id, buyerIdentifier: avatar.uuid, ...fields });
  await sent;
  expect((await erase('--forfeit')).code).toBe(0);
  await tellResident(store, avatar, 'request');
  await comeBack();
  letGo();
  return selling;
};

test('a sale with credit takes nothing of a customer who came back, though their changes have the same numbers', async () => {
  await give(30);

  const sale = await saleAcross({ paid: 0, useCredit: true }, () => give(5));

  expect(sale).toMatchObject({ state: 'refused', refusal: 'underpaid' });
  expect(await call('GET', `/v1/customers/${avatar.uuid}/credit`)).toMatchObject({ credit: 5 });
  await expectAudit();
});

test('a sale to a customer who came back is added to their spend, and not to that of before their erasure', async () => {
  await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
  const sale = await saleAcross({ paid: 20 }, () => recordPurchase(store, purchaseOf(30)));

  expect(sale).toMatchObject({ state: 'completed' });
  expect(await call('GET', `/v1/customers/${avatar.uuid}/spend`)).toMatchObject({ sum: 50, totalOwned: 2 });
  await untilDelivered(sale);
  await expectAudit();
});

test('an audit does not take credit of before an erasure and of after it for the same', async () => {
  await give(30);
  let reads = 0;
  engine.getTogether = async (keys) => {
    if (++reads === 2) {
      delete engine.getTogether;
      expect((await erase('--forfeit')).code).toBe(0);
      await tellResident(store, avatar, 'request');
      await give(5);
    }
    return dynamodb.getTogether(keys);
  };

  expect(await readCredit(store, avatar.uuid)).toBeUndefined();

  expect(await readCredit(store, avatar.uuid)).toMatchObject({ item: { credit: 5, creditVersion: 1 } });
});

test('a redelivery, which is claimed after their erasure, is refused, and leaves nothing', async () => {
  const { productId } = await sell({ buyerIdentifier: avatar.uuid, paid: 100 });
  await service.advance(61);
  const { sent, letGo } = holding(
    (writes) => writes.some((one) => one.kind === 'update' && 'queued' in (one.change.set ?? {})),
    'after',
  );
  const redelivering = call('POST', `/v1/customers/${avatar.uuid}/products/${productId}/actions/redeliver`);
  await sent;
  await erase();
  letGo();

  await expect(redelivering).rejects.toThrow('400');

  await expectErased();
});

test('a sale of which they only have a share keeps its references, by which a repeated refund is known', async () => {
  const profitShares = [{ userUuid: avatar.uuid, percent: 40 }];
  const product = await call('POST', '/v1/products', { name: 'Shared', price: 100, profitShares });
  const fields = { productId: product.id, buyerIdentifier: friend.uuid, paid: 100, reference: 'of the vendor' };
  const sale: Sale = await call('POST', '/v1/sales', { id: randomUUID(), ...fields });
  await untilDelivered(sale);
  const refunded = await call('POST', `/v1/sales/${sale.id}/actions/refund`, { reference: 'of the terminal' });
  await call('PUT', `/v1/products/${product.id}`, { name: 'Shared', price: 100, profitShares: [] });

  const { rows } = await erase('--forfeit');

  const [{ pseudonym }] = rows;
  const shares = [{ residentUuid: pseudonym, kind: 'share', percent: 40, amount: 40 }];
  expect(await call('GET', `/v1/sales/${sale.id}`)).toEqual({ ...refunded, shares });
  expect(refunded).toMatchObject({ reference: 'of the vendor', refundReference: 'of the terminal' });
  await expectErased();
});
