import { randomUUID } from 'node:crypto';
import type { Resident } from '../../../lib/avatars/residents.ts';
import { now, timestamp } from '../../../lib/clock.ts';
import * as rows from '../../../lib/routes/sales.ts';
import { type Holding, type ModelCustomer, spendable } from '../../../test/support/model/credit.ts';
import { type Action, compare, compareIds, type World } from '../action.ts';
import { send } from '../client.ts';

/**
 * Actions on sales. A client sells its own products to its own customers, with quotes and without, and repeats sales.
 * All clients sell the last copies of the limited products, and see at the end who got them.
 */

/** The refusals that may come between a quote and its sale, although the client changed nothing. */
const mayRefuse = (refusal: string | null, asked: { credit: number; isOver: boolean }): boolean =>
  // Regular credit may have come due.
  (refusal === 'credit-changed' && asked.credit > 0) ||
  // The present prices count, and an application may have ended.
  (refusal === 'underpaid' && asked.isOver);

interface Selling extends Record<string, unknown> {
  id: string;
  message: string;
}

/** Sends a sale and notes it: what it took from the credit, and the delivery that must be given once. */
const sell = async ({ service }: World, body: Selling): Promise<rows.Sale> => {
  const { book } = service;
  const end = book.begin();
  const answer: rows.Sale = (await send(service, rows.createSale, { body })).body;
  const { message } = body;
  book.sales.set(answer.id, { answer, message, asked: end() });
  if (answer.state === 'refused') return answer;
  book.deliveries.set(message, { attempts: 1 });
  for (const uuid of [answer.buyerUuid, answer.recipientUuid]) book.changed('CUSTOMER', uuid ?? '', {});
  return answer;
};

/** The clock of the service may be this far behind the clients' clock. */
const lagMillis = 300_000;

/** Asks for a quote, and notes the credit that it promises. */
const quote = async ({ service }: World, asked: object): Promise<rows.Quote> => {
  const { book } = service;
  const end = book.begin();
  const { body } = await send(service, rows.createQuote, { body: asked });
  const { buyerUuid: uuid, recipientUuid, total, credit, restrictedCredit, toPay }: rows.Quote = body;
  const interval = end();
  const useCredit = 'useCredit' in asked && asked.useCredit === true;
  const most = (customer: ModelCustomer, left: number, at: number): number =>
    useCredit ? Math.min(left, spendable(customer, at)) : 0;
  const isTrue = ({ regular, restricted }: Holding): boolean => {
    const [from, until] = [interval.from - lagMillis, interval.until];
    const mayTake = (customer: ModelCustomer, left: number, taken: number): boolean =>
      most(customer, left, until) <= taken && taken <= most(customer, left, from);
    return (
      (recipientUuid === uuid ? mayTake(restricted, total, restrictedCredit) : restrictedCredit === 0) &&
      mayTake(regular, total - restrictedCredit, credit) &&
      toPay === total - restrictedCredit - credit
    );
  };
  book.seen.push({ uuid, ...interval, text: `a quote of ${total} answered ${restrictedCredit} and ${credit}`, isTrue });
  return body;
};

/**
 * Quotes a sale of the client's own product and then makes it, with the quote or without. The client knows how both
 * must end.
 */
