import { everyRow, loaded, merged, reversed, type Source } from '../../../lib/lists/source.ts';
import { readUsernames } from '../../../lib/operator/residents.ts';
import { listPayees, payeeAnswer } from '../../../lib/payout/payees.ts';
import { byId, payoutsList } from '../../../lib/payout/payouts.ts';
import type { PayeeAnswer } from '../../../lib/routes/payouts.ts';
import type { SaleState } from '../../../lib/routes/sales.ts';
import { paidOutOf } from '../../../lib/sale/debts.ts';
import type { Share } from '../../../lib/sale/rules.ts';
import { byRank, type SaleItem, stateList } from '../../../lib/sale/sales.ts';
import type { Key } from '../../../lib/table/schema.ts';
import { getMany, rowsOf } from '../../../lib/table/table.ts';

/**
 * The debts of a store to owners of coupons, to people who share in the profit, and to buyers whose refunds are paid
 * out. Only debts that the service counts are here: no shares of imported sales, and nothing from before counting
 * began.
 */

/** From a day to a day in UTC, both included, as `YYYY-MM-DD`. */
export interface Span {
  from: string;
  to: string;
}

/** A share in one sale, a share that a refund takes back, or a refund that the store owes the buyer. */
export interface PayoutLine extends Pick<Share, 'residentUuid'> {
  kind: Share['kind'] | 'refund';
  /** Null for a refund. */
  percent: number | null;
  username: string;
  saleId: string;
  productId: string;
  cause: 'sale' | 'refund';
  /** When it was sold or refunded. */
  at: string;
  /** In whole L$; negative for a share that a refund takes back. */
  amount: number;
}

/** The debts to an avatar that arose in a span, and the L$ that were paid to them, in whole L$. */
export interface PayoutSums {
  residentUuid: string;
  username: string;
  /** The numbers of sales made and of sales refunded. */
  sales: number;
  refunds: number;
  earned: number;
  takenBack: number;
  /** Refunds that the store owes to the buyer. */
  toGiveBack: number;
  paid: number;
  /** By how much the debt grew in the span; negative if it shrank. */
  owed: number;
}

interface SaleRange {
  first?: string;
  last: string;
}

/** The sales of a store in these states that were made in a range of times, the oldest first. */
export const salesIn = (store: string, states: readonly SaleState[], range: SaleRange): Source<SaleItem> => {
  const places = states.map((state) =>
    rowsOf<Key & { rank: string }>({ partition: stateList(store, state), index: 'byRank', ...range }),
  );
  // A sale that changes its state meanwhile may be in two of these lists. Its present item is read.
  return loaded(merged(places, byRank), byRank, (rows) => getMany<SaleItem>(rows, { consistent: true }));
};

type Line = Omit<PayoutLine, 'username'>;

const isWithin = (time: string | undefined, { from, to }: Span): time is string =>
  time !== undefined && time.slice(0, 10) >= from && time.slice(0, 10) <= to;

const payoutLines = (sale: SaleItem, span: Span): Line[] => {
  const { sk: saleId, productId, shares, buyerUuid, at, refundedAt, countedShares, countedRefund } = sale;
  const owed = countedShares === undefined ? [] : shares.filter(({ amount }) => amount > 0);
  const lines = (cause: Line['cause'], time: string, sign: 1 | -1): Line[] =>
    owed.map(({ residentUuid, kind, percent, amount }) => ({
      residentUuid,
      saleId,
      productId,
      cause,
      at: time,
      kind,
      percent,
      amount: sign * amount,
    }));
  if (countedRefund === undefined || !isWithin(refundedAt, span)) return isWithin(at, span) ? lines('sale', at, 1) : [];
  const back = { residentUuid: buyerUuid ?? '', kind: 'refund' as const, percent: null, amount: paidOutOf(sale) };
  return [
    ...(isWithin(at, span) ? lines('sale', at, 1) : []),
    ...lines('refund', refundedAt, -1),
    ...(back.amount > 0 ? [{ ...back, saleId, productId, cause: 'refund' as const, at: refundedAt }] : []),
  ];
};

