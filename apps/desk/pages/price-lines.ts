import { activePrice } from '../../../lib/price.ts';
import type { ProductResponse, SaleResponse } from '../../client/client.ts';
import { money } from '../format.ts';
import { saleWords as t } from '../words/sale.ts';

/** A price as it was quoted or sold at a time in milliseconds. */
interface Priced extends Pick<SaleResponse, 'base' | 'total' | 'discount'> {
  at: number;
}

/**
 * The product's list price and each discount by its name. A sale keeps no list price, so that is told only where the
 * product as it is now explains the price of the sale; else the lines begin with the price that the product had.
 */
export const priceLines = ({ base, total, discount, at }: Priced, product: ProductResponse | undefined) => {
  const isExplained =
    product !== undefined && product.price !== base && activePrice(product.price, product.discount, at) === base;
  const { type, value } = product?.discount ?? { type: 0, value: 0 };
  return [
    [isExplained ? t.listPrice : t.base, money(isExplained ? product.price : base)] as const,
    isExplained && ([t.ownDiscounts[type](value), money(base - product.price)] as const),
    discount.source !== 'none' && ([t.discounts[discount.source](discount.percent), money(total - base)] as const),
  ];
};
