import { erasePerson } from '../../cli/person/erase.ts';
import { claimPayout, payByHand } from '../../lib/payout/claim.ts';
import { countDebts } from '../../lib/payout/count.ts';
import type { PayoutItem } from '../../lib/payout/payouts.ts';
import { reportPayout, settlePayout } from '../../lib/payout/settle.ts';
import type { PayoutAnswer, PayoutReport } from '../../lib/routes/payouts.ts';
import { begin, count, end, erase, isClaimable, payeeOf } from '../workload/model/payouts.ts';
import { type Outcome, send, serve } from './client.ts';
import type { Machine } from './machine.ts';
import { copyOf, type Effect, millisOf, type Operation, sendingOf } from './operation.ts';
import type { State, World } from './world.ts';

/** Cashiers who claim, pay, die and report, people who settle what these leave in doubt, and all that counts debts. */

type Applied = NonNullable<Operation['apply']>;

/** The effect of a request that makes a payout: what it takes was owed. */
const applyBegin =
  (isRight: (state: State, item: PayoutItem, at: number) => boolean, ifNone: Applied): Applied =>
  (state, seen) => {
    const { effect, outcome } = seen;
    if (!effect) return ifNone(state, seen);
    if (effect.kind !== 'payout' || effect.from !== undefined || outcome.kind === 'refused') return undefined;
    const { sk, amount, residentUuid: payee, state: made } = effect.item;
    const after = copyOf(state);
    if ((made !== 'claimed' && made !== 'paid') || !isRight(after, effect.item, millisOf(effect.at))) return undefined;
    return begin(after.payouts, sk, { payee, amount, state: made }) ? after : undefined;
  };

const claimOperation = (
  machine: Machine,
  world: World,
  name: string,
  { by, onEnd }: { by: string; onEnd: (payout: PayoutAnswer | null) => void },
): Operation => {
  const limit = machine.random.of([undefined, undefined, 7]);
  const terms = { minimum: 1, hold: 0, ...(limit !== undefined && { limit }) };
  const sending = sendingOf(machine, name);
  return {
    name,
    text: `claim by ${by} of ${limit ?? 'all'}`,
    run: async (to, processes) => {
      const run = () => claimPayout(world.store, terms, by);
      const outcome = await send(to, processes, { ...sending, operation: name, store: world.store, run });
      onEnd(outcome.kind === 'answered' ? (outcome.body as { payout: PayoutAnswer | null }).payout : null);
      return outcome;
    },
    // Indexes are behind, and accounts are read one by one: so a claim may find nobody.
    apply: applyBegin(
      (state, { residentUuid, amount }, at) =>
        isClaimable(state.payouts, residentUuid, at) &&
        amount === Math.min(limit ?? Number.POSITIVE_INFINITY, payeeOf(state.payouts, residentUuid).owed),
      (state, { outcome }) =>
        outcome.kind === 'answered' && (outcome.body as { payout: unknown }).payout !== null ? undefined : state,
    ),
  };
};

/** True where a payout showed later than other items of its claim: a request about it may find none then. */
const mayBeUnseen = ({ commits }: Machine, id: string, outcome: Outcome): boolean =>
  outcome.kind === 'refused' &&
  outcome.status === 404 &&
  commits.some(({ at, shown, written }) => shown > at && written.some(({ key, before }) => key.sk === id && !before));

const minute = 60_000;

type Fate = 'paid' | 'failed' | 'doubt' | 'dies';

/** Moves the L$ of a payout, or fails to, or dies. Answers what there is to report; undefined for nothing. */
const pay = async (machine: Machine, { id }: PayoutAnswer, isInTime: boolean): Promise<PayoutReport | undefined> => {
  const { random, transfers } = machine;
  const fate: Fate = isInTime ? random.of(['paid', 'paid', 'paid', 'failed', 'doubt', 'dies']) : 'failed';
  if (fate === 'paid' || (fate !== 'failed' && random.chance(0.5))) transfers.set(id, (transfers.get(id) ?? 0) + 1);
  await machine.sleep(random.of([0, 500, 11 * minute]));
  if (fate === 'dies') return undefined;
  if (fate === 'doubt') return { result: 'unknown', error: 'no answer' };
  return fate === 'paid' ? { result: 'paid', transactionId: id } : { result: 'failed', error: 'INVALID_AGENT' };
};

/** A claim, and the report of what became of it, by one of two cashiers. */
const cashierOperations = (machine: Machine, world: World, name: string): Operation[] => {
  const by = machine.random.of(['one', 'two']);
  const { promise: claimed, resolve: onEnd } = Promise.withResolvers<PayoutAnswer | null>();
  const begun = { at: Number.NEGATIVE_INFINITY };
  const claim = claimOperation(machine, world, `${name} claim`, { by, onEnd });
  let told: { id: string; report: PayoutReport } | undefined;
  const report: Operation = {
    name: `${name} report`,
    text: `report by ${by}`,
    run: async (to, processes): Promise<Outcome> => {
      const payout = await claimed;
      const result = payout && (await pay(to, payout, to.time - begun.at < 5 * minute));
      if (!payout || !result) return { kind: 'unknown' };
      told = { id: payout.id, report: result };
      const run = () => reportPayout(world.store, payout.id, result, by);
      return send(to, processes, { operation: `${name} report`, isRepeatable: true, store: world.store, run });
    },
    apply: (state, { outcome, effect }) => {
      const { id = '', report: result } = told ?? {};
      const known = state.payouts.payouts[id]?.state;
      if (!result || !known) return undefined;
      if (!effect) {
        if (mayBeUnseen(machine, id, outcome)) return state;
        const isSame = known === result.result;
        const hasEnded = known === 'paid' || known === 'failed';
        return outcome.kind === 'unknown' || (outcome.kind === 'refused' ? hasEnded && !isSame : isSame)
          ? state
          : undefined;
      }
      const after = copyOf(state);
      if (effect.kind !== 'payout' || effect.item.sk !== id || effect.from !== known) return undefined;
      return end(after.payouts, id, result.result, 'report', millisOf(effect.at)) ? after : undefined;
    },
  };
  const run: Operation['run'] = (to, processes) => {
    begun.at = to.time;
    return claim.run(to, processes);
  };
  return [{ ...claim, run }, report];
};

