import type { CustomerItem } from '../../avatars/customers.ts';
import type { OwnedItem } from '../../avatars/owned.ts';
import type { Resident } from '../../avatars/residents.ts';
import { type BuyerState, type PurchaseItem, purchaseItems, type SpendItem } from '../../avatars/spend.ts';
import { nilUuid } from '../../identifier.ts';
import { customerKey, ownedKey, productKey, purchaseKey, spendKey } from '../../table/keys.ts';
import type { Key } from '../../table/schema.ts';
import { type Fault, type Group, type Importer, type Row, readItems, unknownReference } from './rows.ts';

export interface PurchaseFields {
  id: string;
  resident: Resident;
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

/** A transaction takes 100 items: two for the buyer, and two for each of 49 purchases. */
const together = 49;

const boughtIn = (row: Row<PurchaseFields>): PurchaseRow => {
  const { id, resident: buyer, product: productId, price, at } = row.fields;
  return { row, buyer, id, productId, price, at };
};

/** Reads the stored purchases and their buyers. */
const readPurchases = async (store: string, all: PurchaseRow[]) => {
  const read = <T extends Key>(keyOf: (bought: PurchaseRow) => Key) => readItems<T>(all.map(keyOf));
  const [recorded, products, owned, spends, customers] = await Promise.all([
    read<PurchaseItem>(({ id }) => purchaseKey(store, id)),
    read(({ productId }) => productKey(store, productId)),
    read<OwnedItem>(({ buyer, productId }) => ownedKey(store, buyer.uuid, productId)),
    read<SpendItem>(({ buyer }) => spendKey(store, buyer.uuid)),
    read<CustomerItem>(({ buyer }) => customerKey(store, buyer.uuid)),
  ]);
  return {
    recorded: ({ id }: PurchaseRow) => recorded(purchaseKey(store, id)),
    isSold: ({ productId }: PurchaseRow) =>
      productId === nilUuid || products(productKey(store, productId)) !== undefined,
    stateOf: (buyer: Resident, purchases: PurchaseRow[]): BuyerState => ({
      spend: spends(spendKey(store, buyer.uuid)),
      customer: customers(customerKey(store, buyer.uuid)),
      recorded: new Map(
        purchases.flatMap(({ id }) => recorded(purchaseKey(store, id)) ?? []).map((one) => [one.sk, one]),
      ),
      owned: new Map(
        purchases.flatMap(({ productId }) => {
          const item = owned(ownedKey(store, buyer.uuid, productId));
          return item ? [[productId, item] as const] : [];
        }),
      ),
    }),
  };
};

const isSamePurchase = ({ buyer, productId, price, at }: PurchaseRow, item: PurchaseItem): boolean =>
  item.uuid === buyer.uuid && item.productId === productId && item.price === price && item.at === at;

/** The sum of a buyer's unknown purchases may be corrected, since nothing else is known about them. */
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
export const purchaseImporter: Importer<PurchaseFields> = {
  plan: async (rows, { store }) => {
    const all = rows.map(boughtIn);
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
