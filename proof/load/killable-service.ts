import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceFile } from '../../local/start/state.ts';
import type { Sample } from './faults.ts';

const root = join(import.meta.dirname, '../..');

interface Options {
  /** The directory of table, queue and keys, which survive a kill. */
  dataDir: string;
  seed: number;
  /** Modules that the service's process loads first, and more of its environment. */
  imports?: string[];
  env?: Record<string, string>;
  /** The lead of the service's clock, read at each start. */
  clockMillis: () => number;
  /** `start` is the number of the service's start. */
  onSample: (sample: Sample, start: number) => void;
  /** Hears each line of the service's error output. */
  onComplaint: (line: string) => void;
}

/** The local service as a process that can be killed, or lose its engine, and be started again over the same data. */
export const createKillableService = ({ dataDir, seed, imports = [], env: more, ...options }: Options) => {
  const { clockMillis, onSample, onComplaint } = options;
  let child: ChildProcess | undefined;
  let port = 0;
  let starts = 0;

  const start = async (): Promise<ServiceFile> => {
    const number = ++starts;
    const env = { ...process.env, ...more, LOAD_SEED: String(seed + number), LOAD_CLOCK_MILLIS: String(clockMillis()) };
    const loaded = ['./proof/load/faults.ts', ...imports].flatMap((path) => ['--import', path]);
    const args = ['--expose-gc', ...loaded, 'local/main.ts'];
    const flags = ['--data-dir', dataDir, '--no-demo', '--port', String(port)];
    const started = spawn(process.execPath, [...args, ...flags], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child = started;
    started.on('message', (message) => onSample(message as Sample, number));
    let rest = '';
    let last = '';
    started.stderr?.on('data', (chunk) => {
      last = String(chunk);
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(onComplaint);
    });
    await new Promise<void>((resolve, reject) => {
      let text = '';
      const listen = (chunk: Buffer): void => {
        text += chunk;
        if (!text.includes('Ctrl-C ends it')) return;
        // It prints a line for each request: none of them is kept.
        started.stdout?.off('data', listen).resume();
        resolve();
      };
      started.stdout?.on('data', listen);
      started.once('exit', (code) => reject(new Error(`The service ended while it started (${code}): ${last}`)));
    });
    const file: ServiceFile = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8'));
    port = Number(new URL(file.baseUrl).port);
    return file;
  };

  const ended = async (): Promise<void> => {
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };

  return {
    start,
    setFaults: (on: boolean): void => {
      child?.send(on ? 'faults on' : 'faults off');
    },
    /** Sends a message to the modules that it has loaded first. */
    tell: (message: string): void => {
      child?.send(message);
    },
    /** True if the service has ended. */
    hasEnded: (): boolean => !child || child.exitCode !== null || child.signalCode !== null,
    /** Kills the service with SIGKILL. Its engine ends by itself. */
    killService: async (): Promise<void> => {
      child?.kill('SIGKILL');
      await ended();
    },
    /** Kills the engine with SIGKILL. The service must notice, and end. */
    killEngine: async (): Promise<void> => {
      // The table's path is among the arguments of the engine, and of the shell that waits for it.
      const table = join(dataDir, 'table');
      const engines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes(table) && !/^\s*\d+ sh /.test(line));
      if (engines.length === 0) throw new Error(`No engine has its table in ${table}.`);
      for (const line of engines) process.kill(Number.parseInt(line, 10), 'SIGKILL');
      await ended();
      if (child?.exitCode !== 1)
        throw new Error(`Without its engine the service ended with ${child?.exitCode}, not 1.`);
    },
    stop: async (): Promise<void> => {
      child?.kill('SIGINT');
      await ended();
    },
  };
};

export type KillableService = ReturnType<typeof createKillableService>;
