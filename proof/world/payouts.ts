import { listPayouts, settlePayout } from '../../lib/routes/payouts.ts';
import { send, walk } from '../workload/client.ts';
import type { StoreBooks } from './accounts.ts';
import { sumsOf, type Transfer } from './book.ts';
import type { Grid } from './grid.ts';
import type { Body, Mall } from './mall.ts';

/** Compares what a store says it owed and paid with the L$ that its cashiers gave away. */

type PayoutBooks = Pick<StoreBooks, 'sales' | 'payouts' | 'payees' | 'cashiers'>;

/** The debts that sales and refunds have made. */
const debtsOf = (sales: PayoutBooks['sales']): [payee: string, amount: number][] =>
  sales.flatMap(({ state, shares, payOut, buyerUuid, refund, change }) => {
    if (state === 'completed') return shares.map((share: Body) => [share.residentUuid, share.amount]);
    return state === 'refunded' && payOut ? [[buyerUuid, refund - change]] : [];
  });

/** Payees whose sums differ from what sales and refunds have made the store owe them. */
export const findMiscounts = ({ sales, payees }: Pick<PayoutBooks, 'sales' | 'payees'>): string[] => {
  const counted = payees.map((one) => [one.residentUuid, one.owed + one.claimed + one.unknown + one.paid] as const);
  const debts = debtsOf(sales).map(([payee, amount]) => [payee, -amount] as const);
  return [...sumsOf([...counted, ...debts])]
    .filter(([, amount]) => amount !== 0)
    .map(([payee, amount]) => `${payee} is counted L$ ${amount} too many`);
};

const oursOf = ({ cashiers }: Pick<PayoutBooks, 'cashiers'>, transfers: readonly Transfer[]): Transfer[] =>
  transfers.filter(({ reason, of }) => reason === 'payout' && cashiers.has(of));

const isPaidBy = ({ residentUuid, amount }: Body, transfer: Transfer): boolean =>
  transfer.to === residentUuid && transfer.amount === amount;

/** Follows each L$ that the cashiers of a store gave away. `unexplained` is a sum of L$. */
export const comparePayouts = (books: PayoutBooks, transfers: readonly Transfer[]) => {
  const left = new Map(oursOf(books, transfers).map((one) => [one.id, one]));
  const faults = findMiscounts(books);
  let unexplained = 0;
  for (const payout of books.payouts) {
    const { id, state, amount, residentUuid, transactionId } = payout;
    const text = `payout ${id} of L$ ${amount} to ${residentUuid}`;
    if (state === 'claimed' || state === 'unknown') faults.push(`${text} is still ${state}`);
    if (state !== 'paid') continue;
    const transfer = left.get(transactionId);
    if (transfer && isPaidBy(payout, transfer)) left.delete(transactionId);
    else {
      unexplained += amount;
      faults.push(`${text} is said to be paid by ${JSON.stringify(transfer) ?? 'a transfer that is not there'}`);
    }
  }
  for (const transfer of left.values()) {
    const isTwice = books.payouts.some((payout) => payout.state === 'paid' && isPaidBy(payout, transfer));
    unexplained += transfer.amount;
    faults.push(`given ${isTwice ? 'twice' : 'for no payout'}: ${JSON.stringify(transfer)}`);
  }
  return { faults, unexplained };
};

/** A transfer may have begun this long after its claim, as `store reconcile` assumes. */
const spanMillis = 15 * 60_000;

/**
 * In the evening the merchant looks in the account's transactions for each unknown payout, and settles it. Answers the
 * payouts that no cashier had a reason to call unknown.
 */
export const settleUnknown = async (mall: Mall, { book, erased }: Grid): Promise<string[]> => {
  const payouts = await walk(mall.service, listPayouts, { query: { limit: 1000 } });
  const named = new Set(payouts.map(({ transactionId }) => transactionId));
  const left = oursOf(mall, book.transfers).filter(({ id }) => !named.has(id));
  const isErased = [...mall.cashiers].some((prim) => erased.has(prim));
  const silent: string[] = [];
  for (const payout of payouts.filter(({ state }) => state === 'unknown')) {
    const claimedAt = Date.parse(payout.createdAt);
    const place = left.findIndex(
      (one) => isPaidBy(payout, one) && one.at >= claimedAt - 1000 && one.at <= claimedAt + spanMillis,
    );
    const [transfer] = place < 0 ? [] : left.splice(place, 1);
    const body = transfer ? { result: 'paid', transactionId: transfer.id } : { result: 'failed' };
    await send(mall.service, settlePayout, { params: { id: payout.id }, body });
    if (payout.error === null && !isErased) silent.push(`no cashier said why payout ${payout.id} is unknown`);
  }
  return silent;
};
