import { type Identifier, nilUuid } from '../../../lib/identifier.ts';
import { identifier, integer } from '../../../lib/routes/wire.ts';
import { type CustomerItem, customerKey } from '../../../lib/store/customers.ts';
import { productKey } from '../../../lib/store/memberships.ts';
import { type OwnedItem, ownedKey } from '../../../lib/store/owned.ts';
import type { Resident } from '../../../lib/store/residents.ts';
import {
  type BuyerState,
  listPurchases,
  type PurchaseItem,
  purchaseItems,
  purchaseKey,
  type SpendItem,
} from '../../../lib/store/spend.ts';
import { spendKey } from '../../../lib/store/spend-list.ts';
import { getMany } from '../../../lib/table/table.ts';
import { columns, foreignId, optionalText, rowsFrom, timeOfSale } from './columns.ts';
import type { Kind } from './kind.ts';
import { matching, personal } from './personal.ts';
import {
  type Fault,
  type Group,
  type Importer,
  idFrom,
  type Row,
  residentOf,
  type Setting,
  unknownReference,
} from './rows.ts';

interface PurchaseFields {
  id: string;
  resident: Identifier;
  /** A product's id, or the text that its id is made of. */
  product: string;
  price: number;
  at: string;
}

interface PurchaseRow {
  row: Row<PurchaseFields>;
  buyer: Resident;
  id: string;
  productId: string;
  price: number;
  at: string;
}

/** A transaction takes 100 items: two of the buyer, and two for each of 49 purchases. */
const together = 49;

const boughtIn = (row: Row<PurchaseFields>, setting: Setting): PurchaseRow => {
  const { id, resident, product, price, at } = row.fields;
  const productId = idFrom(setting.store, 'products', product);
  return { row, buyer: residentOf(setting, resident), id, productId, price, at };
};

/** Reads the stored purchases and their buyers. */
const readPurchases = async (store: string, all: PurchaseRow[]) => {
  const read = async <T extends { pk: string; sk: string }>(
    keyOf: (bought: PurchaseRow) => { pk: string; sk: string },
  ) => new Map((await getMany<T>(all.map(keyOf), { consistent: true })).map((item) => [`${item.pk} ${item.sk}`, item]));
  const [recorded, products, owned, spends, customers] = await Promise.all([
    read<PurchaseItem>(({ id }) => purchaseKey(store, id)),
    read(({ productId }) => productKey(store, productId)),
    read<OwnedItem>(({ buyer, productId }) => ownedKey(store, buyer.uuid, productId)),
    read<SpendItem>(({ buyer }) => spendKey(store, buyer.uuid)),
    read<CustomerItem>(({ buyer }) => customerKey(store, buyer.uuid)),
  ]);
  const at = <T>(items: Map<string, T>, { pk, sk }: { pk: string; sk: string }): T | undefined =>
    items.get(`${pk} ${sk}`);
  return {
    recorded: ({ id }: PurchaseRow) => at(recorded, purchaseKey(store, id)),
    isSold: ({ productId }: PurchaseRow) =>
      productId === nilUuid || at(products, productKey(store, productId)) !== undefined,
    stateOf: (buyer: Resident, purchases: PurchaseRow[]): BuyerState => ({
      spend: at(spends, spendKey(store, buyer.uuid)),
      customer: at(customers, customerKey(store, buyer.uuid)),
      recorded: new Map(
        purchases.flatMap(({ id }) => at(recorded, purchaseKey(store, id)) ?? []).map((one) => [one.sk, one]),
      ),
      owned: new Map(
        purchases.flatMap(({ productId }) => {
          const item = at(owned, ownedKey(store, buyer.uuid, productId));
          return item ? [[productId, item] as const] : [];
        }),
      ),
    }),
  };
};

const isSamePurchase = ({ buyer, productId, price, at }: PurchaseRow, item: PurchaseItem): boolean =>
  item.uuid === buyer.uuid && item.productId === productId && item.price === price && item.at === at;

/** A sum of unknown purchases of the same buyer may be corrected: another system's API tells no more of them. */
const isCorrection = ({ buyer, productId }: PurchaseRow, item: PurchaseItem): boolean =>
  productId === nilUuid && item.productId === nilUuid && item.uuid === buyer.uuid;

/** The fault of a purchase that contradicts the table. */
const purchaseFault = (bought: PurchaseRow, recorded: PurchaseItem | undefined, isSold: boolean): Fault | undefined => {
  const { id, product } = bought.row.fields;
  if (recorded && !isSamePurchase(bought, recorded) && !isCorrection(bought, recorded))
    return { field: 'id', value: id, message: 'was recorded already with other values; a purchase cannot be changed' };
  if (recorded || isSold) return undefined;
  return { field: 'product', value: product, message: unknownReference('products') };
};

/** Purchases. One transaction records a purchase, its buyer's spend and the product that they own. */
const purchaseImporter: Importer<PurchaseFields> = {
  plan: async (rows, setting) => {
    const { store } = setting;
    const all = rows.map((row) => boughtIn(row, setting));
    const stored = await readPurchases(store, all);
    const groups: Group<PurchaseFields>[] = [];
    const byBuyer = new Map<string, PurchaseRow[]>();
    for (const bought of all) {
      const recorded = stored.recorded(bought);
      const fault = purchaseFault(bought, recorded, stored.isSold(bought));
      if (fault || (recorded && isSamePurchase(bought, recorded)))
        groups.push({ rows: [bought.row], outcome: fault ?? 'unchanged' });
      else byBuyer.set(bought.buyer.uuid, [...(byBuyer.get(bought.buyer.uuid) ?? []), bought]);
    }
    // A round writes one transaction for each buyer. The next round plans the rest.
    for (const theirs of byBuyer.values())
      for (let i = 0; i < theirs.length; i += together) {
        const some = theirs.slice(i, i + together);
        const { buyer } = some[0] as PurchaseRow;
        groups.push({
          rows: some.map(({ row }) => row),
          outcome: some.some(stored.recorded) ? 'changed' : 'created',
          writes: purchaseItems(store, buyer, some, stored.stateOf(buyer, some)),
        });
      }
    return groups;
  },
};

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
  personal: [
    personal<PurchaseItem>({
      words: ['purchase', 'purchases'],
      effect: 'pseudonym',
      find: findPurchases,
      kept: (purchase, { pseudonym }) => ({ ...purchase, uuid: pseudonym }),
    }),
  ],
};
