import { isLinearizable, type Operation as Past } from '../../test/support/linearizable.ts';
import { consumeAll, deliverAll, readInOrder, sweepOnce } from './background.ts';
import { endInTable, endOf, eventsIn, faultsAtRest } from './checks.ts';
import type { Outcome } from './client.ts';
import { type Commit, Machine, type Process, type Trouble } from './machine.ts';
import { type Effect, effectOf, type Operation } from './operation.ts';
import { applyExpiry, operationsOf } from './operations.ts';
import { applyAlone } from './payouts.ts';
import { Random } from './random.ts';
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
const settle = (machine: Machine, process: Process, operations: readonly Operation[]): Promise<void> =>
  quietly(machine, process, async () => {
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
    for (const { finish } of operations) await finish?.(machine);
    await consumeAll(machine);
  });

interface Run {
  outcome: Outcome;
  start: number;
  end: number;
}

const troubleOf = (random: Random): Trouble => {
  const level = random.of([0, 0.05, 0.1, 0.2]);
  return {
    faults: level,
    deaths: random.of([0, 0.1, 0.3]),
    torn: random.of([0, 0.5, 1]),
    staleMillis: random.of([0, 500, 20_000]),
  };
};

const operationCount = 8;

interface Options {
  isTraced?: boolean;
  isInOrder?: boolean;
}

/** The world, the machine and the processes of a seed. */
const prepare = async (seed: number, { isTraced = false, isInOrder = false }: Options) => {
  const random = new Random(seed);
  // A change of many lots costs twenty times as much as another.
  let index = random.below(worldCount);
  if (isLarge(index) && !random.chance(0.1)) index = random.below(worldCount - 1);
  const world = await worldOf(index);
  const machine = new Machine(random.next() * 2 ** 32, world.table.copy(), start, troubleOf(random), isTraced);
  // History, days, events and deliveries cost as much as all else together.
  machine.isStreaming = random.chance(0.3) || isInOrder || world.payees.length > 0;
  if (isInOrder) readInOrder(machine);
  // Between two batches the order of events holds for clocks that differ by less than a batch takes.
  const skew = isInOrder ? 0 : random.of([0, 50, 3000]);
  const newProcess = (): Process => ({ skew: Math.round((random.next() - 0.5) * 2 * skew), states: new Map() });
  return { world, machine, processes: Array.from({ length: 4 }, newProcess) };
};

/** Lets all operations begin at times of their own, and lets things happen until nothing more does. */
const play = async (machine: Machine, processes: readonly Process[], operations: readonly Operation[]) => {
  const runs: Run[] = [];
  for (const [place, operation] of operations.entries())
    machine.after(machine.random.of([0, 5, 100, 2000]) + machine.random.below(20), () => {
      const run: Run = { outcome: { kind: 'unknown' }, start: machine.place, end: Number.POSITIVE_INFINITY };
      runs[place] = run;
      operation.run(machine, processes).then((outcome) => {
        Object.assign(run, { outcome, end: machine.place });
      });
    });
  for (const millis of [500, 5000]) machine.after(machine.random.below(millis), () => machine.expireOld());
  await machine.run();
  return runs;
};

type Hinted = Past<State> & { hint: number };

/** The effects of each operation, and expiry that came by itself. */
const effectsIn = (machine: Machine) => {
  const expiries: Hinted[] = [];
  const effects = new Map<string, { effect: Effect; commit: Commit }[]>();
  for (const commit of machine.commits) {
    const effect = effectOf(commit);
    if (effect?.kind === 'expire')
      expiries.push({
        ...{ start: commit.at, end: machine.shownFrom(commit.shown), hint: commit.at },
        apply: applyExpiry(effect.item),
      });
    else if (effect && ['count', 'giveUp', 'erase'].includes(effect.kind))
      expiries.push({
        ...{ start: commit.at, end: machine.shownFrom(commit.shown), hint: commit.at },
        apply: applyAlone(effect),
      });
    else if (effect) effects.set(commit.operation, [...(effects.get(commit.operation) ?? []), { effect, commit }]);
  }
  return { expiries, effects };
};

/** Some order of the operations, each with one effect at most, must explain their answers and the table at the end. */
const orderFaults = (
  machine: Machine,
  world: World,
  operations: readonly Operation[],
  runs: readonly Run[],
): string[] => {
  const faults: string[] = [];
  const { expiries: history, effects } = effectsIn(machine);
  for (const [place, { name, text, apply }] of operations.entries()) {
    const { outcome, start: begun, end } = runs[place] as Run;
    const [first, ...others] = effects.get(name) ?? [];
    machine.trace?.push(`${begun}-${end} ${name}, ${text}: ${JSON.stringify(outcome)}`);
    if (others.length > 0) faults.push(`${name} (${text}) took effect ${others.length + 1} times.`);
    if (!apply || (outcome.kind === 'unknown' && !first)) continue;
    const seen = { outcome, effect: first?.effect, start: begun };
    // Nobody was told of the end of a request that was not answered.
    const last = outcome.kind === 'unknown' ? Number.POSITIVE_INFINITY : machine.shownFrom(end);
    history.push({
      ...{ start: begun, end: last, hint: first?.commit.at ?? end - 0.5 },
      apply: (state) => apply(state, seen),
    });
  }
  // The order of the commits is nearly always one that explains all.
  history.sort((a, b) => a.hint - b.hint);
  const end = endInTable(machine.table, world);
  if (!isLinearizable(world.state, history, (state) => endOf(state, world) === end))
    faults.push(`No order of the operations explains their answers and the table at the end: ${end}`);
  return faults;
};

/** Runs the schedule of a seed, and answers what is wrong. The same seed is the same schedule. */
export const runSchedule = async (seed: number, options: Options = {}): Promise<Result> => {
  const { world, machine, processes } = await prepare(seed, options);
  const [process] = processes as [Process];
  const earlier = eventsIn(machine.table, world);
  const operations = operationsOf(machine, world, processes, operationCount);
  const runs = await play(machine, processes, operations);
  const events = machine.place;
  const faults: string[] = [];
  try {
    await settle(machine, process, operations);
  } catch (error) {
    faults.push(`What follows does not end: ${error instanceof Error ? error.stack : error}`);
  }
  faults.push(...orderFaults(machine, world, operations, runs));
  const atRest = async () => faultsAtRest(machine, world, earlier, options.isInOrder === true);
  faults.push(...(await quietly(machine, process, atRest)), ...machine.alarms);
  return { seed, faults, events, trace: machine.trace ?? [] };
};
