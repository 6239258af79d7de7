import type { Answer } from '../workload/client.ts';
import type { Transfer } from './book.ts';
import type { Gift } from './grid.ts';

/** Compares the grid's book and inventories with the service's books at the end of the day. */

/** Of any endpoint. */
export type Body = Answer['body'];

/** A gift card as it was granted or sold, and whether it is redeemed now. */
export interface Card {
  credit: number;
  owner: string;
  redeemed: boolean;
  isSold?: boolean;
}

export interface StoreBooks {
  sales: readonly Body[];
  deliveries: readonly Body[];
  /** By avatar: rows of history, newest first, and the balances. */
  credit: ReadonlyMap<string, { history: readonly Body[]; credit: number; restrictedCredit: number }>;
  /** By id: the name of the item. */
  items: ReadonlyMap<string, string>;
  /** The product of each vendor. */
  productOf: ReadonlyMap<string, string>;
  grants: ReadonlyMap<string, { uuid: string; amount: number }>;
  refunds: ReadonlyMap<string, { amount: number; isPaid: boolean }>;
  cards: ReadonlyMap<string, Card>;
  /** The product that sells gift cards. */
  cardProduct: string;
}

export interface GridBooks {
  transfers: readonly Transfer[];
  gifts: readonly Gift[];
  /** Payments that no script has heard of. */
  unheard: ReadonlySet<string>;
  /** Deliveries that a box had given but not noted when it died. */
  unnoted: ReadonlyMap<string, string>;
}

interface Sum {
  key: string;
  amount: number;
  text: string;
}

/** The sums of `some` that have no equal one in `others`, each used once. */
const without = (some: readonly Sum[], others: readonly Sum[]): Sum[] => {
  const left = Map.groupBy(others, ({ key, amount }) => `${key} ${amount}`);
  return some.filter(({ key, amount }) => !left.get(`${key} ${amount}`)?.pop());
};

const total = (sums: readonly Sum[]): number => sums.reduce((sum, { amount }) => sum + amount, 0);

/** Follows each L$ between avatars, vendors and the merchant. `unexplained` is a sum of L$. */
export const compareMoney = (store: StoreBooks, grid: GridBooks) => {
  const { sales, productOf, refunds } = store;
  const ours = grid.transfers.filter(({ of }) => productOf.has(of));
  const sumOf = ({ of, from, to, amount, reason, id }: Transfer, who: string): Sum => ({
    key: `${productOf.get(of)} ${who}`,
    amount,
    text: `L$ ${amount} (${reason} ${id}) from ${from} to ${to} at vendor ${of}`,
  });
  const accountOf = ({ of, from, to }: Transfer): string => `product ${productOf.get(of)} from ${from} to ${to}`;
  const paid = ours.filter(({ reason }) => reason === 'payment');
  const heard = paid.filter(({ id }) => !grid.unheard.has(id)).map((one) => sumOf(one, one.from));
  const back = ours.filter(({ reason }) => reason === 'back' || reason === 'by hand').map((one) => sumOf(one, one.to));
  const sumsOf = (field: 'paid' | 'change'): Sum[] =>
    sales
      .filter((sale) => sale[field] > 0)
      .map(({ id, productId, buyerUuid, state, [field]: amount }) => ({
        ...{ key: `${productId} ${buyerUuid}`, amount },
        text: `L$ ${amount} ${field} of the ${state} sale ${id} to ${buyerUuid}`,
      }));
  /** The L$ that an account's scripts gave an avatar beyond those that the avatar had paid it for the product. */
  const overpaid = [
    ...Map.groupBy(
      ours.filter(({ reason }) => reason === 'back'),
      accountOf,
    ),
  ].flatMap(([key, some]) => {
    const got = paid.filter((one) => accountOf({ ...one, from: one.to, to: one.from }) === key);
    const amount = some.reduce((sum, one) => sum + one.amount, 0) - got.reduce((sum, one) => sum + one.amount, 0);
    return amount > 0 ? [{ key, amount, text: `L$ ${amount} more than it got: ${key}` }] : [];
  });
  const unsold = without(heard, sumsOf('paid'));
  const returned = without(back, sumsOf('change'));
  const handed = (reason: string, of: string): number =>
    grid.transfers.filter((one) => one.reason === reason && one.of === of).reduce((sum, { amount }) => sum + amount, 0);
  const refundFaults = sales
    .filter(({ state }) => state === 'refunded')
    .map(({ id, buyerUuid, refund, change, payOut }) => ({
      key: id,
      amount: Math.abs(handed('refund', id) - (payOut ? 0 : refund - change)),
      text: `L$ ${handed('refund', id)} refunded by hand of L$ ${payOut ? 0 : refund - change} for sale ${id} to ${buyerUuid}`,
    }))
    .filter(({ amount }) => amount > 0);
  const strayRefunds = [...refunds.keys()]
    .filter((id) => !sales.some((sale) => sale.id === id && sale.state === 'refunded'))
    .map((id) => ({ key: id, amount: handed('refund', id), text: `the refunded sale ${id} is not there` }));
  const unheardFaults = paid
    .filter(({ id, amount }) => grid.unheard.has(id) && handed('unheard', id) !== amount)
    .map((one) => sumOf(one, one.from));
  const findings: [string, Sum[]][] = [
    // A payment that the service could not take as a sale comes back as a whole.
    ['paid, but neither sold nor given back', without(unsold, returned)],
    ['sold, but never paid', without(sumsOf('paid'), heard)],
    ['given back, but not owed', without(returned, unsold)],
    ['owed, but not given back', without(sumsOf('change'), back)],
    ['given back from an account that did not get it', overpaid],
    ['refunded wrongly', [...refundFaults, ...strayRefunds]],
    ['paid to an object that never heard of it, and not given back', unheardFaults],
  ];
  return {
    /** The sums that a merchant who compares sales and transactions finds unpaid. */
    missing: [...without(unsold, returned), ...without(sumsOf('change'), back)],
    unexplained: findings.reduce((sum, [, sums]) => sum + total(sums), 0),
    faults: findings.flatMap(([what, sums]) => sums.map(({ text }) => `${what}: ${text}`)),
    paid: paid.reduce((sum, { amount }) => sum + amount, 0),
    back: total(back),
    unheard: paid.length - heard.length,
  };
};

