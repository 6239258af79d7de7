import { randomUUID } from 'node:crypto';
import { timestamp } from '../../lib/clock.ts';
import { incrementCredit, incrementRestrictedCredit } from '../../lib/routes/credit.ts';
import { banCustomer, unbanCustomer } from '../../lib/routes/customers.ts';
import { grantGiftCard } from '../../lib/routes/gift-cards.ts';
import { updateProduct } from '../../lib/routes/products.ts';
import type { Route } from '../../lib/routes/route.ts';
import { listSales, refundSale } from '../../lib/routes/sales.ts';
import * as rows from '../../lib/routes/store.ts';
import { type Call, send } from '../workload/client.ts';
import type { Actor } from './actor.ts';
import type { Grid } from './grid.ts';
import { type Body, type Mall, touchOwn, touchTills } from './mall.ts';
import type { Setting } from './setting.ts';

/**
 * The merchant of a store. During the day they change it, and in the evening they compare what they were told with the
 * accounts.
 */

interface Merchant extends Pick<Setting, 'avatars' | 'grid'> {
  mall: Mall;
  actor: Actor;
  note: (what: string) => void;
  isOver: () => boolean;
}

/** The body of an answer about an avatar; undefined if the service does not know the avatar yet. */
const post = async ({ mall, note }: Merchant, row: Route, identifier: string, body?: object): Promise<Body> => {
  const call: Call = { params: { identifier }, expect: [row.status, 404], ...(body && { body }) };
  const answer = await send(mall.service, row, call);
  if (answer.status === 404) note('merchant: named an avatar whom nobody knew');
  return answer.status === row.status ? answer.body : undefined;
};

const put = ({ mall }: Merchant, product: Body) =>
  send(mall.service, updateProduct, { params: { id: product.id }, body: product });

const productOf = ({ mall, actor }: Merchant): Body => actor.pick([...mall.products.values()]);
const somebody = ({ avatars, actor }: Merchant): string => actor.pick(avatars)?.uuid ?? '';

/** Does something, and takes it back some time later. */
const forAWhile = async ({ actor, note }: Merchant, word: string, [begin, end]: [() => unknown, () => unknown]) => {
  await begin();
  note(`merchant: ${word}`);
  await actor.wait(actor.between(10, 60));
  await end();
};

type Step = (merchant: Merchant) => unknown;

const lookAround: Step = ({ mall, note }) => {
  touchOwn(mall);
  note('merchant: touched what needs it');
};

const haveThemPay: Step = ({ mall, note }) => {
  touchTills(mall);
  note('merchant: had the cashiers pay');
};

const changePrice: Step = async (merchant) => {
  const product = productOf(merchant);
  product.price = 5 + merchant.actor.below(300);
  await put(merchant, product);
  merchant.note('merchant: new price');
};

const withdraw: Step = (merchant) => {
  const product = productOf(merchant);
  const offer = (active: boolean) => put(merchant, { ...product, active });
  return forAWhile(merchant, 'took a product off sale', [() => offer(false), () => offer(true)]);
};

const ban: Step = (merchant) => {
  const identifier = somebody(merchant);
  const by = (row: Route) => () => post(merchant, row, identifier);
  return forAWhile(merchant, 'banned somebody', [by(banCustomer), by(unbanCustomer)]);
};

const closeStore: Step = (merchant) => {
  const { service } = merchant.mall;
  const close = () => send(service, rows.closeStore, { body: { reason: 'lunch' } });
  return forAWhile(merchant, 'closed the store', [close, () => send(service, rows.openStore)]);
};

const grant: Step = async (merchant) => {
  const { mall, actor, grid } = merchant;
  const { book } = mall.service;
  const [uuid, key, delta] = [somebody(merchant), randomUUID(), 5 + actor.below(200)];
  const type = actor.chance(25) ? 'restricted' : 'regular';
  const row = type === 'restricted' ? incrementRestrictedCredit : incrementCredit;
  const until = () => timestamp(grid.clock.now() + actor.between(600, 1800) * 1000);
  const fields = { delta, ...(actor.chance(50) && { expiresAt: until() }) };
  const end = book.begin();
  const answer = await post(merchant, row, uuid, { ...fields, reference: key });
  if (!answer) return;
  book.credit.push({ ...end(), uuid, type, key, command: { kind: 'increment', ...fields }, outcome: 'done', answer });
  merchant.note('merchant: gave credit');
};

