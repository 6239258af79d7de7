import { idFrom } from '../../apps/cli/kinds/columns.ts';
import { getCustomer } from '../../lib/avatars/customers.ts';
import { newId, timestamp } from '../../lib/clock.ts';
import { changeCredit } from '../../lib/credit/change.ts';
import { redeemGiftCard, redeemOwnCards } from '../../lib/credit/redeem.ts';
import { type CreditType, creditTypes } from '../../lib/credit/rules.ts';
import type { ChangedCredit } from '../../lib/credit/state.ts';
import { creditImporter } from '../../lib/operator/imports/credit.ts';
import { giftCardImporter } from '../../lib/operator/imports/gift-cards.ts';
import { writeRows } from '../../lib/operator/imports/rows.ts';
import type { CustomerCredit } from '../../lib/routes/credit.ts';
import type { RedeemedCards } from '../../lib/routes/gift-cards.ts';
import type { Quote, Sale } from '../../lib/routes/sales.ts';
import { makeQuote } from '../../lib/sale/quote.ts';
import { refundSale } from '../../lib/sale/refund.ts';
import { sell } from '../../lib/sale/sell.ts';
import type { ModelCommand } from '../../test/support/model/credit.ts';
import {
  avatarOf,
  importCard,
  issueCard,
  type ModelCard,
  type ModelProduct,
  type ModelQuote,
  type ModelRequest,
  type ModelSale,
  redeem,
  redeemOwn,
  refund as refundInModel,
  sell as sellInModel,
} from '../../test/support/model/sales.ts';
import { changeNoted } from '../../test/support/model/undo.ts';
import { consumeSome, deliverSome, sweepOnce } from './background.ts';
import { type Outcome, type Part, repeatable, send, sendingOf, serveAlone } from './client.ts';
import { creditLimit } from './environment.ts';
import { erasureOperations } from './erasures.ts';
import { giftOperations } from './gifts.ts';
import { importOperations, readingSettings } from './imports.ts';
import { lasting, type Machine, works } from './machine.ts';
import { hasBalances } from './model-answers.ts';
import { moveOperations, withLastPass } from './moves.ts';
import { effectOf, type Operation, type Seen } from './operation.ts';
import { payoutOperations } from './payouts.ts';
import { priceOperations, withPriceRead } from './price-runs.ts';
import { repairOperations } from './repairs.ts';
import { type State, start, type World } from './world.ts';

/** There are few times, so that some lots come due together and some while operations run. */
const expiryOf = ({ random }: Machine): string | undefined =>
  random.chance(0.5) ? undefined : timestamp(start + random.of([500, 1500, 3000, 3000, 20 * 60_000]));

const creditOperation = (part: Part, uuid: string, onAnswer?: (answer: Outcome) => void): Operation => {
  const { machine, world, name } = part;
  const { random } = machine;
  const type: CreditType = random.of(['regular', 'regular', 'restricted']);
  const choice = random.below(10);
  const command: ModelCommand =
    choice < 2
      ? { kind: 'set', credit: random.of([0, 7, 300, creditLimit]), expiresAt: expiryOf(machine) }
      : choice < 6
        ? { kind: 'increment', delta: random.of([1, 13, 40, 900]), expiresAt: expiryOf(machine) }
        : { kind: 'increment', delta: -random.of([1, 10, 12, 25, 60]) };
  const sending = sendingOf(part);
  return {
    name,
    text: `${JSON.stringify(command)} of ${type} for ${uuid.slice(0, 8)}${sending.isRepeatable ? ', with a key' : ''}`,
    run: async () => {
      const outcome = await send(part, sending, (asker) => changeCredit(world.store, { uuid }, type, command, asker));
      onAnswer?.(outcome);
      return outcome;
    },
    judge: (model, { answer, effect, at }) => {
      model.touched[uuid] = true;
      const made = effect?.kind === 'credit' ? effect.item.creditVersion : undefined;
      const change = { uuid, type, sequence: made, command, now: at, limit: creditLimit };
      const isDone = changeNoted(avatarOf(model, uuid).credit[type], model.changes, name, change);
      if (!isDone || effect?.kind !== 'credit') return isDone === (effect !== undefined);
      const { sequence } = (answer ?? { sequence: effect.item.creditVersion }) as ChangedCredit;
      return sequence === effect.item.creditVersion && hasBalances(model, uuid, answer);
    },
  };
};

