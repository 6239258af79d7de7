import type { SaleItem } from './sales.ts';

/** The part of a sale that makes debts: its shares, or its refund. */
type DebtCause = 'shares' | 'refund';

/** The L$ that one part of a sale adds to the store's debt to one avatar. */
export interface Debt {
  saleId: string;
  cause: DebtCause;
  /** UUID of the avatar. */
  payee: string;
  /** Negative if a refund takes shares back. */
  amount: number;
  /** The part of `amount` that is a share of the sale, or takes a share back. */
  shared: number;
  /** The UTC day of the sale. */
  day: string;
  /** When the sale, or its refund, was made. */
  madeAt: string;
}

/** Names a debt in the account of its payee. */
export const markOf = ({ saleId, cause }: Pick<Debt, 'saleId' | 'cause'>): string => `${saleId} ${cause}`;

/** The shares of 1 or more, summed up for each avatar. */
const sharesByPayee = ({ shares }: Pick<SaleItem, 'shares'>): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const { residentUuid, amount } of shares)
    if (amount >= 1) sums.set(residentUuid, (sums.get(residentUuid) ?? 0) + amount);
  return sums;
};

/** The L$ of a refunded sale that are owed to its buyer. */
export const paidOutOf = ({ payOut, refund, change }: SaleItem): number => (payOut ? refund - change : 0);

const shareDebts = (sale: SaleItem): Debt[] =>
  [...sharesByPayee(sale)].map(([payee, amount]) => ({
    saleId: sale.sk,
    cause: 'shares' as const,
    payee,
    amount,
    shared: amount,
    day: sale.at.slice(0, 10),
    madeAt: sale.at,
  }));

const refundDebts = (sale: SaleItem): Debt[] => {
  const taken = sale.countedShares === undefined ? new Map<string, number>() : sharesByPayee(sale);
  const [buyer, back] = [sale.buyerUuid ?? '', paidOutOf(sale)];
  const payees = new Set([...taken.keys(), ...(back > 0 ? [buyer] : [])]);
  return [...payees].map((payee) => {
    const shared = 0 - (taken.get(payee) ?? 0);
    const amount = shared + (payee === buyer ? back : 0);
    const [day, madeAt] = [sale.at.slice(0, 10), sale.refundedAt ?? sale.at];
    return { saleId: sale.sk, cause: 'refund' as const, payee, amount, shared, day, madeAt };
  });
};

/** All that the store owes because of a sale, counted or not. A sale that an import brought has no shares to count. */
export const debtsOf = (sale: SaleItem): Debt[] => [
  ...(sale.countedShares === undefined ? [] : shareDebts(sale)),
  ...(sale.countedRefund === undefined ? [] : refundDebts(sale)),
];

/** The debts that the sale does not note as counted. Some of their payees' accounts may have them already. */
export const uncountedOf = (sale: SaleItem): Debt[] =>
  debtsOf(sale).filter(({ cause }) => (cause === 'shares' ? sale.countedShares : sale.countedRefund) === 0);

/** The note on a sale that its debts are counted: the attributes that change, each with the number of its debts. */
export const countedNote = (sale: SaleItem): Partial<Pick<SaleItem, 'countedShares' | 'countedRefund'>> => {
  const open = uncountedOf(sale);
  const count = (of: DebtCause): number => open.filter(({ cause }) => cause === of).length;
  return {
    ...(count('shares') > 0 && { countedShares: count('shares') }),
    ...(count('refund') > 0 && { countedRefund: count('refund') }),
  };
};

/** The attributes with which a completed sale begins; none if it owes nobody a share. */
export const uncountedShares = (sale: Pick<SaleItem, 'shares'>): Pick<SaleItem, 'countedShares'> =>
  sharesByPayee(sale).size > 0 ? { countedShares: 0 } : {};
