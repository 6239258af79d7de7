import { demandUuid, getCustomerItem } from '../avatars/customers.ts';
import { findResident } from '../avatars/residents.ts';
import { checkRedeemable, type GiftCardItem, getGiftCard, listRedeemable, redeeming } from '../catalogue/gift-cards.ts';
import { now, timestamp } from '../clock.ts';
import type { Identifier } from '../identifier.ts';
import { invalid } from '../problem.ts';
import type { RedeemedCards, RedeemedGiftCard, RedeemRequest } from '../routes/gift-cards.ts';
import { answer } from '../table/decide.ts';
import { applied, type Write } from '../table/language.ts';
import { changeMoney, forSomeTime, type MoneyChange, refuseIfCurrent, writeMoney } from './change.ts';
import { withoutLots } from './lots.ts';
import { planCredit } from './plan.ts';
import { checkCommand } from './rules.ts';
import { type Author, type Cause, creditLimit, creditOf } from './state.ts';

/**
 * Moves a card's credit to a resident's regular credit, in one transaction with the writes of `together`. Throws 404
 * for an unknown card; 400 for an unknown resident, a card that they cannot redeem, and an amount above the credit
 * limit; and 503 if other writers do not let it through. Nothing is changed then.
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
    store,
    uuid,
    cause,
    hasTime: forSomeTime(),
    occasion: { kind: 'redeem', giftCardId: id },
  };
  return changeMoney(change, {
    read: async () => {
      const reads = [getCustomerItem(store, uuid), getGiftCard(store, id)] as const;
      // Waits for both before the request is answered, even if one fails.
      await Promise.allSettled(reads);
      const [item, card] = await Promise.all(reads);
      return { credit: withoutLots(item), card, seen: [card] };
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
      return writeMoney(change, facts, outcome, { answer }, { writes: [write, ...together] });
    },
  });
};

/** The most cards that are redeemed at once: each is an item of the transaction. */
const mostCards = 20;

/** An owner's cards to be redeemed, all or only one, and whether they have others. */
const readOwnCards = async (
  store: string,
  uuid: string,
  only: string | undefined,
): Promise<{ cards: GiftCardItem[]; more: boolean }> => {
  const list = listRedeemable(store, uuid);
  if (only === undefined) {
    const found = await list({ descending: false, limit: mostCards + 1 });
    const cards = found.slice(0, mostCards);
    return { cards, more: found.length > cards.length };
  }
  const at = { position: only, inclusive: true };
  const [[card], others] = await Promise.all([
    list({ descending: false, from: at, limit: 1 }),
    list({ descending: false, limit: 2 }),
  ]);
  return { cards: card?.sk === only ? [card] : [], more: others.some(({ sk }) => sk !== only) };
};

/**
 * Moves the credit of a customer's own cards, at most 20, or of only one, to their permanent regular credit in one
 * change. Throws 404 for an unknown resident; 400 if the credit limit does not allow it, or if the only one cannot be
 * redeemed; and 503 if other writers do not let it through. Nothing is changed then.
 */
export const redeemOwnCards = async (
  store: string,
  identifier: Identifier,
  author: Author,
  only?: string,
): Promise<RedeemedCards> => {
  const cause: Cause = { at: timestamp(now()), ...author };
  const uuid = await demandUuid(store, identifier);
  const change: MoneyChange = { store, uuid, cause, hasTime: forSomeTime() };
  return changeMoney(change, {
    read: async () => {
      const reads = [getCustomerItem(store, uuid), readOwnCards(store, uuid, only)] as const;
      // Waits for both before the request is answered, even if one fails.
      await Promise.allSettled(reads);
      const [item, { cards, more }] = await Promise.all(reads);
      return { credit: withoutLots(item), cards, seen: cards, more };
    },
    judge: ({ credit, cards }) => {
      if (only !== undefined && cards.length === 0) throw invalid('card cannot be redeemed any more.');
      if (cards.length === 0) return { kind: 'none' as const };
      const delta = cards.reduce((sum, card) => sum + card.credit, 0);
      const command = { kind: 'increment' as const, delta, name: 'The cards' };
      return planCredit(credit, [{ type: 'regular', command }], cause.at, creditLimit());
    },
    conclude: (facts, outcome) => {
      const { cards, credit, more } = facts;
      if (outcome.kind === 'none') return answer({ cards: 0, amount: 0, credit: creditOf(credit.item), more });
      if (outcome.kind === 'refused') return refuseIfCurrent(facts, outcome.message);
      const amount = cards.reduce((sum, card) => sum + card.credit, 0);
      const redeemed = { cards: cards.length, amount, credit: creditOf(outcome.after), more };
      const writes = cards.map((card) => redeeming(store, card, { at: cause.at, by: cause.by, uuid }));
      // If there is only one card, history names it.
      const [only, ...others] = cards;
      const ofOne = only && others.length === 0 ? { giftCardId: only.sk } : {};
      const occasion = { kind: 'redeem' as const, ...ofOne };
      return writeMoney({ ...change, occasion }, facts, outcome, { answer: redeemed }, { writes });
    },
  });
};
