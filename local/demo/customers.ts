import { updateCustomer } from '../../lib/avatars/customers.ts';
import type { Resident } from '../../lib/avatars/residents.ts';
import { recordPurchase } from '../../lib/avatars/spend.ts';
import { applyCoupon } from '../../lib/catalogue/applied-coupons.ts';
import { createCoupon, findCoupon } from '../../lib/catalogue/coupons.ts';
import { putGiftCard } from '../../lib/catalogue/gift-cards.ts';
import { now } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import type { CreditCommand, CreditType } from '../../lib/credit/rules.ts';
import type { Store } from '../../lib/store/stores.ts';
import { at, demoUuid, friends, inDays } from './residents.ts';

const hour = 3_600_000;

/** Makes customers that show rules: credit with and without lots, spend, a subscription, a discount. */
export const seedCustomers = async ({ id }: Store): Promise<void> => {
  const [vendor, renamed] = friends as [Resident, Resident];
  /** Changes the credit this many hours ago, all after the sale that used up what there was. */
  const change = (hours: number, type: CreditType, command: CreditCommand, reason: string) =>
    at(now() - hours * hour, () => changeCredit(id, { uuid: vendor.uuid }, type, command, { by: 'demo', reason }));
  const [birthday, bonus, prize] = [inDays(1), inDays(30), inDays(90)];
  await change(54, 'regular', { kind: 'set', credit: 500 }, 'Trade-in of the old cottage');
  await change(47, 'regular', { kind: 'increment', delta: 200, expiresAt: birthday }, 'Birthday');
  await change(26, 'regular', { kind: 'increment', delta: 300, expiresAt: bonus }, 'Loyalty bonus of the month');
  await change(4, 'regular', { kind: 'increment', delta: -50 }, 'Custom tint of the coat');
  await change(2, 'restricted', { kind: 'set', credit: 1000, expiresAt: prize }, 'Won the photo contest');
  await updateCustomer(id, { uuid: renamed.uuid }, { discount: 10, newsSubscriber: true });
  for (const [index, days] of [1, 40, 200, 500].entries())
    await recordPurchase(id, {
      id: `demo-${index + 1}`,
      buyer: renamed,
      productId: demoUuid(3, index + 1),
      price: 100 * (index + 1),
      at: inDays(-days),
    });
};

/** Makes coupons and gift cards that show rules. One coupon is applied to the whole store, one to a product. */
export const seedCoupons = async ({ id }: Store): Promise<void> => {
  const [vendor, renamed, partner] = friends as [Resident, Resident, Resident];
  const fields = { discount: 10, ownerProfit: 5, active: true, bloggersSync: false };
  const make = async (number: number, owner: Resident, code: string, other: object = {}, imported: object = {}) => {
    const couponId = demoUuid(4, number);
    if (await findCoupon(id, couponId)) return;
    await createCoupon(id, owner, { ...fields, code, ...other }, { id: couponId, ...imported });
  };
  const expired = { usesPerCustomer: 1, expiration: inDays(-1), createdAt: inDays(-30) };
  await make(1, vendor, 'WELCOME10', { ownerProfit: 0 });
  await make(2, partner, 'Partner20', { discount: 20, bloggersSync: true }, { createdAt: inDays(-3) });
  await make(3, partner, 'Partner15', { discount: 15 }, { createdAt: inDays(-20) });
  await make(4, partner, 'PartnerPaused', { active: false }, { createdAt: inDays(-1) });
  await make(5, renamed, 'LastYear', {}, expired);
  await make(6, renamed, 'Été', { discount: 12.5 }, { usesPerCustomer: 3, expiration: inDays(60) });

  const customer = { uuid: renamed.uuid };
  await applyCoupon(id, customer, { couponId: demoUuid(4, 1), expiresInHours: 168 });
  await applyCoupon(id, customer, { code: 'partner20', productId: demoUuid(3, 3), expiresInHours: 24 });

  const card = { credit: 500, texture: null, transfer: false, active: true };
  const owner = { uuid: vendor.uuid, username: vendor.username };
  const give = (number: number, other: object = {}, imported: object = {}) =>
    putGiftCard(id, owner, { ...card, ...other }, { id: demoUuid(5, number), ...imported });
  await give(1);
  await give(2, { active: false });
  await give(3, { credit: 0 }, { redeemed: true });
  await give(4, { credit: 1000, texture: demoUuid(6, 1) }, { purchased: true });
  await give(5, { credit: 250, transfer: true });
};
