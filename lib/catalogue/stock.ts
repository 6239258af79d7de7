import { newId, now, source, timestamp } from '../clock.ts';
import type { Source } from '../lists/source.ts';
import type { Product } from '../routes/products.ts';
import type { SoldCard } from '../routes/rules.ts';
import { maxInteger } from '../routes/wire.ts';
import { answer, decide, readAgain, writeAll } from '../table/decide.ts';
import { partition, productKey } from '../table/keys.ts';
import {
  above,
  all,
  atLeast,
  below,
  is,
  isNew,
  missing,
  present,
  put,
  remove,
  update,
  type Write,
} from '../table/language.ts';
import type { Key } from '../table/schema.ts';
import { get, rowsOf, write } from '../table/table.ts';

/**
 * The stock of a limited product is in the product's item, which each sale of it writes. DynamoDB refuses a transaction
 * if another one is writing its item, so a crowd of buyers is refused there. A sale that was refused for this reason
 * divides a large stock into 16 items, and each sale takes a copy from one of them. Once few copies are left there,
 * they are gathered in the product's item again (docs/adr/0048-three-acts.md, Stock in shares).
 */

/** The part of a product's item that says where its copies are. */
export interface DivisibleStock {
  limited: boolean;
  /** Copies in the item itself: all of them while the stock is not divided. */
  availableAmount: number;
  /** The id of its division. */
  divided?: string;
  /** Nobody divides the stock before this time, because a change of the product needs it whole. */
  wholeUntil?: string;
}

/** A part of a divided stock. */
export interface StockShare extends Key {
  copies: number;
}

/** A divided stock, as it was read. */
interface DividedStock {
  kind: 'divided';
  /** The shares that have copies, or all shares if none has. The first is chosen at random. */
  drawn: readonly [StockShare, ...StockShare[]];
  /** The stock must be gathered before a sale. */
  isLow: boolean;
}

/** A product with the state of its stock. Without `stock` all copies are in its item, and must stay there. */
export interface StockedProduct extends Product {
  stock?: DividedStock | { kind: 'divisible' };
  /** The gift card that a sale of it makes. */
  giftCard?: SoldCard;
}

const shareCount = 16;

/**
 * Dividing and gathering a stock cost about 70 write units. The smallest stock sells about as many copies in between.
 */
const smallestDivided = 100;

/** At least this number of copies stays in the item, for the sales that are made while it is being divided. */
const kept = 16;

/** A version of the service that knows no shares would replace only the copies in the item: see lib/shape.ts. */
const dividedShape = 2;

/** The time for which a change of a product keeps its stock whole. */
const wholeMillis = 10_000;

const sharesPart = (id: string, division: string): string => `${id}#${division}#`;

/** The product and the division that a share belongs to. */
export const divisionIn = (sk: string): { id: string; divided: string } => {
  const [id = '', divided = ''] = sk.split('#');
  return { id, divided };
};

/** All shares of a store's divided stocks, product by product. */
export const listStoredShares = (store: string): Source<StockShare> => rowsOf({ partition: partition(store, 'STOCK') });

/** Sorts after the hexadecimal digit with which a share's key ends. */
const lastPart = 'g';

const listShares = (store: string, first: string, last: string, isEventual: boolean): Promise<StockShare[]> =>
  rowsOf<StockShare>({ partition: partition(store, 'STOCK'), first, last: `${last}${lastPart}`, isEventual })({
    descending: false,
  });

/**
 * The shares of a product's stock; empty if it is not divided. Undefined if another writer has divided or gathered it
 * since its item was read.
 */
export const readShares = async (
  store: string,
  { sk, divided }: Key & DivisibleStock,
): Promise<StockShare[] | undefined> => {
  if (divided === undefined) return [];
  const part = sharesPart(sk, divided);
  const shares = await listShares(store, part, part, false);
  return shares.length === shareCount ? shares : undefined;
};

const copiesIn = (shares: readonly StockShare[]): number => shares.reduce((sum, { copies }) => sum + copies, 0);

/** All copies of a product. */
export const copiesOf = ({ availableAmount }: DivisibleStock, shares: readonly StockShare[]): number =>
  availableAmount + copiesIn(shares);

/**
 * These items of products, in their order, with all their copies. The shares may be a moment old. If an item's shares
 * are not all there, `otherwise` reads that item.
 */
export const withAllCopies = async <T extends Key & DivisibleStock>(
  store: string,
  items: readonly T[],
  otherwise: (item: T) => Promise<T | undefined>,
): Promise<T[]> => {
  const ids = items.filter(({ divided }) => divided !== undefined).map(({ sk }) => sk);
  if (ids.length === 0) return [...items];
  ids.sort();
  const listed = await listShares(store, `${ids[0]}#`, `${ids.at(-1)}#`, true);
  const sharesOf = Map.groupBy(listed, ({ sk }) => sk.slice(0, sk.lastIndexOf('#') + 1));
  const whole = await Promise.all(
    items.map(async (item) => {
      if (item.divided === undefined) return item;
      const shares = sharesOf.get(sharesPart(item.sk, item.divided)) ?? [];
      return shares.length === shareCount ? { ...item, availableAmount: copiesOf(item, shares) } : otherwise(item);
    }),
  );
  return whole.filter((item) => item !== undefined);
};

