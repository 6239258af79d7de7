import type { PayoutState } from '../../../lib/routes/payouts.ts';
import type { ModelSale } from './sales.ts';

/** A second implementation of what a store owes and pays, written from the rules alone. */

interface ModelPayee {
  owed: number;
  claimed: number;
  unknown: number;
  paid: number;
  /** When a report last said that a payout failed. */
  failedAt?: number;
}

interface ModelPayout {
  payee: string;
  amount: number;
  state: PayoutState;
}

export interface PayoutModel {
  /** By UUID. */
  payees: Record<string, ModelPayee>;
  payouts: Record<string, ModelPayout>;
  /** The debts that are counted: `<sale> <shares or refund> <payee>`. */
  counted: Record<string, true>;
  /** Avatars who were erased have accounts under pseudonyms, which nobody claims. */
  pseudonyms: Record<string, true>;
}

export const noPayouts = (): PayoutModel => ({ payees: {}, payouts: {}, counted: {}, pseudonyms: {} });

export const payeeOf = (model: PayoutModel, uuid: string): ModelPayee => {
  model.payees[uuid] ??= { owed: 0, claimed: 0, unknown: 0, paid: 0 };
  return model.payees[uuid];
};

/** The L$ that a part of a sale makes the store owe an avatar; below 0 if its refund takes a share back. */
const debtOf = ({ state, shares, asked, payOut, refund, change }: ModelSale, cause: string, payee: string) => {
  if (state === 'refused' || (cause === 'refund' && state !== 'refunded')) return undefined;
  const ofShares = shares.reduce((sum, one) => (one.residentUuid === payee ? sum + one.amount : sum), 0);
  if (cause === 'shares') return ofShares === 0 ? undefined : ofShares;
  const back = payOut && asked.buyer === payee ? refund - change : 0;
  return ofShares === 0 && back === 0 ? undefined : back - ofShares;
};

/** Counts a debt, once. Answers the debt; undefined if there is none, or if it is counted already. */
export const count = (model: PayoutModel, sale: ModelSale, [id, cause, payee]: [string, string, string]) => {
  const name = `${id} ${cause} ${payee}`;
  const debt = debtOf(sale, cause, payee);
  if (debt === undefined || model.counted[name]) return undefined;
  model.counted[name] = true;
  payeeOf(model, payee).owed += debt;
  return debt;
};

const hourMillis = 3_600_000;

/** Tells if a claim may take something for an avatar. */
export const isClaimable = (model: PayoutModel, uuid: string, now: number): boolean => {
  const { owed, failedAt = Number.NEGATIVE_INFINITY } = payeeOf(model, uuid);
  return owed >= 1 && !model.pseudonyms[uuid] && now >= failedAt + hourMillis;
};

/** Makes a payout, claimed or paid by hand, of what is owed. */
export const begin = (model: PayoutModel, id: string, payout: ModelPayout & { state: 'claimed' | 'paid' }): boolean => {
  const payee = payeeOf(model, payout.payee);
  if (model.payouts[id] || payout.amount < 1 || payout.amount > payee.owed) return false;
  payee.owed -= payout.amount;
  payee[payout.state] += payout.amount;
  model.payouts[id] = payout;
  return true;
};

/**
 * Books as paid what was owed from before payouts began, and is counted later: the merchant has paid it by hand. A
 * refund since may have taken more from what is owed.
 */
export const bookLate = (model: PayoutModel, id: string, { payee: uuid, amount }: ModelPayout): boolean => {
  const payee = payeeOf(model, uuid);
  if (model.payouts[id] || amount < 1) return false;
  payee.owed -= amount;
  payee.paid += amount;
  model.payouts[id] = { payee: uuid, amount, state: 'paid' };
  return true;
};

const placeOf = { claimed: 'claimed', unknown: 'unknown', paid: 'paid', failed: 'owed' } as const;

/** Who says that a payout is in a state: its cashier, a person, or a claim's ten minutes. */
type Word = 'report' | 'settlement' | 'time';

const mayEnd = (from: PayoutState, to: PayoutState, word: Word): boolean => {
  if (from === to) return false;
  if (word === 'time') return from === 'claimed';
  if (word === 'settlement') return from !== 'claimed';
  // A report changes no end, except that a failed payout was paid after all.
  return from === 'claimed' || from === 'unknown' || (from === 'failed' && to === 'paid');
};

/** Moves a payout to a state. Answers whether the rules allow that. */
export const end = (model: PayoutModel, id: string, to: PayoutState, word: Word, now: number): boolean => {
  const payout = model.payouts[id];
  if (!payout || to === 'claimed' || !mayEnd(payout.state, to, word)) return false;
  const payee = payeeOf(model, payout.payee);
  payee[placeOf[payout.state]] -= payout.amount;
  payee[placeOf[to]] += payout.amount;
  payout.state = to;
  if (word === 'report' && to === 'failed') payee.failedAt = now;
  return true;
};

/** Puts an avatar's account, and all payouts from it, under a pseudonym. */
export const erase = (model: PayoutModel, uuid: string, pseudonym: string): void => {
  const account = payeeOf(model, uuid);
  delete model.payees[uuid];
  const there = payeeOf(model, pseudonym);
  for (const name of ['owed', 'claimed', 'unknown', 'paid'] as const) there[name] += account[name];
  model.pseudonyms[pseudonym] = true;
  for (const payout of Object.values(model.payouts)) if (payout.payee === uuid) payout.payee = pseudonym;
  for (const name of Object.keys(model.counted)) {
    if (!name.endsWith(` ${uuid}`)) continue;
    delete model.counted[name];
    model.counted[name.replace(uuid, pseudonym)] = true;
  }
};
