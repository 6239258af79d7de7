import { isDeepStrictEqual } from 'node:util';
import type { GiftCardItem } from '../../lib/catalogue/gift-cards.ts';
import type { StoredProduct } from '../../lib/catalogue/products.ts';
import { millisOf, timestamp } from '../../lib/clock.ts';
import type { UndoMark } from '../../lib/credit/history.ts';
import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import type { Payee } from '../../lib/payout/payees.ts';
import type { PayoutItem } from '../../lib/payout/payouts.ts';
import type { PayoutState } from '../../lib/routes/payouts.ts';
import type { SaleItem } from '../../lib/sale/sales.ts';
import type { Stamped } from '../../lib/table/stamp.ts';
import { change, expire } from '../../test/support/model/credit.ts';
import { begin, bookLate, count, end } from '../../test/support/model/payouts.ts';
import { avatarOf } from '../../test/support/model/sales.ts';
import { hasBrought } from './brought.ts';
import type { Outcome } from './client.ts';
import { creditLimit } from './environment.ts';
import { forfeitedIn, hasMoved, type Moves, movesOf } from './erased-items.ts';
import type { Commit, Machine } from './machine.ts';
import { isPass, saysWords, type Words, wordsOf } from './words.ts';
import type { State } from './world.ts';

/** An operation of a schedule, and the change that it makes. */

type DebtName = [sale: string, cause: string, payee: string];

/** A change that the service made, read from its items. */
export type Effect =
  | { kind: 'sale' | 'refund'; item: SaleItem; at: string }
  /** The cards that were redeemed at once. */
  | { kind: 'redeem'; item: GiftCardItem; cards: string[]; at: string }
  /** A card that an import changed. */
  | { kind: 'cardImport'; item: GiftCardItem; at: string }
  | { kind: 'import' | 'credit' | 'expire' | 'forfeit'; item: CreditItem; at: string }
  /** A change was undone, even if nothing was left of it. */
  | { kind: 'undo'; mark: UndoMark; at: string }
  /** `giveUp`: nobody has reported it in time. */
  | { kind: 'payout' | 'giveUp'; item: PayoutItem; from: PayoutState | undefined; at: string }
  /**
   * A product has another price, or somebody has typed the same one. It was written at `place`, and is visible to
   * everybody from `shown` on.
   */
  | { kind: 'price'; id: string; price: number; place: number; shown: number; at: string }
  /** The store owes one avatar more, because of debts from these sales. */
  | { kind: 'count'; debts: DebtName[]; amount: number; booked: PayoutItem | undefined; at: string }
  /** The debts from before payouts began are booked as paid. */
  | { kind: 'bookedBefore'; item: PayoutItem; at: string }
  | { kind: 'begun' | 'resumed'; at: string }
  | Words
  /** An erasure has moved a part of what the store has about an avatar. */
  | { kind: 'moves'; moves: Moves; at: string };

/** The changes of items of a kind. */
const changesOf = <T>({ written }: Commit, kind: string) =>
  written
    .filter(({ key }) => key.pk.endsWith(`#${kind}`))
    .map(({ key, before, after }) => ({ id: key.sk, before: before as T | undefined, after: after as T }));

/** The debts that a commit counts in an account, with the part that it books as paid at once. */
const countEffectOf = (commit: Commit): Effect | undefined => {
  const [booked] = changesOf<PayoutItem>(commit, 'PAYOUT').map(({ after }) => after);
  for (const { id, before, after } of changesOf<Payee | undefined>(commit, 'PAYEE')) {
    const marks = (after?.counting ?? []).filter((mark) => !before?.counting?.includes(mark));
    const debts = marks.map((mark) => [...mark.split(' '), id] as DebtName);
    const amount = (after?.owed ?? 0) - (before?.owed ?? 0) + (booked?.amount ?? 0);
    if (debts.length > 0 || (!booked && amount !== 0)) return { kind: 'count', debts, amount, booked, at: '' };
  }
  return undefined;
};

/** The change of a payout, of an account's debts, or of the store's payouts. */
const payoutEffectOf = (commit: Commit): Effect | undefined => {
  const counted = countEffectOf(commit);
  if (counted) return counted;
  for (const { before, after: item } of changesOf<PayoutItem>(commit, 'PAYOUT')) {
    const from = before?.state;
    if (item.state === from) continue;
    if (from === undefined && item.reference === 'begin') return { kind: 'bookedBefore', item, at: '' };
    const isGivenUp = from === 'claimed' && item.state === 'unknown' && item.reported === undefined;
    // A report has the same time as the change of its payee.
    const at = item.endedAt ?? item.createdAt;
    return { kind: isGivenUp ? 'giveUp' : 'payout', item, from, at };
  }
  const isBegun = commit.written.some(({ before, after }) => !before?.payoutsBegunAt && after?.payoutsBegunAt);
  if (isBegun) return { kind: 'begun', at: '' };
  const isResumed = commit.written.some(({ before, after }) => before?.payoutsStoppedAt && !after?.payoutsStoppedAt);
  return isResumed ? { kind: 'resumed', at: '' } : undefined;
};

/** The mark of the undo that a commit made. A row that is new has moved, with its mark. */
const undoIn = ({ written }: Commit): UndoMark | undefined => {
  for (const { key, before, after } of written)
    if (key.pk.includes('#HISTORY#') && after?.undone && before && !before.undone) return after.undone as UndoMark;
  return undefined;
};

/** The part of an erasure that a commit made. */
const erasureEffectOf = (commit: Commit): Effect | undefined => {
  const [moves, item] = [movesOf(commit), forfeitedIn(commit)];
  if (moves) return { kind: 'moves', moves, at: '' };
  return item && { kind: 'forfeit', item, at: lastChangeOf(item)?.at ?? '' };
};

