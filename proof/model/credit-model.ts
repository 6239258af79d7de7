/**
 * A second implementation of the credit rules, written from the specification alone, without indexes and without regard
 * for speed. The model test compares the service with it.
 */
interface ModelLot {
  expiresAt: number;
  /** Creation order. */
  number: number;
  remaining: number;
}

export interface ModelCustomer {
  unlotted: number;
  lots: ModelLot[];
}

let created = 0;

export const emptyCustomer = (): ModelCustomer => ({ unlotted: 0, lots: [] });

export const balanceOf = ({ unlotted, lots }: ModelCustomer): number =>
  lots.reduce((sum, { remaining }) => sum + remaining, unlotted);

/** Expires the due lots. Returns their number and sum. */
export const expire = (customer: ModelCustomer, now: number): { lots: number; amount: number } => {
  const due = customer.lots.filter(({ expiresAt }) => expiresAt <= now);
  customer.lots = customer.lots.filter(({ expiresAt }) => expiresAt > now);
  return { lots: due.length, amount: due.reduce((sum, { remaining }) => sum + remaining, 0) };
};

/** Returns false, and changes nothing, if the rules refuse the command. */
export const set = (
  customer: ModelCustomer,
  credit: number,
  expiresAt: number | undefined,
  now: number,
  limit: number,
): boolean => {
  if (credit > limit || (expiresAt !== undefined && expiresAt <= now)) return false;
  customer.lots = [];
  customer.unlotted = 0;
  if (expiresAt === undefined) customer.unlotted = credit;
  else if (credit > 0) customer.lots.push({ expiresAt, number: created++, remaining: credit });
  return true;
};

/** Returns false, and changes nothing, if the rules refuse the command. */
export const increment = (
  customer: ModelCustomer,
  delta: number,
  expiresAt: number | undefined,
  now: number,
  limit: number,
): boolean => {
  const live = customer.lots.filter((lot) => lot.expiresAt > now);
  const held = balanceOf({ unlotted: customer.unlotted, lots: live });
  if (expiresAt !== undefined && (expiresAt <= now || delta < 0)) return false;
  // The limit bounds additions: a refund may have taken the balance above it.
  if ((delta > 0 && held + delta > limit) || held + delta < 0) return false;
  customer.lots = live;
  if (delta > 0 && expiresAt !== undefined) live.push({ expiresAt, number: created++, remaining: delta });
  else if (delta > 0) customer.unlotted += delta;
  else {
    let rest = -delta;
    live.sort((a, b) => a.expiresAt - b.expiresAt || a.number - b.number);
    for (const lot of live) {
      const taken = Math.min(rest, lot.remaining);
      lot.remaining -= taken;
      rest -= taken;
    }
    customer.lots = live.filter(({ remaining }) => remaining > 0);
    customer.unlotted -= rest;
  }
  return true;
};
