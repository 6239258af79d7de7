import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ServiceFile } from '../../local/start/state.ts';
import type { Sample } from './faults.ts';

const root = join(import.meta.dirname, '../..');

interface Options {
  /** The directory of table, queue and keys, which survive a kill. */
  dataDir: string;
  seed: number;
  /** Modules that the service's process loads first, in their order, and additions to its environment. */
  imports?: string[];
  env?: Record<string, string>;
  /** How far the service's clock is ahead, read at each start. */
  clockMillis: () => number;
  /** `start` is the number of the service's start. */
  onSample: (sample: Sample, start: number) => void;
  /** Hears each line of the service's error output. */
  onComplaint: (line: string) => void;
}

/** Waits until a started service takes requests. False if it ends before. */
const isReady = async (stdout: Readable): Promise<boolean> => {
  let ready = false;
  for await (const line of createInterface(stdout)) {
    ready = line.includes('Ctrl-C ends it');
    if (ready) break;
  }
  // It prints a line for each request: none of them is kept. The end of the loop has stopped the flow.
  stdout.resume();
  return ready;
};

/** Kills all engines that have their table in this folder. */
const killEngines = (table: string): void => {
  // The table's path is in the arguments of the engine, and of the shell that waits for it.
  const engines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(table) && !/^\s*\d+ sh /.test(line));
  if (engines.length === 0) throw new Error(`No engine has its table in ${table}.`);
  for (const line of engines) process.kill(Number.parseInt(line, 10), 'SIGKILL');
};

/** The local service as a process that can be killed, or lose its engine, and be started again with the same data. */
export const createKillableService = ({
  dataDir,
  seed,
  imports = ['./proof/load/faults.ts'],
  env: more,
  ...options
}: Options) => {
  const { clockMillis, onSample, onComplaint } = options;
  let child: ChildProcess | undefined;
  let port = 0;
  let starts = 0;

  const start = async (): Promise<ServiceFile> => {
    const number = ++starts;
    const env = { ...process.env, ...more, LOAD_SEED: String(seed + number), LOAD_CLOCK_MILLIS: String(clockMillis()) };
    const loaded = imports.flatMap((path) => ['--import', path]);
    const flags = ['--data-dir', dataDir, '--no-demo', '--port', String(port)];
    child = spawn(process.execPath, ['--expose-gc', ...loaded, 'local/main.ts', ...flags], {
      ...{ cwd: root, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    });
    child.on('message', (message) => onSample(message as Sample, number));
    let lastErrors: string[] = [];
    createInterface(child.stderr as Readable).on('line', (line) => {
      lastErrors = [...lastErrors.slice(-20), line];
      onComplaint(line);
    });
    if (!(await isReady(child.stdout as Readable)))
      throw new Error(`The service ended while it started: ${lastErrors.join('\n')}`);
    const file: ServiceFile = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8'));
    port = Number(new URL(file.baseUrl).port);
    return file;
  };

  /** True if the service has ended. */
  const hasEnded = (): boolean => !child || child.exitCode !== null || child.signalCode !== null;
  const ended = async (): Promise<void> => {
    if (child && !hasEnded()) await once(child, 'exit');
  };

  return {
    start,
    hasEnded,
    setFaults: (on: boolean): void => void child?.send(on ? 'faults on' : 'faults off'),
    /** Sends a message to the modules that it has loaded first. */
    tell: (message: string): void => void child?.send(message),
    /** Kills the service with SIGKILL. Its engine ends by itself. */
    killService: async (): Promise<void> => {
      child?.kill('SIGKILL');
      await ended();
    },
    /** Kills the engine with SIGKILL. The service must notice, and end. */
    killEngine: async (): Promise<void> => {
      killEngines(join(dataDir, 'table'));
      await ended();
      if (child?.exitCode !== 1)
        throw new Error(`Without its engine the service ended with ${child?.exitCode}, not 1.`);
    },
    stop: async (): Promise<void> => {
      child?.kill('SIGINT');
      // A call that never ends would keep it.
      const killing = setTimeout(() => child?.kill('SIGKILL'), 30_000);
      await ended();
      clearTimeout(killing);
    },
  };
};

export type KillableService = ReturnType<typeof createKillableService>;
