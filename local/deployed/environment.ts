import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Statement } from './roles.ts';
import { pseudo } from './template.ts';

/** Runs a process of a function under Amazon's runtime client, which gets its calls from the `Runtime API`. */

/** A function of the template. */
export interface FunctionFacts {
  /** The name at AWS. `label` is the name for people. */
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
  /** True if Lambda must not stop a chain of calls through it. */
  isRecursive: boolean;
}

export interface Invocation {
  /** The answer, or the error with its type and message. */
  payload: string;
  isError: boolean;
}

interface Call {
  id: string;
  payload: string;
  trace: string;
  answer: (invocation: Invocation) => void;
  timer?: NodeJS.Timeout;
}

/** Lambda refuses larger calls and answers. */
export const maxPayloadBytes = 6 * 1024 * 1024;

const bootstrap = join(import.meta.dirname, 'bootstrap.cjs');
const runtimeClient = createRequire(import.meta.url).resolve('aws-lambda-ric');

const failure = (errorType: string, errorMessage: string): Invocation => ({
  payload: JSON.stringify({ errorType, errorMessage }),
  isError: true,
});

/** The environment variables of a function: its own, and Lambda's. */
const variablesOf = (facts: FunctionFacts, accessKeyId: string, runtimeApi: string): NodeJS.ProcessEnv => ({
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
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session',
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  PATH: '/usr/local/bin:/usr/bin:/bin',
});

const printLines = (child: ChildProcess, print: (line: string) => void): void => {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) print(line);
    });
  }
};

export interface EnvironmentOptions {
  facts: FunctionFacts;
  accessKeyId: string;
  /** Host and port of the engines that stand for AWS. */
  engines: () => string;
  /** The time that Lambda gives a process to start. */
  initSeconds: number;
  onLine: (line: string) => void;
  onStart: (child: ChildProcess) => void;
  onEnd: (environment: Environment) => void;
}

/**
 * One process of a function. After its start it is busy with a call or free. A free process is frozen, as on Lambda. It
 * ends with the first call that it does not answer.
 */
export class Environment {
  readonly #options: EnvironmentOptions;
  readonly #facts: FunctionFacts;
  readonly #server: Server;
  /**
   * True if it has asked for a call and nobody has taken it. A starting process is in use until it asks for its second
   * call.
   */
  #isFree = false;
  #isRetired = false;
  #child: ChildProcess | undefined;
  #call: Call | undefined;
  /** The open response to its request for a call. */
  #waiting: ServerResponse | undefined;
  #initTimer: NodeJS.Timeout | undefined;

  private constructor(options: EnvironmentOptions) {
    this.#options = options;
    this.#facts = options.facts;
    this.#server = createServer(
      (request, response) => void this.#serve(request, response).catch(() => response.destroy()),
    );
    this.#server.keepAliveTimeout = 0;
  }

  static async start(options: EnvironmentOptions): Promise<Environment> {
    const environment = new Environment(options);
    environment.#server.listen(0, '127.0.0.1');
    await once(environment.#server, 'listening');
    environment.#boot(options.initSeconds, () => environment.#bootAgain());
    return environment;
  }

  /** Takes the process if it is free. Answers whether it was. */
  take(): boolean {
    const wasFree = this.#isFree;
    this.#isFree = false;
    return wasFree;
  }

  /** Calls the function in a process that was taken. */
  run(payload: string, trace: string): Promise<Invocation> {
    return new Promise((answer) => {
      this.#call = { id: randomUUID(), payload, trace, answer };
      if (this.#waiting) this.#handOver(this.#call);
    });
  }

  /** Ends the process when it has answered its present call. */
  retire(): void {
    this.#isRetired = true;
    if (this.#isFree) this.end();
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#options.onEnd(this);
  }

  /** Answers a request to the Runtime API. */
  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (path.endsWith('/invocation/next')) {
      this.#rest(response);
      return;
    }
    const payload = await text(request);
    response.writeHead(202).end('{"status":"OK"}');
    if (path.endsWith('/error')) this.#finish({ payload, isError: true });
    else if (Buffer.byteLength(payload) <= maxPayloadBytes) this.#finish({ payload, isError: false });
    else
      this.#finish(
        failure('Function.ResponseSizeTooLarge', 'Response payload size exceeded maximum allowed payload size.'),
      );
  }

  /** The process asks for its next call. It gets a waiting call, or is frozen until one comes. */
  #rest(response: ServerResponse): void {
    clearTimeout(this.#initTimer);
    this.#waiting = response;
    if (this.#call) this.#handOver(this.#call);
    else if (this.#isRetired) this.end();
    else {
      this.#isFree = true;
      this.#child?.kill('SIGSTOP');
    }
  }

  #handOver(call: Call): void {
    const { timeoutSeconds, arn } = this.#facts;
    const response = this.#waiting;
    this.#waiting = undefined;
    this.#child?.kill('SIGCONT');
    call.timer = setTimeout(
      () => this.#fail('Sandbox.Timedout', `${call.id} Error: Task timed out after ${timeoutSeconds}.00 seconds`),
      timeoutSeconds * 1000,
    );
    response?.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': call.id,
      'Lambda-Runtime-Deadline-Ms': String(Date.now() + timeoutSeconds * 1000),
      'Lambda-Runtime-Invoked-Function-Arn': arn,
      'Lambda-Runtime-Trace-Id': call.trace,
    });
    response?.end(call.payload);
  }

  #finish(invocation: Invocation): void {
    const call = this.#call;
    this.#call = undefined;
    clearTimeout(call?.timer);
    call?.answer(invocation);
  }

  #fail(errorType: string, errorMessage: string): void {
    this.#finish(failure(errorType, errorMessage));
    this.end();
  }

  #boot(seconds: number, onLate: () => void): void {
    const { accessKeyId, engines, onLine, onStart } = this.#options;
    const runtimeApi = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, ['--require', bootstrap, runtimeClient, engines()], {
      cwd: this.#facts.dir,
      env: variablesOf(this.#facts, accessKeyId, runtimeApi),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    onStart(child);
    printLines(child, onLine);
    child.on('exit', (code, signal) => {
      if (this.#child !== child) return;
      clearTimeout(this.#initTimer);
      this.#fail('Runtime.ExitError', `Runtime exited with error: ${signal ?? `exit status ${code}`}`);
    });
    this.#initTimer = setTimeout(onLate, seconds * 1000);
  }

  /** Lambda starts a process that was too slow once more, as a part of the call. */
  #bootAgain(): void {
    const { timeoutSeconds } = this.#facts;
    const late = this.#child;
    this.#boot(timeoutSeconds, () =>
      this.#fail('Sandbox.Timedout', `Init did not end within ${timeoutSeconds} seconds.`),
    );
    late?.kill('SIGKILL');
  }
}
