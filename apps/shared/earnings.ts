/** The earnings of sales, in all and by product and by buyer. The desk and `store report` sum them up alike. */

/** The facts about a sale that the sums need. */
export interface SoldSale {
  state: 'completed' | 'refused' | 'refunded';
  productId: string;
  buyerUuid: string | null;
  paid: number;
  change: number;
  refund: number;
  bonus: number;
  shares: readonly { kind: 'commission' | 'share'; amount: number }[];
}

/** L$ of one or more sales. */
export interface Earned {
  /** The buyers paid it. The change that they got back at once is left out. */
  paid: number;
  /** Refunds gave it back. */
  refunded: number;
  /** Others get it: as shares of the profit, and as commissions for their coupons. */
  shares: number;
  commissions: number;
  /** It stays with the store: paid - refunded - shares - commissions. */
  yours: number;
}

/** Earnings with the part that stays. Refunds count on their own day, so a day may earn less than 0. */
export const earningsOf = ({ paid, refunded, shares, commissions }: Omit<Earned, 'yours'>): Earned => ({
  paid,
  refunded,
  shares,
  commissions,
  yours: paid - refunded - shares - commissions,
});

/** The earnings of one sale. A refund takes the parts of others back. */
export const earnedBy = ({
  state,
  paid,
  change,
  refund,
  shares,
}: Omit<SoldSale, 'productId' | 'buyerUuid'>): Earned => {
  const sumOf = (kind: 'commission' | 'share'): number =>
    state === 'completed' ? shares.reduce((sum, part) => sum + (part.kind === kind ? part.amount : 0), 0) : 0;
  const [ofShares, commissions] = [sumOf('share'), sumOf('commission')];
  return earningsOf({ paid: paid - change, refunded: refund - change, shares: ofShares, commissions });
};

export const nothingEarned: Earned = { paid: 0, refunded: 0, shares: 0, commissions: 0, yours: 0 };

export const plusEarned = (one: Earned, other: Earned): Earned => ({
  paid: one.paid + other.paid,
  refunded: one.refunded + other.refunded,
  shares: one.shares + other.shares,
  commissions: one.commissions + other.commissions,
  yours: one.yours + other.yours,
});

/** The completed sales of a product, or to a buyer. */
export interface Best extends Earned {
  id: string;
  sales: number;
  /** Credit that the sales gave to their buyers. */
  bonus: number;
}

/** The sums so far. They grow with the products and the buyers, and not with the sales. */
export const noSales = () => ({
  sales: 0,
  earned: nothingEarned,
  products: new Map<string, Best>(),
  buyers: new Map<string, Best>(),
});

type Sums = ReturnType<typeof noSales>;

const addTo = (sums: Map<string, Best>, id: string, earned: Earned, given: number): void => {
  const before = sums.get(id) ?? { ...nothingEarned, sales: 0, bonus: 0 };
  sums.set(id, { id, ...plusEarned(before, earned), sales: before.sales + 1, bonus: before.bonus + given });
};

/** Adds a sale that was not refused. A refunded one counts in all sums, but at no product and no buyer. */
export const addSale = (sums: Sums, sale: SoldSale): void => {
  const earned = earnedBy(sale);
  sums.sales += 1;
  sums.earned = plusEarned(sums.earned, earned);
  if (sale.state !== 'completed') return;
  addTo(sums.products, sale.productId, earned, sale.bonus);
  if (sale.buyerUuid !== null) addTo(sums.buyers, sale.buyerUuid, earned, sale.bonus);
};

/** The best first: by the L$ that stay with the store. */
export const bestOf = (sums: ReadonlyMap<string, Best>): Best[] =>
  [...sums.values()].sort((a, b) => b.yours - a.yours || b.paid - a.paid || b.sales - a.sales);
