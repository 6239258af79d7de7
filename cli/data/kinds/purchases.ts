import { timestamp } from '../../../lib/routes/timestamp.ts';
import { identifier, integer, text } from '../../../lib/routes/wire.ts';
import { listPurchases, type PurchaseItem } from '../../../lib/store/spend.ts';
import { everyRow } from '../../../lib/table/query.ts';
import { purchases as importer } from '../../plans/purchases.ts';
import { foreignId } from '../columns.ts';
import type { Kind } from '../kinds.ts';

export const purchases: Kind = {
  name: 'purchases',
  summary: 'sales: who bought what, when and for how much; spend and owned products follow from them',
  columns: [
    {
      name: 'id',
      form: 'text',
      check: text({ min: 1, max: 255 }).optional(),
      help: 'what the sale is known by, such as a transaction key',
    },
    { name: 'resident', form: 'text', check: identifier(), help: 'the buyer, by UUID or username' },
    {
      name: 'product',
      form: 'text',
      check: foreignId(),
      help: 'the product, by id or as the file of products names it',
    },
    { name: 'price', form: 'integer', check: integer(0), help: 'what was paid, in whole L$' },
    { name: 'at', form: 'text', check: timestamp(), help: 'when' },
  ],
  id: {
    from: ({ resident, product, price, at }, uuidOf) => JSON.stringify([uuidOf(resident), product, price, at]),
    repeats: () => true,
    asText: true,
  },
  unique: ({ id }) => ({ id: [id as string] }),
  onlyAdded: true,
  importer: () => importer,
  rows: async function* rows(store) {
    for await (const { sk, uuid, productId, ...purchase } of everyRow<PurchaseItem>(
      listPurchases(store),
      (item) => item.sk,
    ))
      yield { ...purchase, id: sk, resident: uuid, product: productId };
  },
};
