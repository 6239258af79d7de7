import { claimPayout, payByHand } from '../../lib/payout/claim.ts';
import { countDebts } from '../../lib/payout/count.ts';
import type { PayoutItem } from '../../lib/payout/payouts.ts';
import { reportPayout, settlePayout } from '../../lib/payout/settle.ts';
import type { PayoutAnswer, PayoutReport } from '../../lib/routes/payouts.ts';
import { begin, end, isClaimable, payeeOf } from '../../test/support/model/payouts.ts';
import { type Outcome, type Part, repeatable, send, sendingOf, serveAlone } from './client.ts';
import { erasureOperation } from './erasures.ts';
import { listOf, type Machine } from './machine.ts';
import type { Operation, Seen } from './operation.ts';
import { beginOperations, bookOperation } from './payout-books.ts';
import { resumeOperation } from './restore.ts';
import type { State } from './world.ts';

/** Cashiers who claim, pay, die and report, people who settle doubtful payouts, and everything that counts debts. */

/** Makes the payout of a request: its amount was owed. */
const hasBegun = ({ payouts }: State, { effect, outcome }: Seen): boolean => {
  if (effect?.kind !== 'payout' || effect.from !== undefined || outcome.kind === 'refused') return false;
  const { sk, amount, residentUuid: payee, state } = effect.item;
  return (state === 'claimed' || state === 'paid') && begin(payouts, sk, { payee, amount, state });
};

/** True if a payout became visible later than other items of its claim. A request about it may then not find it. */
const mayBeUnseen = ({ commits }: Machine, id: string, outcome: Outcome): boolean =>
  outcome.kind === 'refused' &&
  outcome.status === 404 &&
  commits.some(({ at, shown, written }) => shown > at && written.some(({ key, before }) => key.sk === id && !before));

/** A request that ends a payout. */
interface Told {
  id: string;
  result: PayoutReport['result'];
  by: 'report' | 'settlement';
}

/** Ends the payout of a request. If the request did not end it, it was ended before, or must not be ended. */
const hasEnded = (machine: Machine, { payouts }: State, { id, result, by }: Told, seen: Seen): boolean => {
  const { outcome, effect, at } = seen;
  const known = payouts.payouts[id]?.state;
  if (effect) {
    const isOwn = effect.kind === 'payout' && effect.item.sk === id && effect.from === known;
    return isOwn && end(payouts, id, result, by, at);
  }
  if (known === undefined) return false;
  if (outcome.kind === 'unknown' || mayBeUnseen(machine, id, outcome)) return true;
  if (outcome.kind === 'answered') return known === result;
  return by === 'settlement' ? known === 'claimed' : known !== result && (known === 'paid' || known === 'failed');
};

const minute = 60_000;

type Fate = 'paid' | 'failed' | 'doubt' | 'dies';

/** Moves the L$ of a payout, or fails, or dies. Answers what there is to report; undefined if nothing. */
const pay = async (machine: Machine, { id }: PayoutAnswer, isInTime: boolean): Promise<PayoutReport | undefined> => {
  const { random, transfers } = machine;
  const fate: Fate = isInTime ? random.of(['paid', 'paid', 'paid', 'failed', 'doubt', 'dies']) : 'failed';
  if (fate === 'paid' || (fate !== 'failed' && random.chance(0.5))) transfers.set(id, (transfers.get(id) ?? 0) + 1);
  await machine.sleep(random.of([0, 500, 11 * minute]));
  if (fate === 'dies') return undefined;
  if (fate === 'doubt') return { result: 'unknown', error: 'no answer' };
  return fate === 'paid' ? { result: 'paid', transactionId: id } : { result: 'failed', error: 'INVALID_AGENT' };
};

const payoutOf = (outcome: Outcome): PayoutAnswer | null =>
  outcome.kind === 'answered' ? (outcome.body as { payout: PayoutAnswer | null }).payout : null;

