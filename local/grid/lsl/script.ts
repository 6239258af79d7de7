import { compile, type Program } from './compile.ts';
import { type Functions, library } from './library.ts';
import { byName, events } from './types.ts';
import * as values from './values.ts';
import { type Item, List, memoryOf, ScriptError } from './values.ts';

/** The memory of a script under Mono. */
export const memoryBytes = 65_536;
/** At most this many events wait for a script. Further ones are dropped. */
const maxEvents = 64;
/** A script with more turns than this in one event hangs. A real region would only slow it down. */
const maxTurns = 10_000_000;

class StateChange {
  readonly state: string;
  constructor(state: string) {
    this.state = state;
  }
}
/** Thrown by llResetScript. */
export class ScriptReset {}

type Run = Generator<number, unknown, unknown>;
type States = Record<string, Record<string, (...values: unknown[]) => Run>>;

/** Makes the machine that compiled code calls. It counts memory and turns, and divides as LSL does. */
const createMachine = (codeBytes: number, waited: () => number) => {
  let globals = 0;
  let locals = 0;
  let peak = codeBytes;
  let turns = 0;
  const all = { read: (): unknown[] => [], write: (_: unknown[]): void => undefined };
  const measure = (more: number): void => {
    const used = codeBytes + globals + locals + more;
    if (used > peak) peak = used;
    if (used > memoryBytes) throw new ScriptError('Stack-Heap Collision');
  };
  const made = <T>(value: T): T => {
    // While a value is made, its parts exist too.
    measure(2 * memoryOf(value));
    return value;
  };
  const rest = (value: number, divisor: number): number => {
    if (divisor === 0) throw new ScriptError('Math Error');
    return (value % divisor) | 0;
  };
  return {
    made,
    rest,
    StateChange,
    list: (items: Item[]): List => made(new List(items)),
    global: <T>(value: T, before: T): T => {
      globals += memoryOf(value) - memoryOf(before);
      measure(0);
      return value;
    },
    local: <T>(value: T, before: T): T => {
      locals += memoryOf(value) - memoryOf(before);
      measure(0);
      return value;
    },
    /** Reads and writes the values of all globals, in their order. */
    all,
    keep: (read: typeof all.read, put: typeof all.write): void => {
      all.read = read;
      all.write = (values) => {
        put(values);
        globals = values.reduce<number>((sum, value) => sum + memoryOf(value), 0);
      };
    },
    enter: (): number => locals,
    leave: (depth: number): void => {
      locals = depth;
    },
    turn: (): void => {
      turns += 1;
      if (turns > maxTurns) throw new ScriptError('The script hangs.');
    },
    rested: (): void => {
      turns = 0;
    },
    divided: (value: number, divisor: number): number => ((value - rest(value, divisor)) / divisor) | 0,
    quotient: (value: number, divisor: number): number => {
      if (divisor === 0) throw new ScriptError('Math Error');
      return Math.fround(value / divisor);
    },
    *waited<T>(value: T): Generator<number, T> {
      const seconds = waited();
      if (seconds > 0) yield seconds;
      return value;
    },
    used: (): number => codeBytes + globals + locals,
    peak: (): number => peak,
  };
};

type Machine = ReturnType<typeof createMachine>;

/** The world around a script. */
export interface ScriptWorld {
  functions: Functions;
  /** The seconds for which the function that was just called makes the script wait. */
  waited: () => number;
  /** Calls back after this many seconds. */
  after: (seconds: number, run: () => void) => void;
  /** Called when the script's state changes or the script is reset. Then it listens for nothing. */
  onState: (isReset: boolean) => void;
  /** Called when an event begins. A further value, which the script does not see, may follow. */
  onEvent: (event: string, values: readonly unknown[]) => void;
  /** Called when the script fails, and so stops. The region says why. */
  onError: (error: ScriptError) => void;
}

const compiled = new Map<string, Program>();
/** Compiles each script only once, since its functions have the same signatures everywhere. */
const programOf = (source: string, functions: Functions): Program => {
  const program = compiled.get(source) ?? compile(source, functions);
  compiled.set(source, program);
  return program;
};

/** A running script. It takes one event after another, and its functions may make it wait. Throws ScriptRefused. */
export class RunningScript {
  readonly #surroundings: ScriptWorld;
  readonly #program: Program;
  readonly #create: (machine: Machine) => States;
  #machine: Machine;
  #states: States = {};
  #state = 'default';
  #queue: { event: string; values: unknown[] }[] = [];
  #running: Run | undefined;
  #hasEnded = false;
  #isFrozen = false;
  #dropped = 0;
  #peak = 0;

