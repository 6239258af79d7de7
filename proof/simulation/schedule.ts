import { isLinearizable, type Operation as Past } from '../../test/support/linearizable.ts';
import { Random } from '../../test/support/random.ts';
import { consumeAll, deliverAll, sweepOnce } from './background.ts';
import { endInTable, endOf, faultsAtRest, withPseudonyms } from './checks.ts';
import type { Outcome } from './client.ts';
import { isErased } from './erased-items.ts';
import { type Commit, Machine, type Process, type Trouble } from './machine.ts';
import { type Effect, effectOf, judgeOf, type Operation } from './operation.ts';
import { operationsOf } from './operations.ts';
import { repairBooks, restored, tableAsOf } from './restore.ts';
import { isLarge, quietly, type State, start, type World, worldCount, worldOf } from './world.ts';

/**
 * One schedule: eight operations at once in a made-up world of failures, and everything that must be true at the end.
 */

export interface Result {
  seed: number;
  /** Sentences about what is wrong; empty if all is well. */
  faults: string[];
  /** Calls to the table and the queue. */
  events: number;
  /** The operations and each call, if they were asked for. */
  trace: string[];
}

/** Runs the functions that no client calls, until nothing is left to do. */
const settle = (machine: Machine, operations: readonly Operation[]): Promise<void> =>
  quietly(machine, async () => {
    // The second round comes when the sweep looks at each sale again.
    for (let round = 0; round < 3; round++) {
      machine.time += round === 1 ? 16 * 60_000 : 90_000;
      await sweepOnce(machine, 60_000);
      if (!machine.isStreaming) break;
      await consumeAll(machine);
      await deliverAll(machine);
      if (round > 0 && machine.stream.isRead() && machine.queue.length === 0) break;
    }
    await consumeAll(machine);
    for (const { finish } of operations) await finish?.();
    await consumeAll(machine);
  });

interface Run {
  outcome: Outcome;
  start: number;
  end: number;
}

const troubleOf = (random: Random): Trouble => ({
  faults: random.of([0, 0.05, 0.1, 0.2]),
  deaths: random.of([0, 0.1, 0.3]),
  torn: random.of([0, 0.5, 1]),
  staleMillis: random.of([0, 500, 20_000]),
});

const operationCount = 8;

interface Options {
  isTraced?: boolean;
  isInOrder?: boolean;
}

/** The world and the machine of a seed. */
const prepare = async (seed: number, { isTraced = false, isInOrder = false }: Options) => {
  const random = new Random(seed);
  // A change of many lots costs twenty times as much as another.
  let index = random.below(worldCount);
  if (isLarge(index) && !random.chance(0.1)) index = random.below(worldCount - 1);
  const world = await worldOf(index);
  const machine = new Machine(random.next() * 2 ** 32, world.table.copy(), start, troubleOf(random), isTraced);
  // History, days, events and deliveries cost as much as everything else together.
  machine.isStreaming = random.chance(0.3) || isInOrder || world.payees.length > 0 || world.hasGifts;
  machine.isInOrder = isInOrder;
  // Between two batches the order of events is right only if clocks differ by less than a batch takes.
  const skew = isInOrder ? 0 : random.of([0, 50, 3000]);
  const newProcess = (): Process => ({ skew: Math.round((random.next() - 0.5) * 2 * skew), states: new Map() });
  machine.processes = Array.from({ length: 4 }, newProcess);
  return { world, machine };
};

/** Lets each operation begin at its own time, and plays on until nothing more happens. */
const play = async (machine: Machine, operations: readonly Operation[]) => {
  const runs: Run[] = [];
  for (const [place, operation] of operations.entries())
    machine.after(machine.random.of([0, 5, 100, 2000]) + machine.random.below(20), () => {
      const run: Run = { outcome: { kind: 'unknown' }, start: machine.place, end: Number.POSITIVE_INFINITY };
      runs[place] = run;
      operation.run().then((outcome) => {
        Object.assign(run, { outcome, end: machine.place });
      });
    });
  for (const millis of [500, 5000]) machine.after(machine.random.below(millis), () => machine.expireOld());
  await machine.run();
  return runs;
};

/** Tries a change on a copy of a state. Without an effect the state stays as it is. */
const tried =
  (judge: (model: State) => boolean, hasEffect: boolean) =>
  (state: State): State | undefined => {
    const model = structuredClone(state);
    return judge(model) ? (hasEffect ? model : state) : undefined;
  };

type History = (Past<State> & { hint: number })[];

interface Played {
  machine: Machine;
  world: World;
  operations: readonly Operation[];
  runs: readonly Run[];
}

/** An import that is repeated after an erasure brings its rows to a new customer. */
const comesAgain = ({ commits }: Machine, effect: Effect): boolean =>
  effect.kind === 'import' && isErased(commits, effect.item.sk);

/**
 * Everything that operations did in the first `count` commits. Without `count` it includes operations that took effect
 * later, or never.
 */
