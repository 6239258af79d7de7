import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { sendAgain } from '../cli/dead-letters.ts';
import { handler as sweep } from '../functions/expiry-sweep.ts';
import { newId, source } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { Behaviour, type LocalDispenser } from './dispenser.ts';
import { clockState, follow, publish } from './events.ts';
import { redrive, viewCredit, viewCustomers, viewDeliveries } from './views.ts';

/** What the local service offers beside the API, under `/_dev`. None of it is deployed. */

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

type Action = (body: unknown, query: URLSearchParams) => object | Promise<object>;

const actions: Record<string, Action> = {
  'GET /_dev/clock': clockState,
  'POST /_dev/clock': advanceClock,
  'POST /_dev/sweep': runSweep,
};

/** What the console is about: the store whose customers and deliveries it shows, and how to call the service. */
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
};

/** Shows what the local dispenser has given, and lets it be told how to behave. */
export const connectDispenser = (store: string, dispenser: LocalDispenser): void => {
  actions['GET /_dev/inbox'] = () => ({ deliveries: dispenser.inbox() });
  actions['GET /_dev/deliveries'] = () => viewDeliveries(store, dispenser);
  actions['POST /_dev/dispenser'] = async (body) => {
    const behaviour = Behaviour.parse(body);
    await dispenser.behave(behaviour);
    publish('deliveries');
    return behaviour;
  };
  actions['POST /_dev/redrive'] = async () => {
    const done = await redrive();
    publish('deliveries');
    return done;
  };
  actions['POST /_dev/send-again'] = async (body) => {
    const { id } = DeliveryId.parse(body);
    await sendAgain(store, id);
    publish('deliveries');
    return { id };
  };
};

const faultOf = (error: unknown): { status: number; text: string } => {
  if (error instanceof Problem) return { status: error.status, text: error.message };
  return { status: 400, text: error instanceof z.ZodError ? z.prettifyError(error) : String(error) };
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
    const { status, text } = faultOf(error);
    send(status, { error: text });
  }
};
