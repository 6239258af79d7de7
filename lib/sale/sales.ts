import { loaded, merged, reversed, type Source } from '../lists/source.ts';
import { notFound } from '../problem.ts';
import { type Refusal, type Sale, type SaleFilter, type SaleState, saleStates } from '../routes/sales.ts';
import { findUuid } from '../store/residents.ts';
import { saleKey } from '../store/sale-state.ts';
import { isNew, put, type Write } from '../table/language.ts';
import { type Key, partition } from '../table/schema.ts';
import { get, getMany, rowsOf } from '../table/table.ts';
import type { Share, Terms, UsedCoupon } from './rules.ts';

/** Credit that a sale took from lots, by their `expiresAt`, in L$. The rest of what it took was permanent. */
export type Taken = [expiresAt: string, amount: number][];

/** A sale as it is stored. */
export interface SaleItem extends Key, Omit<Terms, 'toPay' | 'coupon'> {
  state: SaleState;
  refusal: Refusal | null;
  productId: string;
  buyerUuid: string | null;
  recipientUuid: string | null;
  paid: number;
  refund: number;
  change: number;
  deliveryId: string | null;
  shares: Share[];
  at: string;
  reference?: string | undefined;
  refundedAt?: string;
  refundReference?: string | undefined;
  /** Why it was refunded, for the store's own records. */
  refundReason?: string | undefined;
  /** Tells the request from others under the same id. */
  request: string;
  /** The coupon of which it is a use. */
  coupon?: UsedCoupon | undefined;
  /** The restricted and the regular credit that it took from lots. */
  taken?: { restricted: Taken; regular: Taken };
  /** The order of its delivery. */
  item?: string;
  recipientUsername?: string;
  message?: string;
  /** Its places in the lists of a state and of a product. */
  ranked: string;
  rank: string;
  dues: string;
  due: string;
  /** Its place among the sales whose delivery nothing has ordered yet. */
  flags?: string;
  /** An import has brought it: the store did not sell it, so no delivery and no day tells of it. */
  imported?: true;
}

/** The partition of the index that holds the sales of a store in a state, by the time at which they were made. */
export const stateList = (store: string, state: SaleState): string => partition(store, 'SALE', state);
/** The partition of the items that lead to a buyer's sales. */
export const buyerList = (store: string, uuid: string): string => partition(store, 'SALE', `of#${uuid}`);
const productList = (store: string, productId: string, state: SaleState): string =>
  partition(store, 'SALE', `${productId}#${state}`);

/** The attributes that put a sale into its lists. */
export const listedAs = (
  store: string,
  { sk, state, at, productId }: Pick<SaleItem, 'sk' | 'state' | 'at' | 'productId'>,
) => ({
  ranked: stateList(store, state),
  rank: `${at}#${sk}`,
  dues: productList(store, productId, state),
  due: `${at}#${sk}`,
});

/** The items of a sale: the list of its buyer is of items that lead to the sales. */
export const saleItems = (store: string, sale: SaleItem): Key[] => [
  sale,
  ...(sale.buyerUuid === null ? [] : [{ pk: buyerList(store, sale.buyerUuid), sk: sale.rank }]),
];

/** The writes of a new sale: refused where its id was used before. */
export const saleWrites = (store: string, sale: SaleItem): Write[] =>
  saleItems(store, sale).map((item) => put(item, isNew));

export const findSale = (store: string, id: string): Promise<SaleItem | undefined> => get<SaleItem>(saleKey(store, id));

/** A sale as the API answers it. Scripts in the virtual world can read short answers only, so they get no shares. */
export const saleOf = (item: SaleItem, isScript: boolean): Sale => {
  const { sk: id, refundedAt = null, refundReference = null, reference = null, shares, ...sale } = item;
  return { ...sale, id, refundedAt, refundReference, reference, shares: isScript ? [] : shares };
};

/** Throws 404. */
export const getSale = async (store: string, id: string): Promise<SaleItem> => {
  const sale = await findSale(store, id);
  if (!sale) throw notFound();
  return sale;
};

/** A store's sales, in the order of their ids. */
export const listSales = (store: string): Source<SaleItem> => rowsOf({ partition: partition(store, 'SALE') });

/**
 * A row that leads to a sale: the time and the id of that are its rank, its due or, in a buyer's list, its sort key.
 */
type Place = Key & { rank?: string; due?: string };

const positionOf = ({ rank, due, sk }: Place): string => rank ?? due ?? sk;

export const byRank = ({ rank }: { rank: string }): string => rank;

/**
 * The list that a filter asks for, newest first, and the part of the list's cursors. Of a buyer's sales the other
 * filters pick some.
 */
export const salesList = async (
  store: string,
  { buyer, product, state }: SaleFilter,
): Promise<{ source: Source<SaleItem>; part: string }> => {
  const uuid = buyer && (await findUuid(store, buyer));
  if (buyer && uuid === undefined) return { source: async () => [], part: 'nobody' };
  const states = saleStates.filter((each) => each === (state ?? each));
  const ofBuyer = (of: string): Source<Place> => rowsOf({ partition: buyerList(store, of) });
  const ofProduct = (of: string) =>
    states.map((each) => rowsOf<Place>({ partition: productList(store, of, each), index: 'byDue' }));
  const ofStore = () => states.map((each) => rowsOf<Place>({ partition: stateList(store, each), index: 'byRank' }));
  const places =
    uuid === undefined ? merged(product === undefined ? ofStore() : ofProduct(product), positionOf) : ofBuyer(uuid);
  const source = loaded(places, positionOf, async (rows) => {
    const keys = rows.map((row) => saleKey(store, positionOf(row).split('#')[1] ?? ''));
    const found = await getMany<SaleItem>(keys);
    return found.filter(
      (sale) => sale.state === (state ?? sale.state) && sale.productId === (product ?? sale.productId),
    );
  });
  return { source: reversed(source), part: `${uuid ?? ''} ${product ?? ''}` };
};
