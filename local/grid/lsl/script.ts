import { byName, compile, events, type Program } from './compile.ts';
import { type Functions, library } from './library.ts';
import {
  bytesOf,
  Float,
  floatOf,
  floatText,
  type Item,
  integerOf,
  isKey,
  Key,
  List,
  ScriptError,
  textOf,
  truncated,
  Vector,
  vectorText,
} from './values.ts';

/** Memory of a script under Mono. */
export const memoryBytes = 65_536;
/** Events that may wait for a script. More are dropped. */
const maxEvents = 64;
/** A script that turns so often in one event hangs; the region would only slow it down. */
const maxTurns = 10_000_000;

class StateChange {
  readonly state: string;
  constructor(state: string) {
    this.state = state;
  }
}
/** Thrown by llResetScript. */
export class Reset {}

/** The values that compiled code makes and casts, as `V`. */
const values = { Float, floatOf, floatText, integerOf, isKey, Key, List, textOf, truncated, Vector, vectorText };

type Run = Generator<number, unknown, unknown>;
type States = Record<string, Record<string, (...values: unknown[]) => Run>>;

/** The machine that compiled code calls: it counts memory and turns, and divides as LSL does. */
const createMachine = (codeBytes: number, waited: () => number) => {
  let globals = 0;
  let locals = 0;
  let peak = codeBytes;
  let turns = 0;
  const measure = (more: number): void => {
    const used = codeBytes + globals + locals + more;
    if (used > peak) peak = used;
    if (used > memoryBytes) throw new ScriptError('Stack-Heap Collision');
  };
  const made = <T>(value: T): T => {
    // The parts that a value is made of exist beside it.
    measure(2 * bytesOf(value));
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
      globals += bytesOf(value) - bytesOf(before);
      measure(0);
      return value;
    },
    local: <T>(value: T, before: T): T => {
      locals += bytesOf(value) - bytesOf(before);
      measure(0);
      return value;
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

/** The world around a script, as far as it needs one. */
export interface Surroundings {
  functions: Functions;
  /** The seconds for which the function that was just called makes the script wait. */
  waited: () => number;
  /** Calls back after so many seconds. */
  after: (seconds: number, run: () => void) => void;
  /** Called when the script's state changes or it is reset: what was listened for, it hears no more. */
  onState: (isReset: boolean) => void;
  /** An event begins. Its values may be followed by one more, which the script does not see. */
  onEvent: (event: string, values: readonly unknown[]) => void;
  /** A script that fails stops; the region says why. */
  onError: (error: ScriptError) => void;
}

const compiled = new Map<string, Program>();
/** A script is compiled once, for its functions have the same signatures everywhere. */
const programOf = (source: string, functions: Functions): Program => {
  const program = compiled.get(source) ?? compile(source, functions);
  compiled.set(source, program);
  return program;
};

/** Runs a script: it takes one event after another, and its functions may make it wait. Throws ScriptRefused. */
export const startScript = (source: string, surroundings: Surroundings) => {
  const { functions, waited, after, onState, onEvent, onError } = surroundings;
  const all = { ...library, ...functions };
  const callable = byName(all);
  const program = programOf(source, all);
  const create = new Function('V', 'L', 'M', program.code) as (v: object, l: object, m: object) => States;
  let queue: { event: string; values: unknown[] }[] = [];
  let machine = createMachine(program.bytes, waited);
  let states: States = {};
  let state = 'default';
  let running: Run | undefined;
  let ended = false;
  let frozen = false;
  let dropped = 0;
  let peak = 0;

  const begin = (): void => {
    peak = Math.max(peak, machine.peak());
    machine = createMachine(program.bytes, waited);
    queue = [];
    state = 'default';
    running = undefined;
    onState(true);
    try {
      states = create(values, callable, machine);
      send('state_entry');
    } catch (error) {
      fail(error);
    }
  };
  const fail = (error: unknown): void => {
    if (!(error instanceof ScriptError)) throw error;
    ended = true;
    onError(error);
  };
  /** Runs the event under way until it waits or ends, then the next one. */
  const turn = (run: Run): void => {
    running = run;
    try {
      const { done, value: seconds } = run.next();
      const resume = (): void => {
        if (running === run) turn(run);
      };
      if (!done) after(seconds, resume);
      else running = undefined;
    } catch (error) {
      running = undefined;
      if (error instanceof Reset) begin();
      else if (error instanceof StateChange) changeState(error.state);
      else fail(error);
    }
    next();
  };
  const changeState = (to: string): void => {
    const exit = states[state]?.state_exit;
    state = to;
    onState(false);
    queue = [{ event: 'state_entry', values: [] }];
    // The exit of a state comes before the entry of the next.
    if (exit) turn(exit());
  };
  const next = (): void => {
    const event = running || ended || frozen ? undefined : queue.shift();
    if (!event) return;
    machine.rested();
    onEvent(event.event, event.values);
    const handler = states[state]?.[event.event];
    if (handler) turn(handler(...event.values));
    else next();
  };
  /** An event reaches the script only if its state has a handler for it, and a timer waits only once. */
  const send = (event: string, ...values: unknown[]): boolean => {
    if (!(event in events)) throw new Error(`There is no event ${event}.`);
    if (ended || !states[state]?.[event]) return false;
    if (event === 'timer' && queue.some((waiting) => waiting.event === event)) return false;
    if (queue.length >= maxEvents) {
      dropped += 1;
      return false;
    }
    queue.push({ event, values });
    next();
    return true;
  };

  return {
    /** Starts the script, or starts it again as a reset from without does. */
    begin,
    send,
    end: (): void => {
      ended = true;
      running = undefined;
    },
    /** Events wait meanwhile. */
    freeze: (on: boolean): void => {
      frozen = on;
      next();
    },
    memory: () => ({ used: machine.used(), peak: Math.max(peak, machine.peak()), code: program.bytes }),
    dropped: (): number => dropped,
  };
};
