import { randomUUID } from 'node:crypto';

/** The grid's own book of L$: how many each avatar has, and each transfer with its id. */

/** Why L$ moved: an avatar paid an object, a script gave L$ back or paid a debt, or the merchant did so by hand. */
type Reason = 'payment' | 'back' | 'payout' | 'refund' | 'unheard' | 'by hand' | 'spent' | 'earned';

export interface Transfer {
  id: string;
  at: number;
  reason: Reason;
  from: string;
  to: string;
  amount: number;
  /** The object that took or gave the L$, or the sale that the merchant refunded. */
  of: string;
}

/** The sum of the numbers under each name. */
export const sumsOf = (numbers: Iterable<readonly [name: string, number: number]>): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const [name, number] of numbers) sums.set(name, (sums.get(name) ?? 0) + number);
  return sums;
};

export const createBook = (now: () => number) => {
  const balances = new Map<string, number>();
  const transfers: Transfer[] = [];
  const balanceOf = (avatar: string): number => balances.get(avatar) ?? 0;
  return {
    transfers,
    balanceOf,
    /** Gives an avatar the L$ with which the day begins. */
    open: (avatar: string, amount: number): void => void balances.set(avatar, amount),
    /** Undefined if the avatar does not have enough. */
    move: (transfer: Omit<Transfer, 'id' | 'at'>, id: string = randomUUID()): Transfer | undefined => {
      const { from, to, amount } = transfer;
      if (!Number.isInteger(amount) || amount <= 0 || balanceOf(from) < amount) return undefined;
      balances.set(from, balanceOf(from) - amount);
      balances.set(to, balanceOf(to) + amount);
      const made = { ...transfer, id, at: now() };
      transfers.push(made);
      return made;
    },
  };
};

export type Book = ReturnType<typeof createBook>;
