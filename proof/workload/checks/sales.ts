import { getSpend } from '../../../lib/routes/customers.ts';
import { getProduct, listOwnedProducts } from '../../../lib/routes/products.ts';
import { listSales, type Sale } from '../../../lib/routes/sales.ts';
import { type Book, spendOf } from '../book.ts';
import { type Service, send, walk } from '../client.ts';
import { onceEach } from '../faults.ts';
import { partOf, type Table } from '../table.ts';

/**
 * Sales: each acknowledged sale exists once, as it was answered, and its money adds up. Spend, owned products and stock
 * equal the sum of the completed sales.
 */

interface SaleBooks {
  sales: readonly Pick<Sale, 'id' | 'state' | 'deliveryId'>[];
  /** A spend of 0 is left out. */
  spend: readonly { uuid: string; sum: number; totalOwned: number }[];
  owned: readonly { uuid: string; productId: string; quantity: number }[];
  /** The copies that are left of each limited product. */
  left: ReadonlyMap<string, number>;
}

/** The copies of a product that are in shares of its stock. */
const inShares = (table: Table, product: string): number =>
  table.of('STOCK').reduce((sum, { sk, copies }) => sum + (sk.startsWith(`${product}#`) ? copies : 0), 0);

export const salesInTable = (table: Table, { stocks }: Book): SaleBooks => ({
  // The sweep keeps its place among the sales.
  sales: table
    .of('SALE')
    .filter(({ pk }) => pk.endsWith('#SALE'))
    .map(({ sk: id, state, deliveryId }) => ({ id, state, deliveryId })),
  spend: table.of('SPEND').map(({ sk: uuid, sum, totalOwned }) => ({ uuid, sum, totalOwned })),
  owned: table.of('OWNED').map((item) => ({ uuid: partOf(item), productId: item.sk, quantity: item.quantity })),
  left: new Map(
    table
      .of('PRODUCT')
      .filter(({ sk }) => stocks.has(sk))
      .map(({ sk, availableAmount }) => [sk, availableAmount + inShares(table, sk)]),
  ),
});

export const salesOverHttp = async (service: Service, uuids: Iterable<string>): Promise<SaleBooks> => {
  const [spend, owned]: [SaleBooks['spend'][number][], SaleBooks['owned'][number][]] = [[], []];
  for (const uuid of uuids) {
    const { sum, totalOwned } = (await send(service, getSpend, { params: { identifier: uuid } })).body;
    spend.push({ uuid, sum, totalOwned });
    for (const row of await walk(service, listOwnedProducts, { params: { identifier: uuid } }))
      owned.push({ uuid, productId: row.productId, quantity: row.quantity });
  }
  const left = new Map<string, number>();
  for (const id of service.book.stocks.keys())
    left.set(id, (await send(service, getProduct, { params: { id } })).body.availableAmount);
  return { sales: await walk(service, listSales, { query: { limit: 1000 } }), spend, owned, left };
};

/** The L$ that a sale keeps are the sum due besides credit, and no less than its shares. */
const moneyFaults = ({ id, state, paid, refund, change, total, shares, ...credit }: Sale): string[] => {
  const due = state === 'completed' ? total - credit.credit - credit.restrictedCredit : 0;
  const shared = shares.reduce((sum, { amount }) => sum + amount, 0);
  const isFair = paid - refund === due && (state === 'refunded' || (change === refund && shared <= due));
  const text = `of ${total} kept ${paid - refund}, gave ${change} back and ${shared} in shares`;
  return isFair ? [] : [`the ${state} sale ${id} ${text}, where ${due} was due`];
};

export const saleFaults = ({ sales, stocks }: Book, { sales: there, spend, owned, left }: SaleBooks): string[] => {
  const known = [...sales.values()].map(({ answer }) => answer);
  const lasting = known.filter(({ state }) => state === 'completed');
  const customers = new Set(lasting.flatMap(({ buyerUuid, recipientUuid }) => [buyerUuid ?? '', recipientUuid ?? '']));
  const textOf = ({ id, state, deliveryId }: SaleBooks['sales'][number]): string => `${id} ${state} ${deliveryId}`;
  const spentText = ({ uuid, sum, totalOwned }: SaleBooks['spend'][number]): string[] =>
    sum === 0 && totalOwned === 0 ? [] : [`${uuid}: ${sum} for ${totalOwned}`];
  return [
    ...onceEach('the sale', known.map(textOf), there.map(textOf)),
    ...known.flatMap(moneyFaults),
    ...onceEach(
      'the spend',
      [...customers].flatMap((uuid) => spentText({ uuid, ...spendOf(sales.values(), uuid) })),
      spend.flatMap(spentText),
    ),
    ...onceEach(
      'the owned product',
      [...Map.groupBy(lasting, ({ recipientUuid, productId }) => `${recipientUuid} ${productId}`)].map(
        ([name, some]) => `${name} ${some.length}`,
      ),
      owned.map(({ uuid, productId, quantity }) => `${uuid} ${productId} ${quantity}`),
    ),
    ...[...stocks].flatMap(([id, copies]) => {
      const sold = lasting.filter(({ productId }) => productId === id).length;
      return left.get(id) === copies - sold
        ? []
        : [`${sold} of ${copies} copies of ${id} were sold, but ${left.get(id)} are left`];
    }),
  ];
};
