import { type CreditLot, lotId, lotType } from '../../../lib/credit/lot.ts';
import type { CreditType } from '../../../lib/credit/rules.ts';
import { type CreditItem, holdingOf } from '../../../lib/credit/state.ts';
import { isChangedByStore } from '../../../lib/operator/imports/credit.ts';
import type { Values } from '../kinds/columns.ts';

/**
 * The rows that make a customer's credit here what it is at another service. They are made of what is here
 * already, so that a repeat makes none. No GET tells the lots: a row stands for all of them.
 */

/** The state of a customer in the store before their rows are imported. */
export interface OwnCustomer {
  item: CreditItem | undefined;
  lots: readonly CreditLot[];
}

/** The rows that take credit away: from lots first, those that end first before others, as the service does. */
const loweringRows = (base: Values, id: string, amount: number, lots: readonly CreditLot[], unlotted: number) => {
  let left = amount;
  const rows: Values[] = [];
  for (const lot of lots) {
    const taken = Math.min(left, lot.remaining);
    const remaining = lot.remaining - taken;
    if (taken > 0) {
      const { amount: full, expiresAt } = lot;
      rows.push({
        ...base,
        id: lotId(lot),
        amount: full,
        expiresAt,
        remaining,
        state: remaining > 0 ? 'open' : 'drained',
      });
    }
    left -= taken;
  }
  return left > 0 ? [...rows, { ...base, id, amount: Math.max(0, unlotted - left) }] : rows;
};

/** The rows that bring a customer's credit of one type to `wanted`; none where the store itself has changed it. */
export const creditRows = (
  uuid: string,
  type: CreditType,
  wanted: number,
  { item, lots }: OwnCustomer,
  expiresAt: string | undefined,
): Values[] => {
  const { balance, unlotted } = item ? holdingOf(item, type) : { balance: 0, unlotted: 0 };
  const missing = wanted - balance;
  if (missing === 0 || isChangedByStore(item)) return [];
  const base = { resident: uuid, type };
  const id = `${uuid} ${type}`;
  const open = lots.filter((lot) => lot.state === 'open' && lotType(lot) === type);
  if (missing < 0) return loweringRows(base, id, -missing, open, unlotted);
  return expiresAt === undefined
    ? [{ ...base, id, amount: unlotted + missing }]
    : [{ ...base, id: `${id} ${item?.creditVersion ?? 0}`, amount: missing, expiresAt }];
};
