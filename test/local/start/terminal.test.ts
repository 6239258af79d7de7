import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { main } from '../../support/local-service.ts';
import { onTerminal } from '../../support/terminal.ts';

/** `npm start` on a terminal: its questions, and the browser. */

const dir = mkdtempSync(join(tmpdir(), 'store-terminal-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Runs a line of code on a terminal with a screen, where `xdg-open` writes down what it is to open. */
const runLine = async (code: string, env: NodeJS.ProcessEnv = {}, ...answers: [question: string, typed: string][]) => {
  const bin = join(dir, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1 $(umask) $SECRET" >'${dir}/opened'\n`);
  chmodSync(join(bin, 'xdg-open'), 0o755);
  const { CI: _, SSH_CONNECTION: __, ...here } = process.env;
  const screen = { ...here, PATH: `${bin}:${here.PATH}`, DISPLAY: ':0', ...env };
  return onTerminal([process.execPath, '--input-type=module', '-e', code], answers, screen);
};

const local = new URL('../../../local/', import.meta.url);

test('the desk opens in the browser, and a system without one is no trouble', async () => {
  const code = `const { openBrowser } = await import("${local}start/browser.ts"); process.umask(0o077); process.env.SECRET = "s"; openBrowser("http://127.0.0.1:4000/desk#key=x", 0o027);`;

  const without = await runLine(code, { PATH: '/usr/bin:/bin', DISPLAY: '', WAYLAND_DISPLAY: '' });
  const missing = await runLine(`process.env.PATH = "/nowhere"; ${code}`);
  expect([without, missing, existsSync(join(dir, 'opened'))]).toEqual(['', '', false]);
  await runLine(code);

  // The program is detached: it may still be starting.
  await expect
    .poll(() => existsSync(join(dir, 'opened')) && readFileSync(join(dir, 'opened'), 'utf8'), { timeout: 20_000 })
    .toBe('http://127.0.0.1:4000/desk#key=x 0027 \n');
});

test('--reset asks before it deletes data, and deletes nothing without a yes', async () => {
  const data = join(dir, 'data');
  const answer = `import { mayReset } from "${local}start/reset.ts"; console.log("may " + (await mayReset("${data}")));`;
  const none = await runLine(answer);
  mkdirSync(data);
  writeFileSync(join(data, 'state.json'), '{}');
  const question = `Delete all data in ${data}`;

  const yes = await runLine(answer, {}, [question, 'y']);
  const no = await runLine(answer, {}, [question, '\r']);
  const ended = await onTerminal([process.execPath, main, '--reset', '--data-dir', data], [[question, '\u0003']]);

  expect(none).toContain('may true');
  expect(yes).toContain('may true');
  expect(no).toMatch(/Nothing was deleted\.\s+may false/);
  expect(ended).toContain('Nothing was deleted.');
  expect(existsSync(join(data, 'state.json'))).toBe(true);
});