/** Compares completed sales and deliveries with the avatars' inventories. */
export const compareGifts = ({ sales, deliveries, items }: StoreBooks, { gifts, unnoted }: GridBooks) => {
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
  for (const [id, row] of rows) {
    const given = byDelivery.get(id)?.length ?? 0;
    const isRefunded = saleOf.get(id)?.state === 'refunded';
    if (row.state === 'delivered' && given === 0) faults.push(`delivery ${id} is said to be made, but nobody got it`);
    if (row.state !== 'delivered' && !isRefunded) faults.push(`delivery ${id} is ${row.state}: ${row.lastError}`);
    if (given > 1 && unnoted.has(id)) twice.push(`${id}: the box ${unnoted.get(id)} died between giving and noting`);
    else if (given > 1) faults.push(`delivery ${id} was given ${given} times: ${JSON.stringify(byDelivery.get(id))}`);
  }
  for (const [id, given] of byDelivery)
    for (const { to, item } of given) {
      const row = rows.get(id);
      if (row && (row.recipientUuid !== to || items.get(row.productId) !== item))
        faults.push(`delivery ${id} gave ${item} to ${to}, not ${items.get(row.productId)} to ${row.recipientUuid}`);
    }
  return { faults, twice };
};

/** L$ in the history of an avatar's credit that something explains. */
interface Explained {
  amount: number;
  isAtMost?: boolean;
}

/** Compares cards that are redeemed in no row of their own with the rows of several cards: the L$ of each owner. */
const compareCards = (
  cards: StoreBooks['cards'],
  sums: ReadonlyMap<string, number>,
  together: ReadonlyMap<string, number>,
): string[] => {
  const faults: string[] = [];
  const left = new Map(together);
  const unnamed: string[] = [];
  for (const [id, { redeemed, credit, owner }] of cards) {
    const times = [...sums.keys()].filter((name) => name.startsWith(`redeem ${id} `)).length;
    const isUnnamed = redeemed && times === 0;
    if (isUnnamed) left.set(owner, (left.get(owner) ?? 0) - credit);
    if (isUnnamed) unnamed.push(id);
    else if (times !== Number(redeemed)) faults.push(`card ${id} is not redeemed, but ${times} times`);
  }
  for (const id of unnamed)
    if (left.get(cards.get(id)?.owner ?? '') !== 0) faults.push(`card ${id} is redeemed, but 0 times`);
  for (const [owner, amount] of left)
    if (amount !== 0) faults.push(`cards of ${owner} that were redeemed together: L$ ${amount} too many`);
  return faults;
};

