import { type CustomerItem, listCustomerItems, readCustomer } from '../../../lib/avatars/customers.ts';
import { readSpend, type SpendItem } from '../../../lib/avatars/spend.ts';
import { listStoredProducts } from '../../../lib/catalogue/products.ts';
import { nilUuid } from '../../../lib/identifier.ts';
import { everyPage, everyRow } from '../../../lib/lists/source.ts';
import { spendKey } from '../../../lib/table/keys.ts';
import { getMany } from '../../../lib/table/table.ts';
import { categories } from '../kinds/categories.ts';
import type { Values } from '../kinds/columns.ts';
import { coupons } from '../kinds/coupons.ts';
import { giftCards } from '../kinds/gift-cards.ts';
import type { Kind } from '../kinds/kind.ts';
import { products } from '../kinds/products.ts';
import type { Thing, ThingKind } from './record.ts';

/** The records of spend of some customers, by UUID. */
const readSpends = async (store: string, uuids: readonly string[]): Promise<Map<string, SpendItem>> => {
  const keys = uuids.map((uuid) => spendKey(store, uuid));
  return new Map((await getMany<SpendItem>(keys, { consistent: true })).map((item) => [item.sk, item]));
};

async function* ownCustomers(store: string): AsyncGenerator<Thing> {
  for await (const items of everyPage<CustomerItem>(listCustomerItems(store), ({ sk }) => sk)) {
    const spends = await readSpends(
      store,
      items.map(({ sk }) => sk),
    );
    for (const item of items) {
      const { uuid, username: _, ...fields } = readCustomer(item);
      const spend = spends.get(uuid);
      const { sum, lastYearSum } = spend ? readSpend(spend) : { sum: 0, lastYearSum: 0 };
      yield { kind: 'customers', id: uuid, values: { resident: uuid, ...fields, sum, lastYearSum } };
    }
  }
}

/** The values of a row of an export, by the names of the columns. */
const byColumn = ({ file }: Kind, row: Values): Values =>
  Object.fromEntries(
    (file?.columns ?? []).map(({ name }) => [
      name,
      name.split('.').reduce<unknown>((value, part) => (value as Values | undefined)?.[part], row),
    ]),
  );

const ofFile = (kind: ThingKind, of: Kind) =>
  async function* (store: string): AsyncGenerator<Thing> {
    for await (const row of of.file?.rows(store) ?? []) yield { kind, id: String(row.id), values: byColumn(of, row) };
  };

const readers: Record<ThingKind, (store: string) => AsyncGenerator<Thing>> = {
  categories: ofFile('categories', categories),
  products: ofFile('products', products),
  coupons: ofFile('coupons', coupons),
  customers: ownCustomers,
  giftcards: ofFile('giftcards', giftCards),
};

export const readOwn = (store: string, kind: ThingKind): AsyncGenerator<Thing> => readers[kind](store);

/** The ids of this store's products. */
export async function* ownProductIds(store: string): AsyncGenerator<string> {
  for await (const { id } of everyRow(listStoredProducts(store), ({ sk }) => sk)) if (id !== nilUuid) yield id;
}