const sellOwn = async (world: World): Promise<void> => {
  const { service, pick, own, below, customers, unique } = world;
  const { book } = service;
  const productId = pick(own.products);
  if (productId === undefined) return;
  const [buyer, other] = [pick(customers) as Resident, pick(customers) as Resident];
  const recipient = below(4) === 0 ? other : buyer;
  const asked = {
    ...{ productId, buyerIdentifier: below(2) === 0 ? buyer.uuid : buyer.username, useCredit: below(3) > 0 },
    ...((recipient !== buyer || below(2) === 0) && { recipientIdentifier: recipient.uuid }),
  };
  const quoted = await quote(world, asked);
  const known = { productId, buyerUuid: buyer.uuid, recipientUuid: recipient.uuid };
  const base = book.rows.PRODUCT.get(productId)?.fields.price;
  compare(world, `a quote of ${productId}`, { ...quoted }, { ...known, base });

  const isQuoted = quoted.quote !== null && below(3) > 0;
  const body = {
    ...{ ...asked, id: randomUUID(), paid: quoted.toPay + (below(3) === 0 ? 5 : 0), message: unique('sale') },
    ...(isQuoted && { quote: quoted.quote }),
  };
  const sale = await sell(world, body);
  const isOver = !isQuoted || quoted.expiresAt === null || timestamp(now()) >= quoted.expiresAt;
  if (sale.refusal !== quoted.refusal && !mayRefuse(sale.refusal, { credit: quoted.credit, isOver }))
    book.fault(`sale ${body.id} was ${sale.refusal ?? 'completed'}, but its quote said ${quoted.refusal ?? 'nothing'}`);
  if (below(3) > 0) return;
  // A new request with the same id and body.
  const again = await send(service, rows.createSale, { body });
  const { discount, shares } = again.body;
  compare(world, `sale ${body.id}, sent again`, again.body, { ...sale, discount, shares });
};

/** Sells a copy of a limited product that all clients sell. */
const sellLimited = async (world: World): Promise<void> => {
  const { service, pick, customers, unique, limited } = world;
  const product = pick(limited);
  const { uuid } = pick(customers) as Resident;
  if (product === undefined || service.book.rows.CUSTOMER.get(uuid)?.fields.isBanned) return;
  const parties = { productId: product.id, buyerIdentifier: uuid };
  const sale = await sell(world, { id: randomUUID(), ...parties, paid: product.price, message: unique('copy') });
  if (sale.state === 'refused' && sale.refusal !== 'sold-out')
    service.book.fault(`a copy of ${product.id} was refused as ${sale.refusal}`);
};

/** Refunds a sale to an own customer, now and then twice. */
const refund = async (world: World): Promise<void> => {
  const { service, pick, customers, unique, below } = world;
  const { book } = service;
  const sale = pick([...book.sales.values()].filter(({ answer }) => isLastingOf(answer, customers)));
  if (sale === undefined) return;
  const { id, buyerUuid } = sale.answer;
  const reference = unique('refund');
  const end = book.begin();
  const { body } = await send(service, rows.refundSale, { params: { id }, body: { reference } });
  Object.assign(sale, { answer: body, refund: end() });
  book.changed('CUSTOMER', buyerUuid ?? '', {});
  book.deliveries.set(sale.message, { attempts: 1, isRefunded: true });
  const known = { id, state: 'refunded', refund: body.paid, refundReference: reference };
  compare(world, `sale ${id} as refunded`, body, known);
  if (below(3) > 0) return;
  const again = await send(service, rows.refundSale, { params: { id }, body: { reference: 'another' } });
  compare(world, `sale ${id}, refunded again`, again.body, { refundReference: reference, refundedAt: body.refundedAt });
};

const isLastingOf = ({ buyerUuid, state }: rows.Sale, buyers: readonly Resident[]): boolean =>
  state === 'completed' && buyers.some(({ uuid }) => uuid === buyerUuid);

const read = async (world: World): Promise<void> => {
  const { service, pick, customers } = world;
  const { uuid } = pick(customers) as Resident;
  const { sales } = service.book;
  const { body } = await send(service, rows.listSales, { query: { buyer: uuid, limit: 1000 } });
  const known = [...sales].filter(([, { answer }]) => answer.buyerUuid === uuid).map(([id]) => id);
  compareIds(world, `the sales to ${uuid}`, body.data, known);
  const id = pick(known);
  if (id === undefined) return;
  const answer = await send(service, rows.getSale, { params: { id } });
  const { state, deliveryId } = sales.get(id)?.answer ?? {};
  compare(world, `sale ${id}`, answer.body, { id, state, deliveryId, buyerUuid: uuid });
};

export const saleActions: readonly Action[] = [
  { weight: 7, run: sellOwn },
  { weight: 4, run: sellLimited },
  { weight: 2, run: refund },
  { weight: 3, run: read },
];
