import { now, timestamp } from '../clock.ts';
import { invalid } from '../problem.ts';
import type { RedeemedGiftCard, RedeemRequest } from '../routes/gift-cards.ts';
import { checkRedeemable, type GiftCardItem, getGiftCard, redeeming } from '../store/gift-cards.ts';
import { findResident } from '../store/residents.ts';
import { applied, type Write } from '../table/language.ts';
import { changeTogether, type Joined } from './change.ts';
import { checkCommand } from './rules.ts';
import { type Author, type Cause, creditLimit } from './state.ts';

/**
 * Moves a card's credit to a resident's regular credit, in one transaction with the writes of `together`. Throws 404
 * for an unknown card, 400 for an unknown resident, a card that they cannot redeem, and an amount above the credit
 * limit, and 503 where other writers do not let it through. Nothing is changed then.
 */
export const redeemGiftCard = async (
  store: string,
  id: string,
  { identifier, expiresAt }: Pick<RedeemRequest, 'identifier' | 'expiresAt'>,
  author: Author,
  together: readonly Write[] = [],
): Promise<RedeemedGiftCard> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  checkCommand({ kind: 'increment', delta: 0, expiresAt }, cause.at, creditLimit());
  const resident = await findResident(store, identifier);
  if (!resident) {
    await getGiftCard(store, id);
    throw invalid('identifier names a resident who does not exist.');
  }
  const { uuid } = resident;
  const join = async (): Promise<Joined<RedeemedGiftCard>> => {
    const card = await getGiftCard(store, id);
    checkRedeemable(card, uuid);
    const write = redeeming(store, card, { at: cause.at, by: cause.by, uuid });
    const giftCard = applied(write, { ...card }) as unknown as GiftCardItem;
    return {
      parts: [{ type: 'regular', command: { kind: 'increment', delta: card.credit, expiresAt, name: 'The card' } }],
      read: [card],
      writes: () => [write, ...together],
      answer: (credit) => ({ giftCard, credit }),
    };
  };
  return changeTogether(store, uuid, cause, { kind: 'redeem', giftCardId: id }, { join });
};
