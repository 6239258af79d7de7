/** The credit of one type of one customer, as acknowledged. */
export interface Account {
  /** The last `set`, and what was added and taken since. */
  base: number;
  added: number;
  taken: number;
  /** What is asked for by takes under way. */
  taking: number;
  /** Counts the sets. */
  generation: number;
  /** Each lot has an amount of its own among its customer's: the amount tells it. */
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

/** All that was ever given since the last set. */
export const givenTo = ({ base, added }: Account): number => base + added;

/** The balance, where nothing has expired. */
export const balanceOf = (account: Account): number => givenTo(account) - account.taken;

/**
 * What the customer held at every moment of a take that is over at `at`, if `given` had been given when it began: at
 * least that, less each lot that may have expired, less all that others took or may take.
 */
export const leastHeld = ({ lots, generation, taken, taking }: Account, given: number, at: string): number => {
  let least = given - taken - taking;
  for (const [amount, lot] of lots) if (lot.generation === generation && lot.expiresAt <= at) least -= amount;
  return least;
};
