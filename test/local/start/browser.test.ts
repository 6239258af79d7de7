import { expect, test } from 'vitest';
import { browserCommand } from '../../../local/start/browser.ts';

const url = 'http://127.0.0.1:4000/desk#key=sis_test_x';

const opened = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}, isTerminal = true) =>
  browserCommand(url, { platform, env, isTerminal });

test('the desk opens in the browser of the system', () => {
  expect(opened('darwin')).toEqual(['open', url]);
  expect(opened('win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url]);
  expect(opened('linux', { DISPLAY: ':0' })).toEqual(['xdg-open', url]);
  expect(opened('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open', url]);
});

test('nothing opens without a terminal, in CI, without a screen, and over ssh without one', () => {
  expect(opened('darwin', {}, false)).toBeUndefined();
  expect(opened('linux', { DISPLAY: ':0', CI: 'true' })).toBeUndefined();
  expect(opened('linux')).toBeUndefined();
  expect(opened('darwin', { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' })).toBeUndefined();
  expect(opened('linux', { SSH_CONNECTION: 'x', DISPLAY: 'localhost:10' })).toEqual(['xdg-open', url]);
});