const giveCard: Step = async (merchant) => {
  const { mall, actor } = merchant;
  const uuid = somebody(merchant);
  const body = { credit: 1 + actor.below(150), transfer: actor.chance(50) };
  const card = await post(merchant, grantGiftCard, uuid, body);
  if (!card) return;
  mall.unusedCards.set(uuid, [...(mall.unusedCards.get(uuid) ?? []), card.id]);
  mall.granted.set(card.id, { credit: body.credit, owner: uuid });
  merchant.note('merchant: gave a card');
};

const refund: Step = async ({ mall, actor, grid, note }) => {
  const { service } = mall;
  const { body } = await send(service, listSales, { query: { state: 'completed', limit: 50 } });
  const sale = actor.pick<Body>(body.data);
  if (!sale) return;
  const reference = randomUUID();
  const call = { params: { id: sale.id }, body: { reference, payOut: actor.chance(50) }, expect: [200, 400] };
  const answer = await send(service, refundSale, call);
  if (answer.status !== 200 || answer.body.refundReference !== reference) return;
  note('merchant: refunded a sale');
  // A cashier pays the L$ that are to be paid out.
  const amount = answer.body.payOut ? 0 : answer.body.refund - answer.body.change;
  mall.refunds.set(sale.id, { to: sale.buyerUuid, amount });
  payRefunds(mall, grid);
};

/** The source and the target of L$ that the merchant moves elsewhere. */
const bank = 'bank';

const spend: Step = async ({ mall: { owner }, actor, grid: { book }, note }) => {
  const amount = book.balanceOf(owner);
  if (!book.move({ reason: 'spent', from: owner, to: bank, amount, of: '' })) return;
  note('merchant: had no L$ for a while');
  await actor.wait(actor.between(20, 60));
  book.move({ reason: 'earned', from: bank, to: owner, amount, of: '' });
};

/** A step that happens more often is in the list more often. */
const steps: readonly Step[] = [
  ...[haveThemPay, haveThemPay, haveThemPay],
  ...[lookAround, changePrice, changePrice, withdraw, ban, closeStore],
  ...[grant, grant, grant, giveCard, giveCard, refund, refund, spend],
];

/** Gives back by hand what the store owes for refunds. */
export const payRefunds = (mall: Mall, { book }: Grid): void => {
  for (const [of, refund] of mall.refunds)
    if (book.move({ ...refund, reason: 'refund', from: mall.owner, of })) refund.amount = 0;
};

/**
 * In the evening the merchant compares what the vendors told with the account's transactions and the store's sales, and
 * pays what is missing. Answers what was told without a reason.
 */
export const payClaims = (
  mall: Mall,
  grid: Grid,
  missing: () => readonly { key: string; amount: number }[],
): string[] => {
  const { givings, copies, book } = grid;
  const faults: string[] = [];
  // Claims of an exact sum come first, then the lowest bounds. Otherwise a claim of any part of a payment might take
  // the sum that only another claim explains.
  const claims = grid.claims
    .filter((claim) => mall.productOf.has(claim.by))
    .sort((a, b) => Number(a.isUpTo) - Number(b.isUpTo) || a.amount - b.amount);
  for (const { by, to, amount, isUpTo, text } of claims) {
    const isInDoubt = givings.some((one) => one.isDoubtful && one.by === by && one.to === to && one.amount === amount);
    if (text.includes('are open') && !isInDoubt && !copies.has(by)) faults.push(`told without a reason: ${text}`);
    // In a copied wall, any vendor may have found what the original of another one kept: the message names the sale.
    const isOf = (key: string): boolean =>
      copies.has(by) ? key.endsWith(` ${to}`) : key === `${mall.productOf.get(by)} ${to}`;
    const isOwn = ({ key }: { key: string }): number => Number(key === `${mall.productOf.get(by)} ${to}`);
    const found = missing()
      .filter((one) => isOf(one.key) && (isUpTo ? one.amount <= amount : one.amount === amount))
      // Another vendor's sum may be one that only its own claim explains.
      .sort((a, b) => isOwn(b) - isOwn(a) || b.amount - a.amount)[0];
    const product = found?.key.split(' ')[0];
    const of = [...mall.productOf].find(([, one]) => one === product)?.[0] ?? by;
    if (found) book.move({ reason: 'by hand', from: mall.owner, to, amount: found.amount, of });
  }
  return faults;
};

/** Lets the merchant act until the day is over. */
export const manage = async (merchant: Merchant): Promise<void> => {
  const { mall, grid, actor, isOver } = merchant;
  while (!isOver()) {
    await actor.pick(steps)?.(merchant);
    await actor.wait(actor.between(2, 12));
    payRefunds(mall, grid);
  }
};
