import type { Source } from '../lists/page.ts';
import { getMany, type Key, loaded, merged, rowsOf } from '../table/query.ts';
import { type GiftCard, type GiftCardItem, rankedOf } from './gift-cards.ts';

export interface GiftCardFilter {
  active?: boolean | undefined;
  redeemed?: boolean | undefined;
}

const either = [false, true];

/** The keys of an owner's cards in the order of their ids: each combination of the flags is a partition of the index. */
export const ownersCards = (store: string, owner: string, { active, redeemed }: GiftCardFilter = {}): Source<Key> => {
  const wanted = either
    .filter((isActive) => isActive === (active ?? isActive))
    .flatMap((isActive) =>
      either
        .filter((isRedeemed) => isRedeemed === (redeemed ?? isRedeemed))
        .map((isRedeemed) => rankedOf(store, owner, isActive, isRedeemed)),
    );
  return merged(
    wanted.map((name) => rowsOf<Key>({ partition: name, index: 'byRank' })),
    ({ sk }) => sk,
  );
};

/** The cards of a customer that pass the filter. */
export const listGiftCards = (store: string, owner: string, filter: GiftCardFilter): Source<GiftCard> =>
  loaded(
    ownersCards(store, owner, filter),
    ({ sk }) => sk,
    async (rows) => {
      const cards = await getMany<GiftCardItem>(rows.map(({ pk, sk }) => ({ pk, sk })));
      // An index may be behind the table.
      return cards.filter(
        ({ active, redeemed }) => active === (filter.active ?? active) && redeemed === (filter.redeemed ?? redeemed),
      );
    },
  );