/** Nearly always the first customer, so that changes of one customer meet. */
const customerOf = ({ machine, world }: Part): string =>
  machine.random.of([0, 0, 0, 0, 1, 2].map((place) => world.avatars[place] as string));

type ToldSale = Pick<ModelSale, 'state' | 'refusal' | 'refund'> &
  Pick<ModelSale['terms'], 'discount' | 'total' | 'credit' | 'restrictedCredit'>;

/** The part of a sale that the model has too. */
const told = (sale: ToldSale, bonus = 0): string => {
  const { state, refusal, refund, discount, total, credit, restrictedCredit } = sale;
  const cut = `${discount.source} ${discount.percent}`;
  return JSON.stringify(state === 'refused' ? refusal : [state, cut, total, credit, restrictedCredit, refund, bonus]);
};

/** The quote in an answer; undefined if there is none, or if it has expired. */
const quoteOf = (
  { coupons, now, products }: State,
  asked: ModelRequest,
  inGroup: boolean,
  answer: Quote | undefined,
) => {
  if (!answer || answer.quote === null || answer.expiresAt === null) return undefined;
  const { quote, expiresAt, refusal, ...terms } = answer;
  const used =
    terms.discount.source === 'coupon'
      ? structuredClone(coupons.find(({ id }) => id === terms.discount.couponId))
      : undefined;
  const { card } = products[asked.productId] as ModelProduct;
  const made = { asked, terms: { ...terms, inGroup, used }, card, expiresAt: Date.parse(expiresAt) } as ModelQuote;
  return made.expiresAt > now ? made : undefined;
};

const saleOperation = (part: Part, id: string): Operation => {
  const { machine, world, name } = part;
  const { random } = machine;
  const { store, avatars, products } = world;
  const productId = products[random.of(products.length > 2 ? [0, 0, 1, 1, 2] : [0, 0, 1])] as string;
  const buyer = avatars[random.of([0, 0, 0, 1, 2])] as string;
  const recipient = random.chance(0.7) ? buyer : (avatars[random.below(3)] as string);
  const useCredit = random.chance(0.8);
  const paid = random.of([0, 20, 50, 100]);
  const isQuoted = random.chance(0.4);
  // The buyer may wear another group tag at the time of the sale.
  const [inGroup, wasInGroup] = world.state.rules ? [random.chance(0.5), random.chance(0.5)] : [false, false];
  const asked: ModelRequest = { productId, buyer, recipient, useCredit, inGroup };
  const request = { productId, buyerIdentifier: { uuid: buyer }, recipientIdentifier: { uuid: recipient }, useCredit };
  let quoted: Quote | undefined;
  const idempotencyKey = random.chance(0.3) ? `key of ${name}` : undefined;
  return {
    name,
    text: `sale ${id} of ${['the limited product', 'the other product', 'a card'][products.indexOf(productId)]} by ${buyer.slice(0, 8)} for ${recipient.slice(0, 8)}, paid ${paid}${useCredit ? ', with credit' : ''}${isQuoted ? ', quoted' : ''}${inGroup ? ', in the group' : ''}`,
    run: async () => {
      if (isQuoted) {
        const quote = () => makeQuote(store, { ...request, inGroup: wasInGroup });
        const answer = await send({ ...part, name: `quote of ${name}` }, repeatable, quote);
        if (answer.kind === 'answered') quoted = answer.body as Quote;
      }
      const { quote } = quoted ?? {};
      const body = { ...request, id, inGroup, paid, message: '', ...(quote && { quote }) };
      return send(part, { ...repeatable, idempotencyKey }, (asker) => sell(store, body, asker));
    },
    judge: (model, { outcome, answer, effect, start: begun }) => {
      if (effect?.kind !== 'sale' || outcome.kind === 'refused') return false;
      const { item } = effect;
      const read = { base: item.base, start: begun };
      const sale = withPriceRead(model, productId, read, () =>
        sellInModel(model, asked, paid, quoteOf(model, asked, wasInGroup, quoted)),
      );
      const made = told(item, item.bonus?.amount);
      if (told({ ...sale, ...sale.terms }, sale.bonus?.amount) !== made) return false;
      const isCard = sale.state === 'completed' && (model.products[productId]?.card ?? 0) > 0;
      if (isCard !== (item.giftCardId !== undefined)) return false;
      if (item.giftCardId !== undefined) issueCard(model, sale, item.giftCardId);
      const { bonus, ...sold } = (answer ?? { state: 'refunded' }) as Sale;
      // A repeated sale may have been refunded before its answer.
      if (sold.state !== 'refunded' && told(sold, bonus) !== made) return false;
      // An erasure gives the shares of a sale to another avatar.
      if (sale.shares.map(({ amount }) => amount).join() !== item.shares.map(({ amount }) => amount).join())
        return false;
      model.sales[id] = { ...sale, shares: structuredClone(item.shares) };
      if (item.state === 'completed' && item.credit + item.restrictedCredit + (sale.bonus?.amount ?? 0) > 0)
        model.touched[buyer] = true;
      return true;
    },
  };
};

