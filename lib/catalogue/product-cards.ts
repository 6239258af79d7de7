import { notFound } from '../problem.ts';
import type { SoldCard } from '../routes/rules.ts';
import { productKey } from '../table/keys.ts';
import { exists, update } from '../table/language.ts';
import { get, write } from '../table/table.ts';
import type { StoredProduct } from './products.ts';

/** The gift card that each sale of a product makes is in the product's item, which a sale reads anyway. */

const noCard: SoldCard = { credit: 0, texture: null };

const cardOf = ({ giftCard = noCard }: Pick<StoredProduct, 'giftCard'>): SoldCard => giftCard;

/** Throws 404 for an unknown product. */
export const getProductCard = async (store: string, id: string): Promise<SoldCard> => {
  const product = await get<StoredProduct>(productKey(store, id));
  if (!product) throw notFound();
  return cardOf(product);
};

/** Sets the gift card that each sale of a product makes, or none. Throws 404 for an unknown product. */
export const updateProductCard = async (
  store: string,
  id: string,
  { credit, texture }: SoldCard,
): Promise<SoldCard> => {
  const card = { credit, texture };
  const set = { giftCard: credit > 0 || texture !== null ? card : undefined };
  const outcome = await write<StoredProduct, SoldCard>(update(productKey(store, id), { set, when: exists }), {
    answer: () => card,
  });
  if (!outcome.done) throw notFound();
  return outcome.result;
};
