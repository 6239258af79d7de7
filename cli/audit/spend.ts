import { type CustomerItem, customerKey, findCustomerItem, rankOf } from '../../lib/store/customers.ts';
import { listPurchases, type SpendItem, spendKey } from '../../lib/store/spend.ts';
import { everyRow, getMany, rowsOf } from '../../lib/table/query.ts';
import { partition } from '../../lib/table/table.ts';
import { type Check, faultsOf } from './check.ts';

/** So many buyers are held in memory at once; for more the purchases are read once more for each so many. */
const buyersAtOnce = 50_000;

const readAtOnce = 25;

interface Buyer {
  spend: SpendItem;
  /** The prices of the purchases that were met. */
  bought: number;
}

const listSpends = (store: string) => rowsOf<SpendItem>({ partition: partition(store, 'SPEND') });

/** The buyers of a store in the order of their UUIDs, many at a time, with what they have bought. */
async function* buyersOf(store: string, onFault: (fault: string) => void): AsyncGenerator<Map<string, Buyer>> {
  let from = '';
  let buyers = new Map<string, Buyer>();
  const met = async (until: string | undefined): Promise<Map<string, Buyer>> => {
    for await (const { sk, uuid, price } of everyRow(listPurchases(store), (row) => row.sk)) {
      if (uuid <= from || (until !== undefined && uuid > until)) continue;
      const buyer = buyers.get(uuid);
      if (buyer) buyer.bought += price;
      else if ((await getMany([spendKey(store, uuid)], { consistent: true })).length === 0)
        onFault(`purchase ${sk}: its buyer ${uuid} has no record of spend.`);
    }
    return buyers;
  };
  for await (const spend of everyRow(listSpends(store), ({ sk }) => sk)) {
    buyers.set(spend.sk, { spend, bought: 0 });
    if (buyers.size < buyersAtOnce) continue;
    yield await met(spend.sk);
    from = spend.sk;
    buyers = new Map();
  }
  yield await met(undefined);
}

/** What is wrong between a buyer's record of spend, their customer's item and what they own. */
const faultsBetween = async (store: string, spend: SpendItem, customer: RankedItem | undefined): Promise<string[]> => {
  const { sk: uuid, sum, totalOwned } = spend;
  const owned = await rowsOf({ partition: partition(store, 'OWNED', uuid) })({ descending: false });
  const faults: string[] = [];
  if (totalOwned !== owned.length) faults.push(`${totalOwned} products are counted as owned, ${owned.length} are`);
  if (sum !== (customer?.sum ?? 0)) faults.push(`has spent ${sum}, but ${customer?.sum ?? 0} as a customer`);
  if (sum > 0 && customer?.rank !== rankOf(sum, uuid))
    faults.push(`is listed by a spend of ${customer?.rank ?? 'nothing'}, not of ${sum}`);
  return faults.map((fault) => `buyer ${uuid}: ${fault}.`);
};

interface RankedItem extends CustomerItem {
  rank?: string;
}

const look = async (store: string, uuid: string): Promise<string[]> => {
  const [spend] = await getMany<SpendItem>([spendKey(store, uuid)], { consistent: true });
  if (!spend) return [`buyer ${uuid}: the record of spend was removed while it was read.`];
  return faultsBetween(store, spend, await findCustomerItem(store, uuid));
};

/** What a buyer has spent is the sum of their purchases, and what they own is counted rightly. */
export const checkSpend: Check = async (store, { onFault, onChecked }) => {
  const check = async ({ spend, bought }: Buyer, customer: RankedItem | undefined): Promise<void> => {
    const uuid = spend.sk;
    if ((await faultsBetween(store, spend, customer)).length > 0)
      for (const fault of await faultsOf(() => look(store, uuid))) onFault(fault);
    if (bought === spend.sum) return;
    const [current] = await getMany<SpendItem>([spendKey(store, uuid)], { consistent: true });
    // Purchases that were recorded while the others were read cannot be told from ones that are missing.
    onFault(
      current?.sum === spend.sum
        ? `buyer ${uuid}: has spent ${spend.sum}, but the purchases come to ${bought}.`
        : `buyer ${uuid}: buys while the purchases are read, and could not be checked.`,
    );
  };
  let count = 0;
  for await (const buyers of buyersOf(store, onFault)) {
    const all = [...buyers.values()];
    for (let start = 0; start < all.length; start += readAtOnce) {
      const some = all.slice(start, start + readAtOnce);
      const keys = some.map(({ spend }) => customerKey(store, spend.sk));
      const customers = new Map((await getMany<RankedItem>(keys, { consistent: true })).map((item) => [item.sk, item]));
      await Promise.all(some.map((buyer) => check(buyer, customers.get(buyer.spend.sk))));
      count += some.length;
      onChecked(count);
    }
  }
  return count;
};