/** A claim and its report, by one of two cashiers. */
const cashierOperations = (part: Part): Operation[] => {
  const { machine, name } = part;
  const { store } = part.world;
  const by = machine.random.of(['one', 'two']);
  const limit = machine.random.of([undefined, undefined, 7]);
  const terms = { minimum: 1, hold: 0, ...(limit !== undefined && { limit }) };
  const claiming = { ...part, name: `${name} claim` };
  const reporting = { ...part, name: `${name} report` };
  const sending = sendingOf(claiming);
  const { promise: claimed, resolve } = Promise.withResolvers<PayoutAnswer | null>();
  let begun = Number.NEGATIVE_INFINITY;
  let told: Told | undefined;
  const claim: Operation = {
    name: claiming.name,
    text: `claim by ${by} of ${limit ?? 'all'}`,
    run: async () => {
      begun = machine.time;
      const outcome = await send(claiming, sending, () => claimPayout(store, terms, by));
      resolve(payoutOf(outcome));
      return outcome;
    },
    judge: (model, seen) => {
      const { effect, outcome, at } = seen;
      // Indexes are behind, and accounts are read one by one, so a claim may find nobody.
      if (!effect) return payoutOf(outcome) === null;
      if (effect.kind !== 'payout') return false;
      const { residentUuid: payee, amount } = effect.item;
      const most = Math.min(limit ?? Number.POSITIVE_INFINITY, payeeOf(model.payouts, payee).owed);
      return (
        model.isBegun &&
        !model.isStopped &&
        isClaimable(model.payouts, payee, at) &&
        amount === most &&
        hasBegun(model, seen)
      );
    },
  };
  const report: Operation = {
    name: reporting.name,
    text: `report by ${by}`,
    run: async () => {
      const payout = await claimed;
      const made = payout && (await pay(machine, payout, machine.time - begun < 5 * minute));
      if (!payout || !made) return { kind: 'unknown' };
      told = { id: payout.id, result: made.result, by: 'report' };
      return send(reporting, repeatable, () => reportPayout(store, payout.id, made, by));
    },
    judge: (model, seen) => told !== undefined && hasEnded(machine, model, told, seen),
  };
  return [claim, report];
};

/** A person says how a payout ended. They are right, except that they may take an unpaid payout as paid. */
const settleOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const { random, table, transfers } = machine;
  // A settlement is a person's word, and the last one counts: without a key it may not be sent again.
  const sending = sendingOf(part);
  let told: Told | undefined;
  return {
    name,
    text: 'settlement',
    run: async () => {
      const payouts = listOf<PayoutItem>(table, `${world.store}#PAYOUT`);
      const open = payouts.filter(({ state }) => state !== 'claimed').map(({ sk }) => sk);
      if (open.length === 0) return { kind: 'unknown' };
      const id = random.of(open.sort());
      const result = transfers.has(id) || random.chance(0.2) ? 'paid' : 'failed';
      told = { id, result, by: 'settlement' };
      return send(part, sending, () => settlePayout(world.store, id, { result }));
    },
    judge: (model, seen) => told !== undefined && hasEnded(machine, model, told, seen),
  };
};

const handOperation = (part: Part): Operation => {
  const { machine, world, name } = part;
  const uuid = machine.random.of([...world.payees, world.avatars[0] as string]);
  const amount = machine.random.of([1, 5, 30]);
  const sending = sendingOf(part);
  return {
    name,
    text: `payment of ${amount} by hand to ${uuid.slice(0, 8)}`,
    run: () => send(part, sending, () => payByHand(world.store, { uuid }, { amount })),
    judge: (model, seen) => {
      const { effect, outcome } = seen;
      if (effect?.kind === 'payout') {
        const { residentUuid, amount: paid, state } = effect.item;
        const isOwn = residentUuid === uuid && paid === amount && state === 'paid';
        return isOwn && !model.isStopped && hasBegun(model, seen);
      }
      if (effect || outcome.kind === 'answered') return false;
      if (outcome.kind === 'unknown') return true;
      return outcome.status === 400 && (model.isStopped || amount > payeeOf(model.payouts, uuid).owed);
    },
  };
};

/** Operations about what is owed and paid. */
export const payoutOperations = (part: Part, selling: (part: Part) => Operation): Operation[] => {
  const { machine, world, name } = part;
  const { store, payees, state } = world;
  const [, former = ''] = payees;
  if (!state.isBegun && machine.random.chance(0.25)) return beginOperations(part, selling);
  if (machine.isRestored && machine.random.chance(0.2)) return [resumeOperation(part)];
  const choice = machine.random.below(machine.isRestored ? 9 : 11);
  if (choice === 10) return [bookOperation(part)];
  if (choice < 4) return cashierOperations(part);
  if (choice < 7) return [settleOperation(part)];
  if (choice < 8) return [handOperation(part)];
  if (choice < 9) {
    const sales = Object.keys(state.sales).map((sk) => ({ sk }));
    const repair = () => countDebts(store, sales);
    return [{ name, text: 'repair', run: () => serveAlone(part, repair) }];
  }
  return [erasureOperation(part, former)];
};
