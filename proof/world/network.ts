import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WebAnswer, WebRequest } from '../../local/grid/world/object.ts';
import { createTally } from '../workload/tally.ts';
import type { Actor } from './actor.ts';

/**
 * The network between the grid and the service: it loses requests and answers, delays them, and answers in the
 * service's place.
 */

/** How often in 100 calls each fault comes. */
export const rates = {
  none: { lost: 0, answerLost: 0, broken: 0, garbled: 0, throttled: 0, slow: 0 },
  normal: { lost: 1.5, answerLost: 1.5, broken: 2, garbled: 1, throttled: 0.5, slow: 5 },
  heavy: { lost: 6, answerLost: 6, broken: 6, garbled: 3, throttled: 3, slow: 20 },
} as const;
type Rates = Readonly<Record<keyof (typeof rates)['none'], number>>;

type Receive = (url: string, method: string, body: string, answer: (status: number, text: string) => void) => void;

/** Draws the faults of calls at the rates of the hour. */
const createFaults = (actor: Actor) => {
  let now: Rates = rates.none;
  const counts = createTally();
  const chance = (kind: keyof Rates): boolean => {
    const isDrawn = actor.chance(now[kind]);
    if (isDrawn) counts.add(kind);
    return isDrawn;
  };
  return {
    counts,
    chance,
    setRates: (next: Rates): void => {
      now = next;
    },
    /** The fault of a call, if it has one. */
    draw: (kinds: readonly (keyof Rates)[]): keyof Rates | undefined => {
      let drawn = actor.random() * 100;
      const found = kinds.find((kind) => {
        drawn -= now[kind];
        return drawn < 0;
      });
      if (found) counts.add(found);
      return found;
    },
    slowly: async (): Promise<void> => {
      if (chance('slow')) await actor.wait(actor.between(1, 20));
    },
  };
};
type Faults = ReturnType<typeof createFaults>;

/** Takes the calls of the service for the boxes. Answers its address. */
const startServer = async ({ draw, slowly, counts }: Faults, receive: Receive) => {
  const server = createServer(async (request, response) => {
    try {
      const body = (await buffer(request)).toString('utf8');
      const trouble = draw(['lost', 'answerLost', 'broken']);
      await slowly();
      if (trouble === 'lost') return void request.socket.destroy();
      if (trouble === 'broken') return void response.writeHead(503).end('busy');
      receive(origin + request.url, request.method ?? '', body, (status, text) => {
        counts.add('answered by a box');
        if (trouble === 'answerLost') request.socket.destroy();
        else response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text);
      });
    } catch {
      // The service has hung up, since it was killed.
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

export const createNetwork = async (actor: Actor, baseUrl: () => string, receive: Receive) => {
  const faults = createFaults(actor);
  const { counts, draw, slowly, setRates, chance } = faults;
  return {
    ...(await startServer(faults, receive)),
    counts,
    setRates,
    mayRequest: (): boolean => !chance('throttled'),
    /** Carries a script's request to the service. An answer of undefined becomes 499. */
    send: async (request: WebRequest, answer: (answer: WebAnswer | undefined) => void): Promise<void> => {
      counts.add('requests of scripts');
      const trouble = draw(['lost', 'answerLost', 'broken', 'garbled']);
      await slowly();
      if (trouble === 'lost') return answer(undefined);
      const status = actor.pick([500, 502, 503, 504]) ?? 500;
      // Some gateways answer so after the service has had the request.
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
