import { findUuid } from '../avatars/residents.ts';
import { loaded, merged, reversed, type Source } from '../lists/source.ts';
import { invalid, notFound } from '../problem.ts';
import { type Refusal, type Sale, type SaleFilter, type SaleState, saleStates } from '../routes/sales.ts';
import { partition, saleKey } from '../table/keys.ts';
import { isNew, put, type Write } from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, getMany, rowsOf } from '../table/table.ts';
import type { Bonus, Share, Terms, UsedCoupon } from './rules.ts';

/** Credit that a sale took from lots, by their `expiresAt`, in L$. The rest that it took was permanent. */
export type TakenCredit = [expiresAt: string, amount: number][];

/** A sale as it is stored. */
export interface SaleItem extends Key, Omit<Terms, 'toPay' | 'coupon' | 'inGroup'> {
  state: SaleState;
  refusal: Refusal | null;
  productId: string;
  buyerUuid: string | null;
  recipientUuid: string | null;
  paid: number;
  refund: number;
  change: number;
  /** How the change was given back, as reported by the object that did it. */
  changePaid?: Sale['changePaid'];
  deliveryId: string | null;
  shares: Share[];
  at: string;
  reference?: string | undefined;
  /** The object that sold it, as the request says. */
  vendorUuid?: string;
  refundedAt?: string;
  refundReference?: string | undefined;
  /** Why it was refunded, for the store's own records. */
  refundReason?: string | undefined;
  /** The store owes the buyer the L$ that are left to be given back after the refund. */
  payOut?: true | undefined;
  /**
   * The number of avatars whose accounts hold its shares, and the number whose accounts hold its refund; 0 until all
   * accounts do. Absent if nobody is owed anything, or if the service did not make or did not refund the sale.
   */
  countedShares?: number;
  countedRefund?: number | undefined;
  /** Distinguishes the request from others with the same id. */
  request: string;
  /** The coupon that it used. */
  coupon?: UsedCoupon | undefined;
  /** The restricted and the regular credit that it took from lots. */
  taken?: { restricted: TakenCredit; regular: TakenCredit };
  /** The credit that it gave to the buyer. If that expires, it is in a lot that has the delivery's id. */
  bonus?: Bonus;
  /** The gift card that it made for the recipient. No answer has it. */
  giftCardId?: string;
  /** The order of its delivery. */
  item?: string;
  recipientUsername?: string;
  message?: string;
  /** Its places in the lists by state, by product and by buyer. */
  ranked: string;
  rank: string;
  dues: string;
  due: string;
  bought?: string;
  /**
   * An import has brought it. The store did not sell it, so it has no delivery here, and no day's sums count it.
   * `refunded`: it was refunded before the import, so no spend ever had it.
   */
  imported?: true | 'refunded';
}

/** The partition of the index with a store's sales in a state, by the time of the sale. */
export const stateList = (store: string, state: SaleState): string => partition(store, 'SALE', state);
/** The partition of the index with a buyer's sales, by the time of the sale. */
const buyerList = (store: string, uuid: string): string => partition(store, 'SALE', `of#${uuid}`);
const productList = (store: string, productId: string, state: SaleState): string =>
  partition(store, 'SALE', `${productId}#${state}`);

/** The attributes that put a sale into its lists. */
export const listedAs = (
  store: string,
  { sk, state, at, productId, buyerUuid }: Pick<SaleItem, 'sk' | 'state' | 'at' | 'productId' | 'buyerUuid'>,
) => ({
  ranked: stateList(store, state),
  rank: `${at}#${sk}`,
  dues: productList(store, productId, state),
  due: `${at}#${sk}`,
  ...(buyerUuid !== null && { bought: buyerList(store, buyerUuid) }),
});

/**
 * True for a sale whose delivery the store owes. An import and an erasure leave the recipient's name out, because the
 * delivery of such a sale is over.
 */