/** The place in the schedule from which every read finds a sale. */
const shownAt = ({ commits }: Machine, id: string): number =>
  commits.find((commit) => {
    const effect = effectOf(commit);
    return effect?.kind === 'sale' && effect.item.sk === id;
  })?.shown ?? Number.POSITIVE_INFINITY;

/** Says whether the answer to a refund that wrote nothing fits a state. */
const isToldOfRefund = (machine: Machine, id: string, model: State, { outcome, start: begun }: Seen): boolean => {
  const known = model.sales[id];
  if (outcome.kind === 'unknown') return true;
  if (outcome.kind === 'answered') {
    const { state, refundReference } = outcome.body as Sale;
    return [state, known?.state].every((one) => one === 'refunded') && known?.refundReference === refundReference;
  }
  // A refused sale counts from the time when its facts were read, and is found once it is written.
  const isFound = known && (known.state !== 'refused' || shownAt(machine, id) < begun || outcome.status !== 404);
  const isSpent = known?.state === 'completed' && model.cards[known.cardId ?? '']?.isRedeemed;
  return outcome.status === (isFound ? (known.state === 'refused' || isSpent ? 400 : 200) : 404);
};

const refundOperation = (part: Part, id: string): Operation => {
  const { machine, world, name } = part;
  const reference = `by ${name}`;
  const payOut = world.payees.length > 0 && machine.random.chance(0.5);
  const sending = { ...sendingOf(part), ...repeatable };
  return {
    name,
    text: `refund of ${id}`,
    run: () => send(part, sending, (asker) => refundSale(world.store, id, { ...asker, reference }, { payOut })),
    judge: (model, seen) => {
      const { outcome, answer, effect } = seen;
      if (!effect) return isToldOfRefund(machine, id, model, seen);
      const sale = model.sales[id];
      const isOwn = effect.kind === 'refund' && effect.item.sk === id && sale?.state === 'completed';
      if (!isOwn || outcome.kind === 'refused' || refundInModel(model, sale, reference, payOut) !== 200) return false;
      const { buyer, recipient } = sale.asked;
      if (sale.terms.credit + sale.terms.restrictedCredit > 0 && buyer) model.touched[buyer] = true;
      const { refund, refundReference } = (answer ?? sale) as Sale | ModelSale;
      // After a lost answer the repeat may come after an erasure, which takes the reference away.
      const named = answer as Sale | undefined;
      const isErased = named !== undefined && (named.buyerUuid !== buyer || named.recipientUuid !== recipient);
      return refund === sale.refund && refundReference === (isErased ? null : reference);
    },
  };
};

