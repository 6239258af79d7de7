import { everyRow } from '../lists/source.ts';
import { countDebts, findUncounted } from '../payout/count.ts';
import { uncountedOf } from '../sale/debts.ts';
import { listSales, type SaleItem } from '../sale/sales.ts';

/** Counts the debts of sales whose records the stream has lost. */

/** A sale whose debts are not counted. */
export interface UncountedSale {
  saleId: string;
  /** When it was sold or, if later, refunded. */
  at: string;
  payees: number;
  /** The L$ by which it will raise the sum of what is owed. */
  amount: number;
}

const described = (sale: SaleItem): UncountedSale => {
  const debts = uncountedOf(sale);
  return {
    saleId: sale.sk,
    at: sale.refundedAt ?? sale.at,
    payees: new Set(debts.map(({ payee }) => payee)).size,
    amount: debts.reduce((sum, { amount }) => sum + amount, 0),
  };
};

/** The sales of a store that do not note all their debts as counted. Reads all sales. */
export const findUncountedSales = async (
  store: string,
  onChecked: (count: number) => void,
): Promise<UncountedSale[]> => {
  const open: string[] = [];
  let count = 0;
  for await (const sale of everyRow(listSales(store), ({ sk }) => sk)) {
    if (uncountedOf(sale).length > 0) open.push(sale.sk);
    onChecked(++count);
  }
  // The list may be a moment old.
  return (await findUncounted(store, open)).map(described);
};

const countedTogether = 25;

/** Counts the debts of these sales, each once, also while the service counts and after an interrupted repair. */
export const countSales = async (
  store: string,
  sales: readonly UncountedSale[],
  onCounted: (count: number) => void,
): Promise<void> => {
  for (let done = 0; done < sales.length; done += countedTogether) {
    await countDebts(
      store,
      sales.slice(done, done + countedTogether).map(({ saleId: sk }) => ({ sk })),
    );
    onCounted(Math.min(done + countedTogether, sales.length));
  }
};
