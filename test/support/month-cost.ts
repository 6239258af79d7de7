import { costOf, wholeBudgets } from './budgets-whole.ts';

/** The costs of a month for three shops, by the prices and the counted units of docs/operate/costs.md. */

export interface Shop {
  sales: number;
  vendors: number;
  /** Lists of 100 rows that people open at the desk. */
  pages: number;
}

/** Each by the day. */
export const shops: readonly Shop[] = [
  { sales: 10, vendors: 5, pages: 50 },
  { sales: 300, vendors: 40, pages: 200 },
  { sales: 5000, vendors: 300, pages: 1000 },
];

const days = 30;
/** Dollars a million: a function of 512 MB starts, the authorizer runs, a list of 100 rows answers. */
const [start, authorizer, page] = [2, 0.86, 20.49];
const gigabyteMonth = 0.25 + 0.2;

const costOfRow = (row: string): number => {
  const found = wholeBudgets.find((one) => one.row === row);
  if (!found) throw new Error(`There is no row ${row}.`);
  return costOf(found).sum;
};

/** The cost of a call if nothing has called its functions for some minutes: each of them starts. */
const cold = (dollars: number, functions: number): number => dollars + authorizer + functions * start;

/** The rows of a month, in dollars. `kilobytes` is what stays of a sale. */
export const monthOf = ({ sales, vendors, pages }: Shop, idle: number, kilobytes: number) => {
  const aMonth = (perDay: number, perMillion: number): number => (perDay * days * perMillion) / 1e6;
  const quote = cold(costOfRow('a quote'), 2);
  const sale = cold(costOfRow('a sale in L$ by a vendor'), 4);
  const rows = {
    'an idle month': idle,
    'sales, each with a quote and a delivery': aMonth(sales, quote + sale),
    // If nothing has changed, a registration costs the table one unit, and so does a quote at least.
    'vendors, which register once a day': aMonth(vendors, cold(costOfRow('a quote'), 2)),
    'the desk': aMonth(pages, cold(page, 2)),
    'the sales of a year, kept': ((sales * 365 * kilobytes) / 1024 ** 2) * gigabyteMonth,
  };
  const sum = Object.values(rows).reduce((total, one) => total + one, 0);
  return { ...rows, '**Sum**': sum, '**Sum with the firewall**': sum + 8 + aMonth(2 * sales + vendors + pages, 0.6) };
};
