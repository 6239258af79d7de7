import { beforeEach, expect, test } from 'vitest';
import { forgetResidents } from '../../../lib/avatars/residents.ts';
import { applyCoupon } from '../../../lib/catalogue/applied-coupons.ts';
import { createCoupon } from '../../../lib/catalogue/coupons.ts';
import { grantGiftCard } from '../../../lib/catalogue/gift-cards.ts';
import { timestamp } from '../../../lib/clock.ts';
import { changeCredit } from '../../../lib/credit/change.ts';
import { redeemGiftCard } from '../../../lib/credit/redeem.ts';
import type { CreditType } from '../../../lib/credit/rules.ts';
import { putResident } from '../../../lib/operator/residents.ts';
import { createStore } from '../../../lib/operator/stores.ts';
import { refundSale } from '../../../lib/sale/refund.ts';
import { engine } from '../../../lib/table/table.ts';
import { ada, bob } from '../../support/residents.ts';
import { roundsIn } from '../../support/rounds.ts';
import { setClock } from '../../support/service.ts';
import { memoryEngine } from '../table/memory.ts';
import { buy, newProduct, quoteFor } from './sales.ts';

/**
 * Checks which reads of a sale run side by side. A budget counts a call as a step only if no other call is open, so it
 * does not notice a read that waits for another one without a reason. Here no call is answered before every call that
 * can leave has left. The calls that leave between two answers are a round.
 */

const start = Date.parse('2028-02-29T12:00:00.000Z');
const inMinutes = (minutes: number): string => timestamp(start + minutes * 60_000);

let store = '';

beforeEach(async () => {
  Object.assign(engine, memoryEngine());
  setClock(start);
  forgetResidents();
  for (const each of [ada, bob]) await putResident(each);
  store = (await createStore('Rounds', 'rounds')).id;
});

const roundsOf = (work: () => Promise<unknown>): Promise<string[]> => roundsIn(store, work);

const give = (type: CreditType, delta: number, minutes?: number) => {
  const expiresAt = minutes === undefined ? undefined : inMinutes(minutes);
  return changeCredit(store, { uuid: bob.uuid }, type, { kind: 'increment', delta, expiresAt }, { by: 'test' });
};

/** Gives bob credit of both types. Some of it is due, and some is in lots. */
const giveCredit = async (): Promise<void> => {
  for (const type of ['regular', 'restricted'] as const) {
    await give(type, 10, 1);
    await give(type, 10, 60);
  }
  setClock(start + 2 * 60_000);
};

/** Applies a coupon of bob's for a product, and another one to the whole store. */
const applyBoth = async (productId: string): Promise<void> => {
  for (const [code, scope] of [
    ['half', { productId }],
    ['tenth', {}],
  ] as const) {
    const discount = code === 'half' ? 50 : 10;
    const fields = { code, discount, ownerProfit: 0, active: true, bloggersSync: false };
    const coupon = await createCoupon(store, ada, fields, { usesPerCustomer: 2 });
    await applyCoupon(store, { uuid: bob.uuid }, { couponId: coupon.id, expiresInHours: 24, ...scope });
  }
};

const id = '00000001-5a1e-4000-8000-000000000000';

test('a sale of a product to a customer', async () => {
  const productId = await newProduct(store, { price: 60 });
  await give('regular', 5);

  const rounds = await roundsOf(() => buy(store, { id, productId, buyer: bob.uuid, paid: 60 }));

  expect(rounds).toEqual(['CUSTOMER+STORE+PRODUCT+APPLIED+APPLIED SPEND+OWNED', 'transaction']);
});

test('a sale with both coupons and with credit of which some has come due', async () => {
  const productId = await newProduct(store, { price: 60 });
  await applyBoth(productId);
  await giveCredit();

  const rounds = await roundsOf(() => buy(store, { id, productId, buyer: bob.uuid, paid: 60, useCredit: true }));

  expect(rounds).toEqual([
    'CUSTOMER+STORE+PRODUCT+APPLIED+APPLIED SPEND+OWNED',
    'COUPON COUPON LOTs LOTs USE USE',
    'transaction',
  ]);
});

