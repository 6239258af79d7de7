import { listPayees, listPayouts, settlePayout } from '../../lib/routes/payouts.ts';
import { type Service, send, walk } from '../workload/client.ts';
import type { Body } from './accounts.ts';
import type { Transfer } from './book.ts';
import type { Grid } from './grid.ts';
import type { Mall } from './mall.ts';

/** Compares what a store says that it owed and paid with the L$ that its cashiers gave away. */

export interface PayoutBooks {
  sales: readonly Body[];
  payouts: readonly Body[];
  payees: readonly Body[];
  /** The prims of the cashiers that there have ever been. */
  cashiers: ReadonlySet<string>;
}

const query = { limit: 1000 };

/** The store's word on payouts, over HTTP. */
export const readPayouts = async (service: Service): Promise<Pick<PayoutBooks, 'payouts' | 'payees'>> => ({
  payouts: await walk(service, listPayouts, { query }),
  payees: await walk(service, listPayees, { query }),
});

/** The debts that sales and refunds have made, by avatar. */
const debtsOf = (sales: readonly Body[]): Map<string, number> => {
  const debts = new Map<string, number>();
  const owe = (payee: string, amount: number): void => {
    if (amount > 0) debts.set(payee, (debts.get(payee) ?? 0) + amount);
  };
  for (const { state, shares, payOut, buyerUuid, refund, change } of sales) {
    if (state === 'completed') for (const { residentUuid, amount } of shares) owe(residentUuid, amount);
    if (state === 'refunded' && payOut) owe(buyerUuid, refund - change);
  }
  return debts;
};

/** Payees whose sums are not what sales and refunds have made the store owe them. */
export const findMiscounts = ({ sales, payees }: Pick<PayoutBooks, 'sales' | 'payees'>): string[] => {
  const debts = debtsOf(sales);
  const sums = new Map(
    payees.map(({ residentUuid, owed, claimed, unknown, paid }) => [residentUuid, owed + claimed + unknown + paid]),
  );
  return [...new Set([...debts.keys(), ...sums.keys()])]
    .filter((payee) => (debts.get(payee) ?? 0) !== (sums.get(payee) ?? 0))
    .map((payee) => `${payee} is counted L$ ${sums.get(payee) ?? 0} of L$ ${debts.get(payee) ?? 0}`);
};

const oursOf = ({ cashiers }: Pick<PayoutBooks, 'cashiers'>, transfers: readonly Transfer[]): Transfer[] =>
  transfers.filter(({ reason, of }) => reason === 'payout' && cashiers.has(of));

const isPaidBy = ({ residentUuid, amount }: Body, transfer: Transfer): boolean =>
  transfer.to === residentUuid && transfer.amount === amount;

/**
 * Follows each L$ that the cashiers of a store gave away. `unexplained` is a sum of L$, `twice` a number of transfers.
 */
export const comparePayouts = (books: PayoutBooks, transfers: readonly Transfer[]) => {
  const ours = new Map(oursOf(books, transfers).map((one) => [one.id, one]));
  const faults: string[] = [];
  const named = new Set<string>();
  let [unexplained, twice, paid] = [0, 0, 0];
  for (const payout of books.payouts) {
    const { id, state, amount, residentUuid, transactionId } = payout;
    const text = `payout ${id} of L$ ${amount} to ${residentUuid}`;
    if (state === 'claimed' || state === 'unknown') faults.push(`${text} is still ${state}`);
    if (state !== 'paid') continue;
    const transfer = ours.get(transactionId);
    paid += amount;
    if (transfer && isPaidBy(payout, transfer) && !named.has(transactionId)) named.add(transactionId);
    else {
      unexplained += amount;
      faults.push(`${text} is said to be paid by ${JSON.stringify(transfer) ?? 'a transfer that is not there'}`);
    }
  }
  for (const transfer of ours.values())
    if (!named.has(transfer.id)) {
      const isTwice = books.payouts.some((payout) => payout.state === 'paid' && isPaidBy(payout, transfer));
      unexplained += transfer.amount;
      if (isTwice) twice += 1;
      faults.push(`given ${isTwice ? 'twice' : 'for no payout'}: ${JSON.stringify(transfer)}`);
    }
  return { faults: [...faults, ...findMiscounts(books)], unexplained, twice, paid };
};

/** A transfer may have begun so long after its claim, as `store reconcile` takes it. */
const spanMillis = 15 * 60_000;

/**
 * In the evening the merchant looks at the account's transactions for each payout of which nobody knows, and settles
 * it. Answers those of which no cashier had a reason to say so.
 */
export const settleUnknown = async (mall: Mall, { book, erased }: Grid): Promise<string[]> => {
  const { payouts } = await readPayouts(mall.service);
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
