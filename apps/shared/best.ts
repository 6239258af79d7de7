/** Sums of sales by product and by buyer, which the desk and `store report` make alike. */

/** A sale, as far as its sums go. */
export interface SoldSale {
  productId: string;
  buyerUuid: string | null;
  paid: number;
  refund: number;
  bonus: number;
}

/** The L$ that the store keeps of a sale: those that were paid, less those that were given back. */
export const receivedOf = ({ paid, refund }: Pick<SoldSale, 'paid' | 'refund'>): number => paid - refund;

/** The sales of a product, or to a buyer. */
export interface Best {
  id: string;
  sales: number;
  received: number;
  /** Credit that the sales gave to their buyers. */
  bonus: number;
}

/** The sums so far. They grow with the products and the buyers, and not with the sales. */
export const noSales = () => ({ products: new Map<string, Best>(), buyers: new Map<string, Best>() });

type Sums = ReturnType<typeof noSales>;

const addTo = (sums: Map<string, Best>, id: string, sale: SoldSale): void => {
  const { sales = 0, received = 0, bonus = 0 } = sums.get(id) ?? {};
  sums.set(id, { id, sales: sales + 1, received: received + receivedOf(sale), bonus: bonus + sale.bonus });
};

/** Adds a completed sale. */
export const addSale = ({ products, buyers }: Sums, sale: SoldSale): void => {
  addTo(products, sale.productId, sale);
  if (sale.buyerUuid !== null) addTo(buyers, sale.buyerUuid, sale);
};

/** The best first. */
export const bestOf = (sums: ReadonlyMap<string, Best>): Best[] =>
  [...sums.values()].sort((a, b) => b.received - a.received || b.sales - a.sales);
