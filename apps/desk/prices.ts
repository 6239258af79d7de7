import { lessPercent, shareOf } from '../../lib/price.ts';

/** The service's own rules of prices, for previews. */

/** The rules of a store that affect a price. */
interface PriceRules {
  groupDiscount: number;
  tiers: readonly { from: number; percent: number }[];
  bonus: { percent: number; groupPercent: number };
}

interface Buyer {
  /** L$ of spend in the last year. */
  spent: number;
  inGroup: boolean;
}

/** The price under the rules for a buyer without a discount or coupon, and the bonus that they get. */
export const priceUnder = ({ groupDiscount, tiers, bonus }: PriceRules, price: number, { spent, inGroup }: Buyer) => {
  const reached = tiers.filter(({ from }) => from <= spent).sort((a, b) => b.from - a.from)[0];
  const total = lessPercent(price, Math.max(reached?.percent ?? 0, inGroup ? groupDiscount : 0));
  return { total, bonus: shareOf(total, Math.max(bonus.percent, inGroup ? bonus.groupPercent : 0)) };
};
