import { nilUuid, parseIdentifier } from '../../lib/identifier.ts';
import { listCustomers } from '../../lib/routes/customers.ts';
import { listDeliveries } from '../../lib/routes/deliveries.ts';
import { getGiftCard, listGiftCards } from '../../lib/routes/gift-cards.ts';
import { listPayees, listPayouts } from '../../lib/routes/payouts.ts';
import { listSales } from '../../lib/routes/sales.ts';
import { avatarOf } from '../../local/grid/grid.ts';
import { always, creditFaults, creditOverHttp } from '../workload/checks/credit.ts';
import { send, walk } from '../workload/client.ts';
import { sumsOf, type Transfer } from './book.ts';
import { type Grid, type OwnChange, seenAt } from './grid.ts';
import { cardCredit, type Mall, rules } from './mall.ts';

/** Compares the grid's book and inventories with the service's books at the end of the day. */

/** A gift card as it was granted or sold, and whether it is redeemed now. */
interface Card {
  credit: number;
  owner: string;
  redeemed: boolean;
  isSold?: boolean;
}

/** A mall with its store's books at the end of the day, read over HTTP. */
export const readBooks = async (mall: Mall) => {
  const { service, granted } = mall;
  const query = { limit: 1000 };
  const customers = (await walk(service, listCustomers, { query })).map(({ uuid }) => uuid);
  const cards = new Map<string, Card>();
  for (const owner of customers)
    for (const card of await walk(service, listGiftCards, { params: { identifier: owner }, query }))
      if (card.purchased) cards.set(card.id, { credit: cardCredit, owner, redeemed: card.redeemed, isSold: true });
  for (const [id, card] of granted) {
    const { redeemed } = (await send(service, getGiftCard, { params: { id } })).body;
    cards.set(id, { ...card, redeemed });
  }
  return {
    ...mall,
    cards,
    credit: await creditOverHttp(service, customers),
    sales: await walk(service, listSales, { query }),
    deliveries: await walk(service, listDeliveries, { query }),
    payouts: await walk(service, listPayouts, { query }),
    payees: await walk(service, listPayees, { query }),
  };
};
export type StoreBooks = Awaited<ReturnType<typeof readBooks>>;

interface Sum {
  key: string;
  amount: number;
  text: string;
}

/** The sums in `some` that have no equal sum in `others`. Each is used once. */
const without = (some: readonly Sum[], others: readonly Sum[]): Sum[] => {
  const left = Map.groupBy(others, ({ key, amount }) => `${key} ${amount}`);
  return some.filter(({ key, amount }) => !left.get(`${key} ${amount}`)?.pop());
};

/** The L$ that an account's scripts gave an avatar beyond what the avatar had paid it for the product. */
const findOverpaid = ({ productOf }: StoreBooks, transfers: readonly Transfer[]): Sum[] => {
  const given = transfers.flatMap(({ reason, of, from, to, amount }): [string, number][] => {
    if (reason === 'back') return [[`product ${productOf.get(of)} from ${from} to ${to}`, amount]];
    return reason === 'payment' ? [[`product ${productOf.get(of)} from ${to} to ${from}`, -amount]] : [];
  });
  return [...sumsOf(given)]
    .filter(([, amount]) => amount > 0)
    .map(([key, amount]) => ({ key, amount, text: `L$ ${amount} more than it got: ${key}` }));
};

/** The sales whose refund was not given back by hand as it should have been. */
const findWrongRefunds = ({ sales, refunds }: StoreBooks, handed: ReadonlyMap<string, number>): Sum[] => {
  const due = new Map<string, number>(
    sales
      .filter(({ state }) => state === 'refunded')
      .map(({ id, payOut, refund, change }) => [id, payOut ? 0 : refund - change]),
  );
  return [...new Set([...due.keys(), ...refunds.keys()])].flatMap((key) => {
    const [wanted, given] = [due.get(key), handed.get(`refund ${key}`) ?? 0];
    const text = `L$ ${given} refunded by hand of L$ ${wanted ?? '0, since it is not refunded,'} for sale ${key}`;
    return wanted === given ? [] : [{ key, amount: Math.abs(given - (wanted ?? 0)), text }];
  });
};

const hasArrows = ({ productOf }: Pick<StoreBooks, 'productOf'>, vendor: string): boolean =>
  productOf.has(vendor) && productOf.get(vendor) === vendor;

/** The sales of vendors with arrows whose buyer saw another product there. One who saw none gets what is there. */
export const compareSeen = (books: StoreBooks, { seen, copies }: Grid): string[] =>
  books.sales
    .filter(({ vendorUuid, state }) => state !== 'refused' && hasArrows(books, vendorUuid) && !copies.has(vendorUuid))
    .filter(({ vendorUuid, buyerUuid, productId, paid }) => {
      const { name } = books.products.get(productId);
      return ![name, ''].some((text) => seen.has(seenAt(vendorUuid, buyerUuid, text, paid)));
    })
    .map(({ id, vendorUuid, buyerUuid }) => `sale ${id} at vendor ${vendorUuid} is of what ${buyerUuid} did not see`);

