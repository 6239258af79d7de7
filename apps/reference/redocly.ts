import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const settings = fileURLToPath(new URL('redocly.yaml', import.meta.url));
const cli = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));

/** Runs Redocly CLI without telemetry and without looking for newer versions: it needs no network. */
export const redocly = (...args: string[]): { ok: boolean; output: string; errors: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, '--config', settings], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { ok: status === 0, output: stdout, errors: stderr };
};
