import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forgetResidents } from '../../../../lib/avatars/residents.ts';
import { source } from '../../../../lib/clock.ts';
import { logSink } from '../../../../lib/log.ts';
import { startService } from '../../../../local/start/service.ts';
import { atEnd } from '../../../../test/support/at-end.ts';
import { startEngines } from '../../../../test/support/local-service.ts';
import { run } from '../../program/run.ts';

const command = new URL('../../store.ts', import.meta.url).pathname;

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** The objects that `--json` printed, one per line. */
  // biome-ignore lint/suspicious/noExplicitAny: what was printed is looked at member by member.
  rows: any[];
}

/** Runs the command in a process of its own, without a terminal. */
export const runStore = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command, ...args],
      { env: { PATH, HOME, NODE_COMPILE_CACHE, ...env } },
      (error, stdout, stderr) => {
        const code = error ? Number(error.code ?? -1) : 0;
        resolve({ code, stdout, stderr, rows: rowsIn(stdout) });
      },
    );
  });
};

const rowsIn = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line));

/** The output of a command within this process. */
const commands = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

/** True in a command that runs within this process, false in the local service beside it. */
export const isOfCommand = (): boolean => commands.getStore() !== undefined;

const runOne = async (args: readonly string[]): Promise<Ran> => {
  const texts = { stdout: '', stderr: '' };
  const code = await commands.run(texts, () => run(args));
  return { code, ...texts, rows: rowsIn(texts.stdout) };
};

/**
 * Runs commands within this process, on its clock, environment and output, and leaves these as they were. The commands
 * see the environment of this process, or `env` alone.
 */
const runHere = async (lines: readonly (readonly string[])[], env?: Record<string, string>): Promise<Ran[]> => {
  const before = { env: { ...process.env }, now: source.now, log: logSink.write };
  const streams = (['stdout', 'stderr'] as const).map((name) => ({ name, write: process[name].write }));
  for (const { name, write } of streams)
    process[name].write = (text: string | Uint8Array, ...others: never[]) => {
      const texts = commands.getStore();
      if (!texts) return write.call(process[name], text, ...others);
      texts[name] += String(text);
      return true;
    };
  for (const name of env ? Object.keys(process.env) : ['FORCE_COLOR', 'SIS_STORE', 'SIS_DATA_DIR'])
    delete process.env[name];
  if (env) Object.assign(process.env, { PATH: before.env.PATH, HOME: before.env.HOME, ...env });
  // The functions of a local service in this process log as before.
  logSink.write = (fields) =>
    isOfCommand() ? void process.stderr.write(`${JSON.stringify(fields)}\n`) : before.log(fields);
  // A new process knows nobody yet.
  forgetResidents();
  try {
    return await Promise.all(lines.map(runOne));
  } finally {
    for (const { name, write } of streams) process[name].write = write;
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    source.now = before.now;
    logSink.write = before.log;
  }
};

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs commands on one deployment within this process, all at once: each waits for the table while another continues.
 * Either all of them have the option `--json`, or none.
 */
const runTogether = (lines: readonly (readonly string[])[], env?: Record<string, string>): Promise<Ran[]> => {
  const ran = last.then(() => runHere(lines, env));
  last = ran.catch(() => {});
  // It restores the environment, which by its end must not be that of another test file.
  atEnd(async () => void (await last));
  return ran;
};

/**
 * Runs the command within this process, which takes a tenth of the time of a process. Runs wait for each other. For
 * signals, and for what a shell sees, use `runStore`.
 */
export const runInProcess = async (args: readonly string[], env?: Record<string, string>): Promise<Ran> => {
  const [ran] = await runTogether([args], env);
  return ran as Ran;
};

/**
 * Runs commands that find the service's clock an hour ahead of this machine's, which they use until then. In this
 * process both have one clock, so only the answer can say so.
 */
export const withClockAhead = async <T>(work: () => Promise<T>): Promise<T> => {
  const { fetch } = globalThis;
  const isClock = (url: unknown): boolean => String(url).endsWith('/_dev/clock');
  globalThis.fetch = async (url, init) =>
    isClock(url) ? Response.json({ aheadMillis: 3_600_000 }) : fetch(url as string, init);
  try {
    return await work();
  } finally {
    globalThis.fetch = fetch;
  }
};

/** Starts a local service, with the demo's rows unless `demo` is false, and runs the command on it. */
export const startForCli = async ({ demo = true } = {}) => {
  const dir = mkdtempSync(join(tmpdir(), 'store-cli-'));
  process.env.TABLE_NAME = `test-${randomUUID()}`;
  const limits = { rate: 1e6, burst: 1e6 };
  const options = { port: 0, dataDir: dir, memory: true, reset: false, demo, ...limits };
  const service = await startService(options, () => {}, startEngines);
  atEnd(async () => {
    await service.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const call = async (method: string, path: string, key: string, body?: object) => {
    const headers = { 'X-API-Key': key };
    const response = await fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return {
    ...service,
    dir,
    call,
    /** Runs the command on this service, within this process. */
    run: (...args: string[]) => runInProcess(['--data-dir', dir, ...args]),
    /** Runs commands on this service at the same time, within this process. */
    runTogether: (...lines: string[][]) => runTogether(lines.map((args) => ['--data-dir', dir, ...args])),
    /** Runs it in a process of its own. */
    runAlone: (...args: string[]) => runStore(['--data-dir', dir, ...args]),
    /** Moves the service's clock ahead. */
    advance: (seconds: number) => call('POST', '/_dev/clock', '', { advanceSeconds: seconds }),
  };
};
