import { banCustomer, updateCustomer } from '../../lib/avatars/customers.ts';
import { noteDelivered } from '../../lib/avatars/owned.ts';
import type { Resident } from '../../lib/avatars/residents.ts';
import { applyCoupon } from '../../lib/catalogue/applied-coupons.ts';
import { now, timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { claimDelivery, completeDelivery } from '../../lib/delivery/deliveries.ts';
import { refundSale } from '../../lib/sale/refund.ts';
import { findSale, getSale } from '../../lib/sale/sales.ts';
import { sell } from '../../lib/sale/sell.ts';
import { sendUnsent } from '../../lib/sale/sweep.ts';
import { orderOf } from '../../lib/sale/unsent.ts';
import type { Store } from '../../lib/store/stores.ts';
import { demoProduct } from './catalogue.ts';
import { at, buyers, day, demoUuid, friends } from './residents.ts';

/** A sale of the last weeks, `days` ago. Buyer and recipient are indexes in `people`. */
interface DemoSale {
  days: number;
  buyer: number;
  product: string;
  /** In L$; by default the full price. */
  paid?: number;
  recipient?: number;
  useCredit?: true;
}

const [friend] = friends as [Resident];
const people = [...buyers, friend];

/** The sales, the oldest first. Some buyers pay the full price although they have a discount, and get change. */
const demoSales: readonly DemoSale[] = [
  { days: 27, buyer: 0, product: 'Fjord chair, oak' },
  { days: 27, buyer: 4, product: 'Meadow vase, sage' },
  { days: 26, buyer: 1, product: 'Duet bench' },
  { days: 24, buyer: 6, product: 'Fjord table, oak' },
  { days: 23, buyer: 5, product: 'Straw hat', paid: 0, useCredit: true },
  { days: 21, buyer: 0, product: 'Duet bench', paid: 350, useCredit: true },
  { days: 20, buyer: 3, product: 'Fireflies in a jar' },
  { days: 19, buyer: 6, product: 'Willow cottage, 100%_mesh' },
  { days: 17, buyer: 1, product: 'Fireflies in a jar', recipient: 2 },
  { days: 16, buyer: 4, product: 'Fjord sofa, white' },
  { days: 14, buyer: 2, product: 'Duet bench' },
  { days: 14, buyer: 3, product: 'Harbour lamp, walnut' },
  { days: 13, buyer: 0, product: 'Chaise longue «Été»' },
  { days: 12, buyer: 7, product: 'Numbered print: Harbour at dawn' },
  { days: 11, buyer: 5, product: 'Wool winter coat', paid: 600, useCredit: true },
  { days: 10, buyer: 3, product: 'Wingback armchair' },
  { days: 9, buyer: 6, product: 'Fjord bed, oak' },
  { days: 8, buyer: 4, product: 'Atelier mirror, black' },
  { days: 7, buyer: 1, product: 'Gallery frames, set of five', paid: 1140 },
  { days: 6, buyer: 5, product: 'Meadow rug, sage' },
  { days: 5, buyer: 2, product: 'Linen summer dress', paid: 167 },
  { days: 5, buyer: 2, product: 'Linen summer dress', paid: 167 },
  { days: 4, buyer: 0, product: 'Linen summer dress', paid: 167, recipient: 3 },
  { days: 3, buyer: 3, product: 'Fjord chair, oak' },
  { days: 3, buyer: 6, product: 'Fjord lamp, oak' },
  { days: 2, buyer: 1, product: 'Wool winter coat', paid: 538, useCredit: true },
  { days: 2, buyer: 4, product: 'Harbour candle, sage' },
  { days: 1, buyer: 2, product: 'Meadow bed, white' },
  { days: 1, buyer: 0, product: 'Harbour sofa, walnut' },
  { days: 1, buyer: 5, product: 'Fireflies in a jar' },
  { days: 0, buyer: 6, product: 'Atelier sofa, sage' },
  { days: 0, buyer: 4, product: 'Chaise longue «Été»' },
  { days: 0, buyer: 1, product: 'Harbour bed, oak' },
];

/** The ids of the sales of the last weeks. */
export const demoSaleIds = (): string[] => demoSales.map((_, index) => saleId(index));

const saleId = (index: number): string => demoUuid(10, index + 1);
const refundedId = saleId(21);

/** Makes a past sale, and its delivery a minute later. */
const makeSale = async (store: string, sale: DemoSale, id: string): Promise<void> => {
  const identifierOf = (index: number) => ({ uuid: people[index]?.uuid ?? '' });
  const { buyer, recipient, product, useCredit = false } = sale;
  const { id: productId, price } = demoProduct(product);
  const parties = {
    productId,
    buyerIdentifier: identifierOf(buyer),
    ...(recipient !== undefined && { recipientIdentifier: identifierOf(recipient) }),
  };
  const reference = `Vendor of ${product}`;
  await sell(store, { id, ...parties, useCredit, paid: sale.paid ?? price, message: '', reference }, { by: 'demo' });
  const order = orderOf(await getSale(store, id));
  await at(now() + 60_000, async () => {
    const { claimed, delivery } = await claimDelivery(order, 0);
    if (!claimed) return;
    await completeDelivery(delivery);
    await noteDelivered(store, order.recipientUuid, order.productId);
  });
};

/** Makes the buyers' earlier credit, a discount, and a coupon for a week. */
const seedBenefits = async (store: string, noon: number): Promise<void> => {
  const [first, second, third, , , sixth] = [...buyers] as Resident[];
  const expiresAt = timestamp(noon + 60 * day);
  const give = (type: 'regular' | 'restricted', uuid = '', credit = 0, reason = '', end?: { expiresAt: string }) =>
    changeCredit(store, { uuid }, type, { kind: 'set', credit, ...end }, { by: 'demo', reason });
  await at(noon - 28 * day, async () => {
    await updateCustomer(store, { uuid: second?.uuid ?? '' }, { discount: 5 });
    if (await findSale(store, saleId(0))) return;
    await give('regular', first?.uuid, 300, 'Welcome back');
    await give('restricted', first?.uuid, 150, 'Prize of the raffle', { expiresAt });
    await give('regular', second?.uuid, 80, 'Late delivery', { expiresAt });
    await give('restricted', sixth?.uuid, 200, 'Prize of the raffle', { expiresAt });
  });
  const code = { code: 'partner15', expiresInHours: 168 };
  await at(noon - 15 * day, () => applyCoupon(store, { uuid: third?.uuid ?? '' }, code));
};

const minute = 60_000;

/**
 * Makes the sales of the last weeks by the service's own functions, on a clock in the past: with credit, a coupon, a
 * discount, shares, gifts and change. All are delivered, one is refunded.
 */
const seedLastWeeks = async (store: string): Promise<void> => {
  if ((await findSale(store, refundedId))?.state === 'refunded') return;
  const start = now();
  const noon = Math.floor(start / day) * day + day / 2;
  await seedBenefits(store, noon);
  for (const [index, sale] of demoSales.entries()) {
    // Earlier sales are made from 7 in the morning to 5 in the afternoon, today's in the last four hours.
    const time = noon + (((index * 97) % 600) - 300) * minute - sale.days * day;
    const today = start - (demoSales.length - index) * 67 * minute;
    await at(sale.days === 0 ? today : time, () => makeSale(store, sale, saleId(index)));
  }
  // The ban comes after the buyer's sales.
  await banCustomer(store, { uuid: buyers.at(-1)?.uuid ?? '' }, 'Resold copies of the numbered prints.');
  const why = { by: 'demo', reason: 'Bought twice', reference: 'Ticket 31' };
  await at(noon - 4 * day, () => refundSale(store, refundedId, why));
  // Each of these sales has a delivery, so this orders none.
  await sendUnsent();
};

/** Makes a sale that credit paid in part. It must run before the buyer gets other credit. */
export const seedFriendSale = async ({ id: store }: Store): Promise<void> => {
  const id = demoUuid(8, 3);
  const time = now() - 3 * day;
  const held = { kind: 'set', credit: 150 } as const;
  if (!(await findSale(store, id)))
    await at(time - day, () =>
      changeCredit(store, { uuid: friend.uuid }, 'regular', held, { by: 'demo', reason: 'Trade-in of the old coat' }),
    );
  const sale = { days: 3, buyer: people.indexOf(friend), product: 'Wool winter coat', paid: 500 };
  await at(time, () => makeSale(store, { ...sale, useCredit: true }, id));
};

/** Makes the sales of the last weeks, and a refused one. */
export const seedSales = async ({ id }: Store): Promise<void> => {
  await seedLastWeeks(id);
  const parties = {
    productId: demoProduct('Wool winter coat').id,
    buyerIdentifier: { username: 'nova' },
    useCredit: false,
  };
  await sell(
    id,
    { id: demoUuid(8, 1), ...parties, paid: 500, message: '', reference: 'Vendor of Wool winter coat' },
    { by: 'demo' },
  );
};
