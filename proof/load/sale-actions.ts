import { randomUUID } from 'node:crypto';
import { now, timestamp } from '../../lib/clock.ts';
import * as rows from '../../lib/routes/sales.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { balanceOf } from './account.ts';
import { send } from './client.ts';
import { type Action, compare, type World } from './world.ts';

/**
 * Actions on sales. A client sells its own products to its own customers, by quotes and without, and repeats sales. All
 * clients sell the last copies of the limited products, and see who got them at the end.
 */

/** The refusals that may come between a quote and its sale, without a change of the client's. */
const mayRefuse = (refusal: string | null, asked: { credit: number; isOver: boolean }): boolean =>
  // Regular credit may have come due.
  (refusal === 'credit-changed' && asked.credit > 0) ||
  // The prices of now count, and an application may have lapsed.
  (refusal === 'underpaid' && asked.isOver);

/** Notes a completed sale: what was kept, what it took of the credit, and the delivery that must be given once. */
const note = ({ service }: World, sale: rows.Sale, message: string): void => {
  const { ledger } = service;
  const { id, buyerUuid, recipientUuid, productId, paid, refund, deliveryId, state, credit, restrictedCredit } = sale;
  const [buyer, recipient] = [buyerUuid ?? '', recipientUuid ?? ''];
  const tookCredit = credit + restrictedCredit > 0;
  ledger.sales.set(id, { state, buyer, recipient, productId, kept: paid - refund, deliveryId, message, tookCredit });
  if (state !== 'completed') return;
  ledger.account(buyer, 'regular').taken += credit;
  ledger.account(buyer, 'restricted').taken += restrictedCredit;
  ledger.deliveries.set(message, { attempts: 1 });
  for (const uuid of [buyer, recipient]) ledger.changed('CUSTOMER', uuid, {});
};

/** Quotes a sale of an own product and then makes it, under a quote or without. The client knows how both must end. */
const sellOwn = async (world: World): Promise<void> => {
  const { service, pick, own, below, customers, unique } = world;
  const { ledger } = service;
  const productId = pick(own.products);
  if (productId === undefined) return;
  const [buyer, other] = [pick(customers) as Resident, pick(customers) as Resident];
  const recipient = below(4) === 0 ? other : buyer;
  const useCredit = below(3) > 0;
  const asked = {
    ...{ productId, buyerIdentifier: below(2) === 0 ? buyer.uuid : buyer.username, useCredit },
    ...((recipient !== buyer || below(2) === 0) && { recipientIdentifier: recipient.uuid }),
  };
  const quoted: rows.Quote = (await send(service, rows.createQuote, { body: asked })).body;
  const held = balanceOf(ledger.account(buyer.uuid, 'restricted'));
  const restrictedCredit = useCredit && recipient.uuid === buyer.uuid ? Math.min(held, quoted.total) : 0;
  const known = { productId, buyerUuid: buyer.uuid, recipientUuid: recipient.uuid, restrictedCredit };
  const product = ledger.rows.PRODUCT.get(productId)?.fields ?? {};
  compare(world, `a quote of ${productId}`, { ...quoted }, { ...known, base: product.price });

  const tip = below(3) === 0 ? 5 : 0;
  const message = unique('sale');
  const isQuoted = quoted.quote !== null && below(3) > 0;
  const body = {
    ...asked,
    ...{ id: randomUUID(), paid: quoted.toPay + tip, message },
    ...(isQuoted && { quote: quoted.quote }),
  };
  const sale: rows.Sale = (await send(service, rows.createSale, { body })).body;
  note(world, sale, message);
  const { refusal } = sale;
  const isOver = !isQuoted || quoted.expiresAt === null || timestamp(now()) >= quoted.expiresAt;
  if (refusal !== quoted.refusal && !mayRefuse(refusal, { credit: quoted.credit, isOver }))
    ledger.fault(`sale ${body.id} was ${refusal ?? 'completed'}, but its quote said ${quoted.refusal ?? 'nothing'}`);
  const { paid, refund, total, credit } = sale;
  if (sale.state === 'completed' && paid - refund + credit + sale.restrictedCredit !== total)
    ledger.fault(`sale ${body.id} of ${total} kept ${paid - refund}, and took ${credit} and ${sale.restrictedCredit}`);
  if (below(3) > 0) return;
  // A new request with the same id and body.
  const again = await send(service, rows.createSale, { body });
  compare(world, `sale ${body.id}, sent again`, again.body, {
    ...sale,
    discount: again.body.discount,
    shares: again.body.shares,
  });
};

/** Sells a copy of a limited product that all clients sell. */
const sellLimited = async (world: World): Promise<void> => {
  const { service, pick, customers, unique, limited } = world;
  const { ledger } = service;
  const product = pick(limited);
  const { uuid } = pick(customers) as Resident;
  if (product === undefined || ledger.rows.CUSTOMER.get(uuid)?.fields.isBanned) return;
  const message = unique('copy');
  const body = { id: randomUUID(), productId: product.id, buyerIdentifier: uuid, paid: product.price, message };
  const sale: rows.Sale = (await send(service, rows.createSale, { body })).body;
  note(world, sale, message);
  if (sale.state === 'refused' && sale.refusal !== 'sold-out')
    ledger.fault(`a copy of ${product.id} was refused as ${sale.refusal}`);
};

/**
 * Refunds a sale to an own customer, now and then twice. Only one that took no credit: the ledger knows lots by their
 * amounts, and what comes back makes new ones.
 */
const refund = async (world: World): Promise<void> => {
  const { service, pick, customers, unique, below } = world;
  const { sales, deliveries } = service.ledger;
  const { uuid } = pick(customers) as Resident;
  const mine = [...sales].filter(
    ([, { buyer, state, tookCredit }]) => buyer === uuid && state === 'completed' && !tookCredit,
  );
  const [id, sale] = pick(mine) ?? [];
  if (id === undefined || sale === undefined) return;
  const reference = unique('refund');
  const call = { params: { id }, body: { reference } };
  const { body } = await send(service, rows.refundSale, call);
  sale.state = 'refunded';
  deliveries.set(sale.message, { attempts: 1, isRefunded: true });
  compare(world, `sale ${id} as refunded`, body, {
    id,
    state: 'refunded',
    refund: body.paid,
    refundReference: reference,
  });
  if (below(3) > 0) return;
  const again = await send(service, rows.refundSale, { ...call, body: { reference: 'another' } });
  compare(world, `sale ${id}, refunded again`, again.body, { refundReference: reference, refundedAt: body.refundedAt });
};

const read = async (world: World): Promise<void> => {
  const { service, pick, customers } = world;
  const { uuid } = pick(customers) as Resident;
  const { sales } = service.ledger;
  const { body } = await send(service, rows.listSales, { query: { buyer: uuid, limit: 1000 } });
  const known = [...sales].filter(([, { buyer }]) => buyer === uuid).map(([id]) => id);
  const found = body.data.map(({ id }: rows.Sale) => id);
  if (known.toSorted().join() !== found.toSorted().join())
    service.ledger.fault(`the sales to ${uuid}: ${found.length} were answered, not ${known.length}`);
  const id = pick(known);
  if (id === undefined) return;
  const answer = await send(service, rows.getSale, { params: { id } });
  const { state, deliveryId } = sales.get(id) ?? {};
  compare(world, `sale ${id}`, answer.body, { id, state, deliveryId, buyerUuid: uuid });
};

export const saleActions: readonly Action[] = [
  { weight: 7, run: sellOwn },
  { weight: 4, run: sellLimited },
  { weight: 2, run: refund },
  { weight: 3, run: read },
];
