import { now, timestamp } from '../clock.ts';
import { invalid, notFound } from '../problem.ts';
import type { ChangeReport, Sale } from '../routes/sales.ts';
import { saleKey } from '../table/keys.ts';
import { all, atLeast, missing, update } from '../table/language.ts';
import { write } from '../table/table.ts';
import { type SaleItem, saleOf } from './sales.ts';

/**
 * Notes how the change of a sale was given back, in L$. The change of a refused sale is all that was paid. The first
 * report counts; any later one is answered with the sale as it is. So an object whose memory was reset learns that it
 * has paid. Throws 404 for an unknown sale, and 400 if the sale has no change, or less than `amount`.
 */
export const reportChange = async (
  store: string,
  id: string,
  { transactionId, amount }: ChangeReport,
  isScript = false,
): Promise<Sale> => {
  const set = { changePaid: { transactionId, amount, at: timestamp(now()) } };
  // If the sale is not there, it has no change.
  const when = all(missing('changePaid'), atLeast('change', amount));
  const outcome = await write<SaleItem, Sale>(update(saleKey(store, id), { set, when }), {
    answer: (sale) => saleOf(sale, isScript),
  });
  if (outcome.done) return outcome.result;
  const { found } = outcome;
  if (!found) throw notFound();
  if (found.changePaid) return saleOf(found, isScript);
  throw invalid(
    found.change === 0
      ? 'The sale has no change: nothing is to be given back.'
      : `amount must be at most the change of the sale: L$ ${found.change}.`,
  );
};
