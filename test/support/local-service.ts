import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handler as consumer } from '../../functions/stream-consumer.ts';
import { startQueue } from '../../local/engines/queue.ts';
import type { LocalOptions } from '../../local/start/options.ts';
import { type Engines, setEnvironment, startService } from '../../local/start/service.ts';
import type { DataDir } from '../../local/start/state.ts';
import { followMemory, keepHistory } from './history.ts';
import { isInMemory } from './memory-db.ts';

export const main = new URL('../../local/main.ts', import.meta.url).pathname;

/** Starts the local service in a process of its own. `options` are options of the command line. */
export const startProcess = (dataDir: string, options: string[], env: NodeJS.ProcessEnv) => {
  const child = spawn(process.execPath, [main, '--data-dir', dataDir, '--port', '0', ...options], { env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  /** Waits until the output matches `pattern`. Returns all output so far. */
  const until = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(text)) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(text);
      await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
    }
    return text;
  };
  /** Ends the service as Ctrl-C does, unless it has ended. Returns its exit code. */
  const stop = async (): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    if (process.platform !== 'win32') child.kill('SIGCONT');
    child.kill('SIGINT');
    await once(child, 'exit');
    return child.exitCode;
  };
  return { child, until, output: () => text, stop };
};

/** Tables in memory in the place of the engine. Its queue is that of every local service. */
const startTables = async (dir: DataDir): Promise<Engines> => {
  const queue = await startQueue();
  setEnvironment(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', queue.endpoint, dir.kept.cursorSecret);
  await keepHistory();
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '' } = process.env;
  const engine = { name: 'tables in memory', endpoint, onExit: () => {}, stop: async () => {} };
  return { engine, queue, startHistory: async () => followMemory(consumer) };
};

/** The engines of a local service in this test file's process; undefined for its own. */
export const startEngines = isInMemory ? startTables : undefined;

/**
 * Starts the local service in the test file's process: in memory, on a free port, with its own table in the tests'
 * engine, and with limits that no test reaches. It sets `process.env`, so a test file can start only one.
 */
export const startForTests = async (options: Partial<LocalOptions> = {}) => {
  const dataDir = join(tmpdir(), `sis-test-${randomUUID()}`);
  process.env.TABLE_NAME = `test-${randomUUID()}`;
  const local = await startService(
    { port: 0, dataDir, memory: true, reset: false, demo: true, rate: 1e6, burst: 1e6, ...options },
    () => {},
    startEngines,
  );
  const { keys, otherStore, residents } = local.service;
  return {
    baseUrl: local.baseUrl,
    keys,
    otherStore,
    residents,
    stopHistory: local.stopHistory,
    stop: async (): Promise<void> => {
      await local.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
