/** The service's own rules of prices, for previews. */

/** Percentages are counted in billionths, since binary fractions would round some halves down. */
const whole = 100_000_000_000n;
const billionths = (percent: number): bigint => BigInt(Math.round(percent * 1e9));

/** A price (whole L$) less a percentage from 0 to 100, rounded half up. */
export const lessPercent = (price: number, percent: number): number =>
  Number((2n * BigInt(price) * (whole - billionths(percent)) + whole) / (2n * whole));

/** A percentage from 0 to 100 of an amount of whole L$, rounded down. */
const shareOf = (amount: number, percent: number): number => Number((BigInt(amount) * billionths(percent)) / whole);

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
