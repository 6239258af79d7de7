import { isLinearizable, type Operation as Past } from '../../test/support/linearizable.ts';
import { Random } from '../../test/support/random.ts';
import { consumeAll, deliverAll, sweepOnce } from './background.ts';
import { endInTable, endOf, faultsAtRest, withPseudonyms } from './checks.ts';
import type { Outcome } from './client.ts';
import { type Commit, Machine, type Process, type Trouble } from './machine.ts';
import { type Effect, effectOf, judgeOf, type Operation } from './operation.ts';
import { operationsOf } from './operations.ts';
import { isLarge, quietly, type State, start, type World, worldCount, worldOf } from './world.ts';

/** One schedule: eight operations at once in a made-up world of failures, and all that must hold when they are over. */

export interface Result {
  seed: number;
  /** Sentences about what is wrong; empty where all holds. */
  faults: string[];
  /** Calls to the table and the queue. */
  events: number;
  /** The operations, and each call, where they were asked for. */
  trace: string[];
}

/** Runs what nobody asks for until nothing is left to do. */
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
  // History, days, events and deliveries cost as much as all else together.
  machine.isStreaming = random.chance(0.3) || isInOrder || world.payees.length > 0 || world.hasGifts;
  machine.isInOrder = isInOrder;
  // Between two batches the order of events holds for clocks that differ by less than a batch takes.
  const skew = isInOrder ? 0 : random.of([0, 50, 3000]);
  const newProcess = (): Process => ({ skew: Math.round((random.next() - 0.5) * 2 * skew), states: new Map() });
  machine.processes = Array.from({ length: 4 }, newProcess);
  return { world, machine };
};

/** Lets all operations begin at times of their own, and lets things happen until nothing more does. */
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

/** Some order of the operations, each with one effect at most, must explain their answers and the table at the end. */
const orderFaults = (
  machine: Machine,
  world: World,
  operations: readonly Operation[],
  runs: readonly Run[],
): string[] => {
  const faults: string[] = [];
  const history: (Past<State> & { hint: number })[] = [];
  const effects = new Map<string, { effect: Effect; commit: Commit }[]>();
  for (const commit of machine.commits) {
    const effect = effectOf(commit);
    const judge = effect && judgeOf(effect);
    if (judge) {
      const [begun, end] = [commit.at, machine.shownFrom(commit.shown)];
      history.push({ start: begun, end, hint: begun, apply: tried(judge, true) });
    } else if (effect) effects.set(commit.operation, [...(effects.get(commit.operation) ?? []), { effect, commit }]);
  }
  for (const [place, { name, text, judge }] of operations.entries()) {
    const { outcome, start: begun, end } = runs[place] as Run;
    const [first, ...others] = effects.get(name) ?? [];
    machine.trace?.push(`${begun}-${end} ${name}, ${text}: ${JSON.stringify(outcome)}`);
    if (others.length > 0) faults.push(`${name} (${text}) took effect ${others.length + 1} times.`);
    if (!judge || (outcome.kind === 'unknown' && !first)) continue;
    const effect = first?.effect;
    const at = Date.parse(effect?.at ?? (outcome.kind === 'unknown' ? '' : outcome.at));
    const answer = outcome.kind === 'answered' ? outcome.body : undefined;
    const asSeen = (model: State): boolean => {
      model.now = at;
      return judge(model, { outcome, answer, effect, at, start: begun });
    };
    // Nobody was told of the end of a request that was not answered.
    const last = outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : machine.shownFrom(end);
    const hint = first?.commit.at ?? end - 0.5;
    history.push({ start: begun, end: last, hint, apply: tried(asSeen, effect !== undefined) });
  }
  // The order of the commits is nearly always one that explains all.
  history.sort((a, b) => a.hint - b.hint);
  const all = withPseudonyms(machine.table, world);
  const end = endInTable(machine.table, all);
  if (!isLinearizable(world.state, history, (state) => endOf(state, all) === end))
    faults.push(`No order of the operations explains their answers and the table at the end: ${end}`);
  return faults;
};

/** Runs the schedule of a seed, and answers what is wrong. The same seed is the same schedule. */
export const runSchedule = async (seed: number, options: Options = {}): Promise<Result> => {
  const { world, machine } = await prepare(seed, options);
  const operations = operationsOf(machine, world, operationCount);
  const runs = await play(machine, operations);
  const events = machine.place;
  const faults: string[] = [];
  try {
    await settle(machine, operations);
  } catch (error) {
    faults.push(`What follows does not end: ${error instanceof Error ? error.stack : error}`);
  }
  faults.push(...orderFaults(machine, world, operations, runs));
  faults.push(...(await quietly(machine, async () => faultsAtRest(machine, world))), ...machine.alarms);
  return { seed, faults, events, trace: machine.trace ?? [] };
};