/** A person says how a payout ended: as it did, but that they take some for paid that were not. */
const settleOperation = (machine: Machine, world: World, name: string): Operation => {
  let told: { id: string; result: 'paid' | 'failed' } | undefined;
  return {
    name,
    text: 'settlement',
    run: async (to, processes): Promise<Outcome> => {
      const payouts = [
        ...(to.table.partitions.get(`${world.store}#PAYOUT`)?.values() ?? []),
      ] as unknown as PayoutItem[];
      const open = payouts.filter(({ state }) => state !== 'claimed').map(({ sk }) => sk);
      if (open.length === 0) return { kind: 'unknown' };
      const id = to.random.of(open.sort());
      const result = to.transfers.has(id) || to.random.chance(0.2) ? 'paid' : 'failed';
      told = { id, result };
      const run = () => settlePayout(world.store, id, { result });
      return send(to, processes, { operation: name, isRepeatable: true, store: world.store, run });
    },
    apply: (state, { outcome, effect }) => {
      const { id = '', result } = told ?? {};
      const known = state.payouts.payouts[id]?.state;
      if (!result || !known) return outcome.kind === 'unknown' ? state : undefined;
      if (!effect) {
        if (outcome.kind === 'unknown' || mayBeUnseen(machine, id, outcome)) return state;
        return known === (outcome.kind === 'refused' ? 'claimed' : result) ? state : undefined;
      }
      const after = copyOf(state);
      if (effect.kind !== 'payout' || effect.item.sk !== id || effect.from !== known) return undefined;
      return end(after.payouts, id, result, 'settlement', 0) ? after : undefined;
    },
  };
};

const handOperation = (machine: Machine, world: World, name: string): Operation => {
  const uuid = machine.random.of([...world.payees, world.avatars[0] as string]);
  const amount = machine.random.of([1, 5, 30]);
  const sending = sendingOf(machine, name);
  return {
    name,
    text: `payment of ${amount} by hand to ${uuid.slice(0, 8)}`,
    run: (to, processes) => {
      const run = () => payByHand(world.store, { uuid }, { amount });
      return send(to, processes, { ...sending, operation: name, store: world.store, run });
    },
    apply: applyBegin(
      (_, item) => item.residentUuid === uuid && item.amount === amount && item.state === 'paid',
      (state, { outcome }) =>
        outcome.kind === 'refused'
          ? amount > payeeOf(state.payouts, uuid).owed && outcome.status === 400
            ? state
            : undefined
          : outcome.kind === 'answered'
            ? undefined
            : state,
    ),
  };
};

const alone = (name: string, text: string, work: (machine: Machine) => Promise<unknown>): Operation => ({
  name,
  text,
  run: async (machine, processes) => {
    await serve(machine, processes, name, () => work(machine));
    return { kind: 'unknown' };
  },
});

/** Operations about what is owed and paid. */
export const payoutOperations = (machine: Machine, world: World, name: string): Operation[] => {
  const { store, payees, sold } = world;
  const [, former = ''] = payees;
  const choice = machine.random.below(10);
  if (choice < 4) return cashierOperations(machine, world, name);
  if (choice < 7) return [settleOperation(machine, world, name)];
  if (choice < 8) return [handOperation(machine, world, name)];
  if (choice < 9)
    return [
      alone(name, 'repair', () =>
        countDebts(
          store,
          sold.map((sk) => ({ sk })),
        ),
      ),
    ];
  const forfeit = machine.random.chance(0.7);
  const run = () => erasePerson(store, former, forfeit, () => []);
  // One that has begun is repeated: a payout that came in between stands under the avatar's own UUID until then.
  const finish = async ({ table }: Machine): Promise<void> => {
    const accounts = [...(table.partitions.get(`${store}#PAYEE`)?.values() ?? [])];
    if (accounts.some(({ isPseudonym }) => isPseudonym)) await run();
  };
  return [{ ...alone(name, 'erasure', run), finish }];
};

/** Debts that are counted, claims that are given up and accounts that an erasure moves, as their items tell of them. */
export const applyAlone =
  (effect: Effect) =>
  (state: State): State | undefined => {
    const after = copyOf(state);
    if (effect.kind === 'giveUp') return end(after.payouts, effect.item.sk, 'unknown', 'time', 0) ? after : undefined;
    if (effect.kind === 'erase') {
      erase(after.payouts, after.sales, effect.uuid, effect.pseudonym);
      return after;
    }
    if (effect.kind !== 'count') return undefined;
    let sum = 0;
    for (const debt of effect.debts) {
      const sale = after.sales[debt[0]];
      const counted = sale && count(after.payouts, sale, debt);
      if (counted === undefined) return undefined;
      sum += counted;
    }
    return sum === effect.amount ? after : undefined;
  };