/** The rows of history that avatars saw on their own pages, and that the store does not have so in the evening. */
export const compareOwnRows = ({ store, credit }: StoreBooks, { ownRows }: Grid): string[] => {
  const textOf = ({ sequence, type, kind, amount, expired, credit, restrictedCredit, saleId }: OwnChange): string =>
    JSON.stringify([sequence, type, kind, amount, expired, credit, restrictedCredit, saleId]);
  const known = new Map([...credit].map(([uuid, { rows }]) => [uuid, new Set(rows.map(textOf))]));
  return ownRows
    .filter(({ store: of, uuid, row }) => of === store.id && !known.get(uuid)?.has(textOf(row)))
    .map(({ uuid, row }) => `the page of ${uuid} had a change that is not in the books: ${textOf(row)}`);
};

/** Follows each L$ between avatars, vendors and the merchant. `unexplained` is a sum of L$. */
export const compareMoney = (books: StoreBooks, { book, unheard }: Grid) => {
  const { sales, productOf } = books;
  const ours = book.transfers.filter(({ of }) => productOf.has(of));
  const sumOf = ({ of, from, to, amount, reason, id }: Transfer): Sum => ({
    key: `${productOf.get(of)} ${reason === 'payment' ? from : to}`,
    amount,
    text: `L$ ${amount} (${reason} ${id}) from ${from} to ${to} at vendor ${of}`,
  });
  const paid = ours.filter(({ reason }) => reason === 'payment');
  const heard = paid.filter(({ id }) => !unheard.has(id)).map(sumOf);
  const back = ours.filter(({ reason }) => reason === 'back' || reason === 'by hand').map(sumOf);
  // A payment before a vendor knew its product is a refused sale without a product. A vendor with arrows sells any.
  const placeOf = (productId: string, vendorUuid: string): string | undefined =>
    productId === nilUuid || hasArrows(books, vendorUuid) ? productOf.get(vendorUuid) : productId;
  const sumsIn = (field: 'paid' | 'change'): Sum[] =>
    sales
      .filter((sale) => sale[field] > 0)
      .map(({ id, productId, vendorUuid, buyerUuid, state, [field]: amount }) => ({
        key: `${placeOf(productId, vendorUuid)} ${buyerUuid}`,
        amount,
        text: `L$ ${amount} ${field} of the ${state} sale ${id} to ${buyerUuid}`,
      }));
  const handed = sumsOf(book.transfers.map(({ reason, of, amount }) => [`${reason} ${of}`, amount]));
  const unsold = without(heard, sumsIn('paid'));
  const returned = without(back, sumsIn('change'));
  // A payment that the service could not take as a sale comes back whole.
  const unpaid = without(unsold, returned);
  const owed = without(sumsIn('change'), back);
  const notReturned = paid.filter(({ id, amount }) => unheard.has(id) && handed.get(`unheard ${id}`) !== amount);
  const findings: [string, Sum[]][] = [
    ['paid, but neither sold nor given back', unpaid],
    ['sold, but never paid', without(sumsIn('paid'), heard)],
    ['given back, but not owed', without(returned, unsold)],
    ['owed, but not given back', owed],
    ['given back from an account that did not get it', findOverpaid(books, ours)],
    ['refunded wrongly', findWrongRefunds(books, handed)],
    ['paid to an object that never heard of it, and not given back', notReturned.map(sumOf)],
  ];
  return {
    /** The sums that a merchant finds unpaid by comparing sales and transactions. */
    missing: [...unpaid, ...owed],
    unexplained: findings.flatMap(([, sums]) => sums).reduce((sum, { amount }) => sum + amount, 0),
    faults: findings.flatMap(([what, sums]) => sums.map(({ text }) => `${what}: ${text}`)),
  };
};

/** A line of `store reconcile --json`. */
interface Difference {
  difference: string;
  at: string;
  who: string;
  amount: number;
}

const uuidOf = (who: string): string => {
  const identifier = parseIdentifier(who);
  return (identifier && avatarOf(identifier)?.uuid) ?? who;
};

/**
 * Leaves out what the merchant sees to be one: a payment, and the sale of the same avatar and sum that a vendor could
 * send only after the quarter of an hour in which the command looks for it.
 */
export const withoutLate = (differences: readonly Difference[]): Difference[] => {
  const late = new Set<Difference>();
  const sold = differences.filter(({ difference }) => difference === 'sold and not paid');
  for (const paid of differences.filter(({ difference }) => difference === 'paid and not sold')) {
    const isOf = (sale: Difference): boolean =>
      !late.has(sale) && uuidOf(sale.who) === uuidOf(paid.who) && sale.amount === paid.amount && sale.at > paid.at;
    const sale = sold.find(isOf);
    if (sale) late.add(sale).add(paid);
  }
  return differences.filter((one) => !late.has(one));
};

