import { now, timestamp } from '../clock.ts';
import { invalid } from '../problem.ts';
import type { RedeemedGiftCard, RedeemRequest } from '../routes/gift-cards.ts';
import { getCustomerItem } from '../store/customers.ts';
import { checkRedeemable, type GiftCardItem, getGiftCard, redeeming } from '../store/gift-cards.ts';
import { findResident } from '../store/residents.ts';
import { applied, type Write } from '../table/language.ts';
import { carryOut, changeMoney, forSomeTime, type MoneyChange, refuseIfCurrent } from './change.ts';
import { factsOf } from './lots.ts';
import { planCredit } from './plan.ts';
import { checkCommand } from './rules.ts';
import { type Author, type Cause, creditLimit, creditOf } from './state.ts';

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
  const change: MoneyChange = {
    ...{ store, uuid, cause, mayGoOn: forSomeTime() },
    occasion: { kind: 'redeem', giftCardId: id },
  };
  return changeMoney(change, {
    read: async () => {
      const reads = [getCustomerItem(store, uuid), getGiftCard(store, id)] as const;
      // Both are over before the request is answered, also where one fails.
      await Promise.allSettled(reads);
      const [item, card] = await Promise.all(reads);
      return { credit: factsOf(item), card, seen: [card] };
    },
    judge: ({ credit, card }) => {
      checkRedeemable(card, uuid);
      const command = { kind: 'increment' as const, delta: card.credit, expiresAt, name: 'The card' };
      return planCredit(credit, [{ type: 'regular', command }], cause.at, creditLimit());
    },
    conclude: (facts, outcome) => {
      if (outcome.kind === 'refused') return refuseIfCurrent(facts, outcome.message);
      const write = redeeming(store, facts.card, { at: cause.at, by: cause.by, uuid });
      const giftCard = applied(write, { ...facts.card }) as unknown as GiftCardItem;
      const answer = { giftCard, credit: creditOf(outcome.after) };
      return carryOut(change, facts, outcome, { answer }, { writes: [write, ...together] });
    },
  });
};
