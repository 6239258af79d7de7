import { setTimeout as sleep } from 'node:timers/promises';
import { putDispenser } from '../../lib/routes/dispenser.ts';
import { putResident } from '../../lib/routes/residents.ts';
import type { Resident } from '../../lib/store/residents.ts';
import { startDispenser } from '../../local/start/dispenser.ts';
import { act, createWorld } from '../workload/action.ts';
import { allActions } from '../workload/actions/all.ts';
import { createBook } from '../workload/book.ts';
import { type Service, send } from '../workload/client.ts';
import { openShop } from '../workload/shop.ts';
import { subscribed } from './receiver.ts';

/** Clients of one store, which play all actions, whichever version answers. */

const [customersEach, hotCount] = [4, 3];
const patienceMillis = 120_000;

interface Options {
  baseUrl: string;
  key: string;
  seed: number;
  clients: number;
  webhookUrl: string;
}

export const startTraffic = async ({ baseUrl, key, seed, clients, webhookUrl }: Options) => {
  const book = createBook();
  /** How often each status was answered; those that are repeated are part of an update. */
  const statuses: Record<string, number> = {};
  let answered = 0;
  let isEnding = false;
  const count = (status: number | string): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const service: Service = {
    ...{ baseUrl: () => baseUrl, key, book, patienceMillis },
    onAnswer: (_, status) => count(status),
    onLost: () => count('none'),
    onSettled: () => {
      answered += 1;
    },
  };
  const residents: Resident[] = Array.from({ length: 1 + hotCount + clients * customersEach }, (_, index) => ({
    uuid: `5e51de27-0000-4000-8000-${String(index).padStart(12, '0')}`,
    username: `resident${index}.upgrade`,
  }));
  for (const { uuid, username } of residents)
    await send(service, putResident, { params: { uuid }, body: { username } });
  const [counted, ...others] = residents as [Resident, ...Resident[]];
  const shop = await openShop(service, { url: webhookUrl, events: subscribed });
  const dispenser = await startDispenser(
    async (url) => (await send(service, putDispenser, { body: { url, region: 'Upgrade', items: [] } })).body.secret,
  );
  await dispenser.registerAgain();
  const runClient = async (_: unknown, index: number): Promise<void> => {
    const from = hotCount + index * customersEach;
    const customers = others.slice(from, from + customersEach);
    const world = createWorld(index, seed, { service, customers, hot: others.slice(0, hotCount), counted, ...shop });
    while (!isEnding) await act(world, allActions).catch((error: Error) => book.fault(error.message));
  };
  const running = Array.from({ length: clients }, runClient);
  return {
    book,
    service,
    dispenser,
    customers: residents,
    figures: () => ({ answered, statuses: { ...statuses } }),
    /** Waits until so many more requests are answered, or so long. */
    answers: async (more: number, millis: number): Promise<void> => {
      const [wanted, end] = [answered + more, Date.now() + millis];
      while (answered < wanted && Date.now() < end) await sleep(20);
    },
    /** Ends the clients. */
    end: async (): Promise<void> => {
      isEnding = true;
      await Promise.all(running);
    },
    stop: (): Promise<void> => {
      isEnding = true;
      return dispenser.stop();
    },
  };
};

export type Traffic = Awaited<ReturnType<typeof startTraffic>>;
