import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../lib/routes/routes.ts';
import { call, target } from '../contract/target.ts';
import { atEnd } from '../support/at-end.ts';

/** The suite's client, in addition to the contract suite's. */

/** The statuses that each row of the route table has answered. */
export const seen = new Map<string, Set<number>>();

const patterns = routes
  .map(({ id, method, path }) => ({ id, pattern: new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`) }))
  // As in the gateway, a literal segment comes before a placeholder.
  .sort((a, b) => b.pattern.source.replace(/\[.*?\]/g, '').length - a.pattern.source.replace(/\[.*?\]/g, '').length);

/** Sends a request, and notes its status under its row. */
export const send: typeof call = async (method, path, body, sent) => {
  const answer = await call(method, path, body, sent);
  const line = `${method} ${path.split('?')[0]}`;
  const id = patterns.find(({ pattern }) => pattern.test(line))?.id ?? line;
  seen.set(id, (seen.get(id) ?? new Set()).add(answer.status));
  return answer;
};

export const read = async (path: string) => (await send('GET', path)).body;

/** The address at which the service under test reaches a port of this machine. */
export const loopbackUrl = (port: number | string): string => {
  if (!target.loopback)
    throw new Error('Set CONTRACT_LOOPBACK to the address at which the service reaches {port} of this machine.');
  return target.loopback.replace('{port}', String(port));
};

/** Starts an HTTP server until the end. Answers the address at which the service reaches it. */
export const startOnLoopback = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close().closeAllConnections());
  return `${loopbackUrl((server.address() as AddressInfo).port)}/hook`;
};

/** Reads until `isThere`, ten times a second. Throws with the last value after this many seconds. */
export const eventually = async <T>(
  readValue: () => Promise<T>,
  isThere: (value: T) => boolean,
  seconds = 30,
): Promise<T> => {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const value = await readValue();
    if (isThere(value)) return value;
    if (performance.now() > end) throw new Error(`Not within ${seconds} seconds. At the end: ${JSON.stringify(value)}`);
    await sleep(100);
  }
};

const dev = (path: string, body: object = {}) =>
  fetch(`${target.baseUrl}/_dev/${path}`, { method: 'POST', body: JSON.stringify(body) });

/** Lets this much time pass. Locally the clock moves. */
export const pass = async (seconds: number): Promise<void> => {
  if (target.local) await dev('clock', { advanceSeconds: seconds });
  else await sleep(seconds * 1000);
};

/** Locally nothing sweeps every minute. */
export const sweepNow = async (): Promise<void> => {
  if (target.local) await dev('sweep');
};