/** Compares the cards that were sold with the sales that made them, by owner. */
const compareSoldCards = ({ sales, cards, cardProduct }: StoreBooks): string[] => {
  const left = new Map<string, number>();
  const add = (owner: string, count: number) => left.set(owner, (left.get(owner) ?? 0) + count);
  for (const { productId, state, recipientUuid } of sales)
    if (productId === cardProduct && state !== 'refused') add(recipientUuid, -1);
  for (const { owner, isSold } of cards.values()) if (isSold) add(owner, 1);
  return [...left]
    .filter(([, count]) => count !== 0)
    .map(([owner, count]) => `cards that were sold to ${owner}: ${count} too many`);
};

/** Tells whether a sum in history is the one that its cause explains: a refund takes the bonus that is left. */
const isExplained = (sum: number, { amount, isAtMost }: Explained): boolean =>
  isAtMost ? sum >= 0 && sum <= amount : sum === amount;

/** Explains each change of credit by a sale, a refund, a card, a bonus or a gift of the merchant. */
export const compareCredit = (books: StoreBooks): string[] => {
  const { sales, credit, grants, cards } = books;
  const faults: string[] = [];
  const sums = new Map<string, number>();
  const together = new Map<string, number>();
  const add = (name: string, amount: number): void => {
    sums.set(name, (sums.get(name) ?? 0) + amount);
  };
  for (const [uuid, { history, ...balances }] of credit) {
    const rows = history.toReversed();
    const sum = rows.reduce((all, { amount, expired }) => all + amount - expired, 0);
    if (sum !== balances.credit + balances.restrictedCredit)
      faults.push(`history makes L$ ${sum} of credit of ${uuid}, who has ${JSON.stringify(balances)}`);
    if (rows.some(({ sequence }, place) => sequence !== place + 1)) faults.push(`the history of ${uuid} has a hole`);
    for (const { kind, amount, saleId, giftCardId, reference } of rows)
      if (kind === 'redeem' && giftCardId === null) together.set(uuid, (together.get(uuid) ?? 0) + amount);
      else if (kind !== 'expire') add(`${kind} ${saleId ?? giftCardId ?? reference} ${uuid}`, amount);
  }
  const expected = new Map<string, Explained>();
  for (const { id, state, buyerUuid, credit: regular, restrictedCredit, bonus } of sales) {
    const taken = state === 'refused' ? 0 : regular + restrictedCredit;
    if (taken > 0) expected.set(`sale ${id} ${buyerUuid}`, { amount: -taken });
    if (taken > 0 && state === 'refunded') expected.set(`refund ${id} ${buyerUuid}`, { amount: taken });
    if (bonus > 0) expected.set(`bonus ${id} ${buyerUuid}`, { amount: bonus, isAtMost: state === 'refunded' });
  }
  for (const [reference, { uuid, amount }] of grants) expected.set(`increment ${reference} ${uuid}`, { amount });
  for (const [name, amount] of sums)
    if (name.startsWith('redeem ')) {
      const card = cards.get(name.split(' ')[1] ?? '');
      if (card?.credit !== amount || !card.redeemed) faults.push(`${name}: L$ ${amount} of ${JSON.stringify(card)}`);
    } else if (!expected.has(name)) faults.push(`history has ${name}: L$ ${amount}, which nothing explains`);
  for (const [name, explained] of expected) {
    const sum = sums.get(name);
    if (sum === undefined) faults.push(`history lacks ${name}: L$ ${explained.amount}`);
    else if (!isExplained(sum, explained)) faults.push(`history has ${name}: L$ ${sum}, not ${explained.amount}`);
  }
  return [...faults, ...compareCards(cards, sums, together), ...compareSoldCards(books)];
};
