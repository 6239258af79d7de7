import { randomInt } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';

/** Protects the local data from other machines, web pages and users. */

/** Ports that every browser refuses to call: https://fetch.spec.whatwg.org/#port-blocking. */
const blockedPorts = [3659, 4045, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080];

/** On macOS loopback has only one address. Elsewhere every address of 127.0.0.0/8 is this machine. */
const anyHost = (): string =>
  process.platform === 'darwin' ? '127.0.0.1' : `127.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

const isPortFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });

/**
 * Finds a free address for a server that trusts every caller. Other machines cannot reach loopback. Web pages cannot
 * reach a port that browsers block, even if they know the address.
 */
export const privateAddress = async (): Promise<{ host: string; port: number }> => {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    // Some sandboxes have only 127.0.0.1.
    const host = attempt % 2 === 0 ? anyHost() : '127.0.0.1';
    const port = blockedPorts[randomInt(blockedPorts.length)] as number;
    if (await isPortFree(host, port)) return { host, port };
  }
  throw new Error(`None of the ports ${blockedPorts.join(', ')} is free on 127.0.0.1.`);
};

/** Makes a directory that only its owner may enter. */
export const privateDir = (path: string): void => {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
};