test('a sale with both coupons and with credit in lots', async () => {
  const productId = await newProduct(store, { price: 60 });
  await applyBoth(productId);
  await give('regular', 10, 60);
  await give('restricted', 10, 60);

  const rounds = await roundsOf(() => buy(store, { id, productId, buyer: bob.uuid, paid: 60, useCredit: true }));

  expect(rounds).toEqual([
    'CUSTOMER+STORE+PRODUCT+APPLIED+APPLIED SPEND+OWNED',
    'COUPON COUPON USE USE',
    'LOTs LOTs',
    'transaction',
  ]);
});

test('a sale by a quote with a coupon and with credit in lots', async () => {
  const productId = await newProduct(store, { price: 60 });
  await applyBoth(productId);
  await giveCredit();
  const quote = await quoteFor(store, { productId, buyer: bob.uuid, useCredit: true });

  const rounds = await roundsOf(() => buy(store, { id, productId, buyer: bob.uuid, paid: 60, useCredit: true, quote }));

  expect(rounds).toEqual(['CUSTOMER+STORE+PRODUCT+USE SPEND+OWNED', 'LOTs LOTs', 'transaction']);
});

test('a gift between newcomers', async () => {
  const productId = await newProduct(store, { price: 60 });
  forgetResidents();

  const rounds = await roundsOf(() => buy(store, { id, productId, buyer: bob.uuid, recipient: ada.uuid, paid: 60 }));

  expect(rounds).toEqual([
    'CUSTOMER+STORE+PRODUCT+CUSTOMER+APPLIED+APPLIED SPEND+SPEND+OWNED',
    'RESIDENT RESIDENT',
    'transaction',
  ]);
});

test('a sale of a limited product that is refused', async () => {
  const productId = await newProduct(store, { price: 60, limited: true, availableAmount: 5 });
  await applyBoth(productId);
  await giveCredit();

  const rounds = await roundsOf(() => buy(store, { id, productId, buyer: bob.uuid, paid: 1, useCredit: true }));

  expect(rounds).toEqual([
    'CUSTOMER+STORE+PRODUCT+APPLIED+APPLIED SPEND+OWNED',
    'COUPON COUPON LOTs LOTs USE USE',
    'look look',
    'transaction',
  ]);
});

test('a quote with both coupons and with credit of which some has come due', async () => {
  const productId = await newProduct(store, { price: 60 });
  await applyBoth(productId);
  await giveCredit();

  const rounds = await roundsOf(() => quoteFor(store, { productId, buyer: bob.uuid, useCredit: true }));

  expect(rounds).toEqual(['CUSTOMER+STORE+PRODUCT+APPLIED+APPLIED', 'COUPON COUPON LOTs LOTs USE USE', 'look']);
});

test('a refund of a gift that used a coupon and credit in lots', async () => {
  const productId = await newProduct(store, { price: 60 });
  await applyBoth(productId);
  await give('regular', 10, 60);
  await give('regular', 10, 70);
  await buy(store, { id, productId, buyer: bob.uuid, recipient: ada.uuid, paid: 60, useCredit: true });
  await give('regular', 5, 90);
  await give('regular', 5, 3);
  setClock(start + 4 * 60_000);

  const rounds = await roundsOf(() => refundSale(store, id, { by: 'test' }));

  expect(rounds).toEqual(['SALE', 'CUSTOMER DELIVERY OWNED PRODUCT SPEND SPEND USE', 'LOTs', 'transaction']);
});

test('a redemption by a customer whose credit has come due', async () => {
  const fields = { texture: ada.uuid, transfer: false, credit: 40 };
  const card = await grantGiftCard(store, { uuid: bob.uuid }, fields);
  await giveCredit();
  const asked = { identifier: { uuid: bob.uuid }, expiresAt: undefined };

  const rounds = await roundsOf(() => redeemGiftCard(store, card.id, asked, { by: 'test' }));

  expect(rounds).toEqual(['CUSTOMER GIFTCARD', 'LOTs', 'transaction']);
});
