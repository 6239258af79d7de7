import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { handler } from '../../../functions/delivery-worker.ts';
import { registerDispenser } from '../../../lib/delivery/dispensers.ts';
import { encodeMessage, type Order } from '../../../lib/delivery/message.ts';
import { createStore } from '../../../lib/operator/stores.ts';

import { batchOf, contextWith, serve, startTestQueue } from '../../support/deliveries.ts';
import { freshTable } from '../../support/service.ts';

export const succeeded = { batchItemFailures: [] };
export const failed = { batchItemFailures: [{ itemIdentifier: 'm0' }] };

/** Makes queues and a table for the file, and for each test a store, whose dispenser may be on loopback. */
export const startWorking = () => {
  let queue: { url: string; deadLetterUrl: string; slowUrl: string };
  let store: string;
  beforeAll(async () => {
    queue = await startTestQueue();
    await freshTable();
  });
  beforeEach(async () => {
    ({ id: store } = await createStore('Test'));
    process.env.DISPENSER_LOOPBACK = 'allowed';
    process.env.DISPENSER_TIMEOUT_MILLIS = '300';
  });
  afterEach(() => {
    delete process.env.DISPENSER_LOOPBACK;
    vi.restoreAllMocks();
  });

  return {
    queue: () => queue,
    store: () => store,
    /** Registers a dispenser that gives this answer. */
    dispenserThat: async (answer: number | (() => number)) => {
      const bodies: string[] = [];
      const url = await serve(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        bodies.push(body);
        response.writeHead(typeof answer === 'number' ? answer : answer()).end('said the script');
      });
      const { secret } = await registerDispenser(store, { url, region: '', items: [], keyId: 'KeyOfTests01' });
      return { url, secret, bodies };
    },
    work: (...orders: Order[]) => handler(batchOf(...orders.map(encodeMessage)), contextWith(120_000)),
  };
};
