import { loaded } from '../lists/source.ts';
import { invalid } from '../problem.ts';
import { seal, unseal } from '../seal.ts';
import { listRedeemable } from './gift-cards.ts';

/**
 * The id of a transferable card is its money. So a customer's page names a card by its sealed id, which only this
 * avatar's page in this store takes back.
 */

const ownerOf = (store: string, uuid: string): string => `${store} card of ${uuid}`;

/** The avatar's own cards that can be redeemed, each with its sealed id. */
export const listSealedCards = (store: string, uuid: string) =>
  loaded(
    listRedeemable(store, uuid),
    ({ sk }) => sk,
    async (cards) => cards.map((one) => ({ ...one, card: seal(one.id, ownerOf(store, uuid)) })),
  );

/** The card's id, from its sealed id. Throws 400 for a text that was not made for this avatar of this store. */
export const cardIdOf = (store: string, uuid: string, card: string): string => {
  const id = unseal(card, ownerOf(store, uuid));
  if (typeof id !== 'string') throw invalid('card names none of your cards: load the page again.');
  return id;
};
