import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Statement } from './roles.ts';
import { pseudo } from './template.ts';

/** A function of the template. */
export interface FunctionFacts {
  /** Its name at AWS, and the one that people know it by. */
  name: string;
  label: string;
  arn: string;
  /** The directory of its bundle. */
  dir: string;
  handler: string;
  environment: Readonly<Record<string, string>>;
  memoryMegabytes: number;
  timeoutSeconds: number;
  logGroup: string;
  statements: readonly Statement[];
  /** Lambda stops no chain of calls through it. */
  isRecursive: boolean;
}

export interface Invocation {
  /** The answer, or the error with its type and message. */
  payload: string;
  isError: boolean;
}

/** Lambda refuses a call above the account's concurrency. */
export class Throttled extends Error {
  override name = 'TooManyRequestsException';
  override message = 'Rate Exceeded.';
}

/** Lambda calls no function about the 17th time in one chain of calls. */
const maxRounds = 16;

/** Lambda has stopped a chain of calls through a function that does not allow it. */
export class RecursionStopped extends Error {
  override name = 'RecursiveInvocationException';
  constructor(label: string) {
    super(`Lambda stops a chain of calls that has gone ${maxRounds} times through ${label}.`);
  }
}

/** How often a chain of calls has gone through each function, by the trace headers of all that led to a call. */
const lineageOf = (traces: readonly string[]): Map<string, number> => {
  const rounds = new Map<string, number>();
  for (const trace of traces)
    for (const [, name = '', count] of (/Lineage=([^;]*)/.exec(trace)?.[1] ?? '').matchAll(/(\w+):(\d+)/g))
      rounds.set(name, Math.max(rounds.get(name) ?? 0, Number(count)));
  return rounds;
};

interface Call {
  id: string;
  payload: string;
  trace: string;
  answer: (invocation: Invocation) => void;
  timer?: NodeJS.Timeout;
}

/** One process of a function. It runs only while it has a call, as on Lambda. */
interface Environment {
  isFree: boolean;
  take: (call: Call) => void;
  /** Ends it, once it has answered the call that it has. */
  retire: () => void;
  end: () => void;
}

/** Lambda takes no larger call or answer. */
const maxPayloadBytes = 6 * 1024 * 1024;

const bootstrap = join(import.meta.dirname, 'bootstrap.cjs');
const runtimeClient = createRequire(import.meta.url).resolve('aws-lambda-ric');

