import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { handler as sweep } from '../functions/expiry-sweep.ts';
import { newId, source } from '../lib/clock.ts';
import { retryDelivery } from '../lib/delivery/order.ts';
import { Problem } from '../lib/problem.ts';
import { storeResidentKey } from '../lib/store/residents.ts';
import { listStores } from '../lib/store/stores.ts';
import { getMany } from '../lib/table/table.ts';
import { Behaviour, type LocalDispenser } from './dispenser.ts';
import { clockState, follow, publish } from './events.ts';
import { type Avatar, strangers } from './grid.ts';
import { redrive, viewCredit, viewCustomers, viewDeliveries, viewEvents } from './views.ts';

/** The tools of the local service under `/_dev`. None of them is deployed. */

const Advance = z.object({ advanceSeconds: z.number().min(0).max(1e9) });
const DeliveryId = z.object({ id: z.guid() });

/** Moves the time that every handler sees. */
const advanceClock = (body: unknown) => {
  const { advanceSeconds } = Advance.parse(body);
  const behind = source.now;
  source.now = () => behind() + advanceSeconds * 1000;
  const clock = clockState();
  publish('clock', clock);
  return clock;
};

const runSweep = async () => {
  const report = await sweep({}, { awsRequestId: newId(), getRemainingTimeInMillis: () => 60_000 } as Context);
  publish('credit');
  return report;
};

/** Some avatars of the made-up grid whom no store has met. */
const showGrid = async () => {
  const stores = await listStores();
  const residents: Avatar[] = [];
  for (let from = 0; residents.length < 20; from += 50) {
    const avatars = strangers(50, from);
    const keys = stores.flatMap(({ id }) => avatars.map(({ uuid }) => storeResidentKey(id, uuid)));
    const met = new Set((await getMany(keys, { consistent: true })).map(({ sk }) => sk));
    residents.push(...avatars.filter(({ uuid }) => !met.has(uuid)));
  }
  return { residents };
};

type Action = (body: unknown, query: URLSearchParams) => object | Promise<object>;

const actions: Record<string, Action> = {
  'GET /_dev/clock': clockState,
  'POST /_dev/clock': advanceClock,
  'POST /_dev/sweep': runSweep,
  'GET /_dev/grid': showGrid,
};

/** The store that the console shows, and how to call the service. */
export interface Shown {
  baseUrl: string;
  key: string;
  store: { id: string; name: string };
  engine: string;
}

export const connectConsole = (shown: Shown): void => {
  const { id } = shown.store;
  actions['GET /_dev/service'] = () => shown;
  actions['GET /_dev/customers'] = (_, query) => viewCustomers(id, query.get('search') ?? '');
  actions['GET /_dev/credit'] = (_, query) => viewCredit(id, query.get('customer') ?? '');
  actions['GET /_dev/store-events'] = () => viewEvents(id);
};

/** Adds the tools of deliveries and of the local dispenser. */
export const connectDispenser = (store: string, dispenser: LocalDispenser): void => {
  actions['GET /_dev/inbox'] = () => ({ deliveries: dispenser.inbox() });
  actions['GET /_dev/deliveries'] = () => viewDeliveries(store, dispenser);
  const publishing =
    (change: Action): Action =>
    async (body, query) => {
      const result = await change(body, query);
      publish('deliveries');
      return result;
    };
  actions['POST /_dev/redrive'] = publishing(redrive);
  actions['POST /_dev/dispenser'] = publishing(async (body) => {
    const behaviour = Behaviour.parse(body);
    await dispenser.behave(behaviour);
    return behaviour;
  });
  actions['POST /_dev/send-again'] = publishing(async (body) => {
    const { id } = DeliveryId.parse(body);
    await retryDelivery(store, id, { hanging: true });
    return { id };
  });
};

/** Answers a request under `/_dev`. */
export const answerDev = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
  const [path, query] = (request.url ?? '').split(/\?(.*)/s);
  const send = (status: number, value: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(value));
  };
  const name = `${request.method} ${path}`;
  if (name === 'GET /_dev/events') return follow(response);
  const action = actions[name];
  if (!action) return send(404, { error: `There is no ${name}.` });
  try {
    const value = body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
    send(200, await action(value, new URLSearchParams(query)));
  } catch (error) {
    if (error instanceof Problem) send(error.status, { error: error.message });
    else send(400, { error: error instanceof z.ZodError ? z.prettifyError(error) : String(error) });
  }
};
