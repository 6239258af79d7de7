import { banCustomer, unbanCustomer, updateCustomer } from '../../lib/avatars/customers.ts';
import { limitCoupon } from '../../lib/catalogue/coupons.ts';
import { type StoredProduct, updateProduct } from '../../lib/catalogue/products.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ModelCoupon } from '../../test/support/model/sales.ts';
import { hasSettings, type Settings, sayHere, type Thing } from '../../test/support/model/told.ts';
import { isBrought } from './brought.ts';
import { type Outcome, type Part, send, sendingOf } from './client.ts';
import { unlisted } from './differences.ts';
import { erasureOperations } from './erasures.ts';
import { lasting, type Machine, works } from './machine.ts';
import { effectOf, type Operation, type Seen } from './operation.ts';
import { type Pass, runPass, type There } from './there.ts';
import { nameOfWords, type Word } from './words.ts';
import { type State, start } from './world.ts';

/** Passes of a move while both sides work: the other service, which still runs, and this store, which has begun to. */

interface Moving {
  there: There;
  /** One person runs the command again and again. */
  last: Promise<unknown>;
}

const movings = new WeakMap<Machine, Moving>();

const movingOf = ({ machine, world }: Part): Moving => {
  const known = movings.get(machine) ?? { there: structuredClone(world.there), last: Promise.resolve() };
  movings.set(machine, known);
  return known;
};

const newPass = (part: Part): Pass => {
  const ends = part.machine.random.of([undefined, timestamp(start + 20 * 60_000)]);
  return { there: structuredClone(movingOf(part).there), ends };
};

/** A pass of the command. If it fails, it is run again, and reads everything again. */
const passOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const pass = async (): Promise<Outcome> => {
    for (const attempt of [1, 2, 3]) {
      const made = newPass(part);
      const passName = nameOfWords(`${name} ${attempt}`, 'pass');
      machine.passes.set(passName, made);
      const given = () => runPass(world.store, made).then(() => 'over');
      const outcome = await send({ ...part, name: passName }, { isRepeatable: false }, given);
      if (outcome.kind === 'answered') break;
    }
    return { kind: 'unknown' };
  };
  return {
    name,
    text: 'pass of a move',
    run: () => {
      const moving = movingOf(part);
      const mine = moving.last.then(pass);
      moving.last = mine;
      return mine;
    },
  };
};

const redeemThere = ({ cards, customers }: There, id: string, uuid: string): void => {
  const [card, customer] = [cards[id], customers[uuid]];
  if (!card || !customer || card.isRedeemed || !(card.transfer || card.owner === uuid)) return;
  customer.regular += card.credit;
  Object.assign(card, { credit: 0, isRedeemed: true, redeemedFor: uuid });
};

/** Something that happens in the other service. */
const otherOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const { random } = machine;
  const uuid = world.avatars[random.of([0, 0, 2])] as string;
  const place = random.of([0, 0, 1]);
  const choice = random.below(10);
  const [amount, isOn] = [random.of([5, 10, 25]), random.chance(0.5)];
  const act = (): string => {
    const { customers, products, coupons, cards } = movingOf(part).there;
    const [customer, product] = [customers[uuid], products[world.products[place] ?? '']];
    const [coupon] = Object.values(coupons);
    const card = Object.keys(cards)[amount % 2] ?? '';
    if (!customer || !product || !coupon) return 'nothing';
    if (choice < 3) {
      const credit = Math.min(customer.regular, amount);
      customer.regular -= credit;
      customer.spend.year += product.settings.price - credit;
      if (product.limited) product.copies = Math.max(0, product.copies - 1);
      return 'sale';
    }
    if (choice < 5) Object.assign(customer, isOn ? { regular: customer.regular + amount } : { restricted: amount });
    else if (choice < 6) Object.assign(customer.settings, isOn ? { isBanned: amount < 25 } : { discount: amount });
    else if (choice < 7) product.copies += product.limited ? 2 : 0;
    else if (choice < 8) Object.assign(product.settings, isOn ? { price: 40 + amount } : { active: amount < 25 });
    else if (choice < 9) Object.assign(coupon.settings, isOn ? { usesPerCustomer: amount % 3 } : { discount: amount });
    else redeemThere(movingOf(part).there, card, uuid);
    return 'change';
  };
  return {
    name,
    text: `there: ${choice} of ${uuid.slice(0, 8)} and the product ${place} by ${amount}`,
    run: async () => {
      const done = act();
      machine.trace?.push(`${name}: there, ${done}`);
      return { kind: 'unknown' };
    },
  };
};

/** A request to this store that changes a record's settings. */
interface OwnWord {
  word: Pick<Word, 'kind' | 'id'>;
  thing: Thing;
  settings: Settings;
  /** The copies that a PUT sets. */
  copies?: number | undefined;
  request: () => Promise<unknown>;
}

const wordOperation = (part: Part, { word, thing, settings, copies, request }: OwnWord): Operation => {
  const name = nameOfWords(part.name, 'word');
  const own = { ...part, name };
  const sending = sendingOf(own);
  const isSaid = (model: State, { effect, outcome }: Seen): boolean => {
    const product = model.products[thing.id];
    if (effect) {
      if (effect.kind !== 'words' || effect.words.length !== 1) return false;
      const [one] = effect.words;
      if (one?.kind !== word.kind || one.id !== word.id) return false;
      sayHere(model, thing, settings, effect.shown);
      if (product?.limited && copies !== undefined) product.stock = copies;
      return true;
    }
    const isSame = hasSettings(model, thing, settings) && (copies === undefined || product?.stock === copies);
    return outcome.kind !== 'answered' || isSame;
  };
  return {
    name,
    text: `word of this store about ${thing.kind} ${thing.id}: ${JSON.stringify({ ...settings, copies })}`,
    run: () => send(own, sending, request),
    judge: isSaid,
  };
};

