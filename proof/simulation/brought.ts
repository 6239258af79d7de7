import { never } from '../../lib/catalogue/coupons.ts';
import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import type { Item } from '../../lib/table/language.ts';
import { importCard, type ModelCard, type ModelCoupon, type ToldCard } from '../../test/support/model/sales.ts';
import {
  bringBalances,
  bringCoupon,
  bringProduct,
  bringSettings,
  bringSpend,
  type How,
  isSpendBrought,
  type WithTold,
} from '../../test/support/model/told.ts';
import type { CardThere, CustomerThere, Pass, There } from './there.ts';
import { isPass, type Word, type Words } from './words.ts';

/** Does in the model what a pass of a move has done, record by record. */

const customerOf = ({ customers }: There, uuid: string): CustomerThere =>
  customers[uuid] ?? {
    ...{ regular: 0, restricted: 0, spend: { year: 0, earlier: 0 } },
    settings: { discount: 0, isBanned: false, newsSubscriber: false },
  };

const cardOf = ({ credit, isRedeemed }: CardThere): ToldCard => ({ credit, isRedeemed, isActive: true });

const forever = Date.parse(never);

/** Makes a new record in the model. The rest of its values follow. */
const create = (model: WithTold, { kind, id }: Word, { products, coupons, cards }: There): void => {
  const [product, coupon, card] = [products[id], coupons[id], cards[id]];
  if (kind === 'PRODUCT' && product) {
    const { settings, limited, copies: stock } = product;
    model.products[id] = { ...settings, limited, stock, off: undefined, blockCredits: false, shares: [] };
  }
  if (kind === 'COUPON' && coupon) {
    const { settings, ...others } = coupon;
    const made: ModelCoupon = { id, ...others, ...settings, ownerProfit: 0, expiration: forever };
    model.coupons.push(made);
  }
  if (kind === 'GIFTCARD' && card) {
    const { owner, credit, transfer, isRedeemed } = card;
    const made: ModelCard = { owner, credit, transfer, isRedeemed, told: cardOf(card) };
    model.cards[id] = made;
  }
};

const priceAt = ({ price, at }: Item): { price: number; at: number } => ({
  price: Number(price),
  at: Date.parse(String(at)),
});

/** Does in the model what a pass has done to one record. Answers whether the model allows that. */
const hasBroughtOne = (model: WithTold, word: Word, { there, ends }: Pass, shown: number): boolean => {
  const { kind, id, before, after } = word;
  const how: How = { shown, isMove: true, isNew: before === undefined };
  if (how.isNew) create(model, word, there);
  const [product, coupon, card] = [there.products[id], there.coupons[id], there.cards[id]];
  const { regular, restricted, settings } = customerOf(there, id);
  switch (kind) {
    case 'BALANCE': {
      const { at = '' } = lastChangeOf(after as unknown as CreditItem) ?? {};
      return bringBalances(model, id, { regular, restricted, ends }, Date.parse(at)) === 'changed';
    }
    case 'CUSTOMER':
      return bringSettings(model, { kind: 'customer', id }, settings, how) === 'changed';
    case 'PRODUCT':
      return product !== undefined && bringProduct(model, id, product, how) === 'changed';
    case 'COUPON':
      return coupon !== undefined && bringCoupon(model, id, coupon, how) === 'changed';
    case 'GIFTCARD':
      return card !== undefined && (how.isNew === true || importCard(model, id, cardOf(card)) === 'changed');
    default:
      return false;
  }
};

/** The purchases of a commit that carry what a customer has spent, by UUID. */
const carriedIn = (words: readonly Word[]): [uuid: string, carried: Parameters<typeof bringSpend>[3]][] => {
  const some = words.filter(({ kind }) => kind === 'PURCHASE');
  return Object.entries(Object.groupBy(some, ({ after }) => String(after.uuid))).map(([uuid, of = []]) => [
    uuid,
    Object.fromEntries(of.map(({ id, after }) => [id.endsWith('year') ? 'year' : 'earlier', priceAt(after)])),
  ]);
};

/** Does in the model what a commit of a pass has done. Answers whether the model allows that. */
export const hasBrought = (model: WithTold, said: Words, pass: Pass | undefined, now: number): boolean => {
  const { words, shown } = said;
  if (!pass || !isPass(said)) return false;
  model.now = now;
  return (
    words.every((word) => word.kind === 'PURCHASE' || hasBroughtOne(model, word, pass, shown)) &&
    carriedIn(words).every(([uuid, carried]) => bringSpend(model, uuid, customerOf(pass.there, uuid).spend, carried))
  );
};

/** Tells whether a pass would change nothing any more. */
export const isBrought = (model: WithTold, { there, ends }: Pass, now: number): boolean => {
  const how: How = { shown: 0, isMove: true };
  const { customers, products, coupons, cards } = there;
  return (
    Object.entries(products).every(([id, product]) => bringProduct(model, id, product, how) !== 'changed') &&
    Object.entries(coupons).every(([id, coupon]) => bringCoupon(model, id, coupon, how) !== 'changed') &&
    Object.entries(cards).every(([id, card]) => model.cards[id] && importCard(model, id, cardOf(card)) !== 'changed') &&
    Object.entries(customers).every(
      ([id, { regular, restricted, settings, spend }]) =>
        bringSettings(model, { kind: 'customer', id }, settings, how) !== 'changed' &&
        bringBalances(model, id, { regular, restricted, ends }, now) !== 'changed' &&
        isSpendBrought(model, id, spend, now),
    )
  );
};