/**
 * Yields the lines of each sale that was made or refunded in a span. Reads the sales of the span and all earlier sales
 * that were refunded, since a list by the time of the refund would cost every sale an entry.
 */
async function* linesIn(store: string, span: Span): AsyncGenerator<Line[]> {
  // A day sorts before its times, and with a tilde after them.
  const made = salesIn(store, ['completed', 'refunded'], { first: span.from, last: `${span.to}~` });
  const earlier = salesIn(store, ['refunded'], { last: span.from });
  for (const sales of [earlier, made]) for await (const sale of everyRow(sales, byRank)) yield payoutLines(sale, span);
}

const noSums = { sales: 0, refunds: 0, earned: 0, takenBack: 0, toGiveBack: 0, paid: 0, owed: 0 };

/** The L$ of the payouts to each avatar that were paid in a span. */
const paidIn = async (store: string, span: Span): Promise<Map<string, number>> => {
  const paid = new Map<string, number>();
  const { source } = await payoutsList(store, { state: 'paid' });
  for await (const { residentUuid, amount, endedAt } of everyRow(reversed(source), byId))
    if (isWithin(endedAt, span)) paid.set(residentUuid, (paid.get(residentUuid) ?? 0) + amount);
  return paid;
};

/** Adds the lines of one sale to the sums of the avatars in them. */
const addLines = (sums: Map<string, typeof noSums>, lines: readonly Line[]): void => {
  const counted = new Set<string>();
  for (const { residentUuid, cause, kind, amount } of lines) {
    const sum = sums.get(residentUuid) ?? { ...noSums };
    if (kind === 'refund') sum.toGiveBack += amount;
    else {
      if (!counted.has(`${cause} ${residentUuid}`)) sum[cause === 'sale' ? 'sales' : 'refunds'] += 1;
      counted.add(`${cause} ${residentUuid}`);
      if (cause === 'sale') sum.earned += amount;
      else sum.takenBack -= amount;
    }
    sum.owed += amount;
    sums.set(residentUuid, sum);
  }
};

/** The sums of a span, the largest debt first. `lines` is empty unless `withLines` is set, and has the same order. */
export const payoutsOf = async (
  store: string,
  span: Span,
  withLines: boolean,
): Promise<{ payouts: PayoutSums[]; lines: PayoutLine[] }> => {
  const sums = new Map<string, typeof noSums>();
  const kept: Line[] = [];
  for await (const lines of linesIn(store, span)) {
    if (withLines) kept.push(...lines);
    addLines(sums, lines);
  }
  for (const [uuid, paid] of await paidIn(store, span)) {
    const sum = sums.get(uuid) ?? { ...noSums };
    sums.set(uuid, { ...sum, paid, owed: sum.owed - paid });
  }
  const names = await readUsernames(store, [...sums.keys()]);
  const nameOf = (uuid: string): string => names.get(uuid) ?? uuid;
  const payouts = [...sums]
    .map(([residentUuid, sum]) => ({ residentUuid, username: nameOf(residentUuid), ...sum }))
    .sort((a, b) => b.owed - a.owed || (a.residentUuid < b.residentUuid ? -1 : 1));
  const places = new Map(payouts.map(({ residentUuid }, place) => [residentUuid, place]));
  const placeOf = ({ residentUuid }: Line): number => places.get(residentUuid) ?? 0;
  const lines = kept
    .map((line) => ({ ...line, username: nameOf(line.residentUuid) }))
    .sort((a, b) => placeOf(a) - placeOf(b) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { payouts, lines };
};

/** Every payee to whom the store owes something, whom it has paid too much, or who has an unfinished payout. */
export const owedNow = async (store: string): Promise<PayeeAnswer[]> => {
  const owed: PayeeAnswer[] = [];
  for await (const payee of everyRow(listPayees(store), byId))
    if (payee.owed !== 0 || payee.claimed > 0 || payee.unknown > 0) owed.push(payeeAnswer(payee));
  return owed.sort((a, b) => b.owed - a.owed || (a.residentUuid < b.residentUuid ? -1 : 1));
};
