import type { Session } from '../session.ts';
import { planWords } from '../words/plan.ts';
import { type CategoryRow, planCategories, readKnownCategories, writeCategory } from './categories.ts';
import { type GiftRow, type Giving, planCredit, readHolders, writeGift } from './credit.ts';
import type { ImportKind } from './kinds.ts';
import type { PlannedRow } from './plan.ts';
import { type ProductRow, planProducts, readStore, writeProduct } from './products.ts';
import type { ImportColumns, ImportRow } from './rows.ts';

/** The plan of a file, and how each row is written. */
export interface Plan {
  rows: readonly PlannedRow[];
  /** Answers a sentence if it wrote nothing. */
  write: (row: PlannedRow) => Promise<string | undefined>;
  /** The plan that also sets the copies of limited products, if this one leaves some. */
  withCopies?: Plan;
}

interface Asked {
  session: Session;
  columns: ImportColumns;
  rows: readonly ImportRow[];
  giving: Giving;
  onDone: (done: number, all: number) => void;
}

/** Reads what a file is about, and says what each of its rows would do, or why it cannot say that. */
const plans: Record<ImportKind, (asked: Asked) => Promise<Plan | string>> = {
  products: async ({ session, columns, rows, onDone }) => {
    const store = await readStore(session, rows, (done) => onDone(done, 0));
    if (!store) return planWords.tooLarge;
    const made = new Map<number, string>();
    const planWith = (setsCopies: boolean): Plan => ({
      rows: planProducts(rows, columns.products, store, setsCopies),
      write: (row) => writeProduct(session, row as ProductRow, columns.products, made),
    });
    const plan = planWith(false);
    return plan.rows.some(({ kept }) => kept) ? { ...plan, withCopies: planWith(true) } : plan;
  },
  categories: async ({ session, rows }) => ({
    rows: planCategories(rows, await readKnownCategories(session, rows)),
    write: (row) => writeCategory(session, row as CategoryRow),
  }),
  credit: async ({ session, rows, giving, onDone }) => {
    const holders = await readHolders(session, rows, giving.reference, onDone);
    return {
      rows: planCredit(rows, holders, Date.now()),
      write: (row) => writeGift(session, row as GiftRow, giving),
    };
  },
};

export const planImport = (kind: ImportKind, asked: Asked): Promise<Plan | string> => plans[kind](asked);
