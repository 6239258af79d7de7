import type { OwnChangeResponse } from '../client/types.ts';
import type { Speech } from './language.ts';
import type { Words } from './words/en.ts';

/** Tells changes of credit in words. */

/** Puts the product of a change into its words. */
const ofSale = (t: Words['history'], { product }: OwnChangeResponse, words: (product: string) => string): string =>
  words(product?.name ?? t.gone);

const titles: Record<OwnChangeResponse['kind'], (t: Words['history'], change: OwnChangeResponse) => string> = {
  sale: (t, change) => ofSale(t, change, t.bought),
  refund: (t, change) => ofSale(t, change, t.refund),
  bonus: (t, change) => ofSale(t, change, change.amount < 0 ? t.bonusBack : t.bonus),
  set: (t) => t.set,
  increment: (t, { amount }) => (amount < 0 ? t.taken : t.given),
  expire: (t) => t.expired,
  redeem: (t) => t.redeemed,
  undo: (t) => t.undone,
  import: (t) => t.brought,
  opening: (t) => t.opening,
  unrecorded: (t) => t.unrecorded,
};

export interface Told {
  title: string;
  note: string;
  /** L$ by which the balance changed. */
  sum: number;
}

/** Tells a change: what it was, when, until when what came with it lasts, and by how much. */
export const tellChange = (change: OwnChangeResponse, { t, day, end, money }: Speech): Told => {
  const words = t.history;
  const { kind, at, type, amount, expired, lots } = change;
  const added = lots.filter((lot) => lot.amount > 0);
  const lasts = added.length === 1 ? added[0]?.expiresAt : null;
  const isEnd = kind === 'expire';
  const notes = [
    day(at),
    lasts ? t.lots.until(end(lasts)) : '',
    type === 'restricted' ? t.lots.restricted : '',
    expired > 0 && !isEnd ? words.alsoEnded(money(expired)) : '',
  ];
  return {
    title: titles[kind](words, change),
    note: notes.filter(Boolean).join(' · '),
    sum: isEnd ? amount - expired : amount,
  };
};
