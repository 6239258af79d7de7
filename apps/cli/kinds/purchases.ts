import { nilUuid } from '../../../lib/identifier.ts';
import { purchaseImporter } from '../../../lib/operator/imports/purchases.ts';
import { carriedIds, checkCarried } from '../../../lib/operator/imports/spend.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { listPurchases, type PurchaseItem } from '../../../lib/store/spend.ts';
import { columns, foreignId, optionalText, rowsFrom, timeOfSale } from './columns.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';

export const findPurchases = (store: string, uuid: string): Promise<PurchaseItem[]> =>
  matching(listPurchases(store), (purchase) => purchase.uuid === uuid);

/** Purchases made elsewhere. */
export const purchases: Kind = {
  file: {
    name: 'purchases',
    summary:
      'purchases made elsewhere: who bought which product, when and for how much; spend and owned products follow',
    columns: columns({
      id: ['text', optionalText, 'the id of the purchase, such as a transaction key'],
      resident: ['text', identifier(), 'the buyer, by UUID or username'],
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
      find: findPurchases,
      kept: (purchase, { uuid, pseudonym }) => {
        const { sk } = purchase;
        const isCarried = Object.values(carriedIds(uuid)).includes(sk);
        return { ...purchase, sk: isCarried ? sk.replace(uuid, pseudonym) : sk, uuid: pseudonym };
      },
    }),
  ],
};
