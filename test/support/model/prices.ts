/** A price as it was until a place of the schedule. */
interface EarlierPrice {
  id: string;
  price: number;
  until: number;
}

/** All that the model knows of prices. */
export interface ModelPrices {
  earlier: EarlierPrice[];
  /** The place at which a person typed a price last. */
  typed: number;
  /** Lines of runs, by the names of their operations. */
  lines: Record<string, 'set' | 'put back'>;
}

export const noPrices = (): ModelPrices => ({ earlier: [], typed: 0, lines: {} });
