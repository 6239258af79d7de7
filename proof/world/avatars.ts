import type { Placement } from '../../local/grid/world/land.ts';
import type { Actor } from './actor.ts';
import { type Dialogs, seenAt, type Visitor } from './grid.ts';
import type { Mall, Stall } from './mall.ts';
import { usePage } from './own-page.ts';
import type { Setting } from './setting.ts';

/** An avatar spends the day at vendors and terminals, and does not always do as told. */

interface Day extends Pick<Setting, 'avatars' | 'companion' | 'grid' | 'malls'> {
  me: Visitor;
  actor: Actor;
  note: (what: string) => void;
  isOver: () => boolean;
}

/** How many seconds an avatar waits at an object. */
const patience = 40;

const askedBy = ({ me, actor }: Day, by: Placement, part = '', seconds = patience): Promise<Dialogs | undefined> =>
  actor.until(() => {
    const place = me.dialogs.findIndex((dialog) => dialog.by === by && dialog.text.includes(part));
    return place < 0 ? undefined : me.dialogs.splice(place, 1)[0];
  }, seconds);

/** The sum that a vendor has asked for. 0 if its store credit dialog came instead, undefined if neither came. */
const askedSum = ({ me, actor }: Day, by: Placement): Promise<number | Dialogs | undefined> =>
  actor.until(() => {
    const sum = me.heard.find((one) => one.by === by && /pay L\$ \d+/.test(one.text));
    if (sum) return Number(/L\$ (\d+)/.exec(sum.text)?.[1]);
    return me.dialogs.find((dialog) => dialog.by === by && dialog.buttons.includes('Confirm'));
  }, patience);

/** A sum other than the one asked for. */
const wrongSum = (actor: Actor, sum: number): number => {
  const wrong = actor.chance(50) ? sum + 1 + actor.below(60) : actor.below(sum);
  return Math.max(1, wrong === sum ? sum + 1 : wrong);
};

/**
 * The product that a text above a vendor or a menu names; empty for a text that names none, such as one about a
 * trouble.
 */
const productIn = (text: string): string => {
  const [name = ''] = text.split('\n');
  return name.startsWith('Vendor') ? '' : name;
};

/** A choice counts for at most this many seconds: the way through a menu, and the two minutes of its quote. */
const choiceLasts = 300;

/** The avatar pays, and has seen what stands above the vendor, or lately in its menu. */
const pay = ({ me, grid }: Day, { object, region }: Stall, amount: number): boolean => {
  const { id, seen } = object.body;
  const menu = me.menus.get(id);
  const isRecent = menu !== undefined && menu.at > grid.clock.now() - choiceLasts * 1000;
  for (const text of isRecent ? [seen.text, menu.text] : [seen.text])
    grid.seen.add(seenAt(id, me.uuid, productIn(text), amount));
  return region.pay(me.uuid, object, amount);
};

/** Looks through the products of a vendor with arrows, and buys the last one. */
const lookThrough = async (day: Day): Promise<void> => {
  const { actor, malls, me, note } = day;
  const stall = actor.pick(malls.flatMap(({ vendors }) => vendors).filter(({ arrows }) => arrows.length > 0));
  if (!stall) return;
  const { object, region, arrows } = stall;
  for (let presses = 1 + actor.below(4); presses > 0; presses--) {
    region.touch(actor.pick(arrows) as Placement, me.uuid);
    await actor.wait(actor.between(1, 4));
  }
  const sum = await actor.until(() => object.body.payPrice.find((price) => price > 0), 15);
  if (sum === undefined) return note('saw no price behind an arrow');
  if (actor.chance(10)) await actor.wait(actor.between(20, 150));
  const isRight = actor.chance(85);
  if (pay(day, stall, isRight ? sum : wrongSum(actor, sum)))
    note(isRight ? 'paid what an arrow showed' : 'paid another sum');
};

const payAtOnce = (day: Day): void => {
  const { actor, malls, note } = day;
  const stall = actor.pick(actor.pick(malls)?.vendors ?? []);
  if (!stall) return;
  const [, price = -1] = stall.object.body.payPrice;
  const isOffered = price > 0;
  const isRight = isOffered && actor.chance(80);
  const amount = isRight ? price : wrongSum(actor, isOffered ? price : 100);
  if (!pay(day, stall, amount)) return;
  note(isRight ? 'paid the price at once' : isOffered ? 'paid another sum' : 'paid where nothing was asked');
  // An avatar whose finger slips pays twice.
  if (actor.chance(3) && pay(day, stall, amount)) note('paid twice');
};

/**
 * The vendor's menu, for an avatar who touches it alone, or at the same moment as another avatar. The other must be
 * told something too.
 */
const touchVendor = async (day: Day, { object, region }: Stall): Promise<Dialogs | undefined> => {
  const { actor, me, companion, grid } = day;
  const isTogether = actor.chance(grid.rates.inworld.together) && region.isThere(object);
  const life = region.lifeOf(object);
  const answers = (): number => [...companion.heard, ...companion.dialogs].filter(({ by }) => by === object).length;
  const before = answers();
  region.touch(object, ...(isTogether ? [me.uuid, companion.uuid] : [me.uuid]));
  const menu = await askedBy(day, object);
  // A vendor needs a second for a menu.
  grid.clock.after(15, () => {
    if (isTogether && menu && answers() === before && life === region.lifeOf(object))
      grid.silences.push(`${companion.uuid} touched ${object.body.id} together with ${me.uuid}, and was told nothing`);
  });
  return menu;
};