const newRoot = (): string => `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;

const failure = (errorType: string, errorMessage: string): Invocation => ({
  payload: JSON.stringify({ errorType, errorMessage }),
  isError: true,
});

/**
 * Ends the processes that it was told of when its input ends: a frozen one does not notice that this process is gone.
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

/** Tells a keeper of a process as it starts and ends. */
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
  /** Calls at the same time of all functions together, as the account's quota. */
  concurrency: number;
  /** A line that a function printed. */
  onLine: (label: string, line: string) => void;
  /** The time that Lambda gives a process to start. */
  initSeconds?: number;
}

/**
 * The functions of the template, each in processes of its own under Amazon's runtime client, which `Runtime API` calls
 * feed.
 */
export const startFunctions = ({ functions, engines, concurrency, onLine, initSeconds = 10 }: FunctionsOptions) => {
  const byName = new Map(functions.map((one) => [one.name, one]));
  const keys = new Map<string, string>();
  const keyOf = (name: string): string => {
    const known = keys.get(name) ?? `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
    keys.set(name, known);
    return known;
  };
  const environments = new Map<string, Environment[]>();
  const kept = startKeeper();
  let running = 0;
  let coldStarts = 0;

  const environmentOf = (facts: FunctionFacts, runtimeApi: string): NodeJS.ProcessEnv => ({
    ...facts.environment,
    _HANDLER: facts.handler,
    LAMBDA_TASK_ROOT: facts.dir,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_REGION: pseudo['AWS::Region'],
    AWS_DEFAULT_REGION: pseudo['AWS::Region'],
    AWS_LAMBDA_FUNCTION_NAME: facts.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(facts.memoryMegabytes),
    AWS_LAMBDA_LOG_GROUP_NAME: facts.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_ACCESS_KEY_ID: keyOf(facts.name),
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/usr/local/bin:/usr/bin:/bin',
  });

  /** Starts a process of a function. It is in use until it asks for its second call. */
  const start = async (facts: FunctionFacts): Promise<Environment> => {
    coldStarts += 1;
    let child: ChildProcess | undefined;
    let current: Call | undefined;
    let waiting: ServerResponse | undefined;
    let initTimer: NodeJS.Timeout | undefined;
    let isRetired = false;

    const hand = (call: Call): void => {
      const response = waiting;
      waiting = undefined;
      child?.kill('SIGCONT');
      call.timer = setTimeout(() => {
        finish(
          failure('Sandbox.Timedout', `${call.id} Error: Task timed out after ${facts.timeoutSeconds}.00 seconds`),
        );
        environment.end();
      }, facts.timeoutSeconds * 1000);
      response?.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': call.id,
        'Lambda-Runtime-Deadline-Ms': String(Date.now() + facts.timeoutSeconds * 1000),
        'Lambda-Runtime-Invoked-Function-Arn': facts.arn,
        'Lambda-Runtime-Trace-Id': call.trace,
      });
      response?.end(call.payload);
    };

    const finish = (invocation: Invocation): void => {
      const call = current;
      current = undefined;
      clearTimeout(call?.timer);
      call?.answer(invocation);
    };

    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const path = request.url ?? '';
      if (path.endsWith('/invocation/next')) {
        clearTimeout(initTimer);
        waiting = response;
        if (current) return hand(current);
        if (isRetired) return environment.end();
        environment.isFree = true;
        child?.kill('SIGSTOP');
        return;
      }
      const payload = await text(request);
      response.writeHead(202).end('{"status":"OK"}');
      if (path.endsWith('/error')) finish({ payload, isError: true });
      else if (Buffer.byteLength(payload) <= maxPayloadBytes) finish({ payload, isError: false });
      else
        finish(
          failure('Function.ResponseSizeTooLarge', 'Response payload size exceeded maximum allowed payload size.'),
        );
    };

    const environment: Environment = {
      isFree: false,
      take: (call) => {
        environment.isFree = false;
        current = call;
        if (waiting) hand(call);
      },
      retire: () => {
        isRetired = true;
        if (environment.isFree) environment.end();
      },
      end: () => {
        child?.kill('SIGKILL');
        server.close();
        server.closeAllConnections();
        const all = environments.get(facts.name) ?? [];
        environments.set(
          facts.name,
          all.filter((one) => one !== environment),
        );
      },
    };

    const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
    server.keepAliveTimeout = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = environmentOf(facts, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    const boot = (seconds: number, onLate: () => void): void => {
      const booted = spawn(process.execPath, ['--require', bootstrap, runtimeClient, engines()], {
        cwd: facts.dir,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = booted;
      kept.note(booted);
      for (const stream of [booted.stdout, booted.stderr]) {
        let rest = '';
        stream?.setEncoding('utf8').on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) onLine(facts.label, line);
        });
      }
      booted.on('exit', (code, signal) => {
        if (child !== booted) return;
        clearTimeout(initTimer);
        finish(failure('Runtime.ExitError', `Runtime exited with error: ${signal ?? `exit status ${code}`}`));
        environment.end();
      });
      initTimer = setTimeout(onLate, seconds * 1000);
    };
    boot(initSeconds, () => {
      const late = child;
      // Lambda starts it once more, as a part of the call.
      boot(facts.timeoutSeconds, () => {
        finish(failure('Sandbox.Timedout', `Init did not end within ${facts.timeoutSeconds} seconds.`));
        environment.end();
      });
      late?.kill('SIGKILL');
    });
    return environment;
  };

  const environmentFor = async (facts: FunctionFacts): Promise<Environment> => {
    const known = environments.get(facts.name) ?? [];
    const free = known.find(({ isFree }) => isFree);
    if (free) {
      free.isFree = false;
      return free;
    }
    const started = await start(facts);
    // It was replaced meanwhile.
    if (byName.get(facts.name)?.dir !== facts.dir) {
      started.retire();
      return started;
    }
    environments.set(facts.name, [...(environments.get(facts.name) ?? []), started]);
    return started;
  };

  return {
    /** The function that signs with these credentials. */
    callerOf: (accessKeyId: string): FunctionFacts | undefined =>
      [...byName.values()].find(({ name }) => keys.get(name) === accessKeyId),
    /**
     * Puts a function in the place of the one of its name, if there is one. Calls that are under way end in the old
     * one.
     */
    replace: (facts: FunctionFacts): void => {
      byName.set(facts.name, facts);
      for (const each of environments.get(facts.name) ?? []) each.retire();
    },
    /** Takes a function away. Calls that are under way end. */
    remove: (name: string): void => {
      byName.delete(name);
      for (const each of environments.get(name) ?? []) each.retire();
    },
    /** Gives a function other statements, if there is one. */
    allow: ({ name, statements }: FunctionFacts): void => {
      const known = byName.get(name);
      if (known) byName.set(name, { ...known, statements });
    },
    /**
     * Calls a function by its name or ARN, a version's too. `traces` are the trace headers of what leads to the call.
     * Throws Throttled above the account's concurrency, and RecursionStopped; a function that fails is an invocation
     * with its error.
     */
    invoke: async (nameOrArn: string, payload: string, traces: readonly string[] = []): Promise<Invocation> => {
      const name = nameOrArn.replace(/^arn:aws:lambda:[^:]*:\d+:function:/, '').split(':')[0] ?? '';
      const facts = byName.get(name);
      if (!facts) throw new Error(`The template has no function ${nameOrArn}.`);
      if (Buffer.byteLength(payload) > maxPayloadBytes)
        throw Object.assign(new Error('Request must be smaller than 6291456 bytes.'), {
          name: 'RequestTooLargeException',
        });
      const lineage = lineageOf(traces);
      const rounds = lineage.get(name) ?? 0;
      if (rounds >= maxRounds && !facts.isRecursive) throw new RecursionStopped(facts.label);
      if (running >= concurrency) throw new Throttled();
      running += 1;
      try {
        const environment = await environmentFor(facts);
        const id = randomUUID();
        const root = /Root=[^;]*/.exec(traces[0] ?? '')?.[0] ?? newRoot();
        const through = [...lineage.set(name, rounds + 1)].map(([one, count]) => `${one}:${count}`).join('|');
        return await new Promise((resolve) => {
          environment.take({ id, payload, trace: `${root};Sampled=0;Lineage=${through}`, answer: resolve });
        });
      } finally {
        running -= 1;
      }
    },
    /** Processes started so far. */
    coldStarts: (): number => coldStarts,
    stop: (): void => {
      kept.stop();
      for (const all of environments.values()) for (const each of [...all]) each.end();
    },
  };
};

export type Functions = ReturnType<typeof startFunctions>;