const historyOf = ({ machine, operations, runs }: Played, count?: number): { history: History; faults: string[] } => {
  const faults: string[] = [];
  const history: History = [];
  const effects = new Map<string, { effect: Effect; commit: Commit }[]>();
  for (const commit of machine.commits.slice(0, count)) {
    const effect = effectOf(commit);
    const judge = effect && judgeOf(effect, machine);
    if (judge) {
      const [begun, end] = [commit.at, machine.shownFrom(commit.shown)];
      history.push({ start: begun, end, hint: begun, apply: tried(judge, true) });
    } else if (effect) effects.set(commit.operation, [...(effects.get(commit.operation) ?? []), { effect, commit }]);
  }
  for (const [place, { name, text, judge, atEnd }] of operations.entries()) {
    const end = machine.place + 1;
    if (atEnd && count === undefined)
      history.push({ start: end, end: Number.POSITIVE_INFINITY, hint: end, apply: tried(atEnd, false) });
    const { outcome, start: begun, end: over } = runs[place] as Run;
    const [first, ...others] = effects.get(name) ?? [];
    if (count === undefined) machine.trace?.push(`${begun}-${over} ${name}, ${text}: ${JSON.stringify(outcome)}`);
    const again = others.filter(({ effect }) => comesAgain(machine, effect));
    if (others.length > again.length) faults.push(`${name} (${text}) took effect ${others.length + 1} times.`);
    if (!judge || (!first && (outcome.kind === 'unknown' || count !== undefined))) continue;
    const answer = outcome.kind === 'answered' ? outcome.body : undefined;
    // Nobody knows when an unanswered request ended.
    const last = outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : machine.shownFrom(over);
    for (const one of [first, ...again]) {
      const effect = one?.effect;
      const at = Date.parse(effect?.at ?? (outcome.kind === 'unknown' ? '' : outcome.at));
      const asSeen = (model: State): boolean => {
        model.now = at;
        return judge(model, { outcome, answer, effect, at, start: begun });
      };
      const hint = one?.commit.at ?? over - 0.5;
      history.push({ start: begun, end: last, hint, apply: tried(asSeen, effect !== undefined) });
    }
  }
  // The order of the commits nearly always explains everything.
  history.sort((a, b) => a.hint - b.hint);
  return { history, faults };
};

/** The state at the end of an order of the history that ends as the table did, if there is such an order. */
const stateAfter = (world: World, history: History, end: string, all: World): State | undefined => {
  let found: State | undefined;
  isLinearizable(world.state, history, (state) => {
    if (endOf(state, all) === end) found = state;
    return found !== undefined;
  });
  return found;
};

/** Some order of the operations, each with at most one effect, must explain their answers and the table at the end. */
const orderFaults = (played: Played): string[] => {
  const { machine, world } = played;
  const { history, faults } = historyOf(played);
  const all = withPseudonyms(machine.table, world);
  const end = endInTable(machine.table, all);
  if (!stateAfter(world, history, end, all))
    faults.push(`No order of the operations explains their answers and the table at the end: ${end}`);
  return faults;
};

/**
 * Plays the first half of a schedule, and restores its table as of one of its commits. Answers what continues then, or
 * a fault.
 */
const playAndRestore = async (machine: Machine, world: World) => {
  machine.isRestored = true;
  const operations = operationsOf(machine, world, operationCount / 2);
  const played = { machine, world, operations, runs: await play(machine, operations) };
  const last = machine.random.below(machine.commits.length);
  const table = tableAsOf(machine, world, last);
  const { history } = historyOf(played, last + 1);
  const end = endInTable(table, world);
  const state = stateAfter(world, history, end, world);
  if (!state) return `No order of the operations explains the table as of the commit ${last}: ${end}`;
  return restored(machine, { world, state, table, seed: machine.random.next() * 2 ** 32 });
};

/** Runs the schedule of a seed, and answers what is wrong. The same seed gives the same schedule. */
export const runSchedule = async (seed: number, options: Options = {}): Promise<Result> => {
  let { world, machine } = await prepare(seed, options);
  const isRestored = world.payees.length > 0 && machine.random.chance(0.25);
  if (isRestored) {
    const next = await playAndRestore(machine, world);
    if (typeof next === 'string') return { seed, faults: [next], events: machine.place, trace: machine.trace ?? [] };
    ({ world, machine } = next);
  }
  const operations = isRestored
    ? operationsOf(machine, world, operationCount / 2, 'later operation')
    : operationsOf(machine, world, operationCount);
  const runs = await play(machine, operations);
  const events = machine.place;
  const faults: string[] = [];
  try {
    await settle(machine, operations);
    if (isRestored) await quietly(machine, () => repairBooks(machine, world));
  } catch (error) {
    faults.push(`What follows does not end: ${error instanceof Error ? error.stack : error}`);
  }
  faults.push(...orderFaults({ machine, world, operations, runs }));
  faults.push(...(await quietly(machine, async () => faultsAtRest(machine, world))), ...machine.alarms);
  return { seed, faults, events, trace: machine.trace ?? [] };
};