const chooseAndPay = async (day: Day): Promise<void> => {
  const { actor, malls, me, avatars, grid, note } = day;
  const stall = actor.pick(actor.pick(malls)?.vendors ?? []);
  if (!stall) return;
  const { object } = stall;
  me.dialogs.length = 0;
  me.heard.length = 0;
  const menu = await touchVendor(day, stall);
  if (!menu) return note('nobody served');
  me.menus.set(object.body.id, { text: menu.text, at: grid.clock.now() });
  // Credit may pay it all.
  grid.seen.add(seenAt(object.body.id, me.uuid, productIn(menu.text), 0));
  if (actor.chance(8)) return note('walked away from the menu');
  const wish = actor.pick(menu.buttons.filter((button) => button !== 'Cancel' || actor.chance(20))) ?? 'Buy';
  menu.answer(wish);
  note(`chose ${wish}`);
  if (wish === 'Cancel') return;
  if (wish === 'Gift') {
    const box = await askedBy(day, object);
    if (!box || actor.chance(8)) return note('walked away from the name');
    const friend = actor.pick(avatars)?.username ?? '';
    box.answer(actor.chance(10) ? 'nobody.here' : actor.chance(30) ? friend.replace('.', ' ').toUpperCase() : friend);
  }
  const asked = await askedSum(day, object);
  if (asked === undefined) return note('was asked for nothing');
  if (actor.chance(8)) return note('walked away from the price');
  // Some avatars think until the quote has expired.
  if (actor.chance(5)) await actor.rest(actor.between(110, 200), day.isOver);
  else await actor.wait(actor.between(1, 10));
  if (typeof asked !== 'number') {
    asked.answer(actor.chance(90) ? 'Confirm' : 'Cancel');
    return note('paid with credit alone');
  }
  const isRight = actor.chance(85);
  if (pay(day, stall, isRight ? asked : wrongSum(actor, asked)))
    note(isRight ? 'paid what was asked' : 'paid another sum');
};

/** Waits for the link to the own page, in a window or in chat. Where the store does not answer, it asks again. */
const linkFrom = ({ me, actor }: Day, by: Placement): Promise<string | undefined> =>
  actor.until(() => {
    const again = me.dialogs.findIndex((dialog) => dialog.by === by && dialog.buttons.includes('Again'));
    if (again >= 0) me.dialogs.splice(again, 1)[0]?.answer('Again');
    const texts = [...me.offers.map(({ url, by }) => ({ text: url, by })), ...me.heard];
    return texts.find((one) => one.by === by && one.text.includes('#code='))?.text;
  }, patience);

const openOwnPage = async (day: Day, mall: Mall, { object, region }: Stall): Promise<void> => {
  const { me, note, grid } = day;
  const at = grid.clock.now();
  const link = await linkFrom(day, object);
  if (link === undefined) return note('was given no link');
  const askAtTerminal = async () => {
    region.touch(object, me.uuid);
    (await askedBy(day, object, 'What can'))?.answer('My cards');
    return askedBy(day, object, 'All gift cards');
  };
  await usePage({ ...day, mall, code: link.split('#code=')[1] ?? '', at, askAtTerminal });
};

/** Answers what the terminal asks after the choice in its menu. */
const answerTerminal = async (
  day: Day,
  mall: Mall,
  object: Placement,
  wish: string,
  cards: string[],
): Promise<void> => {
  const { actor } = day;
  for (let step = 0; step < 4; step++) {
    const next = await askedBy(day, object, '', 25);
    if (!next || actor.chance(5)) return;
    if (next.buttons.includes('Again')) next.answer(actor.chance(80) ? 'Again' : 'Close');
    else if (next.buttons.length > 0) next.answer(actor.pick(next.buttons) ?? 'Close');
    else if (wish === 'Coupon') next.answer(actor.chance(85) ? (actor.pick(mall.coupons) ?? '') : 'NOSUCHCODE');
    else if (wish === 'Gift card')
      next.answer(actor.chance(90) ? (cards.shift() ?? actor.pick([...mall.granted.keys()]) ?? 'a card') : 'a card');
  }
};

const useTerminal = async (day: Day): Promise<void> => {
  const { actor, malls, me, note } = day;
  const mall = actor.pick(malls);
  const stall = actor.pick(mall?.terminals ?? []);
  if (!mall || !stall) return;
  const { object, region } = stall;
  for (const some of [me.dialogs, me.heard, me.offers]) some.length = 0;
  region.touch(object, me.uuid);
  const menu = await askedBy(day, object);
  if (!menu) return note('nobody served');
  if (actor.chance(8)) return note('walked away from the terminal');
  const cards = mall.unusedCards.get(me.uuid) ?? [];
  const wanted = actor.chance(55) ? 'My page' : cards.length > 0 && actor.chance(60) ? 'Gift card' : undefined;
  const wish = wanted ?? actor.pick(menu.buttons) ?? 'Balance';
  menu.answer(wish);
  note(`terminal: ${wish}`);
  if (wish === 'My page') await openOwnPage(day, mall, stall);
  else await answerTerminal(day, mall, object, wish, cards);
};

/** Lets an avatar act until the day is over. `pause` is the mean number of seconds between two visits. */
export const live = async (day: Day, pause: number): Promise<void> => {
  const { actor, isOver } = day;
  await actor.rest(actor.between(0, pause), isOver);
  while (!isOver()) {
    const drawn = actor.below(100);
    if (drawn < 10) await lookThrough(day);
    else if (drawn < 40) payAtOnce(day);
    else if (drawn < 70) await chooseAndPay(day);
    else await useTerminal(day);
    await actor.rest(-Math.log(1 - actor.random()) * pause, isOver);
  }
};
