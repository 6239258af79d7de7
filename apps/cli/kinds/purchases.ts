import { listPurchases, type PurchaseItem } from '../../../lib/avatars/spend.ts';
import { nilUuid } from '../../../lib/identifier.ts';
import { purchaseImporter } from '../../../lib/operator/imports/purchases.ts';
import { carriedIds, checkCarried } from '../../../lib/operator/imports/spend.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { purchaseKey } from '../../../lib/table/keys.ts';
import { columns, foreignId, optionalText, rowsFrom, timeOfSale } from './columns.ts';
import type { Kind } from './kind.ts';
import { itemAt, matching, personal } from './personal.ts';

/** The purchases that carry an avatar's spend over from another service. */
const findCarried = async (store: string, uuid: string): Promise<PurchaseItem[]> => {
  const ids = Object.values(carriedIds(uuid));
  return (await Promise.all(ids.map((id) => itemAt<PurchaseItem>(purchaseKey(store, id))))).flat();
};

export const findPurchases = (store: string, uuid: string): Promise<PurchaseItem[]> =>
  matching(listPurchases(store), (purchase) => purchase.uuid === uuid);

/** Purchases that were made elsewhere. */
export const purchases: Kind = {
  file: {
    name: 'purchases',
    summary:
      'purchases made elsewhere: who bought which product, when and for how much; spend and owned products follow',
    columns: columns({
      id: ['text', optionalText, 'the id of the purchase, such as a transaction key'],
      resident: ['person', identifier(), 'the buyer, by UUID or username'],
      product: [
        'text',
        foreignId(),
        `the product, by id or as the file of products names it; ${nilUuid} for a sum of purchases of which no more is known`,
        'products',
      ],
      price: ['integer', integer(0), 'the price that was paid, in whole L$'],
      at: ['text', timeOfSale('purchase'), 'when; not in the future'],
    }),
    id: {
      from: ({ resident, product: bought, price, at }, uuidOf) => JSON.stringify([uuidOf(resident), bought, price, at]),
      repeats: () => true,
      asText: true,
    },
    onlyAdded: true,
    importer: () => purchaseImporter,
    rows: (store) =>
      rowsFrom(listPurchases(store), 'sk', ({ sk, uuid: buyer, productId, ...item }) => ({
        ...item,
        id: sk,
        resident: buyer,
        product: productId,
      })),
  },
  audit: [
    {
      what: 'carried spend',
      check: async (store, { onFault }) => {
        const { checked, faults } = await checkCarried(store);
        for (const fault of faults) onFault(fault);
        return checked;
      },
      holds: 'a move carries what was told there, less what imports brought in single rows',
    },
  ],
  personal: [
    personal<PurchaseItem>({
      words: ['purchase', 'purchases'],
      effect: 'pseudonym',
      find: async (store, uuid) => {
        const carried = Object.values(carriedIds(uuid));
        return (await findPurchases(store, uuid)).filter(({ sk }) => !carried.includes(sk));
      },
      kept: (purchase, { pseudonym }) => ({ ...purchase, uuid: pseudonym }),
    }),
    personal<PurchaseItem>({
      words: ['carried sum of spend', 'carried sums of spend'],
      effect: 'pseudonym',
      // It moves together with the spend. A pass of `store move` between the two would carry the spend once more.
      phase: 'customer',
      find: findCarried,
      kept: (purchase, { uuid, pseudonym }) => ({
        ...purchase,
        sk: purchase.sk.replace(uuid, pseudonym),
        uuid: pseudonym,
      }),
      merged: (purchase, there) => ({
        ...there,
        price: there.price + purchase.price,
        told: (there.told ?? 0) + (purchase.told ?? 0),
      }),
    }),
  ],
};
