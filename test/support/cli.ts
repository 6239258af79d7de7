import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { startService } from '../../local/service.ts';

const command = new URL('../../cli/store.ts', import.meta.url).pathname;

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
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [command, ...args], { env: { PATH, HOME, ...env } }, (error, stdout, stderr) => {
      const code = error ? Number(error.code ?? -1) : 0;
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
      resolve({ code, stdout, stderr, rows: lines.map((line) => JSON.parse(line)) });
    });
  });
};

/** Starts a local service with the demo's rows, and runs the command on it. */
export const startForCli = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'store-cli-'));
  process.env.TABLE_NAME = `test-${randomUUID()}`;
  const limits = { rate: 1e6, burst: 1e6 };
  const service = await startService(
    { port: 0, dataDir: dir, memory: true, reset: false, demo: true, ...limits },
    () => {},
  );
  afterAll(async () => {
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
    /** Runs the command on this service. */
    run: (...args: string[]) => runStore(['--data-dir', dir, ...args]),
    /** Moves the service's clock ahead. */
    advance: (seconds: number) => call('POST', '/_dev/clock', '', { advanceSeconds: seconds }),
  };
};
