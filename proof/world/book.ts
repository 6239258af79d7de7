import { randomUUID } from 'node:crypto';

/** The grid's own book of L$: who has how many, and each transfer with its id. */

/**
 * Why L$ moved: an avatar paid an object, a script gave L$ back or paid what is owed, or the merchant did so by hand.
 */
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

export const createBook = (now: () => number) => {
  const balances = new Map<string, number>();
  const transfers: Transfer[] = [];
  const opened = new Map<string, number>();
  const balanceOf = (avatar: string): number => balances.get(avatar) ?? 0;
  return {
    transfers,
    balanceOf,
    /** Gives an avatar the L$ with which the day begins. */
    open: (avatar: string, amount: number): void => {
      balances.set(avatar, amount);
      opened.set(avatar, amount);
    },
    /** Undefined if the avatar has not so much. */
    move: (transfer: Omit<Transfer, 'id' | 'at'>, id: string = randomUUID()): Transfer | undefined => {
      const { from, to, amount } = transfer;
      if (!Number.isInteger(amount) || amount <= 0 || balanceOf(from) < amount) return undefined;
      balances.set(from, balanceOf(from) - amount);
      balances.set(to, balanceOf(to) + amount);
      const made = { ...transfer, id, at: now() };
      transfers.push(made);
      return made;
    },
    /** Balances that are not the opening ones with all transfers, and L$ that were made or lost. */
    faults: (): string[] => {
      const expected = new Map(opened);
      for (const { from, to, amount } of transfers) {
        expected.set(from, (expected.get(from) ?? 0) - amount);
        expected.set(to, (expected.get(to) ?? 0) + amount);
      }
      return [...new Set([...expected.keys(), ...balances.keys()])]
        .filter((avatar) => balanceOf(avatar) !== (expected.get(avatar) ?? 0) || balanceOf(avatar) < 0)
        .map((avatar) => `${avatar} has L$ ${balanceOf(avatar)}, but the transfers make ${expected.get(avatar) ?? 0}`);
    },
  };
};

export type Book = ReturnType<typeof createBook>;
