import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Environment, type FunctionFacts, type Invocation, maxPayloadBytes } from './environment.ts';

/** Lambda refuses calls above the account's concurrency. */
export class ThrottledError extends Error {
  override name = 'TooManyRequestsException';
  override message = 'Rate Exceeded.';
}

/** Lambda stops a chain of calls at about the 17th call of one function. */
const maxRounds = 16;

/** Lambda has stopped a chain of calls through a function that does not allow loops. */
export class RecursionError extends Error {
  override name = 'RecursiveInvocationException';
  constructor(label: string) {
    super(`Lambda stops a chain of calls that has gone ${maxRounds} times through ${label}.`);
  }
}

const newRoot = (): string => `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;

/** How often trace headers say that a chain of calls has passed through each function. */
const lineageOf = (traces: readonly string[]): Map<string, number> => {
  const rounds = new Map<string, number>();
  for (const trace of traces)
    for (const [, name = '', count] of (/Lineage=([^;]*)/.exec(trace)?.[1] ?? '').matchAll(/(\w+):(\d+)/g))
      rounds.set(name, Math.max(rounds.get(name) ?? 0, Number(count)));
  return rounds;
};

/** The trace header of a call, made from the headers of calls or messages that led to it. Throws RecursionError. */
const traceOf = ({ name, label, isRecursive }: FunctionFacts, traces: readonly string[]): string => {
  const lineage = lineageOf(traces);
  const rounds = lineage.get(name) ?? 0;
  if (rounds >= maxRounds && !isRecursive) throw new RecursionError(label);
  const root = /Root=[^;]*/.exec(traces[0] ?? '')?.[0] ?? newRoot();
  const through = [...lineage.set(name, rounds + 1)].map(([one, count]) => `${one}:${count}`).join('|');
  return `${root};Sampled=0;Lineage=${through}`;
};

const refuseTooLarge = (payload: string): void => {
  if (Buffer.byteLength(payload) <= maxPayloadBytes) return;
  const error = new Error('Request must be smaller than 6291456 bytes.');
  throw Object.assign(error, { name: 'RequestTooLargeException' });
};

/**
 * Kills the processes that it was told of when its input ends. A frozen process does not notice that this one is gone.
 */
const keeper = `
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
kill -9 $pids 2>/dev/null`;

/** Starts a keeper, and tells it about each process that starts or ends. */
const startKeeper = () => {
  const shell = spawn('sh', ['-c', keeper], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.stdin.on('error', () => undefined);
  return {
    note: (child: ChildProcess): void => {
      shell.stdin.write(`+ ${child.pid}\n`);
      child.on('exit', () => shell.stdin.write(`- ${child.pid}\n`));
    },
    stop: (): void => void shell.stdin.end(),
  };
};

interface FunctionsOptions {
  functions: readonly FunctionFacts[];
  /** Host and port of the engines that stand for AWS. */
  engines: () => string;
  /** The number of calls at the same time, all functions together, as in the account's quota. */
  concurrency: number;
  /** Called with each line that a function prints. */
  onLine: (label: string, line: string) => void;
  /** The time that Lambda gives a process to start. */
  initSeconds?: number;
}

/** Keeps the processes of each function. A free one takes the next call; without one, another starts. */
const createPool = ({ engines, onLine, initSeconds = 10 }: FunctionsOptions) => {
  const environments = new Map<string, Environment[]>();
  const keys = new Map<string, string>();
  const keeper = startKeeper();
  let coldStarts = 0;
  const of = (name: string): Environment[] => environments.get(name) ?? [];
  const keyOf = (name: string): string => {
    const known = keys.get(name) ?? `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    keys.set(name, known);
    return known;
  };
  const start = (facts: FunctionFacts): Promise<Environment> => {
    coldStarts += 1;
    return Environment.start({
      facts,
      accessKeyId: keyOf(facts.name),
      engines,
      initSeconds,
      onLine: (line) => onLine(facts.label, line),
      onStart: keeper.note,
      onEnd: (ended) => {
        const others = of(facts.name).filter((one) => one !== ended);
        environments.set(facts.name, others);
      },
    });
  };
  return {
    keys,
    coldStarts: (): number => coldStarts,
    /** Takes a process. `isReplaced` tells whether the function was replaced while the process started. */
    take: async (facts: FunctionFacts, isReplaced: () => boolean): Promise<Environment> => {
      const free = of(facts.name).find((one) => one.take());
      if (free) return free;
      const started = await start(facts);
      if (isReplaced()) started.retire();
      else environments.set(facts.name, [...of(facts.name), started]);
      return started;
    },
    /** Ends the processes of a function. Calls that are under way finish first. */
    retire: (name: string): void => {
      for (const each of of(name)) each.retire();
    },
    stop: (): void => {
      keeper.stop();
      for (const all of environments.values()) for (const each of [...all]) each.end();
    },
  };
};

/** Runs the functions of the template, each in processes of its own. */
export const startFunctions = (options: FunctionsOptions) => {
  const byName = new Map(options.functions.map((one) => [one.name, one]));
  const pool = createPool(options);
  let running = 0;

  return {
    /** Finds the function that signs with this access key. */
    callerOf: (accessKeyId: string): FunctionFacts | undefined =>
      [...byName.values()].find(({ name }) => pool.keys.get(name) === accessKeyId),
    /** Replaces the function with the same name, if there is one. Calls that are under way finish in the old one. */
    replace: (facts: FunctionFacts): void => {
      byName.set(facts.name, facts);
      pool.retire(facts.name);
    },
    /** Removes a function. Calls that are under way finish. */
    remove: (name: string): void => {
      byName.delete(name);
      pool.retire(name);
    },
    /** Gives a function other statements, if it exists. */
    allow: ({ name, statements }: FunctionFacts): void => {
      const known = byName.get(name);
      if (known) byName.set(name, { ...known, statements });
    },
    /**
     * Calls a function by its name or ARN, with or without a version. `traces` are the trace headers of the calls or
     * messages that led to it. Throws ThrottledError above the account's concurrency, and RecursionError. If the
     * function fails, the invocation has its error.
     */
    invoke: async (nameOrArn: string, payload: string, traces: readonly string[] = []): Promise<Invocation> => {
      const name = nameOrArn.replace(/^arn:aws:lambda:[^:]*:\d+:function:/, '').split(':')[0] ?? '';
      const facts = byName.get(name);
      if (!facts) throw new Error(`The template has no function ${nameOrArn}.`);
      refuseTooLarge(payload);
      const trace = traceOf(facts, traces);
      if (running >= options.concurrency) throw new ThrottledError();
      running += 1;
      try {
        const environment = await pool.take(facts, () => byName.get(name)?.dir !== facts.dir);
        return await environment.run(payload, trace);
      } finally {
        running -= 1;
      }
    },
    /** The number of processes started so far. */
    coldStarts: pool.coldStarts,
    stop: pool.stop,
  };
};

export type Functions = ReturnType<typeof startFunctions>;