/** The change of credit, cards, sales or payouts that a commit made; undefined for a commit with other writes only. */
export const effectOf = (commit: Commit): Effect | undefined => {
  const erasure = erasureEffectOf(commit);
  if (erasure) return erasure;
  const words = wordsOf(commit);
  if (words) return words;
  const mark = undoIn(commit);
  if (mark) return { kind: 'undo', mark, at: mark.at };
  for (const { before, after: item } of changesOf<SaleItem>(commit, 'SALE')) {
    if (!before) return { kind: 'sale', item, at: item.at };
    if (item.state === 'refunded' && before.state !== 'refunded')
      return { kind: 'refund', item, at: item.refundedAt ?? '' };
  }
  for (const { id, before, after } of changesOf<StoredProduct & Stamped>(commit, 'PRODUCT'))
    if (before?.stamp !== after.stamp && !after.limited && !saysWords(commit))
      return { kind: 'price', id, price: after.price, place: commit.at, shown: commit.shown, at: '' };
  const redeemed = changesOf<GiftCardItem>(commit, 'GIFTCARD').filter(
    ({ before, after }) => after.redeemedAt !== before?.redeemedAt,
  );
  if (redeemed[0]) {
    const { after: item } = redeemed[0];
    return { kind: 'redeem', item, cards: redeemed.map(({ id }) => id), at: item.redeemedAt ?? '' };
  }
  for (const { before, after } of changesOf<GiftCardItem & Stamped>(commit, 'GIFTCARD'))
    if (before && !isDeepStrictEqual(before.told, after.told))
      return { kind: 'cardImport', item: after, at: timestamp(millisOf(after.stamp ?? '')) };
  const item = changesOf<CreditItem>(commit, 'CUSTOMER').findLast(
    ({ before, after }) => after.creditVersion !== before?.creditVersion,
  )?.after;
  if (!item) return payoutEffectOf(commit);
  const { kind, at } = lastChangeOf(item) ?? { kind: 'set', at: '' };
  return { kind: kind === 'expire' || kind === 'import' ? kind : 'credit', item, at };
};

/** The facts about an operation at the end. */
export interface Seen {
  outcome: Outcome;
  /** The body of its answer, if it was done. */
  answer: unknown;
  /** The only change that it made, if any. */
  effect: Effect | undefined;
  /** When it took effect. Without an effect: when the service began the answered request. */
  at: number;
  /** Its place in the schedule when it began. */
  start: number;
}

export interface Operation {
  name: string;
  text: string;
  run: () => Promise<Outcome>;
  /** Continues at the end, when nothing else happens, with what a person repeats until it is done. */
  finish?: () => Promise<void>;
  /** Does the same to the model. False if the model does something else than was seen. */
  judge?: (model: State, seen: Seen) => boolean;
  /** Looks at the model at the end. False if something is wrong. */
  atEnd?: (model: State) => boolean;
}

const isExpired = (model: State, item: CreditItem): boolean => {
  const { types = [], at = '' } = lastChangeOf(item) ?? {};
  const [part] = types;
  if (!part || types.length !== 1) return false;
  model.touched[item.sk] = true;
  return expire(avatarOf(model, item.sk).credit[part.type], Date.parse(at)).amount === (part.expired ?? 0);
};

const isBooked = ({ payouts }: State, { sk, residentUuid: payee, amount, state }: PayoutItem): boolean =>
  state === 'paid' && begin(payouts, sk, { payee, amount, state });

const isForfeited = (model: State, item: CreditItem): boolean => {
  const { types = [], at = '' } = lastChangeOf(item) ?? {};
  const [part] = types;
  if (!part || types.length !== 1) return false;
  model.touched[item.sk] = true;
  const holder = avatarOf(model, item.sk).credit[part.type];
  return change(holder, { kind: 'set', credit: 0 }, Date.parse(at), creditLimit);
};

/**
 * Judges a change that belongs to no operation by doing the same to the model: expiry by a sweep or before another
 * change, debts that are counted, claims that are given up, and everything that an erasure or a pass does.
 */
export const judgeOf = (effect: Effect, { passes, time }: Machine): ((model: State) => boolean) | undefined => {
  switch (effect.kind) {
    case 'words':
      return isPass(effect) ? (model) => hasBrought(model, effect, passes.get(effect.by), time) : undefined;
    case 'expire':
      return (model) => isExpired(model, effect.item);
    case 'giveUp':
      return ({ payouts }) => end(payouts, effect.item.sk, 'unknown', 'time', 0);
    case 'forfeit':
      return (model) => isForfeited(model, effect.item);
    case 'moves':
      return (model) => hasMoved(model, effect.moves);
    case 'begun':
      return (model) => {
        model.isBegun = true;
        return true;
      };
    case 'resumed':
      return (model) => {
        model.isStopped = false;
        return true;
      };
    case 'bookedBefore':
      return (model) => !model.isBegun && isBooked(model, effect.item);
    case 'count':
      return (model) => {
        const { payouts, sales } = model;
        const counted = effect.debts.map((debt) => {
          const sale = sales[debt[0]];
          return sale && count(payouts, sale, debt);
        });
        const sum = counted.reduce((all = 0, part = 0) => all + part, 0);
        if (counted.includes(undefined) || sum !== effect.amount) return false;
        if (effect.booked === undefined) return true;
        const { sk, residentUuid: payee, amount, state } = effect.booked;
        return model.isBegun && bookLate(payouts, sk, { payee, amount, state });
      };
  }
  return undefined;
};
