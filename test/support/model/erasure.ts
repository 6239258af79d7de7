import { balanceOf, emptyHolding } from './credit.ts';
import { erase, type PayoutModel } from './payouts.ts';
import { avatarOf, type SaleModel } from './sales.ts';
import { forgetTold, movePurchase, type ToldModel } from './told.ts';
import type { ModelChanges } from './undo.ts';

/** A second implementation of erasures, written from the rules alone: all moves to a pseudonym, a piece at a time. */

/** A piece of what a store has about an avatar. */
export interface Moved {
  kind: 'customer' | 'spend' | 'owned' | 'uses' | 'application' | 'sale' | 'purchase' | 'coupon' | 'card' | 'account';
  /** Of the product, the coupon, the sale, the purchase or the card; of an application its scope. */
  id: string;
}

export interface ErasedModel extends SaleModel {
  touched: Record<string, true>;
  payouts: PayoutModel;
  changes: ModelChanges;
  told: ToldModel;
}

/** Moves a customer. False if they hold credit, which nobody may keep under a pseudonym. */
const moveCustomer = (model: ErasedModel, uuid: string, pseudonym: string): boolean => {
  const [avatar, there] = [avatarOf(model, uuid), avatarOf(model, pseudonym)];
  if (balanceOf(avatar.credit.regular) + balanceOf(avatar.credit.restricted) > 0) return false;
  there.credit = avatar.credit;
  Object.assign(avatar, { credit: emptyHolding(), isBanned: false, discount: 0 });
  delete model.touched[uuid];
  forgetTold(model, uuid);
  for (const change of Object.values(model.changes)) if (change.uuid === uuid) change.uuid = pseudonym;
  return true;
};

const moveSpend = (model: ErasedModel, uuid: string, pseudonym: string): void => {
  const [avatar, there] = [avatarOf(model, uuid), avatarOf(model, pseudonym)];
  const { sum, days } = avatar.spend;
  there.spend.sum += sum;
  for (const [day, spent] of Object.entries(days)) there.spend.days[day] = (there.spend.days[day] ?? 0) + spent;
  there.spend.totalOwned = Object.keys(there.owned).length;
  avatar.spend = { sum: 0, totalOwned: 0, days: {} };
};

const moveOwned = (model: ErasedModel, id: string, uuid: string, pseudonym: string): void => {
  const [avatar, there] = [avatarOf(model, uuid), avatarOf(model, pseudonym)];
  const [own, other] = [avatar.owned[id], there.owned[id]];
  delete avatar.owned[id];
  if (own)
    there.owned[id] = {
      quantity: own.quantity + (other?.quantity ?? 0),
      boughtAt: Math.min(own.boughtAt, other?.boughtAt ?? own.boughtAt),
    };
};

const moveSale = ({ sales }: ErasedModel, id: string, uuid: string, pseudonym: string): void => {
  const sale = sales[id];
  if (!sale) return;
  const { asked, shares } = sale;
  // An avatar who only has a share of the sale wrote none of its texts.
  if (asked.buyer === uuid || asked.recipient === uuid) sale.refundReference = null;
  if (asked.buyer === uuid) asked.buyer = pseudonym;
  if (asked.recipient === uuid) asked.recipient = pseudonym;
  for (const share of shares) if (share.residentUuid === uuid) share.residentUuid = pseudonym;
};

/** Moves a piece of what a store has about an avatar. Answers whether the rules allow that. */
export const move = (model: ErasedModel, { kind, id }: Moved, uuid: string, pseudonym: string): boolean => {
  const avatar = avatarOf(model, uuid);
  const card = model.cards[id];
  switch (kind) {
    case 'customer':
      return moveCustomer(model, uuid, pseudonym);
    case 'spend':
      moveSpend(model, uuid, pseudonym);
      return true;
    case 'owned':
      moveOwned(model, id, uuid, pseudonym);
      return true;
    case 'uses': {
      const { uses } = avatarOf(model, pseudonym);
      uses[id] = (uses[id] ?? 0) + (avatar.uses[id] ?? 0);
      delete avatar.uses[id];
      return true;
    }
    case 'application':
      delete avatar.applications[id];
      return true;
    case 'sale':
      moveSale(model, id, uuid, pseudonym);
      return true;
    case 'coupon':
      for (const coupon of model.coupons) if (coupon.id === id) coupon.owner = pseudonym;
      return true;
    case 'purchase':
      movePurchase(model, id, uuid, pseudonym);
      return true;
    case 'card':
      // One that holds credit forbids the erasure.
      if (!card || (card.credit > 0 && !card.isRedeemed && !card.isOver)) return false;
      Object.assign(card, { owner: pseudonym, isErased: true });
      return true;
    case 'account':
      erase(model.payouts, uuid, pseudonym);
      return true;
  }
};
