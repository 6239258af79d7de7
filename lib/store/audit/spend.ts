import { findCustomerItem, rankOf } from '../customers.ts';
import { everyRow, getMany, rowsOf } from '../query.ts';
import { listPurchases, type SpendItem, spendKey } from '../spend.ts';
import { partition } from '../table.ts';
import { type Check, faultsOf, forEvery } from './check.ts';

/** So many buyers are held in memory at once; for more the purchases are read once more for each so many. */
const buyersAtOnce = 50_000;

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

const look = async (store: string, uuid: string): Promise<string[]> => {
  const [spend] = await getMany<SpendItem>([spendKey(store, uuid)], { consistent: true });
  const owned = await rowsOf({ partition: partition(store, 'OWNED', uuid) })({ descending: false });
  const customer = (await findCustomerItem(store, uuid)) as ({ sum?: number; rank?: string } & object) | undefined;
  if (!spend) return [`buyer ${uuid}: the record of spend was removed while it was read.`];
  const faults: string[] = [];
  if (spend.totalOwned !== owned.length)
    faults.push(`${spend.totalOwned} products are counted as owned, ${owned.length} are`);
  if (spend.sum !== (customer?.sum ?? 0))
    faults.push(`has spent ${spend.sum}, but ${customer?.sum ?? 0} as a customer`);
  if (spend.sum > 0 && customer?.rank !== rankOf(spend.sum, uuid))
    faults.push(`is listed by a spend of ${customer?.rank ?? 'nothing'}, not of ${spend.sum}`);
  return faults.map((fault) => `buyer ${uuid}: ${fault}.`);
};

/** What a buyer has spent is the sum of their purchases, and what they own is counted rightly. */
export const checkSpend: Check = async (store, onFault) => {
  let count = 0;
  const check = async ([uuid, { spend, bought }]: [string, Buyer]): Promise<void> => {
    for (const fault of await faultsOf(() => look(store, uuid))) onFault(fault);
    if (bought === spend.sum) return;
    const [current] = await getMany<SpendItem>([spendKey(store, uuid)], { consistent: true });
    // Purchases that were recorded while the others were read cannot be told from ones that are missing.
    const moved = current?.sum !== spend.sum;
    onFault(
      moved
        ? `buyer ${uuid}: buys while the purchases are read, and could not be checked.`
        : `buyer ${uuid}: has spent ${spend.sum}, but the purchases come to ${bought}.`,
    );
  };
  for await (const buyers of buyersOf(store, onFault)) count += await forEvery(asyncEntries(buyers), check);
  return count;
};

async function* asyncEntries<K, V>(map: Map<K, V>): AsyncGenerator<[K, V]> {
  yield* map;
}