  constructor(source: string, surroundings: ScriptWorld) {
    this.#surroundings = surroundings;
    const functions = { ...library, ...surroundings.functions };
    this.#program = programOf(source, functions);
    const create = new Function('V', 'L', 'M', this.#program.code) as (v: object, l: object, m: object) => States;
    const callable = byName(functions);
    this.#create = (machine) => create(values, callable, machine);
    this.#machine = createMachine(this.#program.bytes, surroundings.waited);
  }

  /** Starts the script, or resets it from outside. */
  begin(): void {
    this.#peak = Math.max(this.#peak, this.#machine.peak());
    this.#machine = createMachine(this.#program.bytes, this.#surroundings.waited);
    this.#queue = [];
    this.#state = 'default';
    this.#running = undefined;
    this.#surroundings.onState(true);
    try {
      this.#states = this.#create(this.#machine);
      this.send('state_entry');
    } catch (error) {
      this.#fail(error);
    }
  }

  handles(event: string): boolean {
    return !this.#hasEnded && this.#states[this.#state]?.[event] !== undefined;
  }

  /**
   * Sends an event to the script. False if its state has no handler for it, or it is dropped. At most one timer event
   * waits.
   */
  send(event: string, ...values: unknown[]): boolean {
    if (!(event in events)) throw new Error(`There is no event ${event}.`);
    if (!this.handles(event)) return false;
    if (event === 'timer' && this.awaits(event)) return false;
    if (this.#queue.length >= maxEvents) {
      this.#dropped += 1;
      return false;
    }
    this.#queue.push({ event, values });
    this.#next();
    return true;
  }

  /**
   * Keeps the memory of a script that waits for its next event. The returned function restores it, even if the script
   * was reset since.
   */
  save(): () => void {
    if (this.#running) throw new Error('The script is in the middle of an event.');
    const [state, values] = [this.#state, this.#machine.all.read()];
    return () => {
      this.#running = undefined;
      this.#queue = [];
      this.#state = state;
      this.#machine.all.write(values);
    };
  }

  /** True if no event is running or waiting. */
  isAtRest(): boolean {
    return !this.#running && this.#queue.length === 0;
  }

  /** True if such an event is waiting. */
  awaits(event: string): boolean {
    return this.#queue.some((waiting) => waiting.event === event);
  }

  end(): void {
    this.#hasEnded = true;
    this.#running = undefined;
  }

  /** While the script is frozen, events wait. */
  freeze(on: boolean): void {
    this.#isFrozen = on;
    this.#next();
  }

  memory(): { used: number; peak: number; code: number } {
    return {
      used: this.#machine.used(),
      peak: Math.max(this.#peak, this.#machine.peak()),
      code: this.#program.bytes,
    };
  }

  /** The values of all globals, for whoever looks for a secret in them. */
  globals(): unknown[] {
    return this.#machine.all.read();
  }

  dropped(): number {
    return this.#dropped;
  }

  #next(): void {
    const event = this.#running || this.#hasEnded || this.#isFrozen ? undefined : this.#queue.shift();
    if (!event) return;
    this.#machine.rested();
    this.#surroundings.onEvent(event.event, event.values);
    const handler = this.#states[this.#state]?.[event.event];
    if (handler) this.#turn(handler(...event.values));
    else this.#next();
  }

  /** Runs an event until it waits or ends, and after its end the next one. */
  #turn(run: Run): void {
    this.#running = run;
    try {
      const { done, value: seconds } = run.next();
      const resume = (): void => {
        if (this.#running === run) this.#turn(run);
      };
      if (!done) this.#surroundings.after(seconds, resume);
      else this.#running = undefined;
    } catch (error) {
      this.#running = undefined;
      if (error instanceof ScriptReset) this.begin();
      else if (error instanceof StateChange) this.#changeState(error.state);
      else this.#fail(error);
    }
    this.#next();
  }

  #changeState(to: string): void {
    const exit = this.#states[this.#state]?.state_exit;
    this.#state = to;
    this.#surroundings.onState(false);
    this.#queue = [{ event: 'state_entry', values: [] }];
    // `state_exit` runs before the next state's `state_entry`.
    if (exit) this.#turn(exit());
  }

  #fail(error: unknown): void {
    if (!(error instanceof ScriptError)) throw error;
    this.#hasEnded = true;
    this.#surroundings.onError(error);
  }
}

export const startScript = (source: string, surroundings: ScriptWorld): RunningScript =>
  new RunningScript(source, surroundings);
