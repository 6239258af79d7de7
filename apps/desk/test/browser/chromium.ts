import { existsSync } from 'node:fs';

/** Cuts the network off: no name resolves, and Chromium makes no requests of its own. */
export const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.*',
];

/** The headless shell takes two thirds of Chromium's processor time: it draws no window around the page. */
const shell = '/usr/bin/chromium-headless-shell';

/** CHROMIUM names another. */
export const executablePath = process.env.CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium');