const redeemOperation = (part: Part, card: string, uuid: string): Operation => {
  const { machine, world, name } = part;
  const expiresAt = expiryOf(machine);
  const sending = sendingOf(part);
  return {
    name,
    text: `redeem of the card ${world.cards.indexOf(card)} for ${uuid.slice(0, 8)}, until ${expiresAt}`,
    run: () =>
      send(part, sending, (asker) => redeemGiftCard(world.store, card, { identifier: { uuid }, expiresAt }, asker)),
    judge: (model, { answer, effect }) => {
      model.touched[uuid] = true;
      const isDone = redeem(model, card, uuid, expiresAt, creditLimit);
      if (!isDone || !effect) return isDone === (effect !== undefined);
      const isOwn = effect.kind === 'redeem' && effect.item.redeemedFor === uuid;
      return isOwn && hasBalances(model, uuid, (answer as { credit: CustomerCredit } | undefined)?.credit);
    },
  };
};

/** An index that is behind hides the latest cards. */
const mayMiss = ({ trouble }: Machine): boolean => trouble.staleMillis > 0 || trouble.torn > 0;

const redeemOwnOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const uuid = machine.random.of([0, 0, 0, 1, 2].map((place) => world.avatars[place] as string));
  const sending = sendingOf(part);
  return {
    name,
    text: `redeem of all cards of ${uuid.slice(0, 8)}`,
    run: () => send(part, sending, (asker) => redeemOwnCards(world.store, { uuid }, asker)),
    judge: (model, { outcome, answer, effect }) => {
      if (effect && (effect.kind !== 'redeem' || effect.item.redeemedFor !== uuid)) return false;
      const cards = effect?.cards ?? [];
      const done = redeemOwn(model, uuid, creditLimit, effect && ((id) => cards.includes(id)));
      if (outcome.kind === 'refused') return !effect && !done && outcome.status === 400;
      if (!effect) return done?.cards.length === 0 || mayMiss(machine);
      model.touched[uuid] = true;
      if (done?.cards.join() !== cards.toSorted().join()) return false;
      const { amount, credit } = (answer ?? { ...done, credit: undefined }) as RedeemedCards;
      return amount === done.amount && hasBalances(model, uuid, credit);
    },
  };
};

const importOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const { random } = machine;
  const { store } = world;
  const uuid = world.avatars[random.of([2, 2, 2, 0])] as string;
  const resident = { uuid, username: `avatar${world.avatars.indexOf(uuid)}` };
  const type: CreditType = random.of(creditTypes);
  // Two files that share a row.
  const file = random.below(2);
  const due = timestamp(start + random.of([700, 20 * 60_000]));
  const rows = [
    { text: `lot ${file} ${due}`, amount: 11, expiresAt: due },
    { text: 'permanent', amount: 30, expiresAt: undefined },
  ].map(({ text, ...fields }, place) => ({
    line: place + 1,
    fields: {
      ...{ id: idFrom(store, 'credit', `${uuid} ${type} ${text}`), resident, type, state: 'open' as const },
      ...fields,
    },
  }));
  const run = async () => {
    const groups = await writeRows(creditImporter(), rows, { store });
    return groups.flatMap(({ rows: some, outcome }) => some.map(({ fields }) => [fields.id, outcome]));
  };
  return {
    name,
    text: `import of ${rows.length} rows of ${type} for ${uuid.slice(0, 8)}`,
    run: () => send(part, repeatable, run),
    judge: (model, { outcome, effect }) => {
      const missing = rows.filter(({ fields }) => !model.imported[fields.id]);
      // Missing rows are refused because of what the store did meanwhile.
      if (!effect) return outcome.kind !== 'refused' && (missing.length === 0 || model.touched[uuid] === true);
      if (effect.kind !== 'import' || model.touched[uuid]) return false;
      const holder = avatarOf(model, uuid).credit[type];
      for (const { fields } of missing) {
        const { id, expiresAt, amount: remaining } = fields;
        if (expiresAt === undefined) holder.unlotted = remaining;
        else holder.lots.push({ expiresAt: Date.parse(expiresAt), number: 0, remaining });
        model.imported[id] = true;
      }
      return true;
    },
  };
};

