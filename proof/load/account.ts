/** The credit of one type of one customer, as acknowledged. */
export interface Account {
  /** The balance of the last `set`; `added` and `taken` count from there. */
  base: number;
  added: number;
  taken: number;
  /** The sum of the takes under way. */
  taking: number;
  /** Counts the sets. */
  generation: number;
  /** By amount. No two lots of a customer have the same amount, so the amount identifies the lot. */
  lots: Map<number, { generation: number; expiresAt: string }>;
  lastAmount: number;
}

export const newAccount = (): Account => ({
  base: 0,
  added: 0,
  taken: 0,
  taking: 0,
  generation: 0,
  lots: new Map(),
  lastAmount: 0,
});

/** The credit given since the last set, and by it. */
export const givenTo = ({ base, added }: Account): number => base + added;

/** The balance if nothing has expired. */
export const balanceOf = (account: Account): number => givenTo(account) - account.taken;

/**
 * A lower bound of the customer's balance during a take that ends at `at`. `given` is the credit given before the take
 * began. The bound leaves out each lot that may have expired, and all that others have taken or may take.
 */
export const leastHeld = ({ lots, generation, taken, taking }: Account, given: number, at: string): number => {
  let least = given - taken - taking;
  for (const [amount, lot] of lots) if (lot.generation === generation && lot.expiresAt <= at) least -= amount;
  return least;
};
