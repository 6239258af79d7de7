import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WebAnswer, WebRequest } from '../../local/grid/world/object.ts';
import { createTally } from '../workload/tally.ts';
import type { Actor } from './actor.ts';
import type { Grid } from './grid.ts';

/**
 * The network between the grid and the service: it loses requests and answers, delays them, and answers instead of the
 * service.
 */

type Receive = (url: string, method: string, body: string, answer: (status: number, text: string) => void) => void;

/** Draws the faults of calls at the rates of the hour. */
const createFaults = (grid: Grid, actor: Actor) => {
  const counts = createTally();
  /** One of these faults, or none. */
  const draw = (...kinds: (keyof Grid['rates']['network'])[]): string | undefined => {
    let drawn = actor.random() * 100;
    const found = kinds.find((kind) => {
      drawn -= grid.rates.network[kind];
      return drawn < 0;
    });
    if (found) counts.add(found);
    return found;
  };
  const slowly = async (): Promise<void> => {
    if (draw('slow')) await actor.wait(actor.between(1, 20));
  };
  return { counts, draw, slowly };
};
type Faults = ReturnType<typeof createFaults>;

/** Takes the service's calls to the boxes. Answers its address. */
const startServer = async ({ draw, slowly, counts }: Faults, receive: Receive) => {
  const server = createServer(async (request, response) => {
    try {
      const body = (await buffer(request)).toString('utf8');
      const trouble = draw('lost', 'answerLost', 'broken');
      await slowly();
      if (trouble === 'lost') return void request.socket.destroy();
      if (trouble === 'broken') return void response.writeHead(503).end('busy');
      receive(origin + request.url, request.method ?? '', body, (status, text) => {
        counts.add('answered by a box');
        if (trouble === 'answerLost') request.socket.destroy();
        else response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
      });
    } catch {
      // The service has hung up, because it was killed.
      response.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { origin, stop };
};

/** The service's answer to a script; undefined if there is none. */
const reach = async ({ url, method, headers, body }: WebRequest, baseUrl: string): Promise<WebAnswer | undefined> => {
  try {
    const response = await fetch(url.replace('https://service.example', baseUrl), {
      method,
      headers,
      ...(method !== 'GET' && { body }),
      signal: AbortSignal.timeout(60_000),
    });
    const type = response.headers.get('Content-Type') ?? '';
    return { status: response.status, type, body: await response.text() };
  } catch {
    return undefined;
  }
};

export const createNetwork = async (grid: Grid, actor: Actor, baseUrl: () => string, receive: Receive) => {
  const faults = createFaults(grid, actor);
  const { counts, draw, slowly } = faults;
  return {
    ...(await startServer(faults, receive)),
    counts,
    mayRequest: (): boolean => !draw('throttled'),
    /** Carries a script's request to the service. An undefined answer becomes 499. */
    send: async (request: WebRequest, answer: (answer: WebAnswer | undefined) => void): Promise<void> => {
      counts.add('requests of scripts');
      const trouble = draw('lost', 'answerLost', 'broken', 'garbled');
      await slowly();
      if (trouble === 'lost') return answer(undefined);
      const status = actor.pick([500, 502, 503, 504]) ?? 500;
      // Some gateways answer like this after the service has received the request.
      if (trouble === 'broken' && actor.chance(50)) return answer({ status, type: 'text/html', body: 'busy' });
      const answered = await reach(request, baseUrl());
      if (!answered) counts.add('not answered');
      if (trouble === 'answerLost') return answer(undefined);
      if (trouble === 'broken') return answer({ status, type: 'text/html', body: 'busy' });
      if (trouble === 'garbled') return answer({ status: 200, type: 'image/png', body: '' });
      answer(answered);
    },
  };
};

export type Network = Awaited<ReturnType<typeof createNetwork>>;
