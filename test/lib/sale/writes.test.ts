import { expect, test } from 'vitest';
import type { RefundFacts } from '../../../lib/sale/facts.ts';
import type { CompletedRefund } from '../../../lib/sale/judge.ts';
import type { SaleItem } from '../../../lib/sale/sales.ts';
import { writesOfRefund } from '../../../lib/sale/writes.ts';
import { couponUsesKey, ownedKey, saleKey, spendKey } from '../../../lib/table/keys.ts';
import { conditionOf, holds, type Item, targetOf } from '../../../lib/table/language.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { ada, bob } from '../../support/residents.ts';
import { factsWith, itemWith } from '../credit/credit-facts.ts';
import { at } from '../credit/holdings.ts';

/** Tells what the writes of a refund are refused by, without a table. */

const sale = {
  ...saleKey('store', 'sale'),
  ...{ state: 'completed', buyerUuid: bob.uuid, recipientUuid: ada.uuid, productId: 'chair', at, imported: true },
  ...{ paid: 0, refund: 0, coupon: { id: 'half' } },
} as SaleItem;

/** A refund of a gift. Only the sale itself is visible yet. */
const facts: RefundFacts = {
  asked: { store: 'store', buyer: bob.uuid, recipient: ada.uuid, cause: { at, by: 'test' }, payOut: false },
  ...{ sale, product: undefined, uses: undefined },
  ...{ spend: undefined, recipientSpend: undefined, owned: undefined, delivery: undefined, card: undefined },
  ...{ credit: factsWith(itemWith({}, {})), areCustomers: true },
};
const completed: CompletedRefund = {
  ...{ kind: 'completed', kept: 0, isLast: false },
  plan: { kind: 'planned', parts: [], after: facts.credit.item, needsLook: false },
};

/** Says whether the refund is refused if this item is under the key. */
const isRefusedBy = (key: Key, item: Item): boolean => {
  const writes = writesOfRefund(facts, completed);
  const own = writes.filter((write) => targetOf(write).pk === key.pk && targetOf(write).sk === key.sk);
  return own.some((write) => !holds(conditionOf(write), item));
};

test('a refund of a sale that is as it was read is not refused', () => {
  expect(isRefusedBy(sale, { ...sale })).toBe(false);
});

test.each<[string, Partial<SaleItem>]>([
  ['is refunded by now', { state: 'refunded' }],
  ['has another buyer by now, since theirs was erased', { buyerUuid: 'p1' }],
  ['has another recipient by now, since theirs was erased', { recipientUuid: 'p1' }],
])('a refund of a sale that %s is refused', (_, change) => {
  expect(isRefusedBy(sale, { ...sale, ...change })).toBe(true);
});

test.each<[string, Key]>([
  ['the spend of the buyer', spendKey('store', bob.uuid)],
  ['the spend of the recipient', spendKey('store', ada.uuid)],
  ['the product that the recipient owns', ownedKey('store', ada.uuid, 'chair')],
  ['the use of the coupon', couponUsesKey('store', bob.uuid, 'half')],
])('a refund that does not see %s is refused where it is there', (_, key) => {
  expect(isRefusedBy(key, { ...key, uses: 1 })).toBe(true);
});