/** A row of a new or an old file, which may have few columns. */
const importCardOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const { random } = machine;
  const { store, state, avatars } = world;
  const id = random.of(Object.keys(state.cards));
  const { owner, credit: before } = state.cards[id] as ModelCard;
  const holder = { uuid: owner, username: `avatar${avatars.indexOf(owner)}` };
  const [credit, isRedeemed] = random.of([
    [before, false],
    [50, false],
    [0, true],
  ] as const);
  const hasAll = random.chance(0.7);
  const fields = { id, owner: holder, credit, ...(hasAll && { redeemed: isRedeemed, active: true }) };
  const run = async () => (await writeRows(giftCardImporter, [{ line: 1, fields }], { store }))[0]?.outcome;
  return {
    name,
    text: `import of the card ${id}: ${JSON.stringify(fields)}`,
    // A row that is repeated after another file's may change something again.
    run: () => send(part, { isRepeatable: false }, run),
    judge: (model, { answer, effect }) => {
      const done = importCard(model, id, { credit, ...(hasAll && { isRedeemed, isActive: true }) });
      if (effect) return done === 'changed' && effect.kind === 'cardImport' && effect.item.sk === id;
      return done === (answer === 'unchanged' ? undefined : 'refused');
    },
  };
};

const readOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const uuid = world.avatars[machine.random.below(2)] as string;
  return {
    name,
    text: `read of ${uuid.slice(0, 8)}`,
    run: () => send(part, repeatable, () => getCustomer(world.store, { uuid })),
    judge: (model, { answer }) => hasBalances(model, uuid, answer),
  };
};

/** Work that nobody asks for or waits for. Its only effect on the model is expiry. */
const backgroundOperation = (part: Part, text: string, work: (machine: Machine) => Promise<void>): Operation => ({
  name: part.name,
  text,
  run: () => serveAlone(part, () => work(part.machine)),
});

/** The operations of a schedule. */
export const operationsOf = (machine: Machine, world: World, count: number, name = 'operation'): Operation[] => {
  const { random } = machine;
  const ids = Object.keys(world.state.sales);
  // A move and a run of prices are about the same product, so a schedule has only one of them.
  const moves = !machine.isRestored && (world.hasMoves || random.chance(0.1)) ? (world.hasMoves ? 0.6 : 0.2) : 0;
  const operations = Array.from({ length: count }, (_, place): Operation | Operation[] => {
    const part = { machine, world, name: `${name} ${place}` };
    const newSale = (of: Part): Operation => {
      const id = works.run(lasting(machine, ''), () => newId());
      ids.push(id);
      return readingSettings(saleOperation(of, id));
    };
    if (world.payees.length > 0 && random.chance(0.5)) return payoutOperations(part, newSale);
    // After a restore, history lacks changes, and an erasure would wait for them.
    const isWhole = machine.isStreaming && !machine.isRestored;
    if (isWhole && random.chance(world.hasGifts ? 0.6 : 0.2)) return giftOperations(part, creditOperation);
    if (random.chance(moves)) return moveOperations(part, redeemOperation);
    if (random.chance(world.hasImports ? 0.5 : 0.05)) return importOperations(part, (id) => ids.push(id));
    if (random.chance(0.06)) return importCardOperation(part);
    if (isWhole && random.chance(0.03)) return erasureOperations(part, redeemOperation);
    if (!machine.isRestored && random.chance(0.04)) return repairOperations(part);
    if (moves === 0 && random.chance(0.05)) return priceOperations(part);
    // Without a stream there is nothing to consume or deliver.
    const choice = random.below(machine.isStreaming ? 24 : 21);
    if (choice < 8) return creditOperation(part, customerOf(part));
    if (choice < 13) return newSale(part);
    if (choice < 15) return refundOperation(part, random.of(ids));
    if (choice < 17) {
      const isOwn = world.state.rules !== undefined && random.chance(0.5);
      return isOwn
        ? redeemOwnOperation(part)
        : redeemOperation(part, random.of(world.cards), world.avatars[random.of([0, 0, 1])] as string);
    }
    if (choice < 18) return importOperation(part);
    if (choice < 19) return readOperation(part);
    if (choice < 21)
      return backgroundOperation(part, 'sweep', (of) => sweepOnce(of, of.random.of([10_500, 12_000, 60_000])));
    if (choice < 23) return backgroundOperation(part, 'consumer', consumeSome);
    return backgroundOperation(part, 'worker', deliverSome);
  }).flat();
  return withLastPass({ machine, world, name: 'last' }, operations);
};
