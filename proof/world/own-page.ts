import { grantGiftCard } from '../../lib/routes/gift-cards.ts';
import * as rows from '../../lib/routes/me.ts';
import { listSales } from '../../lib/routes/sales.ts';
import { getStore } from '../../lib/routes/store.ts';
import { type Service, send, walk } from '../workload/client.ts';
import type { Actor } from './actor.ts';
import type { Dialogs, Grid, Visitor } from './grid.ts';
import type { Mall } from './mall.ts';

/** An avatar opens their own page in a browser, with the link that a terminal gave them. Some are rude. */

interface Visit {
  me: Visitor;
  actor: Actor;
  grid: Grid;
  mall: Mall;
  note: (what: string) => void;
  code: string;
  /** When they asked for the link. */
  at: number;
  /** Presses My cards at the terminal, and answers its question. */
  askAtTerminal: () => Promise<Dialogs | undefined>;
}

/** Is thrown where the gateway, or the page itself, has had enough of it. */
class HadEnough extends Error {}

/** A caller with a code or a token in place of the store's key. */
const callerWith = ({ service }: Mall, key: string): Service => {
  let isTooOften = false;
  return {
    ...service,
    key,
    onAnswer: (_, status) => {
      isTooOften = status === 429;
    },
    pause: async (attempts) => {
      if (isTooOften) throw new HadEnough();
      await service.pause?.(attempts);
    },
  };
};

const codeMillis = 600_000;

/**
 * Begins the page, which another has begun before if `isUsed`. Answers its token; undefined if there is none. After a
 * lost answer nobody has the token of a page that has begun.
 */
const begin = async ({ me, mall, grid, code, at, note }: Visit, isUsed: boolean): Promise<string | undefined> => {
  const call = { expect: [200, 400, 401] };
  const { status, body, attempts } = await send(callerWith(mall, code), rows.beginPage, call);
  const isLate = grid.clock.now() > at + codeMillis;
  const isRight = status === 200 ? !isUsed : status === 400 ? isUsed || attempts > 1 : isLate;
  if (!isRight) mall.service.book.fault(`the link of ${me.uuid} was answered ${status} (used: ${isUsed})`);
  if (status === 200 && body.uuid !== me.uuid)
    mall.service.book.fault(`the link of ${me.uuid} began the page of ${body.uuid}`);
  note(`page: ${status} at its link`);
  return body.token;
};

/** Presses the link twice at the same moment: one page begins. */
const beginTwice = async ({ me, mall, code, at, grid }: Visit): Promise<string | undefined> => {
  const press = () => send(callerWith(mall, code), rows.beginPage, { expect: [200, 400, 401] });
  const answers = await Promise.all([press(), press()]);
  const statuses = answers.map(({ status }) => status);
  const begun = answers.filter(({ status }) => status === 200);
  const isLost = grid.clock.now() > at + codeMillis || answers.some(({ attempts }) => attempts > 1);
  if (begun.length > 1 || (begun.length === 0 && !isLost))
    mall.service.book.fault(`the link of ${me.uuid}, pressed twice, was answered ${statuses.join(' and ')}`);
  return begun[0]?.body.token;
};

interface Page extends Visit {
  page: Service;
}
type Act = (page: Page) => Promise<unknown>;

const all = { query: { limit: 100 } };

const look: Act = async ({ me, mall, grid, page }) => {
  const { body } = await send(page, rows.getMe);
  if (body.uuid !== me.uuid) mall.service.book.fault(`the page of ${me.uuid} is of ${body.uuid}`);
  const changes = await walk(page, rows.listOwnHistory, all);
  grid.ownRows.push(...changes.map((row) => ({ store: mall.store.id, uuid: me.uuid, row })));
  for (const row of [rows.listOwnLots, rows.listOwnProducts, rows.listOwnCards]) await walk(page, row, all);
};

const redeemAll: Act = ({ page }) => send(page, rows.redeemOwn);

const redeemOne: Act = async ({ actor, mall, page }) => {
  const card = actor.pick(await walk(page, rows.listOwnCards, all));
  if (!card) return;
  const { status, body } = await send(page, rows.redeemOwn, { body: { card: card.card }, expect: [200, 400] });
  if (status === 200 && (body.cards !== 1 || body.amount !== card.credit))
    mall.service.book.fault(`a card of L$ ${card.credit} was redeemed as ${JSON.stringify(body)}`);
};

/** The same cards at the terminal, and on the page. */
const redeemInBoth: Act = async (visit) => {
  const asked = await visit.askAtTerminal();
  if (asked?.buttons.includes('Redeem')) asked.answer('Redeem');
  await redeemAll(visit);
};

const sendAgain: Act = async ({ actor, page }) => {
  const product = actor.pick((await walk(page, rows.listOwnProducts, all)).filter(({ canRedeliver }) => canRedeliver));
  // It may have been sent within the minute, or be no more.
  const call = { params: { productId: product?.productId ?? '' }, expect: [200, 400, 404] };
  if (product) await send(page, rows.redeliverOwn, call);
};

const switchNews: Act = async ({ me, actor, mall, page }) => {
  const newsSubscriber = actor.chance(50);
  const { body } = await send(page, rows.updateMe, { body: { newsSubscriber } });
  if (body.newsSubscriber !== newsSubscriber) mall.service.book.fault(`the news of ${me.uuid} did not switch`);
};

/** Tries the token where only keys are taken, and the code where it is good for nothing. */
const pry: Act = async ({ me, mall, page, code }) => {
  for (const row of [getStore, listSales]) await send(page, row, { expect: [403] });
  const card = { params: { identifier: me.uuid }, body: { credit: 1000, transfer: true }, expect: [403] };
  await send(page, grantGiftCard, card);
  await send(callerWith(mall, code), rows.getMe, { expect: [401] });
};

const pressAgain: Act = (visit) => begin(visit, true);

/** More reads than a page has at once. */
const loop: Act = async ({ page }) => {
  for (let reads = 0; reads < 100; reads++) await send(page, rows.getMe);
};

const acts: readonly Act[] = [
  ...[redeemAll, redeemOne, redeemOne, redeemInBoth, redeemInBoth, sendAgain, sendAgain, switchNews],
  ...[pry, pressAgain, look],
];

/** Ends the page. Its token is good for nothing any more. */
const end: Act = async ({ page, mall }) => {
  const { status, attempts } = await send(page, rows.endPage, { expect: [204, 401] });
  if (status === 401 && attempts === 1) mall.service.book.fault('a page had ended before its end');
  await send(page, rows.getMe, { expect: [401] });
  await send(page, rows.redeemOwn, { expect: [401] });
};

const useToken = async (visit: Visit, token: string): Promise<void> => {
  const { actor, mall } = visit;
  const page = { ...visit, page: callerWith(mall, token) };
  await look(page);
  for (let more = 1 + actor.below(5); more > 0; more--) {
    await actor.wait(actor.between(0, 3));
    await actor.pick(acts)?.(page);
  }
  if (actor.chance(3)) await loop(page);
  if (actor.chance(70)) await end(page);
};

/** Opens the link of a terminal, and does with the page what comes to mind. */
export const usePage = async (visit: Visit): Promise<void> => {
  const { actor, note } = visit;
  if (actor.chance(10)) return note('page: left its link');
  try {
    // Who has the link first has the page.
    const isPassedOn = actor.chance(15);
    const token = await (actor.chance(15) ? beginTwice(visit) : begin(visit, false));
    if (isPassedOn && token) await begin(visit, true);
    if (token) await useToken(visit, token);
  } catch (error) {
    if (!(error instanceof HadEnough)) throw error;
    note('page: was too often');
  }
};
