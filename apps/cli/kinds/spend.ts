import { findCustomerItem } from '../../../lib/avatars/customers.ts';
import { listPurchases, type SpendItem } from '../../../lib/avatars/spend.ts';
import { rankedBy, spendListOf } from '../../../lib/avatars/spend-list.ts';
import { everyRow } from '../../../lib/lists/source.ts';
import { listSales } from '../../../lib/sale/sales.ts';
import { partition, spendKey } from '../../../lib/table/keys.ts';
import { getMany, rowsOf } from '../../../lib/table/table.ts';
import { type Check, forEvery } from './audit.ts';
import type { Kind } from './kind.ts';
import { itemAt, personal } from './personal.ts';

/** At most this many buyers are in memory at once. For each further group, all purchases are read once more. */
const buyersAtOnce = 50_000;

interface Buyer {
  spend: SpendItem;
  /** The prices of their purchases plus the L$ that their sales kept. */
  bought: number;
}

const findSpend = async (store: string, uuid: string): Promise<SpendItem | undefined> =>
  (await getMany<SpendItem>([spendKey(store, uuid)], { consistent: true }))[0];

/** Yields the buyers of a store, ordered by UUID, each with `bought`. */
async function* buyersOf(store: string, onFault: (fault: string) => void): AsyncGenerator<Buyer> {
  let from = '';
  let buyers = new Map<string, Buyer>();
  const withPurchases = async (until: string | undefined): Promise<Iterable<Buyer>> => {
    const count = async (what: string, uuid: string, price: number): Promise<void> => {
      if (uuid <= from || (until !== undefined && uuid > until)) return;
      const buyer = buyers.get(uuid);
      if (buyer) buyer.bought += price;
      else if (!(await findSpend(store, uuid))) onFault(`${what}: its buyer ${uuid} has no record of spend.`);
    };
    for await (const { sk, uuid, price } of everyRow(listPurchases(store), (row) => row.sk))
      await count(`purchase ${sk}`, uuid, price);
    for await (const { sk, state, buyerUuid, paid, refund } of everyRow(listSales(store), (row) => row.sk))
      if (state === 'completed' && paid > refund) await count(`sale ${sk}`, buyerUuid ?? '', paid - refund);
    return buyers.values();
  };
  const spends = rowsOf<SpendItem>({ partition: partition(store, 'SPEND') });
  for await (const spend of everyRow(spends, ({ sk }) => sk)) {
    buyers.set(spend.sk, { spend, bought: 0 });
    if (buyers.size < buyersAtOnce) continue;
    yield* await withPurchases(spend.sk);
    from = spend.sk;
    buyers = new Map();
  }
  yield* await withPurchases(undefined);
}

/** Compares a buyer's record of spend with their customer's item and with the products that they own. */
const recordFaults = async (
  store: string,
  { sk: uuid, sum, totalOwned, ranked, rank }: SpendItem,
): Promise<string[]> => {
  const [owned, customer] = await Promise.all([
    rowsOf({ partition: partition(store, 'OWNED', uuid) })({ descending: false }),
    findCustomerItem(store, uuid),
  ]);
  const faults: string[] = [];
  if (totalOwned !== owned.length) faults.push(`${totalOwned} products are counted as owned, ${owned.length} are`);
  if (!customer) faults.push('is no customer');
  const list = spendListOf(store, customer?.newsSubscriber ?? false);
  if (ranked !== list) faults.push(`is listed in ${ranked ?? 'nothing'}, not in ${list}`);
  if (rank !== rankedBy(sum, uuid).rank) faults.push(`is listed by a spend of ${rank ?? 'nothing'}, not of ${sum}`);
  return faults.map((fault) => `buyer ${uuid}: ${fault}.`);
};

/** A buyer's spend is the sum of their purchases and sales. The count of their products is right. */
export const checkSpend: Check = (store, listener) =>
  forEvery(buyersOf(store, listener.onFault), listener, async ({ spend, bought }) => {
    const uuid = spend.sk;
    if (bought === spend.sum && (await recordFaults(store, spend)).length === 0) return [];
    const current = await findSpend(store, uuid);
    if (!current) return [`buyer ${uuid}: the record of spend was removed while it was read.`];
    const faults = await recordFaults(store, current);
    if (bought === spend.sum) return faults;
    // A purchase may be missing, or may have been made after the purchases were read. The current sum tells which.
    const sumFault =
      current.sum === spend.sum
        ? `buyer ${uuid}: has spent ${spend.sum}, but the purchases come to ${bought}.`
        : `buyer ${uuid}: buys while the purchases are read, and could not be checked.`;
    return [...faults, sumFault];
  });

/** The L$ that each buyer has spent, and the number of products that they own. */
export const spend: Kind = {
  personal: [
    personal<SpendItem>({
      words: ['record of spend', 'records of spend'],
      effect: 'pseudonym',
      phase: 'customer',
      find: (store, uuid) => itemAt(spendKey(store, uuid)),
      kept: (item, { store, pseudonym, owned }) => ({
        ...item,
        ...spendKey(store, pseudonym),
        username: pseudonym,
        totalOwned: owned,
        ranked: spendListOf(store, false),
        ...(item.rank && rankedBy(item.sum, pseudonym)),
      }),
      // An earlier erasure may have found spend without a customer. Its pseudonym has no customer, so it is used again.
      merged: (item, there) => {
        const sum = item.sum + there.sum;
        const days = { ...there.days };
        for (const [day, spent] of Object.entries(item.days)) days[day] = (days[day] ?? 0) + spent;
        const version = there.version + 1;
        return { ...there, version, sum, days, totalOwned: item.totalOwned, ...rankedBy(sum, item.sk) };
      },
    }),
  ],
  audit: [
    {
      what: 'buyers',
      check: checkSpend,
      holds: 'spend = purchases + sales that were not refunded; products owned are counted',
    },
  ],
};