/** Compares completed sales and deliveries with the avatars' inventories. */
export const compareGifts = ({ sales, deliveries, products }: StoreBooks, { gifts, unnoted }: Grid) => {
  const faults: string[] = [];
  const twice: string[] = [];
  const byDelivery = Map.groupBy(gifts, ({ deliveryId }) => deliveryId);
  const rows = new Map(deliveries.map((row) => [row.id, row]));
  const saleOf = new Map(sales.filter(({ deliveryId }) => deliveryId).map((sale) => [sale.deliveryId, sale]));
  for (const { id, state, deliveryId } of sales) {
    if ((state === 'refused') !== (deliveryId === null))
      faults.push(`the ${state} sale ${id} has delivery ${deliveryId}`);
    if (state === 'completed' && !byDelivery.has(deliveryId)) faults.push(`the item of sale ${id} was never given`);
    if (state === 'completed' && !rows.has(deliveryId)) faults.push(`the delivery ${deliveryId} of sale ${id} is lost`);
  }
  for (const [id, { state, lastError, recipientUuid, productId }] of rows) {
    const given = byDelivery.get(id) ?? [];
    const isRefunded = saleOf.get(id)?.state === 'refunded';
    if (state === 'delivered' && given.length === 0)
      faults.push(`delivery ${id} is said to be made, but nobody got it`);
    if (state !== 'delivered' && !isRefunded) faults.push(`delivery ${id} is ${state}: ${lastError}`);
    if (given.length > 1 && unnoted.has(id))
      twice.push(`${id}: the box ${unnoted.get(id)} died between giving and noting`);
    else if (given.length > 1) faults.push(`delivery ${id} was given ${given.length} times: ${JSON.stringify(given)}`);
    const wanted = products.get(productId)?.item;
    for (const { to, item } of given)
      if (recipientUuid !== to || wanted !== item)
        faults.push(`delivery ${id} gave ${item} to ${to}, not ${wanted} to ${recipientUuid}`);
  }
  return { faults, twice };
};

/** Compares the cards that were sold with the sales that made them, by owner. */
const compareSoldCards = ({ sales, cards, cardProduct }: StoreBooks): string[] => {
  const made = sales.filter(({ productId, state }) => productId === cardProduct && state !== 'refused');
  const sold = [...cards.values()].filter(({ isSold }) => isSold);
  const left = sumsOf([
    ...sold.map(({ owner }) => [owner, 1] as const),
    ...made.map(({ recipientUuid }) => [recipientUuid, -1] as const),
  ]);
  return [...left]
    .filter(([, count]) => count !== 0)
    .map(([owner, count]) => `cards that were sold to ${owner}: ${count} too many`);
};

const dayMillis = 86_400_000;

/** Notes in the workload's book what the scripts' sales did to credit. */
const noteSales = ({ sales, service: { book } }: StoreBooks): void => {
  const { type, expiresInDays } = rules.bonus;
  for (const answer of sales) {
    const expiresAt = Date.parse(answer.at) + expiresInDays * dayMillis;
    book.sales.set(answer.id, {
      ...{ answer, message: '', asked: always },
      ...(answer.bonus > 0 && { bonus: { type, amount: answer.bonus, expiresAt } }),
      ...(answer.state === 'refunded' && { refund: always }),
    });
  }
};

/**
 * Notes in the workload's book what redeemed cards did to credit. A change from several cards names none of them.
 * Together such changes of an owner must equal the L$ of the owner's cards that no change names.
 */
const noteCards = ({ cards, credit, service: { book } }: StoreBooks): string[] => {
  const unnamed = new Map([...cards].filter(([, { redeemed }]) => redeemed));
  const together: [string, number][] = [];
  const note = (uuid: string, key: string, delta: number): void => {
    const command = { kind: 'increment' as const, delta };
    book.credit.push({ ...always, uuid, key, type: 'regular', command, outcome: 'done' });
  };
  for (const [uuid, { rows }] of credit)
    for (const row of rows.filter(({ kind }) => kind === 'redeem')) {
      const card = unnamed.get(row.giftCardId ?? '');
      if (row.giftCardId === null) {
        row.reference = `several cards, ${row.sequence}`;
        note(uuid, row.reference, row.amount);
        together.push([uuid, row.amount]);
      } else if (card) {
        note(uuid, row.giftCardId, card.credit);
        unnamed.delete(row.giftCardId);
      }
    }
  for (const card of unnamed.values()) together.push([card.owner, -card.credit]);
  return [...sumsOf(together)]
    .filter(([, amount]) => amount !== 0)
    .map(([owner, amount]) => `cards of ${owner} that were redeemed together: L$ ${amount} too many`);
};

/**
 * Explains each change of credit by a sale, a refund, a card, a bonus or a gift of the merchant, according to the
 * rules.
 */
export const compareCredit = (books: StoreBooks): string[] => {
  noteSales(books);
  const ofCards = noteCards(books);
  return [...ofCards, ...creditFaults(books.service.book, books.credit), ...compareSoldCards(books)];
};