export const isOwed = ({ state, recipientUsername }: SaleItem): boolean =>
  state === 'completed' && recipientUsername !== undefined;

/** The write of a new sale. Refused if its id was used before. */
export const saleWrite = (sale: SaleItem): Write => put(sale, isNew);

export const findSale = (store: string, id: string): Promise<SaleItem | undefined> => get<SaleItem>(saleKey(store, id));

/** A sale as the API answers it. Scripts in the virtual world can read short answers only, so they get no shares. */
export const saleOf = (item: SaleItem, isScript: boolean): Sale => {
  const { sk: id, refundedAt = null, refundReference = null, reference = null, payOut = false, shares, ...sale } = item;
  const { vendorUuid = null, changePaid = null, bonus: { amount: bonus } = { amount: 0 } } = item;
  const own = { id, refundedAt, refundReference, payOut, bonus, reference, vendorUuid, changePaid };
  return { ...sale, ...own, shares: isScript ? [] : shares };
};

/** Throws 404. */
export const getSale = async (store: string, id: string): Promise<SaleItem> => {
  const sale = await findSale(store, id);
  if (!sale) throw notFound();
  return sale;
};

/** A store's sales, in the order of their ids. */
export const listSales = (store: string): Source<SaleItem> => rowsOf({ partition: partition(store, 'SALE') });

/** A row that leads to a sale. Its rank or, in a product's list, its due is the sale's time and id. */
type SaleListRow = Key & { rank?: string; due?: string };

const positionOf = ({ rank, due = '' }: SaleListRow): string => rank ?? due;

/** A span of time: its first moment belongs to it, its last does not. */
type Span = Pick<SaleFilter, 'from' | 'to'>;

/** A span as the bounds of a list. A position is a time and an id, so it sorts after the time alone. */
const boundsOf = ({ from, to }: Span) => ({ ...(from && { first: from }), ...(to && { last: to }) });

/** The rows that lead to a buyer's sales. */
export const rowsOfBuyer = (store: string, uuid: string, span: Span = {}): Source<Key & { rank: string }> =>
  rowsOf({ partition: buyerList(store, uuid), index: 'byBuyer', ...boundsOf(span) });

export const byRank = ({ rank }: { rank: string }): string => rank;

/**
 * The list that a filter asks for, newest first, and the part that the list's cursors name. With a buyer, the other
 * filters pick from the buyer's sales. Throws 400 if a span ends before it begins.
 */
export const salesList = async (
  store: string,
  { buyer, product, state, ...span }: SaleFilter,
): Promise<{ source: Source<SaleItem>; part: string }> => {
  const { from = '', to = from } = span;
  if (from > to) throw invalid(`from must not be after to, which is ${to}.`);
  const uuid = buyer && (await findUuid(store, buyer));
  if (buyer && uuid === undefined) return { source: async () => [], part: 'nobody' };
  const states = saleStates.filter((each) => each === (state ?? each));
  const list = (of: Parameters<typeof rowsOf>[0]) => rowsOf<SaleListRow>({ ...of, ...boundsOf(span) });
  const ofProduct = (of: string) =>
    states.map((each) => list({ partition: productList(store, of, each), index: 'byDue' }));
  const ofStore = () => states.map((each) => list({ partition: stateList(store, each), index: 'byRank' }));
  const places =
    uuid === undefined
      ? merged(product === undefined ? ofStore() : ofProduct(product), positionOf)
      : rowsOfBuyer(store, uuid, span);
  const source = loaded(places, positionOf, async (rows) => {
    const found = await getMany<SaleItem>(rows);
    return found.filter(
      (sale) =>
        sale.state === (state ?? sale.state) &&
        sale.productId === (product ?? sale.productId) &&
        sale.buyerUuid === (uuid ?? sale.buyerUuid),
    );
  });
  return { source: reversed(source), part: `${uuid ?? ''} ${product ?? ''}` };
};
