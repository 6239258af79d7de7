import { creditImporter } from '../../cli/kinds/credit.ts';
import { idFrom, writeRows } from '../../cli/kinds/rows.ts';
import { timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { redeemGiftCard, redeemOwnCards } from '../../lib/credit/redeem.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import { type CreditItem, lastChangeOf } from '../../lib/credit/state.ts';
import type { CustomerCredit } from '../../lib/routes/credit.ts';
import type { RedeemedCards } from '../../lib/routes/gift-cards.ts';
import type { Quote, Sale } from '../../lib/routes/sales.ts';
import { makeQuote } from '../../lib/sale/quote.ts';
import { refundSale } from '../../lib/sale/refund.ts';
import { sell } from '../../lib/sale/sell.ts';
import { getCustomer } from '../../lib/store/customers.ts';
import { balanceOf, change, expire, type ModelCommand } from '../workload/model/credit.ts';
import {
  avatarOf,
  issueCard,
  type ModelCoupon,
  type ModelQuote,
  type ModelRequest,
  type ModelSale,
  redeem,
  redeemOwn,
  refund as refundInModel,
  sell as sellInModel,
} from '../workload/model/sales.ts';
import { consumeSome, deliverSome, sweepOnce } from './background.ts';
import { idOfClient, send, serve } from './client.ts';
import { creditLimit } from './environment.ts';
import type { Machine, Process } from './machine.ts';
import { copyOf, effectOf, millisOf, type Operation, type Seen, sendingOf } from './operation.ts';
import { payoutOperations } from './payouts.ts';
import { type State, start, type World } from './world.ts';

const hasBalances = (state: State, uuid: string, body: unknown): boolean => {
  const { regular, restricted } = avatarOf(state, uuid).credit;
  const { credit, restrictedCredit } = body as CustomerCredit;
  return balanceOf(regular) === credit && balanceOf(restricted) === restrictedCredit;
};

/** Few times, so that some lots come due together and some while operations run. */
const expiryOf = ({ random }: Machine): string | undefined =>
  random.chance(0.5) ? undefined : timestamp(start + random.of([500, 1500, 3000, 3000, 20 * 60_000]));

const creditOperation = (machine: Machine, world: World, name: string): Operation => {
  const { random } = machine;
  const uuid = random.of([0, 0, 0, 0, 1, 2].map((place) => world.avatars[place] as string));
  const type: CreditType = random.of(['regular', 'regular', 'restricted']);
  const choice = random.below(10);
  const command: ModelCommand =
    choice < 2
      ? { kind: 'set', credit: random.of([0, 7, 300, creditLimit]), expiresAt: expiryOf(machine) }
      : choice < 6
        ? { kind: 'increment', delta: random.of([1, 13, 40, 900]), expiresAt: expiryOf(machine) }
        : { kind: 'increment', delta: -random.of([1, 10, 12, 25, 60]) };
  const sending = sendingOf(machine, name);
  const { store } = world;
  return {
    name,
    text: `${JSON.stringify(command)} of ${type} for ${uuid.slice(0, 8)}${sending.isRepeatable ? ', with a key' : ''}`,
    run: (to, processes) =>
      send(to, processes, {
        ...{ ...sending, operation: name, store },
        run: (by) => changeCredit(store, { uuid }, type, command, { by, keyId: 'key' }),
      }),
    apply: (state, { outcome, effect }) => {
      const after = copyOf(state);
      const at = effect?.at ?? (outcome.kind === 'unknown' ? '' : outcome.at);
      const isDone = change(avatarOf(after, uuid).credit[type], command, millisOf(at), creditLimit);
      if (isDone !== (effect !== undefined)) return undefined;
      if (!effect) return state;
      if (outcome.kind === 'answered' && !hasBalances(after, uuid, outcome.body)) return undefined;
      after.touched[uuid] = true;
      return after;
    },
  };
};

/** The part of a sale that the model has too. */
const told = (
  { state, refusal, refund, ...terms }: Pick<ModelSale, 'state' | 'refusal' | 'refund'> & ModelSale['terms'],
  bonus = 0,
): string => {
  const { discount, total, credit, restrictedCredit } = terms;
  const cut = `${discount.source} ${discount.percent}`;
  return JSON.stringify(state === 'refused' ? refusal : [state, cut, total, credit, restrictedCredit, refund, bonus]);
};

const noTerms = {
  base: 0,
  discount: { source: 'none' as const, percent: 0, couponId: null },
  toPay: 0,
  inGroup: false,
  used: undefined,
};

const quoteOf = (
  state: State,
  asked: ModelRequest,
  inGroup: boolean,
  { quote, expiresAt, refusal, ...terms }: Quote,
): ModelQuote | undefined => {
  if (quote === null || expiresAt === null) return undefined;
  const { base, discount, total, credit, restrictedCredit, toPay } = terms;
  const used = discount.source === 'coupon' ? (copyOf(state.coupons[0]) as ModelCoupon) : undefined;
  const fixed = { base, discount, total, credit, restrictedCredit, toPay, inGroup, used } as ModelQuote['terms'];
  return { asked, terms: fixed, expiresAt: millisOf(expiresAt) };
};

const saleOperation = (machine: Machine, world: World, name: string, id: string): Operation => {
  const { random } = machine;
  const { store, avatars, products } = world;
  const productId = products[random.of(products.length > 2 ? [0, 0, 1, 1, 2] : [0, 0, 1])] as string;
  const buyer = avatars[random.of([0, 0, 0, 1, 2])] as string;
  const recipient = random.chance(0.7) ? buyer : (avatars[random.below(3)] as string);
  const useCredit = random.chance(0.8);
  const paid = random.of([0, 20, 50, 100]);
  const isQuoted = random.chance(0.4);
  // The tag that the buyer wears may be another one by the time of the sale.
  const [inGroup, wasInGroup] = world.state.rules ? [random.chance(0.5), random.chance(0.5)] : [false, false];
  const asked: ModelRequest = { productId, buyer, recipient, useCredit, inGroup };
  const parties = { buyerIdentifier: { uuid: buyer }, recipientIdentifier: { uuid: recipient } };
  let quote: Quote | undefined;
  const idempotencyKey = random.chance(0.3) ? `key of ${name}` : undefined;
  return {
    name,
    text: `sale ${id} of ${['the limited product', 'the other product', 'a card'][products.indexOf(productId)]} by ${buyer.slice(0, 8)} for ${recipient.slice(0, 8)}, paid ${paid}${useCredit ? ', with credit' : ''}${isQuoted ? ', quoted' : ''}${inGroup ? ', in the group' : ''}`,
    run: async (to, processes) => {
      if (isQuoted) {
        const ask = () => makeQuote(store, { productId, ...parties, useCredit, inGroup: wasInGroup });
        const asking = await send(to, processes, {
          operation: `quote of ${name}`,
          store,
          isRepeatable: true,
          run: ask,
        });
        if (asking.kind === 'answered') quote = asking.body as Quote;
      }
      const request = { id, productId, ...parties, useCredit, inGroup, paid, message: '' };
      const text = quote?.quote ?? undefined;
      return send(to, processes, {
        ...{ operation: name, store, isRepeatable: true, idempotencyKey },
        run: (by) => sell(store, { ...request, ...(text !== undefined && { quote: text }) }, { by, keyId: 'key' }),
      });
    },
    apply: (state, { outcome, effect }) => {
      if (effect?.kind !== 'sale') return undefined;
      const { item } = effect;
      const after = copyOf(state);
      after.now = millisOf(item.at);
      const quoted = quote && quoteOf(state, asked, wasInGroup, quote);
      const sale = sellInModel(after, asked, paid, quoted && quoted.expiresAt > after.now ? quoted : undefined);
      const made = told({ ...noTerms, ...item }, item.bonus?.amount);
      if (told({ ...sale, ...sale.terms }, sale.bonus?.amount) !== made) return undefined;
      const isCard = sale.state === 'completed' && (after.products[productId]?.card ?? 0) > 0;
      if (isCard !== (item.giftCardId !== undefined)) return undefined;
      if (item.giftCardId !== undefined) issueCard(after, sale, item.giftCardId);
      const answer = outcome.kind === 'answered' ? (outcome.body as Sale) : undefined;
      // A sale that was repeated may have been refunded before its answer.
      if (answer && answer.state !== 'refunded' && told({ ...noTerms, ...answer }, answer.bonus) !== made)
        return undefined;
      if (outcome.kind === 'refused') return undefined;
      // An erasure gives shares of a sale another avatar.
      if (sale.shares.map(({ amount }) => amount).join() !== item.shares.map(({ amount }) => amount).join())
        return undefined;
      after.sales[id] = { ...sale, shares: copyOf(item.shares) };
      if (item.state === 'completed' && item.credit + item.restrictedCredit + (sale.bonus?.amount ?? 0) > 0)
        after.touched[buyer] = true;
      return after;
    },
  };
};

/** The place in the schedule from which every read finds a sale. */
const shownAt = ({ commits }: Machine, id: string): number =>
  commits.find((commit) => {
    const effect = effectOf(commit);
    return effect?.kind === 'sale' && effect.item.sk === id;
  })?.shown ?? Number.POSITIVE_INFINITY;

/** Tells whether the answer of a refund of a sale that wrote nothing fits a state. */
const isToldOfRefund = (machine: Machine, id: string, state: State, { outcome, start: begun }: Seen): boolean => {
  const known = state.sales[id];
  if (outcome.kind === 'unknown') return true;
  if (outcome.kind === 'refused') {
    // A refused sale counts from when its facts were read, and is found once it is written.
    const isFound = known && (known.state !== 'refused' || shownAt(machine, id) < begun || outcome.status !== 404);
    const isSpent = known?.state === 'completed' && state.cards[known.cardId ?? '']?.isRedeemed;
    const status = isFound ? (known.state === 'refused' || isSpent ? 400 : 200) : 404;
    return outcome.status === status;
  }
  const { state: answered, refundReference } = outcome.body as Sale;
  const isSame = answered === 'refunded' && known?.refundReference === refundReference;
  return known?.state === 'refunded' && isSame;
};

const refundOperation = (machine: Machine, world: World, name: string, id: string): Operation => {
  const { store } = world;
  const reference = `by ${name}`;
  const payOut = world.payees.length > 0 && machine.random.chance(0.5);
  const sending = sendingOf(machine, name);
  return {
    name,
    text: `refund of ${id}`,
    run: (to, processes) =>
      send(to, processes, {
        ...{ ...sending, isRepeatable: true, operation: name, store },
        run: (by) => refundSale(store, id, { by, keyId: 'key', reference }, { payOut }),
      }),
    apply: (state, seen) => {
      const { outcome, effect } = seen;
      if (!effect) return isToldOfRefund(machine, id, state, seen) ? state : undefined;
      const isOwn = effect.kind === 'refund' && effect.item.sk === id && state.sales[id]?.state === 'completed';
      if (!isOwn || outcome.kind === 'refused') return undefined;
      const after = copyOf(state);
      after.now = millisOf(effect.at);
      const sale = after.sales[id] as ModelSale;
      if (refundInModel(after, sale, reference, payOut) !== 200) return undefined;
      const { buyer } = sale.asked;
      if (sale.terms.credit + sale.terms.restrictedCredit > 0 && buyer) after.touched[buyer] = true;
      const answer = outcome.kind === 'answered' ? (outcome.body as Sale) : undefined;
      return !answer || (answer.refund === sale.refund && answer.refundReference === reference) ? after : undefined;
    },
  };
};

const redeemOperation = (machine: Machine, world: World, name: string): Operation => {
  const { random } = machine;
  const { store } = world;
  const card = random.of(world.cards);
  const uuid = world.avatars[random.of([0, 0, 1])] as string;
  const expiresAt = expiryOf(machine);
  const sending = sendingOf(machine, name);
  return {
    name,
    text: `redeem of the card ${world.cards.indexOf(card)} for ${uuid.slice(0, 8)}, until ${expiresAt}`,
    run: (to, processes) =>
      send(to, processes, {
        ...{ ...sending, operation: name, store },
        run: (by) => redeemGiftCard(store, card, { identifier: { uuid }, expiresAt }, { by, keyId: 'key' }),
      }),
    apply: (state, { outcome, effect }) => {
      const after = copyOf(state);
      after.now = millisOf(effect?.at ?? (outcome.kind === 'unknown' ? '' : outcome.at));
      const isDone = redeem(after, card, uuid, expiresAt, creditLimit);
      if (isDone !== (effect !== undefined)) return undefined;
      if (!effect) return state;
      if (effect.kind !== 'redeem' || effect.item.redeemedFor !== uuid) return undefined;
      const body = outcome.kind === 'answered' ? (outcome.body as { credit: CustomerCredit }) : undefined;
      if (body && !hasBalances(after, uuid, body.credit)) return undefined;
      after.touched[uuid] = true;
      return after;
    },
  };
};

/** An index that is behind hides cards of late. */
const mayMiss = ({ trouble }: Machine): boolean => trouble.staleMillis > 0 || trouble.torn > 0;

const redeemOwnOperation = (machine: Machine, world: World, name: string): Operation => {
  const { store, avatars } = world;
  const uuid = machine.random.of([0, 0, 0, 1, 2].map((place) => avatars[place] as string));
  const sending = sendingOf(machine, name);
  return {
    name,
    text: `redeem of all cards of ${uuid.slice(0, 8)}`,
    run: (to, processes) =>
      send(to, processes, {
        ...{ ...sending, operation: name, store },
        run: (by) => redeemOwnCards(store, { uuid }, { by, keyId: 'key' }),
      }),
    apply: (state, { outcome, effect }) => {
      const after = copyOf(state);
      after.now = millisOf(effect?.at ?? (outcome.kind === 'unknown' ? '' : outcome.at));
      if (effect && (effect.kind !== 'redeem' || effect.item.redeemedFor !== uuid)) return undefined;
      const cards = effect?.cards ?? [];
      const done = redeemOwn(after, uuid, creditLimit, effect && ((id) => cards.includes(id)));
      if (outcome.kind === 'refused') return !effect && !done && outcome.status === 400 ? state : undefined;
      if (!effect) return done?.cards.length === 0 || mayMiss(machine) ? state : undefined;
      if (done?.cards.join() !== cards.toSorted().join()) return undefined;
      const body = outcome.kind === 'answered' ? (outcome.body as RedeemedCards) : undefined;
      if (body && (body.amount !== done.amount || !hasBalances(after, uuid, body.credit))) return undefined;
      after.touched[uuid] = true;
      return after;
    },
  };
};

const importOperation = (machine: Machine, world: World, name: string): Operation => {
  const { random } = machine;
  const { store } = world;
  const uuid = world.avatars[random.of([2, 2, 2, 0])] as string;
  const type: CreditType = random.of(creditTypes);
  // Two files that have a row in common.
  const file = random.below(2);
  const due = timestamp(start + random.of([700, 20 * 60_000]));
  const rowOf = (line: number, text: string, amount: number, expiresAt?: string) => ({
    line,
    fields: {
      id: idFrom(store, 'credit', `${uuid} ${type} ${text}`),
      resident: { uuid },
      type,
      amount,
      expiresAt,
      state: 'open' as const,
    },
  });
  const rows = [rowOf(1, `lot ${file} ${due}`, 11, due), rowOf(2, 'permanent', 30)];
  const residents = new Map([[uuid, { uuid, username: `avatar${world.avatars.indexOf(uuid)}` }]]);
  const run = async () => {
    const groups = await writeRows(creditImporter(), rows, { store, residents });
    return groups.flatMap(({ rows: some, outcome }) => some.map(({ fields }) => [fields.id, outcome]));
  };
  return {
    name,
    text: `import of ${rows.length} rows of ${type} for ${uuid.slice(0, 8)}`,
    run: (to, processes) => send(to, processes, { operation: name, store, isRepeatable: true, run }),
    apply: (state, { outcome, effect }) => {
      const missing = rows.filter(({ fields }) => !state.imported[fields.id]);
      if (!effect) {
        if (outcome.kind === 'unknown') return state;
        if (outcome.kind === 'refused') return undefined;
        // Rows that are not there are refused for what the store did meanwhile.
        return missing.length === 0 || state.touched[uuid] ? state : undefined;
      }
      if (effect.kind !== 'import' || state.touched[uuid]) return undefined;
      const after = copyOf(state);
      const holder = avatarOf(after, uuid).credit[type];
      for (const { fields } of missing) {
        if (fields.expiresAt === undefined) holder.unlotted += fields.amount;
        else holder.lots.push({ expiresAt: millisOf(fields.expiresAt), number: 0, remaining: fields.amount });
        after.imported[fields.id] = true;
      }
      return after;
    },
  };
};

const readOperation = (machine: Machine, world: World, name: string): Operation => {
  const uuid = world.avatars[machine.random.below(2)] as string;
  return {
    name,
    text: `read of ${uuid.slice(0, 8)}`,
    run: (to, processes) =>
      send(to, processes, {
        ...{ operation: name, store: world.store, isRepeatable: true },
        run: () => getCustomer(world.store, { uuid }),
      }),
    apply: (state, { outcome }) =>
      outcome.kind !== 'answered' || hasBalances(state, uuid, outcome.body) ? state : undefined,
  };
};

/** Work that nobody asks for and nobody waits for. It has no effect of its own on the model but expiry. */
const backgroundOperation = (name: string, text: string, work: (machine: Machine) => Promise<void>): Operation => ({
  name,
  text,
  run: async (machine, processes) => {
    await serve(machine, processes, name, () => work(machine));
    return { kind: 'unknown' };
  },
});

/** The operations of a schedule. */
export const operationsOf = (
  machine: Machine,
  world: World,
  processes: readonly Process[],
  count: number,
): Operation[] => {
  const { random } = machine;
  const ids = [...world.sold];
  return Array.from({ length: count }, (_, place): Operation | Operation[] => {
    const name = `operation ${place}`;
    if (world.payees.length > 0 && random.chance(0.5)) return payoutOperations(machine, world, name);
    // Without a stream there is nothing to consume and nothing to deliver.
    const choice = random.below(machine.isStreaming ? 24 : 21);
    if (choice < 8) return creditOperation(machine, world, name);
    if (choice < 13) {
      const id = idOfClient(machine, processes[0] as Process);
      ids.push(id);
      return saleOperation(machine, world, name, id);
    }
    if (choice < 15) return refundOperation(machine, world, name, random.of(ids));
    if (choice < 17) {
      const isOwn = world.state.rules !== undefined && random.chance(0.5);
      return isOwn ? redeemOwnOperation(machine, world, name) : redeemOperation(machine, world, name);
    }
    if (choice < 18) return importOperation(machine, world, name);
    if (choice < 19) return readOperation(machine, world, name);
    if (choice < 21)
      return backgroundOperation(name, 'sweep', (of) => sweepOnce(of, of.random.of([10_500, 12_000, 60_000])));
    if (choice < 23) return backgroundOperation(name, 'consumer', consumeSome);
    return backgroundOperation(name, 'worker', deliverSome);
  }).flat();
};

/** Expiry by itself, by a sweep or before another change, as the customer's item tells of it. */
export const applyExpiry =
  (item: CreditItem) =>
  (state: State): State | undefined => {
    const change = lastChangeOf(item);
    const [part] = change?.types ?? [];
    if (!change || !part || change.types.length !== 1) return undefined;
    const after = copyOf(state);
    const { amount } = expire(avatarOf(after, item.sk).credit[part.type], millisOf(change.at));
    after.touched[item.sk] = true;
    return amount === (part.expired ?? 0) ? after : undefined;
  };