const putProduct = (part: Part): OwnWord => {
  const { machine, world } = part;
  const id = world.products[machine.random.of([0, 0, 1])] as string;
  const stored = world.table.get({ pk: `${world.store}#PRODUCT`, sk: id }) as unknown as StoredProduct;
  const { name, image, listed, bloggable, permissions, discount, limited, item } = stored;
  const { blockCredits, description, profitShares, demoId } = stored;
  const settings = { price: machine.random.of([stored.price, 35]), active: machine.random.chance(0.8) };
  const copies = limited ? machine.random.of([1, 4]) : undefined;
  const fields = {
    ...{ name, image, listed, bloggable, permissions, discount, limited, item, blockCredits, description },
    ...{ profitShares, demoId, availableAmount: copies ?? 0, ...settings },
  };
  const request = () => updateProduct(world.store, id, fields);
  return { word: { kind: 'PRODUCT', id }, thing: { kind: 'product', id }, settings, copies, request };
};

const sayOfCustomer = (part: Part): OwnWord => {
  const { machine, world } = part;
  const { store } = world;
  const uuid = world.avatars[machine.random.of([0, 0, 2])] as string;
  const of = { word: { kind: 'CUSTOMER' as const, id: uuid }, thing: { kind: 'customer' as const, id: uuid } };
  const choice = machine.random.below(4);
  if (choice < 2)
    return { ...of, settings: { isBanned: true }, request: () => banCustomer(store, { uuid }, undefined) };
  if (choice < 3) return { ...of, settings: { isBanned: false }, request: () => unbanCustomer(store, { uuid }) };
  const discount = machine.random.of([0, 40]);
  return { ...of, settings: { discount }, request: () => updateCustomer(store, { uuid }, { discount }) };
};

const limitOfCoupon = ({ machine, world }: Part): OwnWord => {
  const { id } = world.state.coupons[0] as ModelCoupon;
  const usesPerCustomer = machine.random.of([0, 1]);
  return {
    ...{ word: { kind: 'COUPON', id }, thing: { kind: 'coupon', id }, settings: { usesPerCustomer } },
    request: () => limitCoupon(world.store, id, { expiration: null, usesPerCustomer }),
  };
};

type RedeemOperation = (part: Part, card: string, uuid: string) => Operation;

/** A pass takes a second or two, so other operations begin anywhere in it. */
const later = (part: Part, operation: Operation): Operation => {
  const { machine } = part;
  const millis = machine.random.of([0, 0, 200, 500, 900, 1300]);
  return { ...operation, run: () => machine.sleep(millis).then(operation.run) };
};

/** A pass, an event in the other service, a request to this store, or a card that may be redeemed there too. */
export const moveOperations = (part: Part, redeeming: RedeemOperation): Operation[] => {
  const { machine, world } = part;
  const { random } = machine;
  if (machine.isStreaming && random.chance(0.1)) return erasureOperations(part, redeeming);
  const choice = random.below(12);
  if (choice < 4) return [passOperation(part)];
  if (choice < 7) return [later(part, otherOperation(part))];
  if (choice < 9) {
    const [uuid, card] = [world.avatars[random.of([0, 0, 2])] as string, random.of(world.cards)];
    const operation = later(part, redeeming(part, card, uuid));
    if (random.chance(0.4)) return [operation];
    const run = () => {
      redeemThere(movingOf(part).there, card, uuid);
      return operation.run();
    };
    return [{ ...operation, run, text: `${operation.text}, redeemed there before` }];
  }
  const say = random.of([putProduct, sayOfCustomer, limitOfCoupon]);
  return [later(part, wordOperation(part, say(part)))];
};

/** The cards that customers redeemed here after a pass had brought them the cards' credit. */
const redeemedTwice = ({ commits, passes }: Machine): string[] => {
  const paid = new Set<string>();
  return commits.flatMap((commit) => {
    const effect = effectOf(commit);
    if (effect?.kind === 'redeem') return effect.cards.filter((id) => paid.has(id));
    if (effect?.kind !== 'words') return [];
    for (const { kind, id: uuid } of effect.words)
      for (const [id, { redeemedFor }] of Object.entries(passes.get(effect.by)?.there.cards ?? {}))
        if (kind === 'BALANCE' && redeemedFor === uuid) paid.add(id);
    return [];
  });
};

/** Adds a last pass after all passes, and one that must find nothing. */
export const withLastPass = (part: Part, operations: Operation[]): Operation[] => {
  const { machine, world } = part;
  if (!operations.some(({ text }) => text === 'pass of a move')) return operations;
  const name = 'last pass';
  let last: Pass | undefined;
  const give = async (attempt: number): Promise<void> => {
    last = { there: newPass(part).there, ends: undefined };
    const passName = nameOfWords(`${name} ${attempt}`, 'pass');
    machine.passes.set(passName, last);
    await works.run(lasting(machine, passName), () => runPass(world.store, last as Pass));
  };
  const finish = async (): Promise<void> => {
    await give(1);
    const { length: before } = machine.commits;
    await give(2);
    const more = machine.commits.slice(before);
    const { there } = last as Pass;
    machine.alarms.push(...(await unlisted(machine.table, world.store, there, machine.time)));
    for (const id of redeemedTwice(machine)) machine.alarms.push(`The card ${id} is redeemed there and here.`);
    if (more.length > 0) machine.alarms.push(`A pass without news has written ${JSON.stringify(more)}`);
  };
  const atEnd = (model: State): boolean => last !== undefined && isBrought(model, last, machine.time);
  return [...operations, { name, text: name, run: async () => ({ kind: 'unknown' }), finish, atEnd }];
};
