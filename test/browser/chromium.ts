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

export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
