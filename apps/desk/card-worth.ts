import type { GiftCardResponse } from '../client/client.ts';
import { money } from './format.ts';
import { useLoad } from './parts/load.tsx';
import { type Session, useSession } from './session.ts';

/**
 * Finds the L$ that a gift card holds, or held until it was redeemed. A redeemed card has no credit left, but the
 * history of the avatar who redeemed it has a row with the card's id.
 */

type Card = Pick<GiftCardResponse, 'id' | 'ownerUuid' | 'credit' | 'redeemed'>;

const isSpent = ({ redeemed, credit }: Card): boolean => redeemed && credit === 0;

/** The L$ of cards that this tab has redeemed: history has their rows a moment later. */
const redeemedHere = new Map<string, number>();

/** Notes a card that is being redeemed. */
export const noteRedeemed = ({ id, credit }: Card): void => {
  redeemedHere.set(id, credit);
};

/** At most this many changes of credit are read to find cards. */
const maxRows = 3000;

/**
 * The L$ of cards that their owner has redeemed one by one, by id. It reads until it has found these cards. Cards that
 * somebody else has redeemed, or several at once, are not found.
 */
const readWorths = async (
  { client }: Session,
  owner: string,
  cards: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Map<string, number>> => {
  const worths = new Map<string, number>();
  let left = cards.size;
  const path = { identifier: owner };
  let read = 0;
  for await (const { giftCardId, kind, amount } of client.rows('/v1/customers/{identifier}/credit/history', {
    path,
    query: { type: 'regular', limit: 1000 },
    signal,
  })) {
    if (kind === 'redeem' && giftCardId !== null) {
      worths.set(giftCardId, amount);
      if (cards.has(giftCardId)) left -= 1;
    }
    read += 1;
    if (left === 0 || read === maxRows) break;
  }
  return worths;
};

/** Answers the L$ that a card holds, or held until it was redeemed; null if that is not known. */
export const useWorth = (cards: readonly Card[]): ((card: Card) => number | null) => {
  const session = useSession();
  const spent = cards.filter(isSpent);
  const loaded = useLoad(
    async (signal) => {
      const all = new Map<string, number>();
      if (!session.can('credits:read')) return all;
      for (const [owner, own = []] of Object.entries(Object.groupBy(spent, ({ ownerUuid }) => ownerUuid)))
        for (const [id, worth] of await readWorths(session, owner, new Set(own.map((card) => card.id)), signal))
          all.set(id, worth);
      return all;
    },
    [spent.map(({ id }) => id).join()],
  );
  return (card) => (isSpent(card) ? (redeemedHere.get(card.id) ?? loaded.value?.get(card.id) ?? null) : card.credit);
};

/** A card's worth in words. */
export const shownWorth = (worth: number | null): string => (worth === null ? '–' : money(worth));