const isDivisible = ({ limited, availableAmount, divided, wholeUntil = '' }: DivisibleStock): boolean =>
  limited &&
  divided === undefined &&
  wholeUntil <= timestamp(now()) &&
  availableAmount >= smallestDivided &&
  // A refund puts a copy back into the item. Even after many refunds the sum is a number that a product may have.
  availableAmount <= maxInteger / 2;

/** The attributes of a product's item that say where its copies are; none if all are in the item. */
export const divisionOf = ({ availableAmount, divided, wholeUntil }: DivisibleStock) => ({
  ...(divided !== undefined && { availableAmount, divided, shape: dividedShape }),
  ...(wholeUntil !== undefined && { wholeUntil }),
});

/** The state of a stock for a sale. */
export const stockOf = (item: DivisibleStock, shares: readonly StockShare[]): StockedProduct['stock'] => {
  if (isDivisible(item)) return { kind: 'divisible' };
  const full = shares.filter(({ copies }) => copies > 0);
  const from = full.length > 0 ? full : shares;
  const place = Math.floor(source.random() * from.length);
  const [first, ...others] = [...from.slice(place), ...from.slice(0, place)];
  const isHeld = item.wholeUntil !== undefined && item.wholeUntil > timestamp(now());
  return first && { kind: 'divided', drawn: [first, ...others], isLow: isHeld || copiesIn(shares) < shareCount };
};

/** Divides the stock of a product, unless it is too small, is divided already, or must stay whole. */
export const divideStock = (store: string, id: string): Promise<void> =>
  decide(async () => {
    const key = productKey(store, id);
    const item = await get<DivisibleStock>(key);
    if (!item || !isDivisible(item)) return answer(undefined);
    const copies = Math.floor((item.availableAmount - kept) / shareCount);
    const divided = newId();
    const moved = copies * shareCount;
    const isWhole = all(is('limited', true), missing('divided'), is('wholeUntil', item.wholeUntil));
    const shares = Array.from({ length: shareCount }, (_, number) => {
      const share = { pk: partition(store, 'STOCK'), sk: `${sharesPart(id, divided)}${number.toString(16)}`, copies };
      return put(share, isNew);
    });
    const move = update(key, {
      set: { divided, shape: dividedShape, wholeUntil: undefined },
      add: { availableAmount: -moved },
      when: all(isWhole, atLeast('availableAmount', moved)),
    });
    // A refusal says that another sale has divided it, or that it is too small now.
    return writeAll([move, ...shares], { result: undefined, ifRefused: () => answer(undefined) });
  });

/** Puts all copies of a divided stock back into the product's item. */
export const gatherStock = (store: string, id: string): Promise<void> =>
  decide(async () => {
    const key = productKey(store, id);
    const item = await get<Key & DivisibleStock>(key);
    if (item?.divided === undefined) return answer(undefined);
    const shares = await readShares(store, item);
    if (!shares) return readAgain();
    const move = update(key, {
      set: { divided: undefined, shape: undefined },
      add: { availableAmount: copiesIn(shares) },
      when: is('divided', item.divided),
    });
    return writeAll([move, ...shares.map((share) => remove(share, is('copies', share.copies)))], { result: undefined });
  });

/**
 * Gathers a divided stock for a change of its product, and keeps it whole for ten seconds. From now on sales gather it
 * too. They take no copies from shares, because the gathering needs the shares as they are.
 */
export const makeWhole = async (store: string, id: string): Promise<void> => {
  const wholeUntil = timestamp(now() + wholeMillis);
  await write(update(productKey(store, id), { set: { wholeUntil }, when: present('divided') }));
  await gatherStock(store, id);
};

/** The product with the next share drawn from its divided stock; undefined if there is none. */
export const withOtherShare = (product: StockedProduct): StockedProduct | undefined => {
  const { stock } = product;
  if (stock?.kind !== 'divided') return undefined;
  const [, next, ...others] = stock.drawn;
  return next && { ...product, stock: { ...stock, drawn: [next, ...others] } };
};

/**
 * The write that takes a copy from a limited product's stock. Refused if no copy is left, and if the product is not
 * limited any more. If the stock is divided, it is refused when its share has no copy left or was gathered.
 */
export const takeCopy = (store: string, { id, stock }: StockedProduct): Write =>
  stock?.kind === 'divided'
    ? update(stock.drawn[0], { add: { copies: -1 }, when: above('copies', 0) })
    : update(productKey(store, id), {
        add: { availableAmount: -1 },
        when: all(is('limited', true), above('availableAmount', 0)),
      });

/**
 * The write that puts a copy back into a product's stock as it was read. None if the product is not limited, or has as
 * many copies as a product may have. The copy goes into the product's item even if the stock is divided. Refused if the
 * product is not limited any more, or if others have filled the stock.
 */
export const returnCopy = (store: string, { id, limited, availableAmount }: Product): Write[] =>
  limited && availableAmount < maxInteger
    ? [
        update(productKey(store, id), {
          add: { availableAmount: 1 },
          when: all(is('limited', true), below('availableAmount', maxInteger)),
        }),
      ]
    : [];
