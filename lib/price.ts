export const DiscountType = { percent: 0, amountOff: 1, overridePrice: 2 } as const;

export interface Discount {
  value: number;
  type: 0 | 1 | 2;
  /** Null: the discount has no start, or no end. */
  startDate: string | null;
  endDate: string | null;
}

/** A discount runs from its start up to, but not including, its end. */
const runs = ({ startDate, endDate }: Discount, at: number): boolean =>
  (startDate === null || Date.parse(startDate) <= at) && (endDate === null || at < Date.parse(endDate));

// Percentages are counted in billionths, so that halves round as a person writes them and not as binary fractions.
const whole = 100_000_000_000n;
const billionths = (percent: number): bigint => BigInt(Math.round(percent * 1_000_000_000));

/** A price (whole L$) less a percentage from 0 to 100, rounded half up. */
export const lessPercent = (price: number, percent: number): number =>
  Number((2n * BigInt(price) * (whole - billionths(percent)) + whole) / (2n * whole));

/** A percentage from 0 to 100 of an amount of whole L$, rounded down. */
export const shareOf = (amount: number, percent: number): number =>
  Number((BigInt(amount) * billionths(percent)) / whole);

/** The price at `at` (milliseconds) in whole L$: percentages round half up, and no price is below 0. */
export const activePrice = (price: number, discount: Discount, at: number): number => {
  if (!runs(discount, at)) return price;
  if (discount.type === DiscountType.overridePrice) return discount.value;
  if (discount.type === DiscountType.amountOff) return Math.max(0, price - discount.value);
  return lessPercent(price, discount.value);
};

/**
 * When the price next changes by itself after `at` (milliseconds): when its discount begins or ends, if that changes
 * the price. Null: never.
 */
export const priceChangesAt = (price: number, discount: Discount, at: number): string | null => {
  const now = activePrice(price, discount, at);
  const { startDate, endDate } = discount;
  const ahead = [startDate, endDate].filter((time) => time !== null && Date.parse(time) > at) as string[];
  return ahead.find((time) => activePrice(price, discount, Date.parse(time)) !== now) ?? null;
};
