import { everyRow, loaded, merged, type Source } from '../../lib/lists/source.ts';
import type { SaleState } from '../../lib/routes/sales.ts';
import type { Share } from '../../lib/sale/rules.ts';
import { byRank, type SaleItem, stateList } from '../../lib/sale/sales.ts';
import type { Key } from '../../lib/table/schema.ts';
import { getMany, rowsOf } from '../../lib/table/table.ts';
import { knownResidents } from './residents.ts';

/** The amounts that a store owes to the owners of coupons and to those who share in the profit. */

/** Days in UTC, `YYYY-MM-DD`, both of them included. */
export interface Span {
  from: string;
  to: string;
}

/** A share in one sale, or the end of one where the sale was refunded. */
export interface PayoutLine extends Pick<Share, 'residentUuid' | 'kind' | 'percent'> {
  username: string;
  saleId: string;
  productId: string;
  cause: 'sale' | 'refund';
  /** When it was sold or refunded. */
  at: string;
  /** In whole L$; negative for a refund. */
  amount: number;
}

/** An avatar's shares of a span, in whole L$. */
export interface Payout {
  residentUuid: string;
  username: string;
  /** The sales that were made, and those that were refunded. */
  sales: number;
  refunds: number;
  earned: number;
  takenBack: number;
  /** Earned less taken back: negative where more was refunded than sold. */
  owed: number;
}

interface SaleRange {
  first?: string;
  last: string;
}

/** The sales of a store in these states that were made in a range of times, the oldest first. */
const salesIn = (store: string, states: readonly SaleState[], range: SaleRange): Source<SaleItem> => {
  const places = states.map((state) =>
    rowsOf<Key & { rank: string }>({ partition: stateList(store, state), index: 'byRank', ...range }),
  );
  // A sale may be read in two states while it moves. It counts as it is.
  return loaded(merged(places, byRank), byRank, (rows) => getMany<SaleItem>(rows, { consistent: true }));
};

type Line = Omit<PayoutLine, 'username'>;

const linesOf = ({ sk: saleId, productId, shares, state, at, refundedAt }: SaleItem, { from, to }: Span): Line[] => {
  const isWithin = (time: string): boolean => time.slice(0, 10) >= from && time.slice(0, 10) <= to;
  const owed = shares.filter(({ amount }) => amount > 0);
  const lines = (cause: Line['cause'], time: string, sign: 1 | -1): Line[] =>
    owed.map(({ residentUuid, kind, percent, amount }) => ({
      ...{ residentUuid, saleId, productId, cause, at: time, kind, percent },
      amount: sign * amount,
    }));
  return [
    ...(isWithin(at) ? lines('sale', at, 1) : []),
    ...(state === 'refunded' && refundedAt && isWithin(refundedAt) ? lines('refund', refundedAt, -1) : []),
  ];
};

/**
 * Every share of the sales made in a span, and, as negative ones, of the sales refunded in it. Reads the sales of the
 * span, and before it those that were refunded: a list by the time of the refund would cost every sale a place in it.
 */
async function* linesIn(store: string, span: Span): AsyncGenerator<Line[]> {
  // The names of days sort before the times in them, and a tilde after these.
  const made = salesIn(store, ['completed', 'refunded'], { first: span.from, last: `${span.to}~` });
  const earlier = salesIn(store, ['refunded'], { last: span.from });
  for (const sales of [earlier, made]) for await (const sale of everyRow(sales, byRank)) yield linesOf(sale, span);
}

const noSums = { sales: 0, refunds: 0, earned: 0, takenBack: 0, owed: 0 };

const namesAtOnce = 500;

const namesOf = async (store: string, uuids: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>();
  for (let i = 0; i < uuids.length; i += namesAtOnce)
    for (const { uuid, username } of await knownResidents(store, uuids.slice(i, i + namesAtOnce)))
      names.set(uuid, username);
  return names;
};

/** The payouts of a span, the largest first, and the sales behind them in the same order, if they are wanted. */
export const payoutsOf = async (
  store: string,
  span: Span,
  withLines: boolean,
): Promise<{ payouts: Payout[]; lines: PayoutLine[] }> => {
  const sums = new Map<string, typeof noSums>();
  const kept: Line[] = [];
  for await (const lines of linesIn(store, span)) {
    if (withLines) kept.push(...lines);
    const counted = new Set<string>();
    for (const { residentUuid, cause, amount } of lines) {
      const sum = sums.get(residentUuid) ?? { ...noSums };
      const isNew = !counted.has(`${cause} ${residentUuid}`);
      counted.add(`${cause} ${residentUuid}`);
      if (isNew) sum[cause === 'sale' ? 'sales' : 'refunds'] += 1;
      if (cause === 'sale') sum.earned += amount;
      else sum.takenBack -= amount;
      sum.owed += amount;
      sums.set(residentUuid, sum);
    }
  }
  const names = await namesOf(store, [...sums.keys()]);
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
