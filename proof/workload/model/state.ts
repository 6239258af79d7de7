import { divisionIn, type StockShare } from '../../../lib/catalogue/stock.ts';
import { timestamp } from '../../../lib/clock.ts';
import { asDecided, type CreditLot, lotType } from '../../../lib/credit/lot.ts';
import type { CreditItem } from '../../../lib/credit/state.ts';
import { balanceOf, inLots, type ModelCustomer } from '../../../test/support/model/credit.ts';
import { newAvatar, type SaleModel } from '../../../test/support/model/sales.ts';
import type { Item } from '../table.ts';

/** Everything that a store's operations change, in one form: once from the model, once from the table. */

/** The members that are compared. The model may know more. */
export interface Extent {
  avatars: readonly string[];
  products: readonly string[];
  coupons: readonly string[];
  cards: readonly string[];
}

/** The items of a store, by the parts of their keys. */
export interface Look {
  item: (partition: string, sk: string) => Item | undefined;
  lotsOf: (uuid: string) => readonly CreditLot[];
  /** The shares of all divided stocks. */
  shares: () => readonly StockShare[];
}

const nonZero = (sums: Iterable<[string, number]>): [string, number][] =>
  [...sums].filter(([, sum]) => sum !== 0).sort(([a], [b]) => (a < b ? -1 : 1));

export const stateOfModel = (model: SaleModel, { avatars, products, coupons, cards }: Extent) => ({
  stock: products.map((id) => model.products[id]?.stock ?? 0),
  avatars: avatars.map((uuid) => {
    const { credit, isBanned, discount, spend, owned, uses } = model.avatars[uuid] ?? newAvatar();
    const held = (customer: ModelCustomer) => ({
      ...{ balance: balanceOf(customer), unlotted: customer.unlotted },
      lots: nonZero([...inLots(customer)].map(([at, amount]) => [timestamp(at), amount])),
    });
    return {
      ...{ regular: held(credit.regular), restricted: held(credit.restricted), isBanned, discount },
      ...{ sum: spend.sum, totalOwned: spend.totalOwned, days: nonZero(Object.entries(spend.days)) },
      owned: products.map((id) => owned[id]?.quantity ?? 0),
      boughtAt: products.map((id) => (owned[id] ? timestamp(owned[id].boughtAt) : null)),
      uses: coupons.map((id) => uses[id] ?? 0),
    };
  }),
  cards: cards.map((id) => [model.cards[id]?.isRedeemed ?? false, model.cards[id]?.isOver ?? false]),
});

export const stateOfTable = (
  { item: at, lotsOf, shares }: Look,
  { avatars, products, coupons, cards }: Extent,
): ReturnType<typeof stateOfModel> => ({
  stock: products.map((id) =>
    shares().reduce(
      (sum, { sk, copies }) => sum + (divisionIn(sk).id === id ? copies : 0),
      at('PRODUCT', id)?.availableAmount ?? 0,
    ),
  ),
  avatars: avatars.map((uuid) => {
    const item = at('CUSTOMER', uuid) ?? {};
    const lots = lotsOf(uuid).map((lot) => asDecided(lot, item as CreditItem));
    const held = (type: string, balance = 0, unlotted = 0) => {
      const sums = new Map<string, number>();
      for (const lot of lots)
        if (lot.state === 'open' && lotType(lot) === type)
          sums.set(lot.expiresAt, (sums.get(lot.expiresAt) ?? 0) + lot.remaining);
      return { balance, unlotted, lots: nonZero(sums) };
    };
    const { sum = 0, totalOwned = 0, days = {} } = at('SPEND', uuid) ?? {};
    return {
      regular: held('regular', item.credit, item.creditUnlotted),
      restricted: held('restricted', item.restrictedCredit, item.restrictedUnlotted),
      ...{ isBanned: item.isBanned ?? false, discount: item.discount ?? 0, sum, totalOwned },
      days: nonZero(Object.entries(days)),
      owned: products.map((id) => at(`OWNED#${uuid}`, id)?.quantity ?? 0),
      boughtAt: products.map((id) => at(`OWNED#${uuid}`, id)?.boughtAt ?? null),
      uses: coupons.map((id) => at(`USE#${uuid}`, id)?.uses ?? 0),
    };
  }),
  cards: cards.map((id) => [at('GIFTCARD', id)?.redeemed ?? false, at('GIFTCARD', id)?.active === false]),
});
