import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import { handler as sweep } from '../functions/expiry-sweep.ts';
import { now, source, timestamp } from '../lib/clock.ts';
import { Behaviour, type LocalDispenser } from './dispenser.ts';

/** What the local service offers beside the API, under `/_dev`. None of it is deployed. */

const Advance = z.object({ advanceSeconds: z.number().min(0).max(1e9) });

const clock = () => ({ now: timestamp(now()) });

/** Moves the time that every handler sees. */
const advanceClock = (body: unknown) => {
  const { advanceSeconds } = Advance.parse(body);
  const behind = source.now;
  source.now = () => behind() + advanceSeconds * 1000;
  return clock();
};

const actions: Record<string, (body: unknown) => object | Promise<object>> = {
  'GET /_dev/clock': clock,
  'POST /_dev/clock': advanceClock,
  'POST /_dev/sweep': () =>
    sweep({}, { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 60_000 } as Context),
};

/** Shows what the local dispenser has given, and lets it be told how to behave. */
export const connectDispenser = (dispenser: LocalDispenser): void => {
  actions['GET /_dev/inbox'] = () => ({ deliveries: dispenser.inbox() });
  actions['POST /_dev/dispenser'] = async (body) => {
    const behaviour = Behaviour.parse(body);
    await dispenser.behave(behaviour);
    return behaviour;
  };
};

/** Answers a request under `/_dev`; false where the path is not one of these. */
export const answerDev = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<boolean> => {
  const path = request.url?.split('?')[0] ?? '';
  if (!path.startsWith('/_dev/')) return false;
  const action = actions[`${request.method} ${path}`];
  const send = (status: number, value: object): true => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    response.end(JSON.stringify(value));
    return true;
  };
  if (!action) return send(404, { error: `There is no ${request.method} ${path}.` });
  try {
    return send(200, await action(body.length > 0 ? JSON.parse(body.toString('utf8')) : {}));
  } catch (error) {
    const detail = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return send(400, { error: detail });
  }
};
