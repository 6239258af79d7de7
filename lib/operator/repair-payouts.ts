import { everyRow } from '../lists/source.ts';
import { countDebts, findUncounted } from '../payout/count.ts';
import { uncountedOf } from '../sale/debts.ts';
import { listSales, type SaleItem } from '../sale/sales.ts';

/** Counts what sales make a store owe, where the stream has lost the record that would have had it counted. */

/** A sale whose debts are not counted. */
export interface UncountedSale {
  saleId: string;
  /** When it was sold or refunded last. */
  at: string;
  payees: number;
  /** By how much it will raise what is owed in all, in L$. */
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

/** The sales of a store whose debts the notes on them do not call counted. Reads all sales. */
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

/** Counts the debts of these sales, each once, also beside the service and after a repair that was interrupted. */
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
